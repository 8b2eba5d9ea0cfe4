package rule

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tribunal/envelope"
)

// TestScoresWithoutWords: a rule that says quickly what it finds in scores says
// what it finds in words.
func TestScoresWithoutWords(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	seen := map[envelope.Status]int{}
	for range 5000 {
		s := &Sample{}
		for range random.IntN(12) {
			s.Add(random.IntN(2) == 0)
			s.Scores[len(s.Scores)-1] = float64(random.IntN(11)) / 10
			s.Own = append(s.Own, true)
		}
		p := envelope.Effective{Policy: envelope.Policy{Threshold: envelope.Some(float64(1+random.IntN(9)) / 10), Confidence: envelope.Some(0.9)}}
		for _, rule := range Table {
			if rule.Scores == nil {
				continue
			}
			got, want := StatusOf(rule.Scores(Summarise(s.Scores), p)), rule.Judge(s, p).Status
			if got != want {
				t.Fatalf("%s of %v at %v: %s, in words %s", rule.Name, s.Scores, p.Threshold.V, got, want)
			}
			seen[got]++
		}
	}
	if seen[envelope.Pass] < 100 || seen[envelope.Fail] < 100 || seen[envelope.Inconclusive] < 100 {
		t.Errorf("one-sided: %v", seen)
	}
}

// TestAMeanThatEqualsItsThreshold reaches it, whatever floats make of the
// decimals: every multiset of up to five scores in tenths whose mean is one of
// 0.1 to 0.9, in another order each.
func TestAMeanThatEqualsItsThreshold(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	ties := 0
	var choose func(tenths []int, sum int)
	choose = func(tenths []int, sum int) {
		if n := len(tenths); n > 1 && sum%n == 0 && sum > 0 && sum < 10*n {
			ties++
			checkTie(t, random, tenths, sum/n)
		}
		for next := 0; len(tenths) < 5 && next <= 10; next++ {
			if len(tenths) == 0 || next >= tenths[len(tenths)-1] {
				choose(append(slices.Clone(tenths), next), sum+next)
			}
		}
	}
	choose(nil, 0)
	if ties < 500 {
		t.Errorf("only %d ties", ties)
	}
}

func checkTie(t *testing.T, random *rand.Rand, tenths []int, mean int) {
	t.Helper()
	threshold := float64(mean) / 10
	s := &Sample{HasScores: true}
	for _, i := range random.Perm(len(tenths)) {
		s.Scores, s.Outcomes = append(s.Scores, float64(tenths[i])/10), append(s.Outcomes, true)
	}
	found := meanRule.Judge(s, envelope.Effective{Policy: envelope.Policy{Threshold: envelope.Some(threshold)}})
	if found.Status != envelope.Pass || found.Verdict.Statistic.V != threshold {
		t.Errorf("%v at %v: %s, mean %v", s.Scores, threshold, found.Status, found.Verdict.Statistic.V)
	}
	if got := meanRule.Score(s, 0.95); got.Mean != threshold || got.Value != threshold {
		t.Errorf("%v: mean %v, value %v, want %v", s.Scores, got.Mean, got.Value, threshold)
	}
}

// TestStudentPValue: with two degrees of freedom P(T <= t) is 1/2 + t/(2 sqrt(2 + t²)).
func TestStudentPValue(t *testing.T) {
	p := envelope.Effective{Policy: envelope.Policy{Threshold: envelope.Some(0.5), Confidence: envelope.Some(0.95)}}
	for _, c := range []struct {
		reason string
		scores []float64
		want   float64
	}{
		{"above the threshold by as much", []float64{1 - math.Sqrt(3)/2, 1, 1 + math.Sqrt(3)/2}, 0.5 + 0.5/math.Sqrt(3)},
		{"two distinct scores say too little of the spread", []float64{0, 0.5, 0.5}, 1},
		{"two degrees: 1/2 - 1/(2 sqrt 3) at t = -1", []float64{-math.Sqrt(3) / 2, 0, math.Sqrt(3) / 2}, 0.5 - 0.5/math.Sqrt(3)},
		{"one score says nothing of the spread", []float64{0}, 1},
		{"equal scores below", []float64{0.2, 0.2, 0.2}, 1},
		{"equal scores at the threshold", []float64{0.5, 0.5}, 1},
		{"scores too large to be summed", []float64{math.MaxFloat64, -math.MaxFloat64}, 1},
	} {
		s := &Sample{Outcomes: make([]bool, len(c.scores)), Scores: c.scores}
		if got := studentP(s, p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestIntervalOfTwoScores: the least that has an interval, with t = 12.7062047361747 for one
// degree of freedom (R 4.2.2, qt(0.975, 1)): the mean +- t for scores that lie 2 apart. It is
// clamped where all scores lie in 0..1, the ends among them.
func TestIntervalOfTwoScores(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		lo, hi float64
	}{
		{[]float64{2, 4}, 3 - 12.7062047361747, 3 + 12.7062047361747},
		{[]float64{-0.5, 1.5}, 0.5 - 12.7062047361747, 0.5 + 12.7062047361747},
		{[]float64{0.4, 0.6}, 0, 1},
		{[]float64{0.5, 1}, 0, 1},
		{[]float64{0, 0.5}, 0, 1},
	} {
		lo, hi, err := Summarise(c.scores).interval(0.95)
		if err != nil || math.Abs(lo-c.lo) > 1e-9 || math.Abs(hi-c.hi) > 1e-9 {
			t.Errorf("%v: %v to %v, %v, want %v to %v", c.scores, lo, hi, err, c.lo, c.hi)
		}
	}
	if _, _, err := Summarise([]float64{0.5}).interval(0.95); err == nil {
		t.Error("one score has an interval")
	}
	if two := Summarise([]float64{0.4, 0.6}); two.With(0, 2).Moments != two.Moments {
		t.Errorf("no further trials make %+v of %+v", two.With(0, 2), two)
	}
}

// TestShortDecimal: only a number that is a short decimal to 15 digits becomes one.
func TestShortDecimal(t *testing.T) {
	tenth, fifth := 0.1, 0.2 // constants would be added up exactly
	for _, c := range [][2]float64{{tenth + fifth, 0.3}, {3 * tenth, 0.3}, {1.0 / 3, 1.0 / 3}, {math.Pi, math.Pi}, {0.5, 0.5}, {math.Inf(1), math.Inf(1)}} {
		if got := ShortDecimal(c[0]); got != c[1] {
			t.Errorf("%v becomes %v, want %v", c[0], got, c[1])
		}
	}
}
