package plan

import (
	"errors"
	"math"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

// Run says how large a run must be to decide whether it reaches its threshold.
type Run struct {
	Threshold  float64               `json:"threshold"`
	Rate       float64               `json:"rate"` // expected, or that of the run
	ICC        envelope.Opt[float64] `json:"icc,omitzero"`
	Confidence float64               `json:"confidence"`
	Power      float64               `json:"power"`
	Designs    []RunDesign           `json:"designs"` // by trials of a test
}

// RunDesign is so many trials of each test, and how many tests decide: about these tests,
// and about similar ones. Absent is a number of more than a million trials, or one that
// the unknown correlation within tests would say.
type RunDesign struct {
	Trials  int    `json:"trials"`
	These   *Tests `json:"these,omitempty"`
	Similar *Tests `json:"similar,omitempty"`
}

// Tests is a number of tests, and what they take.
type Tests struct {
	Tests  int    `json:"tests"`
	Effort Effort `json:"effort"`
}

// trialsOfTests are the designs that a plan of a run shows.
var trialsOfTests = []int{1, 2, 5, 10, 20}

// run answers for the rate that is expected, or for that of a run.
func (q Question) run() (*Run, error) {
	r := &Run{Threshold: q.RunThreshold.V, Rate: q.Expect.V, ICC: q.ICC, Confidence: q.Confidence, Power: q.Power}
	if e := q.Envelope; e != nil {
		rate := e.Summary.Rate.PerProtocol
		if rate == nil {
			return nil, errors.New("no trial counts, so there is no pass rate to plan with; give the one you expect (expect)")
		}
		r.Rate = q.Expect.Or(rate.Value)
		if like := e.Summary.Like; like != nil && like.By == "test" && !q.ICC.OK {
			r.ICC = like.ICC
		}
		q.PriceUSD = priceOf(q.PriceUSD, e)
	}
	for _, n := range trialsOfTests {
		d := RunDesign{Trials: n}
		if all := r.trials(); all > 0 {
			d.These = q.tests((all+n-1)/n, n)
		}
		if r.ICC.OK || n == 1 {
			d.Similar = q.tests(r.similar(n), n)
		}
		r.Designs = append(r.Designs, d)
	}
	return r, nil
}

func (q Question) tests(tests, trials int) *Tests {
	if tests == 0 {
		return nil
	}
	return &Tests{tests, q.effort(tests * trials)}
}

// priceOf is the price asked with, or the mean cost of the trials of a run.
func priceOf(asked envelope.Opt[float64], e *envelope.Envelope) envelope.Opt[float64] {
	if asked.OK || !e.Summary.CostUSD.OK || e.Summary.Trials.Total == 0 {
		return asked
	}
	return known(e.Summary.CostUSD.V / float64(e.Summary.Trials.Total))
}

// trials is how many trials of the same tests decide, 0 for none: from there on the
// interval of the pass rate leaves out the threshold with the power, exactly by the
// binomial distribution.
func (r *Run) trials() int {
	z := stats.ConventionalZ(r.Confidence)
	boundary := stats.NewBoundary(func(passed, failed int) stats.Decision {
		switch lo, hi := stats.Wilson(passed, passed+failed, z); {
		case lo > r.Threshold:
			return stats.Pass
		case hi < r.Threshold:
			return stats.Fail
		}
		return stats.Undecided
	})
	n, _ := settledFrom(r.Power, r.Threshold, 0, MostEnough, func(n int) float64 {
		c := boundary.Once(r.Rate, n)
		if r.Rate > r.Threshold {
			return c.Pass
		}
		return c.Fail
	})
	return n
}

// similar is how many tests of so many trials decide about similar ones, 0 for none.
func (r *Run) similar(trials int) int {
	variance := r.Rate * (1 - r.Rate) * (r.ICC.V + (1-r.ICC.V)/float64(trials))
	return stats.RateDecision{Rate: r.Rate, Threshold: r.Threshold, Confidence: r.Confidence, Power: r.Power}.Tests(variance, mostTrials/trials)
}

// usualPower is that of a plan where nobody asks for another.
const usualPower = 0.8

// Decides is how many tests, of how many trials each, would decide the question that the
// threshold of a run asks, if it goes on as it did; not known where its rate is none of
// its tests, or too near the threshold.
func Decides(e *envelope.Envelope) (tests, trials int, ok bool) {
	s, p := &e.Summary, &e.Policy
	if !p.RunThreshold.OK || s.Stopped != nil || s.Rate.PerProtocol == nil {
		return 0, 0, false
	}
	counted := map[string][3]int{} // tests, trials and passed ones, by variant
	for i := range e.Tests {
		if t := &e.Tests[i]; t.Trials.Counted > 0 {
			tests++
			of := counted[t.Variant]
			counted[t.Variant] = [3]int{of[0] + 1, of[1] + t.Trials.Counted, of[2] + t.Trials.Passed}
		}
	}
	r := Run{Threshold: p.RunThreshold.V, Confidence: p.Confidence.V, Power: usualPower}
	if p.RunScope == policy.ScopeLike {
		if s.Like == nil || s.Like.Rate == nil || !s.Like.ICC.OK {
			return 0, 0, false
		}
		groups := float64(s.Like.Count)
		r.Rate, r.ICC = s.Like.Rate.Value, s.Like.ICC
		n := r.similar(max(1, int(math.Round(float64(s.Trials.Counted)/groups))))
		trials = max(1, int(math.Round(float64(s.Trials.Counted)/float64(tests))))
		return int(math.Ceil(float64(n) * float64(tests) / groups)), trials, n > 0
	}
	for _, of := range counted { // each variant has to hold
		r.Rate = float64(of[2]) / float64(of[1])
		n := r.trials()
		if n == 0 {
			return 0, 0, false
		}
		if n > of[1] || len(counted) == 1 {
			trials = max(trials, (n+of[0]-1)/of[0])
		}
	}
	return tests, trials, trials > 0
}

// part has the designs.
func (r *Run) part() block.Part {
	t := &block.Table{Title: "Tests that decide", Columns: block.Columns("Trials of each test", "These tests", "", "Similar tests", ""),
		Legend: "The number of tests and their trials. Similar tests: the tests are a sample of others, and their rates vary."}
	if !r.ICC.OK {
		t.Legend += " How many of several trials each depends on the correlation within a test: --icc."
	}
	cells := func(of *Tests, unknown string) []string {
		if of == nil {
			return []string{unknown, ""}
		}
		return []string{words.Count(of.Tests), of.Effort.Words()}
	}
	for _, d := range r.Designs {
		unknown := "over " + words.Count(mostTrials)
		if !r.ICC.OK && d.Trials > 1 {
			unknown = "-"
		}
		t.Rows = append(t.Rows, append(append([]string{words.Count(d.Trials)}, cells(d.These, "over "+words.Count(MostEnough))...), cells(d.Similar, unknown)...))
	}
	remark := "at a pass rate of " + words.Percent(r.Rate) + " %"
	if r.ICC.OK {
		remark += ", trials of a test correlate by " + words.Decimal(r.ICC.V)
	}
	return block.Part{ID: "run", Title: "Is the pass rate of the run at least " + words.Percent(r.Threshold) + " %?", Blocks: []block.Block{t},
		Remark: remark + ", " + words.Level(r.Confidence) + " confidence, " + words.Level(r.Power) + " power"}
}
