package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/history"
	"tribunal/internal/text"
	"tribunal/render"
	"tribunal/render/pretty"
)

const historyExamples = `Examples:
   tribunal report trials.ndjson -o json=run.json
   tribunal history add run.json --commit $CI_COMMIT_SHA --label branch=main
   tribunal history list
   tribunal history trend                                 state, pass rate and drift of every test
   tribunal history trend --window 100 -o html=trend.html
   tribunal history show latest -f markdown
   tribunal history export > runs.ndjson                  and back: tribunal history add runs.ndjson
   tribunal history prune --keep 200 --yes
   tribunal history release --threshold 0.95              which tests may leave the quarantine
   TRIBUNAL_DB=postgres://ci@db.example.org/evals tribunal history add run.json

The history is the SQLite file ` + defaultHistory + ` unless --db or $` + historyVariable + ` names another file or a
postgres:// URL. A password is best left to $PGPASSWORD or ~/.pgpass. docs/history.md tells more.`

func historyCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:        "history",
		Usage:       "remember runs, and say how tests change over them",
		ArgsUsage:   "COMMAND",
		Description: "Keeps judged runs in a file or a team's PostgreSQL, and says of each test whether it is stable, drifting,\nflaky, broken or fixed.\n\n" + historyExamples,
		Subcommands: []*cli.Command{
			historyAddCommand(env), historyListCommand(env), historyShowCommand(env), historyTrendCommand(env),
			historyExportCommand(env), historyPruneCommand(env), historyReleaseCommand(env),
		},
		HideHelpCommand: true,
		OnUsageError:    usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return cli.ShowSubcommandHelp(c)
			}
			return unknownCommand(c, "command of history", c.Command.Subcommands)
		},
	}
}

// historyFlags are the flags of every command of history.
func historyFlags(own ...cli.Flag) []cli.Flag {
	return append(own, &cli.StringFlag{Name: "db", Usage: "the history: a file, or a postgres:// URL", DefaultText: "$" + historyVariable + ", or " + defaultHistory})
}

// chosenFlags choose runs.
func chosenFlags(limit string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "label", Usage: "only runs with this label, as `NAME=VALUE`; all of several"},
		&cli.IntFlag{Name: "limit", Usage: limit, DefaultText: "all"},
	}
}

// withHistory opens the history that the flags and the environment name, hands
// it on, and closes it.
func withHistory(c *cli.Context, env Env, access history.Access, work func(ctx context.Context, s *history.Store) error) error {
	ctx := context.Background()
	s, err := history.Open(ctx, historyPlace(c, env), access)
	if err != nil {
		return usage(err)
	}
	err = work(ctx, s)
	if closed := s.Close(); err == nil && closed != nil {
		err = usage(fmt.Errorf("closing the history %s: %w", s.Name(), closed))
	}
	return err
}

// selection is which runs the flags mean; latest is how many of them.
func selection(c *cli.Context, latest int) (history.Selection, error) {
	labels, err := labelFlags(c, "label")
	if latest < 0 {
		err = errors.Join(err, fmt.Errorf("%d runs cannot be chosen: give 1 or more", latest))
	}
	return history.Selection{Labels: labels, Latest: latest}, err
}

// labelFlags are the labels that a flag names.
func labelFlags(c *cli.Context, flag string) (map[string]string, error) {
	labels := map[string]string{}
	for _, word := range c.StringSlice(flag) {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--%s %q: give NAME=VALUE, for instance --%s branch=main", flag, word, flag)
		}
		if before, twice := labels[name]; twice && before != value {
			return nil, fmt.Errorf("--%s gives %s two values, %q and %q: a run has one; give one of them", flag, name, before, value)
		}
		labels[name] = value
	}
	return labels, nil
}

// noRuns says why there is nothing to work on.
func noRuns(sel history.Selection, s *history.Store) error {
	if len(sel.Labels) > 0 {
		return fmt.Errorf("no run of the history %s has these labels: see 'tribunal history list'", s.Name())
	}
	return fmt.Errorf("the history %s has no run: add one with 'tribunal history add'", s.Name())
}

func historyListCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the runs, the latest last",
		Flags:        historyFlags(chosenFlags("only the latest so many")...),
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			sel, err := selection(c, c.Int("limit"))
			if err != nil {
				return usage(err)
			}
			return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
				runs, matching, err := s.List(ctx, sel)
				if err != nil {
					return usage(err)
				}
				return listRuns(env.Stdout, runs, matching)
			})
		},
	}
}

func noArguments(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	return usage(fmt.Errorf("history %s takes no argument, found %q", c.Command.Name, c.Args().First()))
}

// listRuns writes a row per run. Ids are cut to what Find takes.
func listRuns(w io.Writer, runs []history.Run, matching int) error {
	rows := [][]string{{"ID", "STARTED", "RUN", "COMMIT", "TESTS", "PASS", "FAIL", "INCONC", "ERROR", "FLAKY", "RATE", "COST", "LABELS"}}
	for _, r := range runs {
		s := &r.Summary
		row := []string{r.Short(), cmp.Or(listed(r.Header.StartedAt, longestTime), "-"),
			cmp.Or(listed(strings.TrimSpace(r.Header.Name+" "+r.Header.ID), 30), "-"), cmp.Or(listed(r.Header.Commit, 8), "-")}
		for _, n := range []int{s.Tests, s.Pass, s.Fail, s.Inconclusive, s.Error, s.Flaky} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, append(row, listedRate(s.Rate.PerProtocol), listedCost(s.CostUSD), listedLabels(r.Header.Labels)))
	}
	if err := pretty.Columns(w, rows); err != nil {
		return err
	}
	if more := matching - len(runs); more > 0 {
		_, err := fmt.Fprintf(w, "and %d older\n", more)
		return err
	}
	return nil
}

// longestTime is how many characters the longest start has, to the nanosecond.
const longestTime = len(time.RFC3339Nano)

// listed is a text of a run in a cell of at most n characters.
func listed(s string, n int) string {
	shown := []rune(text.Line(s))
	if len(shown) > n {
		return string(shown[:n])
	}
	return string(shown)
}

func listedRate(r *envelope.Rate) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*r.Value)
}

func listedCost(v envelope.Opt[float64]) string {
	if !v.OK {
		return "-"
	}
	return fmt.Sprintf("$%.2f", v.V)
}

func listedLabels(labels map[string]string) string {
	var words []string
	for name, value := range labels {
		words = append(words, listed(name+"="+value, 40))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func historyShowCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "report a run again, in any format of report", ArgsUsage: "ID",
		Description:  "ID is the beginning of an id that list shows, or " + history.Latest + ". The exit code says nothing of the run.",
		Flags:        historyFlags(outputFlags(render.Formats)...),
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage(fmt.Errorf("history show: name one run, by the beginning of its id or as %s", history.Latest))
			}
			outs, err := outputs(c, env, render.Formats, false)
			if err != nil {
				return usage(err)
			}
			if err := spares(c, env, outs); err != nil {
				return usage(err)
			}
			return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
				run, err := s.Find(ctx, c.Args().First())
				if err != nil {
					return usage(err)
				}
				e, err := s.Envelope(ctx, run)
				if err != nil {
					return usage(err)
				}
				return exitWith(0, writeAll(env, e, outs))
			})
		},
	}
}

func historyExportCommand(env Env) *cli.Command {
	own := append(chosenFlags("only the latest so many"), &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to this file instead of standard output"})
	return &cli.Command{
		Name: "export", Usage: "write runs as NDJSON envelopes that add takes again", ArgsUsage: "[ID ...]",
		Flags:        historyFlags(own...),
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 && (c.IsSet("label") || c.IsSet("limit")) {
				return usage(errors.New("history export: --label and --limit choose among all runs: leave them out, or the ids"))
			}
			sel, err := selection(c, c.Int("limit"))
			if err != nil {
				return usage(err)
			}
			path, err := exportPath(c, env)
			if err != nil {
				return usage(err)
			}
			return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
				write := func(w io.Writer) error { return exportRuns(ctx, s, w, sel, c.Args().Slice()) }
				if path != input.Standard {
					err = writeWhole(path, write)
				} else {
					err = write(env.Stdout)
				}
				if err != nil {
					return usage(fmt.Errorf("history export: %w", err))
				}
				return nil
			})
		},
	}
}

// exportPath is where an export goes, which is nowhere in the place of what the
// program keeps.
func exportPath(c *cli.Context, env Env) (string, error) {
	path, err := standard(cmp.Or(c.String("output"), input.Standard))
	if err != nil || path == input.Standard {
		return path, err
	}
	t, err := targetOf(env, "-o "+path, path)
	if err != nil {
		return "", err
	}
	return path, t.sparesOurs(c, env)
}

func exportRuns(ctx context.Context, s *history.Store, w io.Writer, sel history.Selection, ids []string) error {
	runs, err := exported(ctx, s, sel, ids)
	if err != nil {
		return err
	}
	for _, run := range runs {
		e, err := s.Envelope(ctx, run)
		if err != nil {
			return err
		}
		if err := wire.EncodeNDJSON(w, e); err != nil {
			return err
		}
	}
	return nil
}

// exported are the runs that are named, or else those that are selected.
func exported(ctx context.Context, s *history.Store, sel history.Selection, ids []string) ([]history.Run, error) {
	if len(ids) == 0 {
		runs, _, err := s.List(ctx, sel)
		if err == nil && len(runs) == 0 {
			err = noRuns(sel, s)
		}
		return runs, err
	}
	var runs []history.Run
	for _, id := range ids {
		run, err := s.Find(ctx, id)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func historyPruneCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "prune", Usage: "delete old runs; without --yes it only says which",
		Description: "Deletes runs that are beyond the latest --keep and started before --older-than; where only one of the two\nis given, that one decides.",
		Flags: historyFlags(
			&cli.IntFlag{Name: "keep", Usage: "keep the latest so many"},
			&cli.StringFlag{Name: "older-than", Usage: "delete what started before this `DATE`, such as 2026-01-31 or 2026-01-31T12:00:00Z"},
			&cli.BoolFlag{Name: "yes", Usage: "do it"},
		),
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			age, err := ageFlags(c)
			if err != nil {
				return usage(err)
			}
			access := history.Read
			if c.Bool("yes") {
				access = history.Change
			}
			return withHistory(c, env, access, func(ctx context.Context, s *history.Store) error { return prune(ctx, c, env, s, age) })
		},
	}
}

func prune(ctx context.Context, c *cli.Context, env Env, s *history.Store, age history.Age) error {
	runs, stored, err := s.List(ctx, history.Selection{})
	if err != nil {
		return usage(err)
	}
	old := age.Old(runs)
	if len(old) > 0 {
		if err := listRuns(env.Stdout, old, len(old)); err != nil {
			return err
		}
	}
	if !c.Bool("yes") {
		_, err := fmt.Fprintf(env.Stdout, "%d of %d runs would be deleted; do it with --yes\n", len(old), stored)
		return err
	}
	if len(old) > 0 {
		if err := s.Delete(ctx, old); err != nil {
			return usage(err)
		}
	}
	_, err = fmt.Fprintf(env.Stdout, "%d of %d runs deleted\n", len(old), stored)
	return err
}

func ageFlags(c *cli.Context) (history.Age, error) {
	age := history.Age{Keep: c.Int("keep")}
	date := c.String("older-than")
	switch {
	case c.NArg() > 0:
		return age, fmt.Errorf("history prune takes no argument, found %q: say which runs by --keep and --older-than", c.Args().First())
	case !c.IsSet("keep") && date == "":
		return age, errors.New("history prune: say what to delete: --keep N, --older-than DATE, or both")
	case age.Keep < 0:
		return age, fmt.Errorf("--keep %d: give 0 or more", age.Keep)
	case date == "":
		return age, nil
	}
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		day, err = time.Parse(time.RFC3339, date)
	}
	if err != nil {
		return age, fmt.Errorf("--older-than %q: give a date such as 2026-01-31 or 2026-01-31T12:00:00Z", date)
	}
	age.Before = envelope.Some(nanoseconds(day))
	return age, nil
}

// nanoseconds since 1970 reach from 1677 to 2262; what lies beyond is as early
// or as late as they go, like every run that there can be.
func nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}
