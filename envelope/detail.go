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
// that are kept for a trial that did not pass; absent when it has none.
func digest(t *Trial) Opt[int64] {
	if t.Message == "" && t.Output == "" && len(t.Labels) == 0 {
		return Opt[int64]{}
	}
	h := sha256.New()
	put := func(s string) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:])
		h.Write([]byte(s))
	}
	put(t.Message)
	put(t.Output)
	for _, l := range sortedLabels(t.Labels) {
		put(l.Name)
		put(l.Value)
	}
	return Some(int64(binary.BigEndian.Uint64(h.Sum(nil)) >> 11))
}

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

func (k *detailKeeper) offer(w *row, arrival, priority, keep int, text func() Detail) {
	if keep == 0 {
		return
	}
	c := candidate{w: *w, arrival: arrival, priority: priority}
	if k.full != nil && k.full.compare(&c) <= 0 {
		return
	}
	if !w.digest.OK && w.errorClass == "" {
		return // nothing to tell beyond its row
	}
	c.w.run, c.w.errorClass, c.w.rawStatus = strings.Clone(w.run), strings.Clone(w.errorClass), strings.Clone(w.rawStatus)
	c.detail = text()
	k.kept = append(k.kept, c)
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
