package html

import (
	"strings"

	"tribunal/envelope"
)

// The drawing of a distribution: passed trials stand on a line, the others on one below.
const (
	histogramWidth, histogramHeight = 312, 110
	histogramLeft, histogramRight   = 84, 300
	histogramTop, histogramBottom   = 8, 88
	histogramBins                   = 18
	histogramLeast                  = 3 // values that make a distribution
)

// histogram is the values of the counted trials in bins of equal width.
type histogram struct {
	lo, hi         float64
	passed, others [histogramBins]int
	n              [2]int // others, passed
}

// newHistogram is nil when there is no distribution to see: too few values, or
// all the same.
func newHistogram(rows *envelope.Rows, values envelope.Column[float64]) *histogram {
	var all [2][]float64
	for i, outcome := range rows.Outcome {
		v, ok := values.At(i)
		if !ok || !outcome.Counted() || !finite(v) {
			continue
		}
		side := 0
		if outcome == envelope.Passed {
			side = 1
		}
		all[side] = append(all[side], v)
	}
	if len(all[0])+len(all[1]) < histogramLeast {
		return nil
	}
	h := &histogram{n: [2]int{len(all[0]), len(all[1])}}
	h.lo, h.hi = extent(append(append([]float64{}, all[0]...), all[1]...))
	if !(h.lo < h.hi) || !finite(h.hi-h.lo) {
		return nil
	}
	h.fill(&h.others, all[0])
	h.fill(&h.passed, all[1])
	return h
}

func extent(values []float64) (lo, hi float64) {
	lo, hi = values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

func (h *histogram) fill(bins *[histogramBins]int, values []float64) {
	for _, v := range values {
		bins[binOf(v, h.lo, h.hi, histogramBins)]++
	}
}

// binOf is which of n equal parts of lo to hi a value is in.
func binOf(v, lo, hi float64, n int) int {
	return min(max(int(float64(n)*((v-lo)/(hi-lo))), 0), n-1)
}

// histogramChart draws the values of a test's trials; format writes one of them
// with its unit.
func histogramChart(title string, h *histogram, format func(float64) string) *chart {
	if h == nil {
		return nil
	}
	c := &chart{Title: title, Width: histogramWidth, Height: histogramHeight}
	most := 0
	for i := range histogramBins {
		most = max(most, h.passed[i], h.others[i])
	}
	height := float64(histogramBottom - histogramTop)
	base := float64(histogramBottom)
	if h.n[0] > 0 && h.n[1] > 0 {
		height = height/2 - 2
		c.mark("line", "frame", "", horizontal(base-height-4, histogramLeft, histogramRight))
		c.bars("passed", "pass", &h.passed, h.n[1], base-height-4, -height/float64(most))
	} else {
		c.bars("passed", "pass", &h.passed, h.n[1], base, -height/float64(most))
	}
	c.bars("not passed", "fail", &h.others, h.n[0], base, -height/float64(most))
	c.mark("line", "frame", "", horizontal(base, histogramLeft, histogramRight))
	c.text(histogramLeft, histogramHeight-6, "start", format(h.lo))
	c.text(histogramRight, histogramHeight-6, "end", format(h.hi))
	c.say("from " + format(h.lo) + " to " + format(h.hi) + ", at most " + plural(int64(most), "trial") + " in one of " + count(histogramBins) + " bins")
	return c
}

// bars draws one side of a histogram, unit pixels for a trial. Each bar is so many
// bins from the one before, as a few such steps compress better than places do.
func (c *chart) bars(words, class string, bins *[histogramBins]int, n int, base, unit float64) {
	if n == 0 {
		return
	}
	width := float64(histogramRight-histogramLeft) / histogramBins
	var b strings.Builder
	b.WriteString("M" + whole(histogramLeft) + " " + whole(base))
	last := 0
	for i, in := range bins {
		if in > 0 {
			b.WriteString("m" + whole(float64(i-last)*width) + " 0v" + tenth(float64(in)*unit) + "h" + whole(width-1) + "V" + whole(base) + "z")
			last = i
		}
	}
	c.mark("column", class, "", b.String())
	middle := base + unit/2*float64(maxOf(bins))
	c.text(histogramLeft-6, middle+4, "end", count(int64(n))+" "+words)
	c.say(count(int64(n)) + " " + words)
}

func maxOf(bins *[histogramBins]int) int {
	most := 0
	for _, in := range bins {
		most = max(most, in)
	}
	return most
}
