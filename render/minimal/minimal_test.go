package minimal_test

import (
	"regexp"
	"strconv"
	"testing"

	"tribunal/envelope"
	"tribunal/render/internal/rendertest"
	"tribunal/render/minimal"
)

func write(t *testing.T, e *envelope.Envelope) string {
	t.Helper()
	return string(rendertest.Document(t, e, minimal.Write))
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		got := write(t, rendertest.Envelopes()[name])
		rendertest.Golden(t, name+".txt", got)
	}
}

func TestLine(t *testing.T) {
	counts := func(tests, pass, fail, inconclusive, errored, skip int) envelope.Counts {
		return envelope.Counts{Tests: tests, Pass: pass, Fail: fail, Inconclusive: inconclusive, Error: errored, Skip: skip}
	}
	for _, c := range []struct {
		reason  string
		summary envelope.Summary
		gate    envelope.Gate
		want    string
	}{
		{"one of everything", envelope.Summary{Counts: counts(12, 6, 2, 2, 1, 1), Flaky: 3, Trials: envelope.TrialCounts{Counted: 38, Passed: 27}},
			envelope.Gate{Status: envelope.Fail, ExitCode: 1},
			"12 tests: 6 passed, 2 failed, 1 error, 1 skipped, 2 inconclusive; 3 flaky; 27 of 38 trials passed; FAIL, exit 1\n"},
		{"nothing but passes", envelope.Summary{Counts: counts(1, 1, 0, 0, 0, 0), Trials: envelope.TrialCounts{Counted: 1, Passed: 1}},
			envelope.Gate{Status: envelope.Pass}, "1 test: 1 passed, 0 failed; 1 of 1 trial passed; PASS, exit 0\n"},
		{"inconclusive and nothing else", envelope.Summary{Counts: counts(2, 0, 0, 2, 0, 0), Trials: envelope.TrialCounts{Counted: 4}},
			envelope.Gate{Status: envelope.Inconclusive, ExitCode: 3}, "2 tests: 0 passed, 0 failed, 2 inconclusive; 0 of 4 trials passed; UNDECIDED, exit 3\n"},
		{"a status nobody knows", envelope.Summary{}, envelope.Gate{Status: "\n::error::x", ExitCode: 2}, "0 tests: 0 passed, 0 failed; ERROR, exit 2\n"},
	} {
		if got := write(t, &envelope.Envelope{Summary: c.summary, Gate: c.gate}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

var shape = regexp.MustCompile(`^(\d+) tests?: (\d+) passed, (\d+) failed(?:, (\d+) errors?)?(?:, (\d+) skipped)?(?:, (\d+) inconclusive)?(?:; \d+ flaky)?(?:; \d+ of \d+ trials? passed)?(?:; \d+ gates? do(?:es)? not hold)?; [A-Z]+, exit \d\n$`)

func TestContract(t *testing.T) {
	for name, e := range rendertest.Envelopes() {
		got := string(rendertest.Written(t, e, minimal.Write))
		m := shape.FindStringSubmatch(got)
		if m == nil {
			t.Fatalf("%s: not the line: %q", name, got)
		}
		sum := 0
		for _, n := range m[2:] {
			v, _ := strconv.Atoi(n)
			sum += v
		}
		if tests, _ := strconv.Atoi(m[1]); tests != len(e.Tests) || sum != tests {
			t.Errorf("%s: the numbers of %q do not add up to %d", name, got, len(e.Tests))
		}
	}
}
