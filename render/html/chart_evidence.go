package html

import (
	"cmp"
	"slices"

	"tribunal/envelope"
)

// The drawing of evidence: a box with room for the labels of the bounds at its
// right.
const (
	evidenceWidth, evidenceHeight = 400, 150
	evidenceLeft, evidenceRight   = 40, 290
	evidenceTop, evidenceBottom   = 10, 130
	lineHeight                    = 12
)

// evidenceWords name the paths, and how each is drawn.
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
	c.text(evidenceRight, evidenceHeight-4, "middle", plural(int64(trials), "trial"))
	var bounds []endLabel
	for i := range v.Evidence {
		bounds = append(bounds, c.evidencePath(&v.Evidence[i], x, y, trials)...)
	}
	c.labelsAt(evidenceRight+6, bounds)
	return c
}

// evidenceTitle names the paths, and how to tell them apart.
func evidenceTitle(paths []envelope.Evidence) string {
	title := "Evidence, trial by trial"
	for i := range paths {
		how, known := evidenceWords[paths[i].Name]
		if !known {
			continue
		}
		title += map[bool]string{true: ": ", false: ", "}[i == 0] + how.words
		if how.dash != "" {
			title += " (dashed)"
		}
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

// endLabel is what a line is called, at the height of its end.
type endLabel struct {
	y     float64
	words string
}

// evidencePath draws one path and its bounds.
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
		c.say(how.words + " " + number(e.Path[n-1]) + " after " + plural(int64(trials), "trial"))
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

// say adds to what can be seen in a chart.
func (c *chart) say(words string) {
	if c.Words != "" {
		c.Words += "; "
	}
	c.Words += words
}

// labelsAt writes words beside their lines, moved down where they would cover
// each other.
func (c *chart) labelsAt(x float64, all []endLabel) {
	slices.SortStableFunc(all, func(a, b endLabel) int { return cmp.Compare(a.y, b.y) })
	for i, l := range all {
		if i > 0 {
			all[i].y = max(l.y, all[i-1].y+lineHeight)
		}
		c.text(x, all[i].y+4, "start", l.words)
	}
}
