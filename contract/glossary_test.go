package contract_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// saidOtherwise are words that stood for one of the trade's, and that a reader had to
// translate: a word of each, to find them fast, and all.
var saidOtherwise = []struct {
	word, hint string
	others     *regexp.Regexp
}{
	{"worker", "hands", regexp.MustCompile(`\b(two|four|few|many|more|fewer|several|all|both|idle|busy|free|number of) hands\b`)},
	{"allocation", "of memory", regexp.MustCompile(`\b(pieces?|chunks?|bits?) of memory\b`)},
	{"garbage collection", "memory ", regexp.MustCompile(`\bmemory (is|was|gets|being) (looked|gone|searched|swept|tidied|cleaned|collected)\b`)},
	{"end of the input", "in peace", regexp.MustCompile(`\b(end|ends|ended|ending|died?|dies) in peace\b`)},
	{"cost limit reached", "money", regexp.MustCompile(`\bmoney (is|was|has been|had been|were) (spent|gone|used)\b|\b(out of|no more) money\b`)},
	{"may be repeated", " as ", regexp.MustCompile(`\bas (often|many times) as (you |one |it is |is )?(like|likes|liked|want|wants|wanted)\b`)},
	{"discarded", "away", regexp.MustCompile(`\bthr(ow|ows|own|ew|owing) (it |them |that |those )?away\b`)},
}

// lineBreak is where the next line of a comment or of prose begins.
var lineBreak = regexp.MustCompile(`\n[\t ]*(//|#|>)?[\t ]*`)

// prose is all that people read of the program and its documents, by file, in lower
// case and each in one line, so that words stand side by side that a break parted.
func prose(t *testing.T) map[string]string {
	t.Helper()
	read := map[string]string{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		hidden := len(entry.Name()) > 2 && entry.Name()[0] == '.' && entry.Name() != ".ci"
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (hidden || entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || entry.Name() == "glossary_test.go":
			return nil
		case !slices.Contains([]string{"", ".go", ".md", ".html", ".css", ".js", ".yml", ".sh"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		read[filepath.ToSlash(path)] = lineBreak.ReplaceAllString(strings.ToLower(string(text)), " ")
		return err
	})
	if err != nil || len(read) < 400 {
		t.Fatalf("%d files were found: %v", len(read), err)
	}
	return read
}

var glossaryRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \|$`)

// TestGlossary: no comment, error or document says in words of its own what the
// glossary has a word for; it has each word once, and no word that nothing else uses.
func TestGlossary(t *testing.T) {
	const glossary = "../docs/glossary.md"
	read := prose(t)
	for path, text := range read {
		for _, w := range saidOtherwise {
			if !strings.Contains(text, w.hint) {
				continue
			}
			if said := w.others.FindString(text); said != "" {
				t.Errorf("%s says %q: say %q, or what it means there", path, said, w.word)
			}
		}
	}
	delete(read, glossary)
	used := strings.Join(slices.Collect(maps.Values(read)), " ")
	text, err := os.ReadFile(glossary)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range glossaryRow.FindAllStringSubmatch(string(text), -1) {
		if row[1] == "word" || row[1] == "---" { // the head of a table
			continue
		}
		for word := range strings.SplitSeq(row[1], ", ") {
			if seen[word] {
				t.Errorf("the glossary has %q twice", word)
			}
			if seen[word] = true; !strings.Contains(used, strings.ToLower(word)) {
				t.Errorf("the glossary has %q, which nothing else uses", word)
			}
		}
	}
	if len(seen) < 35 {
		t.Errorf("only %d words were found", len(seen))
	}
}
