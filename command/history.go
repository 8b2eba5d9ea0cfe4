package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render"
	"tribunal/render/pretty"
)

// historyVariable names the history where --db does not.
const historyVariable = "TRIBUNAL_DB"

// defaultHistory is the file of a project that names none.
const defaultHistory = ".tribunal/history.db"

const historyExamples = `Examples:
   tribunal report trials.ndjson -o json=run.json
   tribunal history add run.json --commit $CI_COMMIT_SHA --label branch=main
   tribunal history trend                                 state, pass rate and drift of every test
   tribunal history page -o nightly/                      pages of the last run and all others
   tribunal history show latest -f markdown
   tribunal history export > runs.ndjson                  and back: tribunal history add runs.ndjson
   tribunal history prune --keep 200 --yes
   tribunal history release --threshold 0.95              which tests may leave the quarantine
   eval "pytest $(tribunal history quarantine -o pytest)"   run without the tests in quarantine
   TRIBUNAL_DB=postgres://ci@db.example.org/evals tribunal history add run.json

The history is the SQLite file ` + defaultHistory + ` unless --db or $` + historyVariable + ` names another file or a
postgres:// URL. Put a password into $PGPASSWORD or ~/.pgpass. More: docs/history/README.md.`

func historyCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "history",
		Usage:     "store runs, and show how tests change over time",
		ArgsUsage: "COMMAND [FLAGS]",
		Description: "Stores judged runs in a file or in PostgreSQL, and shows which tests are stable, drifting, flaky, broken\nor fixed.\n\n" +
			historyExamples,
		Subcommands: []*cli.Command{
			historyAddCommand(env), historyListCommand(env), historyShowCommand(env), historyTrendCommand(env),
			historyExportCommand(env), historyPruneCommand(env), historyReleaseCommand(env), historyQuarantineCommand(env), historyPageCommand(env),
		},
		Flags:  historyFlags(),
		Action: subcommandMissing(env),
	}
}

func historyFlags(own ...cli.Flag) []cli.Flag {
	return append(own, &cli.StringFlag{Name: "db", Usage: "the history: a file, or a postgres:// URL", DefaultText: "$" + historyVariable +
		", or " + defaultHistory})
}

func chosenFlags(limit string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "label", Usage: "only runs with this label; repeat to require several"},
		&cli.IntFlag{Name: "limit", Usage: limit, DefaultText: "all"},
	}
}

func historyPlace(c *cli.Context, env Env) string {
	for _, at := range c.Lineage() { // --db may stand before the command of history, too
		if place := at.String("db"); place != "" {
			return place
		}
	}
	return cmp.Or(env.Getenv(historyVariable), defaultHistory)
}

// ofPlace is --db for a command to type, where the command needs it; never a URL, which may hold a password.
func ofPlace(c *cli.Context, env Env) string {
	place, usual := historyPlace(c, env), cmp.Or(env.Getenv(historyVariable), defaultHistory)
	return words.If(place != usual && !strings.Contains(place, "://"), " --db "+words.Shell(place))
}

// withHistory opens the history that the flags and the environment name, hands it on, and closes it.
func withHistory(c *cli.Context, env Env, access history.Access, work func(ctx context.Context, s *history.Store) error) error {
	ctx := history.WhenWaiting(context.Background(), func(longest time.Duration) {
		fmt.Fprintf(env.Stderr, "tribunal: waiting for another process that writes to the history; giving up after %s\n", longest)
	})
	s, err := history.Open(ctx, historyPlace(c, env), access)
	if errors.Is(err, history.ErrNone) {
		return fmt.Errorf("%w%s", err, ofPlace(c, env))
	} else if err != nil {
		return err
	}
	err = work(ctx, s)
	if closed := s.Close(); err == nil && closed != nil {
		err = fmt.Errorf("cannot close the history %s: %w", s.Name(), closed)
	}
	return err
}

func selection(c *cli.Context, latest int) (history.Selection, error) {
	labels, err := labelFlags(c, "label")
	if latest < 0 || latest == 0 && c.IsSet("limit") {
		err = errors.Join(err, fmt.Errorf("--limit %d: give 1 or more", latest))
	}
	return history.Selection{Labels: labels, Latest: latest}, err
}

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

func noRuns(sel history.Selection, s *history.Store) error {
	db := words.If(s.Name() != defaultHistory && !strings.Contains(s.Name(), "://"), " --db "+words.Shell(s.Name()))
	if len(sel.Labels) > 0 {
		return fmt.Errorf("no run of the history %s has these labels: see 'tribunal history list%s'", s.Name(), db)
	}
	return fmt.Errorf("the history %s has no run; add one with 'tribunal history add run.json%s'", s.Name(), db)
}

func historyListCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "list", Usage: "list the stored runs, the latest last",
		Flags: append(historyFlags(chosenFlags("only the latest `N` runs")...),
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: listFormats[0], Usage: "format of the list: " +
				strings.Join(listFormats, ", ")}),
		Action: func(c *cli.Context) error {
			if f := c.String("format"); !slices.Contains(listFormats, f) {
				return fmt.Errorf("--format: %w", suggest.Unknown("format", f, listFormats))
			}
			sel, err := selection(c, c.Int("limit"))
			if err != nil {
				return err
			}
			return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
				runs, matching, err := s.List(ctx, sel)
				if err != nil {
					return err
				}
				if c.String("format") == "json" {
					return listJSON(env.Stdout, runs, matching)
				}
				if len(runs) == 0 {
					_, err = fmt.Fprintf(env.Stderr, "tribunal: %v\n", noRuns(sel, s))
					return err
				}
				return listRuns(env.Stdout, runs, matching)
			})
		},
	}
}

var listFormats = []string{"pretty", "json"}

// listedRun is a run as programs read it, under the keys of an envelope.
type listedRun struct {
	ID      string             `json:"id"`
	Run     envelope.RunHeader `json:"run"`
	Summary envelope.Summary   `json:"summary"`
}

// listJSON writes one document: the runs, and how many older ones are left out.
func listJSON(w io.Writer, runs []history.Run, matching int) error {
	list := struct {
		Runs  []listedRun `json:"runs"`
		Older int         `json:"older,omitempty"`
	}{Runs: []listedRun{}, Older: matching - len(runs)}
	for _, r := range runs {
		list.Runs = append(list.Runs, listedRun{r.ID, r.Header, r.Summary})
	}
	text, err := json.MarshalIndent(list, "", " ")
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	return err
}

func listRuns(w io.Writer, runs []history.Run, matching int) error {
	rows := [][]string{{"ID", "STARTED", "RUN", "COMMIT", "TESTS", "PASS", "FAIL", "UNDECIDED", "ERROR", "FLAKY", "RATE", "COST", "LABELS"}}
	for _, r := range runs {
		s := &r.Summary
		const longestTime = len(time.RFC3339Nano) // how many characters the longest start has, to the nanosecond
		row := []string{r.Short(), cmp.Or(listed(r.Header.StartedAt, longestTime), "-"),
			cmp.Or(words.Shortened(text.Line(strings.TrimSpace(r.Header.Name+" "+r.Header.ID))), "-"), cmp.Or(listed(r.Header.Commit, 8), "-")}
		row = append(row, each.Of([]int{s.Tests, s.Pass, s.Fail, s.Inconclusive, s.Error, s.Flaky}, strconv.Itoa)...)
		rows = append(rows, append(row, listedRate(s.Rate.PerProtocol),
			cmp.Or(s.CostUSD.Text("$", func(v float64) string { return fmt.Sprintf("%.2f", v) }), "-"), listedLabels(r.Header.Labels)))
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

func listed(s string, n int) string {
	shown := []rune(text.Line(s))
	return string(shown[:min(n, len(shown))])
}

func listedRate(r *envelope.Rate) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Value)
}

func listedLabels(labels map[string]string) string {
	var all []string
	for name, value := range labels {
		all = append(all, words.Shortened(text.Line(name+"="+value)))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func historyShowCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "write the report of a stored run again, in any format", ArgsUsage: "ID",
		Description: "ID is the beginning of an id that list shows, or " + history.Latest + ". A JSON report has that run's exit code;\n" +
			"this command exits with 0.",
		Flags: historyFlags(outputFlags(render.Formats)...),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return fmt.Errorf("history show: name one run, by the beginning of its id or as %s", history.Latest)
			}
			outs, err := outputs(c, env, render.Formats, false)
			if err != nil {
				return err
			}
			return withHistory(c, env, history.Read, func(ctx context.Context, s *history.Store) error {
				run, err := s.Find(ctx, c.Args().First())
				if err != nil {
					return err
				}
				e, err := s.Envelope(ctx, run)
				if err != nil {
					return err
				}
				return exitWith(0, writeAll(env, e, outs))
			})
		},
	}
}

func historyPruneCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "prune", Usage: "delete old runs; without --yes it only lists them",
		Description: "Deletes runs that are not among the latest --keep and that started before --older-than. If you set only\none of the " +
			"two, that one decides. --older-than keeps runs without a start time.",
		Flags: historyFlags(
			&cli.IntFlag{Name: "keep", Usage: "keep the latest `N` runs", DefaultText: "0 with --older-than, else required"},
			&cli.StringFlag{Name: "older-than", Usage: "delete runs that started before this day (UTC) or time, as 2026-01-31"},
			&cli.BoolFlag{Name: "yes", Usage: "delete the runs, instead of only listing them"},
		),
		Action: func(c *cli.Context) error {
			age, err := ageFlags(c)
			if err != nil {
				return err
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
		return err
	}
	old := age.Old(runs)
	if len(old) > 0 {
		if err := listRuns(env.Stdout, old, len(old)); err != nil {
			return err
		}
	}
	if !c.Bool("yes") {
		_, err := fmt.Fprintf(env.Stdout, "%s would be deleted%s\n", words.Of(len(old), stored, "run", "runs"),
			words.If(len(old) > 0, "; to delete, add --yes"))
		return err
	}
	if len(old) > 0 {
		if err := s.Delete(ctx, old); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(env.Stdout, "%s deleted\n", words.Of(len(old), stored, "run", "runs"))
	return err
}

func ageFlags(c *cli.Context) (history.Age, error) {
	age := history.Age{Keep: c.Int("keep")}
	date := c.String("older-than")
	switch {
	case !c.IsSet("keep") && date == "":
		return age, errors.New("history prune: say what to delete: --keep N, --older-than TIME, or both")
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

// nanoseconds since 1970 reach from 1677 to 2262; what lies beyond is as early or as late as they go, like every run that there can be.
func nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}
