package compare_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/compare"
)

func betweenRuns(t *testing.T, base, candidate []string, past ...string) *compare.Comparison {
	t.Helper()
	side := func(runs []string) compare.Input {
		in := compare.Input{Envelope: run(t, false, strip{"s/t", strings.Join(runs, "")}, strip{"s/u", strings.Repeat("P", len(strings.Join(runs, "")))})}
		if len(runs) > 1 {
			in.Runs = counts(t, runs)
		}
		return in
	}
	b, c := side(base), side(candidate)
	b.Past = counts(t, past)
	found, err := compare.Runs("", b, []compare.Input{c}, nil, compare.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func counts(t *testing.T, runs []string) []compare.Counts {
	t.Helper()
	var out []compare.Counts
	for _, outcomes := range runs {
		out = append(out, compare.CountsOf(run(t, false, strip{"s/t", outcomes}, strip{"s/u", strings.Repeat("P", len(outcomes))})))
	}
	return out
}

// TestRunsThatVaryUndoAChange: 24 of 30 against 12 of 30 is a change of independent
// trials (Fisher's p is 0.0033), and none where runs of one side are 10, 10 and 4 of
// 10 by themselves.
func TestRunsThatVaryUndoAChange(t *testing.T) {
	all, few, none := "PPPPPPPPPP", "PPPPFFFFFF", "FFFFFFFFFF"
	varied := betweenRuns(t, []string{all, all, few}, []string{all, "PPFFFFFFFF", none})
	x := varied.Contrasts[0]
	if b := x.Run.Between; b == nil || b.From != compare.BetweenSides || b.ICC < 0.3 || b.DF < 4 || b.Runs != 6 {
		t.Fatalf("between runs: %+v", x.Run.Between)
	}
	if s := x.Tests[0]; s.State != compare.Unresolved || !s.DesignEffect.OK || s.PValue.V < 0.05 || s.StandsUpTo.OK {
		t.Errorf("runs vary as much: %+v", s)
	}
	alike := betweenRuns(t, []string{"PPPPPPPPFF", "PPPPPPPPFF", "PPPPPPPPFF"}, []string{few, few, few})
	if s := alike.Contrasts[0].Tests[0]; s.State != compare.Regressed || s.DesignEffect.V != 1 {
		t.Errorf("runs do not vary: %+v", s)
	}
	if !strings.Contains(x.Run.Reason, "accounts for run-to-run variance") {
		t.Errorf("the run does not say it: %s", x.Run.Reason)
	}
}

// TestEarlierRunsUndoAChange: the same with one run a side, and with the variance of
// the history.
func TestEarlierRunsUndoAChange(t *testing.T) {
	base, candidate := []string{"PPPPPPPPPPPPPPPPPPPP"}, []string{"PPPPPPPPPPFFFFFFFFFF"}
	alone := betweenRuns(t, base, candidate).Contrasts[0].Tests[0]
	if alone.State != compare.Regressed || !alone.StandsUpTo.OK {
		t.Errorf("one run a side: %+v", alone)
	}
	past := betweenRuns(t, base, candidate, "PPPPPPPPPP", "PPFFFFFFFF", "PPPPPPPPPP", "PPPPFFFFFF").Contrasts[0]
	if s := past.Tests[0]; s.State != compare.Unresolved || past.Run.Between == nil || past.Run.Between.From != compare.BetweenHistory {
		t.Errorf("runs of the history vary as much: %+v, %+v", s, past.Run.Between)
	}
	steady := betweenRuns(t, base, candidate, "P", "P").Contrasts[0]
	if steady.Run.Between != nil {
		t.Errorf("runs of one trial say nothing: %+v", steady.Run.Between)
	}
}

// TestWhatUndoesAChange by hand: 17 of 20 pairs got worse, p = 2^-16, one of two tests
// asked. z is 4.325 at p and 2.241 at 0.05/2; the pass rates together are 23/40, so a pair
// varies by 17/20 in place of 2 23/40 17/40, 1.739 times as much; 19 other trials:
// ((4.325/2.241)^2 - 1) 1.739/19 = 0.249.
func TestWhatUndoesAChange(t *testing.T) {
	passed, both := strings.Repeat("P", 20), "PPPFFFFFFFFFFFFFFFFF"
	x := compared(t, run(t, true, strip{"s/t", passed}, strip{"s/u", passed}),
		run(t, true, strip{"s/t", both}, strip{"s/u", both}), compare.Defaults()).Contrasts[0]
	if got := x.Tests[0].StandsUpTo; !got.OK || got.V < 0.2485 || got.V > 0.2505 {
		t.Errorf("stands up to %v, want 0.249", got)
	}
	if _, numbers := x.StandsWords(); numbers != "Changes hold while trials of a run correlate by at most: s/t 0.24, s/u 0.24, the run 0.43" {
		t.Errorf("%q", numbers)
	}
}

// TestGroupsCountEachTestOnce: twenty tests of five suites rise from 1 of 5 to 4 of 5, and
// one of 2,000 trials stands still. The mean over tests, CR2, and Satterthwaite's 4.446
// degrees of freedom are by a program of its own in Python.
func TestGroupsCountEachTestOnce(t *testing.T) {
	still := strip{"s5/t", strings.Repeat("PF", 1000)}
	base, candidate := []strip{still}, []strip{still}
	for i := range 20 {
		name := fmt.Sprintf("s%d/t%02d", i/4, i)
		base, candidate = append(base, strip{name, "PFFFF"}), append(candidate, strip{name, "PPPPF"})
	}
	o := compare.Defaults()
	o.ClusterBy, o.Pairing = "suite", compare.PairNone
	found := compared(t, run(t, false, base...), run(t, false, candidate...), o).Contrasts[0].Run
	near(t, "difference", found.Difference.Value, 0.5714285714)
	near(t, "lo", found.Difference.Lo, 0.4886867711)
	near(t, "hi", found.Difference.Hi, 0.6541703718)
	near(t, "p", found.PValue.V, 2.26970746e-05)
	if found.State != compare.Improved {
		t.Error(found.Sentence())
	}
}

// TestGroups: two suites of three tests, of which one fell as a whole and the other
// stood still, are two observations, and their spread leaves the run open. By hand: the
// mean is -0.25 and either suite deviates by 0.75 in sum: s = sqrt(2 (2 0.75²))/6 = 0.25,
// t(1) = 12.706.
func TestGroups(t *testing.T) {
	var base, candidate []strip
	for _, name := range []string{"a/1", "a/2", "a/3", "b/1", "b/2", "b/3"} {
		base, candidate = append(base, strip{name, "PPPPPPPPPP"}), append(candidate, strip{name, "PPPPPPPPPP"})
	}
	for i := range 3 {
		candidate[i].outcomes = "PPPPPFFFFF"
	}
	o := compare.Defaults()
	o.ClusterBy = "suite"
	found := compared(t, run(t, false, base...), run(t, false, candidate...), o).Contrasts[0].Run
	near(t, "difference", found.Difference.Value, -0.25)
	near(t, "lo", found.Difference.Lo, -1)
	if found.State != compare.Unresolved || found.Difference.Method != compare.IntervalGroup || len(found.Groups) != 2 ||
		found.Groups[0] != (compare.Group{Name: "a", Tests: 3, Difference: -0.5}) || !strings.Contains(found.Sentence(), "2 groups: a -50 (3 tests), b 0 (3 tests)") {
		t.Errorf("%+v", found)
	}
	near(t, "p", found.PValue.V, 0.5)
	for by, says := range map[string]string{"variant": "in one group", "repository": "use one of", "file": "has a file", "suit": "did you mean suite"} {
		o.ClusterBy = by
		_, err := compare.Runs("", compare.Input{Envelope: run(t, false, base...)}, []compare.Input{{Envelope: run(t, false, candidate...)}}, nil, o)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("--cluster-by %s: %v, want it to say %q", by, err, says)
		}
	}
}

// TestPermutedLabels: where the names base and candidate mean nothing, a run in
// which any test or the run itself is REGRESSED is met at most with probability
// alpha, however many tests there are and whatever their rates. Of 250 runs, 24 is
// the largest number that chance allows at alpha = 0.05 (99.9 %).
func TestPermutedLabels(t *testing.T) {
	const runs, allowed = 250, 24
	for _, c := range []struct {
		reason        string
		tests, trials int
		numbered      bool
		adjust        string
	}{
		{"paired, holm", 20, 10, true, "holm"},
		{"unpaired, holm", 20, 10, false, "holm"},
		{"paired, bh", 20, 10, true, "bh"},
		{"unpaired, bh", 20, 10, false, "bh"},
		{"few tests, many trials", 3, 60, false, "holm"},
	} {
		random := rand.New(rand.NewPCG(8, 1))
		o := compare.Defaults()
		o.Adjust, o.Margin = c.adjust, 0 // no difference passes for equivalent
		any, run := 0, 0
		for range runs {
			base, candidate := permuted(t, random, c.tests, c.trials, c.numbered)
			got := compared(t, base, candidate, o).Contrasts[0]
			if got.Summary.Regressed > 0 {
				any++
			}
			if got.Summary.Regressed > 0 || got.Run.State == compare.Regressed {
				run++
			}
		}
		if any > allowed || run > allowed {
			t.Errorf("%s: %d of %d runs have a test REGRESSED, %d a test or the run", c.reason, any, runs, run)
		}
		t.Logf("%s: %d with a test, %d with a test or the run", c.reason, any, run)
		if run == 0 {
			t.Errorf("%s: no run at all is REGRESSED: the simulation tests nothing", c.reason)
		}
	}
}

// permuted deals the same trials to both sides at random: those of one number
// where they are numbered, all of a test otherwise.
func permuted(t *testing.T, random *rand.Rand, tests, trials int, numbered bool) (base, candidate *envelope.Envelope) {
	var left, right []strip
	for i := range tests {
		name := fmt.Sprintf("/t%02d", i)
		rate := 0.2 + 0.7*random.Float64()
		pool := make([]byte, 2*trials)
		for j := range pool {
			pool[j] = 'F'
			if random.Float64() < rate {
				pool[j] = 'P'
			}
		}
		random.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		left, right = append(left, strip{name, string(pool[:trials])}), append(right, strip{name, string(pool[trials:])})
	}
	return run(t, numbered, left...), run(t, numbered, right...)
}

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

// TestChecksAndTools: of twelve pairs nine lose the check and one gains it, so McNemar's
// p is 2 (1 + 10) / 2^10; nine no longer pay and none begins to, 2 / 2^9, which is
// doubled for two tools that could show something. What every trial does, and a check
// that all pass, is in no family.
func TestChecksAndTools(t *testing.T) {
	base := judgedActs(t, []string{"think"}, acted("refund", "AAAAAAAAAbAA"))
	now := judgedActs(t, []string{"think"}, acted("refund", "tttttttttAAA"))
	x := compared(t, base, now, compare.Defaults()).Contrasts[0]
	sums, polite := partOf(t, x.Checks, "sums"), partOf(t, x.Checks, "polite")
	near(t, "p of sums", sums.PValue.V, 22./1024)
	near(t, "adjusted p of sums", sums.PAdjusted.V, 22./1024)
	if sums.State != compare.Regressed || sums.Base != (compare.Share{Did: 11, N: 12}) || sums.Candidate != (compare.Share{Did: 3, N: 12}) || sums.Informative != 1 || sums.Informing[0].Test != "refund" {
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
			&compare.FirstDifference{Shared: 3, Base: compare.Way{Name: "pay", Arguments: "a", Reached: 10, Took: 9}, Candidate: compare.Way{Name: "transfer", Arguments: "t", Reached: 10, Took: 9}},
			"after 3 equal calls, next: pay(a) in 9 of 10 trials before, transfer(t) in 9 of 10 now (example: trial 1 before and trial 1 now)"},
		{"calls to ignore are no calls", "AAAAAAAAAb", "tttttttttA", []string{"think"},
			&compare.FirstDifference{Shared: 2, Base: compare.Way{Name: "pay", Arguments: "a", Reached: 10, Took: 9}, Candidate: compare.Way{Name: "transfer", Arguments: "t", Reached: 10, Took: 9}}, "after 2 equal calls"},
		{"other arguments of one tool, beside the first of those that passed and are equally near", "CAAAAAAAAA", "bbbbbbbbbb", nil,
			&compare.FirstDifference{Shared: 3, Base: compare.Way{Name: "pay", Arguments: "c", Reached: 10, Took: 1}, Candidate: compare.Way{Name: "pay", Arguments: "b", Reached: 10, Took: 10}}, "pay(c) in 1 of 10 trials before, pay(b) in 10 of 10 now"},
		{"an improvement is told from its failing trial before", "tttttttttt", "HHAAAAAAAA", nil,
			&compare.FirstDifference{Shared: 3, Base: compare.Way{Name: "transfer", Arguments: "t", Reached: 10, Took: 10}, Candidate: compare.Way{Trial: 2, Name: "pay", Arguments: "a", Reached: 8, Took: 8}}, "trial 1 before and trial 3 now"},
		{"the same calls with another end", "AAAAAAAAAA", "aaaaaaaaaa", nil,
			&compare.FirstDifference{Shared: 4, Base: compare.Way{Ended: true, Reached: 10, Took: 10}, Candidate: compare.Way{Ended: true, Reached: 10, Took: 10}}, "make 4 calls each, all equal"},
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
