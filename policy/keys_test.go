package policy

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"tribunal/envelope"
)

// TestEveryFieldHasItsRow: a field without a row would be in no help, no schema
// and no comparison; a row without a field would be of nothing.
func TestEveryFieldHasItsRow(t *testing.T) {
	kind := reflect.TypeFor[envelope.Policy]()
	rows := map[string]int{}
	for i := range Keys {
		k := &Keys[i]
		rows[k.Name]++
		if _, ok := fields[k.Name]; !ok {
			t.Errorf("%s: envelope.Policy has no field of that JSON key", k.Name)
		}
		if k.Doc == "" {
			t.Errorf("%s: say what it says", k.Name)
		}
	}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		if rows[name] != 1 {
			t.Errorf("field %s has %d rows of the name %s, want one", kind.Field(i).Name, rows[name], name)
		}
	}
}

func TestRanges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		r        Range
		in, out  []float64
		says, is string
	}{
		{Range{}, []float64{-5, 0, 1e300}, []float64{math.NaN(), inf, -inf}, "a finite number", "without bounds"},
		{between(0, 1), []float64{0, 0.5, 1}, []float64{-0.1, 1.1, math.NaN(), inf}, "0 to 1", "closed"},
		{inside(0, 1), []float64{0.01, 0.99}, []float64{0, 1, -1, math.NaN()}, "a number above 0 and below 1", "open"},
		{atLeast(1, ""), []float64{1, 2}, []float64{0, -1}, "1 or more", "a number of things"},
		{atLeast(0, " tests"), []float64{0}, []float64{-1}, "0 or more tests", "named things"},
		{above(0), []float64{1e-9, 5}, []float64{0, -1, inf}, "a finite number above 0", "open below"},
	} {
		for _, v := range c.in {
			if err := c.r.check("x", v); err != nil {
				t.Errorf("%s: %v", c.is, err)
			}
		}
		for _, v := range c.out {
			if err := c.r.check("x", v); err == nil || !strings.Contains(err.Error(), "give "+c.says) {
				t.Errorf("%s: %v gives %v, want one that says %q", c.is, v, err, c.says)
			}
		}
	}
}

// TestFillKeepsWhatIsSaid: also what is false or 0.
func TestFillKeepsWhatIsSaid(t *testing.T) {
	said := envelope.Policy{Lenient: envelope.Some(false), Threshold: envelope.Some(0.0), K: []int{1}}
	gaps := envelope.Policy{Lenient: envelope.Some(true), Threshold: envelope.Some(0.5), K: []int{2}, Rule: "any"}
	want := envelope.Policy{Lenient: envelope.Some(false), Threshold: envelope.Some(0.0), K: []int{1}, Rule: "any"}
	if got := Fill(said, gaps); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestRangesOfTheContract: the ranges that reports and other programs rely on,
// as they were published.
func TestRangesOfTheContract(t *testing.T) {
	for name, c := range map[string]struct{ in, out []float64 }{
		"confidence":         {[]float64{0.8, 0.95, 0.999}, []float64{0.79, 0.9991, 95}},
		"min_coverage":       {[]float64{0, 1}, []float64{-0.01, 1.01}},
		"alpha":              {[]float64{0.001, 0.999}, []float64{0, 1}},
		"beta":               {[]float64{0.001, 0.999}, []float64{0, 1}},
		"gap":                {[]float64{0.001, 0.999}, []float64{0, 1}},
		"min_trials":         {[]float64{1}, []float64{0}},
		"expect_trials":      {[]float64{1}, []float64{0}},
		"expect_tests":       {[]float64{1}, []float64{0}},
		"cost_limit_usd":     {[]float64{0, 0.5}, []float64{-0.01, math.Inf(1)}},
		"run_cost_limit_usd": {[]float64{0, 0.5}, []float64{-0.01, math.Inf(1)}},
		"quarantine_cap":     {[]float64{0}, []float64{-1}},
		"tau":                {[]float64{0, 1}, []float64{-0.01, 1.01}},
		"lambda":             {[]float64{0, 1}, []float64{-0.01, 1.01}},
		"prior_alpha":        {[]float64{1e-9, 7}, []float64{0, math.Inf(1)}},
		"prior_beta":         {[]float64{1e-9, 7}, []float64{0, math.Inf(1)}},
		"threshold":          {[]float64{-3, 0, 1, 40}, []float64{math.NaN(), math.Inf(-1)}},
		"score_threshold":    {[]float64{-3, 0, 1, 40}, []float64{math.NaN(), math.Inf(-1)}},
	} {
		r := ByName(name).Range
		for _, v := range c.in {
			if !r.holds(v) {
				t.Errorf("%s %v is refused", name, v)
			}
		}
		for _, v := range c.out {
			if r.holds(v) {
				t.Errorf("%s %v is accepted", name, v)
			}
		}
	}
}

// TestWhatIsCompared: the keys that make verdicts speak of something else, and
// those of them that decide what trials count as.
func TestWhatIsCompared(t *testing.T) {
	var compared, outcomes []string
	for i := range Keys {
		if Keys[i].Compared {
			compared = append(compared, Keys[i].Name)
		}
		if Keys[i].Outcomes {
			outcomes = append(outcomes, Keys[i].Name)
		}
	}
	if got := strings.Join(compared, " "); got != "rule retry_rule threshold confidence min_trials min_coverage alpha beta gap adjust score_threshold score_range detect_empty_runs cost_limit_usd run_cost_limit_usd overrides" {
		t.Errorf("compared are %s", got)
	}
	if got := strings.Join(outcomes, " "); got != "score_threshold detect_empty_runs cost_limit_usd run_cost_limit_usd" {
		t.Errorf("outcomes follow from %s", got)
	}
}

func TestDiffering(t *testing.T) {
	a := envelope.Effective{Policy: envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), TreatAs: TreatFail, Metrics: MetricsAll}}
	b := envelope.Effective{Policy: envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.8), MinTrials: envelope.Some(5)}}
	if got := strings.Join(Differing(a, b), " "); got != "threshold min_trials" {
		t.Errorf("got %q: what an inconclusive test does to the exit code and what metrics there are change no verdict", got)
	}
}

// TestSharesAreWrittenAsPeopleWriteThem: 90, 90% and 0.9 are one rate, and what could
// be a slip of either is left for a rule to refuse.
func TestSharesAreWrittenAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		reason, word string
		rate         float64
	}{
		{"a fraction", "0.9", 0.9},
		{"a percentage without its sign", "90", 0.9},
		{"a percentage", "90%", 0.9},
		{"with a blank", "90 %", 0.9},
		{"no digit is lost", "99.9%", 0.999},
		{"a small percentage needs its sign", "5%", 0.05},
		{"no fraction, and hardly a percentage", "5", 5},
		{"all", "100", 1},
		{"a score above all rates", "101", 101},
	} {
		v, err := Number(c.word)
		if got := Rate(v); err != nil || got != c.rate {
			t.Errorf("%s: %s is %v (%v), want %v", c.reason, c.word, got, err, c.rate)
		}
	}
	for _, word := range []string{"", "%", "much", "9o%", "0,9"} {
		if v, err := Number(word); err == nil {
			t.Errorf("%q is read as %v", word, v)
		}
	}
}
