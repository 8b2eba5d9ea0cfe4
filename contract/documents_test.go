package contract_test

import (
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"tribunal/command"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/preset"
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

// longestSentence is how many words a reader can hold.
const longestSentence = 25

// foreignTerms are phrases that read like a translation, and what to say instead.
var foreignTerms = []struct {
	term *regexp.Regexp
	say  string
}{
	{regexp.MustCompile(`\bheed(s|ed|ing)?\b`), "respect, take into account"},
	{regexp.MustCompile(`\bwhoever\b`), "if you, anyone who"},
	{regexp.MustCompile(`\b(is|are|was|were) told\b`), "is reported, is recognised"},
	{regexp.MustCompile(`\b(is|are) (not )?said\b`), "is shown, is reported"},
	{regexp.MustCompile(`\bredden(s|ed|ing)?\b`), "fail the build"},
	{regexp.MustCompile(`\bone looks\b`), "you look"},
	{regexp.MustCompile(`\bfor ever\b|\bsince ever\b`), "forever, from the beginning"},
	{regexp.MustCompile(`\banew\b`), "again"},
	{regexp.MustCompile(`\bmend(s|ed|ing)?\b`), "fix"},
	{regexp.MustCompile(`\bpass(es|ed|ing)? over\b`), "skip"},
	{regexp.MustCompile(`\bbeneath\b`), "below, under"},
	{regexp.MustCompile(`\btaken for\b`), "treated as"},
	{regexp.MustCompile(`\btells? apart\b`), "distinguish"},
	{regexp.MustCompile(`\bheld (to|against)\b`), "checked against, compared with"},
	{regexp.MustCompile(`\bwhat (no|some|each|every)\b`), "a noun: settings that no layer sets"},
	{regexp.MustCompile(`\bthat is no\b`), "that is not a"},
	{regexp.MustCompile(`\bsuch as are\b`), "those that are"},
	{regexp.MustCompile(`\bgo(es)? on\b`), "continue, resume"},
	{regexp.MustCompile(`\b(by|of) itself\b`), "automatically, on its own"},
	{regexp.MustCompile(`\b(stands?|stood) (in|for|behind|beside|at)\b`), "is in, is written in"},
	{regexp.MustCompile(`\blies (in|below|above|at)\b`), "is in"},
	{regexp.MustCompile(`\bbeside\b`), "next to, as well as, with"},
	{regexp.MustCompile(`\bfor that is\b`), "because that is"},
}

var (
	fenced    = regexp.MustCompile("(?ms)^```.*?^```$|^    .*?$")
	generated = regexp.MustCompile(`(?s)<!-- (\S.*?) -->\n.*?<!-- end of .*? -->`)
	codeSpan  = regexp.MustCompile("`[^`\n]*(\n[^`\n]*)?`")
	linkText  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	tableRow  = regexp.MustCompile(`(?m)^\|.*\|$`)
	unitEnd   = regexp.MustCompile(`\n\s*\n|\n\s*([*-]|\d+\.) |\n#+ |\n?\|`) // paragraphs, items of lists, headings and cells
	sentence  = regexp.MustCompile(`[.!?]["')*]*(\s+|$)`)
	word      = regexp.MustCompile(`[\p{L}\p{N}@^%][\p{L}\p{N}@^%'’.,-]*`)
)

// Limits of the documents, so that they can be read: words of README and docs, lines
// of a page and of README, and characters of a table's cell.
const (
	mostWords   = 30000
	pageLines   = 120
	readmeLines = 120
	widestCell  = 120
)

// TestProse: README and the documents have short sentences and plain words, need few
// years of school, and stay within their limits.
func TestProse(t *testing.T) {
	words := 0
	for _, path := range append(pages(t), topPages...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if path != "../CONTRIBUTING.md" && path != "../CHANGELOG.md" {
			words += len(strings.Fields(string(text)))
		}
		lines, limit := strings.Count(string(text), "\n"), pageLines
		if path == "../README.md" {
			limit = readmeLines
		}
		if lines > limit && path != "../CHANGELOG.md" {
			t.Errorf("%s has %d lines, more than %d: cut it, or make it two pages", path, lines, limit)
		}
		for _, row := range tableRow.FindAllString(fenced.ReplaceAllString(string(text), ""), -1) {
			for cell := range strings.SplitSeq(strings.ReplaceAll(row, `\|`, "x"), "|") {
				if n := utf8.RuneCountInString(strings.TrimSpace(cell)); n > widestCell {
					t.Errorf("%s: a cell has %d characters, more than %d: %s", path, n, widestCell, cell)
				}
			}
		}
		for _, f := range unclear(string(text)) {
			t.Errorf("%s: %s", path, f)
		}
		if g := grade(string(text)); g >= highestGrade {
			t.Errorf("%s needs %.1f years of school, and has less than %d: use shorter words and sentences", path, g, highestGrade)
		}
	}
	if words > mostWords {
		t.Errorf("the documents have %d words together, more than %d: cut what no reader asked for", words, mostWords)
	}
}

// highestGrade is that of Flesch and Kincaid: the years of school that a text needs.
const highestGrade = 9

var vowels = regexp.MustCompile(`[aeiouy]+`)

// grade is that of the sentences of a page, without headings, code and short cells.
func grade(text string) float64 {
	var sentences, words, syllables float64
	for said := range sentencesOf(text) {
		if all := word.FindAllString(said, -1); len(all) > 2 {
			sentences, words = sentences+1, words+float64(len(all))
			for _, w := range all {
				w = strings.TrimSuffix(strings.ToLower(w), "e")
				syllables += max(1, float64(len(vowels.FindAllString(w, -1))))
			}
		}
	}
	return 0.39*words/max(1, sentences) + 11.8*syllables/max(1, words) - 15.59
}

// sentencesOf yields the sentences of a page, without its code.
func sentencesOf(text string) iter.Seq[string] {
	text = codeSpan.ReplaceAllString(fenced.ReplaceAllString(generated.ReplaceAllString(text, "\n\n"), "\n\n"), "x")
	text = linkText.ReplaceAllString(text, "$1")
	return func(yield func(string) bool) {
		for _, unit := range unitEnd.Split(text, -1) {
			for _, said := range sentence.Split(strings.Join(strings.Fields(unit), " "), -1) {
				if !yield(said) {
					return
				}
			}
		}
	}
}

// unclear is what a page says in too many words or foreign ones.
func unclear(text string) (found []string) {
	for said := range sentencesOf(text) {
		if n := len(word.FindAllString(said, -1)); n > longestSentence {
			found = append(found, "split this sentence, it has too many words: "+said)
		}
		for _, foreign := range foreignTerms {
			if term := foreign.term.FindString(strings.ToLower(said)); term != "" {
				found = append(found, "say "+foreign.say+" instead of "+term+": "+said)
			}
		}
	}
	return found
}

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
