package plan

import (
	"cmp"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/stats"
)

// Judge says how well the pass rate of a run can be known whose judge errs, by how many
// of its trials people label.
type Judge struct {
	Sensitivity float64       `json:"sensitivity"`
	Specificity float64       `json:"specificity"`
	Rate        float64       `json:"rate"` // the true one
	Seen        float64       `json:"seen"` // what the judge makes of it
	Confidence  float64       `json:"confidence"`
	Designs     []JudgeDesign `json:"designs"` // the planned one first, then without labels, with more of them, with more trials
}

// JudgeDesign is so many trials of which so many are labelled, at random, and half the
// length of each interval of the pass rate when all comes out as expected.
type JudgeDesign struct {
	Labels int    `json:"labels"`
	Trials int    `json:"trials"`
	Effort Effort `json:"effort"`
	// Own is of the judge's own rate: however short, it lies about Seen and not Rate.
	Own         float64               `json:"own"`
	RoganGladen envelope.Opt[float64] `json:"rogan_gladen,omitzero"`
	Powered     envelope.Opt[float64] `json:"prediction_powered,omitzero"`
	LabelsAlone envelope.Opt[float64] `json:"labels_alone,omitzero"`
}

// Off is how far the judge's own rate is from the true one.
func (j *Judge) Off() float64 { return math.Abs(j.Seen - j.Rate) }

// judgedTrials is how many trials a run has whose trials nobody gave.
const judgedTrials = 200

// judge answers what labels buy.
func (q Question) judge() *Judge {
	j := &Judge{Sensitivity: q.Judge[0], Specificity: q.Judge[1], Rate: q.Expect.Or(0.5), Confidence: q.Confidence}
	j.Seen = digits(j.Rate*j.Sensitivity + (1-j.Rate)*(1-j.Specificity))
	labels, trials := q.Labels.V, q.Trials.Or(judgedTrials)
	for _, d := range [][2]int{{labels, trials}, {0, trials}, {2 * labels, trials}, {4 * labels, trials}, {labels, 2 * trials}, {labels, 4 * trials}} {
		if d[0] < d[1] {
			j.Designs = append(j.Designs, q.labelling(j, d[0], d[1]))
		}
	}
	return j
}

func (q Question) labelling(j *Judge, labels, trials int) JudgeDesign {
	d := JudgeDesign{Labels: labels, Trials: trials, Effort: q.effort(trials)}
	half := func(lo, hi float64) float64 { return digits((hi - lo) / 2) }
	d.Own = half(stats.Wilson(int(math.Round(float64(trials)*j.Seen)), trials, stats.ConventionalZ(j.Confidence)))
	if labels == 0 {
		return d
	}
	of := expected(j, labels)
	rest := trials - labels
	passed := int(math.Round(float64(rest) * j.Seen))
	x := stats.RoganGladenRate(passed, rest, of, j.Confidence)
	d.RoganGladen = known(half(x.Lo, x.Hi))
	p := stats.PPIRate(passed, rest, of, j.Confidence)
	d.Powered = known(half(p.Lo, p.Hi))
	d.LabelsAlone = known(half(stats.Wilson(of.Positives(), labels, stats.ConventionalZ(j.Confidence))))
	return d
}

// expected are labels as they come out on average, in whole ones: what is left of
// rounding down goes where most was cut off.
func expected(j *Judge, labels int) stats.Judged {
	n := float64(labels)
	shares := []float64{j.Rate * j.Sensitivity, (1 - j.Rate) * (1 - j.Specificity), j.Rate * (1 - j.Sensitivity), (1 - j.Rate) * j.Specificity}
	counts, order, left := make([]int, 4), []int{0, 1, 2, 3}, labels
	for i, share := range shares {
		counts[i] = int(n*share + 1e-9)
		left -= counts[i]
	}
	cutOff := func(i int) float64 { return math.Round((n*shares[i]-float64(counts[i]))*1e9) / 1e9 }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cutOff(b), cutOff(a)) })
	for _, i := range order[:max(0, left)] {
		counts[i]++
	}
	return stats.Judged{BothPass: counts[0], JudgeOnly: counts[1], TruthOnly: counts[2], Neither: counts[3]}
}
