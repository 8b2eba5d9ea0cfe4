package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/each"
	"tribunal/internal/jsontext"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/read/internal/noise"
)

// header delivers the header on this line. The sink keeps headers, so strings are
// copied. Fields that cannot be read are left out.
func (rd *reader) header() {
	h := envelope.Header{}
	started := time.Time{}
	rd.set(fieldName, func(v value) string { return setText(&h.Name, v) })
	rd.set(fieldID, func(v value) string { return setText(&h.ID, v) })
	rd.set(fieldCommit, func(v value) string { return setText(&h.Commit, v) })
	rd.set(fieldPlannedTrials, func(v value) string { return setCount(&h.PlannedTrials, v) })
	rd.set(fieldSetupMS, func(v value) string { return setAmount(&h.SetupMS, v) })
	rd.set(fieldSetupCostUSD, func(v value) string { return setAmount(&h.SetupCostUSD, v) })
	rd.set(fieldStartedAt, func(v value) string { return setTime(&started, v) })
	h.Name, h.ID, h.Commit = strings.Clone(h.Name), strings.Clone(h.ID), strings.Clone(h.Commit)
	if !started.IsZero() {
		h.StartedAt = started.UTC().Format(time.RFC3339Nano)
	}
	var policy *envelope.Policy
	rd.set(fieldPolicy, func(v value) (why string) { policy, why = readPolicy(v); return why })
	var carried *envelope.Carried
	switch journal := rd.journalHeader(); {
	case policy != nil && journal:
		carried = &envelope.Carried{Held: &envelope.Effective{Policy: *policy}}
	case policy != nil:
		carried = &envelope.Carried{Asked: policy}
	}
	rd.note(headerFields)
	h.Labels = rd.headerLabels()
	rd.to.Header(h, carried)
}

func (rd *reader) set(f field, read func(value) string) {
	if !rd.rec.present.has(f) {
		return
	}
	v := rd.rec.values[f]
	if why := read(v); why != "" {
		rd.leave(wrong{field: f, at: v.at, reason: why})
	}
}

func (rd *reader) headerLabels() map[string]string {
	if !rd.rec.present.has(fieldLabels) {
		return nil
	}
	list := rd.labels(nil)
	if len(list) == 0 {
		return nil
	}
	labels := make(map[string]string, len(list))
	for _, l := range list {
		labels[strings.Clone(l.Name)] = strings.Clone(l.Value)
	}
	return labels
}

// readPolicy reads the policy of a header. A policy with an unknown key is not used,
// because a part of it could pass what all of it fails.
func readPolicy(v value) (*envelope.Policy, string) {
	if v.kind != '{' {
		return nil, mismatch(v, "an object")
	}
	policy := &envelope.Policy{}
	for m := range jsontext.Members([]byte(v.text), nil) {
		if err := readPolicyKey(policy, m); err != nil {
			return nil, quoted(m.Name()) + ": " + err.Error()
		}
	}
	return policy, ""
}

// readPolicyKey reads one key into the policy, because errors of encoding/json do
// not always name the key.
func readPolicyKey(policy *envelope.Policy, m jsontext.Member) error {
	dec := json.NewDecoder(strings.NewReader("{" + string(m.Key) + ":" + string(m.Raw) + "}"))
	dec.DisallowUnknownFields()
	err := dec.Decode(policy)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("a JSON %s does not fit here", wrong.Value)
	}
	if err != nil {
		return errors.New("this key or a key inside it is unknown")
	}
	return nil
}

// found is the content of a block until it is delivered. Its lines are counted from
// the start of the block. It is the sink of the careful reader.
type found struct {
	batch    *count.Batch
	lines    int
	said     []func(batcher) // everything but trials, in order
	problems []envelope.Problem
	notes    notes
}

func (f *found) Trial(t *envelope.Trial) { f.batch.Trial(t) }

func (f *found) Header(h envelope.Header, p *envelope.Carried) {
	f.said = append(f.said, func(to batcher) { to.Header(h, p) })
}

func (f *found) Listed(k envelope.Key, labels []envelope.Label, trials envelope.Opt[int64], elsewhere bool) {
	f.said = append(f.said, func(to batcher) { to.Listed(k, labels, trials, elsewhere) })
}

func (f *found) Ended(k envelope.Key, how envelope.How) {
	f.said = append(f.said, func(to batcher) { to.Ended(k, how) })
}

func (f *found) Beyond(k envelope.Key, attempt int32, costUSD envelope.Opt[float64]) {
	f.said = append(f.said, func(to batcher) { to.Beyond(k, attempt, costUSD) })
}

func (f *found) SetUp(ms, costUSD envelope.Opt[float64]) {
	f.said = append(f.said, func(to batcher) { to.SetUp(ms, costUSD) })
}

func (f *found) Resumed() { f.said = append(f.said, batcher.Resumed) }

func (f *found) Recorded(*envelope.Recorded) {} // a trial stream holds none

func (f *found) Problem(p envelope.Problem) { f.problems = append(f.problems, p) }

// replay sends everything to the sink. before is the number of lines before the
// block.
func (f *found) replay(to batcher, before int, all *notes) {
	to.Count(f.batch)
	for _, say := range f.said {
		say(to)
	}
	for _, p := range f.problems {
		p.Line += before
		to.Problem(p)
	}
	all.take(&f.notes, before)
}

func (f *found) reset() {
	f.batch.Reset()
	clear(f.said)
	clear(f.problems)
	f.lines, f.said, f.problems, f.notes = 0, f.said[:0], f.problems[:0], notes{}
}

// notes are reported once per input. Each block has its own until take merges them.
type notes struct {
	noise        noise.Noise
	unknown      tally // names of fields
	hashes       tally // fields that a journal has
	types        tally // types of records
	journal      milestones
	redrawn      int // attempts that a journal starts again
	redrawnFirst int
	noticed      []noticed
	last         tail
}

// take adds the notes of the next block, which starts after this many lines.
func (n *notes) take(from *notes, before int) {
	n.noise.Follow(&from.noise, before)
	if n.redrawn == 0 && from.redrawn > 0 {
		n.redrawnFirst = before + from.redrawnFirst
	}
	n.redrawn += from.redrawn
	n.unknown.take(&from.unknown, before)
	n.hashes.take(&from.hashes, before)
	n.types.take(&from.types, before)
	for _, at := range from.journal {
		at.line += before
		n.journal.add(at)
	}
	for _, at := range from.noticed {
		at.Problem.Line += before
		n.noticed = append(n.noticed, at)
	}
	if from.last.text != nil {
		n.last = tail{line: before + from.last.line, text: from.last.text}
	}
}

func (n *notes) report(to envelope.Sink) {
	if len(n.journal) > 0 { // nothing else prints to a journal, so it was a record
		n.noise.ReportAs(to, envelope.SeverityError, envelope.CodeMalformed)
	} else {
		n.noise.Report(to)
	}
	if !n.journal.any() {
		n.unknown.take(&n.hashes, 0)
	}
	n.unknown.known = names[:]
	n.unknown.report(to, envelope.CodeUnknown, "unknown fields are ignored")
	n.journal.report(to)
	n.reportNoticed(to)
	if n.redrawn > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeRedrawn, Line: n.redrawnFirst, Count: n.redrawn,
			Message: words.Plural(n.redrawn, "attempt was", "attempts were") +
				" started again after being cut off: long trials are cut off more often than short ones, so those that count may be the shorter ones"})
	}
	const codeType = "unknown-types" // marks records of an unknown type, which are skipped
	n.types.report(to, codeType, "records of unknown types are not counted")
}

// tally counts names: all names of a block, and a bounded number after merging.
type tally struct {
	counts map[string]*int
	names  []string // in the order they were met
	others int      // occurrences of names that are not remembered
	total  int
	first  int      // the line of the first
	known  []string // names that have a meaning
}

const (
	remembered = 1000 // names that are counted one by one
	listed     = 20   // names in the message
)

func (t *tally) add(name string, line int) {
	if t.total == 0 {
		t.first = line
	}
	t.total++
	if n, ok := t.counts[name]; ok {
		*n++
		return
	}
	t.meet(shorten(name), 1)
}

func (t *tally) meet(name string, times int) {
	if n, ok := t.counts[name]; ok {
		*n += times
		return
	}
	each.Put(&t.counts, name, &times)
	t.names = append(t.names, name)
}

// take adds the names of the next block in their order, up to the limit.
func (t *tally) take(from *tally, before int) {
	if t.total == 0 && from.total > 0 {
		t.first = before + from.first
	}
	t.total += from.total
	for _, name := range from.names {
		times := *from.counts[name]
		if _, known := t.counts[name]; known || len(t.counts) < remembered {
			t.meet(name, times)
		} else {
			t.others += times
		}
	}
}

func (t *tally) report(to envelope.Sink, code, what string) {
	if t.total == 0 {
		return
	}
	to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: code, Line: t.first, Count: t.total, Message: what + ": " + t.list()})
}

// meant suggests a known name for a misspelled one.
func (t *tally) meant(name string) string {
	if near := suggest.Near(name, t.known); len(near) > 0 && near[0] != name {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

func (t *tally) list() string {
	all := slices.Sorted(slices.Values(t.names))
	parts := each.Of(all[:min(len(all), listed)], func(name string) string {
		return fmt.Sprintf("%s (%d%s)", quoted(name), *t.counts[name], t.meant(name))
	})
	if more := len(all) - listed; more > 0 {
		parts = append(parts, "and "+words.Plural(more, "more name", "more names"))
	}
	if t.others > 0 {
		parts = append(parts, "and others")
	}
	return strings.Join(parts, ", ")
}
