package audit

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
	"tribunal/internal/words"
	"tribunal/stats"
)

// TestsSchema is the name of the wire format of Tests.
const TestsSchema = "tribunal/tests-audit/v1"

// Tests says which tests of a benchmark tell its variants apart, and which say nothing, or
// something that contradicts the others. Every finding is evidence and no verdict.
type Tests struct {
	Schema     string     `json:"schema"`
	By         string     `json:"by"`
	Confidence float64    `json:"confidence"`
	Variants   []Solver   `json:"variants"` // the highest rate first
	Tests      []Item     `json:"tests"`    // the one that says most first
	Saturated  int        `json:"saturated"`
	Unsolved   int        `json:"never_solved"`
	Against    int        `json:"against_the_rest"`
	Conflicts  []Conflict `json:"conflicts"`
	Alike      []Alike    `json:"alike"`
	// Subset is the smallest one that ranks the variants alike; absent with too few variants.
	Subset *Subset `json:"subset,omitempty"`
	// Needed is how many variants it takes to find a correlation of -0.5, Least the weakest
	// negative one that this many can find; absent below four variants.
	Needed int                   `json:"variants_needed"`
	Least  envelope.Opt[float64] `json:"least_correlation,omitzero"`
	// LeastAlike is the weakest correlation that is sure to be found among all pairs.
	LeastAlike envelope.Opt[float64] `json:"least_alike,omitzero"`
	Problems   []envelope.Problem    `json:"problems"`
	Look       string                `json:"-"` // the inputs as arguments of the next command, or ""
}

// Solver is a variant over the tests that all of them tried, every test once.
type Solver struct {
	Name string  `json:"name"`
	Rate float64 `json:"rate"`
}

// Item is one test over all variants.
type Item struct {
	envelope.Key
	Trials int    `json:"trials"`
	Passed int    `json:"passed"`
	Rate   Chance `json:"rate"`
	// Says is what it says about the variants, from the words below; empty for nothing odd.
	Says string `json:"says,omitempty"`
	// Discrimination is the correlation of its rates with the mean of all other tests, over
	// the variants; absent where its rates do not vary, or the variants are too few.
	Discrimination *Correlation `json:"discrimination,omitempty"`
	// Index is the information about the order of the variants, PerUSD that by its cost in a run.
	Index   float64               `json:"index"`
	CostUSD envelope.Opt[float64] `json:"cost_usd,omitzero"` // of its trials, of one variant
	PerUSD  envelope.Opt[float64] `json:"index_per_usd,omitzero"`
	Kept    bool                  `json:"in_subset,omitempty"`
	Seen    []Seen                `json:"evidence,omitempty"`

	rates []float64 // of each variant
	worth float64   // the index by cost, or by trials where costs are not known
}

// What a test says.
const (
	SaysNothing = "saturated"        // every trial of every variant passed
	SaysNever   = "never solved"     // none did
	SaysAgainst = "against the rest" // better variants pass it less often
)

// Correlation is one with its interval, and its p-value among all tests.
type Correlation struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	P     float64 `json:"p_adjusted"`
}

// Seen is a trial that shows a finding.
type Seen struct {
	Variant string          `json:"variant"`
	Trial   int             `json:"trial"` // its row, 0-based
	Status  envelope.Status `json:"status"`
}

// Alike are two tests that say the same: what they say beyond all other tests correlates.
type Alike struct {
	First       envelope.Key `json:"first"`
	Second      envelope.Key `json:"second"`
	Correlation Correlation  `json:"correlation"`
}

const (
	// leastVariants is how few let a correlation have an interval.
	leastVariants = 4
	// mostSeen is how many trials a finding names.
	mostSeen = 5
)

// The codes of problems that show only in an audit of tests.
const (
	CodeFewVariants = "few-variants"  // correlations are not known
	CodeNotShared   = "missing-tests" // tests that some variant did not try
	CodeNoneShared  = "nothing-shared"
	CodeSameRates   = "same-variants" // variants that do not differ
)

// OfTests audits the tests of judged runs, one a variant; more are problems that belong to none of them.
func OfTests(by string, of []compare.Input, more []envelope.Problem, confidence float64) (*Tests, error) {
	if !(confidence >= 0.8 && confidence <= 0.999) {
		return nil, fmt.Errorf("confidence %s is out of range: give 80 to 99.9 percent", words.Level(confidence))
	}
	if len(of) < 2 {
		return nil, errors.New("there is one variant: tests are audited over several; name more inputs, as in a=FILE b=FILE, or a label (--by)")
	}
	a := &Tests{Schema: TestsSchema, By: by, Confidence: confidence, Variants: []Solver{}, Tests: []Item{}, Conflicts: []Conflict{},
		Alike: []Alike{}, Problems: more}
	b := benchmarkOf(of)
	if basis, _ := compare.BasisOf(b.samples, b.keys); basis.Scores {
		return nil, errors.New("these trials have scores, but the audit counts passes: rank the variants by score with tribunal rank")
	}
	a.Tests = append(a.Tests, each.Of(each.Index(len(b.keys)), func(i int) Item { return b.item(i, confidence) })...)
	n := distinct(a.Tests, len(of))
	a.warn(b, n)
	for v, in := range of {
		a.Variants = append(a.Variants, Solver{in.Name, plan.Digits(meanOf(a.Tests, v))})
	}
	if n >= leastVariants {
		a.discriminate(n)
		a.alike(n)
		a.worth(len(of))
		a.Subset = a.subset(len(of), n)
	}
	a.name(b)
	a.Conflicts = append(a.Conflicts, b.conflicts(confidence)...)
	slices.SortStableFunc(a.Tests, func(x, y Item) int { return cmp.Or(cmp.Compare(y.worth, x.worth), x.Key.Compare(y.Key)) })
	slices.SortStableFunc(a.Variants, func(x, y Solver) int { return cmp.Compare(y.Rate, x.Rate) })
	a.Problems = envelope.SortProblems(append([]envelope.Problem{}, a.Problems...))
	return a, nil
}

// distinct is how many variants differ: the same trials twice say nothing more.
func distinct(of []Item, variants int) int {
	rates := func(v int) string { return fmt.Sprint(each.Of(of, func(it Item) float64 { return it.rates[v] })) }
	return len(each.Set(each.Index(variants), rates))
}

type benchmark struct {
	of      []compare.Input
	samples []compare.Sampled
	keys    []envelope.Key
	missing int
}

func benchmarkOf(of []compare.Input) *benchmark {
	b := &benchmark{of: of}
	tried := map[envelope.Key]int{}
	for _, in := range of {
		sample := compare.Sample(in.Envelope)
		b.samples = append(b.samples, sample)
		for i := range in.Envelope.Tests {
			k := in.Envelope.Tests[i].Key
			tried[k] += min(1, sample.Trials(k).N)
		}
	}
	for k, n := range tried {
		if n == len(of) {
			b.keys = append(b.keys, k)
		} else {
			b.missing++
		}
	}
	slices.SortFunc(b.keys, envelope.Key.Compare)
	return b
}

func (a *Tests) warn(b *benchmark, variants int) {
	say := func(severity envelope.Severity, code, format string, args ...any) {
		a.Problems = append(a.Problems, envelope.Problem{Severity: severity, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	// Fisher's interval of -0.5 leaves out 0 from so many variants on.
	z := stats.Z(a.Confidence)
	a.Needed = int(math.Ceil(z*z/(math.Atanh(0.5)*math.Atanh(0.5)))) + 3
	switch {
	case len(b.keys) == 0:
		say(envelope.SeverityError, CodeNoneShared, "no test was tried by every variant; %s: check that names agree, or leave out a variant",
			compare.MatchedBy(a.By, false))
		return
	case b.missing > 0:
		say(envelope.SeverityWarning, CodeNotShared, "%s not audited, because not every variant tried %s", words.Plural(b.missing, "test is",
			"tests are"), map[bool]string{true: "it", false: "them"}[b.missing == 1])
	}
	named := words.Plural(variants, "variant", "variants")
	if n := len(b.of); variants < n {
		named = words.Plural(variants, "distinct variant", "distinct variants")
		say(envelope.SeverityWarning, CodeSameRates, "%s the same pass rates as another one on every test; equal variants count as one",
			words.Plural(n-variants, "variant has", "variants have"))
	}
	if variants < leastVariants {
		say(envelope.SeverityWarning, CodeFewVariants, "with %s Tribunal cannot say which tests rank well: give at least %d. "+
			"From %d it finds a smaller set with nearly the same ranking; from %d also tests that rank against the rest", named, leastVariants, leastToRank, a.Needed)
		return
	}
	a.Least = envelope.Some(plan.Digits(-math.Tanh(z / math.Sqrt(float64(variants-3)))))
	if variants < a.Needed {
		say(envelope.SeverityWarning, CodeFewVariants, "with %s, tests that rank against the rest are found only below a correlation of %s; "+
			"to find one of -0.5, give %d variants", named, words.Short(a.Least.V), a.Needed)
	}
}

func (b *benchmark) item(i int, confidence float64) Item {
	it := Item{Key: b.keys[i]}
	cost, priced := 0., 0
	for _, sample := range b.samples {
		of := sample.Trials(it.Key)
		it.Trials, it.Passed = it.Trials+of.N, it.Passed+of.Passed
		it.rates = append(it.rates, float64(of.Passed)/float64(of.N))
		if usd := sample.Test(it.Key).CostUSD; usd.OK {
			cost, priced = cost+usd.V, priced+1
		}
	}
	it.Rate = *observed(it.Passed, it.Trials, confidence)
	if priced == len(b.samples) {
		it.CostUSD = envelope.Some(plan.Digits(cost / float64(priced)))
	}
	switch it.Passed {
	case it.Trials:
		it.Says = SaysNothing
	case 0:
		it.Says = SaysNever
	}
	return it
}

func (a *Tests) name(b *benchmark) {
	for i := range a.Tests {
		it := &a.Tests[i]
		switch it.Says {
		case SaysNothing:
			a.Saturated++
			it.Seen = b.seen(it.Key, each.Index(len(b.of)), envelope.Passed)
		case SaysNever:
			a.Unsolved++
			it.Seen = b.seen(it.Key, each.Index(len(b.of)), envelope.Failed)
		case SaysAgainst: // the best that fail, and the worst that pass
			a.Against++
			order := falling(each.Of(a.Variants, func(v Solver) float64 { return v.Rate }))
			it.Seen = b.seen(it.Key, order[:(len(order)+1)/2], envelope.Failed)
			slices.Reverse(order)
			it.Seen = append(it.Seen, b.seen(it.Key, order[:len(order)/2], envelope.Passed)...)
		}
	}
}

// seen are the first trials of a test with an outcome, a trial a variant.
func (b *benchmark) seen(k envelope.Key, variants []int, outcome envelope.Outcome) (out []Seen) {
	for _, v := range variants {
		t := b.samples[v].Test(k)
		for row, is := range t.Rows.Outcome {
			if same := is == outcome || outcome == envelope.Failed && is.Counted() && is != envelope.Passed; same && len(out) < mostSeen {
				out = append(out, Seen{b.of[v].Name, row, is.Status()})
				break
			}
		}
	}
	return out
}
