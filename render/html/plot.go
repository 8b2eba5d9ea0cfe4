package html

import (
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
)

// plot is a pass rate on the axis from 0 to 1: coordinates for charts.html,
// each "" when there is nothing to draw, and the same in words.
type plot struct {
	Words     string
	Point     string
	Interval  string
	Threshold string
}

// The axis of plot in charts.html.
const (
	axisStart  = 5.0
	axisLength = 130.0
)

// at is a fraction's place on the axis, "" for what is not on it.
func at(v float64) string {
	if math.IsNaN(v) || v < 0 || v > 1 {
		return ""
	}
	return tenth(axisStart + axisLength*v)
}

func tenth(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func intervalPath(lo, hi float64) string {
	from, to := at(lo), at(hi)
	if from == "" || to == "" {
		return ""
	}
	return "M" + from + " 9H" + to
}

// ratePlot draws a rate, its interval and the threshold of the verdict.
func ratePlot(r *envelope.Rate, threshold envelope.Opt[float64]) plot {
	p := wordlessPlot(r, threshold)
	p.Words = "pass rate " + percent(r.Value) + ", interval " + span(r.Lo, r.Hi)
	if p.Threshold != "" {
		p.Words += ", threshold " + percent(threshold.V)
	}
	return p
}

// wordlessPlot is the drawing alone.
func wordlessPlot(r *envelope.Rate, threshold envelope.Opt[float64]) plot {
	p := plot{Point: at(r.Value), Interval: intervalPath(r.Lo, r.Hi)}
	if threshold.OK {
		if x := at(threshold.V); x != "" {
			p.Threshold = "M" + x + " 1v16"
		}
	}
	return p
}

// barOrder is the order of the tests below: what needs looking at comes first.
var barOrder = []envelope.Status{envelope.Fail, envelope.Error, envelope.Inconclusive, envelope.Pass, envelope.Skip}
