package junit

import (
	"strings"

	"tribunal/internal/regex"
	"tribunal/internal/text"
)

const (
	nodeLimit = 64 << 10 // bytes of a text node before escaping; EnricoMi's parser gives up at 10,000,000
	lineLimit = 4 << 10  // bytes of an attribute
	nameLimit = 1000     // bytes of the name of a run
)

// attachment is how a testcase's output asks GitLab, Jenkins or Testmo to read
// a file or set a property. No test of ours is to ask for anything.
var attachment = regex.Of(`\[\[([A-Za-z]+\|)`)

func disarm(s string) string {
	if !strings.Contains(s, "[[") {
		return s
	}
	return attachment().ReplaceAllString(s, "[ [$1")
}

// safe is s as one line without anything to obey.
func safe(s string) string { return disarm(text.Line(s)) }

// line is s as the value of an attribute. It is cut here and escaped by the
// encoder.
func line(s string) string { return text.CutLine(safe(s), lineLimit) }

// node is s as the text of an element.
func node(s string) string { return text.Cut(disarm(text.Block(s)), nodeLimit) }
