package trialfields

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
)

// checkName is how many bytes the name of a check may have about: it heads a
// column, and criteria are whole paragraphs.
const checkName = 160

// How much is taken of what is inside a trial, more than reports show: a stream may
// go on with one trial forever.
const (
	maxChecks      = 1000
	maxAttachments = 100
)

// AddCheck gives the trial a check. One that says neither how it ended nor a score
// is none; one without a name is called by what its format calls such things.
func AddCheck(t *envelope.Trial, c envelope.Check, unnamed string) {
	if c.Status == "" && !c.Score.OK || len(t.Checks) == maxChecks {
		return
	}
	if c.Name = CheckName(c.Name); c.Name == "" {
		c.Name = unnamed
	}
	c.Reason = failure.Ends(strings.TrimSpace(c.Reason))
	t.Checks = append(t.Checks, c)
}

// Attach gives the trial an attachment, unless it says nothing.
func Attach(t *envelope.Trial, a envelope.Attachment) {
	if len(t.Attachments) < maxAttachments && a != (envelope.Attachment{}) {
		t.Attachments = append(t.Attachments, a)
	}
}

// CheckName is the name of a check that is called by a text, such as a criterion
// or a path of steps.
func CheckName(text string) string {
	return words.Head(failure.FirstLine(text), checkName)
}

// PassFail is the status of a truth, "" where nobody said it.
func PassFail(passed envelope.Opt[bool]) envelope.Status {
	switch {
	case !passed.OK:
		return ""
	case passed.V:
		return envelope.Pass
	}
	return envelope.Fail
}

// Spread reports whether trial i of n is one of those that passed, where only their number is
// known: they are spread evenly, and the last is a pass where there is one.
func Spread(i, passed, n int64) bool { return (i+1)*passed/n > i*passed/n }
