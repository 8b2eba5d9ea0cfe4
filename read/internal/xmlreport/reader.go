// Package xmlreport is what the readers of XML reports share that have a trial an
// element: where they are, whom they tell, and the numbers of the attempts.
//
// It leaves out what their elements mean. JUnit and TRX have readers of their own.
package xmlreport

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlwalk"
)

// TextLimit is how many bytes are taken of one text.
const TextLimit = 64 << 10

// Reader reads one report into a sink.
type Reader struct {
	Doc *xmlwalk.Doc
	To  *runfailure.Watch
}

// Read walks the report, whose root is given to root if it has one of the names. What is
// wrong with the report is a problem in the sink; the error is that of from.
func (r *Reader) Read(from io.Reader, to envelope.Sink, root func(*xmlwalk.Element), names ...string) error {
	r.To = &runfailure.Watch{Sink: to}
	return xmlwalk.Read(from, to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) {
		if r.Doc = doc; slices.Contains(names, e.Name) {
			root(e)
		} else {
			doc.Refuse(e, strings.Join(names, " or "), "--from")
		}
	})
}

// Inside reads the rest of an element.
func (r *Reader) Inside(elements xmlwalk.Elements) { r.Doc.Inside(TextLimit, elements) }

// Named gives the trial its test, and reports whether the element, which is called what, says
// which; one that does not is reported.
func (r *Reader) Named(t *envelope.Trial, name, what string, e *xmlwalk.Element) bool {
	if t.Test = name; name == "" {
		r.To.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: e.Line, Column: e.Column,
			Message: "a " + what + " without a name is not counted"})
	}
	return name != ""
}

// Deliver gives the trial the number of its attempt and hands it on, unless the report ends in the middle of it.
func (r *Reader) Deliver(t *envelope.Trial) {
	if !r.Doc.Cut() {
		r.To.Send(t)
	}
}

// SetLine sets the line in the file of a trial, if there are both.
func SetLine(t *envelope.Trial, text string) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n < math.MaxInt32 && t.File != "" {
		t.Line = n
	}
}

// Seconds is the duration that a text says in seconds, absent where it is none. A comma is
// that of a writer that obeys its locale.
func Seconds(text string) envelope.Opt[float64] {
	return trialfields.Lasted(strings.Replace(text, ",", ".", 1), 1000)
}
