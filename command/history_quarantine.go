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
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/command/config"
	"tribunal/envelope"
	"tribunal/history"
	"tribunal/history/trend"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/run/preset"
	"tribunal/verdict"
)

func historyQuarantineCommand(env Env) *cli.Command {
	own := []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "arguments for `RUNNER`: " +
			strings.Join(preset.SkipFormats(), ", ")},
		&cli.BoolFlag{Name: "flaky", Usage: "tests in state FLAKY or NEW-FLAKY instead of those in quarantine"},
		&cli.StringFlag{Name: "on", Usage: "the quarantine of this `DAY`", DefaultText: "today, in UTC"},
		&cli.StringFlag{Name: "window", Usage: "use the latest `N` runs, or all", Value: strconv.Itoa(defaultWindow)},
		&cli.StringSliceFlag{Name: "label", Usage: "only runs with this label; repeated: with all of them"},
		&cli.StringSliceFlag{Name: "test", Usage: "only tests that match `PATTERN`; may be repeated"},
		configFlag("read the quarantine from this file"),
	}
	return &cli.Command{
		Name: "quarantine", Usage: "print the arguments by which a runner skips the tests in quarantine",
		Description: "Prints the tests of the quarantine in force, or with --flaky those that the history calls flaky, as arguments\n" +
			"for a shell. Ticket and expiry follow as comments. Broken tests are not skipped.\n\n" +
			"   eval \"pytest $(tribunal history quarantine -o pytest)\"",
		Flags:  historyFlags(own...),
		Action: func(c *cli.Context) error { return skipList(c, env) },
	}
}

// skipList prints the skip list of a runner.
func skipList(c *cli.Context, env Env) error {
	if c.String("output") == "" {
		return fmt.Errorf("history quarantine: name the runner, as in -o pytest: %s", strings.Join(preset.SkipFormats(), ", "))
	}
	sel, err := windowed(c)
	if err != nil {
		return err
	}
	asked, err := quarantineOn(c)
	if err != nil {
		return fmt.Errorf("history quarantine: %w", err)
	}
	return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
		t, err := s.Trend(ctx, history.Query{Selection: sel, Confidence: cmp.Or(asked.Confidence.V, trend.DefaultConfidence),
			Keep: patterns(c.StringSlice("test"))})
		if err != nil {
			return err
		}
		if len(t.Runs) == 0 {
			return fmt.Errorf("history quarantine: %w", noRuns(sel, s))
		}
		skips, notes := flakySkips(t), []string(nil)
		if !c.Bool("flaky") {
			if skips, notes, err = quarantineSkips(t, asked); err != nil {
				return err
			}
		}
		var all []envelope.Key
		for i := range t.Tests {
			all = append(all, t.Tests[i].Key)
		}
		kept, err := preset.WriteSkips(env.Stdout, c.String("output"), skips, all)
		if err != nil {
			return fmt.Errorf("history quarantine: -o: %w", err)
		}
		for _, k := range kept {
			notes = append(notes, k.RunnerName()+" is not skipped: "+k.Reason)
		}
		return writeNotes(env.Stderr, notes, len(skips)-len(kept))
	})
}

// quarantineOn is the policy with the entries that hold on a day.
func quarantineOn(c *cli.Context) (envelope.Policy, error) {
	file, err := loadConfig(c)
	if err != nil {
		return envelope.Policy{}, err
	}
	p, day := file.Policy, time.Now().UTC()
	if on := c.String("on"); on != "" {
		if day, err = time.Parse(time.DateOnly, on); err != nil {
			return p, fmt.Errorf("--on %q: give a date such as 2026-01-31", on)
		}
	}
	switch {
	case c.Bool("flaky") && c.IsSet("on"):
		return p, errors.New("--flaky takes no day: leave out --on")
	case c.Bool("flaky"):
		return p, nil
	case len(p.Quarantine) == 0:
		return p, fmt.Errorf("there is no quarantine in %s; for the tests that the history calls flaky, give --flaky", cmp.Or(file.Path, config.FileName))
	}
	var wrong error
	p.Quarantine = slices.DeleteFunc(slices.Clone(p.Quarantine), func(q envelope.Quarantine) bool {
		holds, err := verdict.QuarantineHolds(q, day)
		wrong = errors.Join(wrong, err)
		return !holds
	})
	return p, wrong
}

// flakySkips are the tests that the history calls flaky.
func flakySkips(t *trend.Trend) (skips []preset.Skip) {
	for i := range t.Tests {
		if test := &t.Tests[i]; test.State.IsFlaky() {
			skips = append(skips, preset.Skip{Key: test.Key, Reason: fmt.Sprintf("%s, %s", test.State, test.Evidence)})
		}
	}
	return skips
}

// quarantineSkips are the tests that the entries excuse, and what is to be told of others.
func quarantineSkips(t *trend.Trend, p envelope.Policy) (skips []preset.Skip, notes []string, err error) {
	all, err := releases(t, p, trend.ByWindow)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		switch {
		case r.test == nil:
			notes = append(notes, "the entry "+r.entry.Match+" matches no test of these runs")
		case r.test.State == trend.Broken:
			notes = append(notes, r.test.Key.RunnerName()+" is not skipped: it is broken, which no quarantine excuses")
		case p.QuarantineCap.OK && len(skips) >= p.QuarantineCap.V:
			notes = append(notes, r.test.Key.RunnerName()+" is not skipped: more tests are in quarantine than its cap allows")
		default:
			skips = append(skips, preset.Skip{Key: r.test.Key, Reason: reasonOf(r.entry)})
		}
	}
	return skips, notes, nil
}

// reasonOf is an entry of the quarantine as a comment.
func reasonOf(q envelope.Quarantine) string {
	said := []string{"expires " + q.Expires}
	for _, word := range []string{q.Ticket, q.Owner, q.Reason} {
		if word != "" {
			said = append(said, word)
		}
	}
	return strings.Join(said, ", ")
}

// mostNotes is how many notes are written of one list.
const mostNotes = 20

func writeNotes(w io.Writer, notes []string, skipped int) error {
	for _, note := range notes[:min(mostNotes, len(notes))] {
		fmt.Fprintf(w, "tribunal: %s\n", text.Line(note))
	}
	if more := len(notes) - mostNotes; more > 0 {
		fmt.Fprintf(w, "tribunal: and %d more like these\n", more)
	}
	if skipped == 0 {
		fmt.Fprintln(w, "tribunal: there is no test to skip")
		return nil
	}
	_, err := fmt.Fprintf(w, "tribunal: %s to skip\n", words.Plural(skipped, "test", "tests"))
	return err
}
