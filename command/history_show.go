package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"tribunal/history"
	"tribunal/render"
)

func historyShowCommand(env Env) *cli.Command {
	return &cli.Command{
		Name: "show", Usage: "write the report of a stored run again, in any format", ArgsUsage: "ID",
		Description:  "ID is the beginning of an id that list shows, or " + history.Latest + ". The exit code does not depend on the run.",
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
