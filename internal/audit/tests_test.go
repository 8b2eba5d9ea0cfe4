package audit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/audit"
	"tribunal/internal/compare"
	"tribunal/verdict"
)

// solved is how many of n trials a variant passes of a test, by test; each costs a dollar.
func solved(t *testing.T, name string, n int, passed map[string]int) compare.Input {
	t.Helper()
	b := count.NewBuilder(0, 0.5)
	in := b.Input(name, "native")
	for test, k := range passed {
		for i := range n {
			trial := envelope.Trial{Key: envelope.Key{Test: test}, Status: envelope.Fail, Attempt: envelope.Some(int32(i)),
				CostUSD: envelope.Some(1.)}
			if i < k {
				trial.Status = envelope.Pass
			}
			in.Trial(&trial)
		}
	}
	in.Close()
	p := held(t, envelope.Policy{Metrics: "none"})
	e, err := verdict.Seal(b.Run(p.OnConflict, 0), p)
	if err != nil {
		t.Fatal(err)
	}
	return compare.Input{Name: name, Envelope: e}
}

func audited(t *testing.T, of []compare.Input) *audit.Tests {
	t.Helper()
	a, err := audit.OfTests("variant", of, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func itemOf(t *testing.T, a *audit.Tests, test string) *audit.Item {
	t.Helper()
	for i := range a.Tests {
		if a.Tests[i].Test == test {
			return &a.Tests[i]
		}
	}
	t.Fatalf("no test %s", test)
	return nil
}

// TestDiscrimination by hand: five variants pass a test 0, 1, 2, 3 and 4 times of 4, the other
// one 4, 2, 2, 2 and 0 times. The covariance of both is -8, the squares are 10 and 8:
// r = -8 / sqrt 80. Fisher's interval is tanh(atanh r -+ 1.959964 / sqrt 2).
func TestDiscrimination(t *testing.T) {
	var of []compare.Input
	for i, k := range []int{4, 2, 2, 2, 0} {
		of = append(of, solved(t, fmt.Sprint("v", i), 4, map[string]int{"up": i, "down": k, "easy": 4, "never": 0}))
	}
	a := audited(t, of)
	r := -8 / math.Sqrt(80)
	c := itemOf(t, a, "down").Discrimination
	near(t, "r", c.Value, r)
	near(t, "lo", c.Lo, math.Tanh(math.Atanh(r)-1.959963984540054/math.Sqrt2))
	near(t, "hi", c.Hi, math.Tanh(math.Atanh(r)+1.959963984540054/math.Sqrt2))
	if a.Saturated != 1 || a.Unsolved != 1 || itemOf(t, a, "easy").Says != audit.SaysNothing || itemOf(t, a, "never").Says != audit.SaysNever {
		t.Errorf("%d saturated, %d never solved", a.Saturated, a.Unsolved)
	}
	if itemOf(t, a, "easy").Discrimination != nil {
		t.Error("what does not vary has no correlation")
	}
	near(t, "weakest correlation", a.Least.V, -math.Tanh(1.959963984540054/math.Sqrt2))
	if a.Needed != 16 { // (1.96 / atanh 0.5)^2 + 3 = 15.7
		t.Errorf("needs %d variants", a.Needed)
	}
}

// TestSubset: three tests rank five variants alike and one ranks none: one is enough, a
// quarter of the trials and of the dollars.
func TestSubset(t *testing.T) {
	var of []compare.Input
	for i := range 5 {
		of = append(of, solved(t, fmt.Sprint("v", i), 4, map[string]int{"a": i, "b": i, "c": i, "easy": 4}))
	}
	u := audited(t, of).Subset
	if u == nil || u.Tests != 1 {
		t.Fatalf("subset %+v", u)
	}
	near(t, "tau", u.Tau, 1)
	near(t, "trials", u.Trials, 0.25)
	near(t, "cost", u.CostUSD.V, 0.25)
}

// TestConflicts: a trial that fails with all checks passed contradicts them; two checks of
// ten trials of which each passes five, never together, do so with p = 2 / C(10, 5) = 0.008.
func TestConflicts(t *testing.T) {
	var of []compare.Input
	for _, name := range []string{"a", "b"} {
		b := count.NewBuilder(0, 0.5)
		in := b.Input(name, "native")
		for i := range 5 {
			one := []envelope.Status{envelope.Pass, envelope.Fail}
			if (i+len(of))%2 == 1 {
				one = []envelope.Status{envelope.Fail, envelope.Pass}
			}
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "opposite"}, Status: envelope.Fail, Attempt: envelope.Some(int32(i)),
				Checks: []envelope.Check{{Name: "x", Status: one[0]}, {Name: "y", Status: one[1]}}})
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: "verdict"}, Status: one[0], Attempt: envelope.Some(int32(i)),
				Checks: []envelope.Check{{Name: "x", Status: envelope.Pass}}})
		}
		in.Close()
		p := held(t, envelope.Policy{Metrics: "none"})
		e, err := verdict.Seal(b.Run(p.OnConflict, 0), p)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, compare.Input{Name: name, Envelope: e})
	}
	got := audited(t, of).Conflicts
	if len(got) != 2 || got[0].Kind != audit.Opposite || got[0].Trials != 10 || got[1].Kind != audit.ChecksPass || got[1].Trials != 5 ||
		got[1].Of != 10 {
		t.Errorf("%+v", got)
	}
	if len(got) == 2 && (len(got[1].Seen) != 5 || got[1].Seen[0] != audit.Seen{Variant: "a", Trial: 1, Status: envelope.Fail}) {
		t.Errorf("evidence %+v", got[1].Seen)
	}
}

// TestFewVariants: below four distinct ones there is no correlation and no subset.
func TestFewVariants(t *testing.T) {
	var of []compare.Input
	for i := range 5 {
		of = append(of, solved(t, fmt.Sprint("v", i), 2, map[string]int{"a": i % 2, "b": 1 + i%2}))
	}
	if a := audited(t, of); a.Subset != nil || a.Least.OK || itemOf(t, a, "a").Discrimination != nil || len(a.Problems) != 2 {
		t.Errorf("two distinct variants: %+v", a)
	}
	if _, err := audit.OfTests("variant", of[:1], nil, 0.95); err == nil {
		t.Error("one variant is no error")
	}
	if _, err := audit.OfTests("variant", of, nil, 1); err == nil {
		t.Error("a confidence of 1 is no error")
	}
}

// TestPlantedDefects: 24 variants, 40 tests of a logistic model; four are planted saturated,
// three never solved, three rank against the rest, and two pairs share what they say. All
// that is certain is found; of the others most, and hardly anything else.
func TestPlantedDefects(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 49))
	const designs, variants, tests, trials = 10, 24, 40, 5
	against, falseAgainst, pairs, falsePairs := 0, 0, 0, 0
	for range designs {
		passed := make([]map[string]int, variants)
		ability, own := make([]float64, variants), make([][2]float64, variants)
		for v := range passed {
			passed[v], ability[v], own[v] = map[string]int{}, r.NormFloat64()*1.2, [2]float64{r.NormFloat64() * 2, r.NormFloat64() * 2}
		}
		for i := range tests {
			name, difficulty := fmt.Sprintf("t%02d", i), r.NormFloat64()
			for v := range passed {
				at := ability[v] - difficulty
				switch {
				case i < 4:
					at = math.Inf(1)
				case i < 7:
					at = math.Inf(-1)
				case i < 10:
					at = -1.5 * ability[v]
				case i < 14: // t10 and t11 are a pair, t12 and t13 another
					at = ability[v] + own[v][(i-10)/2]
				}
				k := 0
				for range trials {
					if r.Float64() < 1/(1+math.Exp(-at)) {
						k++
					}
				}
				passed[v][name] = k
			}
		}
		var of []compare.Input
		for v := range passed {
			of = append(of, solved(t, fmt.Sprintf("v%02d", v), trials, passed[v]))
		}
		a := audited(t, of)
		for i := range 7 {
			if says := itemOf(t, a, fmt.Sprintf("t%02d", i)).Says; says != audit.SaysNothing && says != audit.SaysNever {
				t.Errorf("t%02d: %q", i, says)
			}
		}
		for i := range a.Tests {
			if it := &a.Tests[i]; it.Says == audit.SaysAgainst {
				if it.Test >= "t07" && it.Test <= "t09" {
					against++
				} else {
					falseAgainst++
				}
			}
		}
		for _, p := range a.Alike {
			if p.First.Test == "t10" && p.Second.Test == "t11" || p.First.Test == "t12" && p.Second.Test == "t13" {
				pairs++
			} else {
				falsePairs++
			}
		}
		if a.Subset == nil || a.Subset.Tau < 0.95 {
			t.Errorf("subset %+v", a.Subset)
		}
	}
	t.Logf("against the rest: %d of %d found, %d false; pairs: %d of %d found, %d false", against, 3*designs, falseAgainst, pairs,
		2*designs, falsePairs)
	if against < 20 || falseAgainst > 2 || pairs < 8 || falsePairs > 5 {
		t.Error("too few are found, or too many that are none")
	}
}
