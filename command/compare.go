package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/history"
	"tribunal/internal/history/trend"
	"tribunal/internal/parallel"
	"tribunal/internal/words"
	"tribunal/render"
	"tribunal/stats"
	"tribunal/verdict"
)

const compareExamples = `Examples:
   tribunal compare base.json candidate.json
   tribunal compare main/ branch/ -o markdown=comment.md -o html=comparison.html
   tribunal compare --base 'main-*.json' --candidate 'branch-*.json'   several runs a side
   tribunal compare run.ndjson --by model --base-value opus            the values of a label
   tribunal compare main.json branch.json --history                    accounts for run-to-run variance
   tribunal compare base.json candidate.json --fail-on regressed --fail-on newly-broken
   tribunal compare base.ndjson candidate.ndjson --sequential     after every pair, while trials are still coming
   tribunal compare base.json candidate.json --cluster-by repository      tests of a repository are one group
   tribunal compare run.ndjson --by variant
   tribunal compare old=a.json new=b.json newer=c.json                 named inputs, each against the first
   tribunal compare 'runs/*.json' --by file                            every input file is a side

Exit codes:
   0  no word of --fail-on applies; without the flag, nothing regressed
   1  a word of --fail-on applies; without the flag, something regressed
   2  wrong usage, unreadable input, malformed records, no test on both sides, or an output that could not be written
   If both apply: 1.`

func compareCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "show what changed between two runs, and what may be chance",
		ArgsUsage: "BASE CANDIDATE",
		Description: "Shows for every test, and for the run, whether the candidate REGRESSED, IMPROVED or is EQUIVALENT to the base. " +
			"UNRESOLVED\n" +
			"means that there are too few trials to decide. Tests are matched by suite, name and variant, trials by number.\n" +
			"Each input is anything that report reads. With --base and --candidate, every file is a run of its own.\n\n" + compareExamples,
		Flags:  compareFlags(),
		Action: func(c *cli.Context) error { return compareRuns(c, env) },
	}
}

func compareFlags() []cli.Flag {
	d := compare.Defaults()
	own := []cli.Flag{
		&cli.StringFlag{Name: "margin", Value: words.Number(d.Margin), Usage: "EQUIVALENT is within this change of rate or score, 0.05 or 5%"},
		&cli.StringFlag{Name: "confidence", Usage: "confidence level, 95, 95% or 0.95", DefaultText: "from tribunal.yaml, or 0.95"},
		&cli.StringFlag{Name: "adjust", Value: d.Adjust, Usage: "adjust p-values for many tests: " + strings.Join(compare.Adjustments, ", ")},
		&cli.StringFlag{Name: "pairing", Value: d.Pairing, Usage: "pair trials by number from 12 pairs on, or never: " +
			strings.Join(compare.Pairings, ", ")},
		&cli.StringSliceFlag{Name: "fail-on", Usage: "what makes the exit code 1; may be repeated: " + strings.Join(compare.FailOns, ", "),
			DefaultText: compare.OnRegressed},
		&cli.StringSliceFlag{Name: "base", Usage: "run of the base: a file, folder or quoted glob; may be repeated"},
		&cli.StringSliceFlag{Name: "candidate", Usage: "run of the candidate, to go with --base; may be repeated"},
		&cli.StringFlag{Name: "cluster-by", Usage: "treat tests of the same suite, file or label value as one group"},
		&cli.BoolFlag{Name: "history", Usage: "account for run-to-run variance from the history (one run a side)"},
		&cli.StringSliceFlag{Name: historyLabel, Usage: "with --history: only runs with this label; repeat to require several"},
		&cli.StringFlag{Name: historyWindow, Usage: "with --history: use the latest `N` runs, or all", Value: strconv.Itoa(defaultWindow)},
		&cli.BoolFlag{Name: "sequential", Usage: "compare pairs as they come; valid however often you look"},
		&cli.StringFlag{Name: "sequential-test", Usage: "with --sequential: betting (any change), gsprt (--margin or more): " +
			strings.Join(compare.SequentialTests, ", "), DefaultText: compare.TestBetting},
		&cli.StringFlag{Name: "by", Usage: "compare within one run, by variant, suite, file or a label"},
		&cli.StringFlag{Name: "base-value", Usage: "with --by: the value that the others are compared with",
			DefaultText: "that of the first named input or the first test of the journal, else the first by name"},
	}
	return slices.Concat(outputFlags(render.Comparisons), historyFlags(own...), countedFlags())
}

// compareRuns reads two runs, or one to be split, and writes what differs.
func compareRuns(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.Comparisons, false)
	if err != nil {
		return err
	}
	q, err := asked(c, env)
	if err != nil {
		return err
	}
	if err := checkOverwrites(c, env, outs, q.inputs...); err != nil {
		return err
	}
	read := q.twoRuns
	if q.by != "" {
		read = q.oneRun
	}
	found, err := read(c, env)
	if err != nil {
		return err
	}
	return end(env, found, outs, compared(found, q.layer), nil)
}

func compared(c *compare.Comparison, layer envelope.Policy) ending {
	tests := c.Base.Tests
	for i := range c.Contrasts {
		tests = min(tests, c.Contrasts[i].Candidate.Tests)
	}
	return ending{tests, c.Problems, layer, c.Gate.ExitCode, c.Gate.Reasons}
}

type comparing struct {
	by     string
	first  string   // side, where the inputs are sides
	runs   bool     // every file is a run of its own
	names  []string // of the inputs, as they were called
	files  []string // the same without their directories
	inputs [][]input.File
	file   config.Config
	layer  envelope.Policy
	compare.Options
}

// asked checks everything that can be checked before anything is read.
func asked(c *cli.Context, env Env) (*comparing, error) {
	q := &comparing{by: c.String("by"), Options: compare.Defaults()}
	var err error
	if q.file, q.layer, err = countingLayer(c); err != nil {
		return nil, err
	}
	if err := cmp.Or(q.setOptions(c), q.Options.Check()); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	return q, q.setInputs(c, env)
}

func (q *comparing) setOptions(c *cli.Context) error {
	margin, err := number(c, "margin")
	level, wrong := level(c, "confidence")
	q.Margin, q.Adjust, q.Pairing, q.ClusterBy = margin.Or(q.Margin), c.String("adjust"), c.String("pairing"), c.String("cluster-by")
	q.Sequential, q.SequentialTest = c.Bool("sequential"), c.String("sequential-test")
	q.Confidence = q.file.Policy.Confidence.Or(q.Confidence)
	q.Confidence = level.Or(q.Confidence)
	if on := c.StringSlice("fail-on"); len(on) > 0 {
		q.FailOn = on
	}
	return errors.Join(err, wrong, checkHistoryFlags(c))
}

// setRuns takes the inputs of which every file is a run of its own.
func (q *comparing) setRuns(c *cli.Context, env Env) error {
	switch {
	case q.by != "":
		return errors.New("compare: --by compares within one run: leave out --base and --candidate")
	case !c.IsSet("base") || !c.IsSet("candidate"):
		return errors.New("compare: --base and --candidate go together: give both, or name BASE and CANDIDATE without flags")
	case c.Args().Len() > 0:
		return fmt.Errorf("compare: %q has no flag: put --base or --candidate before every input, or before none", c.Args().First())
	}
	for _, flag := range []string{"base", "candidate"} {
		args := c.StringSlice(flag)
		if slices.Contains(args, input.Standard) {
			return fmt.Errorf("compare: --%s does not take standard input (-): write it to a file first", flag)
		}
		files, err := inputFiles(env, "compare", args)
		if err != nil {
			return err
		}
		q.inputs, q.files = append(q.inputs, files), append(q.files, withoutFolders(args))
	}
	q.names = sideNames(c, env, c.StringSlice("base"), c.StringSlice("candidate"))
	q.runs = true
	if c.Bool("history") && len(q.inputs[0])+len(q.inputs[1]) > 2 {
		return errors.New("compare: --history needs one --base and one --candidate; several runs show how much they vary: leave it out")
	}
	return nil
}

func (q *comparing) setInputs(c *cli.Context, env Env) error {
	if c.IsSet("base") || c.IsSet("candidate") {
		return q.setRuns(c, env)
	}
	args := c.Args().Slice()
	if q.by != "" || slices.ContainsFunc(args, func(arg string) bool { side, _ := input.Sided(arg); return side != "" }) {
		all, err := inputFiles(env, "compare", args)
		if c.Bool("history") {
			err = errors.New("compare: --history does not work with --by, nor with names such as old=a.json: leave out one of them")
		}
		if err != nil {
			return err
		}
		q.inputs = [][]input.File{all}
		q.by, q.first, err = nameSides(q.by, all, input.NamesOf(all, roots(c, env)))
		return err
	}
	switch {
	case c.IsSet("base-value"):
		return errors.New("compare: --base-value names a value of the label that --by names: give --by as well")
	case len(args) > 2 && c.Bool("history"):
		return fmt.Errorf("compare: BASE and CANDIDATE are two inputs (found %d); --history takes no value, --db names its file", len(args))
	case len(args) != 2:
		return fmt.Errorf("compare: give two inputs, BASE and CANDIDATE (found %d). For more, quote a glob or name each, as in old=a.json "+
			"new=b.json newer=c.json. To compare within one run, add --by LABEL", len(args))
	case args[0] == input.Standard && args[1] == input.Standard:
		return errors.New("compare: standard input (-) can be one side only")
	}
	for i, arg := range args {
		files, err := inputFiles(env, "compare", []string{arg})
		if err != nil {
			return err
		}
		q.inputs = append(q.inputs, files)
		if arg == input.Standard {
			args[i] = "standard input"
		}
		q.files = append(q.files, withoutFolders(args[i:i+1]))
	}
	q.names = sideNames(c, env, args[:1], args[1:])
	return nil
}

func sideNames(c *cli.Context, env Env, sides ...[]string) []string {
	all := each.Of(slices.Concat(sides...), func(arg string) input.File { return input.File{Name: arg} })
	called := input.NamesOf(all, roots(c, env))
	return each.Of(sides, func(args []string) string { return strings.Join(each.Of(args, called.Of), ", ") })
}

// nameRuns names the sides after their runs, else their files, if these names differ.
func nameRuns(sides []compare.Input, files []string) {
	runs := []string{cmp.Or(sides[0].Envelope.Run.Name, files[0]), cmp.Or(sides[1].Envelope.Run.Name, files[1])}
	for _, names := range [][]string{runs, files} {
		if names[0] != names[1] {
			sides[0].Name, sides[1].Name = names[0], names[1]
			return
		}
	}
}

func withoutFolders(paths []string) string { return strings.Join(each.Of(paths, filepath.Base), ", ") }

func (q *comparing) twoRuns(c *cli.Context, env Env) (*compare.Comparison, error) {
	var sides []compare.Input
	var files []string
	for i, side := range q.bothSides(c, env) {
		if side.err != nil {
			return nil, fmt.Errorf("%s: %w", q.names[i], side.err)
		}
		layer := verdict.Layer(verdict.Unresolve(side.judged.Policy), q.layer)
		name, err := verdict.Hide(q.names[i], layer)
		file, wrong := verdict.Hide(q.files[i], layer)
		if err := cmp.Or(err, wrong); err != nil {
			return nil, fmt.Errorf("%s: %w", q.names[i], err)
		}
		files = append(files, file)
		sides = append(sides, compare.Input{Name: name, Envelope: side.judged, Runs: side.runs})
	}
	nameRuns(sides, files)
	if c.Bool("history") {
		past, err := historyCounts(c, env, sides[0].Envelope)
		if err != nil {
			return nil, fmt.Errorf("--history: %w", err)
		}
		sides[0].Past = past
	}
	found, err := compare.Runs("", sides[0], sides[1:], nil, q.Options)
	if err == nil {
		p := verdict.Layer(verdict.Unresolve(sides[1].Envelope.Policy), q.layer)
		lookAt(c, &found.Contrasts[0], append(c.Args().Tail(), c.StringSlice("candidate")...), p)
		found.Look = public(again(c, slices.Concat(c.Args().Slice(), c.StringSlice("base"), c.StringSlice("candidate")), countedFlags()), p)
	}
	return found, err
}

// lookAt names the arguments of the next command, which reads the candidate alone as this one does.
func lookAt(c *cli.Context, x *compare.Contrast, args []string, p envelope.Policy) {
	x.Look = public(again(c, args, countedFlags()), p)
	if side, _ := input.Sided(strings.Join(args, " ")); len(args) == 1 && side == "" {
		x.Failed = public(again(c, args, append([]cli.Flag{configFlag(""), &cli.BoolFlag{Name: "no-config"}}, keyFlags(countingKeys())...)), p)
	}
}

// public is a command, "" where the policy hides a part of it.
func public(said string, p envelope.Policy) string {
	hidden, err := verdict.Hide(said, p)
	return words.If(err == nil && hidden == said, said)
}

// countedFlags are the flags of commands that read and count trials, and judge no run.
func countedFlags() []cli.Flag { return slices.Concat(inputFlags(), keyFlags(countingKeys())) }

type judgedSide struct {
	judged *envelope.Envelope
	runs   []compare.Counts // where it is several
	err    error
}

// bothSides reads and judges both sides in parallel. Messages on the candidate come after those
// on the base, which has the live line.
func (q *comparing) bothSides(c *cli.Context, env Env) []judgedSide {
	var later bytes.Buffer
	sides := parallel.All(len(q.inputs), func(i int) (s judgedSide) {
		env := env
		if i > 0 {
			env.Stderr, env.StderrSize = &later, nil
		}
		if q.runs && len(q.inputs[i]) > 1 {
			s.judged, s.runs, s.err = q.severalRuns(c, env, q.inputs[i])
		} else {
			s.judged, s.err = readUnder(c, env, q.inputs[i], q.file, q.layer, nil)
		}
		return s
	})
	later.WriteTo(env.Stderr)
	return sides
}

func historyCounts(c *cli.Context, env Env, base *envelope.Envelope) ([]compare.Counts, error) {
	sel, err := historySelection(c)
	if err != nil {
		return nil, err
	}
	var runs []compare.Counts
	err = withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, history.Query{Selection: sel, Confidence: trend.DefaultConfidence, Now: base})
		if err != nil {
			return err
		}
		before := len(t.Runs) - 1 // the last is the base itself
		for range before {
			runs = append(runs, compare.Counts{})
		}
		for i := range t.Tests {
			for _, p := range t.Tests[i].Points {
				if int(p.Run) < before {
					runs[p.Run][t.Tests[i].Key] = countedAt(p)
				}
			}
		}
		if before == 0 {
			fmt.Fprintf(env.Stderr, "tribunal: --history: the history %s has no run%s before the base\n", s.Name(),
				words.If(len(sel.Labels) > 0, " with these labels"))
		}
		return nil
	})
	if errors.Is(err, history.ErrNone) {
		fmt.Fprintf(env.Stderr, "tribunal: --history: there is no history yet in %s; add runs of the base with 'tribunal history add FILE%s'\n",
			historyPlace(c, env), ofPlace(c, env))
		return nil, nil
	}
	return runs, err
}

func countedAt(p trend.Point) compare.Counted {
	passes := stats.Cluster{Passed: int(p.Passed), N: int(p.Counted)}.Scored()
	if p.Scores == nil {
		return compare.Counted{Passes: passes, Scores: passes}
	}
	return compare.Counted{Passes: passes, Scores: p.Scores.Scored}
}
