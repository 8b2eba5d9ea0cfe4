package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// The journal of tribunal run is a trial stream with records of more types between the
// trials: the tests, how they ended, notes and starts. The others are for resuming the run.
const (
	typeTests  = "tests"
	typeEnded  = "ended"
	typeResume = "resume"
	typeStart  = "start"
	typeNote   = "note"
	typeSetup  = "setup"
	typeEnd    = "end"
	typeBeyond = "beyond"
)

var journalTypes = map[string]bool{typeTests: true, typeEnded: true, typeResume: true, typeSetup: true, typeEnd: true,
	typeStart: true, typeNote: true, typeBeyond: true, "held": true, "cut": true}

// journalMark is the field of a header that makes it the header of a journal.
// journalFields are the fields that only such headers have.
const journalMark = "journal"

var journalFields = []string{journalMark, "plan", "seed", "boot"}

func (rd *reader) journalHeader() bool {
	if !slices.Contains(rd.rec.unknown, journalMark) {
		return false
	}
	rd.rec.unknown = slices.DeleteFunc(rd.rec.unknown, func(name string) bool { return slices.Contains(journalFields, name) })
	rd.notes.journal.add(milestone{kind: typeRun, line: rd.line})
	return true
}

func (rd *reader) journal(kind string) {
	to, takes := rd.to.(envelope.Journal)
	switch {
	case kind == typeEnd:
		var end struct {
			How string `json:"how"`
		}
		if rd.decode(&end) {
			rd.notes.journal.add(milestone{kind: typeEnd, line: rd.line, how: end.How})
		}
	case kind == typeNote:
		rd.noted()
	case kind == typeStart:
		rd.started()
	case kind == typeResume:
		rd.notes.journal.add(milestone{kind: typeResume, line: rd.line})
		rd.notes.noticed = append(rd.notes.noticed, noticed{Problem: envelope.Problem{Code: resumed, Line: rd.line}})
		if takes {
			to.Resumed()
		}
	case kind == typeSetup && takes:
		rd.setUp(to)
	case kind == typeBeyond && takes:
		rd.beyond(to)
	case kind == typeTests && takes:
		rd.listed(to)
	case kind == typeEnded && takes:
		rd.ended(to)
	}
}

func (rd *reader) setUp(to envelope.Journal) {
	var ms, cost envelope.Opt[float64]
	rd.set(fieldSetupMS, func(v value) string { return setAmount(&ms, v) })
	rd.set(fieldSetupCostUSD, func(v value) string { return setAmount(&cost, v) })
	if ms.OK || cost.OK {
		to.SetUp(ms, cost)
	}
}

// uncounted are the codes of notes on errors that no trial shows.
var uncounted = []string{envelope.CodeCommandFailed, envelope.CodeMalformed, envelope.CodeNotListed, envelope.CodeSetup,
	envelope.CodeJournal, envelope.CodeTeardown, envelope.CodeNothingToTry}

// ofAnEnd are the codes of notes on how a process of the run ended. They are void once
// another process resumes the run.
var ofAnEnd = []string{envelope.CodeSetup, envelope.CodeTeardown, envelope.CodeNothingToTry}

// resumed is the code, among the notes, of a place where the run was resumed.
const resumed = ""

func (rd *reader) noted() {
	var note struct {
		envelope.Key
		Code    string `json:"code"`
		Count   int    `json:"count"`
		Message string `json:"message"`
	}
	switch {
	case !rd.decode(&note):
	case note.Code == "" || note.Message == "":
		rd.malformed(rd.rec.at, "a note needs a code and a message")
	default:
		severity := envelope.SeverityWarning
		if slices.Contains(uncounted, note.Code) {
			severity = envelope.SeverityError
		}
		const noteLimit = 1000
		rd.notes.noticed = append(rd.notes.noticed, noticed{note.Key, envelope.Problem{Severity: severity, Code: note.Code, Line: rd.line,
			Count: max(0, note.Count), Message: words.Lead(note.Message, noteLimit)}})
	}
}

// noticed is a note of the runner on a test or on the run.
type noticed struct {
	envelope.Key
	envelope.Problem
}

// reportNoticed reports the notes. Their counts go up, so only the last of a run, a test
// and a code is reported.
func (n *notes) reportNoticed(to envelope.Sink) {
	type of struct {
		run  int
		code string
		envelope.Key
	}
	last := map[of]int{}
	key := func(i int) of {
		at := n.noticed[i]
		return of{n.journal.runAt(at.Line), at.Code, at.Key}
	}
	for i := range n.noticed {
		last[key(i)] = i
	}
	for i, at := range n.noticed {
		again := last[of{run: n.journal.runAt(at.Line), code: resumed}] // 0 before all that are of an end
		over := again > i && slices.Contains(ofAnEnd, at.Code)
		if at.Code != resumed && last[key(i)] == i && !over {
			to.Problem(at.Problem)
		}
	}
}

// firstTry is in nearly every start, which then need not be decoded.
var firstTry = []byte(`"try":0,`)

// started counts a start of an attempt that had been started before.
func (rd *reader) started() {
	var start struct {
		Try int `json:"try"`
	}
	if bytes.Contains(rd.text, firstTry) || !rd.decode(&start) || start.Try <= 0 {
		return
	}
	if rd.notes.redrawn == 0 {
		rd.notes.redrawnFirst = rd.line
	}
	rd.notes.redrawn++
}

func (rd *reader) decode(into any) bool {
	err := json.Unmarshal(rd.text[rd.rec.at:], into)
	if err == nil {
		return true
	}
	at, reason := rd.rec.at, err.Error()
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		at, reason = at+int(wrong.Offset)-1, wrong.Field+": a JSON "+wrong.Value+" does not fit here"
	}
	rd.malformed(at, shorten(reason))
	return false
}

func (rd *reader) listed(to envelope.Journal) {
	var list struct {
		Tests []struct {
			envelope.Key
			Labels    map[string]string   `json:"labels"`
			Trials    envelope.Opt[int64] `json:"trials"`
			Elsewhere bool                `json:"elsewhere"`
		} `json:"tests"`
	}
	if !rd.decode(&list) {
		return
	}
	for i := range list.Tests {
		t := &list.Tests[i]
		if t.Test == "" {
			rd.problem(envelope.SeverityError, envelope.CodeMalformed, rd.rec.at, "a test of this list has no name and is skipped")
			continue
		}
		labels := each.Of(slices.Sorted(maps.Keys(t.Labels)), func(name string) envelope.Label {
			return envelope.Label{Name: name, Value: t.Labels[name]}
		})
		to.Listed(t.Key, labels, t.Trials, t.Elsewhere)
	}
}

// beyond reads a trial that ended after its test.
func (rd *reader) beyond(to envelope.Journal) {
	var trial struct {
		envelope.Key
		Attempt int32                 `json:"attempt"`
		CostUSD envelope.Opt[float64] `json:"cost_usd"`
	}
	if rd.decode(&trial) && trial.Test != "" {
		to.Beyond(trial.Key, trial.Attempt, trial.CostUSD)
	}
}

func (rd *reader) ended(to envelope.Journal) {
	var end struct {
		envelope.Key
		How envelope.How `json:"how"`
	}
	switch {
	case !rd.decode(&end):
	case end.Test == "":
		rd.malformed(rd.rec.at, "test: missing or empty; the end of a test needs its name")
	case !end.How.Known():
		words := each.Of(envelope.Hows, func(how envelope.How) string { return string(how) })
		rd.malformed(rd.rec.at, "how: "+quoted(string(end.How))+" is unknown: use one of "+strings.Join(words, ", "))
	default:
		to.Ended(end.Key, end.How)
	}
}

// milestones are the starts and ends of the runs in a stream, in order. Only the last of
// several ends in a row is kept.
type milestones []milestone

type milestone struct {
	kind string // run, end or resume
	line int
	how  string // of an end
}

func (m *milestones) add(next milestone) {
	if last := len(*m) - 1; last >= 0 && next.kind != typeRun && (*m)[last].kind != typeRun {
		(*m)[last] = next
		return
	}
	*m = append(*m, next)
}

// runAt returns the line at which the run of a line starts, or 0.
func (m milestones) runAt(line int) int {
	at, _ := slices.BinarySearchFunc(m, line, func(one milestone, line int) int { return one.line - line })
	for at--; at >= 0; at-- {
		if m[at].kind == typeRun {
			return m[at].line
		}
	}
	return 0
}

func (m milestones) any() bool {
	return slices.ContainsFunc(m, func(at milestone) bool { return at.kind == typeRun })
}

func (m milestones) report(to envelope.Sink) {
	for i, at := range m {
		if at.kind != typeRun {
			continue
		}
		end := milestone{kind: typeResume, line: at.line}
		if i+1 < len(m) && m[i+1].kind != typeRun {
			end = m[i+1]
		}
		if p, broken := end.problem(); broken {
			to.Problem(p)
		}
	}
}

// The ends of an unfinished run that nobody asked for.
const endInterrupted, endInfraDown = "interrupted", "infrastructure-down"

// problem returns what is wrong with a run whose last milestone this is.
func (at milestone) problem() (envelope.Problem, bool) {
	p := envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeInterrupted, Line: at.line}
	switch {
	case at.kind != typeEnd:
		p.Message = "the journal has no end: the run is still going, or its runner died; to continue it: tribunal run --resume, with --journal if you gave it"
	case at.how == endInterrupted:
		p.Message = "the run was stopped before its end; to continue it: tribunal run --resume, with --journal if you gave it"
	case at.how == endInfraDown:
		p.Code, p.Message = envelope.CodeInfraDown,
			"the run ended because its infrastructure was down; when it works again: tribunal run --resume, with --journal if you gave it"
	default:
		return p, false
	}
	return p, true
}

// tail is the last line of a stream if it has no line end. It is read at the end, because
// in a journal it is always an incomplete record.
type tail struct {
	line int
	text []byte
}

func (n *notes) settle(to envelope.Sink, failed error) {
	last := n.last
	n.last = tail{}
	switch {
	case last.text == nil, failed != nil: // which says where the input ends
	case n.journal.any():
		to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeTruncated, Line: last.line, Column: 1,
			Message: "the last line of the journal is incomplete and is skipped; a trial in it does not count"})
	default:
		rd := &reader{to: to, line: last.line - 1, whole: true}
		rd.one(line{text: last.text})
		n.take(&rd.notes, 0)
	}
}
