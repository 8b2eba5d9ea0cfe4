package pretty

import (
	"slices"
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
			{Name: "cases/a name that is longer than anybody wants to read", Strip: slices.Repeat([]envelope.Outcome{p}, 30), Passed: 30, Counted: 30, Passes: 1},
			{Name: "last", InFlight: 1},
		},
		Decided: 31, All: 50, Trials: 412, Running: 8, SpentUSD: envelope.Some(20.6), LimitUSD: envelope.Some(25.0),
		Elapsed: 95 * time.Second, Slowest: "agent/refund", SlowestRuns: 252 * time.Second, Width: width, Height: height, ASCII: true,
	}
}

// TestLiveOfCertainVerdicts: under rule all, a test that failed once has failed.
func TestLiveOfCertainVerdicts(t *testing.T) {
	l := Live{Width: 100, Height: 24, Trials: 10, Left: 20, Elapsed: 5 * time.Second, Tests: []LiveTest{
		{Counted: 3, Failures: 1, Certain: true, Left: 7}, {Passes: 1, Certain: true, Left: 7}, {Certain: true, Left: 6}}}
	got := strings.Join(l.Lines(), "\n")
	for _, want := range []string{"0/3  failed, 7 left", "0/0  passed, 7 left", "0/0  undecided, 6 left", "10 trials · at most 20 more in 10.0 s"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
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

// TestLiveWidths: what a test still needs comes before its strip and most of a long
// name, the cost goes last; a slow trial is named before what runs is counted. Wide
// characters take two columns.
func TestLiveWidths(t *testing.T) {
	p := envelope.Passed
	l := lively(0, 24)
	l.Tests = []LiveTest{
		{Name: "agent/the customer asks for a refund", Strip: slices.Repeat([]envelope.Outcome{p}, 30), Passed: 30, Counted: 30, InFlight: 1, Passes: 12, Failures: 5, SpentUSD: 1.5},
		{Name: "agent/返金を求めるお客様", Strip: slices.Repeat([]envelope.Outcome{p}, 3), Passed: 3, Counted: 3, Passes: 9, Failures: 2, SpentUSD: 0.25},
	}
	for columns, want := range map[int]string{
		140: `
  agent/the customer asks for a refund  PPPPPPPPPPPPPPPPPPP_  30/30  12 more passes or 5 failures  $1.50
  agent/返金を求めるお客様              PPP                     3/3  9 more passes or 2 failures   $0.25
31/50 decided | 412 trials | $20.60 of $25.00 | 8 running | 1m35s | SLOW 4m12s agent/refund`,
		80: `
  agent/the c...r a refund  PPPPPP_  30/30  12 more passes or 5 failures  $1.50
  agent/返金を求めるお客様  PPP        3/3  9 more passes or 2 failures   $0.25
31/50 decided | 412 trials | $20.60 of $25.00 | SLOW 4m12s agent/refund`,
		60: `
  agent...efund  30/30  12 more passes or 5 failures  $1.50
  agent...客様     3/3  9 more passes or 2 failures   $0.25
31/50 decided | 412 trials | SLOW 4m12s agent/refund`,
		40: `
  agent/...efund  30/30  12 pass/5 fail
  agent/...客様     3/3  9 pass/2 fail
31/50 decided | SLOW 4m12s agent/refund`,
		39: `
31/50 decided | SLOW 4m12s agent/re...`,
		20: `
31/50 decided`,
	} {
		l.Width = columns
		if got := "\n" + strings.Join(l.Lines(), "\n"); got != want {
			t.Errorf("%d columns:%s\nwant%s", columns, got, want)
		}
	}
}

// TestLiveNames: names that would be the same when they are cut are told apart.
func TestLiveNames(t *testing.T) {
	for _, c := range []struct {
		names, want []string
		columns     int
	}{
		{[]string{"agent/case number 1 of the refunds", "agent/case number 2 of the refunds"}, []string{"...1 o...nds", "...2 o...nds"}, 12},
		{[]string{"agent/case number 1 of the refunds", "agent/case number 2"}, []string{"agent...unds", "agent...er 2"}, 12},
		{[]string{"a long name that is here twice", "a long name that is here twice"}, []string{"a lon...wice", "a lon...wice"}, 12},
		{[]string{"ábcdefghijklmnopqrstu", "abcdefghijklmnopqrstu"}, []string{"ábc...tu", "abc...tu"}, 8},
		{[]string{"prefix/日本語のテスト一番長い名前です", "prefix/日本語のテスト二番長い名前です"}, []string{"...一番...です", "...二番...です"}, 15},
		{[]string{"x", "agent/case number 1 of the refunds", "agent/case number 2 of the refunds"}, []string{"x", "agent...unds", "agent...unds"}, 12},
	} {
		var tests []LiveTest
		for _, name := range c.names {
			tests = append(tests, LiveTest{Name: name})
		}
		if got := liveNames(tests, c.columns, "..."); !slices.Equal(got, c.want) {
			t.Errorf("%d columns of %q: %q, want %q", c.columns, c.names, got, c.want)
		}
	}
}

// TestRows: a terminal breaks a line before the character that has no room left, so that
// a wide one may leave a column empty. Styles take none.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    int
	}{
		{"", 10, 1}, {"abc", 3, 1}, {"abcd", 3, 2}, {"abcdefg", 3, 3},
		{"金金", 4, 1}, {"金金", 3, 2}, {"a金金", 3, 2}, {"金金金金", 5, 2}, {"金", 1, 1},
		{"\x1b[31mabc\x1b[0m", 3, 1},
	} {
		if got := Rows(c.line, c.columns); got != c.want {
			t.Errorf("%q in %d columns takes %d rows, want %d", c.line, c.columns, got, c.want)
		}
	}
}
