package pretty

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tribunal/internal/block"
	"tribunal/internal/words"
)

const spanWidth = 21

func (r *canvas) span(s block.Span) string {
	line, point := "─", "●"
	if r.ascii() {
		line, point = "-", "o"
	}
	at := func(v float64) int { return min(spanWidth-1, max(0, int(v*spanWidth))) }
	signs := slices.Repeat([]string{" "}, spanWidth)
	for i := at(s.Lo); i <= at(s.Hi); i++ {
		signs[i] = line
	}
	signs[at(s.Value)] = point
	return strings.Join(signs, "")
}

func (r *canvas) bars(b *block.Bars) {
	if len(b.Bars) == 0 {
		return
	}
	r.line("")
	r.text("  ", "    ", b.Title, 2)
	for _, p := range b.Bars {
		note := words.If(p.Planned, "  planned")
		r.line(fmt.Sprintf("  %8s  %6s  %s%s", words.Count(p.Number), words.Percent(p.Share)+" %", r.bar(p.Share, min(24, r.limit-32)), note))
	}
}

func (r *canvas) bar(fraction float64, n int) string {
	full, eighths := "█", []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}
	if r.ascii() {
		full, eighths = "#", make([]string, 8)
	}
	units := min(max(int(fraction*float64(n)*8+0.5), 0), n*8)
	return strings.Repeat(full, units/8) + eighths[units%8]
}

func (r *canvas) ascii() bool { return r.sign.bar == asciiSigns.bar }

const (
	curveHeight  = 8
	curveColumns = 61 // at most
)

// curve draws stacked shares: for each rate a column, filled from below as often as a
// test passes, and shaded above as often as it stays inconclusive.
func (r *canvas) curve(c *block.Chart) {
	room := min(curveColumns, r.limit-12)
	pass, open := thin(c.Lines[0], room), thin(c.Lines[1], room)
	if !c.Stacked || len(pass) < 2 {
		return
	}
	r.line("")
	r.text("  ", "  ", c.Title+": of tests at each true rate, "+r.ink.pass.Render(r.filled()[8]+" pass")+", "+
		""+r.ink.inconclusive.Render(r.shade()+" inconclusive")+", blank fail", 3)
	for row := curveHeight - 1; row >= 0; row-- {
		label := map[int]string{curveHeight - 1: "100 %", curveHeight/2 - 1: " 50 %"}[row]
		r.line(fmt.Sprintf("  %5s %s%s", label, r.sign.bar, r.curveRow(pass, open, float64(row)/curveHeight)))
	}
	r.line(fmt.Sprintf("  %5s  %s", "0 %", strings.Repeat(r.sign.rule, len(pass))))
	r.line("         " + axis(c, pass))
}

func (r *canvas) curveRow(pass, open []block.Point, floor float64) string {
	const height = 1.0 / curveHeight
	var b strings.Builder
	for i, p := range pass {
		part := int(math.Round(min(max((p.Y-floor)/height, 0), 1) * 8))
		switch {
		case part > 0 && r.filled()[part] != " ":
			b.WriteString(r.ink.pass.Render(r.filled()[part]))
		case open[i].Y-floor > height/2:
			b.WriteString(r.ink.inconclusive.Render(r.shade()))
		default:
			b.WriteString(" ")
		}
	}
	return b.String()
}

func (r *canvas) filled() [9]string {
	if r.ascii() {
		return [9]string{" ", " ", " ", " ", "#", "#", "#", "#", "#"}
	}
	return [9]string{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
}

func (r *canvas) shade() string {
	if r.ascii() {
		return "."
	}
	return "░"
}

// thin keeps every k-th point, so that at most n are left, evenly apart.
func thin(points []block.Point, n int) []block.Point {
	step := max(1, (len(points)+n-1)/max(n, 1))
	var out []block.Point
	for i := 0; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out
}

// axis labels the first rate, the last and the one that is marked.
func axis(c *block.Chart, points []block.Point) string {
	line := []byte(strings.Repeat(" ", len(points)+6))
	put := func(at int, s string) {
		if strings.TrimSpace(string(line[max(0, at-1):min(len(line), at+len(s)+1)])) == "" {
			copy(line[at:], s)
		}
	}
	first, last := points[0].X, points[len(points)-1].X
	put(0, words.Fraction(first))
	put(len(points)-2, words.Fraction(last))
	if c.At.OK && c.At.V > first && c.At.V < last {
		put(int((c.At.V-first)/(last-first)*float64(len(points)-1)+0.5), "^"+words.Fraction(c.At.V))
	}
	return string(line)
}
