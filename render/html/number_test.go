package html

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct{ got, want, reason string }{
		{percent(0.42), "42 %", "84 of 200, the sample everybody knows"},
		{percent(1.0 / 3), "33.3 %", "one decimal is enough"},
		{percent(1), "100 %", "all is all"},
		{percent(0.99999), ">99.9 %", "one failure in 100,000 is not all"},
		{percent(0), "0 %", "none is none"},
		{percent(0.00001), "<0.1 %", "one pass in 100,000 is not none"},
		{percent(math.NaN()), "NaN %", "what is no number must not panic or look like one"},
		{span(0.046, 0.699), "4.6 to 69.9 %", "the unit once"},
		{span(0.42, 0.42), "42 %", "nothing lies between equal ends"},
		{count(1234567), "1,234,567", "thousands apart"},
		{count(-1234), "-1,234", "a sign is no digit"},
		{count(math.MinInt64), "-9,223,372,036,854,775,808", "the one number without a positive twin"},
		{number(0.9), "0.9", "no zeros at the end"},
		{number(0.0123456), "0.01235", "four digits that count"},
		{number(-2.5), "-2.5", "a log-likelihood ratio may be negative"},
		{number(123456.7), "123,457", "large numbers need no decimals"},
		{number(1e300), "1e+300", "what fits no integer"},
		{duration(0), "0 ms", "a trial may take no time"},
		{duration(0.25), "0.25 ms", "below a millisecond"},
		{duration(801.4), "801 ms", "three digits"},
		{duration(1234), "1.23 s", "seconds"},
		{duration(754_321), "12 min 34 s", "minutes"},
		{duration(3_600_000), "1 h 00 min", "an hour"},
		{duration(90_061_000), "25 h 01 min", "no days: jobs are compared in hours"},
		{duration(math.Inf(1)), "+Inf ms", "no integer holds it"},
		{dollars(0), "$0", "known to be free"},
		{dollars(1234.5), "$1,234.50", "cents"},
		{dollars(0.0184), "$0.018", "tenths of a cent"},
		{dollars(0.00042), "$0.00042", "two digits that count"},
	} {
		if got := strings.ReplaceAll(c.got, nbsp, " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// The axis of charts.html starts at 5 and is 130 long.
func TestPlotCoordinates(t *testing.T) {
	for _, c := range []struct {
		v            float64
		want, reason string
	}{
		{0, "5", "the left end"},
		{0.5, "70", "5 + 65"},
		{1, "135", "the right end"},
		{-0.1, "", "off the axis on the left"},
		{1.1, "", "off the axis: a threshold of scores may be"},
		{math.NaN(), "", "no place at all"},
	} {
		if got := at(c.v); got != c.want {
			t.Errorf("%s: at(%v) = %q, want %q", c.reason, c.v, got, c.want)
		}
	}
	if got := intervalPath(0, 1); got != "M5 9H135" {
		t.Errorf("the whole axis is %q", got)
	}
}

func TestStrips(t *testing.T) {
	for _, c := range []struct {
		strip, want string
		whole       bool
		reason      string
	}{
		{"", "", true, "a test without trials"},
		{"PPFXES", "PP/F/X/E/S", true, "equal neighbours share an element"},
		{strings.Repeat("P", 34), strings.Repeat("P", 34), true, "leaving out two letters would save nothing"},
		{strings.Repeat("P", 35) + "F", strings.Repeat("P", 24) + "/ +4 /" + strings.Repeat("P", 7) + "/F", false, "both ends of a long strip"},
	} {
		all := make(envelope.Outcomes, len(c.strip))
		for i := range c.strip {
			all[i] = envelope.Outcome(c.strip[i])
		}
		got, whole := shortStrip(all)
		var parts []string
		for _, l := range got {
			parts = append(parts, l.Letters)
		}
		if joined := strings.Join(parts, "/"); joined != c.want || whole != c.whole {
			t.Errorf("%s: got %q, %v", c.reason, joined, whole)
		}
	}
}

func TestBarPartsFillTheBar(t *testing.T) {
	b := newBar(envelope.Counts{Tests: 3, Fail: 1, Pass: 2})
	want := []barPart{{"fail", "0", "333.3"}, {"pass", "333.3", "666.7"}}
	if len(b.Parts) != 2 || b.Parts[0] != want[0] || b.Parts[1] != want[1] {
		t.Errorf("got %v, want %v", b.Parts, want)
	}
	if newBar(envelope.Counts{}) != nil {
		t.Error("no tests have no bar")
	}
}
