package gotest

import "tribunal/read/internal/jsonwalk"

// event is an event, or some events of output in a row that are of the same
// test. Its texts lie in memory that later ones reuse.
type event struct {
	action                  action
	pkg, test               []byte
	time                    []byte // nil where nobody asks for it
	from, to                int    // where the output is in the text of what was found: JSON texts, a line each
	decoded                 []byte // or else the output itself
	importPath, failedBuild []byte
	key, val                []byte
	elapsed                 float64
	timed                   bool // elapsed is known
	line                    int  // the last one, counted from the first of its block
}

// action is what an event is about.
type action uint8

const (
	none action = iota
	start
	run
	pause
	cont
	pass
	bench
	fail
	output
	skip
	attr
	buildOutput
	buildFail
	other // passed over, as Go asks
)

// actions are the names of the actions there are.
var actions = [...]string{start: "start", run: "run", pause: "pause", cont: "cont", pass: "pass", bench: "bench", fail: "fail", output: "output", skip: "skip",
	attr: "attr", buildOutput: "build-output", buildFail: "build-fail", other: "artifacts"}

// actionOf is the action of that name.
func actionOf(name []byte) action {
	for a, known := range actions {
		if string(name) == known {
			return action(a)
		}
	}
	return other
}

// strict is an event for encoding/json.
type strict struct {
	Time, Action, Package, Test, Output string
	ImportPath, FailedBuild, Key, Value string
	Elapsed                             *float64
}

// read reads the event on a line with care. It returns false after it told why
// not.
func (e *event) read(l *jsonwalk.Line) bool {
	s := strict{}
	if !l.Decode(&s) {
		return false
	}
	*e = event{time: []byte(s.Time), action: actionOf([]byte(s.Action)), pkg: []byte(s.Package), test: []byte(s.Test), decoded: []byte(s.Output),
		importPath: []byte(s.ImportPath), failedBuild: []byte(s.FailedBuild), key: []byte(s.Key), val: []byte(s.Value), line: l.Number}
	if s.Elapsed != nil {
		e.elapsed, e.timed = *s.Elapsed, true
	}
	if e.action == none {
		l.Malformed(0, "an event has an Action")
	}
	return e.action != none
}
