package html

import (
	"html/template"

	"tribunal/envelope"
)

// document is what page.html shows.
type document struct {
	Policy string
	Title  string
	Style  template.CSS
	Script template.JS
	Top    top
	First  []folded // what a reviewer should see before the tests
	Matrix *matrix
	Then   []folded // what is there to be looked up
	Tests  tests
}

func newDocument(e *envelope.Envelope, a *assets) document {
	list := newTests(e)
	d := document{Policy: a.policy, Style: a.style, Script: a.script, Top: newTop(e, list.Groups),
		First: firstParts(e), Matrix: newMatrix(e.Tests), Then: laterParts(e), Tests: list}
	d.Title = shorten(d.Top.Gate.Badge.Word+" · "+d.Top.Name, titleRunes)
	return d
}

// fact is a name and what it is for this run or test, both in words.
type fact struct{ Name, Value string }

// facts is a list of facts that leaves out what is not known.
type facts []fact

func (f *facts) add(name, value string) {
	if value != "" {
		*f = append(*f, fact{name, value})
	}
}

// badge is a status as a word, and the class that style.css colours it by.
type badge struct{ Word, Class string }

// badgeWords are the words every report uses for the statuses.
var badgeWords = map[envelope.Status]string{
	envelope.Pass: "PASS", envelope.Fail: "FAIL", envelope.Inconclusive: "INCONC", envelope.Error: "ERROR", envelope.Skip: "SKIP",
}

// badgeRunes is room for a status of a later version.
const badgeRunes = 14

func newBadge(s envelope.Status) badge {
	if word, ok := badgeWords[s]; ok {
		return badge{word, string(s)}
	}
	return badge{shorten(name(string(s), "UNKNOWN"), badgeRunes), "other"}
}
