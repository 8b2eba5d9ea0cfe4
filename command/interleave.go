package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/suggest"
	"tribunal/verdict/gate"
)

// interleave lets flags stand after inputs, as in `tribunal report x.ndjson -f
// tap`. Version 2 of cli parses with package flag, which stops at the first
// argument that is none, and has no switch for it. So the flags of a subcommand,
// with their values, are moved before its arguments, and the rest is left to cli.
func interleave(app *cli.App, args []string) []string {
	command, depth := named(app.Commands, args)
	if command == nil {
		return args
	}
	flags, inputs := part(args[depth:], valued(command.Flags))
	if inputs == nil {
		return slices.Concat(args[:depth], flags)
	}
	return slices.Concat(args[:depth], flags, []string{"--"}, inputs)
}

// valued tells which flags take a value, by all their names.
func valued(flags []cli.Flag) map[string]bool {
	takesValue := map[string]bool{}
	for _, f := range flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !isBool
		}
	}
	return takesValue
}

// named is the command that the arguments name, as deep as they name one, and
// how many arguments do; nil when there is none, or when one with commands of
// its own is named alone: that is answered with its help.
func named(commands []*cli.Command, args []string) (command *cli.Command, depth int) {
	for depth = 1; depth < len(args); depth++ {
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(args[depth]) })
		if i < 0 {
			break
		}
		command, commands = commands[i], commands[i].Subcommands
	}
	if len(commands) > 0 {
		return nil, depth
	}
	return command, depth
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

// unknownCommand answers a word that is none of the commands, with near names.
func unknownCommand(c *cli.Context, kind string, commands []*cli.Command) error {
	var names []string
	for _, cmd := range commands {
		names = append(names, cmd.Name)
	}
	return &exitError{code: gate.ExitUnusable, err: suggest.Unknown(kind, c.Args().First(), names)}
}
