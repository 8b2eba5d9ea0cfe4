package stats

import "fmt"

// PairedE are two e-processes over the discordant pairs of trials of two variants,
// one for the candidate being better, one for its being worse. q is the chance that
// of the two the candidate passed. With a margin, better is q above
// (1+Margin)/2 and worse q below (1-Margin)/2. Each is the likelihood averaged over
// its side, over that at the edge; so by Ville's inequality it ever reaches 1/alpha
// with probability at most alpha where its side is not true, however often one
// looks. In points of pass rate the difference is (2q-1) times the share of pairs
// that are discordant.
type PairedE struct{ Margin float64 }

// NewPairedE returns the processes; it is an error unless -1 < margin < 1.
func NewPairedE(margin float64) (PairedE, error) {
	if !(margin > -1 && margin < 1) {
		return PairedE{}, fmt.Errorf("margin is %v: it must lie between -1 and 1, both excluded", margin)
	}
	return PairedE{margin}, nil
}

// PairedEvidence are the log e-values after some discordant pairs.
type PairedEvidence struct{ LogBetter, LogWorse float64 }

// edges are the processes of a pass rate of q, whose failing is being worse.
func (p PairedE) edges() Anytime {
	return Anytime{P0: (1 - p.Margin) / 2, P1: (1 + p.Margin) / 2}
}

// LogE returns the evidence after pairs that only the candidate, and only the base,
// passed. Their order does not matter.
func (p PairedE) LogE(candidate, base int) PairedEvidence {
	e := p.edges().LogE(candidate, base)
	return PairedEvidence{LogBetter: e.LogPass, LogWorse: e.LogFail}
}

// Path returns the evidence after each discordant pair, true where only the
// candidate passed.
func (p PairedE) Path(candidate []bool) []PairedEvidence {
	path := make([]PairedEvidence, len(candidate))
	for i, e := range p.edges().Path(candidate) {
		path[i] = PairedEvidence{LogBetter: e.LogPass, LogWorse: e.LogFail}
	}
	return path
}
