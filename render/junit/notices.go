package junit

import (
	"fmt"
	"strings"

	"tribunal/envelope"
)

// problemLimit is how many problems are listed.
const problemLimit = 100

// problems are the errors and warnings of the run, errors first, and how many
// more there are.
func problems(e *envelope.Envelope) (shown []envelope.Problem, more int) {
	for _, severity := range []envelope.Severity{envelope.SeverityError, envelope.SeverityWarning} {
		for _, p := range e.Problems {
			switch {
			case p.Severity != severity:
			case len(shown) < problemLimit:
				shown = append(shown, p)
			default:
				more++
			}
		}
	}
	return shown, more
}

// notices are what a reader of the report should know of the run as a whole, a
// line each: problems, a broken run, gates that did not hold.
func notices(e *envelope.Envelope) string {
	var lines []string
	shown, more := problems(e)
	for _, p := range shown {
		lines = append(lines, line(p.String()))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more errors and warnings", more))
	}
	gate := envelope.Gate{Notices: e.Gate.Notices}
	if e.Gate.Status == envelope.Error {
		gate = e.Gate
	}
	for _, words := range gate.Words() {
		lines = append(lines, "gate: "+line(words))
	}
	for _, g := range e.Gate.Gates {
		if g.Status != envelope.Pass {
			lines = append(lines, line(fmt.Sprintf("gate %s: %s: %s, saw %s", g.Name, g.Expr, g.Status, g.Saw)))
		}
	}
	return strings.Join(lines, "\n")
}

// notices adds what was cut from this document.
func (d *draft) notices() string {
	texts, cut := notices(d.env), d.cutNote()
	if texts != "" && cut != "" {
		texts += "\n"
	}
	return texts + cut
}
