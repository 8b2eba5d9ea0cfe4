package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/compare"
	"tribunal/internal/compare/rank"
	"tribunal/render"
	"tribunal/verdict"
)

const rankExamples = `Examples:
   tribunal rank run.ndjson                              the variants of a run
   tribunal rank shard-*.json                            several inputs are one run
   tribunal rank run.ndjson --by model -o ranking.html   the values of a label, as a page
   tribunal rank sonnet=a.ndjson mini=b.ndjson           one input per variant, with its name
   tribunal rank run.ndjson --cluster-by repository      tests of a repository are one group

Exit codes:
   0  ranked, even if the best is uncertain
   2  wrong usage, unreadable input, malformed records, no test that all tried, or an output that could not be written`

func rankCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "rank",
		Usage:     "show which of several variants is the best, and how sure that is",
		ArgsUsage: "[INPUT ...]",
		Description: "Reads all inputs as one run. Ranks its variants, or the values of a label, by pass rate or mean score over the tests\n" +
			"that all of them tried. Shows which places are possible within chance, what a success costs, and how many more trials\n" +
			"would separate two variants.\n\n" + rankExamples,
		Flags:  rankFlags(),
		Action: func(c *cli.Context) error { return rankVariants(c, env) },
	}
}

func rankFlags() []cli.Flag {
	d := rank.Defaults()
	own := []cli.Flag{
		&cli.StringFlag{Name: "by", Value: envelope.VariantLabel, Usage: "what to rank: variant, suite, file or a label"},
		&cli.StringFlag{Name: "confidence", Usage: "confidence level, 95, 95% or 0.95", DefaultText: "from tribunal.yaml, or 0.95"},
		&cli.StringFlag{Name: "pairing", Value: d.Pairing, Usage: "pair trials by number if trials of both variants have one, or never: " +
			strings.Join(compare.Pairings, ", ")},
		&cli.StringFlag{Name: "cluster-by", Value: d.ClusterBy, Usage: "what groups correlated trials: test, suite, file or a label"},
		&cli.BoolFlag{Name: "head-to-head", Usage: "also rate by duels of trials with the same number (Bradley-Terry)"},
		&cli.StringFlag{Name: "power", Value: "80", Usage: "probability that further trials decide, 80, 80% or 0.8"},
	}
	return slices.Concat(outputFlags(render.Rankings), own, countedFlags())
}

func rankVariants(c *cli.Context, env Env) error {
	outs, err := outputs(c, env, render.Rankings, false)
	if err != nil {
		return err
	}
	split, o, err := ranking(c, env)
	if err != nil {
		return fmt.Errorf("rank: %w", err)
	}
	if err := checkOverwrites(c, env, outs, split.inputs); err != nil {
		return err
	}
	whole, sides, err := split.judged(c, env)
	if err != nil {
		return fmt.Errorf("rank: %w", err)
	}
	found, err := rank.Variants(split.by, sides, whole.problems(), o)
	if err != nil {
		return fmt.Errorf("rank: %w", err)
	}
	found.Look = public(again(c, c.Args().Slice(), countedFlags()), verdict.Layer(whole.held.Policy, split.layer))
	return end(env, found, outs, ending{found.Tests + len(found.Missing), found.Problems, split.layer, found.Gate.ExitCode,
		found.Gate.Reasons}, nil)
}

// ranking is what the flags ask, all that can be checked before anything is read.
func ranking(c *cli.Context, env Env) (s splitting, o rank.Options, err error) {
	o = rank.Defaults()
	power, err := level(c, "power")
	if err != nil {
		return s, o, err
	}
	if s, o.Confidence, err = askedToPart(c, env, "rank", "they are not ranked"); err != nil {
		return s, o, err
	}
	o.Power, o.HeadToHead = power.Or(o.Power), c.Bool("head-to-head")
	o.Pairing, o.ClusterBy = c.String("pairing"), c.String("cluster-by")
	return s, o, o.Check()
}
