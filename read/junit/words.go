package junit

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
)

// Limits of a message, which is to be read at a glance.
const (
	messageLines = 3
	messageBytes = 1 << 10
)

// noNews reports a message that says no more than that the test failed.
func noNews(message string) bool {
	message = strings.TrimSpace(message)
	return message == "" || slices.ContainsFunc([]string{"failed", "failure", "error", "test failed"}, func(word string) bool {
		return strings.EqualFold(message, word)
	})
}

// saysNothing reports a line that is blank, or one of go test with no more than the
// name of the test.
func saysNothing(line string) bool {
	return strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") || strings.Trim(line, " \t\r\n\f") == ""
}

// summary is the first lines of a message that mean something, or of the body
// when the message means nothing.
func summary(message, body string) string {
	if noNews(message) {
		if first := firstLines(body, 1); first != "" {
			return first
		}
	}
	return firstLines(message, messageLines)
}

func firstLines(s string, most int) string {
	var kept []string
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, "\r\n\t "); saysNothing(line) {
			continue
		}
		if kept = append(kept, line); len(kept) == most {
			break
		}
	}
	return cut(strings.TrimSpace(strings.Join(kept, "\n")))
}

// cut ends a message where it is too long to be read at a glance.
func cut(text string) string {
	if len(text) > messageBytes {
		return words.Head(text, messageBytes)
	}
	return text
}

// together is what several failures of one try say: each message once, and all
// bodies.
func together(fs []fault) (message, text string) {
	var said []string
	var bodies strings.Builder
	seen := map[string]bool{}
	for i := range fs {
		if one := summary(fs[i].message, fs[i].body); one != "" && !seen[one] {
			seen[one] = true
			said = append(said, one)
		}
		if one := failure.Together(fs[i].body, fs[i].out, fs[i].err); one != "" {
			keep(&bodies, []byte(one+"\n\n"))
		}
	}
	return cut(strings.Join(said, "\n")), strings.TrimSpace(bodies.String())
}

var timeoutKind = regex.Of(`(?i)(timeout|TestTimedOutException)$`)

// goTimeout is what go test prints for a test that took too long.
const goTimeout = "panic: test timed out after"

// class is the error class of a try, with the summary of what it says. A test that
// throws is no infrastructure error, however it looks; only runners know, and few
// say.
func class(f *fault, said string) string {
	switch {
	case timedOut(f, said):
		return envelope.ClassTimeout
	case f.isError && strings.HasPrefix(said, "collection failure"):
		return envelope.ClassPreValidation
	}
	return ""
}

// timedOut reports whether the runner says that the test took too long. A
// TimeoutException of Java is the test's own, unless JUnit 5 says what timed out;
// CTest has one word for it.
func timedOut(f *fault, said string) bool {
	switch {
	case timeoutKind().MatchString(f.kind), failure.TimedOut(said), strings.Contains(said, goTimeout), said == "Timeout":
		return true
	case f.kind == "java.util.concurrent.TimeoutException":
		return strings.Contains(said, ") timed out after ")
	}
	return noNews(f.message) && strings.Contains(f.body, goTimeout)
}
