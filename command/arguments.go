package command

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/render"
)

// interleave lets flags stand after inputs: it moves them before the arguments, because version 2 of cli
// stops at the first argument. Before them stand the flags that the environment sets, which are returned
// as well. The error is of a flag that the command does not have.
func interleave(app *cli.App, env Env, args []string) (all, set []string, err error) {
	command, depth := named(app.Commands, args)
	name := strings.Join(append([]string{app.Name}, args[1:depth]...), " ")
	if command == nil || len(command.Subcommands) > 0 {
		known := map[string]bool{"version": false}
		if command != nil && asksForHelp(args[depth:]) {
			return nil, nil, &helpAsked{name: name, command: command}
		} else if command != nil {
			known = valued(command.Flags)
		}
		flags, _ := part(args[depth:min(depth+1, len(args))], nil)
		err = unknownFlag(name+" COMMAND", flags, known)
		meant := cmp.Or(words.If(slices.Contains(args, "--"), "run"), "report")
		if command == nil && err != nil && unknownFlag("", flags, valued(app.Command(meant).Flags)) == nil {
			err = fmt.Errorf("%s is a flag of a command: put the command before it, as in tribunal %s %[1]s", flags[0], meant)
		}
		return args, nil, err
	}
	known := valued(command.Flags)
	flags, inputs := part(args[depth:], known)
	if err := unknownFlag(name, flags, known); err != nil {
		return nil, nil, err
	}
	if asksForHelp(flags) || slices.Equal(inputs, []string{"help"}) {
		return nil, nil, &helpAsked{name: name, command: command, inputs: inputs}
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

func (h *helpAsked) Error() string { return "help of " + h.name }

// unknownFlag refuses a flag that is not known, with what was perhaps meant.
func unknownFlag(command string, flags []string, known map[string]bool) error {
	for i := 0; i < len(flags); i++ {
		name, _, _ := strings.Cut(strings.TrimLeft(flags[i], "-"), "=")
		takesValue, is := known[name]
		switch {
		case !is && name != "help" && name != "h":
			return fmt.Errorf("unknown flag %s: %s", text.Line(flags[i]), meantFlag(command, name, flags[i], known))
		case takesValue && !strings.Contains(flags[i], "="):
			i++ // its value
		}
	}
	return nil
}

func meantFlag(command, name, given string, known map[string]bool) string {
	long := each.Where(slices.Sorted(maps.Keys(known)), func(k string) bool { return len(k) > 1 })
	near := each.Of(suggest.Near(name, long), func(word string) string { return "--" + word })
	_, rules := known["rule"]
	_, formats := known["format"]
	switch {
	case rules && slices.Contains(rule.Names(), name):
		near = []string{"--rule " + name}
	case formats && slices.Contains(render.Formats.Names(), name):
		near = []string{"-f " + name}
	case rules && (name == "quarantine" || name == "overrides" || name == "gates"):
		return name + " is a key of tribunal.yaml and no flag"
	case len(near) > 0:
	case !strings.HasPrefix(given, "--") && len(name) > 1 && known[name[:1]]:
		near = []string{"-" + name[:1] + " " + text.Line(name[1:])}
	default:
		return command + " --help all shows what it takes"
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

// named is the command that the arguments name, as deep as they name one, and how many arguments do; nil for none.
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

// part separates flags and their values from inputs, such as - and everything after --.
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
	return suggest.Unknown(kind, c.Args().First(), each.Of(commands, func(c *cli.Command) string { return c.Name }))
}

// subcommandMissing answers a call of a command that names none of its own commands.
func subcommandMissing(env Env) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.NArg() == 0 {
			return showHelp(env.Stdout, "tribunal "+c.Command.Name, c.Command, nil, stdoutWidth(env))
		}
		return unknownCommand(c, "command of "+c.Command.Name, c.Command.Subcommands)
	}
}

// behindDashes is the command after the first -- of a call of run or next.
type behindDashes struct {
	given bool
	words []string
	args  []string // all of the call
	set   []string // the flags of any command that the environment sets
}

// cut takes the command of run or next off the arguments, before anything else looks at
// them: what is in it is nobody's flag.
func (b *behindDashes) cut(args []string) []string {
	if len(args) < 2 || args[1] != "run" && args[1] != "next" {
		return args
	}
	b.args = args
	at := slices.Index(args, "--")
	if at < 0 {
		return args
	}
	b.given, b.words = true, args[at+1:]
	return args[:at]
}

// optionPrefix begins the variables that set flags. Those of trials, such as
// TRIBUNAL_TEST, begin otherwise.
const optionPrefix = "TRIBUNAL_OPT_"

// variable is the variable that sets a flag: TRIBUNAL_OPT_MIN_TRIALS for --min-trials.
func variable(flag string) string {
	return optionPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment are the flags that the environment sets of those that a call does
// not say. A flag that may be repeated is given a line each. Empty is not set, as a
// variable is that a CI system defines for nobody.
func fromEnvironment(flags []cli.Flag, said []string, getenv func(string) string) []string {
	var added []string
	for _, f := range flags {
		name := f.Names()[0]
		value := getenv(variable(name))
		if value == "" || slices.ContainsFunc(f.Names(), func(n string) bool { return says(said, n) }) {
			continue
		}
		values := []string{value}
		if _, several := f.(*cli.StringSliceFlag); several {
			values = strings.FieldsFunc(value, func(c rune) bool { return c == '\n' })
		}
		added = append(added, each.Of(values, func(v string) string { return "--" + name + "=" + v })...)
	}
	return added
}

func says(said []string, name string) bool {
	return slices.ContainsFunc(said, func(word string) bool {
		given, _, _ := strings.Cut(word, "=")
		return strings.HasPrefix(word, "-") && strings.TrimLeft(given, "-") == name
	})
}

// variables tells which flags of a call the environment sets.
func variables(added []string) string {
	var names []string
	for _, word := range added {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if v := "$" + variable(name); !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	return strings.Join(names, ", ")
}

// strays is where an app keeps the names of variables that set no flag.
const strays = "strays"

// strayVariables warns of variables of the environment that set no flag of any command, and returns their names.
func strayVariables(env Env, commands func() []*cli.Command) (stray []string) {
	if env.Environ == nil {
		return nil
	}
	given := slices.DeleteFunc(slices.Clone(env.Environ()), func(pair string) bool {
		name, value, _ := strings.Cut(pair, "=")
		return !strings.HasPrefix(name, optionPrefix) || value == ""
	})
	if len(given) == 0 {
		return nil
	}
	known := each.Of(allFlags(commands()), func(f cli.Flag) string { return strings.TrimPrefix(variable(f.Names()[0]), optionPrefix) })
	slices.Sort(known)
	known = slices.Compact(known)
	for _, pair := range given {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.Contains(known, strings.TrimPrefix(name, optionPrefix)) {
			meant := "tribunal COMMAND --help all shows the flags of a command"
			if near := suggest.Near(strings.TrimPrefix(name, optionPrefix), known); len(near) > 0 {
				meant = "did you mean " + optionPrefix + strings.Join(near, " or "+optionPrefix) + "?"
			}
			fmt.Fprintf(env.Stderr, "tribunal: $%s sets no flag and is ignored: %s\n", text.Line(name), meant)
			stray = append(stray, "$"+text.Line(name))
		}
	}
	return stray
}

func allFlags(commands []*cli.Command) (flags []cli.Flag) {
	for _, c := range commands {
		flags = slices.Concat(flags, c.Flags, allFlags(c.Subcommands))
	}
	return flags
}
