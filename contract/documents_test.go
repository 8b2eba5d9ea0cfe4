package contract_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"tribunal/command"
	"tribunal/run/driver"
	"tribunal/run/preset"
	"tribunal/verdict/gate"
)

// TestDocuments: the lists of the documents are those of the program's tables. With
// -update they are written.
func TestDocuments(t *testing.T) {
	losses, err := lossTable()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []struct{ path, name, want string }{
		{"../docs/policy.md", "keys", policyTable()},
		{"../docs/statistics/rules.md", "rules", ruleTable()},
		{"../docs/ci.md", "systems", systemTable()},
		{"../docs/presets.md", "presets", preset.Table()},
		{"../docs/gates.md", "paths", gate.Table()},
		{"../docs/run/command.md", "exit codes", driver.CodeTable()},
		{"../docs/formats/input.md", "input formats", columns(command.InputTable(), 2)},
		{"../docs/formats/fields.md", "named mappings", columns(command.MapTable(), 2)},
		{"../docs/formats/output.md", "output formats", columns(command.OutputTable(), 3)},
		{"../docs/formats/output.md", "losses", losses},
	} {
		text, err := os.ReadFile(d.path)
		if err != nil {
			t.Fatal(err)
		}
		start, end := "<!-- "+d.name+" -->\n", "<!-- end of "+d.name+" -->\n"
		before, rest, begins := strings.Cut(string(text), start)
		_, after, ends := strings.Cut(rest, end)
		whole := before + start + d.want + end + after
		switch {
		case !begins || !ends:
			t.Errorf("%s has no place for the list of %s: it stands between %q and %q", d.path, d.name, start, end)
		case whole == string(text):
		case !*update:
			t.Errorf("%s does not hold the list of %s: write it with go test ./contract -run Documents -update", d.path, d.name)
		default:
			if err := os.WriteFile(d.path, []byte(whole), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestIndexForModels: llms.txt has the pages of the index by task. With -update it is
// written.
func TestIndexForModels(t *testing.T) {
	index, err := os.ReadFile("../docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := "# Tribunal\n\n> Decide whether a flaky test or an LLM agent passes, from repeated trials.\n\n" +
		"- [README](README.md): install, quick starts, exit codes\n"
	for _, row := range regexp.MustCompile(`(?m)^\| (.*) \| (?:\[(.*)\]\((.*)\) )?\|$`).FindAllStringSubmatch(string(index), -1) {
		if row[3] == "" {
			text += "\n## " + strings.Trim(row[1], "*") + "\n\n"
		} else {
			text += "- [" + row[2] + "](" + path.Join("docs", row[3]) + "): " + row[1] + "\n"
		}
	}
	compareGolden(t, "../llms.txt", "write it with go test ./contract -run IndexForModels -update", []byte(text))
}

// columns is the first n columns of a table: the program prints the others.
func columns(table string, n int) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		cells := strings.SplitN(line, " | ", n+1)
		b.WriteString(strings.TrimSuffix(strings.Join(cells[:n], " | "), " |\n") + " |\n")
	}
	return b.String()
}
