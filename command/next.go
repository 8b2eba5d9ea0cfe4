package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/command/input"
	"tribunal/internal/each"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/next"
	"tribunal/internal/run/runner"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render"
	"tribunal/verdict"
)

const nextExamples = `Examples:
   tribunal next run.json --threshold 0.9                   the best test to try next
   tribunal next trials.ndjson -n 20 --batch 16 -f ndjson   16 trials for an engine, a line each
   tribunal next run.json --rule sprt --threshold 0.9 --for fail -f matrix   a GitHub matrix
   tribunal next t.ndjson -n 20 --batch 64 -f args -- ./trial {test} {run} {attempt} | xargs -0r -n 4 -P 8 env

In a loop, stop at exit code 4, and fail at any other code but 0, as in docs/next.md. Your system must copy run,
attempt and adaptive of each line into its result, as fields of a trial stream. If two calls in a row list the same, no
result came back: stop the loop.

Exit codes:
   0  there is something to run
   2  wrong usage, an input that could not be read completely, or all tests left have results without an attempt number
   4  nothing is left to run: every test is decided, at its --trials limit or cannot be tried, or the cost limit is reached`

func nextCommand(env Env, behind *behindDashes) *cli.Command {
	return &cli.Command{
		Name:      "next",
		Usage:     "list the trials to run next, if another system runs them",
		ArgsUsage: "[INPUT ...] [-- COMMAND ARG ...]",
		Description: "Reads the trials so far and lists the next ones. Trials that decide most for their cost come first. 'tribunal plan'\n" +
			"calculates numbers before you start; next lists single trials during a run. For a first batch without input, name the tests\n" +
			"with --test, --list or tribunal.yaml. With -f args, it prints the command after -- once for each trial.\n\n" + nextExamples,
		Flags:  nextFlags(),
		Action: func(c *cli.Context) error { return runNext(c, env, behind) },
	}
}

var settingsOfNext = []string{"trials", "test", "list", "only", "max-cost", "max-cost-per-test", "cost-per-trial", "infra-retries",
	"allow-starved"}

const mostBatch = 100_000

func nextFlags() []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "batch", Usage: "maximum number of trials to list", DefaultText: "what the best test needs"},
		&cli.StringFlag{Name: "for", Usage: "what to reach first: decide (any verdict), fail (a failed test)",
			DefaultText: next.ForVerdict},
		&cli.StringFlag{Name: "seed", Usage: "seed from which the seeds of trials come", DefaultText: "0"},
	}
	flags = append(flags, testsFromFlag())
	for _, s := range settings.Table {
		s.Otherwise = cmp.Or(words.If(s.Name == "trials", "100 for sprt and anytime, else required"), s.Otherwise)
		s.Doc = cmp.Or(words.If(s.Name == "only", "name or suite/name of tests; may be repeated"), s.Doc) // no flaky ones: it reads no history
		if slices.Contains(settingsOfNext, s.Name) {
			flags = append(flags, SettingFlag(&s))
		}
	}
	keys := slices.DeleteFunc(slices.Clone(policy.Keys), func(k policy.Key) bool {
		return !k.PerTest && !k.Counting && k.Name != "adjust" && k.Name != "lenient" && k.Name != "strict" || insteadOf[k.FlagName()] != ""
	})
	return slices.Concat(within(groupRun, flags), inputFlags(), within(groupVerdict, append(keyFlags(keys), inconclusiveFlag())),
		outputFlags(render.Nexts))
}

func runNext(c *cli.Context, env Env, behind *behindDashes) error {
	outs, err := outputs(c, env, render.Nexts, false)
	if err != nil {
		return err
	}
	q, err := asksNext(c, env, behind, outs)
	if err != nil {
		return fmt.Errorf("next: %w", err)
	}
	plan, err := next.New(q)
	if err != nil {
		return fmt.Errorf("next: %w", err)
	}
	if err := writeAll(env, plan, outs); err != nil || len(plan.Trials) > 0 {
		return err
	}
	return nothingToRun(plan)
}

// nothingToRun says why there is no next trial. It is an error of the input if a test is refused: its results have no order.
func nothingToRun(p *next.Plan) error {
	counts, why := map[string]int{}, map[string]string{}
	for _, t := range p.Tests {
		if counts[t.State]++; t.Why != "" && why[t.State] == "" {
			why[t.State] = fmt.Sprintf("; %s: %s", t.Key, t.Why)
		}
	}
	if n := counts[next.StateRefused]; n > 0 {
		return fmt.Errorf("next: %s cannot be planned%s", words.Plural(n, "test", "tests"), why[next.StateRefused])
	}
	return &exitError{gate.ExitNothing, fmt.Errorf("next: nothing is left to run (%s)%s", p.Standings(),
		why[next.StateContradicted]+why[string(runner.Full)]+why[string(runner.CheckFailed)])}
}

func asksNext(c *cli.Context, env Env, behind *behindDashes, outs []output[*next.Plan]) (q next.Question, err error) {
	file, err := loadConfig(c)
	if err != nil {
		return q, err
	}
	p := &trialRun{c: c, env: env, behind: behind, file: file}
	said, err := saidOfRun(c)
	if err != nil {
		return q, err
	}
	p.set = said.Over(file.Run.Settings)
	p.file.Policy = p.costs(file.Policy)
	q = next.Question{
		For: c.String("for"), Trials: p.set.Trials.V, InfraRetries: p.set.InfraRetries.Or(runner.DefaultInfraRetries),
		AllowStarved: p.set.AllowStarved.V, RunSeed: p.set.Seed.V,
		Limits: runner.Limits{MaxCostUSD: p.set.MaxCostUSD, MaxCostPerTestUSD: p.set.MaxCostPerTestUSD,
			CostPerTrialUSD: p.set.CostPerTrialUSD},
	}
	if q.For != "" && !slices.Contains(next.Aims, q.For) {
		return q, fmt.Errorf("--for: %w", suggest.Unknown("aim", q.For, next.Aims))
	}
	if word := c.String("batch"); word != "" {
		if q.Batch, err = strconv.Atoi(word); err != nil || q.Batch < 1 || q.Batch > mostBatch {
			return q, fmt.Errorf("--batch %q: give a whole number from 1 to %d", word, mostBatch)
		}
	}
	command, err := commandOfNext(p)
	if err != nil {
		return q, err
	}
	q.Seed = func(t next.Trial) int64 { return driver.SeedOf(q.RunSeed, t.Suite, t.Test, t.Attempt) }
	if command != nil {
		q.Argv = func(t next.Trial, number int, labels map[string]string) ([]string, error) {
			return command.Argv(driver.Values{
				Test: t.Test, Suite: t.Suite, Variant: t.Variant, Attempt: t.Attempt, Seed: t.Seed, Run: t.Run, Labels: labels,
				ID: fmt.Sprintf("%s.%d", t.Run, number),
			}), command.Lacks(t.Key, labels)
		}
	}
	if slices.ContainsFunc(outs, func(o output[*next.Plan]) bool { return o.format.Name == "args" }) && command == nil {
		return q, errors.New("format args prints the command of each trial: put your command after --, as in: tribunal next run.json -n 20 -f " +
			"args -- ./agent-test {test} {run} {attempt}")
	}
	if q.Tests, err = p.named(); err != nil {
		return q, err
	}
	q.Only = patterns(p.set.Only)
	if q.Run, q.Policy, err = p.recounted(outs, len(q.Tests) > 0); err != nil {
		return q, err
	}
	keys := each.Of(q.Tests, func(t runner.Test) envelope.Key { return t.Key })
	for i := range q.Run.Tests {
		keys = append(keys, q.Run.Tests[i].Key)
	}
	for _, word := range p.set.Only {
		if len(keys) > 0 && !slices.ContainsFunc(keys, verdict.Matcher(word)) {
			return q, matchesNone(word, false, len(keys), keys[0])
		}
	}
	return q, nil
}

// commandOfNext returns the command after --. It rejects placeholders that only a start sets.
func commandOfNext(p *trialRun) (*driver.Template, error) {
	if !p.behind.given || len(p.behind.words) == 0 {
		return nil, nil
	}
	t, err := driver.NewTemplate(p.behind.words)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"dir", "out", "tests", "tests:regex"} {
		if t.Uses(name) {
			return nil, fmt.Errorf("the command has {%s}, which is known only when a trial starts; use tribunal run", name)
		}
	}
	return t, nil
}

func (p *trialRun) named() ([]runner.Test, error) {
	tests, timeouts, err := p.cases()
	if err != nil {
		return nil, err
	}
	if len(tests) == 0 && len(p.set.List) > 0 {
		if tests, err = p.listBy(p.set.List); err != nil {
			return nil, fmt.Errorf("--list: %w", err)
		}
	}
	return withVariants(tests, timeouts, p.file.Run.Variants), nil
}

func (p *trialRun) recounted(outs []output[*next.Plan], listed bool) (run *envelope.Run, held envelope.Effective, err error) {
	var inputs []input.File
	if p.c.NArg() > 0 || !listed {
		if inputs, err = inputFiles(p.env, "next", p.c.Args().Slice()); err != nil {
			return nil, held, err
		}
	}
	layer, err := policyLayer(p.c, p.file)
	if err = cmp.Or(checkOverwrites(p.c, p.env, outs, inputs), err); err != nil {
		return nil, held, err
	}
	redactStderr(p.env, layer)
	b, err := verdict.NewBuilder(layer)
	if err != nil {
		return nil, held, err
	}
	if len(inputs) > 0 {
		if err := readAll(p.c, p.env, b, inputs, p.file); err != nil {
			return nil, held, err
		}
	}
	if held, err = verdict.PolicyFor(b, layer); err != nil {
		return nil, held, err
	}
	if run, err = verdict.Counted(b, held); err != nil {
		return nil, held, err
	}
	mention(p.env.Stderr, run.Problems, held.Policy, false)
	return run, held, whole(run, held.Policy, listed)
}

// whole rejects incomplete inputs. An empty input is accepted if tests are listed.
func whole(run *envelope.Run, held envelope.Policy, listed bool) error {
	for _, problem := range run.Problems {
		switch breaks := gate.Breaks(problem, held); {
		case breaks && len(run.Tests) == 0 && !listed:
			return errMentioned
		case breaks && !slices.Contains(endings, problem.Code):
			return errors.New("trials may be missing, so next lists none; fix the input" +
				words.If(!gate.Breaks(problem, envelope.Policy{Lenient: envelope.Some(true), Strict: held.Strict}), ", or accept it with --lenient"))
		}
	}
	if len(run.Tests) == 0 && !listed && !held.AllowEmpty.V {
		return errors.New("no trial in the input, and no test is listed: did the runner start? To begin, name each test by --test NAME, " +
			"or all by --list COMMAND; --allow-empty accepts this")
	}
	return nil
}
