package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/history"
)

// historyVariable names the history where --db does not.
const historyVariable = "TRIBUNAL_DB"

// defaultHistory is the file of a project that names none.
const defaultHistory = ".tribunal/history.db"

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
postgres:// URL. Put a password into $PGPASSWORD or ~/.pgpass. More: docs/history/README.md.`

func historyCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:        "history",
		Usage:       "store runs, and show how tests change over time",
		ArgsUsage:   "COMMAND",
		Description: "Stores judged runs in a file or in PostgreSQL, and shows which tests are stable, drifting, flaky, broken\nor fixed.\n\n" + historyExamples,
		Subcommands: []*cli.Command{
			historyAddCommand(env), historyListCommand(env), historyShowCommand(env), historyTrendCommand(env),
			historyExportCommand(env), historyPruneCommand(env), historyReleaseCommand(env),
		},
		Flags:           historyFlags(),
		HideHelpCommand: true,
		OnUsageError:    usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return showHelp(env.Stdout, "tribunal history", c.Command, nil, stdoutWidth(env))
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
		&cli.StringSliceFlag{Name: "label", Usage: "only runs with this label; repeated, with all of them"},
		&cli.IntFlag{Name: "limit", Usage: limit, DefaultText: "all"},
	}
}

// historyPlace is the history that the flags and the environment name.
func historyPlace(c *cli.Context, env Env) string {
	for _, at := range c.Lineage() { // --db may stand before the command of history, too
		if place := at.String("db"); place != "" {
			return place
		}
	}
	return cmp.Or(env.Getenv(historyVariable), defaultHistory)
}

// withHistory opens the history that the flags and the environment name, hands
// it on, and closes it.
func withHistory(c *cli.Context, env Env, access history.Access, work func(ctx context.Context, s *history.Store) error) error {
	place := historyPlace(c, env)
	ctx := history.WhenWaiting(context.Background(), func(longest time.Duration) {
		fmt.Fprintf(env.Stderr, "tribunal: waiting for another process that writes to the history; giving up after %s\n", longest)
	})
	s, err := history.Open(ctx, place, access)
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
	return fmt.Errorf("the history %s has no run; add one with 'tribunal history add'", s.Name())
}

func noArguments(c *cli.Context) error {
	if c.NArg() == 0 {
		return nil
	}
	return usage(fmt.Errorf("history %s takes no argument, found %q", c.Command.Name, c.Args().First()))
}
