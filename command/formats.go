package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"tribunal/envelope"
	"tribunal/policy"
	"tribunal/read"
	"tribunal/read/mapped"
	"tribunal/render"
	"tribunal/run/driver/settings"
	"tribunal/verdict/gate"
	"tribunal/verdict/rule"
)

func formatsCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:         "formats",
		Usage:        "list the input formats, the output formats and the rules",
		OnUsageError: usageError,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "markdown", Usage: "print all formats as a table: what is kept and what is lost"},
			&cli.StringFlag{Name: "for", Usage: "show how a `FILE` or folder is read, what is in it, and what is lost"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return &exitError{code: gate.ExitUnusable, err: fmt.Errorf("formats takes no argument, found %q", c.Args().First())}
			}
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

// section is a title and the names below it.
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
		s := section{title: " " + family + ":"}
		for _, f := range read.Formats {
			if f.Family == family {
				s.entries = append(s.entries, entry{f.Name, f.Doc})
			}
		}
		sections = append(sections, s)
	}
	maps := section{title: "\nNamed mappings (--map @NAME; your own in maps: of the configuration):"}
	for _, p := range mapped.Platforms {
		maps.entries = append(maps.entries, entry{"@" + p.Name, strings.ReplaceAll(p.Doc, "`", "")})
	}
	return append(sections, maps)
}

func outputSections() []section {
	formats := section{title: "\nOutput (-f NAME, -o NAME=PATH, -o PATH whose ending says it):"}
	for _, f := range render.Formats {
		doc := f.Doc
		if f.Lossless {
			doc += " (lossless: an input again)"
		}
		formats.entries = append(formats.entries, entry{f.Name, doc})
	}
	rules := section{title: "\nRules (--rule NAME):"}
	for _, r := range rule.Table {
		rules.entries = append(rules.entries, entry{r.Name, r.Doc})
	}
	return []section{formats, rules}
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
	b.WriteString("| name | what it is | endings that mean it | flags of its own | inconclusive is | lost |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, f := range render.Formats {
		var flags []string
		for _, o := range f.Options {
			if o.Switch {
				flags = append(flags, "`--"+o.Name+"`")
				continue
			}
			flags = append(flags, fmt.Sprintf("`--%s %s`", o.Name, strings.Join(o.Choices(), "`, `")))
		}
		endings := ""
		if len(f.Endings) > 0 {
			endings = "`" + strings.Join(f.Endings, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", f.Name, f.Doc, endings, strings.Join(flags, "; "), f.Inconclusive, f.Lost)
	}
	return b.String()
}

// RuleTable is the list of rules in Markdown, as it is in docs/statistics/rules.md.
func RuleTable() string {
	var b strings.Builder
	for _, r := range rule.Table {
		fmt.Fprintf(&b, "* `%s`: %s\n", r.Name, r.Doc)
	}
	return b.String()
}

// PolicyTable is the table of policy keys in Markdown, as it stands in
// docs/policy.md.
func PolicyTable() string {
	var b strings.Builder
	b.WriteString("| key | what it sets | values | default |\n| --- | --- | --- | --- |\n")
	for i := range policy.Keys {
		k := &policy.Keys[i]
		if k.Path() == "" {
			continue
		}
		key := "`" + k.Path() + "`"
		switch flag := k.FlagName(); {
		case flag == "":
			key += ", no flag"
		case flag != strings.ReplaceAll(k.Path(), "_", "-"):
			key += ", `--" + flag + "`"
		}
		if k.PerTest {
			key += " *"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", key, k.Doc, policyValues(k), k.Otherwise())
	}
	return b.String()
}

// SettingTable is the settings of a run that starts its trials, for the
// documentation.
func SettingTable() string {
	var b strings.Builder
	b.WriteString("| flag | what it sets | default |\n| --- | --- | --- |\n")
	for i := range settings.Table {
		s := &settings.Table[i]
		flag := "`--" + s.Name + "`"
		if s.Alias != "" {
			flag = "`-" + s.Alias + "`, " + flag
		}
		doc := strings.ReplaceAll(s.Doc, "`", "")
		if len(s.Choices) > 0 {
			doc += ": `" + strings.Join(s.Choices, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", flag, doc, s.Otherwise)
	}
	return b.String()
}

// policyValues is what a key can be.
func policyValues(k *policy.Key) string {
	if k.OfRules {
		return "a rule"
	}
	if len(k.Words) > 0 {
		return "`" + strings.Join(k.Words, "`, `") + "`"
	}
	switch k.In(new(envelope.Policy)).(type) {
	case *envelope.Opt[bool]:
		return "true, false"
	case *envelope.Opt[float64], *envelope.Opt[int], *envelope.Opt[int64]:
		return k.Range.Words()
	case *string:
		return "a word"
	}
	return "a list"
}
