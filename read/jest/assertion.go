package jest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unsafe"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

// maxTries bounds how many tries are believed that give no reason.
const maxTries = 1000

// assertion is the result of one test.
type assertion struct {
	AncestorTitles          []string
	FullName, Title, Status string
	Duration                *float64 // milliseconds
	FailureMessages         []string
	Location                *struct{ Line int }
	StartAt                 float64        // milliseconds since 1970; Jest 30
	Invocations             int            // Jest: tries, the last included
	RetryReasons            []string       // Jest: why each try before the last failed
	Meta                    map[string]any // Vitest: what the test says of itself
}

// name is the path of titles, as the runner prints it: a test of Vitest has the
// same name in its JUnit report. It lies in memory that the next one uses again.
func (rd *reader) name(a *assertion) string {
	if a.Title == "" {
		return a.FullName
	}
	arrow := " › "
	if a.Meta != nil { // of Vitest
		arrow = " > "
	}
	rd.named = rd.named[:0]
	for _, title := range a.AncestorTitles {
		rd.named = append(append(rd.named, title...), arrow...)
	}
	rd.named = append(rd.named, a.Title...)
	return unsafe.String(unsafe.SliceData(rd.named), len(rd.named))
}

// test delivers the tries of a test: those that failed, then the last.
func (rd *reader) test(f *file, a *assertion) {
	proto := envelope.Trial{Key: envelope.Key{Suite: f.Name, Test: rd.name(a)}, File: f.Name}
	status, known := envelope.ParseStatus(a.Status)
	if proto.Test == "" || !known {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, fmt.Sprintf("a test of this file is not counted: it has no name, or a status (%s) that neither runner has", words.Quote(a.Status, 60)))
		return
	}
	if a.Location != nil {
		proto.Line = max(a.Location.Line, 0)
	}
	a.label(&proto)
	tries := a.tries(status)
	for i, why := range tries {
		rd.earlier(proto, i, why)
	}
	rd.last(proto, a, status, len(tries))
}

// label gives a trial what a test of Vitest says of itself.
func (a *assertion) label(t *envelope.Trial) {
	if a.Meta == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(a.Meta)) {
		switch value := a.Meta[name].(type) {
		case string, float64, bool:
			trialfields.Set(t, name, fmt.Sprint(value))
		}
	}
}

// tries is why each try before the last failed.
func (a *assertion) tries(status envelope.Status) []string {
	tries := a.RetryReasons
	if len(tries) == 0 && status == envelope.Pass {
		tries = a.FailureMessages
	}
	tries = slices.Clip(tries)
	for len(tries) < min(a.Invocations-1, maxTries) {
		tries = append(tries, "")
	}
	return tries
}

func (rd *reader) earlier(t envelope.Trial, i int, why string) {
	t.Labels = slices.Clone(t.Labels)
	t.Status, t.RawStatus, t.Retry = envelope.Fail, "failed", i > 0
	rd.explain(&t, why)
	rd.deliver(t)
}

func (rd *reader) last(t envelope.Trial, a *assertion, status envelope.Status, before int) {
	t.Status, t.Retry, t.StartedAt = status, before > 0, instant(a.StartAt)
	if a.Status != string(status) {
		t.RawStatus = a.Status
	}
	rd.unended = rd.unended || a.Meta != nil && a.Status == "pending" // Vitest calls what it leaves out skipped
	if a.Duration != nil {
		t.DurationMS = trialfields.Milliseconds(*a.Duration, 1)
	}
	if status == envelope.Fail || status == envelope.Error {
		if n := len(a.FailureMessages); n > 1 && a.Invocations == 0 {
			rd.unclear()
		}
		rd.explain(&t, strings.Join(a.FailureMessages, "\n\n"))
	}
	rd.deliver(t)
}

// unclear says once that some failed tests may have been tried more often.
func (rd *reader) unclear() {
	if rd.warned {
		return
	}
	rd.warned = true
	rd.Problem(envelope.SeverityWarning, envelope.CodeRetriesLost,
		"failed tests have several messages: whether they were tried several times is not in this report; each counts as one trial")
}

func (rd *reader) explain(t *envelope.Trial, why string) {
	t.Message, t.Output = rd.reasons.Reason(why, 3), failure.Ends(why)
	if t.Message == "" {
		t.Message = "failed without a message"
	}
	if failure.TimedOut(t.Message) {
		t.ErrorClass = envelope.ClassTimeout
	}
}
