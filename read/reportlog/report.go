package reportlog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/pytest"
	"tribunal/read/internal/trialfields"
)

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

// subtest is what tells a subtest from its siblings.
type subtest struct {
	Msg    string
	Kwargs map[string]any
}

// String is a subtest as pytest names it, its arguments in the order of their
// names.
func (s subtest) String() string {
	var words, values []string
	if s.Msg != "" {
		words = append(words, "["+s.Msg+"]")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Kwargs)) {
		values = append(values, fmt.Sprintf("%s=%v", name, s.Kwargs[name]))
	}
	if len(values) > 0 {
		words = append(words, "("+strings.Join(values, ", ")+")")
	}
	return cmp.Or(strings.Join(words, " "), "(<subtest>)")
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
		l.short, l.long = text(v.Get("reprcrash", "message")), frames(v.Get("reprtraceback", "reprentries"))
	}
}

func (l *longrepr) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, l) }

// text is what a string says, and nothing where there is none.
func text(v jsonwalk.Value) string {
	if !v.IsText() {
		return ""
	}
	return v.Text()
}

// frames are the entries of a traceback.
func frames(entries jsonwalk.Value) string {
	var b strings.Builder
	for e := range entries.Items() {
		data, n := e.Get("data"), 0
		for line := range data.Get("lines").Items() {
			if n++; n > 1 {
				b.WriteByte('\n')
			}
			b.WriteString(text(line))
		}
		if at := data.Get("reprfileloc"); text(at.Get("path")) != "" {
			fmt.Fprintf(&b, "\n%s:%d: %s\n", text(at.Get("path")), at.Get("lineno").Count().V, text(at.Get("message")))
		}
	}
	return b.String()
}

// run is one run of a test that has not ended.
type run struct {
	id       string
	order    int
	rerun    int
	told     told
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
	if n.started == nil {
		n.started = r.Start
	}
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

// over reports whether the call of the run has ended: what subtests say behind
// it is of the next one.
func (n *run) over() bool { return n.last.When == "call" || n.last.Outcome == "rerun" }

func (n *run) trial() envelope.Trial {
	t := envelope.Trial{Retry: n.rerun > 0 || n.told.again, DurationMS: n.duration, SetupMS: n.setup}
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
	t.Output = failure.Ends(join(t.Output, n.sections()))
	n.properties(&t)
	return t
}

// sections is what the test printed in this run.
func (n *run) sections() string {
	var b strings.Builder
	for _, s := range later(n.last.Sections, n.told.sections) {
		if len(s) == 2 {
			fmt.Fprintf(&b, "--- %s ---\n%s\n", s[0], strings.TrimSuffix(s[1], "\n"))
		}
	}
	return b.String()
}

func (n *run) properties(t *envelope.Trial) {
	for _, p := range later(n.last.UserProperties, n.told.properties) {
		if len(p) != 2 {
			continue
		}
		name, ok := p[0].(string)
		if !ok {
			continue
		}
		value, ok := p[1].(string)
		if !ok {
			text, _ := json.Marshal(p[1])
			value = string(text)
		}
		trialfields.Set(t, name, value)
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
