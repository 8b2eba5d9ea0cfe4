package standing

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

const (
	mostChecks = 5  // failing checks that one line names
	longCheck  = 80 // characters of the name of one
)

// Inside is what goes on inside the trials of a test, a line each: the checks that
// do not always pass, and where the trials part. Like all of a test it is not yet
// safe for any format.
func Inside(t *envelope.Test) (lines []string) {
	if checks := FailingChecks(t); checks != "" {
		lines = append(lines, "checks that fail: "+checks)
	}
	if where := Parting(t); where != "" {
		lines = append(lines, "trials diverge "+where)
	}
	return lines
}

// InsideBlock is Inside as lines that are safe for any terminal, each with the line
// break before it and of at most so many letters.
func InsideBlock(t *envelope.Test, limit int) string {
	var b strings.Builder
	for _, said := range Inside(t) {
		b.WriteString("\n" + text.CutLine(text.Line(said), limit))
	}
	return b.String()
}

// FailingChecks are the checks of a test that not all trials pass, those first that
// fewest pass, with how many do; empty where there is none.
func FailingChecks(t *envelope.Test) string {
	var failing []string
	for _, name := range t.CheckNames() {
		if c := t.Checks[name]; c.Passed < c.N {
			failing = append(failing, fmt.Sprintf("%s %d/%d", shortened(name), c.Passed, c.N))
		}
	}
	if more := len(failing) - mostChecks; more > 0 {
		failing = append(slices.Clip(failing[:mostChecks]), words.Plural(more, "other", "others"))
	}
	return strings.Join(failing, ", ")
}

// FailedChecks are the checks that a trial failed, each with its reason: those of which
// something is known that its message does not say.
func FailedChecks(t *envelope.Test, d *envelope.Detail) (all []string) {
	for _, name := range t.CheckNames() {
		reason, c := d.Reasons[name], t.Rows.Checks().Of(name)
		if reason == "" || strings.Contains(d.Message, reason) || c == nil {
			continue
		}
		if o := c.At(d.Trial); o == envelope.Failed || o == envelope.Errored {
			all = append(all, name+": "+reason)
		}
	}
	return all
}

func shortened(name string) string {
	if letters := []rune(name); len(letters) > longCheck {
		return string(letters[:longCheck-1]) + "…"
	}
	return name
}
