// Package rank says which of several variants is the best, and how sure that is: a pure function of one judged run per
// variant, which makes one document, the [Ranking].
//
// It exists because the highest of several rates is the best variant's only by chance, the more so the more there are.
// Variants are compared over the tests that all of them tried, every test once; two of them differ as `compare
// --cluster-by` says they do (package compare computes it), and by Holm's method over all pairs every variant gets the
// places that it can have: one set for each, which hold all true places at once with the confidence asked for. Those
// whose first place is not ruled out may be the best.
//
// It leaves out reading, judging and drawing, and tests that some variant did not
// try: these are listed, with who did not.
package rank

import (
	"tribunal/envelope"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/plan"
	"tribunal/stats"
)

// Schema is the name of the wire format of a Ranking.
const Schema = "tribunal/ranking/v1"

// Ranking is variants in the order of their pass rates, or of their mean scores, and how sure that order is.
type Ranking struct {
	Schema   string   `json:"schema"`
	By       string   `json:"by"`           // the label whose values are ranked
	Of       string   `json:"of,omitempty"` // compare.OfScores for mean scores; "" for pass rates
	Settings Settings `json:"settings"`
	// Tests are those that every variant tried: what is ranked. Groups of them move together.
	Tests  int `json:"tests"`
	Groups int `json:"groups"`
	// Best names the variants that may be the best: all others are surely worse than another one.
	Best     []string  `json:"best"`
	Variants []Variant `json:"variants"` // the highest rate first
	Pairs    []Pair    `json:"pairs"`    // of variants, in that order
	// Missing are tests that some variant did not try, and that are not ranked.
	Missing  []Missing          `json:"missing"`
	Idle     []string           `json:"idle"` // variants without a counted trial, in no place
	Gate     compare.Gate       `json:"gate"`
	Problems []envelope.Problem `json:"problems"`
	Look     string             `json:"-"` // the inputs as arguments of the next command, or ""

	outside bool               // scores go beyond 0 to 1
	duels   []envelope.Problem // what is wrong with them
}

// Settings are the options that the ranking was made under.
type Settings struct {
	Confidence float64 `json:"confidence"`
	Alpha      float64 `json:"alpha"`
	Pairing    string  `json:"pairing"`
	ClusterBy  string  `json:"cluster_by"` // what makes tests move together; "" for one test
	Power      float64 `json:"power"`      // of what would tell
	Draws      int     `json:"draws"`      // behind the probabilities
}

// Variant is one of those ranked.
type Variant struct {
	Name  string `json:"name"`
	Tests int    `json:"tests"` // all that it has
	compare.Trials
	// Mean is the mean over the tests, every test once. Its interval is one of several that hold at once.
	Mean envelope.Rate `json:"mean"`
	// ShrunkenRate is the share of its trials that passed, drawn towards that of all
	// variants; absent with scores, and where all trials ended alike.
	ShrunkenRate envelope.Opt[float64] `json:"shrunken_rate,omitzero"`
	// Place is the one seen, equals sharing the better one; the true one is in From..To.
	Place int `json:"place"`
	From  int `json:"from"`
	To    int `json:"to"`
	// IsBest is the probability of being the best, if nothing was known before.
	IsBest float64 `json:"is_best"`
	// HeadToHead is how it did against the others trial by trial, where that was asked.
	HeadToHead *HeadToHead `json:"head_to_head,omitempty"`
	// CostUSD is per passed trial of the tests ranked, absent where no trial says it.
	CostUSD envelope.Opt[float64] `json:"cost_per_success_usd,omitzero"`
	// Beaten says that another variant has a higher rate at no higher cost, or the same
	// rate at a lower one: it is not on the frontier of both. Absent without costs.
	Beaten envelope.Opt[bool] `json:"beaten,omitzero"`
	// ToSeparate is what would separate the first variant from this one, where both may be the
	// best and their rates differ.
	ToSeparate *plan.Required `json:"telling,omitempty"`
}

// HeadToHead are the duels of a variant: its trials against those of the same test and number of all others.
type HeadToHead struct {
	Won  int `json:"won"`
	Lost int `json:"lost"`
	Tied int `json:"tied"`
	// Strength is the logarithm of its strength by Bradley and Terry's model, with ties by
	// Davidson's; those of all variants have the mean 0. SE is its standard error.
	Strength float64 `json:"strength"`
	SE       float64 `json:"se"`
}

// Pair is a variant against one below it.
type Pair struct {
	First  string `json:"first"`
	Second string `json:"second"`
	// Difference is the rate of the first less that of the second. Its interval holds at
	// once with those of all other pairs.
	Difference compare.Difference    `json:"difference"`
	Method     string                `json:"method"`
	PValue     envelope.Opt[float64] `json:"p_value,omitzero"` // of these two alone, two-sided
	Sure       bool                  `json:"sure"`             // the first is better, among all pairs
}

// Missing is a test that is not ranked.
type Missing struct {
	envelope.Key
	Without []string `json:"without"` // variants that have no counted trial of it
}

type duel struct {
	first, second int // the first stands before the second
	alone         compare.Finding
	together      compare.Difference
	name          [2]string
}

type duels []duel

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

func (all duels) places(of []Variant, o Options) *stats.Ranks {
	rates := each.Of(of, func(v Variant) float64 { return v.Mean.Value })
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

func (all duels) documents(ranks *stats.Ranks) []Pair {
	out := make([]Pair, 0, len(all))
	for i := range all {
		d := &all[i]
		out = append(out, Pair{First: d.name[0], Second: d.name[1], Difference: d.together, Method: d.alone.Method, PValue: d.alone.PValue,
			Sure: ranks.Above(d.first, d.second)})
	}
	return out
}
