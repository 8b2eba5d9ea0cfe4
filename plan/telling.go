package plan

import (
	"math"

	"tribunal/envelope"
	"tribunal/stats"
)

// Gap is a difference of mean pass rates over the same tests that was seen and is not
// sure yet.
type Gap struct {
	Difference float64
	// Variance is that of the difference, Within the part of it that more trials of the
	// same tests make smaller; the rest is how far the tests differ.
	Variance, Within float64
	Groups           int // of tests, that the variance was estimated from
	Tests, Trials    int // of each side
	Alpha, Power     float64
}

// Telling is what would make the difference sure with the power asked for, if it goes
// on as seen: so many more trials a side, spread evenly over the tests, or so many more
// tests like these. Either is absent where no number would do, or more than a million.
type Telling struct {
	Trials envelope.Opt[int] `json:"trials,omitzero"`
	Tests  envelope.Opt[int] `json:"tests,omitzero"`
}

// Telling answers by the normal approximation, with Student's t for the groups:
//
//	Variance - Within + Within/m <= (Difference / (t + z(power)))^2
//
// for m times the trials, and Variance/m for m times the tests.
func (g Gap) Telling() Telling {
	var out Telling
	if g.Difference == 0 || g.Tests < 1 || g.Trials < 1 {
		return out
	}
	between := math.Max(0, g.Variance-g.Within)
	if room := g.bound(g.Groups) - between; room > 0 {
		each := math.Ceil((g.Within/room - 1) * float64(g.Trials) / float64(g.Tests))
		if more := math.Max(1, each) * float64(g.Tests); more <= mostTrials {
			out.Trials = envelope.Some(int(more))
		}
	}
	size := float64(g.Tests) / float64(max(1, g.Groups)) // tests of a group
	variance := math.Max(g.Variance, g.Within)
	for groups := max(1, g.Groups) + 1; float64(groups)*size <= mostTrials; groups += 1 + groups/1000 {
		if variance*float64(max(1, g.Groups))/float64(groups) <= g.bound(groups) {
			out.Tests = envelope.Some(int(math.Ceil(float64(groups)*size)) - g.Tests)
			break
		}
	}
	return out
}

// bound is the variance with which the difference is seen.
func (g Gap) bound(groups int) float64 {
	quantile := stats.Z(1 - g.Alpha)
	if groups > 1 {
		quantile = stats.StudentT(1-g.Alpha, groups-1)
	}
	root := g.Difference / (quantile + stats.Z(2*g.Power-1))
	return root * root
}
