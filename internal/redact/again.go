package redact

import (
	"hash/maphash"
	"slices"
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

const (
	minEncoded = 16 // base64 characters that are worth a look
	minStretch = 8  // bytes of text in what they decode to
	wrapAt     = 60 // from here on a line of base64 may go on in the next one
)

// sextets are the values of base64 characters of both alphabets, plus one.
var sextets = func() (t [256]uint8) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range len(alphabet) {
		t[alphabet[i]] = uint8(i + 1)
	}
	t['-'], t['_'] = t['+'], t['/']
	return t
}()

// findBase64 looks into every run of base64. One that holds a secret is a
// secret as a whole.
func (r *Redactor) findBase64(s string, depth int) {
	for behind := 0; ; {
		start := nextEncoded(s, behind)
		if start == len(s) {
			return
		}
		behind = encodedEnd(s, start)
		r.findUnspelled(s, start, behind)
		r.findEncoded(s, start, behind, depth)
	}
}

// nextEncoded is where the first run of base64 from i on starts that is worth a
// look, or the length of s. Whatever its place, such a run holds eight of the
// characters that are gone through by eights.
func nextEncoded(s string, i int) int {
	const eight = minEncoded / 2
	for first := i; i+eight <= len(s); i += eight {
		if !maybeEncoded(s[i:]) {
			continue
		}
		start := i
		for start > first && sextets[s[start-1]] != 0 {
			start--
		}
		end := start
		for end < len(s) && sextets[s[end]] != 0 {
			end++
		}
		if end-start >= minEncoded {
			return start
		}
		if end > i { // the next eight that may be a run begin behind it
			i += (end - i) / eight * eight
		}
	}
	return len(s)
}

// maybeEncoded reports whether the first eight bytes are of ASCII from the plus on,
// as those of base64 are, and nearly no blank or sign of a text.
func maybeEncoded(s string) bool {
	w := eightBytes(s)
	return (w|(w-ones*'+'))&tops == 0
}

// findUnspelled finds what no literal finds: a token of a Discord bot, its number in
// base64, which starts with M, N or O, and two parts more; and one of a Facebook
// application, its number, a bar and the secret.
func (r *Redactor) findUnspelled(s string, start, end int) {
	if start > 0 && s[start-1] == '|' {
		m := match{text: s, literalEnd: start}
		if behindNumber(15, 16, 27, 40)(&m, start-1) {
			r.found = append(r.found, hit{m.start, m.end, appTokens})
		}
	}
	part := func(i, least, most int) int {
		from := i
		for i < len(s) && i-from <= most && sextets[s[i]] != 0 {
			i++
		}
		if i-from < least || i-from > most {
			return -1
		}
		return i
	}
	if !has("MNO", s[start]) || end-start < 23 || end-start > 28 || end == len(s) || s[end] != '.' {
		return
	}
	if i := part(end+1, 6, 6); i >= 0 && i < len(s) && s[i] == '.' {
		if i = part(i+1, 27, 40); i >= 0 {
			r.found = append(r.found, hit{start, i, chatTokens})
		}
	}
}

// encodedEnd is the end of the run of base64 at start, over the ends of lines.
func encodedEnd(s string, start int) int {
	line := start
	for i := start; ; {
		for i < len(s) && sextets[s[i]] != 0 {
			i++
		}
		next := i
		for next < len(s) && (s[next] == '\r' || s[next] == '\n') {
			next++
		}
		if next == i || next-i > 2 || i-line < wrapAt || next == len(s) || sextets[s[next]] == 0 {
			return i
		}
		i, line = next, next
	}
}

// findEncoded decodes a run at its four alignments, for what stands before the
// encoded text may look as if it belonged to it.
func (r *Redactor) findEncoded(s string, start, end, depth int) {
	cut, run := cutAt(s, end), s[start:end]
	if !cut && r.clear[depth].holds(run) {
		return
	}
	for shift := range 4 {
		first, best := len(r.found), 1<<30
		r.findStretches(r.decode(s[start+shift:end], depth), cut, depth)
		for _, h := range r.found[first:] {
			best = min(best, h.rank)
		}
		if r.found = r.found[:first]; best < 1<<30 {
			for end < len(s) && s[end] == '=' {
				end++
			}
			r.found = append(r.found, hit{start, end, best})
			return
		}
	}
	if !cut {
		r.clear[depth].keep(run)
	}
}

// decode leaves out what is no base64: the ends of lines. Groups of four
// characters, nearly all of them, are taken at once.
func (r *Redactor) decode(s string, depth int) []byte {
	out := slices.Grow(r.scratch[depth].text[:0], len(s))[:len(s)]
	n, bits, held := 0, uint32(0), 0
	for i := 0; i < len(s); i++ {
		if held == 0 {
			for ; i+4 <= len(s); i += 4 {
				a, b, c, d := sextets[s[i]], sextets[s[i+1]], sextets[s[i+2]], sextets[s[i+3]]
				if a == 0 || b == 0 || c == 0 || d == 0 {
					break
				}
				group := uint32(a-1)<<18 | uint32(b-1)<<12 | uint32(c-1)<<6 | uint32(d-1)
				out[n], out[n+1], out[n+2] = byte(group>>16), byte(group>>8), byte(group)
				n += 3
			}
			if i == len(s) {
				break
			}
		}
		v := sextets[s[i]]
		if v == 0 {
			continue
		}
		bits, held = bits<<6|uint32(v-1), held+6
		if held >= 8 {
			held -= 8
			out[n] = byte(bits >> held)
			n++
		}
	}
	r.scratch[depth].text = out[:n]
	return out[:n]
}

// findStretches looks at the stretches of text in decoded bytes: in an image
// or a hash there are none worth a look.
func (r *Redactor) findStretches(decoded []byte, cut bool, depth int) {
	for i := 0; i+minStretch <= len(decoded); {
		at := i + minStretch - 1
		if !textByte(decoded[at]) {
			i += minStretch
			continue
		}
		start, end := at, at
		for start > i && textByte(decoded[start-1]) {
			start--
		}
		for end < len(decoded) && textByte(decoded[end]) {
			end++
		}
		if end-start < minStretch {
			i = end
			continue
		}
		for start > i && wideByte(decoded[start-1]) {
			start--
		}
		for end < len(decoded) && wideByte(decoded[end]) {
			end++
		}
		r.find(asString(decoded[start:end]), cut && end == len(decoded), depth+1)
		i = end
	}
}

func textByte(c byte) bool {
	return ' ' <= c && c < 0x7f || c == '\t' || c == '\n' || c == '\r' || c == 0x1b
}

// wideByte is textByte, and what may be part of a wider character.
func wideByte(c byte) bool { return c >= 0x80 || textByte(c) }
