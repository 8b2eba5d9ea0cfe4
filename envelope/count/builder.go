package count

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/index"
	"tribunal/internal/redact"
)

// KeepAll is the number of details to keep per test when all are to be kept.
const KeepAll = int(^uint(0) >> 1)

// Builder counts trials of any number of inputs into one Run. It keeps a row a
// trial and the texts of a few, never the input.
//
// A reader may read with several workers (see Batch). What comes to the Builder
// meanwhile, and what is asked of it, waits for its turn.
type Builder struct {
	counting      sync.Mutex // of the arrivals; whoever wants both takes this one first
	mu            sync.Mutex // of everything else
	keep          int
	score         float64
	dict          *envelope.Dictionary
	numbers       index.Index // of tests
	tests         []*tally    // by number
	spare         []tally     // for tests to come
	seen          []uint8     // by number: bits of what trials came as, 0 before the first one
	arrivals      arrivals
	sources       []envelope.Source
	repeating     map[int32]bool            // sources whose trials may have inputs of their own
	byName        map[envelope.Source]int32 // by name and format
	sets          sourceSets
	rank          []int32 // place of each source in the sorted list, once counting is finished
	headers       []envelope.Header
	resumedHeader envelope.Header // what holds whatever the headers say
	policies      []envelope.Carried
	recorded      []*envelope.Recorded
	digests       map[[sha256.Size]byte]bool // of recorded, once there are two
	repeated      []string                   // inputs that held an envelope merged before
	contents      map[string]string          // inputs, by a digest of what they hold
	problems      problems
	trials        int
	soFar         Glance
	split         *split                       // nil unless trials are dealt by a label
	accounts      []*account                   // of the journals of runs
	ended         map[uint32][]envelope.Ending // by test, what envelopes say of such
	steps         stepTable
	reasons       reasons
	conversations int       // conversations to keep of a test
	merged        []uint32  // tests whose rows were recorded, in the order they came
	secrets       *digester // takes out of texts what no digest is made of
	clashed       bool      // digests were needed that were not made
}

// tally is a test while it is counted. Its rows are among the arrivals, but for
// those of an envelope that came before any other.
type tally struct {
	envelope.Key
	file          string
	line          int
	labels        map[string]string
	varies        map[string]bool
	details       detailKeeper
	conversations *conversationKeeper // nil while there are none
	merged        *envelope.Rows      // nil when there are none
	end           *envelope.Tally     // what it comes to, once all is counted
}

// known takes out the secrets that are known to all.
var known = sync.OnceValue(func() *redact.Redactor {
	r, err := redact.New(redact.Rules{})
	if err != nil {
		panic(err) // no rule, no error
	}
	return r
})

// NewBuilder returns a Builder that keeps at least the details of keepDetails
// trials a test; scoreThreshold decides which trials without a status are
// worth their texts.
func NewBuilder(keepDetails int, scoreThreshold float64) *Builder {
	b := &Builder{keep: keepDetails, score: scoreThreshold, dict: envelope.NewDictionary(),
		byName: map[envelope.Source]int32{}, sets: newSourceSets(), conversations: ConversationsKept}
	b.secrets = newDigester(known().Another(), &b.reasons)
	return b
}

// ConversationsKept is how many conversations of trials that did not pass are kept of a
// test when nobody says otherwise.
const ConversationsKept = 3

// KeepEveryConversation asks KeepConversations for the conversations of all trials, of those that
// passed as well.
const KeepEveryConversation = KeepAll - 1

// KeepConversations says how many conversations to keep of a test of trials that did not
// pass; of those that did it is one, and none where that is 0. It holds for what is
// read afterwards, and once more for all of it when it is said before Run. Who asked
// for KeepEveryConversation gets them whatever a policy says afterwards.
func (b *Builder) KeepConversations(n int) {
	if b.conversations != KeepEveryConversation {
		b.conversations = n
	}
}

// Hide has nothing that is published be made of these secrets, beside those known
// to all. It is called before anything is read, by one that judges under the same
// rules.
func (b *Builder) Hide(rules redact.Rules) error {
	r, err := redact.New(rules)
	if err == nil {
		b.secrets = newDigester(r, &b.reasons)
	}
	return err
}

// PublishRows says whether somebody is shown the rows of the run, as by default. Where
// nobody is, failing texts need no digests, and Clashed is to be asked after Run. It is
// called before anything is read.
func (b *Builder) PublishRows(yes bool) { b.secrets.unpublished = !yes }

// Clashed reports, after Run, that the run is wrong because digests were not made:
// several trials of a test have one run and attempt. Then the inputs are to be read again
// with rows published.
func (b *Builder) Clashed() bool { return b.clashed }

// Trials is the number of trials counted so far, duplicates included.
func (b *Builder) Trials() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trials
}

// Policies are the distinct policies that came with the inputs so far.
func (b *Builder) Policies() []envelope.Carried {
	b.mu.Lock()
	defer b.mu.Unlock()
	return distinctPolicies(b.policies)
}

// Recorded are the envelopes that were read back so far, each once.
func (b *Builder) Recorded() []*envelope.Recorded { return b.recorded }

// Repeated names the inputs that held an envelope which another input held, too:
// they were counted once.
func (b *Builder) Repeated() []string { return b.repeated }

// Glance is how far counting has come: tests of which all trials so far passed, none
// did, or some did, and the one that failed last. Skipped and excluded trials, and those
// that wait for a rule to say what they are, are in none of these.
type Glance struct {
	Trials, Tests, Passing, Failing, Mixed int
	Failed                                 envelope.Key
}

// Glance costs nothing, so that a live line may ask for it at any time. It is no
// verdict.
func (b *Builder) Glance() Glance {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.soFar
	g.Trials, g.Tests = b.trials, len(b.tests)
	return g
}

// What trials of a test came as, in Builder.seen.
const passed, failed, other = 1, 2, 4

// Failures are the tests of which a trial failed so far, and whether another one passed.
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

// glance moves a test to where one more trial brings it.
func (b *Builder) glance(test uint32, given envelope.Given) {
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

// Problem reports something wrong with no input in particular, or with an
// input that could not be opened.
func (b *Builder) Problem(p envelope.Problem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems.add(p)
}

// number finds or makes the test. Its key is copied only when it is new.
func (b *Builder) number(k envelope.Key) uint32 {
	hash, n, ok := b.find(k)
	if ok {
		return n
	}
	own := b.own(k)
	if own != k {
		if hash, n, ok = b.find(own); ok { // it was there under its repaired name
			return n
		}
	}
	n = uint32(len(b.tests))
	b.numbers.Add(hash, n)
	b.tests, b.seen = append(b.tests, b.room(own)), append(b.seen, 0)
	return n
}

// find is the number of a test, if it is one.
func (b *Builder) find(k envelope.Key) (hash, n uint32, ok bool) {
	hash = b.numbers.Hash(k.Test, k.Suite, k.Variant)
	n, ok = b.numbers.Find(hash, func(n uint32) bool { return b.tests[n].Key == k })
	return hash, n, ok
}

// own is the key in memory of its own, which tests of one suite and variant share
// when they come one after the other.
func (b *Builder) own(k envelope.Key) envelope.Key {
	if last := len(b.tests) - 1; last >= 0 {
		before := b.tests[last].Key
		if k.Suite == before.Suite && k.Variant == before.Variant {
			return envelope.Key{Suite: before.Suite, Test: b.name(k.Test), Variant: before.Variant}
		}
	}
	return envelope.Key{Suite: b.name(k.Suite), Test: b.name(k.Test), Variant: b.name(k.Variant)}
}

// name is a name of a test as valid UTF-8.
func (b *Builder) name(s string) string {
	if utf8.ValidString(s) {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// room is room for one more test, taken from room for some: there may be very
// many.
func (b *Builder) room(k envelope.Key) *tally {
	const some = 64
	if len(b.spare) == 0 {
		b.spare = make([]tally, min(some, 1+len(b.tests)))
	}
	t := &b.spare[0]
	b.spare, t.Key = b.spare[1:], k
	return t
}

// define keeps the smallest place of all that trials give, so that the order
// of the inputs does not matter.
func (t *tally) define(file string, line int) {
	if file == "" || t.file != "" && (file > t.file || file == t.file && (line == 0 || t.line != 0 && line >= t.line)) {
		return
	}
	switch file {
	case t.Suite: // as most runners name it
		t.file = t.Suite
	case t.file:
	default:
		t.file = valid(file)
	}
	t.line = line
}

// describe takes what a trial says of its test.
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
	if set == nil {
		set = map[string]bool{}
	}
	set[strings.Clone(name)] = true
	return set
}

// settleLabels parts the labels that are the test's own from those that vary.
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

// rowOf is the row of a trial, with the digest of its texts and of what is inside.
func rowOf(t *envelope.Trial, r *digester, l *looked) envelope.Row {
	w := t.Row()
	if l != nil || w.Given != envelope.Given(envelope.Passed) {
		w.Digest = digest(t, r, l)
	}
	w.Reason = r.why.of(t.Test, t, w.Given)
	return w
}
