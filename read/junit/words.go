package junit

import (
	"regexp"
	"strings"

	"tribunal/envelope"
)

// Limits of a message, which is to be read at a glance.
const (
	messageLines = 3
	messageBytes = 1 << 10
)

// noNews are messages that say no more than that the test failed, and lines of
// go test that say no more than its name.
var (
	noNews  = regexp.MustCompile(`(?i)^(failed|failure|error|test failed)?$`)
	goLines = regexp.MustCompile(`^(=== |--- |\s*$)`)
)

// summary is the first lines of a message that mean something, or of the body
// when the message means nothing.
func summary(message, body string) string {
	if noNews.MatchString(strings.TrimSpace(message)) {
		if first := firstLines(body, 1); first != "" {
			return first
		}
	}
	return firstLines(message, messageLines)
}

func firstLines(s string, most int) string {
	var kept []string
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, "\r\n\t "); goLines.MatchString(line) {
			continue
		}
		if kept = append(kept, line); len(kept) == most {
			break
		}
	}
	text := strings.TrimSpace(strings.Join(kept, "\n"))
	if len(text) > messageBytes {
		text = strings.ToValidUTF8(text[:messageBytes], "") + "…"
	}
	return text
}

// output puts what there is to read of a try together.
func output(body, out, err string) string {
	var parts []string
	for _, part := range []string{body, out, err} {
		if part = strings.Trim(part, "\r\n"); strings.TrimSpace(part) != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n")
}

var (
	timeoutKind    = regexp.MustCompile(`(?i)(timeout|TestTimedOutException)$`)
	timeoutMessage = regexp.MustCompile(`^(Test timeout of |Test timed out in |test timed out after |Failed: Timeout [>(])|panic: test timed out after`)
	setupMessage   = regexp.MustCompile(`^(failed on setup with|collection failure)`)
)

// class is the error class of a try. A test that throws is no infrastructure
// error, however it looks; only runners know, and few say.
func class(f *fault) string {
	text := strings.TrimSpace(f.message)
	switch {
	case timeoutKind.MatchString(f.kind), timeoutMessage.MatchString(text), text == "Failed" && timeoutMessage.MatchString(f.body):
		return envelope.ClassTimeout
	case f.isError && setupMessage.MatchString(text):
		return envelope.ClassPreValidation
	}
	return ""
}
