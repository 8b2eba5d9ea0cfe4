package mapped

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

// Guess is what the names of the fields of some records tell of a mapping.
type Guess struct {
	// Spec maps them, and Records is where they stand in a document: both as a user
	// would say them, with placeholders for what the names do not tell.
	Spec, Records string
	// Certain is a guess that leaves no other reading.
	Certain bool
	// First is the first record, short; Meant what may have been meant by its names.
	First string
	Meant []string
	// Unread are the fields that are in no part of the mapping.
	Unread []string

	values bool // the records stand one behind the other, not one in each line
}

// Mapping reads the records as the guess says.
func (g Guess) Mapping() (Mapping, error) {
	m, err := Parse(g.Spec, g.Records)
	m.loose = g.values
	return m, err
}

// String says how records are read whose fields are certain.
func (g Guess) String() string {
	says := "read by the names of its fields, as --map '" + g.Spec + "' does"
	if len(g.Unread) > 0 {
		says += "; not read: " + words.Head(strings.Join(g.Unread, ", "), 200)
	}
	if len(g.Meant) > 0 {
		says += " (" + strings.Join(g.Meant, "; ") + ")"
	}
	return says
}

// Ask says what is not clear about records that no format claims, and how to read them.
func (g Guess) Ask() string {
	says := "cannot tell which fields of its records are the test and its status"
	if len(g.Meant) > 0 {
		says += " (" + strings.Join(g.Meant, "; ") + ")"
	}
	says += "; the first record is " + g.First + "; say what stands where, for instance: --map '" + g.Spec + "'"
	if g.Records != "" {
		says += " --records " + g.Records
	}
	return says
}

// verdict is a score in words, pass or fail, as the experiments of Ragas have it.
var verdict = meaning{"status", "", 2, isStatus}

// looked is how many records a guess looks at.
const looked = 100

// meaning is what the name of a field may mean: a field of a trial, a factor, and how
// sure the name is, lower ranks winning over higher ones.
type meaning struct {
	field string
	scale string // of the path in a mapping
	rank  int
	fits  func(gjson.Result) bool
}

// meanings are the common names of fields, in small letters and without what parts
// their words. A name that stands for several things, such as cost or duration without
// a unit, is not in it.
var meanings = func() map[string]meaning {
	all := map[string]meaning{}
	add := func(field string, rank int, fits func(gjson.Result) bool, names ...string) {
		for _, name := range names {
			name, scale, _ := strings.Cut(name, "*")
			if scale != "" {
				scale = "*" + scale
			}
			all[name] = meaning{field, scale, rank, fits}
		}
	}
	add("test", 0, named, "test", "testname", "testid", "testcase", "case")
	add("test", 1, named, "name", "title", "task", "taskname", "taskid", "scenario", "nodeid", "question", "questionid", "sampleid", "instanceid")
	add("test", 2, named, "id")
	add("status", 0, isStatus, "status", "outcome", "result", "verdict", "state")
	add("status", 1, isTruth, "passed", "pass", "success", "succeeded", "ok", "correct", "iscorrect", "resolved")
	add("truth", 0, isWord, "truth")
	add("score", 0, isNumber, "score")
	add("score", 1, isNumber, "reward")
	add("suite", 0, isText, "suite", "testsuite", "suitename")
	add("variant", 0, isText, "variant")
	add("variant", 1, isText, "model", "modelname")
	add("attempt", 0, isCount, "attempt")
	add("attempt", 1, isCount, "trial", "iteration", "repeat", "repetition", "epoch")
	add("duration_ms", 0, isNumber, "durationms", "timems", "elapsedms", "latencyms", "durations*1000", "durationseconds*1000", "durationsec*1000", "elapseds*1000", "elapsedseconds*1000", "latencys*1000", "latencyseconds*1000", "seconds*1000")
	add("cost_usd", 0, isNumber, "costusd", "costinusd", "totalcostusd")
	add("tokens", 0, isCount, "tokens", "totaltokens")
	add("tool_calls", 0, isCount, "toolcalls")
	add("message", 0, isText, "message", "reason", "errormessage", "failuremessage")
	add("message", 1, isText, "error", "failure", "explanation")
	add("output", 0, isText, "output", "stdout", "log", "response")
	add("error_class", 0, isText, "errorclass")
	add("file", 0, isText, "file", "filename", "filepath")
	add("line", 0, isCount, "line", "lineno", "linenumber")
	return all
}()

func named(v gjson.Result) bool { return v.Type == gjson.String && v.Str != "" || isCount(v) }

// isStatus takes words of a status and truth values. A bare 0 or 1 may be an exit code.
func isStatus(v gjson.Result) bool {
	_, known := envelope.ParseStatus(v.String())
	return v.IsBool() || v.Type == gjson.String && known && !isNumber(v)
}

// truths are the words for a truth value under a name that asks a question.
var truths = []string{"true", "false", "yes", "no", "y", "n"}

func isTruth(v gjson.Result) bool {
	word := strings.ToLower(v.String())
	return v.IsBool() || (v.Type == gjson.String || v.Type == gjson.Number) && (word == "0" || word == "1" || slices.Contains(truths, word))
}

// isNumber also takes one in a cell of a table, where everything is text.
func isNumber(v gjson.Result) bool {
	_, err := strconv.ParseFloat(v.String(), 64)
	return err == nil && (v.Type == gjson.Number || v.Type == gjson.String)
}

func isCount(v gjson.Result) bool {
	n, err := strconv.ParseInt(v.String(), 10, 32)
	return err == nil && n >= 0 && (v.Type == gjson.Number || v.Type == gjson.String)
}

// isWord takes any word and truth value: one that is no label is told with its place.
func isWord(v gjson.Result) bool { return isText(v) || v.IsBool() }

func isText(v gjson.Result) bool { return v.Type == gjson.String }

// spoken is a name in small letters and without what parts its words.
func spoken(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// GuessBy looks at the first bytes of an input, or at all of it. It returns false
// where no name in them means anything, or they begin no records: NDJSON, a JSON array of objects, one in a document, or CSV with a header.
func GuessBy(head []byte, whole bool) (Guess, bool) {
	if end := bytes.LastIndexByte(head, '\n'); !whole && !bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")) {
		head = head[:end+1] // what is behind may be cut
	}
	head = bytes.TrimSpace(head)
	records, in, first := recordsOf(head)
	g := Guess{}
	if len(records) == 0 && bytes.HasPrefix(head, []byte("{")) {
		records, first = valuesOf(head)
		g.values = true
	}
	if len(records) == 0 {
		return Guess{}, false
	}
	g.First, g.Records = words.Head(first, 200), in
	g.mapFields(records)
	if in != "" || whole && len(records) == 1 && holdsRecords(records[0]) {
		g.Certain = false // a document may hold more than its records
	}
	return g, g.Certain || len(g.Meant) > 0 || strings.Count(g.Spec, ".?") < 2
}

// field is a name, and what stands under it in the records that have it.
type field struct {
	name   string
	values []gjson.Result
}

// simple is a name that a mapping can say as it is.
var simple = regex.Of(`^[\pL\pN_][\pL\pN_ -]*$`)

// mapFields finds the fields of a trial.
func (g *Guess) mapFields(records []gjson.Result) {
	best := map[string][]string{} // paths by field, all of the best rank
	rank := map[string]int{}
	for _, f := range fieldsOf(records) {
		m, known := meanings[spoken(f.name)]
		if m.field == "score" && !fits(f.values, isNumber) && fits(f.values, isStatus) {
			m = verdict
		}
		if !known || !simple().MatchString(f.name) || !fits(f.values, m.fits) {
			g.Unread = append(g.Unread, f.name)
			if known && simple().MatchString(f.name) {
				g.unfit(f, m)
			}
			continue
		}
		path := "." + f.name + m.scale
		switch {
		case len(best[m.field]) == 0 || m.rank < rank[m.field]:
			best[m.field], rank[m.field] = []string{path}, m.rank
		case m.rank == rank[m.field]:
			best[m.field] = append(best[m.field], path)
		}
	}
	g.ask(best, records)
	labels := g.labels(records)
	g.Certain = len(best["test"]) == 1 && (len(best["status"]) == 1 || len(best["status"]) == 0 && len(best["score"]) == 1)
	g.Spec = g.spec(best, labels)
	g.suggest(best)
}

// ask leaves out a question beside the id of the task that asks it, where either tells
// the same records apart: then the test is the same one, by its shorter name.
func (g *Guess) ask(best map[string][]string, records []gjson.Result) {
	var id, question string
	for _, path := range best["test"] {
		switch name := strings.TrimPrefix(path, "."); spoken(name) {
		case "taskid":
			id = name
		case "question":
			question = name
		}
	}
	if id == "" || question == "" || len(best["test"]) > 2 {
		return
	}
	asks, asked := map[string]string{}, map[string]string{}
	for _, r := range records {
		this, what := r.Get(id).String(), r.Get(question).String()
		if before, met := asks[this]; met && before != what {
			return
		}
		if before, met := asked[what]; met && before != this {
			return
		}
		asks[this], asked[what] = what, this
	}
	best["test"] = []string{"." + id}
	g.Unread = append(g.Unread, question)
}

// unfit says what a field holds that is called like one which a trial must have, and
// cannot be that.
func (g *Guess) unfit(f field, m meaning) {
	why := map[string]string{"test": "which is no name of a test", "score": "which is no number", "status": "which is neither a known status, such as pass or failed, nor true or false"}[m.field]
	i := slices.IndexFunc(f.values, func(v gjson.Result) bool { return !m.fits(v) })
	if why == "" || i < 0 {
		return
	}
	if v := f.values[i]; m.field == "status" && (v.Raw == "0" || v.Raw == "1") {
		why = "which may be an exit code: true and false tell a truth value"
	}
	g.Meant = append(g.Meant, fmt.Sprintf("%s holds %s, %s", f.name, words.Head(f.values[i].Raw, 40), why))
}

func fits(values []gjson.Result, fit func(gjson.Result) bool) bool {
	for _, v := range values {
		if v.Type != gjson.Null && !fit(v) {
			return false
		}
	}
	return len(values) > 0
}

// fieldsOf are the fields of the records in the order they are met.
func fieldsOf(records []gjson.Result) []field {
	var all []field
	at := map[string]int{}
	for _, r := range records {
		r.ForEach(func(name, v gjson.Result) bool {
			i, met := at[name.Str]
			if !met {
				i = len(all)
				at[name.Str] = i
				all = append(all, field{name: name.Str})
			}
			if v.Type != gjson.Null {
				all[i].values = append(all[i].values, v)
			}
			return true
		})
	}
	return all
}

// labels are the parts of an object of that name.
func (g *Guess) labels(records []gjson.Result) []string {
	var parts []string
	for _, r := range records {
		r.Get("labels").ForEach(func(name, v gjson.Result) bool {
			part := "labels." + name.Str + "=.labels." + name.Str
			if simple().MatchString(name.Str) && v.Type == gjson.String && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
			return true
		})
	}
	if parts != nil {
		g.Unread = slices.DeleteFunc(g.Unread, func(name string) bool { return name == "labels" })
	}
	return parts
}

// spec writes the mapping. Where several fields may be one of a trial, those that it
// must have are named all, for the user to choose; others are left out.
func (g *Guess) spec(best map[string][]string, labels []string) string {
	outcome := "status"
	if len(best["status"]) == 0 && len(best["score"]) > 0 {
		outcome = "score"
	}
	part := func(field string) string {
		paths := best[field]
		if len(paths) == 0 {
			return field + "=.?"
		}
		return field + "=" + paths[0]
	}
	parts := []string{part("test"), part(outcome)}
	for _, field := range slices.Sorted(maps.Keys(best)) {
		if field == "test" || field == outcome || len(best[field]) == 0 {
			continue
		}
		if len(best[field]) > 1 {
			for _, path := range best[field] {
				g.Unread = append(g.Unread, strings.TrimPrefix(path, "."))
			}
			continue
		}
		parts = append(parts, part(field))
	}
	return strings.Join(append(parts, labels...), ",")
}

// suggest says of fields without a meaning which known ones are near, and of several
// with the same meaning that there are several.
func (g *Guess) suggest(best map[string][]string) {
	for _, field := range []string{"test", "status"} {
		if len(best[field]) > 1 {
			g.Meant = append(g.Meant, strings.ReplaceAll(strings.Join(best[field], " and "), ".", "")+" may both be the "+field)
		}
	}
	known := slices.Sorted(maps.Keys(setters))
	for _, name := range g.Unread {
		if near := suggest.Near(name, known); len(near) > 0 && near[0] != name {
			g.Meant = append(g.Meant, fmt.Sprintf("%s: did you mean %s?", words.Head(name, 60), near[0]))
			if (near[0] == "test" || near[0] == "status" || near[0] == "score") && simple().MatchString(name) {
				g.Spec = strings.Replace(g.Spec, near[0]+"=.?", near[0]+"=."+name, 1)
			}
		}
	}
}

// recordsOf are the first records of an input as JSON objects, where they stand in a
// document, and the first of them as it is written.
func recordsOf(head []byte) (records []gjson.Result, in, first string) {
	switch {
	case len(head) == 0:
		return nil, "", ""
	case head[0] == '{':
		return linesOf(head)
	case head[0] == '[':
		records = elementsOf(head)
	default:
		return rowsOf(head)
	}
	if len(records) > 0 {
		first = records[0].Raw
	}
	return records, "", first
}

// linesOf are the objects of NDJSON, or those of the only array of objects in a
// document.
func linesOf(head []byte) (records []gjson.Result, in, first string) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if !gjson.ValidBytes(line) {
		return documentOf(head)
	}
	for text := range bytes.Lines(head) {
		if r := gjson.ParseBytes(text); gjson.ValidBytes(text) && r.IsObject() && len(records) < looked {
			records = append(records, r)
		}
	}
	if len(records) == 1 {
		if inside, in, first := documentOf(head); inside != nil {
			return inside, in, first
		}
	}
	return records, "", string(line)
}

// documentOf are the records of a document that has one array of objects, also within
// objects of it.
func documentOf(head []byte) (records []gjson.Result, in, first string) {
	if !gjson.ValidBytes(head) {
		return nil, "", ""
	}
	const deepest = 4
	arrays := 0
	var search func(v gjson.Result, path string, depth int)
	search = func(v gjson.Result, path string, depth int) {
		v.ForEach(func(name, v gjson.Result) bool {
			if !simple().MatchString(name.Str) {
				return true
			}
			switch at := path + "." + name.Str; {
			case areRecords(v):
				arrays++
				records, in, first = v.Array(), at, v.Get("0").Raw
			case v.IsObject() && depth < deepest:
				search(v, at, depth+1)
			}
			return arrays < 2
		})
	}
	search(gjson.ParseBytes(head), "", 1)
	if arrays != 1 {
		return nil, "", ""
	}
	return records[:min(len(records), looked)], in, first
}

// areRecords is an array of objects.
func areRecords(v gjson.Result) bool { return v.IsArray() && v.Get("0").IsObject() }

// holdsRecords reports whether a record has records of its own: it may be a document
// about them and no trial.
func holdsRecords(record gjson.Result) (holds bool) {
	record.ForEach(func(_, v gjson.Result) bool {
		holds = areRecords(v)
		return !holds
	})
	return holds
}

// elementsOf are the objects of an array, as far as its beginning has them whole.
func elementsOf(head []byte) (records []gjson.Result) {
	dec := json.NewDecoder(bytes.NewReader(head))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() && len(records) < looked {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break
		}
		r := gjson.ParseBytes(raw)
		if !r.IsObject() {
			return nil
		}
		records = append(records, r)
	}
	return records
}

// valuesOf are the objects that stand one behind the other in an input which is no
// NDJSON, as far as its beginning has them whole, and the first as it is written.
func valuesOf(head []byte) (records []gjson.Result, first string) {
	dec := json.NewDecoder(bytes.NewReader(head))
	for len(records) < looked {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break
		}
		r := gjson.ParseBytes(raw)
		if !r.IsObject() {
			return nil, ""
		}
		records = append(records, r)
	}
	if len(records) > 0 {
		var line bytes.Buffer
		if json.Compact(&line, []byte(records[0].Raw)) == nil {
			first = line.String()
		}
	}
	return records, first
}

// rowsOf are the rows of a table as objects of texts. A table has a header of names and
// a row of cells, both of them whole.
func rowsOf(head []byte) (records []gjson.Result, in, first string) {
	names, _, several := bytes.Cut(head, []byte("\n"))
	if !several || !bytes.ContainsAny(names, separators) {
		return nil, "", ""
	}
	r := rowsIn(bytes.NewReader(head), string(names))
	cells, err := r.Read()
	header := namesOf(cells)
	if err != nil || slices.Index(header, "") == 0 {
		return nil, "", ""
	}
	for len(records) < looked {
		row, err := r.Read()
		if err != nil { // the end, or what the reader of the table will tell
			break
		}
		cells := map[string]string{}
		for i, cell := range row {
			if cell != "" && at(header, i) != "" {
				cells[header[i]] = cell
			}
		}
		text, err := json.Marshal(cells)
		if err != nil {
			break
		}
		records = append(records, gjson.ParseBytes(text))
		if first == "" {
			first = strings.Join(header, ",") + " / " + strings.Join(row, ",")
		}
	}
	return records, "", first
}
