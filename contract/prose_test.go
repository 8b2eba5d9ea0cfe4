package contract_test

import (
	"iter"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

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
	pageLines   = 150
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
