package read

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// ofLines are the formats with a JSON record a line.
var ofLines = []string{"native", "go-test", "promptfoo", "agentv", "cucumber", "pytest-reportlog", "libtest", "lm-eval", "openai-evals", "bfcl", "garak",
	"gaia", "mcptest", "meson", "dart", "bazel-bep", "playwright-blob", "every-eval-ever"}

// TestRecordsBehindOtherBytes: what stands before a record in its line costs no trial.
func TestRecordsBehindOtherBytes(t *testing.T) {
	eachRow(t, func(t *testing.T, f Format, text []byte, trials int) {
		if !slices.Contains(ofLines, f.Name) {
			return
		}
		want := places(readStream(bytes.NewReader(text), f.Name).problems, 0)
		for _, before := range []string{"\x00\x00\x00\x00", "\x1b[0m", "2026-11-28T04:27:55.123Z ", "data: ", `INFO {"retry":{"Action":"x"}} `, "text without an end"} {
			lines := bytes.SplitAfter(text, []byte("\n"))
			for i := 1; i < len(lines); i += 2 {
				if bytes.HasPrefix(lines[i], []byte("{")) {
					lines[i] = append([]byte(before), lines[i]...)
				}
			}
			got := readStream(bytes.NewReader(bytes.Join(lines, nil)), f.Name)
			if got.trials != trials {
				t.Errorf("%d trials behind %q, want %d", got.trials, before, trials)
			}
			if !slices.ContainsFunc(got.problems, isNoise) {
				t.Errorf("%q is not told", before)
			}
			if told := strings.Count(places(got.problems, 0), "\n"); told != strings.Count(want, "\n") {
				t.Errorf("behind %q:\n%s\nwant:\n%s", before, places(got.problems, 0), want)
			}
		}
	})
}

// TestCutRecordsBehindOtherBytes: a trial whose record is cut, too, is an error at its place.
func TestCutRecordsBehindOtherBytes(t *testing.T) {
	const before = "\x00\x00\x00\x00"
	eachRow(t, func(t *testing.T, f Format, text []byte, trials int) {
		if !slices.Contains(ofLines, f.Name) {
			return
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i := 1; i < len(lines); i++ {
			line := lines[i]
			if !bytes.HasPrefix(line, []byte("{")) || i > 30 {
				continue
			}
			lines[i] = slices.Concat([]byte(before), line[:len(line)*2/3], []byte("\n"))
			got := readStream(bytes.NewReader(bytes.Join(lines, nil)), f.Name)
			lines[i] = line
			if got.trials < trials && !slices.ContainsFunc(got.problems, func(p envelope.Problem) bool {
				return p.Severity == envelope.SeverityError && p.Line == i+1 && p.Column > len(before)
			}) {
				t.Errorf("%d trials without line %d, want %d: %s", got.trials, i+1, trials, line)
			}
		}
	})
}
