package envelope

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The sizes texts are cut to, in bytes, marks included.
const (
	maxMessage = 4 << 10
	maxOutput  = 16 << 10
)

// digest is a number of 53 bits, exact in every JSON reader, made of the texts
// that are kept for a trial that did not pass; absent when it has none. It
// appends what it is made of to scratch, which is used again and again.
func digest(t *Trial, scratch *[]byte) Opt[int64] {
	if t.Message == "" && t.Output == "" && len(t.Labels) == 0 {
		return Opt[int64]{}
	}
	b := (*scratch)[:0]
	put := func(s string) { b = append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...) }
	put(t.Message)
	put(t.Output)
	for _, l := range sortedLabels(t.Labels) {
		put(l.Name)
		put(l.Value)
	}
	sum := sha256.Sum256(b)
	if *scratch = b; cap(b) > scratchKept {
		*scratch = nil
	}
	return Some(int64(binary.BigEndian.Uint64(sum[:]) >> 11))
}

// scratchKept is how much memory is kept from one text to the next: one huge
// text is no reason to stay huge.
const scratchKept = 1 << 20

func sortedLabels(ls []Label) []Label {
	compare := func(a, b Label) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
	}
	if slices.IsSortedFunc(ls, compare) {
		return ls
	}
	return slices.SortedFunc(slices.Values(ls), compare)
}

func detailOf(t *Trial) Detail {
	d := Detail{Attempt: t.Attempt, Run: valid(t.Run), Status: t.Status, ErrorClass: valid(t.ErrorClass),
		Message: cut(t.Message, maxMessage), Output: cut(t.Output, maxOutput)}
	for _, l := range t.Labels {
		if d.Labels == nil {
			d.Labels = map[string]string{}
		}
		d.Labels[valid(l.Name)] = valid(l.Value)
	}
	return d
}

// cut keeps the head and the tail of a text of more than limit bytes and marks
// what is missing between them. The result is valid UTF-8 and fits the limit.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return valid(s)
	}
	const markRoom = 48
	side := (limit - markRoom) / 2
	head, tail := side, len(s)-side
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	mark := fmt.Sprintf("\n[... %d bytes cut ...]\n", tail-head)
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

func (b *Builder) priority(w *row) int {
	switch {
	case w.given == Given(Skipped):
		return prioritySkipped
	case w.given == Undecided && w.score.OK && w.score.V >= b.score,
		w.given == Undecided && !w.score.OK && w.category.V >= 1:
		return priorityPassed
	}
	if _, excluded := excludedClass(w.errorClass, w.toolCalls); excluded {
		return priorityExcluded
	}
	return priorityFailed
}

// candidate is a detail that may be kept; w is its row, for the order.
type candidate struct {
	detail   Detail
	w        row
	arrival  int
	priority int
}

func (a *candidate) compare(b *candidate) int {
	if c := cmp.Or(cmp.Compare(a.priority, b.priority), position(&a.w, &b.w)); c != 0 {
		return c
	}
	if a.w.attempt.OK {
		if c := content(&a.w, &b.w); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.arrival, b.arrival)
}

// sameTrial reports whether two rows are one trial delivered twice.
func sameTrial(a, b *row) bool {
	return a.attempt.OK && b.attempt.OK && position(a, b) == 0 && content(a, b) == 0
}

// detailKeeper keeps the details of the first trials in canonical order. It
// holds at most twice as many as are wanted, so that which ones are kept
// depends on the trials alone and not on the order they come in.
type detailKeeper struct {
	kept []candidate
	full *candidate // the last one wanted, once there are enough
}

// offer keeps the texts of a trial if they are among the first.
func (k *detailKeeper) offer(w *row, arrival, priority, keep int, t *Trial) {
	if k.mayKeep(w, priority, keep) {
		c := newCandidate(w, priority, t)
		c.arrival = arrival
		k.add(&c, keep)
	}
}

func newCandidate(w *row, priority int, t *Trial) candidate {
	c := candidate{w: *w, priority: priority, detail: detailOf(t)}
	c.w.run, c.w.errorClass, c.w.rawStatus = strings.Clone(w.run), strings.Clone(w.errorClass), strings.Clone(w.rawStatus)
	return c
}

// mayKeep reports whether the texts of a trial that comes after all that were
// added may be among the first; what it lets pass, add looks at closely.
func (k *detailKeeper) mayKeep(w *row, priority, keep int) bool {
	if keep == 0 || !w.digest.OK && w.errorClass == "" { // there is nothing to tell beyond its row
		return false
	}
	if k.full == nil {
		return true
	}
	behind := cmp.Or(cmp.Compare(priority, k.full.priority), position(w, &k.full.w))
	return behind < 0 || behind == 0 && w.attempt.OK
}

// add keeps a detail if it is among the first.
func (k *detailKeeper) add(c *candidate, keep int) {
	if keep == 0 || k.full != nil && k.full.compare(c) <= 0 || !c.w.digest.OK && c.w.errorClass == "" {
		return
	}
	k.kept = append(k.kept, *c)
	if keep < KeepAll/2 && len(k.kept) >= 2*keep {
		k.prune(keep)
	}
}

// prune sorts the candidates and drops those that cannot be kept.
func (k *detailKeeper) prune(keep int) {
	slices.SortFunc(k.kept, func(a, b candidate) int { return a.compare(&b) })
	k.kept = slices.CompactFunc(k.kept, func(a, b candidate) bool { return a.priority == b.priority && sameTrial(&a.w, &b.w) })
	if len(k.kept) >= keep {
		clear(k.kept[keep:])
		k.kept = k.kept[:keep]
		full := k.kept[keep-1]
		k.full = &full
	}
}

// settle returns the kept details by row. place maps an arrival to the row where
// it ended, or to -1 when another one replaced it.
func (k *detailKeeper) settle(keep int, place func(arrival int) int) []Detail {
	if keep == 0 {
		return nil
	}
	k.prune(keep)
	var out []Detail
	for _, c := range k.kept {
		d := c.detail
		if d.Trial = place(c.arrival); d.Trial >= 0 {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Detail) int { return cmp.Compare(a.Trial, b.Trial) })
	return slices.CompactFunc(out, func(a, b Detail) bool { return a.Trial == b.Trial })
}
