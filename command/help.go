package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/suggest"
	"tribunal/internal/text"
)

// The groups of flags, in the order of help. Flags of a command alone are in none.
const (
	groupRun     = "run"
	groupInput   = "input"
	groupVerdict = "verdict"
	groupOutput  = "output"
	groupFormats = "formats"
	groupHistory = "history"
	everyGroup   = "all"
)

var groups = []struct{ name, says string }{
	{groupRun, "how trials are started"}, {groupInput, "what is read"}, {groupVerdict, "how it is judged"},
	{groupOutput, "what is written"}, {groupFormats, "options of single formats"}, {groupHistory, "what earlier runs say"},
}

// common are the flags that help shows at once; a command with few shows all.
var common = []string{
	"trials", "jobs", "test", "list", "timeout", "max-cost", "resume", "dry-run", "only-failed",
	"config", "from", "map", "verbose",
	"rule", "threshold", "confidence", "min-trials", "run-threshold", "gate", "treat-as",
	"format", "output", "quiet", "explain", "history",
}

// fewFlags is how many flags fit a screen.
const fewFlags = 20

// within puts flags into a group.
func within(group string, flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.BoolFlag:
			f.Category = group
		case *cli.StringFlag:
			f.Category = group
		case *cli.StringSliceFlag:
			f.Category = group
		case *cli.IntFlag:
			f.Category = group
		}
	}
	return flags
}

func groupOf(f cli.Flag) string {
	if in, is := f.(cli.CategorizableFlag); is {
		return in.GetCategory()
	}
	return ""
}

// widestHelp is how wide help is at most: lines that are longer are hard to read.
const widestHelp = 100

// help is written in lines.
type help struct {
	strings.Builder
	width int
}

// askedFor reports whether the flags of a call ask for help.
func askedFor(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool { return f == "--help" || f == "-help" || f == "-h" })
}

// showHelp tells how a command is used: its common flags, those of a group, or all.
func showHelp(w io.Writer, name string, c *cli.Command, inputs []string, width int) error {
	h := &help{width: widestHelp}
	if width > 0 {
		h.width = min(widestHelp, max(40, width))
	}
	if len(inputs) > 0 {
		if err := h.group(c, inputs[0]); err != nil {
			return usage(err)
		}
	} else {
		h.command(name, c)
	}
	_, err := io.WriteString(w, h.String())
	return err
}

// command tells what a command does, and its common flags.
func (h *help) command(name string, c *cli.Command) {
	h.wrapped("", "  ", name+" - "+c.Usage)
	h.line("\nUsage: %s [FLAGS] %s\n", name, c.ArgsUsage)
	h.description(c.Description)
	flags := c.VisibleFlags()
	if len(c.Subcommands) > 0 {
		h.line("\nCommands, each with --help of its own:")
		for _, sub := range c.Subcommands {
			h.named(10, sub.Name, sub.Usage)
		}
		return
	}
	if len(flags) <= fewFlags {
		h.line("\nFlags:")
		h.flags(flags)
	} else {
		h.line("\nFlags that are needed most:")
		h.flags(slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
			return groupOf(f) != "" && !slices.Contains(common, f.Names()[0])
		}))
		h.line("\nAll flags of a group: %s --help GROUP", name)
		for _, g := range groups {
			if n := len(ofGroup(flags, g.name)); n > 0 {
				h.line("  %-8s %s (%d)", g.name, g.says, n)
			}
		}
		h.line("  %-8s everything", everyGroup)
	}
	h.wrapped("\n", "", "Every flag is also a variable: --min-trials is "+variable("min-trials")+".")
}

// group tells all flags of a group.
func (h *help) group(c *cli.Command, name string) error {
	known := []string{everyGroup}
	for _, g := range groups {
		flags := ofGroup(c.VisibleFlags(), g.name)
		if len(flags) == 0 {
			continue
		}
		known = append(known, g.name)
		if name == g.name || name == everyGroup {
			h.line("%s: %s", g.name, g.says)
			h.flags(flags)
		}
	}
	if own := ofGroup(c.VisibleFlags(), ""); name == everyGroup && len(own) > 0 {
		h.line("of this command alone")
		h.flags(own)
	}
	if h.Len() == 0 {
		return fmt.Errorf("--help: %w", suggest.Unknown("group of flags", text.Line(name), known))
	}
	return nil
}

func ofGroup(flags []cli.Flag, group string) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool { return groupOf(f) != group || f.Names()[0] == "help" })
}

// flags tells flags, each with what it does below its name where that is long.
func (h *help) flags(flags []cli.Flag) {
	const column = 26
	for _, f := range flags {
		name, says := flagWords(f)
		if len(name)+4 > column {
			h.line("  %s", name)
			name = ""
		}
		h.wrapped(fmt.Sprintf("  %-*s", column-2, name), strings.Repeat(" ", column), says)
	}
}

// flagWords are the names of a flag, what stands for its value, and what it says.
func flagWords(f cli.Flag) (name, says string) {
	var names []string
	for _, n := range f.Names() {
		if len(n) == 1 {
			names = append([]string{"-" + n}, names...)
		} else {
			names = append(names, "--"+n)
		}
	}
	name = strings.Join(names, ", ")
	doc, is := f.(cli.DocGenerationFlag)
	if !is {
		return name, ""
	}
	says = doc.GetUsage()
	if doc.TakesValue() {
		value := "VALUE"
		if before, rest, ok := strings.Cut(says, "`"); ok {
			if word, after, ok := strings.Cut(rest, "`"); ok {
				value, says = word, before+word+after
			}
		}
		name += " " + value
		if otherwise := strings.Trim(doc.GetDefaultText(), `"`); otherwise != "" {
			says += " (otherwise " + otherwise + ")"
		}
	}
	return name, says
}

// description wraps paragraphs, and parts examples from what they are for where both
// do not fit a line.
func (h *help) description(words string) {
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			h.wrapped("", "", strings.Join(paragraph, " "))
			paragraph = nil
		}
	}
	for _, line := range strings.Split(words, "\n") {
		indented := strings.HasPrefix(line, " ")
		if !indented && line != "" && !strings.HasSuffix(line, ":") {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		command, purpose, two := strings.Cut(strings.TrimSpace(line), "   ")
		code, meaning, listed := strings.Cut(strings.TrimSpace(line), "  ")
		switch {
		case len([]rune(line)) <= h.width:
			h.line("%s", line)
		case two:
			h.line("   %s", command)
			h.wrapped("      ", "      ", strings.TrimSpace(purpose))
		case listed:
			first := "   " + code + "  "
			h.wrapped(first, strings.Repeat(" ", len(first)), meaning)
		default:
			h.wrapped("   ", "      ", strings.TrimSpace(line))
		}
	}
	flush()
}

// named tells what a name means, behind a column of names.
func (h *help) named(column int, name, says string) {
	column += len("  ")
	h.wrapped(fmt.Sprintf("  %-*s", column-2, name), strings.Repeat(" ", column), says)
}

func (h *help) line(format string, args ...any) {
	fmt.Fprintln(h, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// wrapped writes words in lines of the width, behind first and then behind next.
func (h *help) wrapped(first, next, words string) {
	line := first
	room := h.width
	empty := true
	for _, word := range strings.Fields(words) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > room {
			h.line("%s", line)
			line, empty = next, true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	h.line("%s", line)
}
