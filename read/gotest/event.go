package gotest

import (
	"bytes"

	"tribunal/read/jsonlines"
)

// event is one event. Its texts lie in memory that later ones reuse.
type event struct {
	time, action, pkg, test, output []byte
	importPath, failedBuild         []byte
	key, val                        []byte
	elapsed                         float64
	timed                           bool // elapsed is known
}

// strict is an event for encoding/json.
type strict struct {
	Time, Action, Package, Test, Output string
	ImportPath, FailedBuild, Key, Value string
	Elapsed                             *float64
}

// read reads the event on a line: quickly when it is written the way Go writes
// it, with encoding/json otherwise. The copy is a copy of the line that the
// event may keep and change. Read returns false after it told why not.
func (e *event) read(l *jsonlines.Line, copy []byte) bool {
	if e.quick(bytes.TrimRight(copy, "\r")) {
		return true
	}
	s := strict{}
	if !l.Decode(&s) {
		return false
	}
	*e = event{time: []byte(s.Time), action: []byte(s.Action), pkg: []byte(s.Package), test: []byte(s.Test), output: []byte(s.Output),
		importPath: []byte(s.ImportPath), failedBuild: []byte(s.FailedBuild), key: []byte(s.Key), val: []byte(s.Value)}
	if s.Elapsed != nil {
		e.elapsed, e.timed = *s.Elapsed, true
	}
	return true
}
