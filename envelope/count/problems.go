package count

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
	"tribunal/internal/each"
)

// problemCap is how many problems of one code are kept for one input; the rest are counted in one
// closing problem, so that a broken file of any size costs a bounded report.
const problemCap = 100

type problemKind struct {
	input, code string
	severity    envelope.Severity
}

type problems struct {
	kept []envelope.Problem
	seen map[problemKind]int
}

func (c *problems) add(p envelope.Problem) {
	kind := problemKind{p.Input, p.Code, p.Severity}
	each.Put(&c.seen, kind, c.seen[kind]+1)
	if c.seen[kind] <= problemCap {
		p.Message = strings.ToValidUTF8(strings.Clone(p.Message), "\uFFFD")
		p.Input = strings.ToValidUTF8(strings.Clone(p.Input), "\uFFFD")
		c.kept = append(c.kept, p)
	}
}

// list returns the collected problems, sorted, with a closing one for each kind that went over the cap.
func (c *problems) list() []envelope.Problem {
	out := slices.Clone(c.kept)
	for kind, n := range c.seen {
		if n > problemCap {
			more := n - problemCap
			out = append(out, envelope.Problem{Severity: kind.severity, Code: kind.code, Input: kind.input, Count: more,
				Message: fmt.Sprintf("reports list only %d of %d problems of the kind %s", problemCap, n, kind.code)})
		}
	}
	return envelope.SortProblems(out)
}

// reportRepaired warns of names that hold U+FFFD, which stands for bytes that are no UTF-8: what distinguished such
// names is lost, and it must not be in silence that two tests are counted as one.
func (b *Builder) reportRepaired(tests []envelope.Test) {
	count, first := 0, ""
	for i := range tests {
		if k := &tests[i].Key; isRepaired(k.Suite) || isRepaired(k.Test) || isRepaired(k.Variant) {
			if count++; count == 1 {
				first = k.String()
			}
		}
	}
	if count == 0 {
		return
	}
	b.problems.add(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRepaired, Stage: envelope.StageCount,
		Message: fmt.Sprintf(
			"names of tests contain U+FFFD for what could not be read (%d in all, first %q); names that differ only there count as one test",
			count, first)})
}

func isRepaired(name string) bool { return strings.Contains(name, "\uFFFD") }

// textOf is the JSON of plain data, to compare by.
func textOf(v any) string {
	text, err := codec.Marshal(v)
	if err != nil {
		panic("envelope: plain data that does not marshal: " + err.Error())
	}
	return string(text)
}

// valid is s as valid UTF-8 in memory of its own.
func valid(s string) string { return strings.Clone(repaired(s)) }

// repaired is s with U+FFFD in place of what is no UTF-8.
func repaired(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
