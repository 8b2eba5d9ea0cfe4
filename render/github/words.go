package github

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"tribunal/envelope"
	"tribunal/render/text"
)

// headline is the run in one line, without a word from a test.
func headline(e *envelope.Envelope) string {
	s := &e.Summary
	line := fmt.Sprintf("tribunal: %s: %d passed, %d failed", plural(s.Tests, "test"), s.Pass, s.Fail)
	if s.Error > 0 {
		line += ", " + plural(s.Error, "error")
	}
	if s.Skip > 0 {
		line += fmt.Sprintf(", %d skipped", s.Skip)
	}
	if s.Inconclusive > 0 {
		line += fmt.Sprintf(", %d inconclusive", s.Inconclusive)
	}
	if s.Flaky > 0 {
		line += fmt.Sprintf("; %d flaky", s.Flaky)
	}
	if words := s.QuarantineWords(); words != "" {
		line += "; " + words
	}
	return line + fmt.Sprintf("; exit %d", e.Gate.ExitCode)
}

// more is the line on what is left out; empty when nothing is.
func more(left [kinds]int) string {
	var words []string
	for kind, n := range left {
		if n > 0 {
			words = append(words, plural(n, "more "+commands[kind]))
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "tribunal: and " + strings.Join(words, ", ") + ", not annotated: see the step summary\n"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// told is why the test has its verdict, and what its first trial with something
// to say said.
func told(t *envelope.Test) string {
	s := fmt.Sprintf("%d of %s passed", t.Trials.Passed, plural(t.Trials.Counted, "counted trial"))
	if reason := text.Line(t.Verdict.Reason); reason != "" {
		s += "\n" + reason
	}
	for i := range t.Details {
		d := &t.Details[i]
		if said := text.Block(d.Message); strings.TrimSpace(said) != "" {
			return s + fmt.Sprintf("\ntrial %d: %s", d.Trial+1, said)
		}
	}
	return s
}

var drive = regexp.MustCompile(`^[A-Za-z]:`)

const pathLimit = 1000 // bytes

// relative is the file below the workspace, with forward slashes, without "."
// and ".."; "" when nothing of it is left, or too much.
func relative(file string) string {
	if len(file) > pathLimit {
		return ""
	}
	file = strings.ReplaceAll(text.Line(file), `\`, "/")
	file = path.Clean("/" + drive.ReplaceAllString(file, "")) // as the root, .. goes nowhere
	return strings.TrimPrefix(file, "/")
}
