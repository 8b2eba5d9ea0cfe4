package count

import (
	"crypto/sha256"
	"io"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// Input is the door of a Builder for one input. It is a Sink.
type Input struct {
	b         *Builder
	id        int32 // its source, -1 until it is listed
	name      string
	format    string
	run       string                  // run of the trials that name none
	envelope  bool                    // its trials are listed under the sources the envelope names
	describes bool                    // its trials came from other inputs
	doors     map[string]*Input       // to the parts, by value, where trials are dealt by a label
	dealt     map[envelope.Key]string // values of listed tests, where they are dealt by a label
	headerID  string                  // of the latest header
	header    int                     // its place among those of the Builder, from 1; 0 for none
	planned   int64                   // trials, by all its headers, and retries, which no plan counts
	plan      int                     // the place of the latest of these, as header
	journal   *account                // what was said of tests since
	given     []envelope.Label        // to its trials, from outside
	variant   string                  // given to its trials
	part      string                  // of all its trials, where the labels given say it
	dropped   int                     // checks of its trials that are not kept
}

// Input returns the sink of one input. Inputs of the same name and format are one source.
func (b *Builder) Input(name, format string) *Input {
	return &Input{b: b, id: -1, name: name, format: format}
}

// AsRun sets the run of trials that name none. Five files of one suite are then five runs,
// whose attempts do not collide.
func (in *Input) AsRun(name string) { in.run = name }

// Repeats declares that trials of the input may also come from other inputs, so that duplicates are not reported.
func (in *Input) Repeats() {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	each.Put(&in.b.repeating, in.list(), true)
}

// Holds records a digest of the input, and returns the name of an earlier input with the same digest, or "".
func (in *Input) Holds(digest string) (before string) {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	digest += textOf(in.given)
	if before = in.b.contents[digest]; before != "" {
		return before
	}
	each.Put(&in.b.contents, digest, in.name)
	return ""
}

// Describes declares that the input describes trials of other inputs. Without trials of
// its own, it is no source and no problem.
func (in *Input) Describes() { in.describes = true }

// Close ends the input, which becomes a source even without trials.
func (in *Input) Close() {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	if !in.envelope && !in.describes {
		in.list()
		if all := in.labels(nil); in.header == 0 && len(all) > 0 {
			in.b.headers = append(in.b.headers, envelope.Header{Labels: all})
		}
	}
	if in.plan > 0 && in.id >= 0 {
		in.b.beyond[in.plan-1], in.b.planner[in.plan-1] = int64(in.b.sources[in.id].Trials)-in.planned, in.name
	}
	in.reportDropped()
}

func (in *Input) list() int32 {
	if in.id < 0 {
		in.id = in.b.source(in.name, in.format)
	}
	return in.id
}

// Problem implements Sink.
func (in *Input) Problem(p envelope.Problem) {
	p.Input = in.name
	in.b.Problem(p)
}

// Header implements Sink.
func (in *Input) Header(h envelope.Header, policy *envelope.Carried) {
	in.b.mu.Lock()
	defer in.b.mu.Unlock()
	h.Name, h.ID, h.Commit = valid(h.Name), valid(h.ID), valid(h.Commit)
	h.StartedAt = normalTime(h.StartedAt)
	h.Labels = in.labels(h.Labels)
	in.headerID, in.header, in.journal = h.ID, 0, nil
	if compareHeaders(h, envelope.Header{}) != 0 {
		in.b.headers = append(in.b.headers, h)
		in.header = len(in.b.headers)
	}
	if h.PlannedTrials.OK {
		in.planned, in.plan = in.planned+h.PlannedTrials.V, in.header
	}
	for _, door := range in.doors {
		door.headerID, door.journal = h.ID, nil
		in.shareHeader(door)
	}
	if policy != nil {
		in.b.policies = append(in.b.policies, protecting(*policy))
	}
}

// protecting is the policy of a stream, which does not switch off what protects its readers.
func protecting(c envelope.Carried) envelope.Carried {
	if c.Held != nil {
		held := *c.Held
		held.Redact = envelope.Opt[bool]{}
		return envelope.Carried{Held: &held}
	}
	asked := *c.Asked
	asked.Redact = envelope.Opt[bool]{}
	return envelope.Carried{Asked: &asked}
}

// normalTime is the instant in UTC, or the text as it is when it is no instant.
func normalTime(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return valid(s)
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Trial implements Sink.
func (in *Input) Trial(t *envelope.Trial) {
	b := in.b
	b.counting.Lock()
	defer b.counting.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	t = in.labelled(t)
	if b.split != nil {
		in.splitTrial(t)
		return
	}
	id := in.list()
	if t.Run == "" && in.run != "" {
		named := *t
		named.Run = in.run
		t = &named
	}
	test := b.testNumber(t.Key)
	in.numbered(test, t.Adaptive)
	b.tests[test].describe(t.File, t.Line, t.Labels)
	l := inspect(t, b.secrets, b.score)
	w := rowOf(t, b.secrets, l)
	w.Source = b.sets.single(id)
	b.trials++
	b.sources[id].Trials++
	if t.Retry {
		in.planned++
	}
	b.updateGlance(test, w.Given)
	within := b.enter(l)
	if l != nil {
		in.dropped += l.dropped
	}
	arrival := b.arrivals.add(test, &w, within, b.dict)
	if w.Given != envelope.Given(envelope.Passed) {
		b.offer(test, arrival, within, t)
	}
	if t.Transcript != nil {
		w, tl := b.arrivals.row(arrival), b.tests[test]
		p := place{attempt: w.Attempt, run: w.Run, arrival: arrival, priority: b.priority(&w, within)}
		if tl.conversations.mayKeep(&p, b.conversations) {
			tl.addConversation(newConversation(t.Transcript, p, b.secrets), b.conversations, b.rowsOf(tl))
		}
	}
}

// offer keeps the texts of a trial that was counted if they are among the first.
func (b *Builder) offer(test uint32, arrival int, in *inside, t *envelope.Trial) {
	w, tl := b.arrivals.row(arrival), b.tests[test]
	if priority := b.priority(&w, in); tl.details.mayKeep(&w, priority, b.keep) {
		c := newCandidate(&w, priority, t, b.secrets)
		c.arrival = arrival
		tl.details.add(&c, b.keep, b.rowsOf(tl), b.dict)
	}
}

func (tl *tally) addConversation(t conversation, keep int, a rowsOf) {
	if tl.conversations == nil {
		tl.conversations = &conversationKeeper{}
	}
	tl.conversations.add(t, keep, a)
}

// Recorded implements Sink: it counts the trials of an envelope as if they came from the inputs it was made of.
func (in *Input) Recorded(rec *envelope.Recorded) {
	b := in.b
	b.counting.Lock()
	defer b.counting.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	in.envelope = true
	rec.Input, rec.Labels = in.name, in.given
	if e := rec.Envelope; rec.Run == nil { // of its tests, nothing is used that was derived
		rec.Run = &envelope.Run{Header: e.Run, Steps: e.Steps, Texts: e.Texts, Reasons: e.Reasons, Tests: e.Tests,
			Problems: each.Where(e.Problems, func(p envelope.Problem) bool { return p.Stage == "" })}
	}
	b.trials += rec.Run.Trials()
	if rec.Envelope != nil {
		b.policies = append(b.policies, envelope.Carried{Held: &rec.Envelope.Policy})
	}
	if b.alreadyRecorded(rec) {
		b.repeated = append(b.repeated, in.name)
		return
	}
	b.recorded = append(b.recorded, rec)
	run := in.labelledRun(rec.Run)
	h := &run.Header
	if h.PlannedTrials.OK {
		b.beyond[len(b.headers)] = int64(run.Trials()-envelope.Retries(run.Tests)) - h.PlannedTrials.V
		b.planner[len(b.headers)] = in.name
	}
	b.headers = append(b.headers, headersOf(h)...)
	b.problems.kept = append(b.problems.kept, run.Problems...) // capped when they were found
	sets := in.mergeSources(h)
	if b.split != nil {
		in.splitRecorded(run)
		return
	}
	for i := range run.Tests {
		b.mergeRows(&run.Tests[i], run, sets)
	}
}

// alreadyRecorded reports whether the same envelope was merged before: merging an envelope with
// itself changes nothing, whether or not its trials are numbered. Envelopes are compared by a
// digest of their header and trials, made only once there are two of them.
func (b *Builder) alreadyRecorded(rec *envelope.Recorded) bool {
	if len(b.recorded) == 0 {
		return false
	}
	if b.digests == nil {
		b.digests = map[[sha256.Size]byte]bool{digestOf(b.recorded[0]): true}
	}
	digest := digestOf(rec)
	seen := b.digests[digest]
	b.digests[digest] = true
	return seen
}

func digestOf(rec *envelope.Recorded) [sha256.Size]byte {
	h := sha256.New()
	io.WriteString(h, textOf(rec.Run.Header)+textOf(rec.Labels))
	for i := range rec.Envelope.Tests {
		t := &rec.Envelope.Tests[i]
		io.WriteString(h, textOf(t.Key)+textOf(t.Rows)+textOf(t.Details)+"\n")
		if endings := rec.Run.Tests[i].EndingsIn(&rec.Run.Header); len(endings) > 0 {
			io.WriteString(h, textOf(endings)+"\n")
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// mergeSources lists the sources of an envelope and returns the source set for
// each number its rows use. An envelope that names no source is one itself.
func (in *Input) mergeSources(h *envelope.RunHeader) func(int32) int32 {
	b := in.b
	var ids []int32
	for _, src := range h.Sources {
		id := b.source(src.Input, src.Format)
		b.sources[id].Trials += src.Trials
		b.sources[id].Listed += src.Listed
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		ids = []int32{in.list()}
	}
	sets := each.Of(ids, b.sets.single)
	for _, shared := range h.SharedSources {
		sets = append(sets, b.sets.id(each.Of(shared, func(i int) int32 { return ids[i] })))
	}
	return func(i int32) int32 { return sets[i] }
}
