package inspect

import (
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// checks makes a check of every scorer, and of every value of a scorer that has
// several, under the names that --scorer takes.
func (l *log) checks(v jsonwalk.Value) {
	scored := false
	for name, score := range v.Get("scores").Members() {
		scored = true
		l.check(name, score)
	}
	if only := v.Get("score"); !scored && only.Present() { // version 1
		l.check("score", only)
	}
}

func (l *log) check(name string, score jsonwalk.Value) {
	value, why := score, ""
	if score.IsObject() {
		value, why = score.Get("value"), score.Get("explanation").Text()
	}
	switch {
	case value.IsObject():
		for key, each := range value.Members() {
			l.value(name+"."+key, each, why)
		}
	case value.IsArray():
		n := 0
		for each := range value.Items() {
			l.value(name+"."+strconv.Itoa(n), each, why)
			n++
		}
	default:
		l.value(name, value, why)
	}
}

// value adds one value of a scorer. It passes at 1, as a sample does, and above it the
// policy says. One that is no score, such as NaN, judged nothing.
func (l *log) value(name string, value jsonwalk.Value, why string) {
	if value.IsObject() || value.IsArray() {
		value = jsonwalk.Value{}
	}
	c := envelope.Check{Name: name, Status: envelope.Skip, Score: number(value), Reason: why}
	switch {
	case c.Score.V > 1 || c.Score.OK && l.beyond[name[strings.LastIndexByte(name, '.')+1:]]:
		c.Status = ""
	case c.Score.V == 1:
		c.Status = envelope.Pass
	case c.Score.OK:
		c.Status = envelope.Fail
	case why == "" && value.Present():
		c.Reason = "scored " + jsonwalk.Short(value.String())
	}
	trialfields.AddCheck(&l.trial, c, "score")
}
