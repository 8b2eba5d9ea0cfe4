package command

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/command/schema"
	"tribunal/verdict/gate"
)

func schemaCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:         "schema",
		Usage:        "print a JSON Schema: " + strings.Join(schema.Names, ", "),
		ArgsUsage:    strings.Join(schema.Names, "|"),
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return &exitError{code: gate.ExitUnusable, err: fmt.Errorf("schema: name one of %s", strings.Join(schema.Names, ", "))}
			}
			text, err := schema.Text(c.Args().First())
			if err != nil {
				return &exitError{code: gate.ExitUnusable, err: err}
			}
			_, err = env.Stdout.Write(text)
			return err
		},
	}
}
