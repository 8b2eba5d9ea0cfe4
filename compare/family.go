package compare

import (
	"math"
	"slices"

	"tribunal/envelope"
)

// adjustRates adjusts the p-values of all differences of pass rates over those
// that could reach alpha at all. That could is decided by the number of
// discordant pairs, or of passes in both samples together, which the exact tests
// take as given; so leaving the others out keeps every error rate, and tests
// with too few trials make it no harder for the rest.
//
// Looked at while trials come, the family is fixed: the tests of the base, for each candidate,
// with a p-value of 1 while they have no pair. New tests and late ones are no members.
//
// R. E. Tarone, Biometrics 46 (1990) 515-522; P. B. Gilbert, J. R. Stat. Soc. C
// 54 (2005) 143-158.
func adjustRates(matches []match, members int, o Options) (asked, able int) {
	p := make([]float64, len(matches))
	for i, m := range matches {
		p[i] = math.NaN()
		if !m.PValue.OK || m.late {
			continue
		}
		asked++
		if o.Sequential || m.LeastP.V <= o.alpha() {
			able++
			p[i] = m.PValue.V
		}
	}
	if o.Sequential {
		p = append(p, slices.Repeat([]float64{1}, members-able)...)
		asked, able = members, members
	}
	for i, q := range o.adjust(p)[:len(matches)] {
		if matches[i].PValue.OK {
			matches[i].PAdjusted = finite(q)
		}
	}
	return asked, able
}

// settleAll adjusts the p-values of measurements, nil where there is none.
func settleAll(all []*Measurement, o Options) {
	p := make([]float64, len(all))
	for i, m := range all {
		p[i] = math.NaN()
		if m != nil {
			p[i] = m.PValue.Or(math.NaN())
		}
	}
	for i, q := range o.adjust(p) {
		if all[i] != nil {
			all[i].settle(finite(q), o)
		}
	}
}

func (m *Measurement) settle(adjusted envelope.Opt[float64], o Options) {
	m.PAdjusted = adjusted
	m.Sure = adjusted.OK && adjusted.V <= o.alpha()
}
