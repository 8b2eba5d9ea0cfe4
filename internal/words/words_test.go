package words

import (
	"math"
	"testing"
)

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		in           float64
		want, reason string
	}{
		{0, "0", "none"}, {1, "100", "all"}, {0.5, "50", "half"}, {2. / 3, "67", "rounded"}, {0.999, "99.9", "999 of 1000 is not all"},
		{0.99999, ">99.9", "closer than a decimal"}, {0.001, "0.1", "1 of 1000 is not none"}, {0.00001, "<0.1", "closer than a decimal"},
		{1 - 1e-15, "100", "1 but for the last bit"}, {1e-17, "0", "0 but for the last bit"}, {0.996, "99.6", "not rounded up to all"},
		{-0.5, "-50", "out of range is shown as it is"}, {math.NaN(), "?", "no number"}, {math.Inf(1), "?", "no number"},
	} {
		if got := Percent(c.in); got != c.want {
			t.Errorf("%s: Percent(%v) = %q, want %q", c.reason, c.in, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want, reason string }{
		{Count(0), "0", "zero"}, {Count(999), "999", "below a thousand"}, {Count(1000), "1,000", "a thousand"},
		{Count(-1234567), "-1,234,567", "negative"}, {Count(int64(math.MinInt64)), "-9,223,372,036,854,775,808", "the smallest"},
		{Duration(0), "0 ms", "zero"}, {Duration(0.25), "0.25 ms", "two digits"}, {Duration(9.96), "10 ms", "no 10.0"}, {Duration(999.4), "999 ms", "below a second"},
		{Duration(999.6), "1.0 s", "rounds up to a second"}, {Duration(59_949), "59.9 s", "below a minute"}, {Duration(59_960), "1m00s", "rounds up to a minute"},
		{Duration(3_599_600), "1h00m", "rounds up to an hour"}, {Duration(172_800_000), "2d00h", "two days"}, {Duration(math.NaN()), "?", "no number"}, {Duration(1e300), "?", "no time"},
		{Dollars(0), "$0", "free"}, {Dollars(0.1), "$0.10", "cents"}, {Dollars(0.0042), "$0.0042", "two digits below a cent"}, {Dollars(0.01), "$0.01", "a cent"},
		{Dollars(0.0996), "$0.10", "rounds up to cents"}, {Dollars(1234.5), "$1,234.50", "thousands"}, {Dollars(-2), "-$2.00", "negative"}, {Dollars(1e-9), "<$0.000001", "next to nothing"},
		{Dollars(math.Inf(1)), "?", "no amount"},
		{Probability(0.0107), "0.0107", "three digits"}, {Probability(0.21044), "0.21", "no zeros at the end"}, {Probability(1.234e-9), "1.23e-09", "next to nothing"},
		{Probability(1), "1", "the most"}, {Probability(math.NaN()), "?", "no number"},
		{Short(0.2149), "0.21", "a correlation"}, {Short(9.996), "10.0", "one decimal from ten"}, {Short(99.96), "100", "none from a hundred"},
		{Short(12345.6), "12,346", "thousands"}, {Short(-0.05), "-0.05", "negative"}, {Short(math.Inf(1)), "?", "no number"},
		{Plural(1, "test", "tests"), "1 test", "one"}, {Plural(0, "test", "tests"), "0 tests", "none are many"}, {Plural(1750, "trial", "trials"), "1,750 trials", "thousands"},
		{Tenths(0.42), "42", "84 of 200"}, {Tenths(1.0 / 3), "33.3", "one decimal is enough"}, {Tenths(1), "100", "all is all"}, {Tenths(0.99999), ">99.9", "one failure in 100,000 is not all"},
		{Tenths(0), "0", "none is none"}, {Tenths(0.00001), "<0.1", "one pass in 100,000 is not none"}, {Tenths(math.NaN()), "NaN", "what is not a number does not look like one"},
		{Of(999, 1000, "trial", "trials"), "999 of 1,000 trials", "thousands on the side that has them"}, {Of(0, 1, "trial", "trials"), "0 of 1 trial", "one"}, {Verb(1, "fails", "fail"), "fails", "one"}, {Verb(0, "fails", "fail"), "fail", "none"},
		{Number(0.8 - 0.1), "0.7", "the decimal that was meant"}, {Number(0.95), "0.95", "as given"}, {Number(1e300), "1e+300", "too long to write out"},
		{Distinct(0.900332, 'f', 3, 0.9), "0.9003", "three digits would be the other number"}, {Distinct(0.8997, 'f', 3, 0.9), "0.8997", "from below"},
		{Distinct(0.9, 'f', 3, 0.9), "0.900", "is the other number"}, {Distinct(0.5, 'f', 3, 0.9), "0.500", "far from it"},
		{FromTo(0.900332, 0.99202, 0.9), "0.9003 to 0.992", "each end in the digits it needs"},
		{PercentFromTo(0.3007, 0.9544, 0.9), "30.1 to 95.4 %", "in percent"},
		{PercentFromTo(0.900332, 0.99202, 0.9), "90.03 to 99.2 %", "in percent, each end in the digits it needs"},
		{PercentFromTo(0, 1, 0.07), "0.0 to 100.0 %", "in percent, from none to all"},
		{Head("abc", 3), "abc", "fits"}, {Head("aäb", 2), "a…", "no half of a character"},
		{Lead("one two three", 20), "one two three", "fits"}, {Lead("one two three", 10), "one two…", "no half of a word"},
		{Lead("one two\nthree", 10), "one two…", "a line ends a word"}, {Lead("a longword", 8), "a longwo…", "a word that is most of the text is cut"},
		{Level(0.95), "95 %", "whole"}, {Level(0.999), "99.9 %", "with a decimal"}, {Fraction(0.9), "0.90", "two decimals"}, {Fraction(0.995), "0.995", "three"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
}
