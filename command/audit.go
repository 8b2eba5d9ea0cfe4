package command

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/audit"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/history"
	"tribunal/internal/verdict/gate"
	"tribunal/policy"
	"tribunal/render"
	"tribunal/verdict"
)

const gateExamples = `
   tribunal audit gate --history                             how often the build is red by chance
   tribunal audit gate night-*.json --rule wilson --threshold 0.9   the same under another policy
   tribunal audit gate --history --at-most 1%                what brings it to 1 %, and its cost
   tribunal audit gate --rule all --expect 0.99 --trials 3 --tests 40   from the plan alone`

const testsExamples = `   tribunal audit tests opus=a.json haiku=b.json             which tests distinguish these variants
   tribunal audit tests run.ndjson --by model                the same for the values of a label`

func auditCommand(env Env) *cli.Command {
	const auditExamples = gateExamples + "\n" + testsExamples
	return &cli.Command{
		Name:      "audit",
		Usage:     "show how often a policy is red by chance, and which tests cannot rank variants",
		ArgsUsage: "COMMAND [FLAGS]",
		Description: "Audits a policy: how often it is red although nothing changed. Audits the tests of a benchmark: which of\n" +
			"them cannot rank the variants, or contradict the others.\n\nExamples:" + auditExamples,
		Subcommands: []*cli.Command{auditGateCommand(env), auditTestsCommand(env)},
		Action:      subcommandMissing(env),
	}
}

func auditGateCommand(env Env) *cli.Command {
	own := []cli.Flag{
		&cli.StringFlag{Name: "at-most", Usage: "chance of a red build that you accept, such as 5%", Value: "5%"},
		perTrialFlag(),
		&cli.StringFlag{Name: "expect", Usage: "without runs: pass rate of the tests"},
		&cli.IntFlag{Name: "trials", Usage: "without runs: trials of each test", DefaultText: "none"},
		&cli.IntFlag{Name: "tests", Usage: "without runs: number of tests", Value: 1},
		&cli.StringFlag{Name: "icc", Usage: "without runs: correlation of trials of a test within a run", DefaultText: "0"},
	}
	return &cli.Command{
		Name: "gate", Usage: "show how often a policy is red by chance, why, and what helps", ArgsUsage: "[INPUT ...]",
		Description: "Predicts how often the policy turns the build red by chance, and shows how often it did, in runs of one unchanged\n" +
			"agent. Each input is a run, or --history chooses runs. Lists the tests that cause red builds, and what lowers their\n" +
			"chance to --at-most, with cost and power. The exit code is 0, also above --at-most.\n\nExamples:" + gateExamples,
		Flags: slices.Concat(own, inputFlags(), policyFlags(), historyReportFlags("audit the runs of the history, instead of inputs"),
			outputFlags(render.GateAudits)),
		Action: func(c *cli.Context) error { return auditGate(c, env) },
	}
}

func auditGate(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.GateAudits, false)
	if err != nil {
		return err
	}
	file, o, layer, err := auditQuestion(c)
	if err != nil {
		return fmt.Errorf("audit gate: %w", err)
	}
	var runs []*envelope.Envelope
	var again []envelope.Problem
	switch {
	case c.NArg() > 0 && c.Bool("history"):
		return errors.New("audit gate: give inputs or --history, not both")
	case c.Bool("history") && c.IsSet("label"):
		return errors.New("audit gate: --label labels inputs; to choose runs of the history, give --history-label")
	case c.Bool("history"):
		runs, err = storedRuns(c, env)
	case c.NArg() > 0:
		runs, again, err = runsOfFiles(c, env, file, layer, outs)
	case !c.IsSet("expect"):
		return errors.New("audit gate: no runs; name files, add --history, or give --expect and --trials; for example:" + gateExamples)
	}
	if err != nil {
		return fmt.Errorf("audit gate: %w", err)
	}
	if runs, err = underOnePolicy(runs, layer); err != nil {
		return fmt.Errorf("audit gate: %w", err)
	}
	g, err := audit.OfGate(runs, o)
	if err != nil {
		return fmt.Errorf("audit gate: %w", err)
	}
	code := gate.ExitOK
	g.Problems = append(g.Problems, again...)
	breaks := func(p envelope.Problem) bool { return p.Code == audit.CodeBroken || gate.Breaks(p, layer) }
	if c.NArg() > 0 && slices.ContainsFunc(g.Problems, breaks) { // a history keeps what was broken, and says so
		code = gate.ExitUnusable
	}
	return exitWith(code, writeAll(env, g, outs))
}

func auditQuestion(c *cli.Context) (file config.Config, o audit.GateOptions, layer envelope.Policy, err error) {
	errs := []error{checkHistoryFlags(c)}
	for _, name := range []string{"expect", "trials", "tests", "icc"} {
		if c.IsSet(name) && (c.NArg() > 0 || c.Bool("history")) {
			errs = append(errs, fmt.Errorf("--%s is for a plan without runs: leave it out, or leave out the runs", name))
		}
	}
	asked := func(name string) envelope.Opt[float64] {
		v, err := number(c, name)
		errs = append(errs, err)
		return v
	}
	o = audit.GateOptions{AtMost: policy.Rate(asked("at-most").V), PriceUSD: asked("cost-per-trial"), Expect: policy.Rate(asked("expect").V),
		ICC: asked("icc").V, Trials: c.Int("trials"), Tests: c.Int("tests")}
	if err = errors.Join(errs...); err == nil {
		file, layer, err = configured(c)
	}
	if err == nil && c.NArg() == 0 && !c.Bool("history") {
		o.Policy, err = verdict.Resolve(layer)
	}
	return file, o, layer, err
}

// runsOfFiles reads every input as a run of its own, and names those that are given again.
func runsOfFiles(c *cli.Context, env Env, file config.Config, layer envelope.Policy, outs []output[*audit.Gate]) (
	runs []*envelope.Envelope, again []envelope.Problem, err error) {
	inputs, err := inputsBeside(c, env, outs, "audit gate", c.Args().Slice())
	if err != nil {
		return nil, nil, err
	}
	seen, names := sameRuns{}, input.NamesOf(inputs, roots(c, env))
	for _, in := range inputs {
		judged, err := readUnder(c, env, []input.File{in}, file, layer, nil)
		if err != nil {
			return nil, nil, err
		}
		if mention(env.Stderr, judged.Problems, judged.Policy.Policy, len(judged.Tests) == 0) > 0 && len(judged.Tests) == 0 {
			return nil, nil, errMentioned
		}
		runs, again = append(runs, judged), append(again, seen.again(names.Of(in.Name), judged)...)
	}
	return runs, again, nil
}

func storedRuns(c *cli.Context, env Env) (runs []*envelope.Envelope, err error) {
	sel, err := historySelection(c)
	if err != nil {
		return nil, err
	}
	return runs, withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		chosen, _, err := s.List(ctx, sel)
		if err != nil {
			return err
		}
		if len(chosen) == 0 {
			return noRuns(sel, s)
		}
		for _, r := range chosen {
			e, err := s.Envelope(ctx, r)
			if err != nil {
				return err
			}
			runs = append(runs, e)
		}
		return nil
	})
}

// underOnePolicy judges runs as the latest was, with what the configuration and the flags say on top of it.
func underOnePolicy(runs []*envelope.Envelope, layer envelope.Policy) ([]*envelope.Envelope, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	held, err := verdict.Resolve(verdict.Layer(verdict.Unresolve(runs[len(runs)-1].Policy), layer))
	if err != nil {
		return nil, err
	}
	for i, e := range runs {
		if !layer.RunnerFailed.OK { // which is about one run
			held.RunnerFailed = e.Policy.RunnerFailed
		}
		if reflect.DeepEqual(e.Policy, held) {
			continue
		}
		if runs[i], err = verdict.Seal(wire.Counted(e), held); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

func auditTestsCommand(env Env) *cli.Command {
	own := []cli.Flag{
		&cli.StringFlag{Name: "by", Value: envelope.VariantLabel, Usage: "what the tests should distinguish: variant, suite, file or a label"},
		&cli.StringFlag{Name: "confidence", Usage: "confidence level, 95, 95% or 0.95", DefaultText: "from tribunal.yaml, or 0.95"},
	}
	return &cli.Command{
		Name: "tests", Usage: "show which tests distinguish variants, and which are useless or suspicious", ArgsUsage: "[INPUT ...]",
		Description: "Reads all inputs as one run, as rank does. Lists tests that all variants pass, and tests that none passes. It also lists\n" +
			"tests where better variants do worse, and checks that contradict each other. It shows pairs of redundant tests, and\n" +
			"the smallest set with the same ranking.\n\n" +
			"Examples:\n" + testsExamples,
		Flags:  slices.Concat(own, countedFlags(), outputFlags(render.TestsAudits)),
		Action: func(c *cli.Context) error { return auditTests(c, env) },
	}
}

func auditTests(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.TestsAudits, false)
	if err != nil {
		return err
	}
	split, confidence, err := askedToPart(c, env, "audit tests", "they are not audited")
	if err != nil {
		return fmt.Errorf("audit tests: %w", err)
	}
	if err := checkOverwrites(c, env, outs, split.inputs); err != nil {
		return err
	}
	whole, sides, err := split.judged(c, env)
	if err != nil {
		return fmt.Errorf("audit tests: %w", err)
	}
	a, err := audit.OfTests(split.by, sides, whole.problems(), confidence)
	if err != nil {
		return fmt.Errorf("audit tests: %w", err)
	}
	a.Look = public(again(c, c.Args().Slice(), countedFlags()), verdict.Layer(whole.held.Policy, split.layer))
	code := gate.ExitOK
	if gate.Broken(a.Problems, whole.held.Policy) > 0 {
		code = gate.ExitUnusable
	}
	return end(env, a, outs, ending{len(a.Tests), a.Problems, split.layer, code, nil}, nil)
}
