package envelope

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode/utf8"
)

// What to do with different trials under one (run, attempt).
const (
	ConflictExtend  = "extend"  // keep all, ordered by content
	ConflictReplace = "replace" // the last input wins
	ConflictError   = "error"   // keep all, and exit 2
)

// KeepAll is the number of details to keep per test when all are to be kept.
const KeepAll = int(^uint(0) >> 1)

// Builder counts trials of any number of inputs into one Run. It keeps a row a
// trial and the texts of a few, never the input.
type Builder struct {
	keep     int
	score    float64
	dict     *Dictionary
	tests    map[Key]*tally
	sources  []Source
	byName   map[Source]int32 // by name and format
	sets     sourceSets
	rank     []int32 // place of each source in the sorted list, once counting is finished
	headers  []Header
	policies []Policy
	recorded []*Recorded
	digests  map[[sha256.Size]byte]bool // of recorded, once there are two
	repeated []string                   // inputs that held an envelope merged before
	problems problems
	trials   int
	soFar    Glance
}

// tally is a test while it is counted. Its rows are in order of arrival.
type tally struct {
	Tally
	labels  map[string]string
	varies  map[string]bool
	details detailKeeper
	seen    uint8 // 1: a pass, 2: anything else, 3: both
}

// NewBuilder returns a Builder that keeps at least the details of keepDetails
// trials a test; scoreThreshold tells it which trials without a status are
// worth their texts.
func NewBuilder(keepDetails int, scoreThreshold float64) *Builder {
	return &Builder{keep: keepDetails, score: scoreThreshold, dict: newDictionary(),
		tests: map[Key]*tally{}, byName: map[Source]int32{}, sets: newSourceSets()}
}

// Trials is the number of trials counted so far, duplicates included.
func (b *Builder) Trials() int { return b.trials }

// Policies are the distinct policies that headers and envelopes carried so far.
func (b *Builder) Policies() []Policy { return distinctPolicies(b.policies) }

// Recorded are the envelopes that were read back so far, each once.
func (b *Builder) Recorded() []*Recorded { return b.recorded }

// Repeated names the inputs that held an envelope which another input held, too:
// they were counted once.
func (b *Builder) Repeated() []string { return b.repeated }

// Glance is how far counting has come: tests of which all trials so far passed,
// none did, or some did.
type Glance struct {
	Trials, Tests, Passing, Failing, Mixed int
}

// Glance costs nothing, so that a live line may ask for it at any time. It is no
// verdict.
func (b *Builder) Glance() Glance {
	g := b.soFar
	g.Trials, g.Tests = b.trials, len(b.tests)
	return g
}

// glance moves a test to where one more trial brings it.
func (b *Builder) glance(t *tally, passed bool) {
	was := t.seen
	if passed {
		t.seen |= 1
	} else {
		t.seen |= 2
	}
	if t.seen == was {
		return
	}
	places := [4]*int{nil, &b.soFar.Passing, &b.soFar.Failing, &b.soFar.Mixed}
	if was != 0 {
		*places[was]--
	}
	*places[t.seen]++
}

// Problem reports something wrong with no input in particular, or with an
// input that could not be opened.
func (b *Builder) Problem(p Problem) { b.problems.add(p) }

// tally finds or makes the test. Its key is copied only when it is new.
func (b *Builder) tally(k Key) *tally {
	if tl, ok := b.tests[k]; ok {
		return tl
	}
	k = Key{Suite: valid(k.Suite), Test: valid(k.Test), Variant: valid(k.Variant)}
	if tl, ok := b.tests[k]; ok { // it was there under its repaired name
		return tl
	}
	tl := &tally{Tally: Tally{Key: k}}
	b.tests[k] = tl
	return tl
}

// valid is s as valid UTF-8 in memory of its own.
func valid(s string) string {
	if utf8.ValidString(s) {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// define keeps the smallest place of all that trials give, so that the order
// of the inputs does not matter.
func (t *tally) define(file string, line int) {
	if file == "" || t.File != "" && (file > t.File || file == t.File && (line == 0 || t.Line != 0 && line >= t.Line)) {
		return
	}
	if file != t.File {
		t.File = valid(file)
	}
	t.Line = line
}

func (t *tally) label(name, value string) {
	if t.labels == nil {
		t.labels = map[string]string{}
	}
	old, ok := t.labels[name]
	switch {
	case !ok:
		t.labels[valid(name)] = valid(value)
	case old != value:
		t.varies = mark(t.varies, name)
	}
}

func mark(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[strings.Clone(name)] = true
	return set
}

// settleLabels parts the labels that are the test's own from those that vary.
func (t *tally) settleLabels() {
	t.Labels, t.Varies = nil, nil
	for name, value := range t.labels {
		if t.varies[name] {
			continue
		}
		if t.Labels == nil {
			t.Labels = map[string]string{}
		}
		t.Labels[name] = value
	}
	for name := range t.varies {
		t.Varies = append(t.Varies, name)
	}
	slices.Sort(t.Varies)
}

func rowOf(t *Trial) row {
	w := row{
		given: givenOf(t.Status), attempt: t.Attempt, run: t.Run, retry: t.Retry, rawStatus: t.RawStatus, errorClass: t.ErrorClass,
		score: t.Score, category: t.Category, durationMS: t.DurationMS, setupMS: t.SetupMS, costUSD: t.CostUSD, setupCost: t.SetupCostUSD,
		tokens: t.Tokens, toolCalls: t.ToolCalls, startedAt: instant(t.StartedAt),
	}
	if w.given != Given(Passed) {
		w.digest = digest(t)
	}
	return w
}
