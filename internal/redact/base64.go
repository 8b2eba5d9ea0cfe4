package redact

import (
	"encoding/base64"
	"slices"
	"strings"

	"tribunal/internal/jsontext"
)

const (
	minEncoded = 16 // base64 characters that are worth a look
	minStretch = 8  // bytes of text in what they decode to
	wrapAt     = 60 // from here on a line of base64 may go on in the next one
)

// encoded marks the characters of base64 of both alphabets.
var encoded = tableOf(func(c byte) bool { return alnum(c) || has("+/-_", c) })

// findBase64 looks into every run of base64. One that holds a secret is a
// secret as a whole.
func (r *Redactor) findBase64(s string, depth int) {
	for behind := 0; ; {
		start := nextRun(s, behind, minEncoded, &encoded)
		if start == len(s) {
			return
		}
		behind = encodedEnd(s, start)
		r.findUnspelled(s, start, behind)
		r.findEncoded(s, start, behind, depth)
	}
}

// nextRun is where the first run of bytes of a set from i on starts that is so long, or
// the length of s. Whatever its place, such a run holds one of the bytes that are looked at.
func nextRun(s string, i, least int, set *[256]bool) int {
	for at := i + least - 1; at < len(s); at += least {
		if !set[s[at]] {
			continue
		}
		start, end := at, at+1
		for start > i && set[s[start-1]] {
			start--
		}
		for end < len(s) && end-start < least && set[s[end]] {
			end++
		}
		if end-start >= least {
			return start
		}
		i, at = end, end-1
	}
	return len(s)
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
		for i < len(s) && i-from <= most && encoded[s[i]] {
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
		for i < len(s) && encoded[s[i]] {
			i++
		}
		next := i
		for next < len(s) && (s[next] == '\r' || s[next] == '\n') {
			next++
		}
		if next == i || next-i > 2 || i-line < wrapAt || next == len(s) || !encoded[s[next]] {
			return i
		}
		i, line = next, next
	}
}

// findEncoded decodes a run at its four alignments, because characters before the encoded text
// may look like a part of it.
func (r *Redactor) findEncoded(s string, start, end, depth int) {
	cut, v := cutAt(s, end), &r.views[depth]
	if v.innocent[s[start:end]] && !cut {
		return
	}
	v.run = append(v.run[:0], s[start:end]...)
	for i, c := range v.run {
		switch c {
		case '-':
			v.run[i] = '+'
		case '_':
			v.run[i] = '/'
		}
	}
	for shift := range 4 {
		first, best := len(r.found), 1<<30
		text := slices.Grow(v.text[:0], len(v.run))[:len(v.run)]
		n, _ := base64.RawStdEncoding.Decode(text, v.run[shift:]) // which ends too early, perhaps
		v.text = text
		r.findStretches(jsontext.InPlace(text[:n]), cut, depth)
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
	if !cut && end-start <= longestInnocent {
		if v.innocent == nil || len(v.innocent) == mostInnocent {
			v.innocent = map[string]bool{}
		}
		v.innocent[strings.Clone(s[start:end])] = true
	}
}

// Runs of base64 without a secret are remembered: those of ordinary texts are paths and
// long words, the same ones in every line of a stack trace.
const (
	mostInnocent    = 1 << 10
	longestInnocent = 120 // bytes: of longer ones there are few, and seldom twice
)

// findStretches looks at the stretches of text in decoded bytes: in an image
// or a hash there are none worth a look.
func (r *Redactor) findStretches(s string, cut bool, depth int) {
	for behind := 0; ; {
		start := nextRun(s, behind, minStretch, &textual)
		if start == len(s) {
			return
		}
		end := start + minStretch
		for start > behind && wide(s[start-1]) {
			start--
		}
		for end < len(s) && wide(s[end]) {
			end++
		}
		r.find(s[start:end], cut && end == len(s), depth+1)
		behind = end
	}
}

// textual marks the bytes of text in ASCII.
var textual = tableOf(func(c byte) bool { return ' ' <= c && c < 0x7f || has("\t\n\r\x1b", c) })

// wide is textual, and what may be part of a wider character.
func wide(c byte) bool { return c >= 0x80 || textual[c] }
