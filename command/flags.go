package command

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/config"
	"tribunal/envelope"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict"
	"tribunal/verdict/rule"
)

func reportFlags() []cli.Flag {
	return slices.Concat(outputFlags(render.Formats), inputFlags(), policyTableFlags(), pastFlags(), []cli.Flag{
		&cli.StringFlag{Name: "explain", Usage: "say in plain words why `TEST` has its verdict and what would change it"},
	})
}

// outputFlags are the flags of a command that writes documents in the formats of
// the table: which, where to, and the options of each.
func outputFlags[D any](table render.Table[D]) []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "format of standard output: " + strings.Join(table.Names(), ", "), DefaultText: render.Default},
		&cli.StringSliceFlag{Name: "output", Aliases: []string{"o"}, Usage: "write FORMAT=PATH as well, packed where PATH ends in .gz or .zst; may be repeated, - is standard output"},
		&cli.StringFlag{Name: "color", Value: "auto", Usage: strings.Join(colorModes, ", ")},
		&cli.BoolFlag{Name: "ascii", Usage: "draw the terminal report in ASCII; names and messages stay as they are"},
	}
	for _, f := range table {
		for _, o := range f.Options {
			flags = append(flags, &cli.StringFlag{Name: o.Name, Usage: f.Name + ": " + o.Doc + ": " + strings.Join(o.Choices(), ", "), DefaultText: o.Values[0]})
		}
	}
	return flags
}

// inputFlags are the flags of a command that reads trials: how, and what the
// configuration adds.
func inputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "from", Usage: "read every input as this format: " + strings.Join(read.Names(), ", "), DefaultText: "found by content"},
		&cli.StringFlag{Name: "scorer", Usage: "inspect: which of several scorers decides, as name or name.key", DefaultText: "the first"},
		&cli.StringFlag{Name: "map", Usage: "read any NDJSON, JSON array or CSV by a mapping: 'test=.name,status=.ok,duration_ms=.latency*1000'"},
		&cli.StringFlag{Name: "records", Usage: "with --map: path of the array of records in a JSON document, such as .results"},
		&cli.StringSliceFlag{Name: "root", Usage: "`FOLDER` of the repository on the machine that ran the tests: paths in it are shown from there on; may be repeated", DefaultText: "$CI_PROJECT_DIR, $GITHUB_WORKSPACE, the working directory"},
		&cli.StringFlag{Name: "config", Usage: "read the policy from this file", DefaultText: config.FileName + " if it is there"},
		&cli.BoolFlag{Name: "no-config", Usage: "read no configuration file"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say on standard error what was found in each input"},
	}
}

// policyTableFlags are the flags of a command that judges.
func policyTableFlags() []cli.Flag {
	return append(rowFlags(policyTable),
		&cli.StringFlag{Name: "k", Usage: "depths of the metrics of the run, such as 1,5,10", DefaultText: "1, 2, 4, … as far as every test has trials"},
		&cli.StringSliceFlag{Name: "gate", Usage: "condition on the run or on each test, such as 'summary.fail == 0' or 'reliability.passhat_k >= 80'; may be repeated"})
}

func rowFlags(rows []policyRow) []cli.Flag {
	var flags []cli.Flag
	for _, row := range rows {
		flags = append(flags, row.flag())
	}
	return flags
}

// countingRows are the rows that say how trials are counted: what a command
// needs that reads runs and judges none.
func countingRows() []policyRow {
	counting := []string{"score-threshold", "detect-empty-runs", "on-conflict", "lenient", "strict", "no-redact", "allow-empty"}
	return slices.DeleteFunc(slices.Clone(policyTable), func(r policyRow) bool { return !slices.Contains(counting, r.name) })
}

// policyRow is one flag that says something of the policy.
type policyRow struct {
	name, usage string
	text        func(p *envelope.Policy, v string)
	number      func(p *envelope.Policy, v float64)
	whole       func(p *envelope.Policy, v int)
	boolean     func(p *envelope.Policy, v bool)
	absent      string // what holds without the flag, where that is not the rule's to say
}

var policyTable = []policyRow{
	{name: "rule", usage: "rule that judges a test: " + strings.Join(rule.Names(), ", "), text: func(p *envelope.Policy, v string) { p.Rule = v }},
	{name: "retry-rule", usage: "rule for tests whose extra trials are retries", text: func(p *envelope.Policy, v string) { p.RetryRule = v }},
	{name: "threshold", usage: "pass rate (or mean score) to hold, a fraction", number: func(p *envelope.Policy, v float64) { p.Threshold = envelope.Some(v) }},
	{name: "confidence", usage: "confidence level, 95 or 0.95", number: func(p *envelope.Policy, v float64) { p.Confidence = envelope.Some(verdict.Fraction(v)) }},
	{name: "min-trials", usage: "fewer counted trials are inconclusive (three-way rules)", whole: func(p *envelope.Policy, v int) { p.MinTrials = envelope.Some(v) }},
	{name: "inconclusive", usage: "judge by rule wald at 0.5 unless another rule is named", boolean: func(p *envelope.Policy, v bool) {
		if v && p.Rule == "" {
			p.Rule = rule.UnlessNamed
		}
	}},
	{name: "treat-as", usage: "what an inconclusive test does to the exit code: neutral, fail, exit3", text: func(p *envelope.Policy, v string) { p.TreatAs = v }},
	{name: "score-threshold", usage: "a trial with a score and no status passes from here", number: func(p *envelope.Policy, v float64) { p.ScoreThreshold = envelope.Some(v) }},
	{name: "alpha", usage: "chance of failing a test that holds the threshold (sprt, anytime)", number: func(p *envelope.Policy, v float64) { p.Alpha = envelope.Some(v) }},
	{name: "beta", usage: "chance of passing a test at threshold - gap (sprt, anytime)", number: func(p *envelope.Policy, v float64) { p.Beta = envelope.Some(v) }},
	{name: "gap", usage: "distance between the rates to tell apart (sprt, anytime)", number: func(p *envelope.Policy, v float64) { p.Gap = envelope.Some(v) }},
	{name: "adjust", usage: "adjust failures for many tests: none, bonferroni, holm, bh, by", text: func(p *envelope.Policy, v string) { p.Adjust = v }},
	{name: "family", usage: "tests to adjust over: run, suite", text: func(p *envelope.Policy, v string) { p.Family = v }},
	{name: "min-coverage", usage: "counted share of trials below which a test is inconclusive", number: func(p *envelope.Policy, v float64) { p.MinCoverage = envelope.Some(v) }},
	{name: "detect-empty-runs", usage: "exclude trials that did not pass, made no tool call and have no class", boolean: func(p *envelope.Policy, v bool) { p.DetectEmptyRuns = envelope.Some(v) }},
	{name: "metrics", usage: "metrics of the run: default, all, none", text: func(p *envelope.Policy, v string) { p.Metrics = v }},
	{name: "cluster-by", usage: "what makes trials alike: test, suite, variant or a label", text: func(p *envelope.Policy, v string) { p.ClusterBy = v }},
	{name: "cost-limit-usd", usage: "trials of a test after it spent this are not counted", number: func(p *envelope.Policy, v float64) { p.CostLimitUSD = envelope.Some(v) }},
	{name: "run-cost-limit-usd", usage: "trials after the run spent this are not counted", number: func(p *envelope.Policy, v float64) { p.RunCostLimitUSD = envelope.Some(v) }},
	{name: "on-conflict", usage: "different trials under one (run, attempt): extend, replace, error", text: func(p *envelope.Policy, v string) { p.OnConflict = v }},
	{name: "keep-details", usage: "messages and outputs to keep per test: a number, all, none", text: func(p *envelope.Policy, v string) { p.KeepDetails = v }},
	{name: "lenient", usage: "malformed records, and fewer trials than planned or expected, do not make the exit code 2", boolean: func(p *envelope.Policy, v bool) { p.Lenient = envelope.Some(v) }},
	{name: "strict", usage: "what puts the run in doubt (duplicates, gaps, mixed commits, nothing judged, nothing that can pass, ...) makes the exit code 2", boolean: func(p *envelope.Policy, v bool) { p.Strict = envelope.Some(v) }},
	{name: "expect-trials", usage: "fewer trials in all make the exit code 2, as a header's planned_trials does", whole: func(p *envelope.Policy, v int) { p.ExpectTrials = envelope.Some(int64(v)) }, absent: "what the header planned"},
	{name: "expect-tests", usage: "fewer tests make the exit code 2", whole: func(p *envelope.Policy, v int) { p.ExpectTests = envelope.Some(int64(v)) }, absent: "any number"},
	{name: "quarantine-cap", usage: "excuse the failures of at most so many tests in quarantine; 0 excuses none", whole: func(p *envelope.Policy, v int) { p.QuarantineCap = envelope.Some(v) }},
	{name: "no-redact", usage: "leave secrets in names, messages and outputs as they are", boolean: func(p *envelope.Policy, v bool) { p.Redact = envelope.Some(!v) }},
	{name: "allow-empty", usage: "an input without trials is no error", boolean: func(p *envelope.Policy, v bool) { p.AllowEmpty = envelope.Some(v) }},
}

func (r policyRow) flag() cli.Flag {
	switch {
	case r.boolean != nil:
		return &cli.BoolFlag{Name: r.name, Usage: r.usage}
	case r.number != nil:
		return &cli.Float64Flag{Name: r.name, Usage: r.usage, DefaultText: "of the rule"}
	case r.whole != nil:
		return &cli.IntFlag{Name: r.name, Usage: r.usage, DefaultText: cmp.Or(r.absent, "of the rule")}
	}
	return &cli.StringFlag{Name: r.name, Usage: r.usage}
}

// rowsOf is what the flags of the rows say of the policy. Every value is checked
// here, under the name of its flag.
func rowsOf(c *cli.Context, rows []policyRow) (envelope.Policy, error) {
	var p envelope.Policy
	var errs []error
	for _, row := range rows {
		if !c.IsSet(row.name) {
			continue
		}
		var alone envelope.Policy
		row.set(c, &alone)
		if err := verdict.CheckValues(alone); err != nil {
			errs = append(errs, fmt.Errorf("--%s: %w", row.name, err))
		}
		row.set(c, &p)
	}
	return p, errors.Join(errs...)
}

// policyFlags is what all flags of the policy say.
func policyFlags(c *cli.Context) (envelope.Policy, error) {
	p, err := rowsOf(c, policyTable)
	errs := []error{err}
	if p.K, err = depths(c.String("k")); err != nil {
		errs = append(errs, fmt.Errorf("--k: %w", err))
	}
	for _, expr := range c.StringSlice("gate") {
		p.Gates = append(p.Gates, verdict.Gate("", expr))
	}
	if err := verdict.CheckValues(envelope.Policy{Gates: p.Gates}); err != nil {
		errs = append(errs, fmt.Errorf("--gate: %w", err))
	}
	return p, errors.Join(errs...)
}

// depths reads a list of values of k, such as 1,5,10.
func depths(list string) ([]int, error) {
	if list == "" {
		return nil, nil
	}
	var ks []int
	for _, word := range strings.Split(list, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%q is no whole number: give a list such as 1,5,10", word)
		}
		ks = append(ks, k)
	}
	return ks, verdict.CheckValues(envelope.Policy{K: ks})
}

func (r policyRow) set(c *cli.Context, p *envelope.Policy) {
	switch {
	case r.boolean != nil:
		r.boolean(p, c.Bool(r.name))
	case r.number != nil:
		r.number(p, c.Float64(r.name))
	case r.whole != nil:
		r.whole(p, c.Int(r.name))
	default:
		r.text(p, c.String(r.name))
	}
}
