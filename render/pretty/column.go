package pretty

import (
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

type column struct {
	title string
	// heading stands over the column in place of its title, when it is not empty.
	heading string
	right   bool // numbers stand on the right
	at      int  // place of its cell in a row of plain cells
	// cell is what the test has there: unstyled, and no wider than room where the column can shrink.
	cell func(r *report, t *envelope.Test, room int) string
	// paint styles a cell.
	paint func(r *report, t *envelope.Test, cell string) string
	// least is the width the column can shrink to, and the width it wants at most; 0 is the width of its widest cell.
	least, most int
	// keep is how long a narrow terminal keeps the column, the least first and 0 always. It
	// stays only where names get so many columns, as far as they need them, or where no
	// column is narrower than it wants.
	keep  int
	name  int
	whole bool
	rated bool // of a plain table: keep says when it goes
}

// The columns that the layout treats on their own.
const (
	testTitle      = "Test"
	intervalColumn = "Interval"
	passedTitle    = "Passed"
	rateTitle      = "Rate"
	trialsTitle    = "Trials"
	medianTitle    = "Median"
	costTitle      = "Cost"
	pastTitle      = "Runs"
)

func faintPaint(r *report, _ *envelope.Test, cell string) string { return r.ink.faint.Render(cell) }

func passedCell(_ *report, t *envelope.Test, _ int) string {
	return words.Count(t.Trials.Passed) + "/" + words.Count(t.Trials.Counted)
}

func rateCell(_ *report, t *envelope.Test, _ int) string {
	value, _ := standing.Judged(t)
	return value
}

func medianCell(_ *report, t *envelope.Test, _ int) string {
	return t.MedianMS().Text("", words.Duration)
}

// Columns writes rows of plain cells under each other, aligned as a terminal shows them. The last cell of a row takes what it takes.
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

// terminal measures in columns: by what a reader sees as one character, and with characters of
// ambiguous width as narrow. The measures of lipgloss and tablewriter follow environment
// variables and disagree on emoji, so neither is asked.
var terminal = displaywidth.Options{ControlSequences: true}

func width(s string) int { return terminal.String(s) }

// Width is the number of columns that a text takes on a terminal.
func Width(s string) int { return width(text.Line(s)) }

// Rows is the number of rows that a line takes on a terminal of so many columns, which wraps before the character that has no room left.
func Rows(line string, columns int) int {
	rows, used := 1, 0
	for g := terminal.StringGraphemes(line); g.Next(); {
		if used += g.Width(); used > columns && used > g.Width() {
			rows, used = rows+1, g.Width()
		}
	}
	return rows
}

// Short is a text of a test on one line of at most n columns, whose middle is left out where it is longer.
func Short(s string, n int) string { return cutMiddle(text.Line(s), n, "...") }

func pad(s string, n int, right bool) string {
	gap := n - width(s)
	if gap <= 0 {
		return s
	}
	if right {
		return strings.Repeat(" ", gap) + s
	}
	return s + strings.Repeat(" ", gap)
}

func cut(s string, n int, ellipsis string) string {
	if len(s) <= n || width(s) <= n {
		return s
	}
	if n <= width(ellipsis) {
		return head(s, n)
	}
	kept := head(s, n-width(ellipsis))
	if at := words.AtWord(s, len(kept)+1); len(at) < len(kept) { // no word is cut
		kept = at
	}
	return strings.TrimRight(kept, " ") + ellipsis
}

func cutLeft(s string, n int, ellipsis string) string {
	if len(s) <= n || width(s) <= n {
		return s
	}
	if n <= width(ellipsis) {
		return tail(s, n)
	}
	return ellipsis + tail(s, n-width(ellipsis))
}

// cutMiddle keeps both ends: the names of the cases of a test differ there.
func cutMiddle(s string, n int, ellipsis string) string {
	if len(s) <= n || width(s) <= n {
		return s
	}
	room := n - width(ellipsis)
	if room < 4 {
		return cut(s, n, ellipsis)
	}
	begin := head(s, (room+1)/2)
	return begin + ellipsis + tail(s, room-width(begin))
}

func head(s string, n int) string {
	g, end := terminal.StringGraphemes(s), 0
	for g.Next() {
		if n -= g.Width(); n < 0 {
			break
		}
		end += len(g.Value())
	}
	return s[:end]
}

func tail(s string, n int) string {
	g, surplus, start := terminal.StringGraphemes(s), width(s)-n, 0
	for surplus > 0 && g.Next() {
		surplus -= g.Width()
		start += len(g.Value())
	}
	return s[start:]
}

// together is a space at which wrap breaks no line, in texts of our own.
const together = "\x00"

// wrap breaks a text between words into lines of at most n columns; a word that is wider than
// a line is broken too. Of more than `most` lines the last one kept is marked as cut.
func wrap(s string, n, most int, ellipsis string) []string {
	var lines []string
	line, used := "", 0
	words := strings.Split(s, " ")
	for i, word := range words {
		if i+1 < len(words) && strings.HasPrefix(words[i+1], "%") { // belongs to its number
			words[i+1] = word + " " + words[i+1]
			continue
		}
		word = strings.ReplaceAll(word, together, " ")
		w := width(word)
		if used+1+w <= n && used > 0 {
			line, used = line+" "+word, used+1+w
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		for line = word; w > n && len(lines) <= most; w = width(line) {
			part := head(line, n)
			if part == "" {
				break
			}
			lines, line = append(lines, part), line[len(part):]
		}
		used = w
		if len(lines) > most {
			break
		}
	}
	lines = append(lines, line)
	if len(lines) > most {
		lines = lines[:most]
		tooWide := lines[most-1] + strings.Repeat(" ", n) // so that even a short line gets its mark
		lines[most-1] = cut(tooWide, n, ellipsis)
	}
	return lines
}
