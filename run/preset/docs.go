package preset

import (
	"fmt"
	"strings"
)

// Told is the words by which a command is told.
func (p *Preset) Told() string { return strings.Join(p.told, " or ") }

// Table is the presets for the documentation.
func Table() string {
	var b strings.Builder
	b.WriteString("| preset | told by | lists by | starts by | read as |\n| --- | --- | --- | --- | --- |\n")
	for i := range table {
		p := &table[i]
		list := "the first start tells"
		if p.list != "" {
			list = "`" + p.list + "`"
		}
		if p.listing != "" {
			list += " with `" + p.listing + "` as the last word of COMMAND"
		}
		env := ""
		if p.env != "" {
			env = " with `" + p.env + "` in the environment"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | `%s`%s | %s |\n", p.Name, strings.Join(p.told, "`, `"), list, p.start, env, p.From)
	}
	return b.String()
}

// Refusals is what each preset refuses, for the documentation.
func Refusals() string {
	var b strings.Builder
	b.WriteString("| preset | refuses | because |\n| --- | --- | --- |\n")
	for i := range table {
		for _, r := range table[i].refused {
			flags := "`" + strings.Join(strings.Fields(r.flags), "`, `") + "`"
			if r.unless != "" {
				flags += " other than `" + r.unless + "`"
			}
			if r.with != "" {
				flags += " with `" + r.with + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", table[i].Name, flags, r.why)
		}
	}
	return b.String()
}
