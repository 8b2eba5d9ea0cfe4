package reliability

import "math"

// Reliability describes the counted trials of one test in canonical order.
// Everything but Runs is a percentage rounded to a whole number.
type Reliability struct {
	// Runs is the number of counted trials, at least 1.
	Runs int
	// PassAtK is 100 if any trial passed, else 0.
	PassAtK int
	// PassHatK is the last entry of Curve.
	PassHatK int
	// AllPassed is 100 if every trial passed, else 0.
	AllPassed int
	// VarianceAmplification is the population deviation of the 0/1 outcomes
	// relative to its maximum of 0.5: 0 always the same, 100 a coin.
	VarianceAmplification int
	// GracefulDegradation weights trial i by i, so that late passes count
	// more than early ones.
	GracefulDegradation int
	// Curve is the pass rate of the first k trials to the power k, k = 1..Runs.
	Curve []int
}

// Of returns the reliability of one test from its outcomes, true for a pass,
// in canonical order. Without outcomes there is nothing to report, and ok is
// false: an absent reliability is not a reliability of zero.
func Of(outcomes []bool) (r Reliability, ok bool) {
	n := len(outcomes)
	if n == 0 {
		return Reliability{}, false
	}
	passed := count(outcomes)
	curve := DecayCurve(outcomes)
	return Reliability{
		Runs:                  n,
		PassAtK:               percentIf(passed > 0),
		PassHatK:              curve[n-1],
		AllPassed:             percentIf(passed == n),
		VarianceAmplification: VarianceAmplification(passed, n),
		GracefulDegradation:   GracefulDegradation(outcomes),
		Curve:                 curve,
	}, true
}

// GracefulDegradation returns 100 sum(i pass_i) / sum(i), i = 1..n, rounded
// half up, in integers. It is 0 without outcomes.
func GracefulDegradation(outcomes []bool) int {
	n := int64(len(outcomes))
	if n == 0 {
		return 0
	}
	var weighted int64
	for i, pass := range outcomes {
		if pass {
			weighted += int64(i) + 1
		}
	}
	total := n * (n + 1) / 2
	return int((200*weighted + total) / (2 * total))
}

// VarianceAmplification returns 100 sd / 0.5, sd the population deviation of
// passed ones among n, rounded half away from zero. It is 0 for n < 1 or a
// count outside 0..n.
func VarianceAmplification(passed, n int) int {
	if n < 1 || passed < 0 || passed > n {
		return 0
	}
	// sd/0.5 = 2 sqrt(passed failed) / n. The float is within an ulp or two of
	// the truth, so only its neighbour can be the answer instead.
	guess := int(math.Round(200 * math.Sqrt(float64(passed)*float64(n-passed)) / float64(n)))
	for guess > 0 && !reachesHalfBelow(guess, passed, n) {
		guess--
	}
	for reachesHalfBelow(guess+1, passed, n) {
		guess++
	}
	return guess
}

func count(outcomes []bool) int {
	passed := 0
	for _, pass := range outcomes {
		if pass {
			passed++
		}
	}
	return passed
}

func percentIf(yes bool) int {
	if yes {
		return 100
	}
	return 0
}
