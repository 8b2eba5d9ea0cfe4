package pretty

import (
	"io"
	"strings"
)

// Columns writes rows of plain cells under each other, aligned as a terminal
// shows them. The last cell of a row takes what it takes.
func Columns(w io.Writer, rows [][]string) error {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			if i < len(row)-1 {
				cell = pad(cell, widths[i]+gap, false)
			}
			line += cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
