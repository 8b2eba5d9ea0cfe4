package count

import (
	"fmt"
	"strings"

	"tribunal/envelope"
)

// reportRepaired warns of names that hold U+FFFD, which stands for bytes that are
// no UTF-8: what distinguished such names is lost, and it must not be in silence
// that two tests are counted as one.
func (b *Builder) reportRepaired(tests []envelope.Tally) {
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
	b.problems.add(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRepaired, Stage: envelope.StageCount, Message: fmt.Sprintf(
		"names of tests have bytes that are not UTF-8, shown as U+FFFD (%d in all, first %q); names that differ only there count as one test", count, first)})
}

func isRepaired(name string) bool { return strings.Contains(name, "\uFFFD") }
