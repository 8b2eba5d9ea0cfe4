package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/words"
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
	{groupRun, "how trials are started"}, {groupInput, "what is read"}, {groupVerdict, "how trials are judged; flags win over tribunal.yaml"},
	{groupOutput, "what is written"}, {groupFormats, "options of single formats"}, {groupHistory, "what earlier runs show"},
}

// needed are the common flags of a command, in this order. Other commands show all flags.
var needed = map[string][]string{
	"report": {"threshold", "rule", "output", "format", "explain", "from", "run-threshold", "gate", "treat-as", "min-trials",
		"history", "config", "verbose", "quiet"},
	"run": {"trials", "threshold", "rule", "test", "list", "from", "jobs", "timeout", "max-cost", "output", "dry-run", "only-failed",
		"resume", "verbose"},
	"next":    {"threshold", "rule", "trials", "test", "list", "batch", "for", "max-cost", "format"},
	"compare": {"base", "candidate", "by", "margin", "fail-on", "history", "sequential", "cluster-by", "format", "output", "verbose"},
	"rank":    {"by", "cluster-by", "confidence", "power", "from", "format", "output", "verbose"},
	"plan": {"half-width", "trials", "tests", "detect", "run-threshold", "expect", "judge", "labels", "cost-per-trial", "threshold", "rule",
		"format", "output"},
	"audit gate":  {"at-most", "history", "cost-per-trial", "expect", "trials", "tests", "threshold", "rule", "format", "output"},
	"audit tests": {"by", "confidence", "from", "format", "output"},
	"show":        {"trial", "against", "from", "format", "output"},
	"convert":     {"from", "map", "format", "output", "quiet"},
	"config":      {"config", "threshold", "rule"},
	"comment":     {"base", "dry-run", "number", "name", "page", "from"},
	"history add": {"commit", "label", "from", "threshold", "rule", "db"},
}

const fewExamples = 4

func within(group string, flags []cli.Flag) []cli.Flag {
	for _, f := range flags {
		reflect.ValueOf(f).Elem().FieldByName("Category").SetString(group)
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

type help struct {
	strings.Builder
	width int
}

func asksForHelp(flags []string) bool {
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
			return err
		}
	}
	if h.Len() == 0 { // also behind an input: tribunal report run.json --help
		h.command(name, c)
	}
	_, err := io.WriteString(w, h.String())
	return err
}

// command tells what a command does, and the flags that are needed most.
func (h *help) command(name string, c *cli.Command) {
	h.wrapped("", "  ", name+" - "+c.Usage)
	optional := words.If(len(groupsOf(c)) > 0 && len(c.Subcommands) == 0, " [FLAGS]")
	h.line("\nUsage: %s", strings.TrimSpace(name+optional+" "+c.ArgsUsage))
	flags := c.VisibleFlags()
	switch few := needed[strings.TrimPrefix(name, "tribunal ")]; {
	case len(c.Subcommands) > 0:
		purpose, examples, _ := strings.Cut(c.Description, "\n\nExamples:")
		h.description(purpose)
		h.line("\nCommands:")
		for _, sub := range c.Subcommands {
			h.named(12, sub.Name, sub.Usage)
		}
		h.line("\nRun '%s COMMAND --help' for the flags of a command.", name)
		h.description("Examples:" + examples)
		return
	case few == nil:
		h.description(c.Description)
		if len(groupsOf(c)) == 0 {
			return
		}
		h.line("\nFlags:")
		h.flags(flags)
	default:
		description, dropped := someExamples(c.Description)
		h.description(description)
		h.line("\nCommon flags:")
		at := func(f cli.Flag) int { return slices.Index(few, f.Names()[0]) }
		flags = slices.DeleteFunc(flags, func(f cli.Flag) bool { return at(f) < 0 })
		h.flags(slices.SortedStableFunc(slices.Values(flags), func(a, b cli.Flag) int { return at(a) - at(b) }))
		h.line("\nMore flags: %s --help GROUP", name)
		for _, g := range groupsOf(c) {
			h.line("  %-8s %s (%d)", g.name, g.says, len(g.flags))
		}
		h.line("  %-8s everything%s", everyGroup, words.If(dropped, ", with all examples"))
	}
	h.wrapped("\n", "", "Each flag has a variable, such as "+variable(flags[0].Names()[0])+" (- becomes _), with one value a line.")
}

func someExamples(description string) (some string, more bool) {
	var out []string
	examples := 0
	for line := range strings.Lines(description) {
		if strings.HasPrefix(line, "   ") && strings.Contains(line, "tribunal ") {
			if examples++; examples > fewExamples {
				continue
			}
		}
		out = append(out, line)
	}
	return strings.TrimRight(strings.Join(out, ""), "\n"), examples > fewExamples
}

type flagGroup struct {
	name, says string
	flags      []cli.Flag
}

// groupsOf lists the groups of a command with flags; its own flags are the first group.
func groupsOf(c *cli.Command) []flagGroup {
	all := each.Of(groups, func(g struct{ name, says string }) flagGroup { return flagGroup{name: g.name, says: g.says} })
	if all[0].name != c.Name {
		all = slices.Insert(all, 0, flagGroup{name: c.Name, says: "flags of this command only"})
	}
	for _, f := range c.VisibleFlags() {
		at := slices.IndexFunc(all, func(g flagGroup) bool { return g.name == groupOf(f) })
		if f.Names()[0] != "help" {
			at = max(at, 0)
			all[at].flags = append(all[at].flags, f)
		}
	}
	return slices.DeleteFunc(all, func(g flagGroup) bool { return len(g.flags) == 0 })
}

// group tells all flags of a group, and for everyGroup all there is to tell.
func (h *help) group(c *cli.Command, name string) error {
	known := []string{everyGroup}
	if name == everyGroup {
		h.description(c.Description)
	}
	for _, g := range groupsOf(c) {
		known = append(known, g.name)
		if name == g.name || name == everyGroup {
			h.line("")
			h.line("%s: %s", g.name, g.says)
			h.flags(g.flags)
		}
	}
	if _, err := os.Stat(name); h.Len() == 0 && name != "help" &&
		(len(suggest.Near(name, known)) > 0 || err != nil && !strings.ContainsAny(name, "./*-")) { // no input
		return fmt.Errorf("--help: %w", suggest.Unknown("group of flags", text.Line(name), known))
	}
	return nil
}

const flagColumn = 26

// flags describes flags, each below its name where that is long.
func (h *help) flags(flags []cli.Flag) {
	for _, f := range flags {
		d := described(f)
		name := strings.TrimSpace(strings.Join(d.names, ", ") + " " + d.value)
		d.says += words.If(d.otherwise != "" && d.otherwise != "none", " ["+d.otherwise+"]")
		if len(name)+4 > flagColumn {
			h.line("  %s", name)
			name = ""
		}
		h.named(flagColumn-2, name, d.says)
	}
}

type description struct {
	names     []string // short ones first
	says      string
	value     string // its metavariable; "" without a value
	otherwise string // the default
}

func described(f cli.Flag) (d description) {
	current := slices.DeleteFunc(slices.Clone(f.Names()), func(n string) bool { return n != f.Names()[0] && len(n) > 1 }) // and no old names
	d.names = each.Of(current, dashed)
	slices.SortStableFunc(d.names, func(a, b string) int { return len(a) - len(b) })
	doc := f.(cli.DocGenerationFlag)
	d.value, d.says = valueOf(f.Names()[0], doc.GetUsage())
	if d.otherwise = strings.Trim(doc.GetDefaultText(), `"`); !doc.TakesValue() {
		d.value, d.otherwise = "", ""
	}
	return d
}

func dashed(name string) string { return strings.Repeat("-", min(2, len(name))) + name }

// valueKinds is what the value of a flag is, by the flag's name. Others say it in backquotes in their usage.
var valueKinds = kindsOf(map[string]string{
	"RATE": "at-most threshold run-threshold score-threshold gap margin half-width expect discordant min-coverage power alpha beta " +
		"icc confidence",
	"N": "trials tests labels number jobs seed infra-retries batch k min-trials expect-trials expect-tests quarantine-cap " +
		"keep-details keep-transcripts pretty-rows history-window agent-budget markdown-limit html-static",
	"VERSION":  "tap-version",
	"RULE":     "rule retry-rule",
	"FILE":     "config output db tests-from codeowners",
	"OWNER":    "owner",
	"FORMAT":   "from format",
	"DURATION": "timeout max-time grace",
	"USD":      "max-cost max-cost-per-test cost-per-trial cost-limit-usd run-cost-limit-usd",
	"EXPR":     "gate metric map records scorer",
	"LABEL":    "cluster-by by",
	"WORD": "run-scope family adjust pairing sequential-test treat-as on-conflict order for stop fail-on runner trx-inconclusive " +
		"tap-inconclusive gitlab-inconclusive color junit-profile junit-flaky badge-form otlp-signal metrics",
	"LOW..HIGH": "score-range",
	"SIZE":      "html-transcripts",
	"URL":       "source-url release page",
	"NAME":      "test preset name run-id base-value ignore-step", "COMMAND": "list", "GLOB": "only", "DIR": "journal", "FOLDER": "root",
	"INPUT": "base candidate only-failed", "A,B": "env-only variants", "I/N": "shard", "NAME=VALUE": "label history-label",
	"COMMIT": "commit", "TIME": "started-at older-than", "TRIAL": "trial against", "SENSITIVITY:SPECIFICITY": "judge",
})

// examples are values of flags, by what they are. Of others the usage has some.
var examples = map[string]string{"RATE": "0.9", "N": "20", "RULE": "wilson", "DURATION": "90s", "USD": "25"}

func exampleOf(c *cli.Command, dashed string) string {
	named := func(f cli.Flag) bool { return slices.Contains(f.Names(), strings.TrimLeft(dashed, "-")) }
	d := described(c.Flags[slices.IndexFunc(c.Flags, named)])
	return cmp.Or(examples[d.value], d.value) + ": " + d.says
}

func kindsOf(kinds map[string]string) map[string]string {
	of := map[string]string{}
	for kind, flags := range kinds {
		for _, name := range strings.Fields(flags) {
			of[name] = kind
		}
	}
	return of
}

// valueOf is what the value of a flag is called, and its usage without the backquotes.
func valueOf(flag, usage string) (value, plain string) {
	if found := valueWord().FindStringSubmatch(usage); found != nil {
		return found[1], valueWord().ReplaceAllString(usage, "$1")
	}
	return cmp.Or(valueKinds[flag], "VALUE"), usage
}

// description wraps paragraphs, and parts examples from what they are for where both do not fit a line.
func (h *help) description(words string) {
	if words == "" {
		return
	}
	h.line("")
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
			h.folded("   ", "      ", ` \`, shellWords().FindAllString(command, -1))
			h.wrapped("      ", "      ", strings.TrimSpace(purpose))
		case listed:
			first := "   " + code + "  "
			h.wrapped(first, strings.Repeat(" ", len(first)), meaning)
		case indented:
			h.folded("   ", "      ", ` \`, shellWords().FindAllString(line, -1))
		default:
			h.wrapped("", "", line)
		}
	}
	flush()
}

func (h *help) named(column int, name, says string) {
	column += len("  ")
	h.wrapped(fmt.Sprintf("  %-*s", column-2, name), strings.Repeat(" ", column), says)
}

func (h *help) line(format string, args ...any) {
	fmt.Fprintln(h, strings.TrimRight(fmt.Sprintf(format, args...), " "))
}

// wrapped writes words in lines of the width, behind first and then behind next.
func (h *help) wrapped(first, next, words string) { h.folded(first, next, "", strings.Fields(words)) }

// shellWords are the words of a command: one in quotes may have spaces.
var shellWords = regex.Of(`('[^']*'|"[^"]*"|\S)+`)

// folded is wrapped with an end for each line but the last.
func (h *help) folded(line, next, end string, words []string) {
	between := ""
	for _, word := range words {
		if between != "" && len([]rune(line+between+word+end)) > h.width {
			h.line("%s%s", line, end)
			line, between = next, ""
		}
		line += between + word
		between = " "
	}
	h.line("%s", line)
}
