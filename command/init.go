package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/command/config"
	"tribunal/internal/text"
)

func initCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "write a first " + config.FileName + " with comments",
		Description: "Writes " + config.FileName + " into this folder. Commands find it from here and from every folder below.\n" +
			"An existing file is never replaced.\n\nExamples:\n   tribunal init\n   tribunal init --for flaky",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Value: config.Starters[0], Usage: "what you test: " + strings.Join(config.Starters, ", ")},
		},
		OnUsageError: usageError,
		Action:       func(c *cli.Context) error { return writeStarter(c, env) },
	}
}

func writeStarter(c *cli.Context, env Env) error {
	if c.NArg() > 0 {
		return usage(fmt.Errorf("init takes no argument, found %q", c.Args().First()))
	}
	starter, err := config.Starter(c.String("for"))
	if err != nil {
		return usage(fmt.Errorf("--for: %w", err))
	}
	there, err := config.In(".")
	if there != "" {
		err = fmt.Errorf("%s exists already; nothing is written", text.Line(there))
	}
	if err != nil {
		return usage(fmt.Errorf("init: %w", err))
	}
	file, err := os.OpenFile(config.FileName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return usage(fmt.Errorf("init: %w", err))
	}
	_, err = file.Write(starter)
	if err = errors.Join(err, file.Close()); err != nil {
		return usage(fmt.Errorf("init: %w", err))
	}
	_, err = io.WriteString(env.Stdout, config.FileName+" is written: see what holds with 'tribunal config', judge trials with 'runner | tribunal report'\n")
	return err
}
