package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
)

// spend sums what the trials of a test took, every trial that was paid for
// whether it counts or not. Setup is kept apart.
func spend(t *envelope.Test) {
	r := &t.Rows
	t.DurationMS = spread(r.DurationMS.Values())
	t.SetupMS = sum(r.SetupMS.Values())
	t.CostUSD = sum(r.CostUSD.Values())
	t.CostPerSuccess = perSuccess(t.CostUSD, t.Trials.Passed)
	t.SetupCost = sum(r.SetupCost.Values())
	t.Tokens = sum(r.Tokens.Values())
	t.ToolCalls = sum(widen(r.ToolCalls.Values()))
}

func sum[T envelope.Cell](values []T) envelope.Opt[T] {
	var total envelope.Opt[T]
	for _, v := range values {
		total.V, total.OK = total.V+v, true
	}
	return total
}

func widen(values []int32) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = int64(v)
	}
	return out
}

func addTo[T envelope.Cell](total *envelope.Opt[T], v envelope.Opt[T]) {
	if v.OK {
		total.V, total.OK = total.V+v.V, true
	}
}

// spread summarises durations; nil without any.
func spread(ms []float64) *envelope.Spread {
	total := sum(ms)
	if !total.OK {
		return nil
	}
	slices.Sort(ms)
	return &envelope.Spread{Total: total.V, P50: quantile(ms, 0.50), P95: quantile(ms, 0.95)}
}

// quantile interpolates between the neighbours in sorted values, as R's type 7
// (Hyndman and Fan, The American Statistician 50, 1996).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// summarise counts the run and its suites. Tests come sorted by suite.
func summarise(env *envelope.Envelope) {
	s := &env.Summary
	s.Trials = envelope.TrialCounts{Planned: env.Run.PlannedTrials, Excluded: map[string]int{}}
	for i := range env.Tests {
		t := &env.Tests[i]
		if len(env.Suites) == 0 || env.Suites[len(env.Suites)-1].Name != t.Suite {
			env.Suites = append(env.Suites, envelope.Suite{Name: t.Suite})
		}
		addTest(s, &env.Suites[len(env.Suites)-1], t)
	}
	s.Rate = rates(s.Trials, env.Policy.Confidence.V)
	s.CostPerSuccess = perSuccess(s.CostUSD, s.Trials.Passed)
}

func addTest(s *envelope.Summary, suite *envelope.Suite, t *envelope.Test) {
	s.Add(t.Status)
	suite.Add(t.Status)
	if t.Flaky {
		s.Flaky++
		suite.Flaky++
	}
	s.Trials.Total += t.Trials.Total
	s.Trials.Counted += t.Trials.Counted
	s.Trials.Passed += t.Trials.Passed
	for class, n := range t.Trials.Excluded {
		s.Trials.Excluded[class] += n
	}
	if t.DurationMS != nil {
		total := envelope.Some(t.DurationMS.Total)
		addTo(&s.DurationMS, total)
		addTo(&suite.DurationMS, total)
	}
	addTo(&s.SetupMS, t.SetupMS)
	addTo(&s.CostUSD, t.CostUSD)
	addTo(&suite.CostUSD, t.CostUSD)
	addTo(&s.CostToVerdict, t.CostToVerdict)
	addTo(&s.SetupCostUSD, t.SetupCost)
	addTo(&s.Tokens, t.Tokens)
	addTo(&s.ToolCalls, t.ToolCalls)
}

// classes lists excluded trials by class, for instance "2 infrastructure, 1 skip".
func classes(excluded map[string]int) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(excluded)) {
		parts = append(parts, fmt.Sprintf("%d %s", excluded[class], class))
	}
	return strings.Join(parts, ", ")
}
