package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/render"
	"tribunal/verdict/gate"
	"tribunal/verdict/rule"
)

// interleave lets flags stand after inputs, as in `tribunal report x.ndjson -f
// tap`. Version 2 of cli parses with package flag, which stops at the first
// argument that is none, and has no switch for it. So the flags of a subcommand,
// with their values, are moved before its arguments, and the rest is left to cli. The
// error is of a flag that the subcommand does not have. Before them stand the flags
// that the environment sets, which are returned as well.
func interleave(app *cli.App, env Env, args []string) (all, set []string, err error) {
	command, depth := named(app.Commands, args)
	if command == nil {
		return args, nil, nil
	}
	if len(command.Subcommands) > 0 {
		if askedFor(args[depth:]) {
			return nil, nil, &helpAsked{name: app.Name + " " + command.Name, command: command}
		}
		return args, nil, nil
	}
	known := valued(command.Flags)
	flags, inputs := part(args[depth:], known)
	if err := unknownFlag(flags, known); err != nil {
		return nil, nil, err
	}
	if askedFor(flags) {
		return nil, nil, &helpAsked{name: strings.Join(append([]string{app.Name}, args[1:depth]...), " "), command: command, inputs: inputs}
	}
	if !env.resumed {
		set = fromEnvironment(command.Flags, flags, env.Getenv)
	}
	if inputs == nil {
		return slices.Concat(args[:depth], set, flags), set, nil
	}
	return slices.Concat(args[:depth], set, flags, []string{"--"}, inputs), set, nil
}

// helpAsked is the end of a call that asks how a command is used.
type helpAsked struct {
	name    string
	command *cli.Command
	inputs  []string
}

// Error implements error.
func (h *helpAsked) Error() string { return "help of " + h.name }

// unknownFlag refuses a flag that is not known, with what was perhaps meant.
func unknownFlag(flags []string, known map[string]bool) error {
	for i := 0; i < len(flags); i++ {
		name, _, _ := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		takesValue, is := known[name]
		switch {
		case !is && name != "help" && name != "h":
			return &exitError{code: gate.ExitUnusable, err: fmt.Errorf("unknown flag %s: %s", text.Line(flags[i]), meantFlag(name, flags[i], known))}
		case takesValue && !strings.Contains(flags[i], "="):
			i++ // its value
		}
	}
	return nil
}

// meantFlag says which flag may have been meant by a name.
func meantFlag(name, given string, known map[string]bool) string {
	var long []string
	for k := range known {
		if len(k) > 1 {
			long = append(long, k)
		}
	}
	slices.Sort(long)
	var near []string
	for _, word := range suggest.Near(name, long) {
		near = append(near, "--"+word)
	}
	_, rules := known["rule"]
	_, formats := known["format"]
	switch {
	case rules && slices.Contains(rule.Names(), name):
		near = []string{"--rule " + name}
	case formats && slices.Contains(render.Formats.Names(), name):
		near = []string{"-f " + name}
	case len(near) > 0:
	case !strings.HasPrefix(given, "--") && len(name) > 1 && known[name[:1]]:
		near = []string{"-" + name[:1] + " " + text.Line(name[1:])}
	default:
		return "--help lists those there are"
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
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
