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

// TestWhatDecidesOutcomesIsCompared: verdicts over trials that count otherwise
// are about something else.
func TestWhatDecidesOutcomesIsCompared(t *testing.T) {
	for i := range Keys {
		if k := &Keys[i]; k.Outcomes && !k.Compared {
			t.Errorf("%s decides what trials count as, and is not compared", k.Name)
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

func TestDiffering(t *testing.T) {
	a := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9), TreatAs: TreatFail, Metrics: MetricsAll}
	b := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.8), MinTrials: envelope.Some(5)}
	if got := strings.Join(Differing(a, b), " "); got != "threshold min_trials" {
		t.Errorf("got %q: what an inconclusive test does to the exit code and what metrics there are change no verdict", got)
	}
}
