package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Z returns the two-sided standard normal quantile for a confidence level:
// the z for which P(|N(0,1)| <= z) = confidence, so Z(0.95) = 1.959963985.
// It is NaN unless 0 < confidence < 1.
func Z(confidence float64) float64 {
	if !isLevel(confidence) {
		return math.NaN()
	}
	return -mathext.NormalQuantile((1 - confidence) / 2)
}

// ConventionalZ returns the rounded values every textbook prints, 1.645, 1.96
// and 2.576 at 0.90, 0.95 and 0.99, and the exact quantile [Z] everywhere else.
// Published tables and planning formulas (385 runs for 5 % at 95 %) use these
// rounded values, so verdicts that should agree with them do too.
// It is NaN unless 0 < confidence < 1.
func ConventionalZ(confidence float64) float64 {
	switch math.Round(confidence*1e9) / 1e9 {
	case 0.90:
		return 1.645
	case 0.95:
		return 1.96
	case 0.99:
		return 2.576
	}
	return Z(confidence)
}

// isLevel reports whether x is a probability strictly between 0 and 1.
func isLevel(x float64) bool { return x > 0 && x < 1 }

// errConfidence says what a confidence level must be.
func errConfidence(confidence float64) error {
	return fmt.Errorf("confidence is %v: it must lie between 0 and 1, both excluded", confidence)
}

// isRate reports whether x is a probability, its ends included.
func isRate(x float64) bool { return x >= 0 && x <= 1 }

// isCount reports whether passed can be the number of passes among trials.
func isCount(passed, trials int) bool { return passed >= 0 && passed <= trials }
