package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/plan"
	"tribunal/internal/verdict/gate"
	"tribunal/policy"
	"tribunal/render"
	"tribunal/verdict"
)

const planExamples = `Examples:
   tribunal plan --half-width 0.05                            trials for an interval of ±5 points
   tribunal plan --rule wilson --threshold 0.9 --trials 20    whether 20 trials can pass at all
   tribunal plan --rule sprt --threshold 0.9 --cost-per-trial 0.03   trials and dollars of a test
   tribunal plan --detect 0.90:0.80                           trials per side to see this difference
   tribunal plan --detect 0.90:0.80 --discordant 0.14         the same for pairs of trials
   tribunal plan --detect 0.90:0.80 --sequential              pairs that compare --sequential needs, on average
   tribunal plan --tests 20 --trials 20 --icc 0.1             the smallest change that compare can see
   tribunal plan --run-threshold 90% --expect 0.95 --icc 0.2   tests x trials that decide about a run
   tribunal plan run.json --run-threshold 90%                 the same, from what a run did
   tribunal plan --judge 0.95:0.9 --labels 50                 what 50 labels show, if a judge makes errors
   tribunal plan run.json                                     how many more trials decide its tests, and their cost`

func planCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "plan",
		Usage:     "calculate how many trials you need, and what they cost",
		ArgsUsage: "[INPUT ...]",
		Description: "Calculates the trials for an interval of a given width, or to show a difference between two rates. It also shows the\n" +
			"chances of a rule at each true pass rate. With inputs, it shows how many more trials would decide their undecided\n" +
			"tests. 'tribunal next' lists these trials one by one.\n\n" + planExamples,
		Flags:  slices.Concat(planFlags(), inputFlags(), plannedFlags(), outputFlags(render.Plans)),
		Action: func(c *cli.Context) error { return runPlan(c, env) },
	}
}

func planFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "half-width", Usage: "half the width of the interval, such as 0.05 or 5%", DefaultText: "none"},
		&cli.IntFlag{Name: "trials", Usage: "trials you plan for each test, to see what they can show", DefaultText: "none"},
		&cli.IntFlag{Name: "tests", Usage: "with --trials: number of tests, to see the smallest visible change", DefaultText: "none"},
		&cli.StringFlag{Name: "icc", Usage: "correlation within a test, from report --cluster-by test", DefaultText: "0"},
		&cli.StringFlag{Name: "expect", Usage: "pass rate that you expect, such as 0.95 or 95%"},
		&cli.StringFlag{Name: "detect", Usage: "two pass rates to compare, as `FROM:TO` such as 0.90:0.80"},
		&cli.StringFlag{Name: "discordant", Usage: "with --detect: share of pairs in which only one trial passes"},
		&cli.BoolFlag{Name: "sequential", Usage: "with --detect: pairs that compare --sequential needs"},
		&cli.StringFlag{Name: "judge", Usage: "shares of good and bad trials that a judge gets right, as 0.95:0.9"},
		&cli.IntFlag{Name: "labels", Usage: "with --judge: number of labelled trials, out of --trials or 200", DefaultText: "none"},
		&cli.StringFlag{Name: "power", Value: "80", Usage: "probability of the right answer, 80, 80% or 0.8"},
		perTrialFlag(),
	}
}

// perTrialFlag is what a trial costs. Its old name is not in help.
func perTrialFlag() cli.Flag {
	return &cli.StringFlag{Name: "cost-per-trial", Aliases: []string{"price"},
		Usage: "US dollars per trial, instead of the cost in the inputs"}
}

// plannedFlags are the flags of the keys that a plan looks at: those that judge a test
// and those that count its trials.
func plannedFlags() []cli.Flag {
	keys := slices.DeleteFunc(slices.Clone(policy.Keys), func(k policy.Key) bool {
		return !k.PerTest && !k.Counting && !slices.Contains([]string{"adjust", "family", "run_threshold", "run_scope", "run_cost_limit_usd",
			"cluster_by"}, k.Name)
	})
	return append(keyFlags(keys), inconclusiveFlag())
}

func runPlan(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.Plans, false)
	if err != nil {
		return err
	}
	q, err := question(c)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	var unusable error // verdicts do not change it
	if c.NArg() > 0 {
		if q.Trials.OK && q.Rates == nil && q.Judge == nil && !q.Tests.OK && !q.HalfWidth.OK {
			return errors.New("plan: --trials is for a plan without inputs: leave it out, or leave out the inputs")
		}
		inputs, err := inputsBeside(c, env, outs, "plan", c.Args().Slice())
		if err != nil {
			return err
		}
		if q.Envelope, err = readAndJudge(c, env, inputs, nil); err != nil {
			return err
		}
		mention(env.Stderr, q.Envelope.Problems, q.Envelope.Policy.Policy, len(q.Envelope.Tests) == 0)
		if gate.Broken(q.Envelope.Problems, q.Envelope.Policy.Policy) > 0 {
			unusable = &exitError{code: gate.ExitUnusable}
		}
		if unusable != nil && len(q.Envelope.Tests) == 0 {
			return unusable
		}
	}
	if q.Envelope != nil {
		q.RunThreshold, q.RunScope = q.Envelope.Policy.RunThreshold, q.Envelope.Policy.RunScope
	}
	if !q.HalfWidth.OK && !q.Trials.OK && q.Policy == nil && q.Rates == nil && q.Envelope == nil &&
		q.Judge == nil && !q.Labels.OK && !q.RunThreshold.OK && !q.Tests.OK && !q.ICC.OK && !q.Sequential && !q.Discordant.OK {
		return errors.New("plan: nothing to plan; for example:" + strings.TrimPrefix(planExamples, "Examples:"))
	}
	p, err := plan.New(q)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if err := writeAll(env, p, outs); err != nil {
		return err
	}
	return unusable
}

func question(c *cli.Context) (plan.Question, error) {
	q, err := asksNumbers(c)
	if err != nil {
		return q, err
	}
	for name, field := range map[string]*envelope.Opt[int]{"trials": &q.Trials, "tests": &q.Tests, "labels": &q.Labels} {
		if c.IsSet(name) {
			*field = envelope.Some(c.Int(name))
		}
	}
	q.Sequential = c.Bool("sequential")
	if q.Rates, err = twoRates(c, "detect", "two pass rates as FROM:TO, for instance --detect 0.90:0.80"); err != nil {
		return q, err
	}
	if q.Judge, err = twoRates(c, "judge", "SENSITIVITY:SPECIFICITY, its shares of right answers on good and on bad trials, such as "+
		"--judge 0.95:0.9"); err != nil {
		return q, err
	}
	file, layer, err := configured(c)
	if err != nil {
		return q, err
	}
	q.Confidence = layer.Confidence.Or(0.95)
	if c.IsSet("run-threshold") {
		q.RunThreshold, q.RunScope = layer.RunThreshold, layer.RunScope
	}
	otherwise := q.RunThreshold.OK || q.HalfWidth.OK || q.Rates != nil || q.Tests.OK || q.Judge != nil || c.NArg() > 0
	ofRule := []string{"rule", "threshold", "min-trials", "inconclusive", "alpha", "beta", "gap"} // sensible for a rule alone
	if c.NArg() == 0 && slices.ContainsFunc(ofRule, c.IsSet) || !otherwise && (file.Policy.Rule != "" || file.Policy.Threshold.OK) {
		var held envelope.Effective
		held, err = verdict.Resolve(layer)
		q.Policy = &held
	}
	return q, err
}

func asksNumbers(c *cli.Context) (q plan.Question, err error) {
	power, err := level(c, "power")
	q.Power = power.V
	errs := []error{err}
	for _, asks := range []struct {
		name  string
		field *envelope.Opt[float64]
	}{{"half-width", &q.HalfWidth}, {"expect", &q.Expect}, {"cost-per-trial", &q.PriceUSD}, {"discordant", &q.Discordant}, {"icc", &q.ICC}} {
		*asks.field, err = number(c, asks.name)
		errs = append(errs, err)
	}
	q.Expect.V = policy.Rate(q.Expect.V)
	return q, errors.Join(errs...)
}

func twoRates(c *cli.Context, name, expected string) (*[2]float64, error) {
	word := c.String(name)
	if word == "" {
		return nil, nil
	}
	from, to, ok := strings.Cut(word, ":")
	a, err1 := policy.Number(from)
	b, err2 := policy.Number(to)
	if !ok || err1 != nil || err2 != nil {
		return nil, fmt.Errorf("--%s %q: give %s", name, word, expected)
	}
	return &[2]float64{policy.Rate(a), policy.Rate(b)}, nil
}
