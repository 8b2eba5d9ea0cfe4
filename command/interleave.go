package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/suggest"
	"tribunal/verdict"
)

// interleave lets flags stand after inputs, as in `tribunal report x.ndjson -f
// tap`: the flag package stops at the first argument that is none. It moves the
// flags of a subcommand, with their values, before its arguments.
func interleave(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	i := slices.IndexFunc(app.Commands, func(c *cli.Command) bool { return c.HasName(args[1]) })
	if i < 0 {
		return args
	}
	takesValue := map[string]bool{}
	for _, f := range app.Commands[i].Flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !isBool
		}
	}
	flags, inputs := part(args[2:], takesValue)
	if inputs == nil {
		return slices.Concat(args[:2], flags)
	}
	return slices.Concat(args[:2], flags, []string{"--"}, inputs)
}

// part separates flags and their values from the other arguments. A lone - is
// an input, and so is everything after --.
func part(args []string, takesValue map[string]bool) (flags, inputs []string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return flags, append(inputs, args[i+1:]...)
		case a == "-" || !strings.HasPrefix(a, "-"):
			inputs = append(inputs, a)
		default:
			flags = append(flags, a)
			if strings.Contains(a, "=") || !takesValue[strings.TrimLeft(a, "-")] {
				continue
			}
			if i+1 == len(args) {
				return flags, nil // the flag package says that its value is missing
			}
			i++
			flags = append(flags, args[i])
		}
	}
	return flags, inputs
}

func unknownCommand(c *cli.Context) error {
	var names []string
	for _, cmd := range c.App.VisibleCommands() {
		names = append(names, cmd.Name)
	}
	return &exitError{code: verdict.ExitUnusable, err: suggest.Unknown("command", c.Args().First(), names)}
}
