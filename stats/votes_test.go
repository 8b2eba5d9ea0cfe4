package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestVotesOfOneTest: of one test the parts are those of the one-way analysis of
// variance. The judgements and what they come to are the worked example of
// docs/statistics/judge.md, which R's anova(lm) confirmed.
func TestVotesOfOneTest(t *testing.T) {
	var trials []Cluster
	for _, passed := range []int{0, 3, 3, 0, 2, 2, 1, 1, 3, 0, 0} {
		trials = append(trials, Cluster{passed, 3})
	}
	got := VotesOf([][]Cluster{trials}, 0.95)
	near(t, "agent", got.Agent.Value, 0.1434, 5e-5, "anova(lm)")
	near(t, "judge", got.Judge.Value, 0.1212, 5e-5, "anova(lm)")
	near(t, "share", got.Share.Value, 1-0.5420, 5e-5, "ICC")
	if got.Trials != 11 || got.Votes != 33 {
		t.Errorf("%+v", got)
	}
}

// TestVotesOfTests: what tests differ by is no noise of the agent. By hand: two tests
// of two trials, each judged twice. In each test one trial is judged 2/2 and one 1/2:
// within trials 2 (1/2) of 4 degrees of freedom, 0.25; between trials of a test
// (4/2 + 1/2 - 9/4) = 1/4 each, 0.25 a degree of freedom; so 0 is the agent's, and all is
// the judge's. A test that fails twice in all judgements adds neither.
func TestVotesOfTests(t *testing.T) {
	one := []Cluster{{2, 2}, {1, 2}}
	got := VotesOf([][]Cluster{one, one}, 0.95)
	if got.Judge.Value != 0.25 || got.Agent.Value != 0 || got.Share.Value != 1 {
		t.Errorf("%+v", got)
	}
	got = VotesOf([][]Cluster{one, one, {{0, 2}, {0, 2}}}, 0.95)
	near(t, "judge", got.Judge.Value, 1./6, 1e-15, "1 of 6 degrees of freedom")
	for _, p := range []Part{got.Judge, got.Agent, got.Share} {
		if !(p.Lo <= p.Value && p.Value <= p.Hi) || p.Lo < 0 {
			t.Errorf("%+v lies outside its interval", p)
		}
	}
}

// TestVotesThatCannotTell: nothing is judged twice, no test is tried twice, or counts are
// impossible.
func TestVotesThatCannotTell(t *testing.T) {
	if got := VotesOf([][]Cluster{{{1, 1}, {0, 1}}, {{0, 0}}}, 0.95); !math.IsNaN(got.Judge.Value) || got.Trials != 2 {
		t.Errorf("judged once: %+v", got)
	}
	if got := VotesOf([][]Cluster{{{1, 3}}, {{3, 3}}}, 0.95); math.IsNaN(got.Judge.Value) || !math.IsNaN(got.Agent.Value) || !math.IsNaN(got.Share.Hi) {
		t.Errorf("tried once: %+v", got)
	}
	if got := VotesOf([][]Cluster{{{4, 3}, {-1, 2}}}, 0.95); got.Trials != 0 || !math.IsNaN(got.Judge.Value) {
		t.Errorf("impossible counts: %+v", got)
	}
	if got := VotesOf([][]Cluster{{{3, 3}, {3, 3}}}, 0.95); got.Judge.Value != 0 || got.Judge.Hi <= 0 || !math.IsNaN(got.Share.Value) || got.Agent.Hi <= 0 {
		t.Errorf("two trials that all judgements pass do not prove that nothing varies: %+v", got)
	}
}

// TestVotesCover: the intervals hold what they say, where those of normal data do not
// (0.7 in the same place). 40 tests of 5 trials, or one of 60, judged three times.
func TestVotesCover(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 4))
	// A trial is judged to pass with probability 0.95 or 0.15: 80 of 100 the first. So
	// the judge's variance is 0.8 0.95 0.05 + 0.2 0.15 0.85, the agent's 0.8 0.2 0.8².
	const judge, agent = 0.8*0.95*0.05 + 0.2*0.15*0.85, 0.8 * 0.2 * 0.8 * 0.8
	for _, shape := range [][2]int{{40, 5}, {1, 60}} {
		const runs = 400
		held := [3]int{}
		for range runs {
			tests := make([][]Cluster, shape[0])
			for i := range tests {
				for range shape[1] {
					q, passed := 0.95, 0
					if r.Float64() < 0.2 {
						q = 0.15
					}
					for range 3 {
						if r.Float64() < q {
							passed++
						}
					}
					tests[i] = append(tests[i], Cluster{passed, 3})
				}
			}
			v := VotesOf(tests, 0.95)
			for k, of := range []struct {
				Part
				truth float64
			}{{v.Judge, judge}, {v.Agent, agent}, {v.Share, judge / (judge + agent)}} {
				if of.Lo <= of.truth && of.truth <= of.Hi {
					held[k]++
				}
			}
		}
		for k, what := range []string{"judge", "agent", "share"} {
			if float64(held[k])/runs < 0.95-3*math.Sqrt(0.05*0.95/runs) {
				t.Errorf("%v: the interval of %s covers in %d of %d runs", shape, what, held[k], runs)
			}
		}
	}
}

// TestPPIRate: the estimate is that of PPIMean, in the report's interval it lies, and
// labels that all agree with the judge leave a width (the rule of three: 3/50 at least
// beside the trials without a label).
func TestPPIRate(t *testing.T) {
	labelled := Judged{BothPass: 25, Neither: 25}
	want, got := PPIMean(45, 90, labelled, math.NaN(), 0.95), PPIRate(45, 90, labelled, 0.95)
	if got.Estimate != want.Estimate || got.Lambda != want.Lambda {
		t.Errorf("%+v, want the estimate of %+v", got, want)
	}
	if got.Hi-got.Lo <= want.Hi-want.Lo {
		t.Errorf("%+v is no wider than the normal interval %+v", got, want)
	}
	for _, l := range []Judged{{BothPass: 30}, {Neither: 4}, {JudgeOnly: 3, TruthOnly: 3}} {
		if p := PPIRate(180, 200, l, 0.95); !(0 <= p.Lo && p.Lo <= p.Estimate && p.Estimate <= p.Hi && p.Hi <= 1 && p.Lo < p.Hi) {
			t.Errorf("%+v: %+v", l, p)
		}
	}
	if p := PPIRate(1, 1, Judged{BothPass: 1}, 0.95); !math.IsNaN(p.Lo) {
		t.Errorf("one label: %+v", p)
	}
}

// TestRoganGladenRate: the estimate and the undefined cases are RoganGladen's, and the
// interval holds that of Lang and Reiczigel and the estimate.
func TestRoganGladenRate(t *testing.T) {
	for _, l := range []Judged{{39, 6, 27, 9}, {95, 0, 2, 3}, {97, 0, 0, 3}, {25, 0, 0, 25}, {10, 10, 10, 10}} {
		for _, passed := range []int{0, 20, 180, 200} {
			want, got := RoganGladen(passed, 200, l, 0.95), RoganGladenRate(passed, 200, l, 0.95)
			if math.IsNaN(want.Lo) != math.IsNaN(got.Lo) || !math.IsNaN(want.Lo) && (got.Estimate != want.Estimate || got.Lo > want.Lo || got.Hi < want.Hi || got.Lo > got.Estimate || got.Hi < got.Estimate || got.Lo < 0 || got.Hi > 1) {
				t.Errorf("%d of 200, %+v: %+v, want about %+v", passed, l, got, want)
			}
		}
	}
}

// TestRoganGladenRateCovers: where nearly all trials pass, its interval holds as often as
// it says, which that of Lang and Reiczigel does not (0.92).
func TestRoganGladenRateCovers(t *testing.T) {
	r, held, alone := rand.New(rand.NewPCG(3, 14)), 0, 0
	const runs, rate = 3000, 0.97
	for range runs {
		var l Judged
		passed := 0
		for i := range 300 {
			truth, pass := r.Float64() < rate, false
			if pass = r.Float64() < 0.1; truth {
				pass = r.Float64() < 0.95
			}
			switch {
			case i >= 100 && pass:
				passed++
			case i >= 100:
			case truth && pass:
				l.BothPass++
			case pass:
				l.JudgeOnly++
			case truth:
				l.TruthOnly++
			default:
				l.Neither++
			}
		}
		covers := func(c Corrected) int {
			if math.IsNaN(c.Lo) || c.Lo <= rate && rate <= c.Hi {
				return 1
			}
			return 0
		}
		held += covers(RoganGladenRate(passed, 200, l, 0.95))
		alone += covers(RoganGladen(passed, 200, l, 0.95))
	}
	if float64(held)/runs < 0.95 || float64(alone)/runs > 0.94 {
		t.Errorf("covers in %d of %d, without the other half in %d", held, runs, alone)
	}
}

// TestGSPRTDecides: nothing is said before ten pairs differ, however clear; then beyond
// log Beta and log 1/Alpha. By the vectors, 60 pairs that are all better have a ratio of
// 3.0776 for 0 against -0.05: beyond log 20 = 2.9957.
func TestGSPRTDecides(t *testing.T) {
	g, err := NewGSPRT(-0.05, 0, 0.05, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		counts []int
		want   int
	}{{[]int{0, 0, 60}, 1}, {[]int{0, 0, 9}, 0}, {[]int{9, 0, 0}, 0}, {[]int{70, 0, 0}, -1}, {[]int{0, 5000, 0}, 0}, {[]int{5, 90, 5}, 0}} {
		if got := g.Decide(c.counts); got != c.want {
			t.Errorf("%v: %d, want %d (%v)", c.counts, got, c.want, g.LLR(c.counts))
		}
	}
}

// The example of J. L. Fleiss, B. Levin, M. C. Paik, Statistical Methods for Rates and
// Proportions, 3rd ed. (2003), table 18.1: psychotic, neurotic and organic patients, 100 of
// them, by two raters. The book gives kappa .676, its standard error .087 and .076 of none.
func TestKappaOfCategories(t *testing.T) {
	k := CohenKappaOf([][]int{{75, 1, 4}, {5, 4, 1}, {0, 0, 10}}, 0.95)
	near(t, "kappa", k.Kappa, 0.23/0.34, 1e-12, "(.89-.66)/(1-.66)")
	near(t, "SE", k.SE, 0.0877, 0.0001, "by hand from the formula, .087 in the book")
	near(t, "SE of 0", k.SE0, 0.0762, 0.0001, "by hand from the formula, .076 in the book")
	near(t, "lo", k.Lo, 0.5046, 0.0001, "kappa - 1.96 SE")
	near(t, "hi", k.Hi, 0.8484, 0.0001, "kappa + 1.96 SE")
}

// The data matrix C of Krippendorff (2011), 0 for a missing rating, and his results.
func TestKrippendorffAlpha(t *testing.T) {
	units := [][]float64{{1, 1, 1}, {2, 2, 3, 2}, {3, 3, 3, 3}, {3, 3, 3, 3}, {2, 2, 2, 2}, {1, 2, 3, 4}, {4, 4, 4, 4}, {1, 1, 2, 1}, {2, 2, 2, 2}, {5, 5, 5}, {1, 1}, {3}}
	for scale, want := range map[Scale]float64{Nominal: 0.743, Ordinal: 0.815, Interval: 0.849} {
		near(t, "alpha", KrippendorffAlpha(units, scale), want, 5e-4, "Krippendorff 2011")
	}
}
