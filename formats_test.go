package main_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tribunal/read"
	"tribunal/render"
)

var firstCell = regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|")

// TestFormatsDocument: docs/formats.md lists the formats that the program has,
// in its order, and the options of each.
func TestFormatsDocument(t *testing.T) {
	text, err := os.ReadFile("docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	input, output, _ := strings.Cut(string(text), "## Output")
	names := func(part string) []string {
		var out []string
		for _, m := range firstCell.FindAllStringSubmatch(part, -1) {
			for _, name := range strings.Split(m[1], ", ") {
				out = append(out, strings.Trim(name, "`"))
			}
		}
		return out
	}
	if got := names(input); !slices.Equal(got, read.Names()) {
		t.Errorf("input formats %v, the program has %v", got, read.Names())
	}
	if got := names(output); !slices.Equal(got, render.Names()) {
		t.Errorf("output formats %v, the program has %v", got, render.Names())
	}
	for _, f := range render.Formats {
		for _, o := range f.Options {
			if !strings.Contains(output, "`--"+o.Name) {
				t.Errorf("option --%s of %s is not in the document", o.Name, f.Name)
			}
		}
	}
}
