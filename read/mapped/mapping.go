// Package mapped reads what no other reader knows: NDJSON, a JSON array, or CSV
// with a header, by a mapping that the user gives.
//
//	test=.meta.name,status=.result.ok,attempt=.run,cost_usd=.usage.cost,duration_ms=.latency*1000
//
// A field of a trial is on the left, named as in the native stream; on the right is a path in each record (the syntax of
// tidwall/gjson, with a leading dot), a column of the CSV, or a word in single quotes that is the same for all. A number
// may be scaled with * or /.
package mapped

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

// Mapping says which part of a record is which field of a trial.
type Mapping struct {
	parts []part
	// Records is the path of the array of records in a document; "" when the input is records itself.
	Records string
	// Scorer is the check that decides the trials, "" where all of them do.
	Scorer string
	where  []string // queries of which one holds for a record that is a trial
	name   string   // of a named mapping
	loose  bool     // records may also be the input itself
	quiet  bool     // it is for exports of several kinds, of which each lacks something
}

// part is one field and where it comes from.
type part struct {
	field   string // of a trial, or a label
	label   bool
	from    string   // as it was written
	sources []source // the first that stands in a record counts
	literal bool     // from is the value itself
}

// source is a path, or several whose numbers are added up.
type source []term

// term is a path and what its number is multiplied by.
type term struct {
	path  string
	head  string // the first name of the path, "" when it is more than a name
	rest  string // the path behind it
	scale float64
}

// Parse reads a mapping, and the path of the records in a document. One that begins
// with @ is named; what follows the name replaces its fields.
func Parse(spec, records string) (Mapping, error) { return ParseWith(spec, records, nil) }

// ParseWith is Parse with further named mappings, which come before ours.
func ParseWith(spec, records string, own map[string]Named) (Mapping, error) {
	m := Mapping{}
	if spec = strings.TrimSpace(spec); strings.HasPrefix(spec, "@") {
		name, rest, _ := strings.Cut(spec[1:], ",")
		base, err := byName(strings.TrimSpace(name), own)
		if err != nil {
			return m, err
		}
		m, spec = base, rest
	}
	if records = cutDot(records); records != "" || m.name == "" {
		m.Records, m.loose = records, false
	}
	if err := m.add(spec); err != nil {
		return m, err
	}
	m.Records = strings.TrimSuffix(m.Records, "[]")
	switch {
	case !m.has("test"):
		return m, errors.New("the mapping names no test; write all fields into one mapping, as in test=.name,status=.ok")
	case !m.has("status") && !m.has("score") && !m.has("category") && !m.has("checks"):
		return m, errors.New("the mapping has no status, score, category or checks; write all fields into one mapping, " +
			"as in test=.name,status=.ok")
	}
	return m, nil
}

// add adds the parts of a mapping. They take the place of those that a named one has.
func (m *Mapping) add(spec string) error {
	seen := map[string]bool{}
	words := strings.Split(spec, ",")
	if m.name != "" && strings.TrimSpace(spec) == "" {
		words = nil
	}
	for _, word := range words {
		p, err := parsePart(word)
		if err != nil {
			return err
		}
		name := p.name()
		if seen[name] {
			return fmt.Errorf("%s is mapped twice: keep one (.a ?? .b tries a second path)", name)
		}
		seen[name] = true
		if name == whereField {
			m.where = each.Of(alternatives(p.from, "||"), cutDot)
			continue
		}
		m.parts = slices.DeleteFunc(m.parts, func(p part) bool { return p.name() == name })
		m.parts = append(m.parts, p)
	}
	if i := slices.IndexFunc(m.parts, func(p part) bool { return p.name() == "ended_at" }); i >= 0 { // it looks at what comes before it
		last := m.parts[i]
		m.parts = append(slices.Delete(m.parts, i, i+1), last)
	}
	return nil
}

func (m *Mapping) has(name string) bool {
	return slices.ContainsFunc(m.parts, func(p part) bool { return p.name() == name })
}

func (p part) name() string {
	if p.label {
		return "labels." + p.field
	}
	return p.field
}

// whereField is no field of a trial: it says which records are trials.
const whereField = "where"

func parsePart(word string) (part, error) {
	field, from, ok := strings.Cut(word, "=")
	field, from = strings.TrimSpace(field), strings.TrimSpace(from)
	if !ok || field == "" || from == "" {
		return part{}, fmt.Errorf("%q does not map a field: write field=.path, such as test=.name, and a comma only between two fields",
			strings.TrimSpace(word))
	}
	p := part{field: field, from: from}
	if label, isLabel := strings.CutPrefix(field, "labels."); isLabel && label != "" {
		p.field, p.label = label, true
	} else if field != whereField && setters[field] == nil {
		return p, suggest.Unknown("field", field, append(slices.Sorted(maps.Keys(setters)), "labels.NAME", whereField))
	}
	if len(from) >= 2 && from[0] == '\'' && from[len(from)-1] == '\'' {
		p.from, p.literal = from[1:len(from)-1], true
		return p, nil
	}
	p.sources = append(p.sources, each.Of(alternatives(from, "??"), parseSource)...)
	return p, nil
}

// alternatives are the parts of a text between marks, without blanks and without parts that say nothing.
func alternatives(text, mark string) []string {
	return words.Present(each.Of(strings.Split(text, mark), strings.TrimSpace)...)
}

// parseSource reads paths that are added up: .input_tokens+.output_tokens.
func parseSource(from string) source {
	var s source
	for i, one := range strings.Split(from, "+.") {
		if i > 0 {
			one = "." + one
		}
		t := term{}
		t.path, t.scale = scaled(strings.TrimSpace(one))
		t.path = strings.TrimPrefix(t.path, ".")
		if head, rest, _ := strings.Cut(t.path, "."); isName(head) {
			t.head, t.rest = head, rest
		}
		s = append(s, t)
	}
	return s
}

// isName reports whether a part of a path is the name of a member and nothing more.
func isName(s string) bool { return s != "" && !strings.ContainsAny(s, "*?|#@!{}[]()=<>%\"\\") }

// scaled parts a path from a factor behind it: .latency*1000, .ms/1000.
func scaled(from string) (path string, scale float64) {
	i := strings.LastIndexAny(from, "*/")
	if i <= 0 || from[i-1] == '.' {
		return from, 1
	}
	factor, err := strconv.ParseFloat(strings.TrimSpace(from[i+1:]), 64)
	if err != nil || factor == 0 {
		return from, 1
	}
	if from[i] == '/' {
		factor = 1 / factor
	}
	return strings.TrimSpace(from[:i]), factor
}

// meaning is what the name of a field may mean: a field of a trial, a factor, and how
// sure the name is, lower ranks winning over higher ones.
type meaning struct {
	field string
	scale string // of the path in a mapping
	rank  int
	fits  func(gjson.Result) bool
}

// meanings are the common names of fields, in small letters and without what parts their words. A name that stands for
// several things, such as cost or duration without a unit, is not in it.
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
	add("test", 1, named, "name", "title", "task", "taskname", "taskid", "scenario", "nodeid", "question", "questionid", "sampleid",
		"instanceid")
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
	add("duration_ms", 0, isNumber, "durationms", "timems", "elapsedms", "latencyms", "durations*1000", "durationseconds*1000",
		"durationsec*1000", "elapseds*1000", "elapsedseconds*1000", "latencys*1000", "latencyseconds*1000", "seconds*1000")
	add("cost_usd", 0, isNumber, "costusd", "costinusd", "totalcostusd")
	add("tokens", 0, isCount, "tokens", "totaltokens")
	add("tool_calls", 0, isCount, "toolcalls")
	add("message", 0, isText, "message", "reason", "errormessage", "failuremessage")
	add("message", 1, isText, "error", "failure", "explanation")
	add("output", 0, isText, "output", "stdout", "log", "response")
	add("error_class", 0, isText, "errorclass")
	add("file", 0, isText, "file", "filename", "filepath")
	add("line", 0, isCount, "line", "lineno", "linenumber")
	add("run", 0, named, "run")
	add("retry", 0, isTruth, "retry")
	add("adaptive", 0, isTruth, "adaptive")
	add("category", 0, isCount, "category")
	add("setup_ms", 0, isNumber, "setupms")
	add("setup_cost_usd", 0, isNumber, "setupcostusd")
	add("started_at", 0, isTime, "startedat")
	add("ended_at", 0, isTime, "endedat")
	return all
}()

// verdict is a score in words, pass or fail, as the experiments of Ragas have it.
var verdict = meaning{"status", "", 2, isStatus}

func named(v gjson.Result) bool { return v.Type == gjson.String && v.Str != "" || isCount(v) }

// isStatus takes words of a status and truth values. A bare 0 or 1 may be an exit code.
func isStatus(v gjson.Result) bool {
	_, known := envelope.ParseStatus(v.String())
	return v.IsBool() || v.Type == gjson.String && known && !isNumber(v)
}

func isTruth(v gjson.Result) bool {
	word := strings.ToLower(v.String())
	truths := []string{"true", "false", "yes", "no", "y", "n"} // the words for a truth value under a name that asks a question
	return v.IsBool() || (v.Type == gjson.String || v.Type == gjson.Number) && (word == "0" || word == "1" || slices.Contains(truths, word))
}

func isTime(v gjson.Result) bool {
	_, err := value{text: v.String()}.instant()
	return err == nil
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

// isWord accepts texts and booleans; a word that is no label is reported with its line and column.
func isWord(v gjson.Result) bool { return isText(v) || v.IsBool() }

func isText(v gjson.Result) bool { return v.Type == gjson.String }

// spoken is a name in small letters and without what parts its words.
func spoken(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

func cutDot(path string) string { return strings.TrimPrefix(strings.TrimSpace(path), ".") }
