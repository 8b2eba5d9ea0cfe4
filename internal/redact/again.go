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

func sumOf(s string) textSum {
	return textSum{maphash.String(seeds[0], s), maphash.String(seeds[1], s)}
}

// Again is Text for a text that may come again: the long ones in which nothing was
// found are remembered.
func (r *Redactor) Again(s string) string {
	if len(s) < longText {
		return r.Text(s)
	}
	sum := sumOf(s)
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

const (
	rememberedRuns = 256 // a power of two
	rememberedRun  = 120 // bytes of one: of more there are few, and seldom twice
)

// remembered are runs of base64 that hold no secret. Those of ordinary texts are paths
// and long words, which stand in a text again and again: the same file in every line
// of a stack trace.
type remembered struct {
	runs [rememberedRuns]rememberedText
}

type rememberedText struct {
	size uint8
	text [rememberedRun]byte
}

func (m *remembered) holds(run string) bool {
	if len(run) > rememberedRun {
		return false
	}
	t := m.at(run)
	return string(t.text[:t.size]) == run
}

// keep remembers a run, in place of another whose ends are alike.
func (m *remembered) keep(run string) {
	if len(run) <= rememberedRun {
		t := m.at(run)
		t.size = uint8(copy(t.text[:], run))
	}
}

// at is where a run is kept, which has 16 bytes at least. Paths differ most at their ends.
func (m *remembered) at(run string) *rememberedText {
	h := eightBytes(run) ^ eightBytes(run[len(run)/2-4:])*3 ^ eightBytes(run[len(run)-8:])*5
	return &m.runs[(h+uint64(len(run)))*0x9e3779b97f4a7c15>>56%rememberedRuns]
}
