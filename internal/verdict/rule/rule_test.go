package rule

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestEveryRowIsWhole: what the program asks of a rule is there, so that nothing
// has to know the rule by its name.
func TestEveryRowIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Table {
		for _, name := range append([]string{r.Name}, r.Aliases...) {
			if found, err := ByName(name); err != nil || found.Name != r.Name || seen[name] {
				t.Errorf("%s is %s, %v; named twice: %v", name, found.Name, err, seen[name])
			}
			seen[name] = true
		}
		whole := r.Doc != "" && r.Asks != nil && r.Check != nil && r.Judge != nil && slices.Contains([]string{"best", "worst", "mean"}, r.Reports)
		if !whole {
			t.Errorf("%s: a row has a line, its words, a check, a judge and the score it reports", r.Name)
		}
		if (r.Counts == nil) == (r.Scores == nil) || r.Scored != (r.Scores != nil) {
			t.Errorf("%s: a rule says what it finds either in counts or in scores", r.Name)
		}
		if r.Sequential != (r.Onward != nil) || r.Sequential != (r.Hypotheses != nil) || r.Sequential && !r.ThreeWay {
			t.Errorf("%s: a sequential rule is three-way, goes on after its first decision and tells two rates apart, and no other does", r.Name)
		}
		if r.ThreeWay != (r.Explains != nil) {
			t.Errorf("%s: a three-way rule explains between what it decides", r.Name)
		}
	}
}

// TestRulesInWords: the rule of the title, by its parameters.
func TestRulesInWords(t *testing.T) {
	p := envelope.Effective{Policy: envelope.Policy{
		Threshold: envelope.Some(0.9), Confidence: envelope.Some(0.95), MinTrials: envelope.Some(1200),
		Gap: envelope.Some(0.1), Alpha: envelope.Some(0.05), Beta: envelope.Some(0.2),
	}}
	for name, want := range map[string]string{
		"all": "all trials must pass", "any": "one trial must pass", "majority": "more than half of the trials must pass",
		"mean":         "mean score at least 0.90",
		"wald":         "wald: pass rate at least 0.90 at 95 % confidence, at least 1,200 trials",
		"wilson":       "wilson: pass rate at least 0.90 at 95 % confidence, at least 1,200 trials",
		"exact":        "exact: pass rate at least 0.90 at 95 % confidence, at least 1,200 trials",
		"bounded-mean": "bounded-mean: mean score at least 0.90 at 95 % confidence, at least 1,200 trials",
		"t-interval":   "t-interval: mean score at least 0.90 at 95 % confidence, at least 1,200 trials",
		"bayes":        "bayes: pass rate at least 0.90 at 95 % confidence, at least 1,200 trials",
		"sprt":         "sprt: PASS shows a pass rate above 0.80, FAIL one below 0.90",
		"anytime":      "anytime: PASS shows a pass rate above 0.80, FAIL one below 0.90",
	} {
		r, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Asks(p); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if got := r.Asks(envelope.Effective{}); strings.ContainsAny(got, "0123456789") {
			t.Errorf("%s without parameters names some: %q", name, got)
		}
	}
}

// TestWhichRulesAreWhat: the lists that other packages ask for have these rules and
// have not those.
func TestWhichRulesAreWhat(t *testing.T) {
	for _, c := range []struct {
		what     string
		got      []string
		in, none string
	}{
		{"may be looked at after every trial", Sequential(), "sprt anytime", "all any majority mean wald wilson exact t-interval bayes"},
		{"have failures that can be adjusted", Adjustable(), "wald wilson exact t-interval bayes anytime", "all any majority mean sprt"},
		{"need a threshold and outcomes alone", That(Rule.Restorable), "wald wilson exact bayes sprt anytime", "all any majority mean t-interval"},
	} {
		for _, name := range strings.Fields(c.in) {
			if !slices.Contains(c.got, name) {
				t.Errorf("%s: %s is not among %s", c.what, name, c.got)
			}
		}
		for _, name := range strings.Fields(c.none) {
			if slices.Contains(c.got, name) {
				t.Errorf("%s: %s is among %s", c.what, name, c.got)
			}
		}
	}
}

// TestALongPathIsThinned: a path keeps its every third point, and the last one.
func TestALongPathIsThinned(t *testing.T) {
	if e := evidence("x", 1001, make([]float64, 1001)); e.Step != 3 || len(e.Path) != 334 {
		t.Errorf("1001 points thinned to %d of step %d, want every third and the last", len(e.Path), e.Step)
	}
}

// TestExactCountsAreThoseOfTheInterval: the quick way to say what the exact
// interval says of counts agrees with the interval.
func TestExactCountsAreThoseOfTheInterval(t *testing.T) {
	check := func(threshold, confidence float64, passed, failed int) {
		p := envelope.Effective{Policy: envelope.Policy{Threshold: envelope.Some(threshold), Confidence: envelope.Some(confidence)}}
		if got, want := countsExact(p)(passed, failed), countsByInterval(exactInterval)(p)(passed, failed); got != want {
			t.Fatalf("%d of %d at threshold %v, confidence %v: %v, the interval says %v", passed, passed+failed, threshold, confidence, got, want)
		}
	}
	for _, threshold := range []float64{0, 0.05, 0.5, 0.8, 0.9, 0.95, 0.999, 1} {
		for _, confidence := range []float64{0.1, 0.8, 0.95, 0.999} {
			for n := range 25 {
				for passed := range n + 1 {
					check(threshold, confidence, passed, n-passed)
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		n := 1 + random.IntN(20_000)
		threshold := random.Float64()
		near := int(float64(n)*threshold + 3*random.NormFloat64()*float64(n)/100)
		passed := max(0, min(n, near))
		check(threshold, 0.5+random.Float64()/2, passed, n-passed)
	}
}
