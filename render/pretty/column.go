package pretty

import (
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// column is one column of the table of tests.
type column struct {
	title string
	// heading stands over the column in place of its title, when it is not empty.
	heading string
	right   bool // numbers stand on the right
	at      int  // place of its cell in a row of plain cells
	// cell is what the test has there: unstyled, and no wider than room where the
	// column can shrink.
	cell func(r *report, t *envelope.Test, room int) string
	// paint styles a cell.
	paint func(r *report, t *envelope.Test, cell string) string
	// least is the width the column can shrink to, and the width it wants at
	// most; 0 is the width of its widest cell.
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
	flagsTitle     = "Flags"
	testTitle      = "Test"
	intervalColumn = "Interval"
	passedTitle    = "Passed"
	rateTitle      = "Rate"
	trialsTitle    = "Trials"
	medianTitle    = "Median"
	costTitle      = "Cost"
	pastTitle      = "Runs"
	reasonTitle    = "Reason"
)

// columns lists the columns from left to right.
var columns = []column{
	{title: "Verdict", cell: verdictCell, paint: verdictPaint},
	{title: flagsTitle, cell: flagsCell, paint: flagsPaint, keep: 4, name: known},
	{title: testTitle, cell: testCell, paint: testPaint, least: 22, most: 60},
	{title: passedTitle, right: true, cell: passedCell, keep: 9},
	{title: rateTitle, right: true, cell: rateCell, keep: 8},
	{title: intervalColumn, cell: intervalCell, paint: faintPaint, keep: 6},
	{title: trialsTitle, cell: stripCell, paint: stripPaint, least: 10, most: 24, keep: 7},
	{title: pastTitle, cell: pastCell, paint: pastPaint, least: 8, most: 20, keep: 5},
	{title: medianTitle, right: true, cell: medianWithInterval, keep: 3, name: readable},
	{title: costTitle, right: true, cell: costCell, keep: 2, name: readable},
	{title: reasonTitle, cell: reasonCell, paint: faintPaint, least: 28, most: 100, keep: 1, name: comfortable},
}

func faintPaint(r *report, _ *envelope.Test, cell string) string { return r.ink.faint.Render(cell) }

func verdictCell(_ *report, t *envelope.Test, _ int) string { return Mark(t.Status) }

func verdictPaint(r *report, t *envelope.Test, cell string) string {
	return r.ink.of(t.Status).Render(cell)
}

func flagsCell(_ *report, t *envelope.Test, _ int) string { return strings.Join(flags(t), " ") }

func flagsPaint(r *report, _ *envelope.Test, cell string) string { return r.ink.flag.Render(cell) }

func flags(t *envelope.Test) []string {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{{t.Flaky && !changed(t), "FLAKY"}, {changed(t) || isNew(t), pastState(t)}, {t.CostLimited, "COST"}, {t.Quarantined, "QUARANTINED"}} {
		if f.set {
			words = append(words, f.word)
		}
	}
	return words
}

func passedCell(_ *report, t *envelope.Test, _ int) string {
	return words.Count(t.Trials.Passed) + "/" + words.Count(t.Trials.Counted)
}

func rateCell(_ *report, t *envelope.Test, _ int) string {
	if t.Rate.PerProtocol == nil {
		return ""
	}
	return words.Percent(t.Rate.PerProtocol.Value) + " %"
}

func intervalCell(_ *report, t *envelope.Test, _ int) string {
	if t.Rate.PerProtocol == nil {
		return ""
	}
	return interval(t.Rate.PerProtocol.Lo, t.Rate.PerProtocol.Hi)
}

// intervalTitle names the interval when it is of one kind in all rows, and is
// empty otherwise.
func intervalTitle(tests []*envelope.Test) string {
	title := ""
	for _, t := range tests {
		rate := t.Rate.PerProtocol
		if rate == nil {
			continue
		}
		method := cut(text.Line(rate.Method), 12, "")
		here := fmt.Sprintf("%s %s", strings.ToUpper(head(method, 1))+strings.TrimPrefix(method, head(method, 1)), words.Level(rate.Confidence))
		if title != "" && title != here {
			return ""
		}
		title = here
	}
	return title
}

func medianCell(_ *report, t *envelope.Test, _ int) string {
	median := t.MedianMS()
	if !median.OK {
		return ""
	}
	return words.Duration(median.V)
}

func medianWithInterval(r *report, t *envelope.Test, room int) string {
	cell := medianCell(r, t, room)
	if d := t.DurationMS; d != nil && d.P50Lo.OK && d.P50Hi.OK {
		cell += " [" + words.Duration(d.P50Lo.V) + ", " + words.Duration(d.P50Hi.V) + "]"
	}
	return cell
}

func costCell(_ *report, t *envelope.Test, _ int) string {
	if !t.CostUSD.OK {
		return ""
	}
	return words.Dollars(t.CostUSD.V)
}

// plain reports a pass of which there is nothing more to say than its numbers.
func plain(t *envelope.Test) bool {
	return standing.GroupOf(t) == standing.Passed && len(flags(t)) == 0
}

// saidBefore reports whether nothing is left to say of why a test has its verdict.
func (r *report) saidBefore(t *envelope.Test) bool { return plain(t) || r.explained[t] }

func reasonCell(r *report, t *envelope.Test, room int) string {
	if r.saidBefore(t) {
		return ""
	}
	return cut(r.reason(t), room, r.sign.ellipsis)
}
