package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/history"
)

func historyPruneCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "prune", Usage: "delete old runs; without --yes it only lists them",
		Description: "Deletes runs that are not among the latest --keep and that started before --older-than. If you set only\none of the two, that one decides.",
		Flags: historyFlags(
			&cli.IntFlag{Name: "keep", Usage: "keep the latest `N` runs"},
			&cli.StringFlag{Name: "older-than", Usage: "delete runs that started before this day or time, such as 2026-01-31"},
			&cli.BoolFlag{Name: "yes", Usage: "delete the runs, instead of only listing them"},
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
