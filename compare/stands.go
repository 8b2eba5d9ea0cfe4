package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/stats"
)

func (s State) changed() bool { return s == Regressed || s == Improved }

// standsUpTo is the correlation of the trials of a run above which the finding would
// not stand, when it does up to a variance that is larger by a factor. A pair that is
// alike on both sides varies less in its difference than two independent trials, and a
// shared fate of a run more in comparison.
func (f *Finding) standsUpTo(factor float64, base, candidate Trials) envelope.Opt[float64] {
	n1, n2, share := base.N, candidate.N, 1.
	if f.Difference.ofScores() {
		share = f.share
	}
	if p := f.Pairs; p != nil {
		n1, n2 = p.N(), p.N()
	}
	if p := f.Pairs; p != nil && !f.Difference.ofScores() {
		rate := float64(2*p.Both+p.Base+p.Candidate) / float64(2*p.N())
		share = float64(p.discordant()) / float64(p.N()) / (2 * rate * (1 - rate))
	}
	return finite(stats.UndoingICC(factor, share, n1, n2))
}

// undoing says what would undo the finding, "" where that is not known.
func (f *Finding) undoing() string {
	if !f.StandsUpTo.OK {
		return ""
	}
	return "; holds unless trials of a run correlate above " + floored(f.StandsUpTo.V)
}

// floored is a correlation with two digits that mean something, not rounded up.
func floored(icc float64) string {
	if icc <= 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(icc))-1)
	return strconv.FormatFloat(math.Floor(icc/unit+1e-9)*unit, 'g', 2, 64)
}

// widen widens the interval of a finding to that of an estimate, and raises its p-value
// to that one's.
func (f *Finding) widen(e stats.DifferenceEstimate, method string) {
	if !(e.DF > 0) {
		return
	}
	if d := f.Difference; e.Lo < d.Lo || e.Hi > d.Hi {
		d.Method = method
		d.Lo, d.Hi = math.Min(d.Lo, e.Lo), math.Max(d.Hi, e.Hi)
		if !d.outside {
			d.Lo, d.Hi = math.Max(-1, d.Lo), math.Min(1, d.Hi)
		}
	}
	if e.P > f.PValue.V {
		f.PValue, f.Method = envelope.Some(e.P), MethodStudent
	}
}

// words say where the variance between runs is from, and how large it is.
func (b *Between) words() string {
	if b == nil {
		return ""
	}
	from := fmt.Sprintf("the %d runs of base and %d of the candidate", b.BaseRuns, b.CandidateRuns)
	if b.From == BetweenHistory {
		from = fmt.Sprintf("%d runs of the history", b.Runs)
	}
	uneven := ""
	if b.uneven {
		uneven = "; one run has nearly all trials, so that hardly any change can be shown"
	}
	return fmt.Sprintf("; accounts for run-to-run variance, from %s: trials of a test correlate by %s within a run (%d degrees of freedom)", from, strconv.FormatFloat(b.ICC, 'f', 3, 64), b.DF) + uneven
}

// mostListed is how many tests such a line names.
const mostListed = 5

// StandsWords say what would undo the changes of single tests, or of a sequential
// comparison when they were decided; "" where nothing would, or where it is known how
// runs vary.
func (c *Contrast) StandsWords() string {
	undone := c.listed("Changes stand unless trials of a run correlate above: ", func(t *Test) string {
		if !t.StandsUpTo.OK {
			return ""
		}
		return t.Key.RunnerName() + " " + floored(t.StandsUpTo.V)
	})
	if undone != "" {
		return undone
	}
	return c.listed("Decided after: ", func(t *Test) string {
		if t.DecidedAfter == 0 {
			return ""
		}
		return t.Key.RunnerName() + " " + words.Plural(t.DecidedAfter, "pair", "pairs")
	})
}

// listed is what there is to say of tests, of the first ones by rank in full; "" where
// it is of none.
func (c *Contrast) listed(title string, say func(*Test) string) string {
	var parts []string
	more := 0
	for _, t := range c.Ranked() {
		switch said := say(t); {
		case said == "":
		case len(parts) < mostListed:
			parts = append(parts, said)
		default:
			more++
		}
	}
	if len(parts) == 0 {
		return ""
	}
	s := title + strings.Join(parts, ", ")
	if more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
