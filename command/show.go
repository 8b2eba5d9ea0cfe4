package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/parting"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render"
	"tribunal/verdict"
)

const showExamples = `Examples:
   tribunal show results/                            the tests, and where their trials diverge
   tribunal show run.json 'names the right city'     the first trial that did not pass
   tribunal show run.json refund --trial 3
   tribunal show run.json refund --against nearest   next to the nearest trial that passed
   tribunal show run.json refund --trial 1 --against 4 | less
   tribunal show run.json refund -f json | jq '.trials[0].turns'

Exit codes:
   0  shown; failed tests do not matter
   2  wrong usage, unreadable input, an unknown test or trial, or a trial without a conversation`

func showCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show the conversation of a trial, or of two side by side",
		ArgsUsage: "INPUT [TEST]",
		Description: "Shows what an agent said and called in one trial of TEST. With --against it aligns two trials by their calls and\n" +
			"folds equal parts. Without TEST it lists the tests. It shortens long texts in a terminal, not in a pipe. Reports of\n" +
			"tribunal have conversations of a few trials of each test; the files of your runner may have all.\n\n" + showExamples,
		Flags: slices.Concat(outputFlags(render.Shows), inputFlags(), keyFlags(countingKeys()), []cli.Flag{
			&cli.StringFlag{Name: "trial", Usage: "number of the trial, from 1, as in reports", DefaultText: "the first that did not pass"},
			&cli.StringFlag{Name: "against", Usage: "second trial, or " + nearest + " (another outcome, longest equal beginning)"},
		}),
		Action: func(c *cli.Context) error { return show(c, env) },
	}
}

const (
	nearest            = "nearest"
	whereConversations = "name the runner's file if it has conversations; 'tribunal report FILE -v' prints messages and outputs"
)

func show(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.Shows, false)
	if err != nil {
		return err
	}
	shown, err := toShow(c, env, outs)
	if err != nil {
		return err
	}
	return exitWith(0, writeAll(env, shown, outs))
}

func toShow(c *cli.Context, env Env, outs []output[*parting.Shown]) (*parting.Shown, error) {
	if c.NArg() < 1 || c.NArg() > 2 {
		return nil, fmt.Errorf("show: name INPUT and then one TEST (found %d arguments); without TEST the tests are listed", c.NArg())
	}
	in, test := c.Args().First(), c.Args().Get(1)
	if names, err := input.Expand(in); err == nil && exists(test) && in != input.Standard && !exists(names[0]) {
		return nil, fmt.Errorf("show: the input comes first: tribunal show %s", words.Shell(test, in))
	}
	trial, err := trialFlag(c, "trial", "")
	if err != nil {
		return nil, err
	}
	against, err := trialFlag(c, "against", nearest)
	if err != nil {
		return nil, err
	}
	if test == "" && (c.IsSet("trial") || c.IsSet("against")) {
		return nil, errors.New("show: --trial and --against need a test; name TEST after INPUT")
	}
	e, err := withConversations(c, env, outs)
	if err == nil && test == "" && !envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return len(t.Transcripts) > 0 }) {
		fmt.Fprintf(env.Stderr, "tribunal: show: no trial in this input has a conversation: %s\n", whereConversations)
	}
	if err != nil || test == "" {
		return &parting.Shown{Envelope: e}, err
	}
	t, err := verdict.FindTest(e, test)
	if err != nil {
		return nil, fmt.Errorf("show: %w", err)
	}
	view, err := parting.NewView(e, t, trial, c.IsSet("against"), against)
	if errors.Is(err, parting.ErrNoConversation) {
		err = fmt.Errorf("%w: %s", err, whereConversations)
	}
	if err != nil {
		return nil, fmt.Errorf("show: %w", err)
	}
	return &parting.Shown{Envelope: e, View: view}, nil
}

// trialFlag is a trial by its number from 1, as its row.
func trialFlag(c *cli.Context, name, word string) (row int, err error) {
	said := c.String(name)
	if said == "" || said == word {
		return parting.Anywhere, nil
	}
	n, err := strconv.Atoi(said)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("show: --%s %q: give the number of a trial, 1 or more%s", name, said, words.Around(", or ", word))
	}
	return n - 1, nil
}

// withConversations makes one envelope of the input, with all conversations that are in it.
func withConversations(c *cli.Context, env Env, outs []output[*parting.Shown]) (*envelope.Envelope, error) {
	inputs, err := inputsBeside(c, env, outs, "show", c.Args().Slice()[:1])
	if err != nil {
		return nil, err
	}
	file, layer, err := countingLayer(c)
	if err != nil {
		return nil, err
	}
	layer.AllowEmpty = envelope.Some(true) // that there is nothing to show is said below
	redactStderr(env, layer)
	e, err := readOnce(c, env, inputs, file, layer, nil, func(b *count.Builder) { b.KeepConversations(count.KeepEveryConversation) })
	if err != nil {
		return nil, err
	}
	nothing := len(e.Tests) == 0
	switch wrong := mention(env.Stderr, e.Problems, e.Policy.Policy, nothing) > 0; {
	case nothing && wrong:
		return nil, errMentioned
	case nothing:
		return nil, errors.New("show: there is no trial to show")
	}
	return e, nil
}

const convertExamples = `Examples:
   tribunal convert results.trx -o junit=report.xml          one report as another
   tribunal convert allure-results -f ndjson                 a folder as one stream
   tribunal convert shard-*.xml -o allure=allure-results/    several reports as one

Exit codes:
   0  written; failed tests do not matter
   2  wrong usage, unreadable input, malformed records, or an output that could not be written`

func convertCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "write trials in another format, without a verdict on the build",
		ArgsUsage: "[INPUT ...]",
		Description: "Reads the inputs as report does and writes them in other formats, with 5 outputs and 3 conversations a test.\n" +
			config.FileName + " does not apply: you see each test as its runner did. A test with retries passes if one attempt did, " +
			"a repeated one if all did.\n" +
			"Failed tests do not change the exit code.\n\n" + convertExamples,
		Flags: slices.Concat(outputFlags(render.Formats), without(inputFlags(), "config", "no-config"),
			within(groupInput, keyFlags(convertKeys()))),
		Action: func(c *cli.Context) error { return convert(c, env) },
	}
}

// convertKeys say what of the input is accepted, and which scores pass.
func convertKeys() []policy.Key {
	return slices.DeleteFunc(countingKeys(), func(k policy.Key) bool {
		return !slices.Contains([]string{"score_threshold", "lenient", "allow_empty"}, k.Name)
	})
}

func convert(c *cli.Context, env Env) error {
	outs, inputs, err := outputsAndInputs(c, env, render.Formats, c.IsSet("output"))
	if err != nil {
		return err
	}
	layer, err := flagValues(c, convertKeys())
	if err != nil {
		return err
	}
	judged, err := readUnder(c, env, inputs, config.Config{}, layer, nil)
	if err != nil {
		return err
	}
	code := gate.ExitOK
	if judged.Gate.InputErrors > 0 || judged.Gate.ExitCode == gate.ExitUnusable {
		code = gate.ExitUnusable
	}
	judged.Gate.ExitCode = code
	return end(env, judged, outs, ending{len(judged.Tests), judged.Problems, judged.Policy.Policy, code, judged.Gate.Reasons}, nil)
}
