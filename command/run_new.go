package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/history"
	"tribunal/history/trend"
	"tribunal/internal/words"
	"tribunal/run/runner"
	"tribunal/verdict/rule"
)

const (
	flagNew  = "new"
	flagBase = "base"
)

// What a new test has to show: docs/run/new-tests.md has the power of these.
const (
	newThreshold = 0.98
	newGap       = 0.02 // a pass is a rate proven above 96 %
	newTrials    = 200
)

// nothingNew is what is said of a run of which the base has every test.
const nothingNew = "tribunal: --new: every test is in the base, so there is nothing to run"

// errNothingNew ends a run, without a failure, of which the base has every test.
var errNothingNew = errors.New("every test is in the base")

func newTestFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: flagNew, Usage: "try only tests not in --base, until one is proven flakier than 2 %"},
		&cli.StringFlag{Name: flagBase, Usage: "`PATH` of a history, report or journal with the known tests"},
	}
}

// asNew judges new tests by a rule of their own, unless the call names another. Of the
// policy of the configuration only what hides texts is kept.
func (p *trialRun) asNew() error {
	c := p.c
	switch {
	case !c.Bool(flagNew) && c.IsSet(flagBase):
		return errors.New("--base has the tests that are not new: give --new as well")
	case !c.Bool(flagNew):
		return nil
	case p.pairs != nil:
		return errors.New("--new judges each test, and rule paired compares two variants: leave out one of them")
	case c.String(flagBase) == "":
		return fmt.Errorf("--new needs the known tests: --base RUN, or --base %s for the history", defaultHistory)
	}
	was := p.file.Policy
	p.file.Policy = envelope.Policy{Redact: was.Redact, RedactPatterns: was.RedactPatterns, RedactFields: was.RedactFields,
		RunCostLimitUSD: was.RunCostLimitUSD, CostLimitUSD: was.CostLimitUSD}
	if c.IsSet("rule") || c.IsSet("threshold") {
		return nil
	}
	p.file.Policy.Rule, p.file.Policy.Threshold, p.file.Policy.Gap = rule.OfThreshold, envelope.Some(newThreshold), envelope.Some(newGap)
	if !c.IsSet("trials") {
		p.set.Trials = envelope.Some(newTrials)
	}
	return nil
}

// isNew reports the tests that the base does not have; nil where all are asked for.
func (p *trialRun) isNew() (func(envelope.Key) bool, error) {
	if !p.c.Bool(flagNew) {
		return nil, nil
	}
	known, err := p.testsOf(p.c.String(flagBase))
	if err != nil {
		return nil, fmt.Errorf("--base: %w", err)
	}
	return func(k envelope.Key) bool {
		p.looked++
		if known[k] {
			return false
		}
		p.fresh++
		return true
	}, nil
}

// testsOf are the tests of a history, or of a run.
func (p *trialRun) testsOf(base string) (map[envelope.Key]bool, error) {
	known := map[envelope.Key]bool{}
	if !isHistory(base) {
		e, err := p.read(base)
		if err != nil {
			return nil, err
		}
		for i := range e.Tests {
			known[e.Tests[i].Key] = true
		}
		return known, nil
	}
	labels, err := labelFlags(p.c, historyLabel)
	if err != nil {
		return nil, err
	}
	s, err := history.Open(context.Background(), base, history.Read)
	if err != nil {
		return nil, err
	}
	t, err := s.Trend(context.Background(), history.Query{Selection: history.Selection{Labels: labels}, Confidence: trend.DefaultConfidence})
	if err = cmp.Or(err, s.Close()); err != nil {
		return nil, err
	}
	for i := range t.Tests {
		known[t.Tests[i].Key] = true
	}
	if len(known) == 0 {
		return nil, noRuns(history.Selection{Labels: labels}, s)
	}
	return known, nil
}

// isHistory reports a history by its URL, or the first bytes of its file.
func isHistory(place string) bool {
	if strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://") {
		return true
	}
	f, err := os.Open(place)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	mark := make([]byte, len(databaseMark))
	_, err = io.ReadFull(f, mark)
	return err == nil && string(mark) == databaseMark
}

// onlyNew leaves the tests that are new.
func (p *trialRun) onlyNew(tests []runner.Test, isNew func(envelope.Key) bool) ([]runner.Test, error) {
	left := slices.DeleteFunc(slices.Clone(tests), func(t runner.Test) bool { return !isNew(t.Key) })
	if len(left) == 0 {
		return nil, errNothingNew
	}
	fmt.Fprintf(p.env.Stderr, "tribunal: --new: %s of %d\n", words.Plural(len(left), "new test", "new tests"), len(tests))
	return left, nil
}
