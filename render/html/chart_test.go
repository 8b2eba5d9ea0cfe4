package html

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"tribunal/envelope"
)

func some[T any](v T) envelope.Opt[T] { return envelope.Some(v) }

// paths are the paths of a kind, in order.
func paths(c *chart, kind string) []string {
	var out []string
	for _, m := range c.Marks {
		if m.Kind == kind {
			out = append(out, m.Path)
		}
	}
	return out
}

// words are the labels of a chart, with their places.
func places(c *chart) map[string]string {
	out := map[string]string{}
	for _, l := range c.Labels {
		out[l.Text] = l.X + " " + l.Y + " " + l.Anchor
	}
	return out
}

func TestScale(t *testing.T) {
	linear, log := scale{lo: 0, hi: 10, from: 100, to: 200}, scale{lo: 1, hi: 100, from: 0, to: 50, log: true}
	for _, c := range []struct {
		reason    string
		got, want float64
	}{
		{"the start", linear.at(0), 100},
		{"a quarter", linear.at(2.5), 125},
		{"what lies beyond is at the edge", linear.at(99), 200},
		{"10 is the middle of 1 to 100", log.at(10), 25},
		{"an axis may run upwards", scale{lo: 0, hi: 1, from: 80, to: 0}.at(0.25), 60},
		{"without an extent, the middle", scale{lo: 5, hi: 5, from: 0, to: 10}.at(5), 5},
		{"numbers whose difference is not a number", scale{lo: -math.MaxFloat64, hi: math.MaxFloat64, from: 0, to: 10}.at(0), 5},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: at %v, want %v", c.reason, c.got, c.want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		reason string
		got    []float64
		want   []float64
	}{
		{"tens", every(tickStep(0, 47, 5), 0, 47), []float64{0, 10, 20, 30, 40}},
		{"a step of 0.2, without 0.6000000000000001", every(tickStep(0, 1, 5), 0, 1), []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
		{"minutes, for four and a half of them", every(timeStep(0, 270e3, 5), 0, 270e3), []float64{0, 60e3, 120e3, 180e3, 240e3}},
		{"logarithmic: 1, 2, 5", logTicks(roundNumbers, 0.9, 20, 5), []float64{1, 2, 5, 10, 20}},
		{"over many decades, powers of ten only", logTicks(roundNumbers, 0.9, 2000, 5), []float64{1, 10, 100, 1000}},
		{"times over many decades: 1 s, 10 s, 1 min, 10 min, 1 h", logTicks(roundTimes, 900, 3700e3, 5), []float64{1e3, 1e4, 60e3, 600e3, 3600e3}},
		{"no extent", every(tickStep(3, 3, 5), 3, 3), nil},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, c.got, c.want)
		}
	}
}

func TestLinesAreThinned(t *testing.T) {
	points := make([]spot, 10_001)
	for i := range points {
		points[i] = spot{float64(i), 7}
	}
	path := linePath(points)
	if !strings.HasPrefix(path, "M0 7 67 7 134 7") || !strings.HasSuffix(path, " 10000 7") || len(strings.Fields(path)) != 2*151 {
		t.Errorf("10,001 points make %.40s … of %d points: want every 67th and the last", path, len(strings.Fields(path))/2)
	}
	if got := linePath([]spot{{1.2, 2}, {1.4, 2}, {9, 3}}); got != "M1 2 9 3" {
		t.Errorf("points in one pixel make %q, want them once", got)
	}
	if got := bandPath([]spot{{0, 1}, {5, 2}}, []spot{{0, 9}, {5, 8}}); got != "M0 1 5 2 5 8 0 9z" {
		t.Errorf("the band is %q, want its upper edge and its lower one backwards", got)
	}
}

// Four trials, bounds 2 and -1: with 0 the axis has 3 units on 120 pixels.
func TestEvidenceChart(t *testing.T) {
	v := envelope.Verdict{N: 4, Passed: 3, Evidence: []envelope.Evidence{
		{Name: "log_likelihood_ratio", PassAt: some(2.0), FailAt: some(-1.0), Step: 1, Path: []float64{0.5, 1, 0.5, 1}}}}
	c := evidenceChart(&v)
	if got, want := paths(c, "line"), []string{
		"M40 10V130M40 90H290",               // 0 is 40 pixels above -1
		"M40 90 103 70 165 50 228 70 290 50", // 62.5 pixels a trial, 20 down for half a unit
		"M40 10H290", "M40 130H290",          // the bounds
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	if got := places(c); got["pass at 2"] != "296 14 start" || got["fail at -1"] != "296 134 start" || got["4 trials"] != "290 146 middle" {
		t.Errorf("labels %v", got)
	}
	if want := "log-likelihood ratio 1 after 4 trials; pass at 2; fail at -1"; c.Words != want {
		t.Errorf("words %q, want %q", c.Words, want)
	}
}

func TestEvidenceThatIsNotDrawn(t *testing.T) {
	path := []envelope.Evidence{{Name: "log_e_pass", PassAt: some(1.6), Step: 1, Path: []float64{1, 2}}}
	nan := []envelope.Evidence{{Name: "new", Step: 0, Path: []float64{math.NaN(), math.Inf(1)}, PassAt: some(math.Inf(1))}}
	for _, c := range []struct {
		reason string
		v      envelope.Verdict
		drawn  bool
	}{
		{"a rule without evidence", envelope.Verdict{N: 4, Passed: 2}, false},
		{"all trials alike: a straight line says no more than its end", envelope.Verdict{N: 2, Passed: 2, Evidence: path}, false},
		{"one trial", envelope.Verdict{N: 1, Passed: 0, Evidence: path}, false},
		{"mixed trials", envelope.Verdict{N: 2, Passed: 1, Evidence: path}, true},
		{"numbers that are none do not break it", envelope.Verdict{N: 2, Passed: 1, Evidence: nan}, true},
	} {
		if got := evidenceChart(&c.v) != nil; got != c.drawn {
			t.Errorf("%s: drawn %v, want %v", c.reason, got, c.drawn)
		}
	}
}

// An e-value may fall without end: it must not press the bounds flat.
func TestEvidenceFarFromItsBoundsIsAtTheEdge(t *testing.T) {
	y := evidenceScale([]envelope.Evidence{{PassAt: some(2.0), Path: []float64{-1, -500}}, {FailAt: some(3.0), Path: []float64{1, 40}}})
	if y.lo != -3 || y.hi != 4.5 {
		t.Errorf("the axis is from %v to %v, want one room of the bounds below and half of one above: -3 to 4.5", y.lo, y.hi)
	}
}

func TestNearLabelsAreMovedApart(t *testing.T) {
	c := &chart{}
	c.labelsAt(5, []endLabel{{50, "a"}, {45, "b"}, {100, "c"}})
	want := map[string]string{"a": "5 61 start", "b": "5 49 start", "c": "5 104 start"}
	if got := places(c); !reflect.DeepEqual(got, want) {
		t.Errorf("labels %v, want %v", got, want)
	}
}

func TestCurve(t *testing.T) {
	if newCurve([]int{100, 100, 100}) != nil || newCurve(nil) != nil {
		t.Error("a curve that does not change says nothing")
	}
	for _, c := range []struct {
		reason string
		values []int
		want   string
	}{
		{"to its end", []int{100, 25, 3}, "From k = 1: 100, 25, 3 % at k = 3."},
		{"flat from some k on", []int{100, 25, 0, 0, 0}, "From k = 1: 100, 25, 0 % from k = 3 to k = 5."},
		{"flat at the end only", []int{100, 25, 25}, "From k = 1: 100, 25 % from k = 2 to k = 3."},
	} {
		if got := strings.ReplaceAll(newCurve(c.values).Values, nbsp, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
	long := make([]int, 500)
	for i := range long {
		long[i] = i % 100
	}
	if words := newCurve(long).Values; strings.Count(words, ",") != curvePoints || !strings.HasSuffix(words, "… 99"+nbsp+"% at k = 500.") {
		t.Errorf("a long curve is %q", words)
	}
	c := newCurve([]int{100, 50, 0})
	c.draw()
	if got := paths(c.Chart, "line")[1]; got != "M44 10 162 50 280 90" {
		t.Errorf("the curve is %q, want three points over 236 x 80 pixels", got)
	}
}

// trialsOf are rows with an outcome and a time each.
func trialsOf(strip string, times ...float64) *envelope.Rows {
	rows := envelope.Columns{Given: []envelope.Given(strip), DurationMS: times}.Rows()
	rows.Outcome = envelope.Outcomes(strip)
	return rows
}

// Times of 0 to 18 ms are a millisecond a bin, 12 pixels wide. Four passed, two
// of them in the first bin; one did not; the excluded one is left out.
func TestHistogram(t *testing.T) {
	rows := trialsOf("PPPPFX", 0, 0.5, 9, 18, 9.5, 400)
	c := histogramChart("Times", newHistogram(rows, rows.DurationMS()), duration)
	if got, want := paths(c, "column"), []string{
		"M84 46m0 0v-38h11V46zm108 0v-19h11V46zm96 0v-19h11V46z", // two are 38 pixels, half of the height but 2
		"M84 88m108 0v-19h11V88z",
	}; !reflect.DeepEqual(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	if want := "4 passed; 1 not passed; from 0 ms to 18 ms, at most 2 trials a bar, 18 bins"; strings.ReplaceAll(c.Words, nbsp, " ") != want {
		t.Errorf("words %q, want %q", c.Words, want)
	}
}

func TestHistogramsThatAreNotDrawn(t *testing.T) {
	for _, c := range []struct {
		reason string
		rows   *envelope.Rows
		drawn  bool
	}{
		{"no values", trialsOf("PPPP"), false},
		{"two values are no distribution", trialsOf("PF", 1, 2), false},
		{"all the same", trialsOf("PPF", 2, 2, 2), false},
		{"only excluded ones differ", trialsOf("PPFX", 2, 2, 2, 9), false},
		{"three values", trialsOf("PPF", 1, 2, 3), true},
		{"numbers that are none", trialsOf("PPF", math.Inf(1), math.Inf(-1), math.NaN()), false},
		{"an extent that is not a number", trialsOf("PPF", -math.MaxFloat64, math.MaxFloat64, 0), false},
	} {
		if got := newHistogram(c.rows, c.rows.DurationMS()) != nil; got != c.drawn {
			t.Errorf("%s: drawn %v, want %v", c.reason, got, c.drawn)
		}
	}
}

func metricAt(name string, k any, value, lo, hi float64) envelope.Metric {
	return envelope.Metric{Name: name, Params: map[string]any{"k": k}, Value: some(value), Lo: some(lo), Hi: some(hi), TestsUsed: 3, TestsTotal: 3}
}

// k = 1 to 3 lie on 232 pixels, rates on 166.
func TestDepthPicture(t *testing.T) {
	p := depthPicture([]envelope.Metric{
		metricAt("pass_at_k", 1, 0.5, 0.25, 0.75), metricAt("pass_hat_k", 1.0, 0.5, 0.25, 0.75),
		metricAt("pass_at_k", 2, 0.75, 0.5, 1), metricAt("pass_hat_k", 2.0, 0.25, 0, 0.5),
		metricAt("pass_at_k", 3, 1, 1, 1), metricAt("pass_hat_k", 3.0, 0, 0, 0),
		{Name: "pass_at_k", Variant: "small", Params: map[string]any{"k": 9}, Value: some(0.1)},
	})
	lines := paths(p.Chart, "line")
	if got, want := lines[len(lines)-2:], []string{"M46 93 162 52 278 10", "M46 93 162 135 278 176"}; !reflect.DeepEqual(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	if got, want := paths(p.Chart, "area")[0], "M46 52 162 10 278 10 278 10 162 93 46 135z"; got != want {
		t.Errorf("the band of pass@k is %q, want %q", got, want)
	}
	if n := len(p.Data.Rows); n != 3 {
		t.Errorf("%d rows of data, want one for each k", n)
	}
}

func TestDepthPictureThatIsNotDrawn(t *testing.T) {
	one, other := metricAt("pass_at_k", 1, 0.5, 0, 1), metricAt("pass_hat_k", 1, 0.5, 0, 1)
	for _, c := range []struct {
		reason  string
		metrics []envelope.Metric
	}{
		{"no metrics", nil},
		{"one value of k is a number, not a curve", []envelope.Metric{one, other}},
		{"one of the two metrics only", []envelope.Metric{one, metricAt("pass_at_k", 2, 0.5, 0, 1)}},
		{"a k that is not a number", []envelope.Metric{metricAt("pass_at_k", "x", 0.5, 0, 1), metricAt("pass_at_k", math.NaN(), 0.5, 0, 1)}},
		{"values that are none", []envelope.Metric{metricAt("pass_at_k", 1, math.NaN(), 0, 1), metricAt("pass_at_k", 2, math.Inf(1), 0, 1)}},
	} {
		if depthPicture(c.metrics) != nil {
			t.Errorf("%s: it is drawn", c.reason)
		}
	}
}

func timed(name string, status envelope.Status, rate, ms float64) envelope.Test {
	return envelope.Test{Key: envelope.Key{Test: name}, Status: status, DurationMS: &envelope.Spread{P50: envelope.Some(ms)},
		Rate: envelope.Rates{PerProtocol: &envelope.Rate{Value: rate}}}
}

// 1 s to 3 s lie on 262 pixels from 56 on; all that passed is at 10.
func TestTimePicture(t *testing.T) {
	e := &envelope.Envelope{Tests: []envelope.Test{timed("a", envelope.Pass, 1, 1000), timed("<b>", envelope.Fail, 0.5, 2000), timed("c", "new", 0, 3000)}}
	e.Policy.Threshold = some(0.75)
	p := timePicture(e)
	var got []string
	for _, m := range p.Chart.Marks {
		if m.Kind == "dot" {
			got = append(got, strings.ReplaceAll(m.Title, nbsp, " ")+" "+m.Class+" "+strings.SplitN(m.Path[1:], "m", 2)[0])
		}
	}
	want := []string{"a: 100 %, 1.0 s pass 56 10", "<b>: 50 %, 2.0 s fail 187 93", "c: 0 %, 3.0 s other 318 176"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("marks %q, want %q", got, want)
	}
	if at := places(p.Chart)["2"+nbsp+"s"]; at != "187 193 middle" {
		t.Errorf("the tick of 2 s is at %q", at)
	}
	if !strings.Contains(p.Chart.Words, "threshold 75") || len(p.Data.Rows) != 3 {
		t.Errorf("words %q, %d rows", p.Chart.Words, len(p.Data.Rows))
	}
}

// 262 pixels by 21 rates are 5,502 places, of which tests of 977 times have at most as many.
func TestManyTestsAreDots(t *testing.T) {
	e := &envelope.Envelope{}
	for i := range 20_000 {
		e.Tests = append(e.Tests, timed(fmt.Sprint(i), envelope.Pass, float64(i%21)/20, 100+float64(i%977)))
	}
	p := timePicture(e)
	dots := paths(p.Chart, "dot")
	if n := strings.Count(strings.Join(dots, ""), "M"); len(dots) != 1 || n < 5000 || n > 263*21 || p.Data != nil {
		t.Errorf("%d paths of %d dots", len(dots), n)
	}
}

func TestScattersThatAreNotDrawn(t *testing.T) {
	for _, c := range []struct {
		reason string
		tests  []envelope.Test
	}{
		{"two tests say no more than their rows", []envelope.Test{timed("a", envelope.Pass, 1, 1), timed("b", envelope.Pass, 1, 2)}},
		{"all of one time", []envelope.Test{timed("a", envelope.Pass, 1, 1), timed("b", envelope.Fail, 0, 1), timed("c", envelope.Fail, 0, 1)}},
		{"no times", []envelope.Test{{}, {}, {}}},
		{"numbers that are none", []envelope.Test{timed("a", envelope.Pass, 1, math.NaN()), timed("b", envelope.Fail, math.Inf(1), 1), timed("c", envelope.Fail, 1, math.Inf(1)), timed("d", envelope.Fail, 1, 3)}},
	} {
		if timePicture(&envelope.Envelope{Tests: c.tests}) != nil {
			t.Errorf("%s: it is drawn", c.reason)
		}
	}
}

// A logarithmic axis needs numbers above 0.
func TestScatterOfFreeTests(t *testing.T) {
	e := &envelope.Envelope{Tests: []envelope.Test{timed("a", envelope.Pass, 1, 0), timed("b", envelope.Fail, 0, 1e6), timed("c", envelope.Pass, 1, 1)}}
	for _, m := range timePicture(e).Chart.Marks {
		if strings.Contains(m.Path, "NaN") || strings.Contains(m.Path, "Inf") {
			t.Errorf("path %q", m.Path)
		}
	}
}

func TestSuitePicture(t *testing.T) {
	suites := []envelope.Suite{{Name: "fine", Counts: envelope.Counts{Tests: 4, Pass: 4}},
		{Name: "bad", Counts: envelope.Counts{Tests: 4, Fail: 1, Error: 1, Pass: 2}}, {Name: "open", Counts: envelope.Counts{Tests: 4, Inconclusive: 4}}}
	p := suitePicture(suites)
	// The worst first, 126 pixels for all tests of a suite: a quarter failed, a quarter errored.
	if got, want := paths(p.Chart, "column"), []string{
		"M118 5H149.5v13H118z", "M149.5 5H181v13H149.5z", "M181 5H244v13H181z", "M118 25H244v13H118z", "M118 45H244v13H118z"}; !reflect.DeepEqual(got, want) {
		t.Errorf("bars %q, want %q", got, want)
	}
	if got := places(p.Chart)["1 fail, 1 error"]; got != "252 15 start" {
		t.Errorf("the counts of the worst are at %q", got)
	}
	if suitePicture(suites[:1]) != nil {
		t.Error("one suite is drawn")
	}
	var many []envelope.Suite
	for i := range 30 {
		many = append(many, envelope.Suite{Name: fmt.Sprint(i), Counts: envelope.Counts{Tests: 1, Pass: 1}})
	}
	if p := suitePicture(many); len(paths(p.Chart, "column")) != suiteBars || len(p.Data.Rows) != 30 || !strings.Contains(p.Note, "20 more in the data") {
		t.Errorf("30 suites: %d bars, %d rows, note %q", len(paths(p.Chart, "column")), len(p.Data.Rows), p.Note)
	}
}

func ofVariant(variant string, k int, value float64) envelope.Metric {
	m := metricAt("pass_hat_k", k, value, value, value)
	m.Variant = variant
	return m
}

// k = 1 and 2 lie on 172 pixels: the names of the variants need room.
func TestVariantPicture(t *testing.T) {
	metrics := []envelope.Metric{metricAt("pass_hat_k", 1, 0.9, 0, 1), ofVariant("large", 1, 1), ofVariant("large", 2, 0.5), ofVariant("small", 1, 0.5), ofVariant("small", 2, 0)}
	p := variantPicture(metrics)
	lines := paths(p.Chart, "line")
	if got, want := lines[len(lines)-2:], []string{"M46 10 218 93", "M46 93 218 176"}; !reflect.DeepEqual(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	if got := places(p.Chart)["small"]; got != "226 174 start" {
		t.Errorf("the name of a line is at %q", got)
	}
	for _, c := range []struct {
		reason  string
		metrics []envelope.Metric
	}{
		{"one variant", metrics[:3]},
		{"other values of k", append(metrics[:4:4], ofVariant("small", 3, 0))},
		{"five are too many to tell apart", append(metrics[:5:5], ofVariant("c", 1, 0), ofVariant("d", 1, 0), ofVariant("e", 1, 0))},
	} {
		if variantPicture(c.metrics) != nil {
			t.Errorf("%s: it is drawn", c.reason)
		}
	}
}
