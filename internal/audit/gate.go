// Package audit asks whether a gate and a benchmark are honest: how often the gate answers
// differently on identical inputs, and which tests of a benchmark say nothing or something wrong.
//
// Package plan has the chances of a rule, and package stats the formulas. This package estimates how pass rates vary
// between runs, and puts both together. Nothing is simulated. It leaves out reading, judging and drawing.
package audit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/plan"
	"tribunal/internal/words"
	"tribunal/policy"
)

// GateSchema is the name of the wire format of a Gate.
const GateSchema = "tribunal/gate-audit/v1"

// Chance is a probability, or a share of runs, and the interval that holds the true one. A prediction from fewer than
// fewRuns has none.
type Chance struct {
	Value float64               `json:"value"`
	Lo    envelope.Opt[float64] `json:"lo,omitzero"`
	Hi    envelope.Opt[float64] `json:"hi,omitzero"`
}

func within(value, lo, hi float64) Chance {
	return Chance{plan.Digits(value), envelope.Some(plan.Digits(lo)), envelope.Some(plan.Digits(hi))}
}

// Gate says how often a policy answers differently on identical inputs.
type Gate struct {
	Schema     string                `json:"schema"`
	Confidence float64               `json:"confidence"`
	AtMost     float64               `json:"at_most"` // the chance of a red build that is accepted
	Rule       string                `json:"rule"`
	Threshold  envelope.Opt[float64] `json:"threshold,omitzero"`
	Runs       int                   `json:"runs"` // 0 where there are none: then all is from the plan
	Nights     Nights                `json:"nights"`
	// Build is red if any test is. ByChance is the same without the steady tests.
	Build    Build      `json:"build"`
	ByChance Build      `json:"by_chance"`
	Tests    []GateTest `json:"tests"` // the one that is red most often first
	// Causes is how many of the tests that failed make up most of the chance, where it is more than accepted.
	// Without is the chance of a red build without them.
	Causes   int                `json:"causes"`
	Without  float64            `json:"without_causes"`
	Now      Option             `json:"now"`
	Advice   []Option           `json:"advice"` // the ones that keep power first, then by trials
	Problems []envelope.Problem `json:"problems"`

	misses bool // nearly all tests that drop by 20 points
	needs  int  // fewest trials with which a test can pass
	failed int  // tests that are not steady and failed a trial or a run
	unseen bool // most of the chance is of tests that never failed
}

// Nights is how much runs vary more than independent trials do.
type Nights struct {
	// Shared is the standard deviation, in log odds, of what moves all tests of a night; Own
	// the correlation of trials of one test within a night beyond that.
	Shared float64 `json:"shared_sd"`
	Own    float64 `json:"own_icc"`
}

// Build is the chance that the build is red.
type Build struct {
	Predicted Chance  `json:"predicted"`
	Observed  *Chance `json:"observed,omitempty"`
	Red       int     `json:"red_runs"`
}

// How the chance of a test is predicted.
const (
	ByTrials = "trials" // from its trials, by its rule
	ByRuns   = "runs"   // the share of runs, as its rule looks at more than counts
)

// GateTest is the chance that one test turns the build red.
type GateTest struct {
	envelope.Key
	By        string                `json:"by"`
	Trials    int                   `json:"trials"` // of a night
	Passed    int                   `json:"passed"` // of all nights
	Counted   int                   `json:"counted"`
	Rate      envelope.Opt[float64] `json:"rate,omitzero"` // shrunken towards those of other tests
	Predicted Chance                `json:"predicted"`
	Observed  *Chance               `json:"observed,omitempty"`
	Red       int                   `json:"red_runs"`
	Runs      int                   `json:"runs"`
	// Steady tests are red in most nights, which is no chance.
	Steady bool `json:"steady,omitempty"`
	Cause  bool `json:"cause,omitempty"` // one of the causes
	// Excused tests are in quarantine: they turn no build red.
	Excused bool `json:"excused,omitempty"`
}

// GateOptions are what an audit of a gate is asked.
type GateOptions struct {
	AtMost   float64
	PriceUSD envelope.Opt[float64] // of a trial; otherwise the mean of the runs
	// Without runs: so many tests of so many trials that pass at a rate.
	Policy envelope.Effective
	Tests  int
	Trials int
	Expect float64
	ICC    float64
}

// DefaultAtMost is the chance of a red build that is accepted unless another is asked for.
const DefaultAtMost = 0.05

func (o GateOptions) check(runs int) error {
	var errs []error
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	say(!(o.AtMost > 0 && o.AtMost < 1), "--at-most %v is out of range: give a chance above 0 and below 1, such as 5%%", o.AtMost)
	say(o.PriceUSD.OK && !(o.PriceUSD.V >= 0 && !math.IsInf(o.PriceUSD.V, 0)),
		"--cost-per-trial %v is out of range: give 0 or more dollars", o.PriceUSD.V)
	if runs == 0 {
		say(!(o.Expect > 0 && o.Expect <= 1), "--expect %v is out of range: give a rate such as 0.95 or 95%%", o.Expect)
		say(!(o.ICC >= 0 && o.ICC < 1), "--icc %v is out of range: give a correlation from 0 to below 1, such as 0.1", o.ICC)
		say(o.Trials == 0, "without runs, give the number of trials, such as --trials 3")
		say(o.Trials < 0 || o.Trials > mostTrials, "--trials %d is out of range: give 1 to %d", o.Trials, mostTrials)
		say(o.Tests < 1 || o.Tests > mostTests, "--tests %d is out of range: give 1 to %d", o.Tests, mostTests)
	}
	return errors.Join(errs...)
}

// The most that a plan without runs is asked about.
const mostTrials, mostTests = 10_000, 10_000

// OfGate audits the policy that all runs were judged under, or the plan where there are no
// runs. The runs are of one agent that nobody changed.
func OfGate(runs []*envelope.Envelope, o GateOptions) (*Gate, error) {
	if err := o.check(len(runs)); err != nil {
		return nil, err
	}
	last := &envelope.Envelope{Policy: o.Policy}
	if len(runs) > 0 {
		last = runs[len(runs)-1]
	}
	if last.Policy.RunJudgedAlone() {
		return nil, errors.New("a gate of the run (--run-threshold) cannot be predicted: leave it out, or give --rule, to predict the " +
			"verdicts of single tests")
	}
	held := last.Policy
	const usualConfidence = 0.95 // that of intervals where no policy says another
	g := &Gate{Schema: GateSchema, Confidence: held.Confidence.Or(usualConfidence), AtMost: o.AtMost, Rule: held.Rule,
		Threshold: held.Threshold, Runs: len(runs),
		Tests: []GateTest{}, Advice: []Option{}, Problems: []envelope.Problem{}}
	s, err := seriesOf(runs, held, o)
	if err != nil {
		return nil, err
	}
	g.say(s)
	s.model = s.fit(g.Confidence, -1)
	for block := range s.blocks() { // again without each of them
		s.left = append(s.left, s.fit(g.Confidence, block))
	}
	g.Nights = Nights{Shared: plan.Digits(s.model.shared), Own: plan.Digits(math.Max(0, s.model.own))}
	g.tests(s)
	var byChance []*watched // the one that is red most often first
	for i, w := range s.sorted {
		if !g.Tests[i].Steady {
			byChance = append(byChance, w)
		}
	}
	g.Build = Build{s.interval(g.Confidence, s.tests, nil), observed(count(s.red), len(runs), g.Confidence), count(s.red)}
	g.ByChance = g.Build
	if len(byChance) < len(s.tests) {
		red := count(s.anyRed(byChance))
		g.ByChance = Build{s.interval(g.Confidence, byChance, nil), observed(red, len(runs), g.Confidence), red}
	}
	g.causes(s)
	return g, g.advise(s, byChance)
}

func (g *Gate) tests(s *series) {
	all := make([]GateTest, len(s.tests))
	for i, w := range s.tests {
		t := &all[i]
		*t = GateTest{Key: w.key, By: ByTrials, Trials: w.trials, Red: count(w.red), Runs: w.runs(), Observed: observed(count(w.red),
			w.runs(), g.Confidence), Excused: w.excused}
		t.Passed, t.Counted = w.all()
		if w.rule == nil {
			t.By = ByRuns
		} else {
			t.Rate = envelope.Some(plan.Digits(s.model.of[i].rate))
		}
		t.Predicted = s.model.testChance(i, g.Confidence, nil)
		t.Steady = t.Predicted.Lo.V > 0.5 || t.By == ByRuns && t.Red == t.Runs
		if s.nights < fewRuns {
			t.Predicted = Chance{Value: t.Predicted.Value}
		}
	}
	s.sorted = slices.Clone(s.tests)
	slices.SortFunc(s.sorted, func(a, b *watched) int {
		x, y := &all[a.place], &all[b.place]
		return cmp.Or(cmp.Compare(y.Predicted.Value, x.Predicted.Value), cmp.Compare(y.Red, x.Red), x.Key.Compare(y.Key))
	})
	g.Tests = each.Of(s.sorted, func(w *watched) GateTest { return all[w.place] })
}

// causes are the fewest tests that failed and make up most of the chance: of the sum of what each takes off the
// logarithm of a green build. The chance of a test that never failed is only that of tests like it.
func (g *Gate) causes(s *series) {
	all, ofFailed := 0., 0.
	for i := range g.Tests {
		if t := &g.Tests[i]; !t.Steady {
			all += green(t.Predicted.Value)
			if t.failed() {
				g.failed, ofFailed = g.failed+1, ofFailed+green(t.Predicted.Value)
			}
		}
	}
	const most = 0.8 // the share of the chance that the causes make up at least
	g.unseen = ofFailed < most*all
	var rest []*watched
	sum := 0.
	for i, w := range s.sorted {
		if t := &g.Tests[i]; t.failed() && !t.Steady && g.red() && sum < most*all {
			t.Cause, g.Causes, sum = true, g.Causes+1, sum+green(t.Predicted.Value)
		} else if !t.Steady {
			rest = append(rest, w)
		}
	}
	g.Without = plan.Digits(chanceOf(rest, nil)(s.model))
}

func (t *GateTest) failed() bool { return t.Predicted.Value > 0 && (t.Red > 0 || t.Passed < t.Counted) }

// red says that the build is red by chance more often than accepted, in a plan or by tests that failed.
func (g *Gate) red() bool {
	return g.ByChance.Predicted.Value > g.AtMost && (g.Runs == 0 || g.failed > 0)
}

func (g *Gate) say(s *series) {
	say := func(code, format string, args ...any) {
		g.Problems = append(g.Problems, envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if n := s.nights; n > 0 && n < fewRuns {
		say(CodeFewRuns, "too few runs (%d) to know how much they vary, so predictions have no interval; give %d or more", n, fewRuns)
	}
	byRuns := each.Count(s.tests, func(w *watched) bool { return w.rule == nil })
	if byRuns > 0 {
		say(CodeByRuns, "for %s, the prediction is the share of red runs: scores, retries or adjusted p-values decide, or no trial counts",
			words.Plural(byRuns, "test", "tests"))
	}
	if s.broken > 0 {
		say(CodeBroken, "%s errors in the input; the prediction counts the trials that could be read, and leaves out the errors",
			words.Plural(s.broken, "run has", "runs have"))
	}
	if delete(s.commits, ""); len(s.commits) > 1 { // of some it is not known
		say(CodeCommits, "the runs are of %d commits: what changed between them counts as chance", len(s.commits))
	}
	if s.gates {
		alone := max(0, count(s.red)-count(s.anyRed(s.tests)))
		say(CodeGates, "the prediction leaves out all gates (--gate, --run-threshold) and failed runners%s",
			words.If(s.nights > 0, "; they alone made "+words.Of(alone, s.nights, "run", "runs")+" red"))
	}
}

// fewRuns is how many runs it takes to say how nights vary, and so to give predictions an interval.
const fewRuns = 5

// The codes of problems that show only in an audit.
const (
	CodeFewRuns = "few-runs"     // how nights vary is not known
	CodeByRuns  = "by-runs"      // tests of which counts say too little
	CodeBroken  = "broken-runs"  // runs with errors in the input
	CodeCommits = "commits"      // runs of an agent that may have changed
	CodeGates   = "gates-unseen" // gates about the run, which are not predicted
)

func treatedRed(p envelope.Effective) bool { return p.TreatAs != policy.TreatNeutral }
