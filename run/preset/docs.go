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
	b.WriteString("| preset | recognised by |\n| --- | --- |\n")
	for i := range table {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", table[i].Name, strings.Join(table[i].told, "`, `"))
	}
	return b.String()
}
