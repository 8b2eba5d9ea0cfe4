package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/command/config"
	"tribunal/envelope"
	"tribunal/history"
	"tribunal/history/trend"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/policy"
	"tribunal/render/pretty"
	"tribunal/verdict"
)

func historyReleaseCommand(env Env) *cli.Command {
	own := []cli.Flag{
		&cli.StringFlag{Name: "window", Usage: "look at the latest `N` runs, or at all", Value: strconv.Itoa(defaultWindow)},
		&cli.StringSliceFlag{Name: "label", Usage: "only runs with this label; repeated, with all of them"},
		&cli.StringFlag{Name: "threshold", Usage: "pass rate that a test must exceed to leave, 0.9, 90 or 90%", DefaultText: "of the configuration"},
		&cli.StringFlag{Name: "by", Value: trend.ByNights, Usage: "`BASIS` of the evidence; nights assumes the least: " + strings.Join(trend.ReleaseBy, ", ")},
		configFlag("read the quarantine from this file"),
	}
	return &cli.Command{
		Name: "release", Usage: "list the tests that may leave the quarantine",
		Description: "A test may leave if the interval of its pass rate is above the threshold, it is neither broken nor getting worse,\n" +
			"and its runs since the entry began show it. You may look after every run: a test that is not better than the\n" +
			"threshold leaves with a chance of at most 5 %. docs/quarantine.md shows the quarantine in tribunal.yaml.",
		Flags:        historyFlags(own...),
		OnUsageError: usageError,
		Action:       func(c *cli.Context) error { return release(c, env) },
	}
}

func release(c *cli.Context, env Env) error {
	if err := noArguments(c); err != nil {
		return err
	}
	asked, err := releasePolicy(c)
	if err != nil {
		return usage(fmt.Errorf("history release: %w", err))
	}
	sel, err := windowed(c)
	if err != nil {
		return usage(err)
	}
	if by := c.String("by"); !slices.Contains(trend.ReleaseBy, by) {
		return usage(fmt.Errorf("--by: %w", suggest.Unknown("evidence", by, trend.ReleaseBy)))
	}
	var words []string
	for _, q := range asked.Quarantine {
		words = append(words, q.Match)
	}
	return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, history.Query{Selection: sel, Confidence: cmp.Or(asked.Confidence.V, trend.DefaultConfidence), Keep: patterns(words), Ever: true})
		if err != nil {
			return usage(err)
		}
		if len(t.Runs) == 0 {
			return usage(fmt.Errorf("history release: %w", noRuns(sel, s)))
		}
		return writeReleases(env.Stdout, t, asked, c.String("by"))
	})
}

// releasePolicy is the quarantine, and the threshold to hold it against.
func releasePolicy(c *cli.Context) (envelope.Policy, error) {
	file, err := loadConfig(c)
	if err != nil {
		return envelope.Policy{}, err
	}
	p := file.Policy
	asked, err := number(c, "threshold")
	if err != nil {
		return p, err
	}
	if asked.OK {
		p.Threshold = asked
	}
	p.Threshold.V = policy.Rate(p.Threshold.V)
	switch {
	case len(p.Quarantine) == 0:
		return p, fmt.Errorf("there is no quarantine in %s: docs/quarantine.md shows one", cmp.Or(file.Path, config.FileName))
	case !p.Threshold.OK:
		return p, errors.New("give the pass rate that a test must exceed: --threshold 0.95, or threshold in the configuration")
	}
	if t := p.Threshold.V; !(t > 0 && t < 1) {
		return p, fmt.Errorf("threshold %v is out of range: give a pass rate above 0 and below 1, such as 0.95", t)
	}
	return p, nil
}

// writeReleases writes a row per test in quarantine, by entry.
func writeReleases(w io.Writer, t *trend.Trend, p envelope.Policy, by string) error {
	var rows [][]string
	leave, stay, seen := 0, 0, map[int]bool{}
	for _, q := range p.Quarantine {
		match, found := verdict.Matcher(q.Match), false
		begin, err := verdict.QuarantineBegin(q)
		if err != nil {
			return err
		}
		for i := range t.Tests {
			if !match(t.Tests[i].Key) {
				continue
			}
			found = true
			if seen[i] {
				continue
			}
			seen[i] = true
			r, word := t.Release(&t.Tests[i], trend.Leaving{Threshold: p.Threshold.V, By: by, Since: begin}), "stays"
			if r.Leaves {
				word = "leaves"
				leave++
			} else {
				stay++
			}
			rows = append(rows, []string{word, text.Line(t.Tests[i].Key.String()), entryWords(q), text.Line(r.Why)})
		}
		if !found {
			rows = append(rows, []string{"no test", text.Line(q.Match), entryWords(q), "this entry matches no test of these runs"})
		}
	}
	if err := pretty.Columns(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d may leave, %d stay\n", leave, stay)
	return err
}

func entryWords(q envelope.Quarantine) string {
	return text.Line("until " + q.Expires + " " + cmp.Or(q.Ticket, q.Owner, "-"))
}
