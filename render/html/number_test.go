package html

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
)

func TestNumbersForPeople(t *testing.T) {
	for _, c := range []struct{ got, want, reason string }{
		{percent(0.421), "42.1 %", "a page has room for a decimal"},
		{span(0.046, 0.699), "4.6 to 69.9 %", "the unit once"},
		{span(0.42, 0.42), "42 %", "nothing lies between equal ends"},
		{number(0.9), "0.9", "no zeros at the end"},
		{number(0.0123456), "0.01235", "four digits that count"},
		{number(-2.5), "-2.5", "a log-likelihood ratio may be negative"},
		{number(123456.7), "123,457", "large numbers need no decimals"},
		{number(1e300), "1e+300", "what fits no integer"},
		{duration(1234), "1.2 s", "a unit stays with its number"},
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
