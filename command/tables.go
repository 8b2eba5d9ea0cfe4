package command

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"tribunal/read"
	"tribunal/render"
	"tribunal/schema"
	"tribunal/verdict"
)

func formatsCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:         "formats",
		Usage:        "list the formats that are read and written, and the rules",
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return &exitError{code: verdict.ExitUnusable, err: fmt.Errorf("formats takes no argument, found %q", c.Args().First())}
			}
			return writeFormats(env.Stdout)
		},
	}
}

func writeFormats(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "Input (found by content; --from NAME overrides):")
	for _, f := range read.Formats {
		fmt.Fprintf(tw, "  %s\t%s\n", f.Name, f.Doc)
	}
	fmt.Fprintln(tw, "\nOutput (-f NAME, -o NAME=PATH):")
	for _, f := range render.Formats {
		doc := f.Doc
		if f.Lossless {
			doc += " (lossless: an input again)"
		}
		fmt.Fprintf(tw, "  %s\t%s\n", f.Name, doc)
	}
	fmt.Fprintln(tw, "\nRules (--rule NAME):")
	for _, r := range verdict.Rules {
		fmt.Fprintf(tw, "  %s\t%s\n", r.Name, r.Doc)
	}
	return tw.Flush()
}

func schemaCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:         "schema",
		Usage:        "print the JSON Schema of trial, envelope or config",
		ArgsUsage:    "trial|envelope|config",
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return &exitError{code: verdict.ExitUnusable, err: fmt.Errorf("schema: name one of trial, envelope, config")}
			}
			text, err := schema.Text(c.Args().First())
			if err != nil {
				return &exitError{code: verdict.ExitUnusable, err: err}
			}
			_, err = env.Stdout.Write(text)
			return err
		},
	}
}
