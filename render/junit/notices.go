package junit

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// notices are what a reader of the report should know of the run as a whole, a
// line each: problems, a broken run, gates that did not hold.
func notices(e *envelope.Envelope) string {
	var lines []string
	shown, more := standing.Grave(e.Problems)
	for _, p := range shown {
		lines = append(lines, line(p.String()))
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more errors and warnings", more))
	}
	for _, about := range standing.GateRemarks(&e.Gate, "gate ") {
		lines = append(lines, line(about))
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
