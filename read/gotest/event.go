package gotest

import "tribunal/read/internal/jsonwalk"

// event is one event.
type event struct {
	Time, Action, Package, Test, Output string
	ImportPath, FailedBuild, Key, Value string
	Elapsed                             *float64
	action                              action
	line                                int
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
func actionOf(name string) action {
	for a, known := range actions {
		if name == known {
			return action(a)
		}
	}
	return other
}

// read reads the event on a line. It returns false after it told why not.
func (e *event) read(l *jsonwalk.Line) bool {
	if !l.Decode(e) {
		return false
	}
	e.line = l.Number
	if e.action = actionOf(e.Action); e.action == none {
		l.Malformed(0, "an event has an Action")
	}
	return e.action != none
}
