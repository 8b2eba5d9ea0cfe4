package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/internal/command/input"
	"tribunal/internal/each"
	"tribunal/internal/text"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/read"
	_ "tribunal/read/formats"
	"tribunal/read/mapped"
	"tribunal/render"
	"tribunal/verdict"
)

func formatsCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:  "formats",
		Usage: "list the input formats, the output formats and the rules",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "markdown", Usage: "print all formats as a table: what is kept and what is lost"},
			&cli.StringFlag{Name: "for", Usage: "show how a `FILE` or folder is read, what is in it, and what is lost"},
		},
		Action: func(c *cli.Context) error {
			if path := c.String("for"); path != "" {
				return formatsFor(env, path)
			}
			if c.Bool("markdown") {
				_, err := io.WriteString(env.Stdout, InputTable()+"\n"+MapTable()+"\n"+OutputTable())
				return err
			}
			return writeFormats(env.Stdout, stdoutWidth(env))
		},
	}
}

type section struct {
	title   string
	entries []entry
}

type entry struct{ name, says string }

func writeFormats(w io.Writer, width int) error {
	sections := append(inputSections(), outputSections()...)
	column := 0
	for _, s := range sections {
		for _, n := range s.entries {
			column = max(column, len(n.name)+len("  "))
		}
	}
	h := &help{width: max(40, width)}
	for _, s := range sections {
		h.line("%s", s.title)
		for _, n := range s.entries {
			h.named(column, n.name, n.says)
		}
	}
	_, err := io.WriteString(w, h.String())
	return err
}

func inputSections() []section {
	sections := []section{{title: "Input (found by content; --from NAME overrides):"}}
	for _, family := range read.Families {
		of := each.Where(read.Formats, func(f read.Format) bool { return f.Family == family })
		formats := each.Of(of, func(f read.Format) entry { return entry{f.Name, f.Doc} })
		sections = append(sections, section{" " + family + ":", formats})
	}
	maps := each.Of(mapped.Platforms[:], func(p mapped.Platform) entry { return entry{"@" + p.Name, strings.ReplaceAll(p.Doc, "`", "")} })
	return append(sections, section{"\nNamed mappings (--map @NAME; your own in maps: of the configuration):", maps})
}

func outputSections() []section {
	formats := each.Of(render.Formats, func(f render.Format) entry {
		return entry{f.Name, f.Doc + words.If(f.Lossless, " (lossless: an input again)")}
	})
	rules := each.Of(rule.Table, func(r rule.Rule) entry { return entry{r.Name, r.Doc} })
	return []section{
		{"\nOutput (-f NAME, -o NAME=PATH, or -o PATH with one of its extensions):", formats},
		{"\nRules (--rule NAME):", rules},
	}
}

// MapTable is the table of named mappings in Markdown, as it stands in docs/formats/fields.md.
func MapTable() string {
	var b strings.Builder
	b.WriteString("| name | what it reads | as if you said |\n| --- | --- | --- |\n")
	for _, p := range mapped.Platforms {
		spec := strings.ReplaceAll(p.Spec, "|", "\\|")
		fmt.Fprintf(&b, "| `@%s` | %s | `--map '%s' --records .%s` |\n", p.Name, p.Doc, spec, p.Records)
	}
	return b.String()
}

// InputTable is the table of input formats in Markdown, as it stands in
// docs/formats/input.md.
func InputTable() string {
	var b strings.Builder
	b.WriteString("| name | what it is | kept | lost, or to know |\n| --- | --- | --- | --- |\n")
	for _, f := range read.Formats {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, f.Doc, f.Kept, f.Lost)
	}
	return b.String()
}

// OutputTable is the table of output formats in Markdown.
func OutputTable() string {
	var b strings.Builder
	b.WriteString("| name | what it is | file extensions | flags of its own | inconclusive is | lost |\n| --- | --- | --- | --- | --- " +
		"| --- |\n")
	for _, f := range render.Formats {
		flags := each.Of(f.Options, func(o render.Option) string {
			return "`--" + o.Name + words.If(!o.Switch, " "+strings.Join(o.Choices(), "`, `")) + "`"
		})
		endings := words.If(len(f.Endings) > 0, "`"+strings.Join(f.Endings, "`, `")+"`")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Name, f.Doc, endings, strings.Join(flags, "; "), f.Inconclusive, f.Lost)
	}
	return b.String()
}

// formatsFor says of each input that a path means what it is read as, what is found
// in it, and what is lost.
func formatsFor(env Env, path string) error {
	if path == "-" {
		return errors.New("formats --for -: standard input is not read here; write it to a file, and name the file")
	}
	files, err := input.Files([]string{path})
	if err != nil {
		return err
	}
	unread, told := false, map[string]bool{}
	for _, f := range files {
		known, err := describeInput(env.Stdout, f, told)
		if err != nil {
			return err
		}
		unread = unread || !known && !f.Found
	}
	if unread {
		return fmt.Errorf("formats --for %s: at least one file has no known format; 'tribunal report FILE' takes --from FORMAT or --map",
			text.Line(path))
	}
	return nil
}

// describeInput says what one input is, once for a format what it keeps and loses, and whether it is known.
func describeInput(w io.Writer, f input.File, told map[string]bool) (known bool, err error) {
	b, err := verdict.NewBuilder(envelope.Policy{})
	if err != nil {
		return false, err
	}
	in, err := f.Open()
	if err != nil {
		return false, fmt.Errorf("formats --for %s: %w", text.Line(f.Name), err)
	}
	format := read.StreamAs(b, f.Name, in, read.Options{})
	in.Close()
	trials := b.Trials()
	run := b.Run(envelope.ConflictExtend, 0)
	said := text.Line(f.Name) + ": "
	row, err := read.ByName(format)
	if sources := run.Header.Sources; trials == 0 && len(run.Problems) == 0 && len(sources) == 1 && sources[0].Format == "" {
		_, err := io.WriteString(w, said+"empty, so it has no format\n")
		return true, err
	}
	found := fmt.Sprintf("\n  found  %s in %s\n", words.Plural(trials, "trial", "trials"), words.Plural(len(run.Tests), "test", "tests"))
	if known = err == nil && format != ""; known && told[format] {
		said += row.Name + found
	} else if known {
		told[format] = true
		said += row.Name + " (" + row.Doc + "), recognised by its content" + found + "  keeps  " + row.Kept + "\n"
		said += words.Around("  loses  ", strings.ReplaceAll(row.Lost, "`", ""), "\n")
	} else if known = format != "" && trials > 0; known { // the problems say how
		said += "records read by the names of their fields" + found
	} else {
		said += "of no known format\n"
	}
	for _, p := range run.Problems {
		said += "  " + text.Line(p.String()) + "\n"
	}
	_, err = io.WriteString(w, said)
	return known, err
}
