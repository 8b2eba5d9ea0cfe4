package verdict

import (
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/verdict/rule"
	"tribunal/stats"
)

// sumCosts sets the time, cost and tokens of all trials of a test, counted or not, without
// setup. It uses ms as scratch memory and returns it for the next test.
func sumCosts(t *envelope.Test, ms []float64, confidence float64) []float64 {
	r := t.Rows
	ms = r.DurationMS().AppendValues(ms[:0])
	if total := sum(ms); total.OK {
		t.DurationMS = &envelope.Spread{Total: total.V}
		ms = countedOf(r, r.DurationMS(), ms)
		addPercentiles(t.DurationMS, ms, confidence)
	}
	t.SetupMS = sum(r.SetupMS())
	t.CostUSD = sum(r.CostUSD())
	var y costPerPass
	y.add(t)
	t.CostPerSuccess = y.value()
	t.SetupCost = sum(r.SetupCost())
	t.Tokens = sumWhole(r.Tokens())
	t.ToolCalls = sumWhole(r.ToolCalls())
	return ms
}

// countedOf is the cells of a column for the trials that count. All of them stand in the room already, and mostly all count.
func countedOf(r *envelope.Rows, c envelope.Column[float64], all []float64) []float64 {
	if !slices.ContainsFunc(r.Outcome, func(o envelope.Outcome) bool { return !o.Counted() }) {
		return all
	}
	all = all[:0]
	for i, outcome := range r.Outcome {
		if v, ok := c.At(i); ok && outcome.Counted() {
			all = append(all, v)
		}
	}
	return all
}

// addPercentiles adds those of some durations, which it puts in another order: a skipped
// trial that took no time, or an outage that took an hour, says nothing of the test.
func addPercentiles(s *envelope.Spread, ms []float64, confidence float64) {
	if len(ms) == 0 {
		return
	}
	p50, p95 := quantiles(ms, 0.50, 0.95)
	s.P50, s.P95 = envelope.Some(p50), envelope.Some(p95)
	if lo, hi, ok := stats.MedianPlaces(len(ms), confidence); ok {
		s.P50Lo, s.P50Hi = envelope.Some(smallest(ms, lo)), envelope.Some(smallest(ms, hi))
	}
}

// summarise counts the run and its suites. Tests come sorted by suite.
func summarise(env *envelope.Envelope) {
	s := &env.Summary
	s.Trials = envelope.TrialCounts{Planned: env.Run.PlannedTrials, Excluded: map[string]int{}}
	for start := 0; start < len(env.Tests); {
		end := start
		for end < len(env.Tests) && env.Tests[end].Suite == env.Tests[start].Suite {
			countTest(s, &env.Tests[end])
			end++
		}
		env.Suites = append(env.Suites, suiteOf(env.Tests[start:end]))
		start = end
	}
	s.Rate = rates(s.Trials, env.Policy.Confidence.V)
	s.Variants = variantsOf(env)
	s.WallMS = wallTime(env)
	s.DurationMS = sumOf(&total{}, env.Tests, durationOf)
	s.SetupMS = sumOf(&total{}, env.Tests, func(t *envelope.Test) envelope.Opt[float64] { return t.SetupMS })
	s.CostUSD = sumOf(&total{}, env.Tests, paidFor)
	s.SetupCostUSD = sumOf(&total{}, env.Tests, func(t *envelope.Test) envelope.Opt[float64] { return t.SetupCost })
	s.CostToVerdict = sumOf(&total{}, env.Tests, func(t *envelope.Test) envelope.Opt[float64] { return t.CostToVerdict })
	s.CostPerSuccess = CostPerSuccess(env.Tests)
	s.Tokens = sumOf(&wholeTotal{}, env.Tests, func(t *envelope.Test) envelope.Opt[int64] { return t.Tokens })
	s.ToolCalls = sumOf(&wholeTotal{}, env.Tests, func(t *envelope.Test) envelope.Opt[int64] { return t.ToolCalls })
}

// wallTime is from the start of the first trial of a run to the end of the last one. Several runs put together
// have none, nor has a run with a trial that took time and does not say when it started.
func wallTime(env *envelope.Envelope) envelope.Opt[float64] {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range env.Tests {
		rows := env.Tests[i].Rows
		started, took := rows.StartedAt(), rows.DurationMS()
		for row := range rows.Len() {
			at, dated := started.At(row)
			ms, timed := took.At(row)
			if timed && !dated && ms > 0 {
				return envelope.Opt[float64]{}
			}
			if dated {
				first, last = min(first, at), max(last, at+int64(ms*1e6))
			}
		}
	}
	if last <= first || len(env.Run.Headers) > 0 {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(float64(last-first) / 1e6)
}

// CostPerSuccess is what the trials of these judged tests that say their cost came to,
// for each that passed among them; absent without one.
func CostPerSuccess(tests []envelope.Test) envelope.Opt[float64] {
	var y costPerPass
	for i := range tests {
		y.add(&tests[i])
	}
	return y.value()
}

func suiteOf(tests []envelope.Test) envelope.Suite {
	out := envelope.Suite{Name: tests[0].Suite, DurationMS: sumOf(&total{}, tests, durationOf), CostUSD: sumOf(&total{}, tests, paidFor)}
	for i := range tests {
		out.Add(tests[i].Status)
		if tests[i].Flaky {
			out.Flaky++
		}
	}
	return out
}

func durationOf(t *envelope.Test) envelope.Opt[float64] {
	if t.DurationMS == nil {
		return envelope.Opt[float64]{}
	}
	return envelope.Some(t.DurationMS.Total)
}

// paidFor is what the trials of a test cost, also those that ended behind its verdict.
func paidFor(t *envelope.Test) envelope.Opt[float64] {
	_, beyond := t.Beyond()
	if !beyond.OK {
		return t.CostUSD
	}
	return envelope.Some(t.CostUSD.V + beyond.V)
}

func countTest(s *envelope.Summary, t *envelope.Test) {
	s.Add(t.Status)
	if t.Flaky {
		s.Flaky++
	}
	if t.NotRun() {
		s.NotRun++
	}
	if t.Quarantined {
		s.Quarantined++
	}
	if t.Excused() {
		s.Excused++
	}
	s.Trials.Add(t.Trials)
}

// variantsOf sums up the tests of each variant; nil where there are not several.
func variantsOf(env *envelope.Envelope) []envelope.Variant {
	if !envelope.AnyTest(env.Tests, func(t *envelope.Test) bool { return t.Variant != env.Tests[0].Variant }) {
		return nil
	}
	at, costs := map[string]int{}, []total{}
	var out []envelope.Variant
	for i := range env.Tests {
		t := &env.Tests[i]
		n, known := at[t.Variant]
		if !known {
			n = len(out)
			at[t.Variant] = n
			out = append(out, envelope.Variant{Name: t.Variant, Trials: envelope.TrialCounts{Excluded: map[string]int{}}})
			costs = append(costs, total{})
		}
		v := &out[n]
		v.Add(t.Status)
		if t.Flaky {
			v.Flaky++
		}
		v.Trials.Add(t.Trials)
		if cost := paidFor(t); cost.OK {
			costs[n].add(cost.V)
		}
	}
	for i := range out {
		out[i].Rate, out[i].CostUSD = rates(out[i].Trials, env.Policy.Confidence.V).PerProtocol, costs[i].value()
	}
	slices.SortFunc(out, func(a, b envelope.Variant) int { return envelope.CompareNames(a.Name, b.Name) })
	return out
}

// meanScore is the mean score of the counted trials of tests with scores; nil where these
// say no more than outcomes do, or lie outside of their range.
func meanScore(env *envelope.Envelope) *envelope.Rate {
	scores, graded := make([]float64, 0, len(env.Tests)), false
	for i := range env.Tests {
		t := &env.Tests[i]
		if t.Score == nil {
			continue
		}
		for row, outcome := range t.Rows.Outcome {
			if outcome.Counted() {
				v, ok := t.Rows.Score().At(row)
				if !ok || outcome == envelope.Errored {
					v = rule.PointsUnder(env.Policy, outcome == envelope.Passed)
				}
				scores, graded = append(scores, v), graded || v != 0 && v != 1
			}
		}
	}
	if !graded {
		return nil
	}
	mean, err := rule.MeanOf(scores, env.Policy)
	if err != nil {
		return nil
	}
	return mean
}
