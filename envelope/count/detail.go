package count

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/redact"
	"tribunal/internal/regex"
)

// The sizes texts are cut to, in bytes, marks included.
const maxMessage, maxOutput = 4 << 10, 16 << 10

// digest hashes the labels of a trial, and the texts that are kept of one that did not pass, to distinguish trials
// that are equal in all else; absent if it has none. It is the higher part of an XXH64: 53 bits, exact in every JSON reader.
//
// It is published with the row, and a hash of a secret confirms a guess. So secrets are removed
// before hashing, whatever the policy: an envelope that hides nothing may be the input of a report that does.
//
// What is inside a trial counts whatever its status. Whether all that is kept of a trial that did not pass is clear shows in r then.
func digest(t *envelope.Trial, r *fingerprinter, l *inspected) envelope.Opt[int64] {
	passed := t.Status == envelope.Pass
	if l == nil { // nothing was looked at before
		r.clear = true
	}
	silent := len(t.Labels) == 0 && (passed || t.Message == "" && t.Output == "" && len(t.Attachments) == 0)
	if l == nil && (silent || passed && r.unpublished) {
		return envelope.Opt[int64]{}
	}
	if r.unpublished {
		r.clear = false // a detail is scanned when it is published
		return envelope.Some[int64](0)
	}
	var d xxhash.Digest
	d.Reset()
	put := func(s string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(s)))
		_, _ = d.Write(size[:])
		_, _ = d.WriteString(s)
	}
	text := func(s string, limit int) {
		if len(s) > limit { // cutting copies
			s = cut(s, limit)
		}
		put(r.Text(s))
	}
	if !passed {
		text(t.Message, maxMessage)
		text(t.Output, maxOutput)
	}
	for _, l := range sortedLabels(t.Labels) {
		put(r.Text(l.Name))
		put(r.Label(l.Name, l.Value))
	}
	for i := range t.Attachments {
		if !passed {
			r.attachment(&t.Attachments[i], put)
		}
	}
	if l != nil {
		l.write(t, passed, r, put)
	}
	return envelope.Some(int64(d.Sum64() >> 11))
}

func sortedLabels(ls []envelope.Label) []envelope.Label {
	compare := func(a, b envelope.Label) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
	}
	if !slices.IsSortedFunc(ls, compare) {
		ls = slices.Clone(ls)
		slices.SortFunc(ls, compare)
	}
	return ls
}

func textsOf(t *envelope.Trial) envelope.Detail {
	d := envelope.Detail{Status: t.Status, Output: strings.Clone(cut(t.Output, maxOutput))}
	within := func(s string) string { // what a failed step says is mostly the start of the output: it shares its memory
		if s != "" && len(s) <= maxMessage && strings.HasPrefix(d.Output, s) {
			return d.Output[:len(s)]
		}
		return strings.Clone(cut(s, maxMessage))
	}
	d.Message = within(t.Message)
	for _, l := range t.Labels {
		each.Put(&d.Labels, valid(l.Name), valid(l.Value))
	}
	d.Reasons, d.Attachments = reasonsOf(t.Checks, within), attachmentsOf(t.Attachments)
	return d
}

// leftOut is the mark of readers and commands that have cut a text already.
var leftOut = regex.Of(`\n(?:… ([0-9]+) bytes left out …|\[([0-9]+) bytes left out\])\n`)

// cut keeps the head and the tail of a text of more than limit bytes and marks what is missing between them, but
// splits no secret. The result is valid UTF-8 and fits the limit; a text that does both is its own.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return repaired(s)
	}
	const markRoom = 48
	side := (limit - markRoom) / 2
	head, _ := redact.Split(s, side)
	_, tail := redact.Split(s, len(s)-side)
	missing := tail - head
	for _, mark := range leftOut().FindAllStringSubmatch(s[head:tail], -1) {
		before, _ := strconv.Atoi(mark[1] + mark[2])
		missing += before - len(mark[0])
	}
	mark := fmt.Sprintf("\n[... %d bytes cut ...]\n", missing)
	return strings.ToValidUTF8(s[:head], "?") + mark + strings.ToValidUTF8(s[tail:], "?")
}

// The priorities of details: what did not pass comes before what was excluded,
// that before what was skipped, and what may have passed comes last.
const (
	priorityFailed = iota
	priorityExcluded
	prioritySkipped
	priorityPassed
)

func (b *Builder) priority(w *envelope.Row, in *inside) int {
	given := w.Given
	if given == envelope.Undecided && !w.Score.OK && !w.Category.OK && in != nil && len(in.checks) > 0 {
		given = in.status(b.score)
	}
	switch {
	case given == envelope.Given(envelope.Skipped):
		return prioritySkipped
	case given == envelope.Given(envelope.Passed), w.Given == envelope.Undecided && w.Score.OK && w.Score.V >= b.score,
		w.Given == envelope.Undecided && !w.Score.OK && w.Category.V >= 1:
		return priorityPassed
	case w.Excluded():
		return priorityExcluded
	}
	return priorityFailed
}

// candidate is a detail that may be kept, and where its trial stands.
type candidate struct {
	detail envelope.Detail
	place
	clear bool // its texts were looked at, and hold no secret
}

// place is where a trial stands among those of its test.
type place struct {
	attempt  envelope.Opt[int32]
	run      string
	arrival  int
	priority int
}

// newCandidate makes a candidate of the trial that was looked at last. The words of its
// row must be those of the dictionary, which stay.
func newCandidate(w *envelope.Row, priority int, t *envelope.Trial, d *fingerprinter) candidate {
	c := candidate{detail: textsOf(t), place: place{attempt: w.Attempt, run: w.Run, priority: priority}, clear: d.clear}
	c.detail.Attempt, c.detail.Run, c.detail.ErrorClass = w.Attempt, w.Run, w.ErrorClass
	return c
}

// compare orders places by priority, then like their trials. Trials of one position are ordered by their content.
func (c *place) compare(o *place, a rowsOf) int {
	if by := cmp.Or(cmp.Compare(c.priority, o.priority), c.position(o)); by != 0 {
		return by
	}
	if c.attempt.OK && c.arrival != o.arrival {
		x, y := a.row(c.arrival), a.row(o.arrival)
		if by := content(&x, &y); by != 0 {
			return by
		}
	}
	return cmp.Compare(c.arrival, o.arrival)
}

func (c *place) position(o *place) int {
	return position(&envelope.Row{Attempt: c.attempt, Run: c.run}, &envelope.Row{Attempt: o.attempt, Run: o.run})
}

// sameTrial reports whether two candidates are one trial delivered twice.
func (c *place) sameTrial(o *place, a rowsOf) bool {
	if !c.attempt.OK || !o.attempt.OK || c.priority != o.priority || c.position(o) != 0 {
		return false
	}
	x, y := a.row(c.arrival), a.row(o.arrival)
	return content(&x, &y) == 0
}

// detailKeeper keeps the details of the first trials in canonical order. It holds at most twice as many as are
// wanted, so that which ones are kept depends on the trials alone and not on the order they come in.
type detailKeeper struct {
	kept []*candidate
	full int // how many were enough, 0 while there are fewer: the last of them is the one to beat
	bar  threshold
}

// threshold says at a glance, and without waiting for anybody, that a trial cannot be
// among those whose details are kept: it comes behind the last of them, and none
// goes before that one for what it is. It is 0 while nothing is sure.
type threshold struct{ atomic.Uint64 }

const (
	barSet      = 1 << 63
	barNumbered = 1 << 62
	barRuns     = 1 << 30 // runs beyond these have no bar
)

// raise sets the bar to the last detail wanted. run is the number of its run in the dictionary.
func (b *threshold) raise(last *candidate, run uint32) {
	switch {
	case last.priority != priorityFailed || run >= barRuns:
		b.Store(0)
	case last.attempt.OK:
		b.Store(barSet | barNumbered | uint64(run)<<32 | uint64(uint32(last.attempt.V)))
	default:
		b.Store(barSet)
	}
}

type priorityBound uint64

// holds reports whether a trial that comes after all that were counted cannot be kept.
func (h priorityBound) holds(attempt envelope.Opt[int32], run uint32) bool {
	if h == 0 || !attempt.OK { // those without a number come last
		return h != 0
	}
	return h&barNumbered != 0 && uint32(h<<2>>34) == run && attempt.V > int32(uint32(h))
}

// mayKeep reports whether the texts of a trial that comes after all that were
// added may be among the first; what it lets pass, add looks at closely.
func (k *detailKeeper) mayKeep(w *envelope.Row, priority, keep int) bool {
	if keep == 0 || !hasDetail(w) {
		return false
	}
	if k.full == 0 {
		return true
	}
	last := k.kept[k.full-1]
	behind := cmp.Or(cmp.Compare(priority, last.priority), position(w, &envelope.Row{Attempt: last.attempt, Run: last.run}))
	return behind < 0 || behind == 0 && w.Attempt.OK
}

func hasDetail(w *envelope.Row) bool { return w.Digest.OK || w.ErrorClass != "" }

func (k *detailKeeper) add(c *candidate, keep int, a rowsOf, d *envelope.Dictionary) {
	if keep == 0 || k.full > 0 && k.kept[k.full-1].compare(&c.place, a) <= 0 {
		return
	}
	if n := len(k.kept); n == cap(k.kept) && keep < KeepAll/2 {
		k.kept = slices.Grow(k.kept, roomFor(n, keep)-n)
	}
	kept := *c
	k.kept = append(k.kept, &kept)
	if n := len(k.kept); n == keep && k.full == 0 || keep < KeepAll/2 && n >= 2*keep {
		k.prune(keep, a)
		if k.full > 0 {
			last := k.kept[k.full-1]
			k.bar.raise(last, d.ID(last.run))
		}
	}
}

// roomFor is how many candidates there is to be room for once there are n: many
// tests have one or two, some have as many as are wanted, and none has twice as many.
func roomFor(n, keep int) int {
	switch {
	case n < 2:
		return n + 1
	case n < keep:
		return min(keep, 8*n)
	}
	return min(2*keep, 2*n)
}

func (k *detailKeeper) prune(keep int, a rowsOf) {
	slices.SortFunc(k.kept, func(x, y *candidate) int { return x.compare(&y.place, a) })
	k.kept = slices.CompactFunc(k.kept, func(x, y *candidate) bool { return x.sameTrial(&y.place, a) })
	if keep > 0 && len(k.kept) >= keep {
		clear(k.kept[keep:])
		k.kept, k.full = k.kept[:keep], keep
	}
}

// settle returns the details that prune left, by row. place maps an arrival to the row where it
// ended, or to -1 when another one replaced it. Clear says that none of them holds a secret.
func (k *detailKeeper) settle(keep int, place func(arrival int) int) (out []envelope.Detail, clear bool) {
	if keep == 0 || len(k.kept) == 0 {
		return nil, true
	}
	out, clear = make([]envelope.Detail, 0, len(k.kept)), true
	for _, c := range k.kept {
		d := c.detail
		clear = clear && c.clear
		d.Run, d.ErrorClass = strings.ToValidUTF8(d.Run, "\uFFFD"), strings.ToValidUTF8(d.ErrorClass, "\uFFFD")
		if d.Trial = place(c.arrival); d.Trial >= 0 {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b envelope.Detail) int { return cmp.Compare(a.Trial, b.Trial) })
	return slices.CompactFunc(out, func(a, b envelope.Detail) bool { return a.Trial == b.Trial }), clear
}
