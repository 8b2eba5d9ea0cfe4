package html

import (
	"strings"
	"sync"
	"unicode"

	"tribunal/docs"
	"tribunal/internal/regex"
)

// glossary has the words of docs/glossary.md and what they mean.
var glossary = sync.OnceValue(func() (all facts) {
	for row := range strings.Lines(docs.Glossary) {
		if cells := strings.Split(row, "|"); len(cells) == 4 && !strings.HasPrefix(cells[2], " ---") {
			all.add(strings.TrimSpace(cells[1]), strings.TrimSpace(markings().ReplaceAllString(cells[2], "")))
		}
	}
	return all[1:] // the first row is the head
})

// markings are links to other pages, which a report does not have, and signs of Markdown.
var markings = regex.Of("[;,]? \\(\\[[^)]*\\)\\)|\\[|\\]\\([^)]*\\)|[`*]")

func termsIn(texts ...string) (out facts) {
	said := plainWords(strings.Join(texts, " "))
	for _, term := range glossary() {
		for word := range strings.SplitSeq(term.Name, ", ") {
			word = strings.TrimSuffix(plainWords(word), " ")
			if strings.Contains(said, word+" ") || strings.Contains(said, word+"s ") || strings.Contains(said, word+"d ") {
				out = append(out, term)
				break
			}
		}
	}
	return out
}

// plainWords are the words of a text in small letters, with a blank around each.
func plainWords(s string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '^' && r != '@'
	}), " ") + " "
}

// said is what the page says of a run, without what its tests say.
func (d *document) said() (out []string) {
	out = append(out, d.Top.Headline, d.Top.Below, d.Method.PolicyWords, d.Run.Trials.Words)
	for _, f := range d.Top.Figures {
		out = append(out, f.Name, f.Note)
	}
	for _, r := range d.Run.Trials.Rates {
		out = append(out, r.Name, r.Note, "interval")
	}
	for _, k := range d.Tests.Kinds {
		out = append(out, k.Word)
	}
	return append(out, factWords(d.Run.Trials.Facts), factWords(d.Run.Trials.Stats), factWords(d.Method.Policy.Facts))
}
