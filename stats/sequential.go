package stats

import (
	"fmt"
	"math"
)

// Decision is what a sequential test says after the trials it has seen.
type Decision int

// The three decisions. The zero value keeps sampling.
const (
	Undecided Decision = iota
	Pass
	Fail
)

// String returns "pass", "fail" or "inconclusive".
func (d Decision) String() string {
	switch d {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	}
	return "inconclusive"
}

// lowestRate is the smallest alternative hypothesis a gap can lead to.
const lowestRate = 0.01

// alternative returns the rate called bad: threshold - gap, at least 0.01.
func alternative(threshold, gap float64) float64 {
	return math.Max(lowestRate, threshold-gap)
}

// checkErrorRates reports error rates no sequential test can honour.
func checkErrorRates(alpha, beta float64) error {
	if !isLevel(alpha) {
		return fmt.Errorf("alpha is %v: it must lie between 0 and 1, both excluded", alpha)
	}
	if !isLevel(beta) {
		return fmt.Errorf("beta is %v: it must lie between 0 and 1, both excluded", beta)
	}
	return nil
}
