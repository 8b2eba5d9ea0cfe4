package html

import (
	"tribunal/envelope"
	"tribunal/render/internal/frame"
)

// document is what page.html shows.
type document struct {
	Frame  frame.Frame
	Top    top
	First  []folded // what a reviewer should see before the tests
	Matrix *matrix
	Then   []folded // what is there to be looked up
	Charts []picture
	Index  *island // of the tests; the script reads it while the tests are still to come
	Tests  tests
}

func newDocument(e *envelope.Envelope, kind *frame.Kind, list *listing, transcripts int) document {
	d := document{Top: newTop(e), First: problemParts(e.Problems, true), Matrix: newMatrix(e.Tests),
		Then: laterParts(e), Charts: newPictures(e), Tests: newTests(e, list)}
	if len(e.Tests) > 0 {
		d.Index = newIndex(list)
		d.Tests.Islands = list.islands()
		if list.hasTalks() {
			d.Tests.Talking = &talking{list: list, budget: transcripts}
		}
	}
	d.Frame = kind.Frame(shorten(d.Top.Badge.Word+" · "+d.Top.Name, titleRunes))
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

// badge is a status as a word, and the class that frame.css colours it by.
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
