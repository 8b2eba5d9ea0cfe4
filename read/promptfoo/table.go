package promptfoo

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/tablerows"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlwalk"
)

// A table has a row a test case, and in it the columns of its vars and of each prompt with
// each provider: since 0.120 the answer with columns behind it, before that one column
// with all of it.
const (
	statusColumn = "Status"
	scoreColumn  = "Score"
	namedColumn  = "Named Scores"
	reasonColumn = "Grader Reason"
	endColumn    = "Comment"
)

// cellStart is how a cell starts that has all of a trial.
var cellStart = regex.Of(`^\[(PASS|FAIL|ERROR)\](?: \(([-+0-9.eE]+)(?:, ([^\n]*))?\))?(?:\s|$)`)

// output is the columns of a prompt with a provider.
type output struct {
	variant                       string
	answer                        int
	status, score, scores, reason int // -1 where all is in the answer
	comment                       int
}

func isTable(head []byte) bool {
	if !bytes.Contains(head, []byte(namedColumn)) && !bytes.Contains(head, []byte("[PASS]")) && !bytes.Contains(head, []byte("[FAIL]")) &&
		!bytes.Contains(head, []byte("[ERROR]")) {
		return false
	}
	rows := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(head, []byte("\uFEFF"))))
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if err != nil || len(header) < 2 {
		return false
	}
	if len(outputsOf(header)) > 0 {
		return true
	}
	row, _ := rows.Read() // its beginning, where the head ends in it
	return len(outputsIn(header, row)) > 0
}

func outputsOf(header []string) (all []output) {
	for i := 1; i+2 < len(header); i++ {
		if header[i] != statusColumn || header[i+1] != scoreColumn || header[i+2] != namedColumn {
			continue
		}
		o := output{answer: i - 1, status: i, score: i + 1, scores: i + 2, reason: -1, comment: -1}
		if header[i-1] == "Reasoning" && i > 1 && strings.HasPrefix(header[i-2], "[") {
			o.answer = i - 2
		}
		for at := i + 3; at < len(header); at++ {
			if header[at] == reasonColumn {
				o.reason = at
			}
			if header[at] == endColumn {
				o.comment = at
				break
			}
		}
		all = append(all, o)
	}
	return named(header, all)
}

// outputsIn are the outputs of an older table by its first row.
func outputsIn(header, row []string) (all []output) {
	for i := range min(len(header), len(row)) {
		if cellStart().MatchString(row[i]) {
			all = append(all, output{answer: i, status: -1, score: -1, scores: -1, reason: -1, comment: -1})
		}
	}
	return named(header, all)
}

// named gives outputs their variants: the provider, and the prompt of every one that has
// not the first.
func named(header []string, all []output) []output {
	first := ""
	seen := map[string]int{}
	for i := range all {
		provider, prompt := "", header[all[i].answer]
		if inside, rest, found := strings.Cut(prompt, "] "); found && strings.HasPrefix(inside, "[") {
			provider, prompt = inside[1:], rest
		}
		if i == 0 {
			first = prompt
		}
		v := provider
		if prompt != first {
			v = strings.TrimPrefix(provider+", prompt "+shorten(prompt), ", ")
		}
		if seen[v]++; seen[v] > 1 {
			v = fmt.Sprintf("%s #%d", v, seen[v])
		}
		all[i].variant = v
	}
	return all
}

func (rd *reader) table(r io.Reader) error {
	rows := tablerows.Of(r, ',')
	header, err := rows.Next()
	if len(header) > 0 {
		header[0] = strings.TrimPrefix(header[0], "\uFEFF")
	}
	outputs := outputsOf(header)
	for n := 1; err == nil; n++ {
		var row []string
		if row, err = rows.Next(); err != nil {
			break
		}
		at := placeOf(rows.Place())
		if len(outputs) == 0 {
			outputs = outputsIn(header, row)
		}
		switch {
		case len(outputs) == 0:
			rd.problem(envelope.SeverityError, envelope.CodeMalformed, at,
				"the row is not counted: no cell of it begins with [PASS], [FAIL] or [ERROR]")
		case len(row) != len(header):
			rd.problem(envelope.SeverityError, envelope.CodeMalformed, at, fmt.Sprintf("the row is not counted: its number of cells is %d, and "+
				"the header has %d", len(row), len(header)))
		default:
			rd.tableRow(header, row, outputs, n, at)
		}
	}
	return tablerows.End(err, rd.to)
}

type place struct{ line, column int }

func placeOf(line, column int) place { return place{max(line, 1), max(column, 1)} }

func (rd *reader) problem(severity envelope.Severity, code string, at place, message string) {
	rd.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: at.line, Column: at.column, Message: message})
}

// tableRow delivers the trials of a test case, the n-th of the table.
func (rd *reader) tableRow(header, row []string, outputs []output, n int, at place) {
	description, said := "", []string(nil)
	before := len(header)
	if outputs[0].status >= 0 {
		before = outputs[0].answer // what is behind is of the outputs, or of all of them
	}
	for i, name := range header[:before] {
		switch {
		case i == 0 && name == "Description":
			description = row[i]
		case row[i] != "" && !slices.ContainsFunc(outputs, func(o output) bool { return o.answer == i }):
			said = append(said, name+"="+row[i])
		}
	}
	asks := asks{description: strings.TrimSpace(description), said: strings.Join(said, ", ")}
	if asks.description == "" && asks.said == "" {
		asks.description = "test case " + strconv.Itoa(n)
	}
	test := rd.names.of(rd.names.find(caseKey{asks: asks}, int64(n), func() string { return "" })) // in the order of the configuration
	for _, o := range outputs {
		if o.status >= 0 && row[o.answer] == "" && row[o.status] == "" && row[o.score] == "" {
			if !rd.blank {
				rd.blank = true
				rd.problem(envelope.SeverityWarning, envelope.CodeField, at,
					"left out: cells without a status, an answer and a score, of trials that were not run or not exported")
			}
			continue
		}
		t := &rd.trial
		*t = envelope.Trial{Key: envelope.Key{Test: test, Variant: o.variant}}
		if o.status < 0 {
			fromCell(t, row[o.answer])
		} else {
			fromCells(t, row, o)
		}
		if t.Status == "" {
			rd.problem(envelope.SeverityError, envelope.CodeMalformed, at, fmt.Sprintf("the trial in column %q is not counted: "+
				"it does not begin with PASS, FAIL or ERROR", jsonwalk.Short(failure.FirstLine(header[o.answer]))))
			continue
		}
		if t.Status == envelope.Error {
			forgetZeros(t)
		}
		rd.to.Send(t)
	}
}

// ends are the words of a table for how a trial ended.
var ends = map[string]envelope.Status{"PASS": envelope.Pass, "FAIL": envelope.Fail, "ERROR": envelope.Error}

func fromCells(t *envelope.Trial, row []string, o output) {
	t.Status, t.Score = ends[row[o.status]], trialfields.Finite(row[o.score])
	scores := jsonwalk.Detached(namedColumn, []byte(row[o.scores]))
	if json.Valid(scores.Raw()) {
		for name, score := range scores.Members() {
			trialfields.AddCheck(t, envelope.Check{Name: name, Score: score.Number()}, "score")
		}
	}
	reason := ""
	if o.reason >= 0 {
		reason = row[o.reason]
	}
	explain(t, reason, row[o.answer])
	if o.comment >= 0 && row[o.comment] != "" {
		trialfields.AddLabel(t, "comment", row[o.comment])
	}
}

// fromCell makes a trial of a cell that has all of it: its status, its scores, the answer
// and the reason.
func fromCell(t *envelope.Trial, cell string) {
	m := cellStart().FindStringSubmatch(cell)
	if m == nil {
		return
	}
	t.Status, t.Score = ends[m[1]], trialfields.Finite(m[2])
	for _, named := range strings.Split(m[3], ", ") {
		name, score, _ := strings.Cut(named, ": ")
		trialfields.AddCheck(t, envelope.Check{Name: name, Score: trialfields.Finite(score)}, "score")
	}
	answer, reason := strings.TrimSpace(cell[len(m[0]):]), ""
	for _, mark := range []string{"Pass Reason: ", "Fail Reason: "} {
		if at := strings.LastIndex("\n\n"+answer, "\n\n"+mark); at >= 0 {
			answer, reason = strings.TrimSpace(answer[:max(at-2, 0)]), answer[at+len(mark):]
			break
		}
	}
	if before, behind, found := strings.Cut(answer, "\n---\n"); found && t.Status != envelope.Pass { // as it was before there were reasons
		answer, reason = behind, cmp.Or(reason, before)
	}
	explain(t, reason, answer)
}

// explain gives a trial its answer, and why it did not pass. Tables with a status leave out
// why a provider gave no answer: such an error has no class, and counts.
func explain(t *envelope.Trial, reason, answer string) {
	if t.Status == envelope.Error {
		if reason = cmp.Or(reason, answer); reason != "" {
			t.ErrorClass = failure.OfProvider(reason)
		}
	}
	if t.Status != envelope.Pass {
		t.Message, t.Output = reasonTexts(reason, answer)
	}
	if answer != "" && t.Status != envelope.Error {
		t.Transcript = []envelope.Turn{conversation.Say(envelope.RoleAssistant, answer)}
	}
}

// root is the root element of `-o x.xml`, which is no JUnit.
const root = "promptfoo"

// shape is how the document was before it was made XML: there all values are texts, and
// a list of one looks like its element.
var shape = xmlwalk.Shape{Leaf: leaf, List: func(name string) bool { return lists[name] }}

var (
	lists   = names("componentResults", "messages", "redteamHistory", "toolCalls", "tool_calls")
	numbers = names("failureReason", "score", "latencyMs", "cost", "total", "testIdx", "promptIdx")
	truths  = names("success", "pass", "graderError", "is_error")
)

func names(all ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range all {
		set[name] = true
	}
	return set
}

// leaf is a text as JSON. What is empty was null, or a text without anything in it.
func leaf(name, text string) string {
	switch {
	case text == "":
		return "null"
	case truths[name] && (text == "true" || text == "false"):
		return text
	case numbers[name] && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text)):
		return text
	}
	quoted, _ := json.Marshal(text) // a string always has JSON
	return string(quoted)
}

func (rd *reader) markup(r io.Reader) error {
	return xmlwalk.Read(r, rd.to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) {
		if e.Name != root {
			doc.Refuse(e, root, "--from")
			return
		}
		records := func(each func(jsonwalk.Value)) func(*xmlwalk.Element) {
			return func(e *xmlwalk.Element) { rd.recordElement(doc, e, each) }
		}
		const nameLimit = 4 << 10 // how many bytes the name of a run may have
		doc.Inside(nameLimit, xmlwalk.Elements{"evalId": &rd.header.ID, "config": xmlwalk.Elements{"description": &rd.header.Name},
			"results": xmlwalk.Elements{"timestamp": &rd.header.StartedAt, "prompts": records(rd.add), "results": records(rd.row)}})
	})
}

func (rd *reader) recordElement(doc *xmlwalk.Doc, e *xmlwalk.Element, each func(jsonwalk.Value)) {
	room := jsonwalk.MaxRecord
	row := shape.Object(doc, e, &room)
	switch {
	case doc.Cut():
	case room < 0:
		rd.problem(envelope.SeverityError, envelope.CodeLineTooLong, placeOf(e.Line, e.Column), "a row is longer than 64 MiB and is not read")
	default:
		jsonwalk.Record(rd.to, "a row of "+e.Name, e.Line, e.Column, []byte(row.JSON())).Deliver(each)
	}
}
