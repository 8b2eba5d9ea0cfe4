package html

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"tribunal/envelope"
)

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

func TestManyTestsAreBinned(t *testing.T) {
	e := &envelope.Envelope{}
	for i := range 10_000 {
		e.Tests = append(e.Tests, timed(fmt.Sprint(i), envelope.Pass, float64(i%21)/20, 100+float64(i%977)))
	}
	p := timePicture(e)
	dots, size, inTable := paths(p.Chart, "dot"), 0, 0
	for _, d := range dots {
		size += len(d)
	}
	for _, row := range p.Data.Rows {
		n := 0
		fmt.Sscan(strings.ReplaceAll(row[2].Text, ",", ""), &n)
		inTable += n
	}
	if len(dots) != 1 || size > 20_000 || len(p.Data.Rows) > (scatterRows+1)*scatterColumns || inTable != len(e.Tests) {
		t.Errorf("%d paths of %d bytes, %d rows with %d tests", len(dots), size, len(p.Data.Rows), inTable)
	}
	if !strings.Contains(p.Note, "10,000 tests are too many to draw each") {
		t.Errorf("the note %q does not say that it is binned", p.Note)
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
