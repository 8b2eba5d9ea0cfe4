package audit

import (
	"cmp"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/plan"
	"tribunal/internal/verdict/rule"
	"tribunal/verdict"
)

// Option is a way to judge: a rule and a number of trials of each test.
type Option struct {
	Rule      string                `json:"rule"`
	Threshold envelope.Opt[float64] `json:"threshold,omitzero"`
	Trials    int                   `json:"trials"` // of each test, at most
	Predicted Chance                `json:"predicted"`
	// Mean is the expected trials of a night, Times how many times as many that is as now.
	Mean    float64               `json:"mean_trials"`
	Times   float64               `json:"times"`
	CostUSD envelope.Opt[float64] `json:"cost_usd,omitzero"` // of a night
	Power   []Power               `json:"power"`
	Keeps   bool                  `json:"keeps_power"` // finds a test that falls by 20 points with 80 %

	look look
}

// Power is how surely a fall of pass rates turns red: one test that falls alone, on average
// over the tests, and the build where all of them fall.
type Power struct {
	Fall  float64 `json:"fall"` // a fraction
	Test  float64 `json:"test"`
	Build float64 `json:"build"`
}

// An option keeps power if it finds the last fall so often, and is none if it misses it more often than it finds it.
const keptPower, leastPower = 0.8, 0.5

var (
	advisedRules      = []string{"anytime", "sprt", "wilson", "majority"}
	advisedThresholds = []float64{0.99, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.6, 0.5}
	advisedTrials     = []int{1, 2, 3, 5, 8, 10, 15, 20, 30, 40, 50, 60, 75, 100, 150, 200}
)

// advise finds, for each rule, the cheapest option that is red by chance no more often than
// accepted and keeps power; where none keeps it, the one that has the most.
func (g *Gate) advise(s *series, of []*watched) error {
	var judged []*watched // what another rule changes
	usual := 0
	for _, w := range of {
		if w.rule != nil && !w.excused && w.trials > 0 {
			judged = append(judged, w)
			usual = max(usual, w.trials)
		}
	}
	price := s.plan.PriceUSD
	if !price.OK {
		price = s.price
	}
	a := advisor{s, of, judged, price, g.Confidence}
	g.Now = Option{Rule: g.Rule, Threshold: g.Threshold, Trials: usual, Predicted: g.ByChance.Predicted, Mean: plan.Digits(s.trials), Times: 1}
	g.Now.CostUSD = costOf(price, s.trials)
	a.power(&g.Now, nil)
	g.misses = len(judged) > 0 && g.Now.lastPower() < 1-keptPower
	if g.misses {
		g.needs = slices.Min(each.Of(judged, func(w *watched) int { n, _ := verdict.SmallestPass(w.policy); return n }))
	}
	if len(judged) == 0 || !g.red() && !g.misses {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(advisedRules), func(name string) bool { return name == g.Rule })
	for _, name := range append([]string{g.Rule}, others...) {
		if best := a.best(name, g, usual); best != nil {
			best.Predicted = s.interval(g.Confidence, of, &best.look)
			g.Advice = append(g.Advice, *best)
		}
	}
	slices.SortStableFunc(g.Advice, func(a, b Option) int {
		switch {
		case a.Keeps && b.Keeps:
			return cmp.Compare(a.Mean, b.Mean)
		case a.Keeps:
			return -1
		case b.Keeps:
			return 1
		}
		return cmp.Compare(b.lastPower(), a.lastPower())
	})
	const mostAdvice = 5
	g.Advice = g.Advice[:min(mostAdvice, len(g.Advice))]
	return nil
}

type advisor struct {
	*series
	of, judged []*watched
	price      envelope.Opt[float64]
	confidence float64
}

// best is the best option of a rule, nil where none is red seldom enough.
func (a advisor) best(name string, g *Gate, usual int) *Option {
	by, err := rule.ByName(name)
	if err != nil || by.Counts == nil {
		return nil
	}
	thresholds := []float64{0}
	if by.ThreeWay {
		thresholds = advisedThresholds
		if at := g.Threshold.V; g.Threshold.OK && !slices.Contains(thresholds, at) {
			thresholds = slices.Sorted(slices.Values(append(slices.Clone(thresholds), at)))
			slices.Reverse(thresholds)
		}
	}
	var most *Option
	for _, n := range trialsFrom(usual) {
		for _, threshold := range thresholds {
			o, err := a.option(name, threshold, n)
			if err != nil {
				continue // a threshold that the rule cannot have
			}
			if a.model.red(a.of, &o.look) > g.AtMost {
				continue
			}
			if a.power(o, &o.look); o.Keeps {
				return o
			}
			if o.lastPower() >= leastPower && (most == nil || o.lastPower() > most.lastPower()) {
				most = o
			}
			break // a lower threshold has less power
		}
	}
	return most
}

func (o *Option) lastPower() float64 { return o.Power[len(o.Power)-1].Test }

// trialsFrom are the numbers of trials that are looked at: from the usual one up to ten times
// as many, and up to 60 at least.
func trialsFrom(usual int) []int {
	more := each.Where(advisedTrials, func(n int) bool { return n > usual && n <= max(10*usual, 60) })
	return append([]int{usual}, more...)
}

func (a advisor) option(name string, threshold float64, trials int) (*Option, error) {
	asked := envelope.Policy{Rule: name}
	if threshold > 0 {
		asked.Threshold = envelope.Some(threshold)
	}
	asked.Confidence = envelope.Some(a.confidence)
	held, err := verdict.Resolve(asked)
	if err != nil {
		return nil, err
	}
	by, err := plan.RuleOf(held)
	if err != nil {
		return nil, err
	}
	o := &Option{Rule: name, Trials: trials, look: look{by, trials}}
	if threshold > 0 {
		o.Threshold = asked.Threshold
	}
	for _, w := range a.judged {
		o.Mean += by.Chance(trials, a.model.of[w.place].rate, math.Max(0, a.model.own)).Mean.V
	}
	o.Mean = plan.Digits(o.Mean + a.trials - a.usualTrials())
	o.Times = plan.Digits(o.Mean / math.Max(a.trials, 1))
	o.CostUSD = costOf(a.price, o.Mean)
	return o, nil
}

func (a advisor) usualTrials() float64 {
	sum := 0.
	for _, w := range a.judged {
		if _, counted := w.all(); counted > 0 {
			sum += float64(counted) / float64(a.nights)
			continue
		}
		sum += w.rule.Chance(w.trials, a.plan.Expect, a.plan.ICC).Mean.V
	}
	return sum
}

func costOf(price envelope.Opt[float64], trials float64) envelope.Opt[float64] {
	if !price.OK {
		return price
	}
	return envelope.Some(plan.Digits(price.V * trials))
}

// power writes how surely falls turn red; nil judges as it was.
func (a advisor) power(o *Option, by *look) {
	falls := []float64{0.05, 0.1, 0.2} // those whose power an option shows. The last one decides if it keeps power
	for _, fall := range falls {
		one, reds := 0., make([][]float64, len(a.judged))
		for i, w := range a.judged {
			f := &a.model.of[w.place]
			reds[i] = a.model.atNodes(f, math.Max(0, f.rate-fall), by)
			one += mean(reds[i]) / float64(len(a.judged))
		}
		o.Power = append(o.Power, Power{fall, plan.Digits(one), plan.Digits(anyOf(reds))})
	}
	o.Keeps = o.lastPower() >= keptPower
}
