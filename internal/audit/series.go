package audit

import (
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/plan"
	"tribunal/internal/verdict/gate"
	"tribunal/stats"
	"tribunal/verdict"
)

type series struct {
	tests   []*watched
	nights  int
	red     []bool // builds
	gates   bool   // about the run, or its runner failed, which no test decides
	broken  int    // runs with errors in the input
	commits map[string]bool
	price   envelope.Opt[float64]
	trials  float64 // of a night
	plan    GateOptions
	model   *model
	left    []*model   // without a block of nights each
	sorted  []*watched // the one that is red most often first
}

type watched struct {
	key      envelope.Key
	place    int // in the model
	policy   envelope.Effective
	rule     *plan.Rule // nil where counts do not decide
	trials   int        // of a night
	passed   []int      // of each night
	counted  []int      // of each night
	statuses []envelope.Status
	red      []bool
	excused  bool
}

func seriesOf(runs []*envelope.Envelope, held envelope.Effective, o GateOptions) (*series, error) {
	s := &series{nights: len(runs), plan: o, commits: map[string]bool{}, gates: len(held.Gates) > 0 || held.RunThreshold.OK}
	if len(runs) == 0 {
		return s, s.planned(held)
	}
	known, rules, trials, cost := map[envelope.Key]*watched{}, map[string]*plan.Rule{}, 0, 0.
	for night, e := range runs {
		policies := verdict.NewPolicies(e)
		s.red = append(s.red, e.Gate.ExitCode == gate.ExitFailed || e.Gate.ExitCode == gate.ExitInconclusive)
		s.commits[e.Run.Commit], s.gates = true, s.gates || e.Policy.RunnerFailed.V
		if e.Gate.ExitCode == gate.ExitUnusable || gate.Broken(e.Problems, e.Policy.Policy) > 0 { // a failure hides the code
			s.broken++
		}
		trials += e.Summary.Trials.Total
		if e.Summary.CostUSD.OK {
			cost += e.Summary.CostUSD.V
			s.price = envelope.Some(0.)
		}
		for i := range e.Tests {
			t := &e.Tests[i]
			w := known[t.Key]
			if w == nil {
				p, err := policies.Of(t)
				if err != nil {
					return nil, fmt.Errorf("policy for test %s: %v", t.Key, err)
				}
				name := fmt.Sprint(p.Rule, p.Threshold, p.Confidence, p.MinTrials, p.Alpha, p.Beta, p.Gap, p.PriorAlpha, p.PriorBeta)
				if _, made := rules[name]; !made {
					rules[name], _ = plan.RuleOf(p) // nil where counts do not decide
				}
				w = &watched{key: t.Key, policy: p, passed: make([]int, s.nights), counted: make([]int, s.nights), red: make([]bool, s.nights),
					statuses: make([]envelope.Status, s.nights), rule: rules[name]}
				known[t.Key] = w
				s.tests = append(s.tests, w)
			}
			w.see(night, t, e)
		}
	}
	s.tests = slices.DeleteFunc(s.tests, func(w *watched) bool { return w.runs() == 0 }) // skipped in all runs
	slices.SortFunc(s.tests, func(a, b *watched) int { return a.key.Compare(b.key) })
	for i, w := range s.tests {
		w.place, w.trials = i, w.usual()
		if _, counted := w.all(); counted == 0 {
			w.rule = nil
		}
	}
	if s.trials = float64(trials) / float64(s.nights); s.price.OK && trials > 0 {
		s.price.V = cost / float64(trials)
	}
	return s, nil
}

func (w *watched) see(night int, t *envelope.Test, e *envelope.Envelope) {
	w.passed[night], w.counted[night], w.statuses[night] = t.Trials.Passed, t.Trials.Counted, t.Status
	inconclusive := t.Status == envelope.Inconclusive && treatedRed(e.Policy)
	alone := t.Status == envelope.Fail && e.Policy.RunJudgedAlone()
	w.red[night] = !t.Excused() && !alone && (t.Status == envelope.Fail || t.Status == envelope.Error || inconclusive)
	w.excused = t.Excused() || e.Policy.RunJudgedAlone()
	w.trials = max(w.trials, int(t.Trials.Planned.V))
	if t.Rows.Retry().Count() > 0 || e.Policy.Adjust != "none" {
		w.rule = nil
	}
}

// usual is how many trials a night has: those planned, or the median of those counted.
func (w *watched) usual() int {
	counted := each.Where(w.counted, func(n int) bool { return n > 0 })
	if w.trials > 0 || len(counted) == 0 {
		return w.trials
	}
	slices.Sort(counted)
	return counted[len(counted)/2]
}

func (w *watched) runs() int {
	return each.Count(w.statuses, func(status envelope.Status) bool { return status != "" && status != envelope.Skip })
}

func (s *series) anyRed(of []*watched) []bool {
	red := make([]bool, s.nights)
	for _, w := range of {
		for night, is := range w.red {
			red[night] = red[night] || is
		}
	}
	return red
}

func (w *watched) all() (passed, counted int) {
	for night, n := range w.counted {
		passed, counted = passed+w.passed[night], counted+n
	}
	return passed, counted
}

func count(of []bool) int { return each.Count(of, func(is bool) bool { return is }) }

func (s *series) planned(held envelope.Effective) error {
	rule, err := plan.RuleOf(held)
	if err != nil {
		return err
	}
	for i := range s.plan.Tests {
		s.tests = append(s.tests, &watched{key: envelope.Key{Test: fmt.Sprintf("test %d", i+1)}, place: i, policy: held, rule: rule,
			trials: s.plan.Trials})
	}
	s.trials = float64(s.plan.Tests) * rule.Chance(s.plan.Trials, s.plan.Expect, s.plan.ICC).Mean.V
	return nil
}

func observed(red, runs int, confidence float64) *Chance {
	if runs == 0 {
		return nil
	}
	lo, hi := stats.ClopperPearson(red, runs, confidence)
	c := within(float64(red)/float64(runs), lo, hi)
	return &c
}
