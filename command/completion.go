package command

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope/wire"
	"tribunal/internal/command/ci"
	"tribunal/internal/command/config"
	"tribunal/internal/command/input"
	"tribunal/internal/command/schema"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/run/next"
	"tribunal/internal/run/preset"
	"tribunal/internal/suggest"
	"tribunal/internal/text"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/verdict/rule"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/render"
)

// completeCommand is what the script of a shell calls, with the words before the
// cursor; the last is the one to be completed, and may be empty.
const completeCommand = "__complete"

// candidate is a word that completes the input. After one that ends in =, its value is completed.
type candidate struct{ word, doc string }

// complete prints the candidates that begin as the last word does, each with what it
// is behind a tab. None is an answer: the shell offers its files.
func complete(app *cli.App, env Env, words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	last := len(words) - 1
	for _, c := range candidates(app, env, words[:last], words[last]) {
		if strings.HasPrefix(c.word, words[last]) {
			fmt.Fprintf(env.Stdout, "%s\t%s\n", text.Line(c.word), short(c.doc))
		}
	}
}

func candidates(app *cli.App, env Env, before []string, current string) []candidate {
	if slices.Contains(before, "--") {
		return nil // the command of a run, or files
	}
	at := standing(app, before)
	flagWord, _, assigned := strings.Cut(current, "=")
	switch {
	case at.flag != nil:
		return at.values(env, at.flag)
	case assigned && strings.HasPrefix(current, "-"):
		all := at.values(env, at.flagNamed(flagWord))
		for i := range all {
			all[i].word = flagWord + "=" + all[i].word
		}
		return all
	case strings.HasPrefix(current, "-"):
		return flagsOf(at.all)
	case len(at.commands) > 0:
		seen := each.Where(at.commands, func(c *cli.Command) bool { return !c.Hidden })
		return each.Of(seen, func(c *cli.Command) candidate { return candidate{c.Name, c.Usage} })
	}
	return at.arguments()
}

type place struct {
	path     string         // of the command, such as history trend
	commands []*cli.Command // that can be named here
	all      []cli.Flag     // of the command
	flag     cli.Flag       // whose value is to come
	words    []string       // behind the command
}

// standing follows the words to the command that they name.
func standing(app *cli.App, before []string) place {
	at := place{commands: app.Commands, all: app.Flags, words: before}
	for len(at.words) > 0 {
		i := slices.IndexFunc(at.commands, func(c *cli.Command) bool { return c.HasName(at.words[0]) })
		if i < 0 {
			break
		}
		c := at.commands[i]
		at.path = strings.TrimPrefix(at.path+" "+c.Name, " ")
		at.commands, at.all, at.words = c.Subcommands, c.Flags, at.words[1:]
	}
	if n := len(at.words); n > 0 && !strings.Contains(at.words[n-1], "=") {
		if f := at.flagNamed(at.words[n-1]); f != nil && valued(at.all)[strings.TrimLeft(at.words[n-1], "-")] {
			at.flag = f
		}
	}
	return at
}

func (p place) flagNamed(word string) cli.Flag {
	name := strings.TrimLeft(word, "-")
	if name == word {
		return nil
	}
	i := slices.IndexFunc(p.all, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return p.all[i]
}

func flagsOf(flags []cli.Flag) (all []candidate) {
	for _, f := range flags {
		if !f.(cli.VisibleFlag).IsVisible() {
			continue
		}
		usage := f.(cli.DocGenerationFlag).GetUsage()
		all = append(all, each.Of(f.Names(), func(name string) candidate { return candidate{dashed(name), usage} })...)
	}
	return append(all, candidate{"--help", "show help"})
}

// shortLength is how many letters of a description fit beside a candidate.
const shortLength = 70

func short(doc string) string {
	doc = strings.ReplaceAll(text.Line(doc), "`", "")
	if letters := []rune(doc); len(letters) > shortLength {
		return strings.TrimSpace(string(letters[:shortLength-1])) + "…"
	}
	return doc
}

//go:embed completions/tribunal.bash
var bashCompletion string

//go:embed completions/tribunal.zsh
var zshCompletion string

//go:embed completions/tribunal.fish
var fishCompletion string

//go:embed completions/tribunal.ps1
var powershellCompletion string

// shell is one whose words a script completes, which asks the program.
type shell struct {
	name, script string
	file         string // where a package puts the script
	install      string // how it is switched on for one person
}

var shells = []shell{
	{"bash", bashCompletion, "usr/share/bash-completion/completions/tribunal", `echo 'eval "$(tribunal completion bash)"' >> ~/.bashrc`},
	{"zsh", zshCompletion, "usr/share/zsh/vendor-completions/_tribunal", `echo 'eval "$(tribunal completion zsh)"' >> ~/.zshrc`},
	{"fish", fishCompletion, "usr/share/fish/vendor_completions.d/tribunal.fish",
		`tribunal completion fish > ~/.config/fish/completions/tribunal.fish`},
	{"powershell", powershellCompletion, "", `Add-Content $PROFILE 'tribunal completion powershell | Out-String | iex'`},
}

func nameOfShell(s shell) string { return s.name }

func shellNames() []string { return each.Of(shells, nameOfShell) }

func completionCommand(env Env) *cli.Command {
	var how strings.Builder
	for _, s := range shells {
		fmt.Fprintf(&how, "\n   # %s\n   %s", s.name, s.install)
	}
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		ArgsUsage: strings.Join(shellNames(), "|"),
		Description: "Completes commands, flags, formats, rules and test names. To switch it on for each new session:\n" + how.String() +
			"\n\nIn ~/.zshrc the line must come after compinit.",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return fmt.Errorf("completion: name one of %s", strings.Join(shellNames(), ", "))
			}
			s, err := suggest.Find("shell", c.Args().First(), shells, nameOfShell)
			if err == nil {
				_, err = io.WriteString(env.Stdout, s.script)
			}
			return err
		},
	}
}

type document struct {
	formats []candidate
	options map[string][]string
}

func documentOf[D any](table render.Table[D]) document {
	d := document{options: map[string][]string{}}
	for _, f := range table {
		d.formats = append(d.formats, candidate{f.Name, f.Doc})
		for _, o := range f.Options {
			if !o.Number && !o.Switch && o.Text == nil {
				d.options[o.Name] = o.Values
			}
		}
	}
	return d
}

func (p place) document() document {
	reports := documentOf(render.Formats)
	return map[string]document{
		"report": reports, "convert": reports, "run": reports, "history show": reports,
		"compare": documentOf(render.Comparisons), "plan": documentOf(render.Plans), "next": documentOf(render.Nexts),
		"rank": documentOf(render.Rankings), "history trend": documentOf(render.Trends), "show": documentOf(render.Shows),
		"audit gate": documentOf(render.GateAudits), "audit tests": documentOf(render.TestsAudits),
	}[p.path]
}

func plain(words []string) []candidate {
	return each.Of(words, func(w string) candidate { return candidate{word: w} })
}

// wordsOfFlags are the values of flags that no table of keys, settings or options has,
// by the name of the flag, or by the command and the name.
func wordsOfFlags() map[string][]string {
	return map[string][]string{
		"color": colorModes, "gate": gate.Paths(), "runner": ci.RunnerNames(), "preset": append(preset.Names(), settings.NoPreset),
		"history list format": listFormats, "version format": versionFormats, "next for": next.Aims, "init for": config.Starters,
		"history release by": trend.ReleaseBy, "history page by": trend.ReleaseBy, "compare adjust": compare.Adjustments,
		"pairing":                 compare.Pairings,
		"compare sequential-test": compare.SequentialTests, "compare fail-on": compare.FailOns,
	}
}

// values are what a flag of the command can be, from the table that it is made of;
// none where it is a number, a text or a file.
func (p place) values(env Env, f cli.Flag) []candidate {
	if f == nil {
		return nil
	}
	name, document, words := f.Names()[0], p.document(), wordsOfFlags()
	if own := append(words[p.path+" "+name], words[name]...); own != nil {
		return plain(own)
	}
	switch name {
	case "format":
		return document.formats
	case "output":
		for i := range document.formats {
			document.formats[i].word += "="
		}
		return document.formats
	case "explain":
		return p.tests(env)
	case "from":
		return p.inputFormats()
	}
	for i := range policy.Keys {
		if k := &policy.Keys[i]; k.FlagName() == name && k.OfRules {
			rules := each.Of(rule.Table, func(r rule.Rule) candidate { return candidate{r.Name, r.Doc} })
			if p.path == "run" {
				rules = append(rules, candidate{rule.Paired, "compares two variants, pair by pair"})
			}
			return rules
		} else if k.FlagName() == name && k.Words != nil {
			return plain(k.Words)
		}
	}
	for i := range settings.Table {
		if s := &settings.Table[i]; s.Name == name && s.Choices != nil && (p.path == "run" || p.path == "next") {
			return plain(s.Choices)
		}
	}
	return plain(document.options[name])
}

func (p place) inputFormats() (all []candidate) {
	if p.path == "run" {
		all = append(all, candidate{settings.FromExit, "the exit code of the command is the verdict"})
	}
	return append(all, each.Of(read.Formats, func(f read.Format) candidate { return candidate{f.Name, f.Doc} })...)
}

func (p place) arguments() []candidate {
	switch p.path {
	case "schema":
		return plain(schema.Names)
	case "ci":
		return each.Of(ci.Systems, func(s ci.System) candidate { return candidate{s.Name, s.Doc} })
	case "completion":
		return plain(shellNames())
	}
	return nil
}

// mostToComplete is how many bytes of inputs are read to find the names of their
// tests while somebody waits for them.
const mostToComplete = 64 << 20

// tests are the tests of the inputs that the words name, as report finds them.
func (p place) tests(env Env) []candidate {
	flags, inputs := part(p.words[:max(0, len(p.words)-1)], valued(p.all))
	files, err := input.Files(inputs)
	if err != nil || len(inputs) == 0 || slices.Contains(inputs, input.Standard) || input.TotalSize(files) > mostToComplete {
		return nil
	}
	var report bytes.Buffer
	env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &report, io.Discard
	Main(slices.Concat([]string{"tribunal", "report", "-f", "json"}, readingFlags(flags), []string{"--"}, inputs), env)
	found, err := wire.Decode(&report)
	if err != nil {
		return nil
	}
	names := map[string]string{} // with the status, which tells tests apart
	for i := range found.Envelope.Tests {
		t := &found.Envelope.Tests[i]
		names[t.Key.RunnerName()] = string(t.Status)
	}
	return each.Of(slices.Sorted(maps.Keys(names)), func(name string) candidate { return candidate{name, names[name]} })
}

// readingFlags are those of the flags that say how inputs are read.
func readingFlags(words []string) (kept []string) {
	reading := inputFlags()
	takesValue := valued(reading)
	for i := 0; i < len(words); i++ {
		name, _, assigned := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		value, known := takesValue[name]
		if !known {
			continue
		}
		kept = append(kept, words[i])
		if value && !assigned && i+1 < len(words) {
			i++
			kept = append(kept, words[i])
		}
	}
	return kept
}
