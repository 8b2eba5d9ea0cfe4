package jmeter

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

// sample is a row of CSV or an element of XML.
type sample struct {
	line, column                      int
	label, code, message, thread      string
	stamp, elapsed, success, failures string // failures is what the first assertion that failed says
	checks                            envelope.Trial
}

// inThread is the end of the name of a thread: the number of its group and its own.
var inThread = regex.Of(` \d+-\d+$`)

func (s *sample) passed() bool { return strings.EqualFold(s.success, "true") }

// wrong is what keeps a sample from being counted, "" where nothing does.
func (s *sample) wrong() string {
	switch {
	case s.label == "":
		return "a sample without a label is not counted"
	case !s.passed() && !strings.EqualFold(s.success, "false"):
		return "a sample is not counted: " + strconv.Quote(failure.Reason(s.success, 1)) + " does not say whether it succeeded"
	}
	return ""
}

func (s *sample) trial() envelope.Trial {
	t := s.checks
	t.Key = envelope.Key{Suite: inThread().ReplaceAllString(s.thread, ""), Test: s.label}
	t.Status, t.RawStatus = envelope.Pass, s.code
	t.StartedAt = s.began()
	if ms, err := strconv.ParseFloat(s.elapsed, 64); err == nil {
		t.DurationMS = trialfields.Milliseconds(ms, 1)
	}
	if !s.passed() {
		s.explain(&t)
	}
	return t
}

// began is when it did, as milliseconds since 1970: other formats of a time have no zone.
func (s *sample) began() time.Time {
	const seventies = 1e11 // a number of seconds, or none
	if ms, err := strconv.ParseInt(s.stamp, 10, 64); err == nil && ms > seventies {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// unanswered is how the code begins of a request that got no answer; an exception ends it.
const unanswered = "Non HTTP response code"

// explain says why a sample failed. One that was not answered is an error.
func (s *sample) explain(t *envelope.Trial) {
	t.Status = envelope.Fail
	if exception, is := strings.CutPrefix(s.code, unanswered); is {
		if t.Status = envelope.Error; strings.HasSuffix(exception, "TimeoutException") {
			t.ErrorClass = envelope.ClassTimeout
		}
	}
	answer := strings.TrimSpace(s.code + " " + s.message)
	t.Message = cmp.Or(failure.Reason(s.failures, 3), failure.Reason(answer, 3), "failed without a message")
	t.Output = failure.Ends(failure.Together(s.failures, answer))
	if s.thread != "" {
		trialfields.AddLabel(t, "thread", s.thread)
	}
}
