package junit

import (
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
)

// Limits of a message, which is to be read at a glance.
const (
	messageLines = 3
	messageBytes = 1 << 10
)

// noNews are messages that say no more than that the test failed, and lines of
// go test that say no more than its name.
var (
	noNews  = regex.Of(`(?i)^(failed|failure|error|test failed)?$`)
	goLines = regex.Of(`^(=== |--- |\s*$)`)
)

// summary is the first lines of a message that mean something, or of the body
// when the message means nothing.
func summary(message, body string) string {
	if noNews().MatchString(strings.TrimSpace(message)) {
		if first := firstLines(body, 1); first != "" {
			return first
		}
	}
	return firstLines(message, messageLines)
}

func firstLines(s string, most int) string {
	var kept []string
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, "\r\n\t "); goLines().MatchString(line) {
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
		text = strings.ToValidUTF8(text[:messageBytes], "") + "…"
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

var (
	timeoutKind  = regex.Of(`(?i)(timeout|TestTimedOutException)$`)
	goTimeout    = regex.Of(`panic: test timed out after`)
	setupMessage = regex.Of(`^(failed on setup with|collection failure)`)
)

// class is the error class of a try, with the summary of what it says. A test that
// throws is no infrastructure error, however it looks; only runners know, and few
// say.
func class(f *fault, said string) string {
	switch {
	case timedOut(f, said):
		return envelope.ClassTimeout
	case f.isError && setupMessage().MatchString(said):
		return envelope.ClassPreValidation
	}
	return ""
}

// timedOut reports whether the runner says that the test took too long. A
// TimeoutException of Java is the test's own, unless JUnit 5 says what timed out;
// CTest has one word for it.
func timedOut(f *fault, said string) bool {
	switch {
	case timeoutKind().MatchString(f.kind), failure.TimedOut(said), goTimeout().MatchString(said), said == "Timeout":
		return true
	case f.kind == "java.util.concurrent.TimeoutException":
		return strings.Contains(said, ") timed out after ")
	}
	return noNews().MatchString(strings.TrimSpace(f.message)) && goTimeout().MatchString(f.body)
}
