package count

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
)

// problemCap is how many problems of one code are kept for one input; the rest
// are counted in one closing problem, so that a broken file of any size costs a
// bounded report.
const problemCap = 100

type problemKind struct {
	input, code string
	severity    envelope.Severity
}

// problems collects problems up to the cap.
type problems struct {
	kept []envelope.Problem
	seen map[problemKind]int
}

func (c *problems) add(p envelope.Problem) {
	if c.seen == nil {
		c.seen = map[problemKind]int{}
	}
	kind := problemKind{p.Input, p.Code, p.Severity}
	c.seen[kind]++
	if c.seen[kind] <= problemCap {
		p.Message = strings.ToValidUTF8(strings.Clone(p.Message), "\uFFFD")
		p.Input = strings.ToValidUTF8(strings.Clone(p.Input), "\uFFFD")
		c.kept = append(c.kept, p)
	}
}

// list returns the collected problems, sorted, with a closing one for each kind
// that went over the cap.
func (c *problems) list() []envelope.Problem {
	out := slices.Clone(c.kept)
	for kind, n := range c.seen {
		if n > problemCap {
			more := n - problemCap
			out = append(out, envelope.Problem{Severity: kind.severity, Code: kind.code, Input: kind.input, Count: more,
				Message: fmt.Sprintf("and %d more problems of the kind %s, not listed", more, kind.code)})
		}
	}
	return envelope.SortProblems(out)
}
