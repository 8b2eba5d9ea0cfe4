package count

import (
	"cmp"

	"tribunal/envelope"
	"tribunal/envelope/cause"
	"tribunal/internal/jsontext"
)

// Batch is some trials of one input, in the order they came, on their way from a reader with
// several workers. The workers fill batches side by side; Count takes them in order, and what comes
// out is the same as if each trial had been given to Trial.
//
// A Batch is for readers at which speed matters: a row is a few numbers that are set where they stay, and the strings
// that trials share are numbers, too. All other readers deliver a Trial at a time.
type Batch struct {
	in            *Input
	tests         []uint32
	Rows          envelope.Columns // set what a trial has, in the row that Add returned
	facts         []testFacts
	texts         []offer
	inside        []*inside // by row; shorter, where nothing is inside of the last
	conversations []conversationOffer
	dropped       int // checks that are not kept
	// Memory that is used again for what trials say of their tests.
	words   []byte
	labels  []envelope.Label
	secrets *fingerprinter // of the worker that fills the batch
}

// TestRef is a test of a Builder as one worker knows it.
type TestRef struct {
	number uint32
	name   string // of the test alone
	bar    *threshold
	known  priorityBound // of the bar when it was looked at last; it only ever rises
}

type testFacts struct {
	test   uint32
	file   string
	line   int
	labels []envelope.Label
	// adaptive is what it says decided its number of trials.
	adaptive envelope.Opt[bool]
}

// offer is a detail that may be kept, and the row of the batch it belongs to.
type offer struct {
	candidate
	row int
}

// Batch returns an empty batch for the input; nil when trials must come one at a
// time, because the Builder deals them by a label or the input gives them some.
func (in *Input) Batch() *Batch {
	if in.b.split != nil || len(in.given) > 0 {
		return nil
	}
	return &Batch{in: in, secrets: in.b.secrets.another()}
}

// Reset empties the batch. The memory of its rows is used again.
func (t *Batch) Reset() {
	clear(t.facts)
	clear(t.texts)
	clear(t.inside)
	clear(t.conversations)
	t.tests, t.facts, t.texts, t.inside, t.conversations = t.tests[:0], t.facts[:0], t.texts[:0], t.inside[:0], t.conversations[:0]
	t.words, t.labels, t.dropped = t.words[:0], t.labels[:0], 0
	t.Rows.Clear()
}

// Test finds or makes the test, and reports whether the Builder had it. It is the same for every batch of a Builder.
func (t *Batch) Test(k envelope.Key) (ref TestRef, known bool) {
	b := t.in.b
	b.mu.Lock()
	defer b.mu.Unlock()
	before, n := len(b.tests), b.testNumber(k)
	return TestRef{number: n, name: b.tests[n].Test, bar: &b.tests[n].details.bar}, int(n) < before
}

// Word is a string for the columns of strings.
func (t *Batch) Word(s string) envelope.Word {
	t.in.b.mu.Lock()
	defer t.in.b.mu.Unlock()
	return t.in.b.dict.Word(s)
}

// Add begins a trial and returns its row.
func (t *Batch) Add(test TestRef, given envelope.Given) (row int) {
	t.tests = append(t.tests, test.number)
	t.Rows.Given = append(t.Rows.Given, given)
	return len(t.tests) - 1
}

// Describe takes what a trial says of its test. Saying the same again changes nothing.
func (t *Batch) Describe(test TestRef, file string, line int, labels []envelope.Label) {
	first := len(t.labels)
	for _, l := range labels {
		t.labels = append(t.labels, envelope.Label{Name: t.copied(l.Name), Value: t.copied(l.Value)})
	}
	t.facts = append(t.facts, testFacts{test: test.number, file: t.copied(file), line: line, labels: t.labels[first:]})
}

func (t *Batch) copied(s string) string {
	first := len(t.words)
	t.words = append(t.words, s...)
	return jsontext.InPlace(t.words[first:])
}

// LooksAt reports whether Explain keeps or hashes the texts of the last trial added. If not, it looks
// for a reason, and the first line of an output that does not repeat the message is enough.
func (t *Batch) LooksAt(test *TestRef) bool { return !t.secrets.unpublished || !t.ranksTooLow(test) }

// Repeats reports whether a reason is in the output rather than in the message.
func Repeats(output, message string) bool { return cause.Repeats(output, message) }

// Explain takes the texts of the last trial added, which did not pass: the message, output and labels of from. They
// are copied when they may be kept. Attempt, run and class are those that were set in its row.
func (t *Batch) Explain(test *TestRef, from *envelope.Trial) {
	row := len(t.tests) - 1
	if d := digest(from, t.secrets, nil); d.OK {
		t.Rows.Digest.Set(row, d.V)
	}
	t.Rows.Reason.Put(row, t.secrets.why.of(test.name, from, t.Rows.Given[row]))
	if t.ranksTooLow(test) {
		return
	}
	t.in.b.mu.Lock()
	defer t.in.b.mu.Unlock()
	w := t.Rows.Row(row)
	t.offer(row, &w, nil, from)
}

// Passed takes the labels of the last trial added, which passed. It keeps their digest in known, to use it again.
func (t *Batch) Passed(known *envelope.Opt[int64], labels func() []envelope.Label) {
	if !known.OK {
		*known = digest(&envelope.Trial{Status: envelope.Pass, Labels: labels()}, t.secrets, nil)
	}
	t.Rows.Digest.Put(len(t.tests)-1, *known)
}

// ranksTooLow reports whether the last trial ranks too low for its details to be kept. It checks
// the test's own copy of the bound first: the shared one is written by other workers.
func (t *Batch) ranksTooLow(test *TestRef) bool {
	row := len(t.tests) - 1
	attempt, run := t.Rows.Attempt.Opt(row), t.Rows.Run.ID(row)
	if test.known.holds(attempt, run) {
		return true
	}
	test.known = priorityBound(test.bar.Load())
	return test.known.holds(attempt, run)
}

func (t *Batch) offer(row int, w *envelope.Row, in *inside, from *envelope.Trial) {
	b := t.in.b
	w.Run = cmp.Or(w.Run, t.in.run)
	if priority := b.priority(w, in); b.tests[t.tests[row]].details.mayKeep(w, priority, b.keep) {
		t.texts = append(t.texts, offer{row: row, candidate: newCandidate(w, priority, from, t.secrets)})
	}
}

// Trial adds a trial in the common form, which is slower.
func (t *Batch) Trial(from *envelope.Trial) {
	l := inspect(from, t.secrets, t.in.b.score)
	w := rowOf(from, t.secrets, l)
	row := len(t.tests)
	if p, may := t.place(row, &w, l, from); may {
		t.conversations = append(t.conversations, conversationOffer{row: row, conversation: newConversation(from.Transcript, p, t.secrets)})
	}
}

// conversationOffer is a conversation that may be kept, and the row of the batch it belongs to.
type conversationOffer struct {
	conversation
	row int
}

// place adds the row of a trial, and says where that is and whether its conversation may be kept.
func (t *Batch) place(row int, w *envelope.Row, l *inspected, from *envelope.Trial) (p place, mayKeep bool) {
	b := t.in.b
	b.mu.Lock()
	defer b.mu.Unlock()
	test, within := b.testNumber(from.Key), b.enter(l)
	if l != nil {
		t.dropped += l.dropped
	}
	t.tests = append(t.tests, test)
	t.Rows.Append(w, b.dict)
	if within != nil {
		for len(t.inside) < row {
			t.inside = append(t.inside, nil)
		}
		t.inside = append(t.inside, within)
	}
	if from.File != "" || len(from.Labels) > 0 || from.Adaptive.OK {
		t.Describe(TestRef{number: test}, from.File, from.Line, from.Labels)
		t.facts[len(t.facts)-1].adaptive = from.Adaptive
	}
	kept := t.Rows.Row(row) // with the words of the dictionary
	if w.Given != envelope.Given(envelope.Passed) {
		t.offer(row, &kept, within, from)
	}
	if from.Transcript == nil {
		return p, false
	}
	kept.Run = cmp.Or(kept.Run, t.in.run)
	p = place{attempt: kept.Attempt, run: kept.Run, priority: b.priority(&kept, within)}
	return p, b.tests[test].conversations.mayKeep(&p, b.conversations)
}

// Count counts the trials of a batch. Nothing of the batch is kept.
//
// Most of that is to copy the rows, meanwhile the workers may ask for tests and words.
func (in *Input) Count(t *Batch) {
	b := in.b
	b.counting.Lock()
	defer b.counting.Unlock()
	source := in.admit(t)
	first := b.arrivals.take(t.tests, &t.Rows, t.inside, source)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trials += len(t.tests)
	for i, test := range t.tests {
		b.updateGlance(test, t.Rows.Given[i])
	}
	for _, d := range t.facts {
		b.tests[d.test].describe(d.file, d.line, d.labels)
		in.numbered(d.test, d.adaptive)
	}
	for i := range t.texts {
		o := &t.texts[i]
		o.arrival = first + o.row
		tl := b.tests[t.tests[o.row]]
		tl.details.add(&o.candidate, b.keep, b.rowsOf(tl), b.dict)
	}
	in.dropped += t.dropped
	for i := range t.conversations {
		o := &t.conversations[i]
		o.arrival = first + o.row
		tl := b.tests[t.tests[o.row]]
		tl.addConversation(o.conversation, b.conversations, b.rowsOf(tl))
	}
}

// admit lists the trials of a batch under their source and their run. It returns the set that the source alone is.
func (in *Input) admit(t *Batch) (source int32) {
	b := in.b
	b.mu.Lock()
	defer b.mu.Unlock()
	id := in.list()
	if in.run != "" {
		fillRun(&t.Rows.Run, len(t.tests), in.run, b.dict)
	}
	b.sources[id].Trials += len(t.tests)
	in.planned += int64(t.Rows.Retry.Count())
	return b.sets.single(id)
}

func fillRun(w *envelope.Words, n int, word string, d *envelope.Dictionary) {
	for len(w.IDs) < n {
		w.IDs = append(w.IDs, 0)
	}
	number := d.ID(word)
	for i, id := range w.IDs {
		if id == 0 {
			w.IDs[i] = number
		}
	}
	*w = w.In(d)
}
