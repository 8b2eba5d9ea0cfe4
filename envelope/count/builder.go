// Package count counts trials: of any number of inputs it makes one envelope.Run.
//
// It exists so that order, duplicates, conflicts, merging and the choice of details are decided
// once, whatever the format a trial came in and whichever shard delivered it first: the same trials
// in another order, in other files, or read back from an envelope give the same run.
//
//	b := count.NewBuilder(5, 0.5)
//	in := b.Input("trials.ndjson", "native") // an envelope.Sink, for a reader
//	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass})
//	in.Close()
//	run := b.Run(envelope.ConflictExtend, 5)
//
// It leaves out what a trial counts as (envelope.Rows.Classify), judging
// (package verdict) and bytes (packages read and envelope/wire).
package count

import (
	"crypto/sha256"
	"iter"
	"slices"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/index"
	"tribunal/internal/redact"
)

// KeepAll is the number of details to keep per test when all are to be kept.
const KeepAll = int(^uint(0) >> 1)

// Builder counts trials of any number of inputs into one Run. It keeps a row of each trial
// and the texts of a few, never the input.
//
// A reader may use several workers (see Batch). Its methods may be called at any time.
type Builder struct {
	counting      sync.Mutex // guards arrivals; lock it before mu
	mu            sync.Mutex // guards everything else
	keep          int
	score         float64
	dict          *envelope.Dictionary
	numbers       index.Index       // of tests
	tests         []*tally          // by number
	unused        []tally           // memory for further tests
	groups        map[string]string // suites and variants
	seen          []uint8           // by number: bits of the outcomes so far
	arrivals      arrivals
	sources       []envelope.Source
	repeating     map[int32]bool            // sources whose trials may also come in other inputs
	byName        map[envelope.Source]int32 // by name and format
	sets          sourceSets
	rank          []int32 // place of each source in the sorted list, after counting
	headers       []envelope.Header
	beyond        map[int]int64   // trials beyond the plan, by header
	planner       map[int]string  // the input of the header
	resumedHeader envelope.Header // overrides the headers
	policies      []envelope.Carried
	recorded      []*envelope.Recorded
	digests       map[[sha256.Size]byte]bool // of recorded, if there are several
	repeated      []string                   // inputs with an envelope that another input had
	contents      map[string]string          // inputs, by a digest of their content
	problems      problems
	trials        int
	soFar         Glance
	split         *split                       // set if a label divides the trials
	accounts      []*account                   // of the journals of runs
	ended         map[uint32][]envelope.Ending // by test, from envelopes
	steps         stepTable
	reasons       reasons
	conversations int      // conversations to keep of a test
	merged        []uint32 // tests with recorded rows, in the order of the inputs
	recordedRows  envelope.Block
	secrets       *fingerprinter // redacts texts before they are hashed
	clashed       bool           // a missing digest was needed
	everyShard    bool           // one of several is an error
}

// tally is a test while it is counted. Its rows are in arrivals, or in merged if they came
// first and from an envelope.
type tally struct {
	envelope.Key
	file          string
	line          int
	labels        map[string]string
	varies        map[string]bool
	details       detailKeeper
	conversations *conversationKeeper // nil while there are none
	merged        *envelope.Rows      // nil when there are none
	end           *envelope.Test      // the result, after counting
}

var builtinSecrets = sync.OnceValue(func() *redact.Redactor {
	r, err := redact.New(redact.Rules{})
	if err != nil {
		panic(err) // no rule, no error
	}
	return r
})

// NewBuilder returns a Builder that keeps the details of at least keepDetails trials of
// each test. Of trials without a status, it keeps those with a score below scoreThreshold.
func NewBuilder(keepDetails int, scoreThreshold float64) *Builder {
	b := &Builder{keep: keepDetails, score: scoreThreshold, dict: envelope.NewDictionary(),
		byName: map[envelope.Source]int32{}, groups: map[string]string{}, beyond: map[int]int64{}, planner: map[int]string{},
		conversations: ConversationsKept}
	b.sets.ids = map[string]int32{}
	b.secrets = newFingerprinter(builtinSecrets().Another(), &b.reasons)
	return b
}

// ConversationsKept is the default of KeepConversations.
const ConversationsKept = 3

// KeepEveryConversation makes KeepConversations keep those of passed trials, too.
const KeepEveryConversation = KeepAll - 1

// KeepConversations sets how many conversations of trials that did not pass are kept of each test, and, unless n is
// 0, one of a trial that passed. The last call before Run wins, but nothing lowers KeepEveryConversation.
func (b *Builder) KeepConversations(n int) {
	if b.conversations != KeepEveryConversation {
		b.conversations = n
	}
}

// Hide adds rules for secrets, so that no hash depends on one. Call it before anything is
// read, and judge under the same rules.
func (b *Builder) Hide(rules redact.Rules) error {
	r, err := redact.New(rules)
	if err == nil {
		b.secrets = newFingerprinter(r, &b.reasons)
	}
	return err
}

// PublishRows sets whether rows are in a report (the default). If not, failing texts get no
// digests, which is faster: check Clashed after Run. Call it before anything is read.
func (b *Builder) PublishRows(yes bool) { b.secrets.unpublished = !yes }

// Clashed reports, after Run, that the run is wrong because several trials of a test have one
// run and attempt and no digest. Read the inputs again with rows published.
func (b *Builder) Clashed() bool { return b.clashed }

// NeedEveryShard makes it an error that the inputs are one of several shards.
func (b *Builder) NeedEveryShard() { b.everyShard = true }

// Trials is the number of trials counted so far, duplicates included.
func (b *Builder) Trials() int { return b.Glance().Trials }

// Policies returns the distinct policies of the inputs so far.
func (b *Builder) Policies() []envelope.Carried {
	b.mu.Lock()
	defer b.mu.Unlock()
	return distinctPolicies(b.policies)
}

// Recorded returns the envelopes among the inputs so far, each once.
func (b *Builder) Recorded() []*envelope.Recorded { return b.recorded }

// Repeated returns the inputs whose envelope was already in another input.
func (b *Builder) Repeated() []string { return b.repeated }

// Glance is the progress of counting: tests whose trials so far all passed, all failed, or did both, and the test
// that failed last. It ignores skipped and excluded trials and those that only a rule can judge.
type Glance struct {
	Trials, Tests, Passing, Failing, Mixed int
	Failed                                 envelope.Key
}

// Glance is cheap enough for a live line.
func (b *Builder) Glance() Glance {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.soFar
	g.Trials, g.Tests = b.trials, len(b.tests)
	return g
}

// Bits of Builder.seen.
const passed, failed, other = 1, 2, 4

// Failures yields the tests with a failed trial so far, and whether another trial passed.
func (b *Builder) Failures() iter.Seq2[envelope.Key, bool] {
	return func(yield func(envelope.Key, bool) bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for i, seen := range b.seen {
			if seen&failed != 0 && !yield(b.tests[i].Key, seen&passed != 0) {
				return
			}
		}
	}
}

func (b *Builder) updateGlance(test uint32, given envelope.Given) {
	was, now := b.seen[test], uint8(other)
	switch envelope.Outcome(given) {
	case envelope.Failed, envelope.Errored:
		b.soFar.Failed, now = b.tests[test].Key, failed
	case envelope.Passed:
		now = passed
	}
	if now |= was; now == was {
		return
	}
	b.seen[test] = now
	places := [4]*int{new(int), &b.soFar.Passing, &b.soFar.Failing, &b.soFar.Mixed}
	*places[was&(passed|failed)]--
	*places[now&(passed|failed)]++
}

// Problem adds a problem of no input, or of one that could not be opened.
func (b *Builder) Problem(p envelope.Problem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems.add(p)
}

func (b *Builder) testNumber(k envelope.Key) uint32 {
	hash, n, ok := b.find(k)
	if ok {
		return n
	}
	own := b.copyOf(k)
	if own != k {
		if hash, n, ok = b.find(own); ok { // known under its repaired name
			return n
		}
	}
	n = uint32(len(b.tests))
	b.numbers.Add(hash, n)
	b.tests, b.seen = append(b.tests, b.newTally(own)), append(b.seen, 0)
	return n
}

// find returns the hash of a key, and the number of its test if it is known.
func (b *Builder) find(k envelope.Key) (hash, n uint32, ok bool) {
	hash = b.numbers.Hash(k.Test, k.Suite, k.Variant)
	n, ok = b.numbers.Find(hash, func(n uint32) bool { return b.tests[n].Key == k })
	return hash, n, ok
}

// copyOf returns the key with strings of its own. Tests share those of suites and variants.
func (b *Builder) copyOf(k envelope.Key) envelope.Key {
	shared := func(s string) string {
		own, ok := b.groups[s]
		if !ok {
			own = valid(s)
			b.groups[own] = own
		}
		return own
	}
	return envelope.Key{Suite: shared(k.Suite), Test: valid(k.Test), Variant: shared(k.Variant)}
}

func (b *Builder) newTally(k envelope.Key) *tally {
	if len(b.unused) == 0 {
		b.unused = make([]tally, min(64, 1+len(b.tests)))
	}
	t := &b.unused[0]
	b.unused, t.Key = b.unused[1:], k
	return t
}

// define keeps the first place by file and line, so that the order of inputs does not matter.
func (t *tally) define(file string, line int) {
	if file == "" || t.file != "" && (file > t.file || file == t.file && (line == 0 || t.line != 0 && line >= t.line)) {
		return
	}
	switch file {
	case t.Suite: // share the string
		t.file = t.Suite
	case t.file:
	default:
		t.file = valid(file)
	}
	t.line = line
}

func (t *tally) describe(file string, line int, labels []envelope.Label) {
	t.define(file, line)
	for _, l := range labels {
		t.label(l.Name, l.Value)
	}
}

func (t *tally) label(name, value string) {
	if t.labels == nil {
		t.labels = map[string]string{}
	}
	old, ok := t.labels[name]
	switch {
	case !ok:
		t.labels[valid(name)] = valid(value)
	case old != value && !t.varies[name]:
		t.varies = mark(t.varies, name)
	}
}

func mark(set map[string]bool, name string) map[string]bool {
	each.Put(&set, valid(name), true)
	return set
}

// settleLabels divides labels into those of the test and those that vary by trial.
func (t *tally) settleLabels() {
	for name := range t.varies {
		delete(t.labels, name)
		t.end.Varies = append(t.end.Varies, name)
	}
	slices.Sort(t.end.Varies)
	if len(t.labels) > 0 {
		t.end.Labels = t.labels
	}
}

// rowOf returns the row of a trial, with a digest of its texts, checks and steps.
func rowOf(t *envelope.Trial, r *fingerprinter, l *inspected) envelope.Row {
	w := t.Row()
	w.Digest, w.Reason = digest(t, r, l), r.why.of(t.Test, t, w.Given)
	return w
}
