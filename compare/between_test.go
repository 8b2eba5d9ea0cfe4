package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/compare"
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
	if alone.State != compare.Regressed || !alone.StandsUpTo.OK || !strings.Contains(alone.Reason, "; holds unless trials of a run correlate above ") {
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
	if want := "Changes stand unless trials of a run correlate above: s/t 0.24, s/u 0.24"; x.StandsWords() != want {
		t.Errorf("%q, want %q", x.StandsWords(), want)
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
	for by, says := range map[string]string{"variant": "all of one group", "repository": "known are", "file": "says its file", "suit": "did you mean suite"} {
		o.ClusterBy = by
		_, err := compare.Runs("", compare.Input{Envelope: run(t, false, base...)}, []compare.Input{{Envelope: run(t, false, candidate...)}}, nil, o)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("--cluster-by %s: %v, want it to say %q", by, err, says)
		}
	}
}
