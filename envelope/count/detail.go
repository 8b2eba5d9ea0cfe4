package count

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tribunal/envelope"
	"tribunal/internal/redact"
)

// The sizes texts are cut to, in bytes, marks included.
const (
	maxMessage = 4 << 10
	maxOutput  = 16 << 10
)

// digest is a number of 53 bits, exact in every JSON reader, made of the texts
// that are kept for a trial that did not pass; absent when it has none. It is the
// higher part of an XXH64: it distinguishes trials that are equal in all else.
//
// It is published with the row, and a number made of a secret would confirm it to whoever
// guesses it that the guess is right. So it is made of what is left of the texts
// once secrets are taken out, whatever the policy: an envelope that hides nothing
// may be the input of a report that does.
//
// What is inside a trial counts whatever its status. Whether all that is kept of a
// trial that did not pass is clear shows in r then.
func digest(t *envelope.Trial, r *digester, l *looked) envelope.Opt[int64] {
	passed := t.Status == envelope.Pass
	if l == nil { // nothing was looked at before
		r.clear = true
	}
	if l == nil && (passed || t.Message == "" && t.Output == "" && len(t.Labels) == 0 && len(t.Attachments) == 0) {
		return envelope.Opt[int64]{}
	}
	if r.unpublished {
		r.clear = false // whoever publishes a detail looks at it then
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
		for _, l := range sortedLabels(t.Labels) {
			put(r.Text(l.Name))
			put(r.Label(l.Name, l.Value))
		}
		for i := range t.Attachments {
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
	if slices.IsSortedFunc(ls, compare) {
		return ls
	}
	return slices.SortedFunc(slices.Values(ls), compare)
}

// textsOf is the part of a detail that is not in its row.
func textsOf(t *envelope.Trial) envelope.Detail {
	d := envelope.Detail{Status: t.Status, Output: strings.Clone(cut(t.Output, maxOutput))}
	within := func(s string) string { return keepWithin(d.Output, s) }
	d.Message = within(t.Message)
	for _, l := range t.Labels {
		if d.Labels == nil {
			d.Labels = map[string]string{}
		}
		d.Labels[valid(l.Name)] = valid(l.Value)
	}
	d.Reasons, d.Attachments = reasonsOf(t.Checks, within), attachmentsOf(t.Attachments)
	return d
}

// keepWithin keeps a message that whole, which is valid, may begin with and then shares
// its memory with: what a failed step says is mostly what the trial printed.
func keepWithin(whole, s string) string {
	if s != "" && len(s) <= maxMessage && strings.HasPrefix(whole, s) {
		return whole[:len(s)]
	}
	return strings.Clone(cut(s, maxMessage))
}

// cut keeps the head and the tail of a text of more than limit bytes and marks
// what is missing between them, but splits no secret. The result is valid UTF-8 and fits the
// limit; a text that does both is its own.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return repaired(s)
	}
	const markRoom = 48
	side := (limit - markRoom) / 2
	head, _ := redact.Split(s, side)
	_, tail := redact.Split(s, len(s)-side)
	mark := fmt.Sprintf("\n[... %d bytes cut ...]\n", tail-head)
	return strings.ToValidUTF8(s[:head], "?") + mark + strings.ToValidUTF8(s[tail:], "?")
}
