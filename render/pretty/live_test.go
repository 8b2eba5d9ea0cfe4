package pretty

import (
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
)

func lively(width, height int) Live {
	p, f := envelope.Passed, envelope.Failed
	return Live{
		Tests: []LiveTest{
			{Name: "refund", Strip: []envelope.Outcome{p, p, f, p}, Passed: 3, Counted: 4, InFlight: 2, Passes: 9, Failures: 1, SpentUSD: 1.5},
			{Name: "cases/a name that is longer than anybody wants to read", Strip: slicesOf(p, 30), Passed: 30, Counted: 30, Passes: 1},
			{Name: "last", InFlight: 1},
		},
		Decided: 31, All: 50, Trials: 412, Running: 8, SpentUSD: envelope.Some(20.6), LimitUSD: envelope.Some(25.0),
		Elapsed: 95 * time.Second, Slowest: "agent/refund", SlowestRuns: 252 * time.Second, Width: width, Height: height, ASCII: true,
	}
}

func slicesOf(o envelope.Outcome, n int) []envelope.Outcome {
	all := make([]envelope.Outcome, n)
	for i := range all {
		all[i] = o
	}
	return all
}

// TestLive: what stands in the lines, and that none is wider than the terminal or
// more than it is high.
func TestLive(t *testing.T) {
	wide := lively(120, 24).Lines()
	for i, want := range []string{
		"refund", "PPFP__", "3/4", "9 more passes or 1 failure", "$1.50",
	} {
		if !strings.Contains(wide[0], want) {
			t.Errorf("%d: %q lacks %q", i, wide[0], want)
		}
	}
	if !strings.Contains(wide[1], strings.Repeat("P", 20)+" ") || strings.Contains(wide[1], strings.Repeat("P", 21)) || !strings.HasSuffix(wide[1], "1 more pass") {
		t.Errorf("the last 20 of 30 outcomes, and what is needed: %q", wide[1])
	}
	if got, want := wide[3], "31/50 decided | 412 trials | $20.60 of $25.00 | 8 running | 1m35s | SLOW 4m12s agent/refund"; got != want {
		t.Errorf("totals: %q, want %q", got, want)
	}
	for _, columns := range []int{1, 10, 40, 48, 60, 84, 100, 140} {
		for _, rows := range []int{1, 2, 3, 4, 24} {
			lines := lively(columns, rows).Lines()
			if len(lines) > max(1, rows-1) {
				t.Errorf("%d lines on a terminal of %d", len(lines), rows)
			}
			for _, line := range lines {
				if width(line) >= max(2, columns) {
					t.Errorf("%d columns: %q takes %d", columns, line, width(line))
				}
			}
		}
	}
	if got := lively(100, 4).Lines(); len(got) != 3 || !strings.Contains(got[1], "and 2 more open") {
		t.Errorf("of three tests there is room for one: %q", got)
	}
}
