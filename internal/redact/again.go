package redact

import (
	"hash/maphash"
	"sync"
)

// Texts that come again, such as the prompts of conversations and what their tools
// answer, are long; looking for secrets in them takes longer than knowing them again.
const (
	longText  = 256     // bytes
	mostKnown = 1 << 15 // texts
)

// known are long texts without secrets, by their sums. Redactors of the same rules share
// them.
type known struct {
	mu    sync.RWMutex
	texts map[textSum]struct{}
}

// textSum identifies a text: two sums under seeds of the process, of which nobody can tell
// beforehand what makes them equal.
type textSum [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// Again is Text for a text that may come again: the long ones in which nothing was
// found are remembered.
func (r *Redactor) Again(s string) string {
	if len(s) < longText {
		return r.Text(s)
	}
	sum := textSum{maphash.String(seeds[0], s), maphash.String(seeds[1], s)}
	if r.known.has(sum) {
		return s
	}
	hidden := r.Text(s)
	if hidden == s {
		r.known.add(sum)
	}
	return hidden
}

func (k *known) has(sum textSum) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	_, has := k.texts[sum]
	return has
}

func (k *known) add(sum textSum) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.texts == nil || len(k.texts) == mostKnown {
		k.texts = map[textSum]struct{}{}
	}
	k.texts[sum] = struct{}{}
}
