package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/urfave/cli/v2"

	"tribunal/internal/regex"
	"tribunal/read"
	"tribunal/render"
	"tribunal/verdict/rule"
)

func manCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:         "man",
		Usage:        "print the manual page",
		Description:  "Prints the manual page of all commands. To read it: tribunal man | man -l -",
		OnUsageError: usageError,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage(fmt.Errorf("man takes no argument, found %q", c.Args().First()))
			}
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

// page is Markdown in the making.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) section(title string) { p.line("\n# %s\n", title) }

// item is a word and what it means.
func (p *page) item(word, means string) { p.line("%s\n:   %s\n", word, plainly(means)) }

// commands tells each command, and those below it.
func (p *page) commands(above string, commands []*cli.Command) {
	for _, c := range commands {
		p.line("\n## %s %s\n", above, plainly(strings.TrimSpace(c.Name+" "+c.ArgsUsage)))
		description := c.Description
		if description == "" {
			description = capital(c.Usage) + "."
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

// flag tells a flag by all its names, with what its value is.
func (p *page) flag(f cli.Flag) {
	d, is := f.(cli.DocGenerationFlag)
	if !is {
		return
	}
	var names []string
	for _, name := range f.Names() {
		names = append(names, "**"+strings.Repeat("-", min(2, len(name)))+name+"**")
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(a) - len(b) })
	value, usage := valueOf(f.Names()[0], d.GetUsage())
	words := strings.Join(names, ", ")
	if d.TakesValue() {
		words += " *" + value + "*"
	}
	if otherwise := d.GetDefaultText(); otherwise != "" && d.TakesValue() {
		usage += " [" + strings.Trim(otherwise, `"`) + "]"
	}
	p.item(words, usage)
}

var valueWord = regex.Of("`([^`]*)`")

var marks = regex.Of("[\\\\`*_{}\\[\\]<>#~|&]")

// plainly is text that Markdown leaves as it is.
func plainly(text string) string { return marks().ReplaceAllString(text, `\$0`) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
