// Package reportlog reads the log of pytest-reportlog, one JSON object a line.
//
// A trial is the setup, call and teardown of one run of a test. Subtests are no trials; one
// that failed fails its test. Properties and output that pytest repeats for reruns are left out.
package reportlog

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/pytest"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// kinds are the report types of pytest itself; plugins add others.
var kinds = []string{"SessionStart", "CollectReport", "TestReport", "WarningMessage", "SessionFinish"}

// Sniff reports whether the first object in head is a report.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	if slices.Contains(kinds, keys["$report_type"]) {
		return true
	}
	// A long report is cut before its type, which comes last.
	return keys["nodeid"] != "" && keys.Has("outcome") && (keys["when"] != "" || keys["$report_type"] != "")
}

// Read reads one log.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, tests: pytest.NewTests(to), open: map[string]*run{}, earlier: map[string]earlier{}}
	err := jsonwalk.StrictLines(r, to, rd.one, "$report_type", "nodeid")
	rd.finish()
	return err
}

type reader struct {
	to      envelope.Sink
	line    int
	tests   *pytest.Tests
	open    map[string]*run // by node id
	order   int
	earlier map[string]earlier
	codes   []int // with which sessions ended
	started bool  // the session has begun
	ended   bool
}

// earlier is how much of what accumulates over reruns belongs to earlier runs, and
// whether the last of them was to be run again: old plugins do not count.
type earlier struct {
	properties, sections int
	again                bool
}

func (rd *reader) one(l *jsonwalk.Line) {
	rd.line = l.Number
	r := report{}
	if !l.Decode(&r) {
		return
	}
	switch cmp.Or(r.Type, r.SubType) {
	case "SessionStart":
		rd.started, rd.ended = true, false
	case "CollectReport":
		if r.Outcome == "failed" || r.Outcome == "skipped" {
			rd.tests.Uncollected(r.NodeID, r.Outcome, failure.Reason(r.LongRepr.short, 2), r.LongRepr.long)
		}
	case "TestReport":
		rd.phase(l, &r)
	case "SubTestReport":
		rd.subtest(l, &r)
	case "SessionFinish":
		rd.ended, rd.codes = true, append(rd.codes, r.ExitStatus)
	case "":
		l.Malformed(0, "it has no $report_type")
	}
}

// phase adds a phase to the run of its test. A run ends with its teardown, or
// where the next one begins.
func (rd *reader) phase(l *jsonwalk.Line, r *report) {
	if !ofTest(l, r) {
		return
	}
	n := rd.open[r.NodeID]
	if n != nil && n.begun && (r.When == "setup" || n.rerun != r.Rerun) {
		rd.end(n)
		n = nil
	}
	if n == nil {
		n = rd.begin(r)
	}
	n.rerun = r.Rerun
	n.add(r)
	if r.When == "teardown" || r.When == "???" {
		rd.end(n)
	}
}

// subtest adds a subtest to the run of its test. It is told while the test is
// called, and under pytest-rerunfailures, which holds the phases back until
// they are all there, before the setup.
func (rd *reader) subtest(l *jsonwalk.Line, r *report) {
	if !ofTest(l, r) {
		return
	}
	n := rd.open[r.NodeID]
	if n != nil && (n.last.When == "call" || n.last.Outcome == "rerun") { // its call is over: this is of the next one
		rd.end(n)
		n = nil
	}
	if n == nil {
		n = rd.begin(r)
	}
	n.subtest(r)
}

func ofTest(l *jsonwalk.Line, r *report) bool {
	if r.NodeID == "" || r.Outcome == "" {
		l.Malformed(0, "a test report needs a nodeid and an outcome")
		return false
	}
	return true
}

func (rd *reader) begin(r *report) *run {
	rd.order++
	n := &run{id: r.NodeID, order: rd.order, earlier: rd.earlier[r.NodeID]}
	rd.open[r.NodeID] = n
	return n
}

func (rd *reader) end(n *run) {
	delete(rd.open, n.id)
	rd.earlier[n.id] = earlier{len(n.last.UserProperties), len(n.last.Sections), n.last.Outcome == "rerun"}
	marks := n.last.Keywords
	rd.tests.Trial(n.trial(), func(mark string) bool { return slices.Contains(marks, mark) })
}

func (rd *reader) finish() {
	open := slices.SortedFunc(maps.Values(rd.open), func(a, b *run) int { return a.order - b.order })
	for _, n := range open {
		n.cut = !rd.ended
		rd.end(n)
	}
	rd.tests.Finish()
	for _, code := range rd.codes {
		rd.tests.Ended(code)
	}
	if (rd.started || rd.order > 0) && !rd.ended {
		runfailure.Truncated(rd.to, rd.line, "the log ends before the session does: later tests may be missing")
	}
}

type report struct {
	Type           string `json:"$report_type"`
	SubType        string `json:"_report_type"` // of a subtest, before pytest-reportlog 1.0.0
	NodeID         string
	Location       location
	Keywords       keywords
	Outcome, When  string
	LongRepr       longrepr
	UserProperties [][]any    `json:"user_properties"`
	Sections       [][]string // title and text
	Duration       *float64   // seconds
	Start          *float64   // seconds since 1970; absent before pytest 8
	Rerun          int
	WasXFail       *string
	ExitStatus     int
	Context        subtest `json:"_subtest.context"`
}

type subtest struct {
	Msg    string
	Kwargs map[string]any
}

// String is a subtest as pytest names it, its arguments in the order of their
// names.
func (s subtest) String() string {
	values := words.ByName(s.Kwargs, func(name string, value any) string { return fmt.Sprintf("%s=%v", name, value) })
	return cmp.Or(words.Join(" ", words.Around("[", s.Msg, "]"), words.Around("(", values, ")")), "(<subtest>)")
}

// keywords are the names that select a test, its marks among them.
type keywords []string

func (k *keywords) Take(v jsonwalk.Value) {
	const usual = 16
	*k = make([]string, 0, usual)
	for name := range v.Members() {
		*k = append(*k, name)
	}
}

func (k *keywords) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, k) }

// location is a file, a line from 0 on, and a name.
type location struct {
	file string
	line int
}

// Take implements jsonwalk.Loose: a place that cannot be read is unknown.
func (l *location) Take(v jsonwalk.Value) {
	*l = location{}
	n := 0
	for part := range v.Items() {
		switch {
		case n == 0 && part.IsText():
			l.file = part.Text()
		case n == 1 && part.IsNumber():
			if line := part.Number(); line.OK && line.V >= 0 && line.V < 1<<31 {
				l.line = int(line.V) + 1
			}
		}
		n++
	}
	if n < 2 {
		*l = location{}
	}
}

func (l *location) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, l) }

// longrepr is why a phase did not pass: a text, a place with a reason, or a
// traceback.
type longrepr struct{ short, long string }

// Take implements jsonwalk.Loose: another shape is no reason, and what fits is enough.
func (l *longrepr) Take(v jsonwalk.Value) {
	*l = longrepr{}
	switch {
	case v.IsText():
		l.long = v.Text()
		l.short = l.long
	case v.IsArray():
		for part := range v.Items() {
			if l.short = ""; part.IsText() {
				l.short = part.Text()
			}
		}
	default:
		l.short, l.long = v.Get("reprcrash", "message").OnlyText(), frames(v.Get("reprtraceback", "reprentries"))
	}
}

func (l *longrepr) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, l) }

func frames(entries jsonwalk.Value) string {
	var b strings.Builder
	for e := range entries.Items() {
		data, n := e.Get("data"), 0
		for line := range data.Get("lines").Items() {
			if n++; n > 1 {
				b.WriteByte('\n')
			}
			b.WriteString(line.OnlyText())
		}
		if at := data.Get("reprfileloc"); at.Get("path").OnlyText() != "" {
			fmt.Fprintf(&b, "\n%s:%d: %s\n", at.Get("path").OnlyText(), at.Get("lineno").Count().V, at.Get("message").OnlyText())
		}
	}
	return b.String()
}

// run is one run of a test that has not ended.
type run struct {
	id       string
	order    int
	rerun    int
	earlier  earlier
	begun    bool
	cut      bool   // the log ends before it does
	failedIn string // the first subtest that failed
	phases   pytest.Phases
	last     report // the phase that was seen last has all properties and sections
	duration envelope.Opt[float64]
	setup    envelope.Opt[float64]
	started  *float64
}

func (n *run) add(r *report) {
	n.begun = true
	p := pytest.Phase{When: r.When, Outcome: r.Outcome, XFail: r.WasXFail != nil, Message: r.LongRepr.short, Output: r.LongRepr.long}
	if p.XFail && *r.WasXFail != "" {
		p.Message = *r.WasXFail
	}
	n.phases.Add(p)
	switch lasted := trialfields.Elapsed(r.Duration, 1000); {
	case !lasted.OK:
	case r.When == "setup":
		n.setup = lasted
	case r.When == "call":
		n.duration = lasted
	}
	n.started = cmp.Or(n.started, r.Start)
	n.last = *r
}

// subtest adds a subtest that failed: its test fails with it. The others say
// nothing of their test, which may go on after a subtest was skipped.
func (n *run) subtest(r *report) {
	if r.Outcome == "failed" {
		n.failedIn = cmp.Or(n.failedIn, r.Context.String())
		n.phases.Add(pytest.Phase{When: r.When, Outcome: r.Outcome, Message: r.LongRepr.short, Output: r.LongRepr.long})
	}
}

func (n *run) trial() envelope.Trial {
	t := envelope.Trial{Retry: n.rerun > 0 || n.earlier.again, DurationMS: n.duration, SetupMS: n.setup}
	t.Suite, t.Test = pytest.Split(n.id)
	t.File, t.Line = n.last.Location.file, n.last.Location.line
	if n.cut {
		t.Unended = envelope.Running
	}
	if n.phases.Fill(&t); n.failedIn != "" {
		t.Message = n.failedIn + ": " + t.Message
	}
	if n.started != nil && *n.started > 0 && *n.started < 1<<33 {
		t.StartedAt = time.UnixMicro(int64(*n.started * 1e6)).UTC()
	}
	said := slices.DeleteFunc([]string{t.Output, n.sections()}, func(s string) bool { return s == "" })
	t.Output = failure.Ends(strings.Join(said, "\n"))
	n.properties(&t)
	return t
}

// sections is what the test printed in this run.
func (n *run) sections() string {
	var b strings.Builder
	for _, s := range later(n.last.Sections, n.earlier.sections) {
		if len(s) == 2 {
			fmt.Fprintf(&b, "--- %s ---\n%s\n", s[0], strings.TrimSuffix(s[1], "\n"))
		}
	}
	return b.String()
}

func (n *run) properties(t *envelope.Trial) {
	for _, p := range later(n.last.UserProperties, n.earlier.properties) {
		if len(p) != 2 {
			continue
		}
		if name, ok := p[0].(string); ok {
			pytest.Property(t, name, p[1])
		}
	}
}

// later is the part of a list behind what was told before; the whole of it when
// it did not grow from there.
func later[T any](list []T, before int) []T {
	if before > len(list) {
		return list
	}
	return list[before:]
}
