package rank_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/block"
	"tribunal/internal/compare"
	"tribunal/internal/compare/rank"
	"tribunal/verdict"
)

// tried is a variant: what passed of how many trials of each test, by name.
type tried map[string][2]int

func judged(t *testing.T, name string, tests tried, class string, usd float64) compare.Input {
	t.Helper()
	b := count.NewBuilder(0, 0.5)
	in := b.Input(name, "native")
	for test, n := range tests {
		for i := range n[1] {
			trial := envelope.Trial{Key: envelope.Key{Test: test}, Status: envelope.Fail, ErrorClass: class, Attempt: envelope.Some(int32(i))}
			if i < n[0] {
				trial.Status = envelope.Pass
			}
			if usd > 0 {
				trial.CostUSD = envelope.Some(usd)
			}
			in.Trial(&trial)
		}
	}
	in.Close()
	e, err := verdict.Judge(b, envelope.Policy{Metrics: "none"})
	if err != nil {
		t.Fatal(err)
	}
	return compare.Input{Name: name, Envelope: e}
}

func ranked(t *testing.T, of ...compare.Input) *rank.Ranking {
	t.Helper()
	r, err := rank.Variants("variant", of, nil, rank.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTwoVariantsAgreeWithCompare: the pair of two variants is the run of a comparison
// clustered by test, number by number, and sure where that has changed.
func TestTwoVariantsAgreeWithCompare(t *testing.T) {
	source, sure := rand.New(rand.NewPCG(1, 1)), 0
	for round := range 60 {
		a, b := tried{}, tried{}
		for test := range 2 + round%12 {
			base := 0.3 + 0.6*source.Float64()
			for side, p := range map[*tried]float64{&a: base, &b: base - 0.01*float64(round%30)} {
				passed, n := 0, 3+round%5
				for range n {
					if source.Float64() < p {
						passed++
					}
				}
				(*side)[fmt.Sprint("t", test)] = [2]int{passed, n}
			}
		}
		first, second := judged(t, "a", a, "", 0), judged(t, "b", b, "", 0)
		r := ranked(t, first, second)
		o := compare.Defaults()
		o.ClusterBy = "test"
		base, candidate := second, first
		if r.Pairs[0].First == "b" {
			base, candidate = first, second
		}
		c, err := compare.Runs("variant", base, []compare.Input{candidate}, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		run, pair := c.Contrasts[0].Run, r.Pairs[0]
		if *run.Difference != pair.Difference || run.PValue != pair.PValue || run.Method != pair.Method {
			t.Fatalf("round %d: compare says %+v, p %v by %s; rank %+v", round, *run.Difference, run.PValue, run.Method, pair)
		}
		differs := run.PValue.V <= 0.05 && (run.Difference.Lo > 0 || run.Difference.Hi < 0)
		if pair.Sure != differs || (len(r.Best) == 1) != differs {
			t.Errorf("round %d: sure %v, best %v, while compare finds p %v, %s", round, pair.Sure, r.Best, run.PValue.V, run.Difference.Interval())
		}
		if differs {
			sure++
		}
	}
	if sure < 5 || sure > 55 {
		t.Errorf("%d of 60 differ: the rounds show too little", sure)
	}
}

func TestRanking(t *testing.T) {
	tests := func(passed, n, count int) tried {
		of := tried{}
		for i := range count {
			of[fmt.Sprint("t", i)] = [2]int{passed, n}
		}
		return of
	}
	one := tests(20, 20, 6)
	delete(one, "t5")
	for _, c := range []struct {
		name     string
		of       []compare.Input
		sentence string
		best     int
		missing  int
		exit     int
		problem  string
	}{
		{"surely the best", []compare.Input{judged(t, "a", tests(2, 20, 6), "", 0), judged(t, "b", tests(19, 20, 6), "", 0), judged(t, "c", tests(3, 20, 6), "", 0)}, "Best is b: the 2 others are worse, with 95 % confidence.", 1, 0, 0, ""},
		{"alike", []compare.Input{judged(t, "a", tests(9, 10, 3), "", 0), judged(t, "b", tests(9, 10, 3), "", 0)}, "No variant is shown to be the best: b passed as often as a so far.", 2, 0, 0, ""},
		{"one", []compare.Input{judged(t, "a", tests(9, 10, 3), "", 0)}, "Nothing is ranked.", 0, 0, 2, "only a has counted trials, and a ranking needs two variants: add one, as in a=a.json b=b.json"},
		{"one test", []compare.Input{judged(t, "a", tests(19, 20, 1), "", 0), judged(t, "b", tests(3, 20, 1), "", 0)}, "Best is a: b is worse, with 95 % confidence.", 1, 0, 0, ""},
		{"a test that one did not try", []compare.Input{judged(t, "a", one, "", 0), judged(t, "b", tests(1, 20, 6), "", 0)}, "Best is a: b is worse, with 95 % confidence.", 1, 1, 0, "1 test is not ranked, because not every variant tried it (a lacks 1); 5 tests are ranked"},
		{"a variant that tried nothing", []compare.Input{judged(t, "a", tests(9, 10, 3), "", 0), judged(t, "b", tests(0, 9, 3), envelope.ClassInfrastructure, 0)}, "Nothing is ranked.", 0, 0, 2, "1 variant has no counted trial and no rank: b"},
		{"nothing in common", []compare.Input{judged(t, "a", tried{"x": {1, 2}}, "", 0), judged(t, "b", tried{"y": {1, 2}}, "", 0)}, "Nothing is ranked.", 0, 2, 2, "no test was tried by every variant (a lacks 1, b lacks 1): tests are matched by suite and name"},
		{"nothing", nil, "Nothing is ranked.", 0, 0, 2, "no variant has a counted trial: there is nothing to rank"},
	} {
		r := ranked(t, c.of...)
		var problems []string
		for _, p := range r.Problems {
			problems = append(problems, p.Message)
		}
		if r.Sentence() != c.sentence || len(r.Best) != c.best || len(r.Missing) != c.missing || r.Gate.ExitCode != c.exit || !strings.Contains(strings.Join(problems, "\n"), c.problem) {
			t.Errorf("%s: %q, best %v, missing %v, exit %d, %q", c.name, r.Sentence(), r.Best, r.Missing, r.Gate.ExitCode, problems)
		}
	}
}

// TestRankingOfUnequalTests holds a ranking of four variants over eight tests of 2 to 28 trials to a program of its own
// in Python 3.11 with NumPy and SciPy 1.10.1: means of the tests' rates, Gaffke's bound on them (by another program) at
// 1 - 0.05/4, the t intervals of differences at 1 - 0.05/6, and p-values of the t test of the tests.
func TestRankingOfUnequalTests(t *testing.T) {
	passed := [][]int{{10, 3, 6, 3, 1, 22, 15, 13}, {1, 2, 10, 8, 7, 14, 4, 5}, {12, 14, 1, 3, 4, 9, 15, 5}, {4, 5, 9, 2, 0, 14, 7, 5}}
	trials := [][]int{{24, 4, 7, 8, 7, 24, 26, 18}, {3, 4, 11, 14, 19, 15, 9, 6}, {21, 22, 2, 5, 14, 12, 26, 16}, {13, 14, 20, 18, 6, 22, 23, 28}}
	var of []compare.Input
	for v := range passed {
		tests := tried{}
		for i := range passed[v] {
			tests[fmt.Sprint(i)] = [2]int{passed[v][i], trials[v][i]}
		}
		of = append(of, judged(t, fmt.Sprint(v), tests, "", 0))
	}
	o := rank.Defaults()
	o.Pairing = compare.PairNone
	r, err := rank.Variants("variant", of, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	var places, pairs []string
	for _, v := range r.Variants {
		places = append(places, fmt.Sprintf("%s %d of %d to %d: %.6f %.6f %.6f", v.Name, v.Place, v.From, v.To, v.Mean.Value, v.Mean.Lo, v.Mean.Hi))
	}
	for _, p := range r.Pairs {
		pairs = append(pairs, fmt.Sprintf("%s %s %.6f p %.6g %v", p.First, p.Second, p.Difference.Value, p.PValue.V, p.Sure))
	}
	want := []string{"1 1 of 1 to 3: 0.611673 0.301849 0.843326", "0 2 of 1 to 3: 0.594685 0.277358 0.829474",
		"2 3 of 1 to 3: 0.529116 0.267657 0.762514", "3 4 of 4 to 4: 0.293154 0.113654 0.639926"}
	if !slices.Equal(places, want) {
		t.Errorf("%q, want %q", places, want)
	}
	want = []string{"1 0 0.016988 p 0.778707 false", "1 2 0.082557 p 0.419184 false", "1 3 0.318519 p 0.00347767 true",
		"0 2 0.065569 p 0.461479 false", "0 3 0.301531 p 0.00056133 true", "2 3 0.235963 p 0.00177298 true"}
	if !slices.Equal(pairs, want) {
		t.Errorf("%q, want %q", pairs, want)
	}
	if d := r.Pairs[2].Difference; fmt.Sprintf("%.6f %.6f", d.Lo, d.Hi) != "0.050483 0.586556" {
		t.Errorf("between 1 and 3: %+v", d)
	}
	if shares := [2]float64{r.Variants[0].IsBest, r.Variants[3].IsBest}; math.Abs(shares[0]-0.5058) > 0.0075 || shares[1] > 0.001 {
		t.Errorf("the best with %v, of 400,000 draws 0.5058 and 0.00005", shares)
	}
}

// TestFrontier: b is as good as a and cheaper, c cheaper and worse than all, d dearer and worse.
func TestFrontier(t *testing.T) {
	r := ranked(t, judged(t, "a", tried{"t": {9, 10}}, "", 2), judged(t, "b", tried{"t": {9, 10}}, "", 1), judged(t, "c", tried{"t": {5, 10}}, "", 0.1), judged(t, "d", tried{"t": {4, 10}}, "", 3), judged(t, "e", tried{"t": {4, 10}}, "", 0))
	got := map[string]envelope.Opt[bool]{}
	for _, v := range r.Variants {
		got[v.Name] = v.Beaten
	}
	want := map[string]envelope.Opt[bool]{"a": envelope.Some(true), "b": envelope.Some(false), "c": envelope.Some(false), "d": envelope.Some(true), "e": {}}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: beaten %v, want %v", name, got[name], want[name])
		}
	}
	if cost := r.Variants[0].CostUSD; r.Variants[0].Name != "a" || cost != envelope.Some(20./9) {
		t.Errorf("%s costs %v a success, want 20/9", r.Variants[0].Name, cost)
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, o := range []rank.Options{{Confidence: 0.5, Pairing: "auto", Power: 0.8}, {Confidence: 0.95, Pairing: "maybe", Power: 0.8}, {Confidence: 0.95, Pairing: "auto", Power: 0.2}} {
		if _, err := rank.Variants("variant", nil, nil, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestRankedByScores: variants whose scores all pass are ranked by their means, with the
// difference and p-value that compare has; scores beyond 0 to 1 keep their unit.
func TestRankedByScores(t *testing.T) {
	side := func(name string, mean, step float64) compare.Input {
		b := count.NewBuilder(0, 0.5)
		in := b.Input(name, "native")
		for test := range 5 {
			for i := range 6 {
				in.Trial(&envelope.Trial{Key: envelope.Key{Test: fmt.Sprint("t", test)}, Score: envelope.Some(mean + step*float64(i+test))})
			}
		}
		in.Close()
		e, err := verdict.Judge(b, envelope.Policy{Metrics: "none"})
		if err != nil {
			t.Fatal(err)
		}
		return compare.Input{Name: name, Envelope: e}
	}
	r := ranked(t, side("low", 0.6, 0.004), side("high", 0.9, 0.005))
	v := &r.Variants[0]
	if r.Of != compare.OfScores || v.Name != "high" || len(r.Best) != 1 || shown(r, 0)[4] != "0.922" || shown(r, 1)[2] != "+30.4" {
		t.Errorf("%s: %+v", r.Sentence(), r)
	}
	o := compare.Defaults()
	o.ClusterBy = "test"
	c, err := compare.Runs("", side("low", 0.6, 0.004), []compare.Input{side("high", 0.9, 0.005)}, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	run := c.Contrasts[0].Run
	if p := r.Pairs[0]; p.Difference != *run.Difference || p.PValue != run.PValue {
		t.Errorf("%+v, by compare %+v", p, run.Finding)
	}
	wide := ranked(t, side("low", 60, 1), side("high", 90, 1.2))
	if v := wide.Variants[0]; wide.Document().Parts[0].Blocks[0].(*block.Table).Spans != nil || shown(wide, 0)[4] != "95.4" || !(v.Mean.Lo < 95.4 && v.Mean.Hi > 95.4) || shown(wide, 1)[2] != "+30.9" {
		t.Errorf("%s: %+v, %s", wide.Sentence(), v, shown(wide, 1)[2])
	}
}

// TestHeadToHead: of 10 pairs of trials a passes 8 times alone, and twice both pass. The
// strengths maximise 8 log P(a wins) + 2 log P(tie) - (theta_a² + theta_b²)/2.
func TestHeadToHead(t *testing.T) {
	o := rank.Defaults()
	o.HeadToHead = true
	r, err := rank.Variants("variant", []compare.Input{judged(t, "a", tried{"t": {10, 10}}, "", 0), judged(t, "b", tried{"t": {2, 10}}, "", 0)}, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	a, b := r.Variants[0].HeadToHead, r.Variants[1].HeadToHead
	if a.Won != 8 || a.Lost != 0 || a.Tied != 2 || b.Lost != 8 || math.Abs(a.Strength+b.Strength) > 1e-9 {
		t.Fatalf("%+v, %+v", a, b)
	}
	// By hand, at the top the slope is 0: with theta_a = -theta_b = x, e^x against e^-x and nu,
	// where the share of ties is 2/10: 8 - 10 (P(a) - P(b)) = 2 x, P(a) + P(b) = 0.8.
	x := a.Strength
	if won := 0.8 / (1 + math.Exp(-2*x)); math.Abs(8-10*(won-(0.8-won))-2*x) > 1e-6 {
		t.Errorf("strength %v", x)
	}
	if plain := ranked(t, judged(t, "a", tried{"t": {10, 10}}, "", 0), judged(t, "b", tried{"t": {2, 10}}, "", 0)); plain.Variants[0].HeadToHead != nil {
		t.Error("nobody asked for duels")
	}
}

// shown is the first row of the first table of a part.
func shown(r *rank.Ranking, part int) []string {
	return r.Document().Parts[part].Blocks[0].(*block.Table).Rows[0]
}
