package cucumberjson

import (
	"cmp"

	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/gherkin"
	"tribunal/read/internal/jsonwalk"
)

// This file reads what behave (behave/formatter/json.py) has of its own in the
// same format. It is told by the location of a scenario, one text with file and
// line, where Cucumber has a line alone. A scenario has a status, durations are
// seconds, and one that is retried (behave.contrib.scenario_autoretry) is written
// down again.

// words are behave's words for how a step or a scenario ended (Status in
// behave/model_type.py) in those of package gherkin.
var words = map[string]string{
	"xfailed": "passed", "xpassed": "passed", "pending_warn": "passed",
	"untested": "skipped", "untested_pending": "skipped", "untested_undefined": "skipped",
	"hook_error": "error", "cleanup_error": "error",
}

func word(status string) string { return cmp.Or(words[status], status) }

// isBehave reports whether behave wrote the scenario.
func (e *element) isBehave() bool { return e.Location != "" }

// place is the file and the line of a scenario of behave.
func (e *element) place() (file string, line int) {
	at := strings.LastIndexByte(e.Location, ':')
	if at < 0 {
		return e.Location, 0
	}
	line, _ = strconv.Atoi(e.Location[at+1:])
	return e.Location[:at], max(line, 0)
}

// judge sets the outcome of a scenario of behave. A step that went wrong says it
// best; of a hook that did, and of a scenario that never ran, only the status of
// the scenario tells.
func (e *element) judge(t *envelope.Trial, steps gherkin.Steps) {
	steps.Fill(t)
	decided := t.Status == envelope.Fail || t.Status == envelope.Error
	if own := word(e.Status); !decided && own != "" && own != "passed" {
		why, scenario := t.Message, gherkin.Steps{}
		scenario.Add(own, "", "")
		scenario.Fill(t)
		steps.Inside(t)
		t.RawStatus, t.Message = e.Status, cmp.Or(why, t.Message)
	}
	t.Message = raised(t.Message, t.Output)
}

// ended takes how a feature of behave ended, which a hook around its scenarios, or a
// cleanup behind them, can fail.
func (rd *reader) ended(place, status string) {
	switch word(status) {
	case "failed", "error":
		rd.broken = place
	}
}

// explain delivers an error of the run where a feature failed and none of the scenarios did.
func (rd *reader) explain() {
	if rd.broken != "" {
		rd.to.Explain("behave says that the feature " + rd.broken + " failed, and none of the scenarios did: a hook or a cleanup around them")
	}
}

// raised is the exception of a message that begins with a traceback of Python:
// the first line behind its head that is not indented.
func raised(message, text string) string {
	const head = "Traceback (most recent call last):"
	_, frames, isTraceback := strings.Cut(text, head+"\n")
	if !isTraceback || !strings.HasPrefix(message, head) {
		return message
	}
	for line := range strings.Lines(frames) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != ' ' {
			return line
		}
	}
	return message
}

// tag is a text in behave and an object with a name in Cucumber. What is neither
// is no tag.
type tag string

// Take implements jsonwalk.Loose.
func (t *tag) Take(v jsonwalk.Value) {
	if v.IsObject() {
		v = v.Get("name")
	}
	*t = ""
	if v.IsText() {
		*t = tag(v.Text())
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *tag) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, t) }

// lines are a text, or its lines as behave writes a longer one. What is neither
// says nothing.
type lines string

// Take implements jsonwalk.Loose.
func (l *lines) Take(v jsonwalk.Value) {
	*l = ""
	if v.IsText() {
		*l = lines(v.Text())
		return
	}
	var each []string
	for line := range v.Items() {
		if line.Present() && !line.IsText() {
			return
		}
		each = append(each, line.Text()) // "" of null
	}
	*l = lines(strings.Join(each, "\n"))
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *lines) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, l) }
