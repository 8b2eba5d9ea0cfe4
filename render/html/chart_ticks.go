package html

import "math"

// ticks are the numbers at an axis: few, round, and within lo and hi.

// steps are the parts of a power of ten that read well.
var steps = []float64{1, 2, 5, 10}

// timeSteps are those of milliseconds from half a minute on.
var timeSteps = []float64{30e3, 60e3, 120e3, 300e3, 600e3, 1800e3, 3600e3, 7200e3, 18000e3, 36000e3}

// tickStep is the smallest round distance that gives at most most ticks.
func tickStep(lo, hi float64, most int) float64 {
	rough := (hi - lo) / float64(most)
	power := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, s := range steps {
		if s*power >= rough {
			return s * power
		}
	}
	return 10 * power
}

// timeStep is tickStep for milliseconds, where minutes have sixty seconds.
func timeStep(lo, hi float64, most int) float64 {
	rough := (hi - lo) / float64(most)
	if rough > 20e3 {
		for _, s := range timeSteps {
			if s >= rough {
				return s
			}
		}
	}
	return tickStep(lo, hi, most)
}

// every lists the multiples of step from lo to hi.
func every(step, lo, hi float64) []float64 {
	if !(step > 0) || !finite(lo/step) || !finite(hi/step) {
		return nil
	}
	var out []float64
	for i := math.Ceil(lo/step - 1e-9); i <= hi/step+1e-9 && len(out) < 20; i++ {
		out = append(out, round(i*step, 12))
	}
	return out
}

// roundNumbers and roundTimes are the numbers that read well on an axis that is
// a logarithm: 1, 2 and 5 times the powers of ten; of times those in the units
// people use.
var (
	roundNumbers = decades(-9, 9)
	roundTimes   = append(decades(-6, 4)[:32], 30e3, 60e3, 120e3, 300e3, 600e3, 1200e3, 1800e3, 3600e3, 7200e3, 18e6, 36e6, 72e6, 18e7, 36e7)
)

// decades lists 1, 2 and 5 times the powers of ten from from to to.
func decades(from, to int) []float64 {
	var out []float64
	for e := from; e <= to; e++ {
		for _, s := range steps[:3] {
			out = append(out, round(s*math.Pow10(e), 6))
		}
	}
	return out
}

// logTicks are at most most of some round numbers that lie within lo and hi:
// all, every third one, and so on, which leaves powers of ten of 1, 2 and 5.
func logTicks(all []float64, lo, hi float64, most int) []float64 {
	for step := 1; step <= len(all); step *= 3 {
		var out []float64
		for i := 0; i < len(all); i += step {
			if all[i] >= lo && all[i] <= hi {
				out = append(out, all[i])
			}
		}
		if len(out) <= most {
			return out
		}
	}
	return nil
}

// tickTime is a time at an axis: whole seconds, minutes and hours without a rest.
func tickTime(ms float64) string {
	switch {
	case ms >= 3600e3 && math.Mod(ms, 3600e3) == 0:
		return number(ms/3600e3) + nbsp + "h"
	case ms >= 60e3 && math.Mod(ms, 60e3) == 0:
		return number(ms/60e3) + nbsp + "min"
	case ms >= 1e3 && ms < 60e3 && math.Mod(ms, 1e3) == 0:
		return number(ms/1e3) + nbsp + "s"
	}
	return duration(ms)
}
