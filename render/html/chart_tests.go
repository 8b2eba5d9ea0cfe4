package html

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// The drawing of evidence: a box with room for the labels of the bounds at its right.
const (
	evidenceWidth, evidenceHeight = 400, 150
	evidenceLeft, evidenceRight   = 40, 290
	evidenceTop, evidenceBottom   = 10, 130
	lineHeight                    = 12
)

var evidenceWords = map[string]struct{ words, class, dash string }{
	"log_likelihood_ratio": {"log-likelihood ratio", "either", ""},
	"log_e_fail":           {"log e-value for a fail", "fail", dashed},
	"log_e_pass":           {"log e-value for a pass", "pass", ""},
}

// evidenceChart draws the paths of a sequential rule against the bounds that
// stop it. It is nil when a path is not there or says no more than its end,
// because all trials it saw were alike.
func evidenceChart(v *envelope.Verdict) *chart {
	trials := v.StoppedAt.Or(v.N)
	if len(v.Evidence) == 0 || trials < 2 || v.Passed == 0 || v.Passed == v.N {
		return nil
	}
	c := &chart{Title: evidenceTitle(v.Evidence), Width: evidenceWidth, Height: evidenceHeight}
	y := evidenceScale(v.Evidence)
	x := scale{lo: 0, hi: float64(trials), from: evidenceLeft, to: evidenceRight}
	c.mark("line", "frame", "", vertical(evidenceLeft, evidenceTop, evidenceBottom)+horizontal(y.at(0), evidenceLeft, evidenceRight))
	c.text(evidenceLeft-4, y.at(0)+4, "end", "0")
	c.text(evidenceLeft, evidenceHeight-4, "middle", "0")
	c.text(evidenceRight, evidenceHeight-4, "middle", plural(trials, "trial"))
	var bounds []endLabel
	for i := range v.Evidence {
		bounds = append(bounds, c.evidencePath(&v.Evidence[i], x, y, trials)...)
	}
	c.labelsAt(evidenceRight+6, bounds)
	return c
}

func evidenceTitle(paths []envelope.Evidence) string {
	title := "Evidence, trial by trial"
	for i := range paths {
		how, known := evidenceWords[paths[i].Name]
		if !known {
			continue
		}
		title += map[bool]string{true: ": ", false: ", "}[i == 0] + how.words
		title += words.If(how.dash != "", " (dashed)")
	}
	return title
}

// evidenceScale holds the bounds and as much of the paths as lies near them: an
// e-value that falls and falls would press the rest flat. It is drawn at the
// edge then, and its end is in the words.
func evidenceScale(paths []envelope.Evidence) scale {
	lo, hi := 0.0, 0.0
	seen := [2]float64{}
	for i := range paths {
		for _, bound := range []envelope.Opt[float64]{paths[i].FailAt, paths[i].PassAt} {
			if bound.OK && finite(bound.V) {
				lo, hi = min(lo, bound.V), max(hi, bound.V)
			}
		}
		for _, value := range paths[i].Path {
			if finite(value) {
				seen = [2]float64{min(seen[0], value), max(seen[1], value)}
			}
		}
	}
	if room := hi - lo; room > 0 {
		lo, hi = max(min(lo, seen[0]), lo-room), min(max(hi, seen[1]), hi+room/2)
	} else {
		lo, hi = seen[0], seen[1]
	}
	return scale{lo: lo, hi: hi, from: evidenceBottom, to: evidenceTop}
}

type endLabel struct {
	y     float64
	words string
}

func (c *chart) evidencePath(e *envelope.Evidence, x, y scale, trials int) []endLabel {
	how, known := evidenceWords[e.Name]
	if !known {
		how.words, how.class = name(e.Name, "evidence"), "either"
	}
	var points []spot
	if known { // all of ours are 0 before the first trial
		points = append(points, spot{x.at(0), y.at(0)})
	}
	for i, value := range e.Path {
		if finite(value) {
			trial := min(float64(i+1)*float64(max(e.Step, 1)), float64(trials))
			points = append(points, spot{x.at(trial), y.at(value)})
		}
	}
	c.mark("line", how.class, how.dash, linePath(points))
	if n := len(e.Path); n > 0 {
		c.say(how.words + " " + number(e.Path[n-1]) + " after " + plural(trials, "trial"))
	}
	var out []endLabel
	for _, bound := range []struct {
		at    envelope.Opt[float64]
		words string
		class string
	}{{e.PassAt, "pass at ", "pass"}, {e.FailAt, "fail at ", "fail"}} {
		if bound.at.OK && finite(bound.at.V) {
			c.mark("line", bound.class, dotted, horizontal(y.at(bound.at.V), evidenceLeft, evidenceRight))
			out = append(out, endLabel{y.at(bound.at.V), bound.words + number(bound.at.V)})
			c.say(bound.words + number(bound.at.V))
		}
	}
	return out
}

func (c *chart) say(says string) {
	c.Words += words.If(c.Words != "", "; ")
	c.Words += says
}

func (c *chart) labelsAt(x float64, all []endLabel) {
	slices.SortStableFunc(all, func(a, b endLabel) int { return cmp.Compare(a.y, b.y) })
	for i, l := range all {
		if i > 0 {
			all[i].y = max(l.y, all[i-1].y+lineHeight)
		}
		c.text(x, all[i].y+4, "start", l.words)
	}
}

// The drawing of suites: a bar for each, as many as fit.
const (
	suiteBars  = 10
	suiteLeft  = 118
	suiteRight = 244
	suiteRow   = 20
	suiteName  = 18 // runes
)

func suitePicture(suites []envelope.Suite) *picture {
	if len(suites) < 2 {
		return nil
	}
	order := each.Pointers(suites)
	slices.SortStableFunc(order, func(a, b *envelope.Suite) int {
		return cmp.Or(cmp.Compare(troubled(b, true), troubled(a, true)), cmp.Compare(troubled(b, false), troubled(a, false)))
	})
	shown := order[:min(len(order), suiteBars)]
	p := &picture{Title: "Verdicts by suite", Data: suiteTable(suites), Note: "Share of the tests of each suite: failed, errored, " +
		"undecided, passed, skipped, in this order."}
	if rest := len(order) - len(shown); rest > 0 {
		p.Note += " The " + count(len(shown)) + " with most to look at; " + count(rest) + " more in the data."
	}
	p.Chart = &chart{Title: "Verdicts by suite", Width: pictureWidth, Height: suiteRow*len(shown) + 24}
	for i, s := range shown {
		p.Chart.suiteBar(s, float64(i)*suiteRow+2)
	}
	bottom := float64(suiteRow*len(shown)) + 16
	p.Chart.text(suiteLeft, bottom, "start", "0")
	p.Chart.text(suiteRight, bottom, "end", "100"+nbsp+"% of tests")
	return p
}

func troubled(s *envelope.Suite, failed bool) float64 {
	if s.Tests <= 0 {
		return 0
	}
	n := s.Inconclusive
	if failed {
		n = s.Fail + s.Error
	}
	return float64(n) / float64(s.Tests)
}

func (c *chart) suiteBar(s *envelope.Suite, top float64) {
	title := name(s.Name, "no suite")
	c.text(suiteLeft-8, top+13, "end", shorten(title, suiteName))
	counts := cmp.Or(words.Some(barOrder[:], func(status envelope.Status) string {
		return words.If(s.Of(status) > 0, count(s.Of(status))+" "+string(status))
	}), "nothing to judge")
	c.say(shorten(title, scatterTitle) + ": " + counts)
	for len(counts) > suiteName && strings.Contains(counts, ", ") { // the worst have room
		counts = counts[:strings.LastIndex(counts, ", ")]
	}
	c.text(suiteRight+8, top+13, "start", counts)
	total := each.Sum(barOrder[:], func(status envelope.Status) int { return max(s.Of(status), 0) })
	done := 0
	x := scale{lo: 0, hi: float64(total), from: suiteLeft, to: suiteRight}
	for _, status := range barOrder {
		if n := s.Of(status); n > 0 {
			from, to := x.at(float64(done)), x.at(float64(done+n))
			c.mark("column", string(status), "", "M"+tenth(from)+" "+whole(top+3)+"H"+tenth(to)+"v13H"+tenth(from)+"z")
			done += n
		}
	}
}

// The drawing of a distribution: passed trials stand on a line, the others on one below.
const (
	histogramWidth, histogramHeight = 312, 110
	histogramLeft, histogramRight   = 84, 300
	histogramTop, histogramBottom   = 8, 88
	histogramBins                   = 18
	histogramLeast                  = 3 // values that make a distribution
)

type histogram struct {
	lo, hi         float64
	passed, others [histogramBins]int
	n              [2]int // others, passed
}

// newHistogram is nil when there is no distribution to see: too few values, or all the same.
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
	both := slices.Concat(all[0], all[1])
	h.lo, h.hi = slices.Min(both), slices.Max(both)
	if !(h.lo < h.hi) || !finite(h.hi-h.lo) {
		return nil
	}
	h.fill(&h.others, all[0])
	h.fill(&h.passed, all[1])
	return h
}

func (h *histogram) fill(bins *[histogramBins]int, values []float64) {
	for _, v := range values {
		bins[min(max(int(histogramBins*((v-h.lo)/(h.hi-h.lo))), 0), histogramBins-1)]++
	}
}

func histogramChart(title string, h *histogram, format func(float64) string) *chart {
	if h == nil {
		return nil
	}
	c := &chart{Title: title, Width: histogramWidth, Height: histogramHeight}
	most := max(slices.Max(h.passed[:]), slices.Max(h.others[:]))
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
	c.say("from " + format(h.lo) + " to " + format(h.hi) + ", at most " + plural(most, "trial") + " a bar, " + count(histogramBins) +
		" bins")
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
	middle := base + unit/2*float64(slices.Max(bins[:]))
	c.text(histogramLeft-6, middle+4, "end", count(n)+" "+words)
	c.say(count(n) + " " + words)
}
