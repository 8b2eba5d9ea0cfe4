// Package jmeter reads the results of Apache JMeter, .jtl files in CSV or XML, as Taurus
// writes them too.
//
// It exists because a load test is trials by the thousand that only averages are made of. The
// test is the label of a sampler, the suite its thread group, a sample a trial. A transaction is a
// row that sums others up: it is passed over where they are there, and a trial where they are not.
// What a sampler fetched besides, as pictures of a page, are checks of its sample, and so are
// assertions in XML. The package leaves out sizes, latencies and what was sent and answered. CSV
// without a header is not told from other tables.
package jmeter

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlwalk"
)

const root = "testResults"

// Sniff reports whether head starts results in either form.
func Sniff(head []byte) bool {
	if name, _ := xmlwalk.Root(head); name != "" {
		return name == root
	}
	line, ended := firstLine(head)
	_, is := headerOf(line)
	return ended && is
}

// firstLine is the first line that is not blank, and whether its end is there.
func firstLine(head []byte) (line string, ended bool) {
	first, _, ended := bytes.Cut(bytes.TrimLeft(head, "\uFEFF \r\n"), []byte("\n"))
	return strings.TrimSuffix(string(first), "\r"), ended
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	in := bufio.NewReader(r)
	head, _ := in.Peek(in.Size()) // an error comes again on reading
	first, _ := firstLine(head)
	rd := &reader{to: to, sums: sums{threads: map[string][]done{}}}
	var err error
	if strings.HasPrefix(first, "<") {
		err = rd.xml(in)
	} else {
		err = rd.csv(in, first)
	}
	rd.sums.tell(to)
	return err
}

// The writers of a run of Taurus: it keeps all samples in one file and those that failed,
// with what was answered, in another beside it.
const (
	taurus       = "samples of Taurus"
	taurusErrors = "errors of Taurus"
)

// Writer is one of these, or "".
func Writer(name string, _ []byte) string {
	switch base := filepath.Base(name); {
	case strings.HasPrefix(base, "kpi") && strings.HasSuffix(base, ".jtl"):
		return taurus
	case strings.HasPrefix(base, "error") && strings.HasSuffix(base, ".jtl"):
		return taurusErrors
	}
	return ""
}

// Again is the writer whose files have the trials of this one's as well.
func Again(writer string) (by, folder string) {
	if writer == taurusErrors {
		return taurus, "."
	}
	return "", ""
}

type reader struct {
	to       envelope.Sink
	attempts trialfields.Attempts
	sums     sums
}

func (rd *reader) problem(line, column int, message string) {
	rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: max(line, 1), Column: max(column, 1),
		Message: message})
}

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
	const seventies = 1e11 // a number of seconds, or none; other formats of a time have no zone
	if ms, err := strconv.ParseInt(s.stamp, 10, 64); err == nil && ms > seventies {
		t.StartedAt = time.UnixMilli(ms).UTC()
	}
	t.DurationMS = trialfields.Lasted(s.elapsed, 1)
	if !s.passed() {
		s.explain(&t)
	}
	return t
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
	trialfields.Label(t, "thread", s.thread)
}
