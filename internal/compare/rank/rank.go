package rank

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/plan"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/stats"
	"tribunal/verdict"
)

// The codes of problems that show only when variants are ranked.
const (
	CodeNothingShared = "nothing-shared" // no test that every variant tried
	CodeMissing       = "missing-tests"  // tests that some variant did not try
	CodeIdle          = "idle-variants"  // variants without a counted trial
	CodeNoDuels       = "no-duels"       // head to head was asked, and no trials have the same number
	CodeUnscored      = "unscored-tests" // tests without scores among others whose scores go beyond 0 to 1
)

// Options say how to rank. Confidence is a fraction.
type Options struct {
	Confidence float64
	Pairing    string // as of compare
	ClusterBy  string // test, suite, file, or a label of tests
	Power      float64
	HeadToHead bool // also by duels of trials of the same number
}

// Defaults are 95 % confidence, pairs of trials where there are any, tests that move on their own, and a power of 80 %.
func Defaults() Options {
	return Options{Confidence: 0.95, Pairing: compare.PairAuto, ClusterBy: "test", Power: 0.8}
}

// Check reports every option that is out of its range.
func (o Options) Check() error {
	err := o.comparing(o.Confidence).Check()
	if !(o.Power >= 0.5 && o.Power <= 0.999) {
		err = errors.Join(err, fmt.Errorf("power %s is out of range: give 50 to 99.9 percent", words.Level(o.Power)))
	}
	return err
}

func (o Options) comparing(confidence float64) compare.Options {
	c := compare.Defaults()
	c.Confidence, c.Pairing, c.ClusterBy = confidence, o.Pairing, o.ClusterBy
	return c
}

func (o Options) alpha() float64 { return math.Round((1-o.Confidence)*1e12) / 1e12 }

// draws is how many of them the probabilities of being the best are made of: they are right to half a percentage point.
const draws = 40_000

// Variants ranks judged runs, one a variant; by is the label whose values they are, and more
// are problems that belong to none of them. The envelopes are not changed. The error is that
// of options out of range, of an envelope that is none, and of a cluster-by that no test has.
func Variants(by string, of []compare.Input, more []envelope.Problem, o Options) (*Ranking, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	for _, in := range of {
		if err := in.Check(); err != nil {
			return nil, err
		}
	}
	w := newWork(of, o)
	r := &Ranking{Schema: Schema, By: by, Tests: len(w.keys), Best: []string{}, Variants: []Variant{}, Pairs: []Pair{}, Missing: w.missing,
		Idle: w.idle, Settings: Settings{Confidence: o.Confidence, Alpha: o.alpha(), Pairing: o.Pairing, Power: o.Power, Draws: draws}}
	own := append(slices.Clone(more), w.problems(by, gate.Broken(more, envelope.Policy{}) > 0)...)
	if len(w.keys) > 0 {
		if err := w.rank(r); err != nil {
			return nil, err
		}
	}
	r.finish(append(own, r.duels...), of)
	return r, nil
}

type work struct {
	o        Options
	of       []compare.Input // that have a counted trial
	samples  []compare.Sampled
	keys     []envelope.Key // of tests that all of them tried
	groups   []string       // of these tests; nil for fewer than two
	by       compare.Basis
	missing  []Missing
	unscored []envelope.Key
	idle     []string
}

// newWork finds the tests that every variant tried. It leaves out variants without a counted trial.
func newWork(of []compare.Input, o Options) *work {
	w := &work{o: o, missing: []Missing{}, idle: []string{}}
	seen := map[envelope.Key]bool{}
	var all []envelope.Key
	for _, in := range of {
		sample, tried := compare.Sample(in.Envelope), false
		for i := range in.Envelope.Tests {
			k := in.Envelope.Tests[i].Key
			tried = tried || sample.Trials(k).N > 0
			if !seen[k] {
				seen[k] = true
				all = append(all, k)
			}
		}
		if !tried {
			w.idle = append(w.idle, in.Name)
			continue
		}
		w.of, w.samples = append(w.of, in), append(w.samples, sample)
	}
	slices.SortFunc(all, envelope.Key.Compare)
	for _, k := range all {
		var without []string
		for v, sample := range w.samples {
			if sample.Trials(k).N == 0 {
				without = append(without, w.of[v].Name)
			}
		}
		switch {
		case len(w.samples) < 2: // nothing to rank
		case without == nil:
			w.keys = append(w.keys, k)
		default:
			w.missing = append(w.missing, Missing{Key: k, Without: without})
		}
	}
	w.by, w.unscored = compare.BasisOf(w.samples, w.keys)
	w.keys = slices.DeleteFunc(w.keys, func(k envelope.Key) bool { return slices.Contains(w.unscored, k) })
	return w
}

func (w *work) problems(by string, broken bool) []envelope.Problem {
	var out []envelope.Problem
	say := func(severity envelope.Severity, code, format string, args ...any) {
		out = append(out, envelope.Problem{Severity: severity, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if n := len(w.idle); n > 0 {
		say(envelope.SeverityWarning, CodeIdle, "%s no counted trial and no rank: %s", words.Plural(n, "variant has", "variants have"),
			list(w.idle))
	}
	if n := len(w.unscored); n > 0 {
		say(envelope.SeverityWarning, CodeUnscored, "%s no scores and %s not ranked: other tests have scores outside 0 to 1, "+
			"so a pass cannot count as 1",
			words.Plural(n, "test has", "tests have"), map[bool]string{true: "is", false: "are"}[n == 1])
	}
	n := len(w.missing)
	switch {
	case len(w.of) == 0:
		say(envelope.SeverityError, CodeNothingShared, "no variant has a counted trial: there is nothing to rank")
	case len(w.of) == 1 && broken: // an error says why there is no other
	case len(w.of) == 1:
		say(envelope.SeverityError, CodeNothingShared, "only %s has counted trials, and a ranking needs two variants: add one, as in "+
			"a=a.json b=b.json", cmp.Or(w.of[0].Name, "one run"))
	case len(w.keys) == 0:
		say(envelope.SeverityError, CodeNothingShared, "no test was tried by every variant (%s): %s", w.shortest(),
			compare.MatchedBy(by, w.variantsDiffer())+words.If(!w.variantsDiffer(), "; check that names agree, or leave out a variant"))
	case n > 0:
		say(envelope.SeverityWarning, CodeMissing, "%s not ranked, because not every variant tried %s (%s); %s ranked",
			words.Plural(n, "test is", "tests are"), words.If(n == 1, "it")+words.If(n > 1, "them"), w.shortest(),
			words.Plural(len(w.keys), "test is", "tests are"))
	}
	return out
}

// variantsDiffer reports whether two that were ranked tried the same test as different variants.
func (w *work) variantsDiffer() bool {
	without := map[envelope.Key]Missing{}
	return slices.ContainsFunc(w.missing, func(m Missing) bool {
		k := envelope.Key{Suite: m.Suite, Test: m.Test}
		other, seen := without[k]
		without[k] = m
		return seen && !slices.Equal(other.Without, m.Without)
	})
}

func list(names []string) string {
	const mostNamed = 5
	return words.First(names, mostNamed, func(name string) string { return cmp.Or(name, "(no name)") })
}

func (w *work) shortest() string {
	lack := map[string]int{}
	for _, m := range w.missing {
		for _, name := range m.Without {
			lack[name]++
		}
	}
	var names []string
	for _, in := range w.of {
		if n := lack[in.Name]; n > 0 {
			names = append(names, fmt.Sprintf("%s lacks %d", cmp.Or(in.Name, "(no name)"), n))
		}
	}
	return list(names)
}

func (w *work) rated() []stats.RatedTest {
	place := map[string]int{}
	out := make([]stats.RatedTest, len(w.keys))
	for i, k := range w.keys {
		if w.groups != nil {
			at, known := place[w.groups[i]]
			if !known {
				at = len(place)
				place[w.groups[i]] = at
			}
			out[i].Group = at
		}
		for _, sample := range w.samples {
			if w.by.Scores {
				out[i].Scores = append(out[i].Scores, sample.Scores(k))
				continue
			}
			t := sample.Trials(k)
			out[i].Of = append(out[i].Of, stats.Cluster{Passed: t.Passed, N: t.N})
		}
	}
	return out
}

func (w *work) rank(r *Ranking) error {
	if len(w.keys) > 1 {
		tests := each.Of(w.keys, func(k envelope.Key) *envelope.Test { return w.samples[0].Test(k) })
		var err error
		if w.groups, err = compare.GroupNames(tests, w.o.ClusterBy); err != nil {
			return err
		}
		r.Settings.ClusterBy = w.o.ClusterBy
	}
	if w.by.Scores {
		r.Of = compare.OfScores
	}
	r.outside = w.by.Outside
	rated := stats.RateVariants(w.rated())
	r.Groups = rated.Groups
	if r.Groups < 2 && len(w.keys) > 1 {
		return fmt.Errorf("--cluster-by %s: all tests are in one group%s, so how groups vary is unknown; name a label with more values",
			w.o.ClusterBy, words.If(w.groups[0] != "", fmt.Sprintf(", %q", w.groups[0])))
	}
	w.variants(r, rated)
	if w.o.HeadToHead {
		w.headToHead(r)
	}
	order := each.Index(len(w.of))
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.Variants[b].Mean.Value, r.Variants[a].Mean.Value), envelope.CompareNames(w.of[a].Name, w.of[b].Name))
	})
	found, err := w.pairs(order)
	if err != nil {
		return err
	}
	ranks := found.places(r.Variants, w.o)
	var sorted []Variant
	for _, i := range order {
		v := r.Variants[i]
		v.Place, v.From, v.To = ranks.Rank[i], ranks.Lo[i], ranks.Hi[i]
		if v.From == 1 {
			r.Best = append(r.Best, v.Name)
		}
		sorted = append(sorted, v)
	}
	r.Variants = sorted
	r.Pairs = found.documents(ranks)
	r.askFor(order, rated, w.o)
	frontier(r.Variants)
	return nil
}

func (w *work) variants(r *Ranking, rated *stats.RatedVariants) {
	shares := rated.BestShares(draws)
	each, counts := 1-w.o.alpha()/float64(len(w.of)), make([]stats.Cluster, len(w.of))
	for i, in := range w.of {
		v := Variant{Name: in.Name, Tests: in.Envelope.Summary.Tests, IsBest: math.Round(shares[i]*1e4) / 1e4}
		var tests []envelope.Test
		for _, k := range w.keys {
			v.Trials.Add(w.samples[i].Trials(k))
			tests = append(tests, *w.samples[i].Test(k))
		}
		lo, hi := rated.Interval(i, each)
		v.Mean = envelope.Rate{Value: math.Round(rated.Rates[i]*1e12) / 1e12, Lo: math.Max(0, lo), Hi: math.Min(1, hi), Method: "bounded-mean",
			Confidence: w.o.Confidence}
		if w.by.Outside {
			v.Mean.Method = "t"
			v.Mean.Lo, v.Mean.Hi = rated.MeanInterval(i, each)
		}
		v.CostUSD = verdict.CostPerSuccess(tests)
		r.Variants = append(r.Variants, v)
		counts[i] = stats.Cluster{Passed: v.Passed, N: v.N}
	}
	if w.by.Scores {
		return
	}
	for i, rate := range stats.ShrinkRates(counts, 0).Mean {
		if !math.IsNaN(rate) {
			r.Variants[i].ShrunkenRate = envelope.Some(rate)
		}
	}
}

// priorStrength is the weight of the prior of strengths, the normal law: variants that won
// always have a finite strength by it.
const priorStrength = 1

func (w *work) headToHead(r *Ranking) {
	wins, ties, met := make([][]int, len(w.of)), make([][]int, len(w.of)), 0
	for i := range w.of {
		wins[i], ties[i] = make([]int, len(w.of)), make([]int, len(w.of))
		r.Variants[i].HeadToHead = &HeadToHead{}
	}
	for i := range w.of {
		for j := range i {
			won, lost, tied := compare.Duels(w.samples[i], w.samples[j], w.keys)
			wins[i][j], wins[j][i], ties[i][j], ties[j][i] = won, lost, tied, tied
			met += won + lost + tied
			one, other := r.Variants[i].HeadToHead, r.Variants[j].HeadToHead
			one.Won, one.Lost, one.Tied = one.Won+won, one.Lost+lost, one.Tied+tied
			other.Won, other.Lost, other.Tied = other.Won+lost, other.Lost+won, other.Tied+tied
		}
	}
	if met == 0 {
		r.duels = append(r.duels, envelope.Problem{Severity: envelope.SeverityWarning, Code: CodeNoDuels,
			Message: "--head-to-head: no two variants have trials of the same test and number; give each trial its number (attempt)"})
	}
	s := stats.BradleyTerry(wins, ties, priorStrength)
	for i := range w.of {
		if h := r.Variants[i].HeadToHead; s.SE != nil {
			h.Strength, h.SE = s.Theta[i], s.SE[i]
		}
	}
}

// frontier marks the variants that another one beats: a higher rate at no higher cost,
// or as high a rate at a lower one. Without the costs of two there is nothing to weigh.
func frontier(of []Variant) {
	for i := range of {
		beaten, asked := false, false
		for j := range of {
			if i == j || !of[i].CostUSD.OK || !of[j].CostUSD.OK {
				continue
			}
			asked = true
			higher, cheaper := cmp.Compare(of[j].Mean.Value, of[i].Mean.Value), cmp.Compare(of[i].CostUSD.V, of[j].CostUSD.V)
			beaten = beaten || higher >= 0 && cheaper >= 0 && higher+cheaper > 0
		}
		if asked {
			of[i].Beaten = envelope.Some(beaten)
		}
	}
}

// askFor says what would decide between the first variant from each other that may be the best.
func (r *Ranking) askFor(order []int, rated *stats.RatedVariants, o Options) {
	open := len(order) * (len(order) - 1) // ordered pairs that Holm's method still asks
	for i := range r.Pairs {
		if r.Pairs[i].Sure {
			open--
		}
	}
	for place := 1; place < len(r.Variants); place++ {
		v := &r.Variants[place]
		difference := r.Variants[0].Mean.Value - v.Mean.Value
		if v.From != 1 || difference == 0 {
			continue
		}
		a, b := order[0], order[place]
		gap := plan.Gap{Difference: difference, Variance: rated.Difference(a, b), Within: rated.Within[a] + rated.Within[b], Groups: r.Groups,
			Signs: slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Method == compare.MethodSigns }),
			Tests: r.Tests, Trials: min(r.Variants[0].N, v.N), Alpha: 2 * o.alpha() / float64(open), Power: o.Power}.Required()
		v.ToSeparate = &gap
	}
}

func (r *Ranking) finish(own []envelope.Problem, of []compare.Input) {
	r.Gate = compare.Gate{Status: envelope.Pass, Reasons: []string{}}
	broken, all := 0, slices.Clone(own)
	for i, in := range of {
		if i == 0 {
			broken += gate.Broken(own, in.Envelope.Policy.Policy)
		}
		broken += gate.Broken(in.Envelope.Problems, in.Envelope.Policy.Policy)
		all = append(all, compare.ProblemsOf(in.Name, in, false)...)
	}
	if len(of) == 0 {
		broken += gate.Broken(own, envelope.Policy{})
	}
	r.Problems = envelope.SortProblems(append([]envelope.Problem{}, all...))
	if broken > 0 {
		r.Gate = compare.Gate{Status: envelope.Error, ExitCode: gate.ExitUnusable, Reasons: []string{
			words.Plural(broken, "error", "errors") + " in the input"}}
	}
}
