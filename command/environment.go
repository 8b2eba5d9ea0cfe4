package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

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
		for _, v := range values {
			added = append(added, "--"+name+"="+v)
		}
	}
	return added
}

// says reports whether a flag stands among those of a call.
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

// refuseStrays is the error of a strict call that variables were meant to say something to.
func refuseStrays(c *cli.Context) error {
	names, _ := c.App.Metadata[strays].([]string)
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("the policy is strict, and %s set by a variable: %s", words.Plural(len(names), "flag is not", "flags are not"), strings.Join(names, ", "))
}

// strayVariables warns of variables of the environment that set no flag of any
// command, and returns their names. It asks for the commands only where there are such
// variables.
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
	var known []string
	for _, f := range allFlags(commands()) {
		known = append(known, variable(f.Names()[0]))
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, pair := range given {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.Contains(known, name) {
			meant := "--help lists the flags"
			if near := suggest.Near(name, known); len(near) > 0 {
				meant = "did you mean " + strings.Join(near, " or ") + "?"
			}
			fmt.Fprintf(env.Stderr, "tribunal: $%s sets no flag: %s\n", text.Line(name), meant)
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
