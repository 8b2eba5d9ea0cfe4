package command

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/history"
	"tribunal/render"
	"tribunal/verdict"
	"tribunal/verdict/gate"
)

// defaultWindow is how many runs a trend looks back: far enough to see a drift,
// not so far that what was fixed long ago counts.
const defaultWindow = 50

func historyTrendCommand(env Env) *cli.Command {
	own := []cli.Flag{
		&cli.StringFlag{Name: "window", Usage: "look at the latest `N` runs, or at all", Value: strconv.Itoa(defaultWindow)},
		&cli.StringSliceFlag{Name: "label", Usage: "only runs with this label; repeated, with all of them"},
		&cli.StringSliceFlag{Name: "test", Usage: "only tests that match this `PATTERN`; repeated, that match any"},
		&cli.StringFlag{Name: "confidence", Usage: "confidence level, 95, 95% or 0.95", Value: "95"},
	}
	return &cli.Command{
		Name: "trend", Usage: "show the state of every test over the stored runs",
		Description: "Each test has one state: BROKEN, NEW-FLAKY, DRIFTING DOWN, FLAKY, DRIFTING UP, FIXED or STABLE.\n" +
			"docs/history/states.md defines them.",
		Flags:        historyFlags(slices.Concat(own, outputFlags(render.Trends))...),
		OnUsageError: usageError,
		Action:       func(c *cli.Context) error { return showTrend(c, env) },
	}
}

func showTrend(c *cli.Context, env Env) error {
	if err := noArguments(c); err != nil {
		return err
	}
	outs, err := outputs(c, env, render.Trends, false)
	if err != nil {
		return usage(err)
	}
	if err := spares(c, env, outs); err != nil {
		return usage(err)
	}
	sel, err := windowed(c)
	if err != nil {
		return usage(err)
	}
	confidence, err := level(c, "confidence")
	if err != nil {
		return usage(err)
	}
	if err := verdict.CheckValues(envelope.Policy{Confidence: confidence}); err != nil {
		return usage(fmt.Errorf("--confidence: %w", err))
	}
	return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, history.Query{Selection: sel, Confidence: confidence.V, Keep: patterns(c.StringSlice("test")), Ever: true})
		if err != nil {
			return usage(err)
		}
		switch {
		case len(t.Runs) == 0:
			return usage(fmt.Errorf("history trend: %w", noRuns(sel, s)))
		case len(t.Tests) == 0 && len(c.StringSlice("test")) > 0:
			return usage(fmt.Errorf("history trend: no test of these runs matches --test %q", c.StringSlice("test")))
		}
		return exitWith(gate.ExitOK, writeAll(env, t, outs))
	})
}

// windowed is which runs are looked at by a command that has --window.
func windowed(c *cli.Context) (history.Selection, error) {
	latest, err := window(c, "window")
	if err != nil {
		return history.Selection{}, err
	}
	return selection(c, latest)
}

// window reads a number of runs; 0 is all.
func window(c *cli.Context, flag string) (int, error) {
	word := c.String(flag)
	if word == "all" {
		return 0, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("--%s %q: give a number of runs, or all", flag, word)
	}
	return n, nil
}

// patterns accepts tests that match any of them; nil accepts all.
func patterns(words []string) func(envelope.Key) bool {
	if len(words) == 0 {
		return nil
	}
	var any []func(envelope.Key) bool
	for _, w := range words {
		any = append(any, verdict.Matcher(w))
	}
	return func(k envelope.Key) bool {
		return slices.ContainsFunc(any, func(m func(envelope.Key) bool) bool { return m(k) })
	}
}
