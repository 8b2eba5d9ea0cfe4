package contract_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"tribunal/command"
)

// mostOfAPicture is how many bytes a picture of the documents may have.
const mostOfAPicture = 300_000

// TestDocumentsShowTheTerminal: the picture of the terminal is what the program
// writes to one. With -update it is drawn.
func TestDocumentsShowTheTerminal(t *testing.T) {
	const path = "../docs/images/terminal.svg"
	var out, errs bytes.Buffer
	command.Main([]string{"tribunal", "report", "--no-config", "--color", "always", "../testdata/streams/weather-agent.ndjson"},
		command.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StdoutWidth: 120, Getenv: func(string) string { return "" }})
	if errs.Len() > 0 {
		t.Fatal(errs.String())
	}
	want := drawn("tribunal report weather-agent.ndjson", out.String())
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the program writes: draw it with go test ./contract -run Documents -update (%v)", path, err)
	}
	if err := xml.Unmarshal([]byte(want), new(struct{ XMLName xml.Name })); err != nil {
		t.Error(err)
	}
}

// TestDocumentsHaveSmallPictures: every picture is shown somewhere, and loads fast.
func TestDocumentsHaveSmallPictures(t *testing.T) {
	var shown []byte
	for _, pattern := range []string{"../README.md", "../docs/*.md", "../docs/*/*.md"} {
		pages, err := filepath.Glob(pattern)
		for _, page := range pages {
			text, failed := os.ReadFile(page)
			shown, err = append(shown, text...), errors.Join(err, failed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pictures, err := os.ReadDir("../docs/images")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		info, err := p.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > mostOfAPicture {
			t.Errorf("%s has %d bytes, more than %d", p.Name(), info.Size(), mostOfAPicture)
		}
		if !strings.Contains(string(shown), "images/"+p.Name()) {
			t.Errorf("%s is shown nowhere", p.Name())
		}
	}
}

// The size of a letter of the picture, and its colours.
const (
	mostLines                       = 60
	letterWidth, lineHeight, margin = 8.0, 18.0, 16.0
	paper, letters                  = "#16181d", "#e6e6e6"
)

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// drawn is a command and its output as SVG. Every run of one colour stands at its
// column, whatever letters the reader's machine has.
func drawn(line, output string) string {
	lines := strings.Split(strings.TrimRight("\x1b[38;5;244m$\x1b[0m \x1b[1m"+line+"\x1b[0m\n\n"+output, "\n"), "\n")
	lines = lines[:min(len(lines), mostLines)]
	columns := 0
	var texts strings.Builder
	for i, l := range lines {
		columns = max(columns, drawLine(&texts, l, margin+lineHeight*float64(i+1)-4))
	}
	width, height := 2*margin+letterWidth*float64(columns), 2*margin+lineHeight*float64(len(lines))
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]v" height="%[2]v" viewBox="0 0 %[1]v %[2]v" role="img" aria-label="%[3]s in a terminal">
<rect width="100%%" height="100%%" rx="8" fill="%[4]s"/>
<g font-family="ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.3">
%[5]s</g>
</svg>
`, width, height, line, paper, texts.String())
}

// drawLine writes the runs of a line and returns how many columns it has.
func drawLine(b *strings.Builder, line string, y float64) (column int) {
	fill, bold := letters, false
	for line != "" {
		at := sgr.FindStringSubmatchIndex(line)
		text := line
		if at != nil {
			text = line[:at[0]]
		}
		for _, word := range words.FindAllStringIndex(text, -1) { // blanks are no letters: SVG has one where there are many
			drawWord(b, text[word[0]:word[1]], column+displaywidth.String(text[:word[0]]), y, fill, bold)
		}
		column += displaywidth.String(text)
		if at == nil {
			break
		}
		fill, bold = styled(line[at[2]:at[3]], fill, bold)
		line = line[at[1]:]
	}
	return column
}

// words are what stands between two blanks and more.
var words = regexp.MustCompile(`\S+( \S+)*`)

func drawWord(b *strings.Builder, text string, column int, y float64, fill string, bold bool) {
	weight := ""
	if bold {
		weight = ` font-weight="bold"`
	}
	fmt.Fprintf(b, `<text x="%v" y="%v" fill="%s"%s textLength="%v">`, margin+letterWidth*float64(column), y, fill, weight, letterWidth*float64(displaywidth.String(text)))
	xml.EscapeText(b, []byte(text))
	b.WriteString("</text>\n")
}

// styled is what a sequence makes of a style: 0 ends it, 1 is bold, 38;5;N a colour.
func styled(codes, fill string, bold bool) (string, bool) {
	words := strings.Split(codes, ";")
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "", "0":
			fill, bold = letters, false
		case "1":
			bold = true
		case "38":
			n, _ := strconv.Atoi(words[i+2])
			fill, i = colorOf(n), i+2
		}
	}
	return fill, bold
}

// colorOf is a colour of the 256 of xterm: a cube of 6 from 16 on, greys from 232 on.
func colorOf(n int) string {
	if n >= 232 {
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	level := func(i int) int {
		if i == 0 {
			return 0
		}
		return 55 + 40*i
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}
