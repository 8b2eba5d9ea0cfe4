package rank

import (
	"tribunal/compare"
	"tribunal/stats"
)

// duel is two variants compared: the finding about these two alone, and the difference
// with an interval that holds at once with all others.
type duel struct {
	first, second int // the first stands before the second
	alone         compare.Finding
	together      compare.Difference
	name          [2]string
}

// duels are all pairs of variants, in their order.
type duels []duel

// pairs compares all variants, two at a time.
func (w *work) pairs(order []int) (duels, error) {
	var out duels
	all := float64(len(order)*(len(order)-1)) / 2
	alone, together := w.o.comparing(w.o.Confidence), w.o.comparing(1-w.o.alpha()/max(all, 1))
	for i, a := range order {
		for _, b := range order[i+1:] {
			one, err := compare.Whole(w.samples[b], w.samples[a], w.keys, w.groups, w.by, alone)
			if err != nil {
				return nil, err
			}
			wide := one
			if all > 1 {
				if wide, err = compare.Whole(w.samples[b], w.samples[a], w.keys, w.groups, w.by, together); err != nil {
					return nil, err
				}
			}
			out = append(out, duel{first: a, second: b, alone: one.Finding, together: *wide.Difference, name: [2]string{w.of[a].Name, w.of[b].Name}})
		}
	}
	return out, nil
}

// pAbove is the one-sided p-value of the first being no better than the second: 1
// where the interval of these two alone holds 0, as compare then says nothing either.
func (d *duel) pAbove() (first, second float64) {
	p, at := d.alone.PValue.Or(1), d.alone.Difference
	if at.Lo <= 0 && at.Hi >= 0 {
		return 1, 1
	}
	if at.Value > 0 {
		return p / 2, 1 - p/2
	}
	return 1 - p/2, p / 2
}

// places are those that each variant has and can have.
func (all duels) places(of []Variant, o Options) *stats.Ranks {
	rates := make([]float64, len(of))
	for i := range of {
		rates[i] = of[i].Mean.Value
	}
	p := make([][]float64, len(of))
	for i := range p {
		p[i] = make([]float64, len(of))
	}
	for i := range all {
		d := &all[i]
		p[d.first][d.second], p[d.second][d.first] = d.pAbove()
	}
	return stats.RanksOf(rates, func(j, k int) float64 { return p[j][k] }, o.Confidence, stats.RankHolm)
}

// documents are the pairs as the ranking keeps them.
func (all duels) documents(ranks *stats.Ranks) []Pair {
	out := make([]Pair, 0, len(all))
	for i := range all {
		d := &all[i]
		out = append(out, Pair{First: d.name[0], Second: d.name[1], Difference: d.together, Method: d.alone.Method, PValue: d.alone.PValue,
			Sure: ranks.Above(d.first, d.second)})
	}
	return out
}
