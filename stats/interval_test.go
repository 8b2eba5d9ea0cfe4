package stats

import (
	"math"
	"testing"
)

// The example of Newcombe (1998), Statistics in Medicine 17, 857-872, table I:
// 81 of 263 and its neighbours, printed to four places.
func TestIntervalsNewcombeTable(t *testing.T) {
	z := Z(0.95)
	for _, c := range []struct {
		name           string
		lo, hi         float64
		wantLo, wantHi float64
	}{
		{"wald 81/263", first(Wald(81, 263, z)), second(Wald(81, 263, z)), 0.2522, 0.3638},
		{"wilson 81/263", first(Wilson(81, 263, z)), second(Wilson(81, 263, z)), 0.2553, 0.3662},
		{"exact 81/263", first(ClopperPearson(81, 263, 0.95)), second(ClopperPearson(81, 263, 0.95)), 0.2527, 0.3676},
		{"wilson 15/148", first(Wilson(15, 148, z)), second(Wilson(15, 148, z)), 0.0624, 0.1605},
		{"exact 15/148", first(ClopperPearson(15, 148, 0.95)), second(ClopperPearson(15, 148, 0.95)), 0.0578, 0.1617},
		{"wilson 0/20", first(Wilson(0, 20, z)), second(Wilson(0, 20, z)), 0, 0.1611},
		{"exact 0/20", first(ClopperPearson(0, 20, 0.95)), second(ClopperPearson(0, 20, 0.95)), 0, 0.1684},
		{"wilson 1/29", first(Wilson(1, 29, z)), second(Wilson(1, 29, z)), 0.0061, 0.1718},
		{"exact 1/29", first(ClopperPearson(1, 29, 0.95)), second(ClopperPearson(1, 29, 0.95)), 0.0009, 0.1776},
	} {
		near(t, c.name+" lo", c.lo, c.wantLo, 0.00006, "published table")
		near(t, c.name+" hi", c.hi, c.wantHi, 0.00006, "published table")
	}
}

func first(x, _ float64) float64  { return x }
func second(_, x float64) float64 { return x }

// Where the answer is a power, no table is needed.
func TestIntervalEnds(t *testing.T) {
	lo, hi := ClopperPearson(10, 10, 0.95)
	near(t, "exact 10/10 lo", lo, math.Pow(0.025, 0.1), 1e-14, "p^10 = 0.025")
	near(t, "exact 10/10 hi", hi, 1, 0, "nothing failed")
	lo, hi = BetaMixtureCS(1, 1, 0.95)
	near(t, "sequence 1/1 lo", lo, 0.025, 1e-14, "the mixture of one pass is 1/2 against p")
	near(t, "sequence 1/1 hi", hi, 1, 0, "nothing failed")
	lo, hi = Jeffreys(0, 0, 0.95)
	if lo != 0 || hi != 1 {
		t.Errorf("jeffreys 0/0 = %v..%v, want everything", lo, hi)
	}
}

func TestConventionalZ(t *testing.T) {
	for confidence, want := range map[float64]float64{
		0.90: 1.645, 0.95: 1.96, 0.99: 2.576, math.Nextafter(0.95, 1): 1.96,
		0.8: 1.2815515655446004, 0.999: 3.2905267314919255,
	} {
		near(t, "ConventionalZ", ConventionalZ(confidence), want, 1e-12, "textbook values, exact quantiles elsewhere")
	}
}

// Odd arguments are answered with NaN, never with a panic or a number.
func TestOutOfRangeIsNaN(t *testing.T) {
	nan := math.NaN()
	for name, got := range map[string]float64{
		"Z(0)":                 Z(0),
		"Z(1)":                 Z(1),
		"Z(95)":                Z(95),
		"Z(NaN)":               Z(nan),
		"ConventionalZ(95)":    ConventionalZ(95),
		"Wald(1,0)":            first(Wald(1, 0, 2)),
		"Wald(0,0)":            first(Wald(0, 0, 2)),
		"Wald(-1,5)":           first(Wald(-1, 5, 2)),
		"Wilson(6,5)":          second(Wilson(6, 5, 2)),
		"Wilson z NaN":         second(Wilson(3, 5, nan)),
		"ClopperPearson(6,5)":  first(ClopperPearson(6, 5, 0.95)),
		"ClopperPearson conf":  first(ClopperPearson(3, 5, 1)),
		"Jeffreys conf":        first(Jeffreys(3, 5, 0)),
		"BetaMixtureCS(-1,1)":  first(BetaMixtureCS(-1, 1, 0.5)),
		"PBelow threshold":     BinomialPBelow(1, 2, 1.5),
		"PAbove count":         BinomialPAbove(3, 2, 0.5),
		"Bayes threshold":      BayesProbAtLeast(1, 2, nan),
		"StudentT df":          StudentT(0.95, 0),
		"NormalHalfWidth runs": NormalHalfWidth(0, 1.96, 0.5),
		"McNemarExact":         McNemarExact(-1, 2),
		"McNemarMidP":          McNemarMidP(1, -2),
		"McNemarChi2":          McNemarChi2(-1, -1),
		"FisherExact":          FisherExact(3, 2, 1, 1),
		"mean of nothing":      first(MeanDeviation(nil)),
		"deviation of one":     second(MeanDeviation([]float64{3})),
		"Newcombe empty":       second(second3(NewcombeDifference(0, 0, 1, 2, 1.96))),
		"Newcombe impossible":  first(second3(NewcombeDifference(1, 2, 3, 2, 1.96))),
		"Clopper negative n":   first(ClopperPearson(0, -1, 0.95)),
		"Wilson negative z":    first(Wilson(1, 2, -1)),
		"StudentT confidence":  StudentT(1, 3),
		"Bayes negative count": BayesProbAtLeast(-1, 2, 0.5),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want NaN", name, got)
		}
	}
}

func second3(_, a, b float64) (float64, float64) { return a, b }
