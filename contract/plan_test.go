package contract_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/internal/history/trend"
	"tribunal/internal/hostile"
	"tribunal/internal/plan"
	"tribunal/render"
	"tribunal/verdict"
)

var plans = matrix[plan.Plan]{folder: "plans", formats: render.Plans, schema: "plan", samples: samplesOfPlans()}

func samplesOfPlans() (all []sample[plan.Plan]) {
	some := envelope.Some[float64]
	undecided := &golden{streams: []string{"weather-agent"}, policy: envelope.Policy{Rule: "sprt", Threshold: some(0.9)}}
	hostile := &golden{streams: []string{"hostile"}, policy: envelope.Policy{Rule: "wilson", Threshold: some(0.9)}}
	for name, asked := range map[string]struct {
		of   *golden
		rule envelope.Policy
		plan.Question
	}{
		"precision":  {Question: plan.Question{HalfWidth: some(0.05), Expect: some(0.9), PriceUSD: some(0.02), Trials: envelope.Some(100)}},
		"wilson":     {rule: envelope.Policy{Rule: "wilson", Threshold: some(0.9)}, Question: plan.Question{Trials: envelope.Some(20)}},
		"sprt":       {rule: envelope.Policy{Rule: "sprt", Threshold: some(0.9)}, Question: plan.Question{Expect: some(0.96), PriceUSD: some(0.03)}},
		"all":        {rule: envelope.Policy{Rule: "all"}, Question: plan.Question{Trials: envelope.Some(5)}},
		"difference": {Question: plan.Question{Rates: &[2]float64{0.9, 0.8}, Discordant: some(0.14), Trials: envelope.Some(50), Sequential: true}},
		"clustered": {Question: plan.Question{Tests: envelope.Some(20), Trials: envelope.Some(20), ICC: some(0.1), Rates: &[2]float64{0.9, 0.8},
			PriceUSD: some(0.02)}},
		"judge": {Question: plan.Question{Judge: &[2]float64{0.95, 0.9}, Labels: envelope.Some(50), Trials: envelope.Some(400), Expect: some(0.9),
			PriceUSD: some(0.02)}},
		"settling":   {of: undecided},
		"hostile":    {of: hostile, Question: plan.Question{PriceUSD: some(0)}},
		"everything": {of: undecided, rule: envelope.Policy{Rule: "anytime", Threshold: some(0.8)}, Question: plan.Question{HalfWidth: some(0.1), Rates: &[2]float64{0.5, 0.6}}},
	} {
		all = append(all, sample[plan.Plan]{name, "the plan " + name, func(t *testing.T) *plan.Plan {
			q := asked.Question
			if asked.of != nil {
				q.Envelope = asked.of.envelope(t)
			}
			if asked.rule.Rule != "" {
				held := must(verdict.Resolve(asked.rule))(t)
				q.Policy = &held
			}
			return planOf(t, q)
		}})
	}
	return all
}

func planOf(t *testing.T, q plan.Question) *plan.Plan {
	t.Helper()
	q.Power, q.Confidence = 0.8, 0.95
	return must(plan.New(q))(t)
}

func TestPlans(t *testing.T) { plans.hold(t) }

// trendGolden is one trend of the matrix: what each test did in each run, in
// words such as 4/5 (passed of counted), - for not there, x for no trial counted
// and s for skipped.
type trendGolden struct {
	name, reason string
	tests        []trendSeries
	bare         bool // runs say nothing of themselves
	texts        func(i int) string
}

type trendSeries struct{ suite, test, variant, runs string }

func series(words ...string) string { return strings.Join(words, " ") }

func times(word string, n int) string { return strings.TrimSpace(strings.Repeat(word+" ", n)) }

var everyState = []trendSeries{
	{"forecast", "names the right city", "", times("5/5", 20)},
	{"forecast", "names the right city", "haiku", series(times("5/5", 14), "3/5 5/5 4/5 3/5 4/5 2/5")},
	{"forecast", "converts units", "", "10/10 10/10 9/10 10/10 9/10 9/10 8/10 9/10 8/10 8/10 7/10 8/10 7/10 7/10 6/10 7/10 6/10 5/10 6/10 5/10"},
	{"forecast", "explains uncertainty", "", "8/10 9/10 - 10/10 8/10 9/10 9/10 x 10/10 8/10 9/10 s 10/10 9/10 8/10 9/10 10/10 8/10 9/10 9/10"},
	{"tools", "recovers from a timeout", "", series(times("5/5", 17), times("0/5", 3))},
	{"tools", "refuses without a key", "", series(times("1/5 2/5", 4), times("5/5", 12))},
	{"tools", "learns", "", "2/10 3/10 2/10 4/10 3/10 5/10 4/10 5/10 6/10 5/10 7/10 6/10 7/10 8/10 7/10 8/10 9/10 8/10 9/10 9/10"},
	{"tools", "never worked", "", times("0/5", 20)},
	{"tools", "has no trial that counts", "", times("x", 20)},
}

var trendGoldens = []trendGolden{
	{name: "states", reason: "a test in every state", tests: everyState},
	{name: "one-run", reason: "one run shows no change", tests: []trendSeries{{"s", "a", "", "3/5"}, {"s", "b", "", "5/5"}}},
	{name: "steady", reason: "nothing to tell: short list, stable tests in it", tests: []trendSeries{{"s", "a", "", times("5/5", 8)}, {"s", "b", "", times("5/5", 8)}}},
	{name: "many", reason: "stable tests of a long list are counted", tests: manySeries(40)},
	{name: "bare", reason: "runs without name, commit and start", tests: everyState[:5], bare: true},
	{name: "hostile", reason: "every text is hostile", tests: everyState[:4], texts: func(i int) string { return hostile.Texts[i%len(hostile.Texts)].Text }},
	{name: "empty", reason: "no run"},
}

func manySeries(n int) []trendSeries {
	all := []trendSeries{{"s", "broken", "", series(times("5/5", 6), times("0/5", 6))}}
	for i := range n {
		all = append(all, trendSeries{"s", fmt.Sprintf("case %02d", i), "", times("5/5", 12)})
	}
	return all
}

func (g trendGolden) trend() *trend.Trend {
	b := trend.NewBuilder(0.95)
	b.Ever()
	n := 0
	for _, s := range g.tests {
		n = max(n, len(strings.Fields(s.runs)))
	}
	b.Selected(50, n+2)
	for r := range n {
		header, policy, summary := g.run(r)
		b.Run(strings.Repeat(fmt.Sprintf("%08x", uint32(r+1)*0x9e3779b1), 8), header, envelope.Effective{Policy: policy}, summary)
		for i, s := range g.tests {
			words := strings.Fields(s.runs)
			if p, ok := trendPoint(words[r%len(words)], r); ok {
				b.Point(b.Test(g.key(i)), p)
			}
		}
	}
	return b.Trend()
}

func (g trendGolden) key(i int) envelope.Key {
	k := envelope.Key{Suite: g.tests[i].suite, Test: g.tests[i].test, Variant: g.tests[i].variant}
	if g.texts != nil {
		k = envelope.Key{Suite: g.texts(3 * i), Test: g.texts(3*i + 1), Variant: g.texts(3*i + 2)}
	}
	return k
}

func (g trendGolden) run(r int) (envelope.RunHeader, envelope.Policy, envelope.Summary) {
	var h envelope.RunHeader
	var s envelope.Summary
	if !g.bare {
		h.Name, h.ID, h.Commit = "nightly", fmt.Sprint(100+r), fmt.Sprintf("%08x", (r+1)*0x1234567)
		h.StartedAt = time.Date(2026, 3, 1+r, 4, 0, 0, 0, time.UTC).Format(time.RFC3339)
		h.Labels = map[string]string{"branch": "main"}
		s.CostUSD, s.DurationMS = envelope.Some(1.5+0.05*float64(r)), envelope.Some(60000+1000*float64(r%4))
	}
	if g.texts != nil {
		h.Name, h.ID, h.Commit, h.Labels = g.texts(r), g.texts(r+9), g.texts(r+5), map[string]string{g.texts(r + 2): g.texts(r + 3)}
	}
	for _, t := range g.tests {
		words := strings.Fields(t.runs)
		p, ok := trendPoint(words[r%len(words)], r)
		if !ok {
			continue
		}
		s.Add(p.Status.Status())
		s.Trials.Counted, s.Trials.Passed = s.Trials.Counted+int(p.Counted), s.Trials.Passed+int(p.Passed)
		if p.Flaky {
			s.Flaky++
		}
	}
	policy := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.5)}
	if r > 10 {
		policy.Rule = "all"
	}
	return h, policy, s
}

func trendPoint(word string, r int) (trend.Point, bool) {
	p := trend.Point{CostUSD: math.NaN(), DurationMS: math.NaN()}
	switch word {
	case "-":
		return p, false
	case "x":
		p.Excluded, p.Status = 5, trend.CodeOf(envelope.Error)
		return p, true
	case "s":
		p.Excluded, p.Status = 5, trend.CodeOf(envelope.Skip)
		return p, true
	}
	fmt.Sscanf(word, "%d/%d", &p.Passed, &p.Counted)
	p.CostUSD, p.DurationMS = 0.01*float64(p.Counted)+0.001*float64(r), 1200+40*float64(r%5)
	p.Flaky = p.Passed > 0 && p.Passed < p.Counted
	switch share := float64(p.Passed) / float64(p.Counted); {
	case share > 0.8:
		p.Status = trend.CodeOf(envelope.Pass)
	case share < 0.2:
		p.Status = trend.CodeOf(envelope.Fail)
	default:
		p.Status = trend.CodeOf(envelope.Inconclusive)
	}
	return p, true
}

// ink is what colours a line.
var ink = regexp.MustCompile("\x1b\\[[0-9;]*m")

var trends = matrix[trend.Trend]{
	folder: "trends", formats: render.Trends, schema: "trend", rows: func(tr *trend.Trend) int { return len(tr.Tests) },
	parsers: map[string]func([]byte, *trend.Trend) error{"csv-runs": func(out []byte, _ *trend.Trend) error {
		_, err := csvRows(out)
		return err
	}},
	samples: samplesOfTrends(),
}

func samplesOfTrends() (all []sample[trend.Trend]) {
	for _, g := range trendGoldens {
		all = append(all, sample[trend.Trend]{g.name, g.reason, func(*testing.T) *trend.Trend { return g.trend() }})
	}
	return all
}

func TestTrends(t *testing.T) { trends.hold(t) }
