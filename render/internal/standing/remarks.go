package standing

import (
	"fmt"

	"tribunal/envelope"
)

// mostGrave is how many problems of the input a report lists.
const mostGrave = 100

// Grave are the errors and warnings of the input, errors first, and how many more there are.
func Grave(problems []envelope.Problem) (shown []envelope.Problem, more int) {
	for _, severity := range []envelope.Severity{envelope.SeverityError, envelope.SeverityWarning} {
		for _, p := range problems {
			switch {
			case p.Severity != severity:
			case len(shown) < mostGrave:
				shown = append(shown, p)
			default:
				more++
			}
		}
	}
	return shown, more
}

// GateRemarks are what a reader of the tests should know of the gate: its notices, why a run
// is broken, and gates that do not hold, each behind a word.
func GateRemarks(g *envelope.Gate, one string) (lines []string) {
	said := envelope.Gate{Notices: g.Notices}
	if g.Status == envelope.Error {
		said = *g
	}
	for _, words := range said.Words() {
		lines = append(lines, "gate: "+words)
	}
	for _, r := range g.Gates {
		if r.Status != envelope.Pass {
			lines = append(lines, fmt.Sprintf("%s%s: %s: %s, saw %s", one, r.Name, r.Expr, r.Status, r.Saw))
		}
	}
	return lines
}
