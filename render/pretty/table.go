package pretty

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/render/internal/standing"
)

func (r *canvas) table(columns []placed, rows [][]string) error {
	titles := each.Of(columns, func(c placed) string { return c.over() })
	t := tablewriter.NewTable(io.Discard,
		tablewriter.WithRenderer(&drawing{Blueprint: renderer.NewBlueprint(),
			out: &r.out, columns: columns, rule: r.sign.rule, title: r.ink.faint.Render}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
	)
	t.Header(titles)
	if err := t.Bulk(rows); err != nil {
		return fmt.Errorf("pretty: table: %w", err)
	}
	if err := t.Render(); err != nil {
		return fmt.Errorf("pretty: table: %w", err)
	}
	return nil
}

// drawing draws the lines that tablewriter makes of the rows, whose cells may have
// several. It pads to the widths of the layout, cuts nothing, and writes to memory.
type drawing struct {
	*renderer.Blueprint
	out     *bytes.Buffer
	columns []placed
	rule    string
	title   func(...string) string
}

// Start implements tw.Renderer. The lines go to the report, not to w.
func (d *drawing) Start(io.Writer) error { return nil }

// Header implements tw.Renderer.
func (d *drawing) Header(lines [][]string, _ tw.Formatting) {
	for _, titles := range lines {
		total := -gap
		for i, c := range d.columns {
			titles[i] = d.title(titles[i])
			total += c.width + gap
		}
		d.cells(titles)
		fmt.Fprintln(d.out, d.title(strings.Repeat(d.rule, total)))
	}
}

// Row implements tw.Renderer.
func (d *drawing) Row(cells []string, _ tw.Formatting) { d.cells(cells) }

// Footer implements tw.Renderer. There is none.
func (d *drawing) Footer([][]string, tw.Formatting) {}

// Line implements tw.Renderer. The only rule is the one under the titles.
func (d *drawing) Line(tw.Formatting) {}

func (d *drawing) cells(cells []string) {
	var b strings.Builder
	for i, c := range d.columns {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		b.WriteString(pad(cells[i], c.width, c.right))
	}
	d.out.WriteString(strings.TrimRight(b.String(), " ") + "\n")
}

func stripCell(r *report, t *envelope.Test, room int) string {
	all := t.Rows.Outcome
	if len(all) <= room {
		return r.draw(all)
	}
	room -= width(r.sign.leftOut)
	if room < 2 {
		return ""
	}
	first := (room + 1) / 2
	return r.draw(all[:first]) + r.sign.leftOut + r.draw(all[len(all)-(room-first):])
}

func (r *canvas) draw(outcomes envelope.Outcomes) string {
	var b strings.Builder
	for _, o := range outcomes {
		b.WriteString(r.outcomeSign(o))
	}
	return b.String()
}

func (r *canvas) outcomeSign(o envelope.Outcome) string { return cmp.Or(r.sign.outcomes[o], "?") }

func stripPaint(r *report, _ *envelope.Test, cell string) string {
	var b strings.Builder
	for cell != "" {
		_, size := utf8.DecodeRuneInString(cell)
		sign := cell[:size]
		rest := strings.TrimLeft(cell, sign)
		b.WriteString(r.paintSign(sign, cell[:len(cell)-len(rest)]))
		cell = rest
	}
	return b.String()
}

func (r *canvas) paintSign(sign, run string) string {
	switch sign {
	case r.sign.outcomes[envelope.Passed]:
		return r.ink.pass.UnsetBold().Render(run)
	case r.sign.outcomes[envelope.Failed]:
		return r.ink.fail.UnsetBold().Render(run)
	case r.sign.outcomes[envelope.Errored]:
		return r.ink.err.UnsetBold().Render(run)
	}
	return r.ink.faint.Render(run)
}

// legends explain the signs of trials and of runs in the rows; those that pass and fail explain themselves.
func (r *report) legends(columns []placed, tests []*envelope.Test) {
	if unusual := standing.Unusual(tests); has(columns, trialsTitle) && len(unusual) > 0 {
		r.line("")
		r.text("  ", "  ", strings.Join(each.Of(unusual, func(o standing.Outcome) string {
			return r.paintSign(r.outcomeSign(o.Outcome), r.outcomeSign(o.Outcome)) + r.ink.faint.Render(" "+o.Word)
		}), "  "), 3)
	}
	if has(columns, pastTitle) {
		strips := each.Of(tests, func(t *envelope.Test) string { return marks(t, math.MaxInt) })
		r.line("")
		r.text("  ", "  ", r.ink.faint.Render(pastTitle+", the latest on the right: ")+r.markLegend(strips, r.runSigns()[trend.MarkMixed]), 3)
	}
}
