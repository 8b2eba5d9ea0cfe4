package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/urfave/cli/v2"

	"tribunal/internal/command/ci"
	"tribunal/internal/command/schema"
	"tribunal/internal/regex"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/read"
	"tribunal/render"
)

// What a release is linked with, by -ldflags -X; empty in any other build, of which
// the Go tool knows more.
var releaseVersion, releaseCommit, releaseDate string

// build is what this program is. What is not known is left out.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // the checkout had changes that are in no commit
	Date     string `json:"date,omitempty"`     // of the commit, so that a build can be repeated
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// thisBuild is what the linker was told, else what the Go tool recorded.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(info, build{Version: releaseVersion, Commit: releaseCommit, Date: releaseDate})
}

func buildOf(info *debug.BuildInfo, linked build) build {
	b := linked
	b.Go, b.OS, b.Arch = runtime.Version(), runtime.GOOS, runtime.GOARCH
	if info != nil && b.Version == "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	const unreleased = "development version"
	b.Version = cmp.Or(b.Version, unreleased)
	if info == nil || linked.Commit != "" {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b build) words() string {
	var s strings.Builder
	fmt.Fprintf(&s, "tribunal %s\n", b.Version)
	if b.Commit != "" {
		changed := words.If(b.Modified, ", with uncommitted changes")
		fmt.Fprintf(&s, "commit   %s%s\n", b.Commit, changed)
	}
	if b.Date != "" {
		fmt.Fprintf(&s, "date     %s\n", b.Date)
	}
	fmt.Fprintf(&s, "built    with %s for %s/%s\n", b.Go, b.OS, b.Arch)
	return s.String()
}

func version() string { return thisBuild().Version }

// versionFormats are the formats of the command version, the first by default.
var versionFormats = []string{"text", "json"}

func versionCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "print the version",
		Description: "Prints the version, its commit and date, and what built it.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: versionFormats[0],
			Usage: "format of standard output: " + strings.Join(versionFormats, ", ")}},
		Action: func(c *cli.Context) error {
			switch c.String("format") {
			case "text":
				_, err := fmt.Fprint(env.Stdout, thisBuild().words())
				return err
			case "json":
				enc := json.NewEncoder(env.Stdout)
				enc.SetIndent("", "  ")
				return enc.Encode(thisBuild())
			}
			return suggest.Unknown("format of version", c.String("format"), versionFormats)
		},
	}
}

func manCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:        "man",
		Usage:       "print the manual page",
		Description: "Prints the manual page of all commands. To read it: tribunal man | man -l -",
		Action: func(c *cli.Context) error {
			app := newApp(env, &behindDashes{})
			app.Setup()
			_, err := env.Stdout.Write(md2man.Render([]byte(manual(app))))
			return err
		},
	}
}

// manual is the page in the Markdown of md2man, made of the commands and tables.
func manual(app *cli.App) string {
	b := thisBuild()
	m := &page{}
	m.line("%% \"TRIBUNAL\" \"1\" %q %q \"User Commands\"", b.Date, "tribunal "+b.Version)
	m.section("NAME")
	m.line("tribunal - %s\n", plainly(app.Usage))
	m.section("SYNOPSIS")
	m.line("**tribunal** *COMMAND* [*FLAG* ...] [*INPUT* ...]\n")
	m.section("DESCRIPTION")
	m.line("%s\n", plainly(app.Description))
	m.section("COMMANDS")
	m.commands("tribunal", app.VisibleCommands())
	m.section("INPUT FORMATS")
	for _, f := range read.Formats {
		m.item("**"+f.Name+"**", f.Doc)
	}
	m.section("OUTPUT FORMATS")
	for _, f := range render.Formats {
		m.item("**"+f.Name+"**", f.Doc)
	}
	m.section("RULES")
	for _, r := range rule.Table {
		m.item("**"+r.Name+"**", r.Doc)
	}
	return m.String()
}

type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) section(title string) { p.line("\n# %s\n", title) }

func (p *page) item(word, means string) { p.line("%s\n:   %s\n", word, plainly(means)) }

func (p *page) commands(above string, commands []*cli.Command) {
	for _, c := range commands {
		p.line("\n## %s %s\n", above, plainly(strings.TrimSpace(c.Name+" "+c.ArgsUsage)))
		description := c.Description
		if description == "" {
			description = strings.ToUpper(c.Usage[:1]) + c.Usage[1:] + "."
		}
		p.paragraphs(description)
		for _, f := range c.VisibleFlags() {
			p.flag(f)
		}
		p.commands(above+" "+c.Name, c.VisibleCommands())
	}
}

// paragraphs keeps the lines that are indented, which are examples.
func (p *page) paragraphs(text string) {
	for _, part := range strings.Split(text, "\n\n") {
		said := true
		for _, l := range strings.Split(part, "\n") {
			example := strings.HasPrefix(l, "   ")
			if example && said {
				p.line("")
			}
			if said = !example; example {
				p.line("    %s", strings.TrimPrefix(l, "   "))
			} else {
				p.line("%s", plainly(l))
			}
		}
		p.line("")
	}
}

func (p *page) flag(f cli.Flag) {
	d := described(f)
	words := "**" + strings.Join(d.names, "**, **") + "**"
	if d.value != "" {
		words += " *" + d.value + "*"
	}
	if d.otherwise != "" {
		d.says += " [" + d.otherwise + "]"
	}
	p.item(words, d.says)
}

var valueWord = regex.Of("`([^`]*)`")

var marks = regex.Of("[\\\\`*_{}\\[\\]<>#~|&]")

func plainly(text string) string { return marks().ReplaceAllString(text, `\$0`) }

func schemaCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print a JSON Schema, such as envelope (a report) or config",
		ArgsUsage: "NAME", Description: "NAME is one of " + strings.Join(schema.Names, ", ") + ".",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return fmt.Errorf("schema: name one of %s", strings.Join(schema.Names, ", "))
			}
			text, err := schema.Text(c.Args().First())
			if err != nil {
				return err
			}
			_, err = env.Stdout.Write(text)
			return err
		},
	}
}

const ciExamples = `Examples:
   tribunal ci gitlab > .gitlab-ci.yml
   tribunal ci github --runner pytest > .github/workflows/evals.yml
   tribunal ci jenkins --release https://artifacts.example.org/tribunal/v1.2.0 > Jenkinsfile`

func ciCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "ci",
		Usage:     "print a complete job for your CI system",
		ArgsUsage: strings.Join(ci.Names(), "|"),
		Description: "Prints a complete job. It installs tribunal from a release, checks the checksum, runs the trials and keeps the reports\n" +
			"that the system reads. It fails if a test fails or the runner crashes.\n\n" + ciExamples,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "runner", Usage: "what runs the tests; own is your program, which writes trials: " +
				strings.Join(ci.RunnerNames(), ", "), Value: ci.OwnRunner},
			&cli.StringFlag{Name: "release", Usage: "folder with a release's archives and checksums.txt; the job needs it",
				DefaultText: "a placeholder"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return fmt.Errorf("ci: name one of %s", strings.Join(ci.Names(), ", "))
			}
			if err := ci.Write(env.Stdout, c.Args().First(), ci.Options{Runner: c.String("runner"), Release: c.String("release")}); err != nil {
				return fmt.Errorf("ci: %w", err)
			}
			return nil
		},
	}
}
