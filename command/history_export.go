package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"tribunal/command/input"
	"tribunal/envelope/wire"
	"tribunal/history"
)

func historyExportCommand(env Env) *cli.Command {
	own := append(chosenFlags("only the latest `N` runs"), &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to this file instead of standard output"})
	return &cli.Command{
		Name: "export", Usage: "write runs as NDJSON that add reads again, without loss", ArgsUsage: "[ID ...]",
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
