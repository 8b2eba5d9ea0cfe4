package compare_test

import (
	"slices"
	"strings"
	"testing"

	"tribunal/compare"
	"tribunal/envelope"
)

// acted are numbered trials of one test, a letter each: what it called after its
// first two calls, or H for no conversation; upper case passed. Every trial has the
// check "sums", which passes as the trial does, and "polite", which always passes.
func acted(test, letters string) (trials []envelope.Trial) {
	for i, letter := range letters {
		tr := envelope.Trial{Key: envelope.Key{Test: test}, Status: envelope.Fail, Attempt: envelope.Some(int32(i))}
		if letter < 'a' {
			tr.Status = envelope.Pass
		}
		tr.Checks = []envelope.Check{{Name: "sums", Status: tr.Status}, {Name: "polite", Status: envelope.Pass}}
		name := strings.ToLower(string(letter))
		if name != "h" {
			calls := []envelope.ToolCall{{Name: "look", Arguments: `{"at":1}`}, {Name: "think", Arguments: `{}`}, {Name: "look", Arguments: `{"at":2}`}, {Name: "pay", Arguments: `{"to":"` + name + `"}`}}
			if name == "t" {
				calls[3].Name = "transfer"
			}
			tr.Transcript = []envelope.Turn{{Role: envelope.RoleAssistant, ToolCalls: calls}}
		}
		trials = append(trials, tr)
	}
	return trials
}

func judgedActs(t *testing.T, ignore []string, of ...[]envelope.Trial) *envelope.Envelope {
	t.Helper()
	return sealed(t, envelope.Policy{IgnoreSteps: ignore}, slices.Concat(of...)...)
}

func partOf(t *testing.T, all []compare.Part, name string) compare.Part {
	t.Helper()
	for _, p := range all {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no %s among %+v", name, all)
	return compare.Part{}
}

// TestChecksAndTools: of ten pairs nine lose the check and one gains it, so McNemar's
// p is 2 (1 + 10) / 2^10; nine no longer pay and none begins to, 2 / 2^9, which is
// doubled for two tools that could show something. What every trial does, and a check
// that all pass, is in no family.
func TestChecksAndTools(t *testing.T) {
	base := judgedActs(t, []string{"think"}, acted("refund", "AAAAAAAAAb"))
	now := judgedActs(t, []string{"think"}, acted("refund", "tttttttttA"))
	x := compared(t, base, now, compare.Defaults()).Contrasts[0]
	sums, polite := partOf(t, x.Checks, "sums"), partOf(t, x.Checks, "polite")
	near(t, "p of sums", sums.PValue.V, 22./1024)
	near(t, "adjusted p of sums", sums.PAdjusted.V, 22./1024)
	if sums.State != compare.Regressed || sums.Base != (compare.Share{Did: 9, N: 10}) || sums.Candidate != (compare.Share{Did: 1, N: 10}) || sums.Informative != 1 || sums.Informing[0].Test != "refund" {
		t.Errorf("sums: %+v", sums)
	}
	if polite.State != compare.Unresolved || polite.PAdjusted.OK || polite.Informative != 0 {
		t.Errorf("polite: %+v", polite)
	}
	pay, transfer, look := partOf(t, x.Tools, "pay"), partOf(t, x.Tools, "transfer"), partOf(t, x.Tools, "look")
	near(t, "p of pay", pay.PValue.V, 2./512)
	near(t, "adjusted p of pay", pay.PAdjusted.V, 4./512)
	if pay.State != compare.Fewer || transfer.State != compare.More || look.PAdjusted.OK || len(x.Tools) != 3 {
		t.Errorf("tools: %+v", x.Tools)
	}
	if c := x.Tests[0].Checks; len(c) != 2 || c[0].Name != "sums" || c[0].PAdjusted.V != sums.PValue.V {
		t.Errorf("checks of the test: %+v", c)
	}
}

// TestChecksOverTests: two tests that move apart make no change of the run, though
// each is sure; both are named.
func TestChecksOverTests(t *testing.T) {
	base := judgedActs(t, nil, acted("a", strings.Repeat("A", 12)), acted("b", strings.Repeat("b", 7)))
	now := judgedActs(t, nil, acted("a", strings.Repeat("b", 12)), acted("b", strings.Repeat("A", 7)))
	x := compared(t, base, now, compare.Defaults()).Contrasts[0]
	if sums := partOf(t, x.Checks, "sums"); sums.State != compare.Unresolved || sums.Tests != 2 || sums.Informative != 2 || len(sums.Informing) != 2 {
		t.Errorf("%+v", sums)
	}
	for _, test := range x.Tests {
		if len(test.Checks) == 0 || !test.Checks[0].PAdjusted.OK {
			t.Errorf("%s: %+v", test.Test, test.Checks)
		}
	}
}

// TestChecksWhereRunsVary: how checks vary between runs is not known, so none of them
// is called changed, and the words say so.
func TestChecksWhereRunsVary(t *testing.T) {
	base, now := judgedActs(t, nil, acted("a", strings.Repeat("A", 20))), judgedActs(t, nil, acted("a", strings.Repeat("t", 20)))
	two := func(e *envelope.Envelope) []compare.Counts {
		return []compare.Counts{compare.CountsOf(e), compare.CountsOf(e)}
	}
	c, err := compare.Runs("", compare.Input{Name: "base", Envelope: base, Runs: two(base)}, []compare.Input{{Name: "now", Envelope: now, Runs: two(now)}}, nil, compare.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	x := c.Contrasts[0]
	if sums := partOf(t, x.Checks, "sums"); sums.PValue.OK || sums.Difference != nil || sums.State != compare.Unresolved || sums.Base.Did != 20 {
		t.Errorf("%+v", sums)
	}
	if words := strings.Join(x.InsideWords(), "\n"); !strings.Contains(words, "2 checks: their variation is unknown") || !strings.Contains(words, "tools: their variation is unknown") {
		t.Error(words)
	}
}

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct {
		reason, base, now string
		ignore            []string
		want              *compare.FirstDifference
		words             string
	}{
		{"another tool after three equal calls", "AAAAAAAAAb", "tttttttttA", nil,
			&compare.FirstDifference{Shared: 3, Base: compare.Way{Name: "pay", Reached: 10, Took: 9}, Candidate: compare.Way{Name: "transfer", Reached: 10, Took: 9}},
			"trials 1 before and 1 now diverge after 3 equal calls: pay before, transfer now; only an example: of the trials that got there, 9 of 10 did this before, and 9 of 10 now"},
		{"calls to ignore are no calls", "AAAAAAAAAb", "tttttttttA", []string{"think"},
			&compare.FirstDifference{Shared: 2, Base: compare.Way{Name: "pay", Reached: 10, Took: 9}, Candidate: compare.Way{Name: "transfer", Reached: 10, Took: 9}}, "after 2 equal calls"},
		{"other arguments of one tool, beside the first of those that passed and are equally near", "CAAAAAAAAA", "bbbbbbbbbb", nil,
			&compare.FirstDifference{Shared: 3, Base: compare.Way{Name: "pay", Arguments: "c", Reached: 10, Took: 1}, Candidate: compare.Way{Name: "pay", Arguments: "b", Reached: 10, Took: 10}}, "pay(c) before, pay(b) now"},
		{"an improvement is told from its failing trial before", "tttttttttt", "HHAAAAAAAA", nil,
			&compare.FirstDifference{Shared: 3, Base: compare.Way{Name: "transfer", Reached: 10, Took: 10}, Candidate: compare.Way{Trial: 2, Name: "pay", Reached: 8, Took: 8}}, "trials 1 before and 3 now"},
		{"the same calls with another end", "AAAAAAAAAA", "aaaaaaaaaa", nil,
			&compare.FirstDifference{Shared: 4, Base: compare.Way{Ended: true, Reached: 10, Took: 10}, Candidate: compare.Way{Ended: true, Reached: 10, Took: 10}}, "make the same 4 calls, with no difference"},
		{"no conversation of the trials that fail", "AAAAAAAAAA", "hhhhhhhhhh", nil, nil, ""},
		{"a test that did not change", "AAAAAAAAAb", "AAAAAAAAAb", nil, nil, ""},
	} {
		base, now := judgedActs(t, c.ignore, acted("refund", c.base)), judgedActs(t, c.ignore, acted("refund", c.now))
		test := compared(t, base, now, compare.Defaults()).Contrasts[0].Tests[0]
		got := test.FirstDifference
		if got != nil {
			got.Base.Digest, got.Candidate.Digest = "", ""
		}
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %+v, want %+v", c.reason, got, c.want)
		}
		if words := strings.Join(test.InsideWords(), "\n"); c.words == "" == strings.Contains(words, "first difference") || !strings.Contains(words, c.words) {
			t.Errorf("%s: %s", c.reason, words)
		}
	}
}
