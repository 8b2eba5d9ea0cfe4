package redact

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Beyond is how many bytes on each side of a cut are searched for a secret that the cut
// would split.
const Beyond = 4 << 10

var shared = sync.Pool{New: func() any {
	r, err := New(Rules{})
	if err != nil {
		panic(err) // no rule, no error
	}
	return r
}}

// Split is where the two parts of a text end and begin that is cut at a place: there, or
// on both sides of the character or the secret that the cut would split. A part of a secret
// would be shown otherwise, or one without the name that says what it is.
func Split(s string, at int) (before, after int) {
	if at <= 0 || at >= len(s) {
		return at, at
	}
	before, after = border(s, at), at
	for before < after && after < len(s) && !utf8.RuneStart(s[after]) {
		after++
	}
	r := shared.Get().(*Redactor)
	defer shared.Put(r)
	from, to := border(s, max(0, at-Beyond)), border(s, min(len(s), at+Beyond))
	secrets := slices.Clone(r.within(s, from, to))
	for cut := -1; cut != before && len(secrets) > 0; { // the head as it is read alone
		cut = before
		for _, h := range lost(secrets, r.within(s, from, cut)) {
			if h.start < cut {
				before = min(before, h.start)
			}
		}
	}
	for cut := -1; cut != after && len(secrets) > 0; {
		cut = after
		for _, h := range lost(secrets, r.within(s, cut, to)) {
			if h.end > cut {
				after = max(after, h.end)
			}
		}
	}
	return before, after
}

// within are the secrets of a part of a text, until it is called again.
func (r *Redactor) within(s string, from, to int) []hit {
	r.found = r.found[:0]
	r.findOutside(s[from:to])
	shift(r.found, from)
	return r.found
}

func lost(secrets, found []hit) []hit {
	return slices.DeleteFunc(slices.Clone(secrets), func(h hit) bool {
		return slices.ContainsFunc(found, func(f hit) bool { return f.start <= h.start && h.end <= f.end })
	})
}

func border(s string, i int) int {
	for n := 1; n < utf8.UTFMax && i > 0 && i < len(s) && !utf8.RuneStart(s[i]); n++ {
		i--
	}
	return i
}

// The marks that say a text was cut: those of kept details and of quotations.
const (
	cutMark    = "[... "
	cutMarkEnd = " bytes cut ...]"
	markEnd    = "...]" // of cutMarkEnd, whose blank is everywhere
	ellipsis   = "…"
)

func cutAt(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], " \n")
	return strings.HasPrefix(s[i:], ellipsis) || strings.HasPrefix(rest, cutMark)
}

const fragmentMin, fragmentMax = 12, 256

// findFragments finds what may be the rest of a secret whose head was cut off:
// a run of letters and digits, well mixed, right behind the mark of a cut.
func (r *Redactor) findFragments(s string) {
	for base := 0; ; {
		at := strings.Index(s[base:], markEnd)
		if at < 0 {
			return
		}
		base += at + len(markEnd)
		if !strings.HasSuffix(s[:base], cutMarkEnd) {
			continue
		}
		start := base
		for start < len(s) && (s[start] == ' ' || s[start] == '\n') {
			start++
		}
		end, digits, letters := start, 0, 0
		for ; end < len(s) && (alnum(s[end]) || has("_-+=", s[end])); end++ {
			if digit(s[end]) {
				digits++
			} else if letter(s[end]) {
				letters++
			}
		}
		if n := end - start; n >= fragmentMin && n <= fragmentMax && digits >= 2 && letters >= 4 {
			r.found = append(r.found, hit{start, end, len(r.rows) + len(r.patterns)})
		}
	}
}

const (
	markerStart = "[redacted:"
	kindMax     = 40
	numberMax   = 9 // digits
)

// marker replaces a secret. It shows only the kind: a digest, however short, would
// confirm a guess.
func marker(kind string) string { return markerStart + kind + "]" }

// Number is a redacted text with a number in its first marker that has none, for
// names that differ in their secrets alone.
func Number(s string, n int) string {
	for from := 0; ; {
		at, size, kind, numbered := nextMarker(s[from:])
		if size == 0 {
			return s
		}
		if from += at; !numbered {
			return s[:from] + markerStart + kind + ":" + strconv.Itoa(n) + "]" + s[from+size:]
		}
		from += size
	}
}

// validKind reports whether a word can be the kind of a secret: up to 40 small
// letters, digits and dashes.
func validKind(kind string) bool {
	for i := range len(kind) {
		if c := kind[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return kind != "" && len(kind) <= kindMax
}

// nextMarker finds the first marker in s: its place, length and kind, and whether
// it has a number. There is none when size is 0.
func nextMarker(s string) (at, size int, kind string, numbered bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], markerStart)
		if i < 0 {
			return len(s), 0, "", false
		}
		at := from + i
		if kind, size, numbered := markerAt(s[at:]); size > 0 {
			return at, size, kind, numbered
		}
		from = at + len(markerStart)
	}
}

func markerAt(s string) (kind string, size int, numbered bool) {
	const most = len(markerStart) + kindMax + 1 + numberMax + 1
	closing := strings.IndexByte(s[:min(len(s), most)], ']')
	if closing < 0 {
		return "", 0, false
	}
	kind, number, numbered := strings.Cut(s[len(markerStart):closing], ":")
	if !validKind(kind) || numbered && (number == "" || number[0] == '0' || len(number) > numberMax || !only(number, digit)) {
		return "", 0, false
	}
	return kind, closing + 1, numbered
}

// Markers calls found with the kind of every marker in s, and whether it has a
// number.
func Markers(s string, found func(kind string, numbered bool)) {
	for {
		at, size, kind, numbered := nextMarker(s)
		if size == 0 {
			return
		}
		found(kind, numbered)
		s = s[at+size:]
	}
}

// Anonymous is a redacted text in which every marker is the constant [redacted]:
// for digests, which must not depend on how secrets were numbered.
func Anonymous(s string) string {
	var b strings.Builder
	for {
		at, size, _, _ := nextMarker(s)
		if size == 0 && b.Len() == 0 {
			return s
		}
		b.WriteString(s[:at])
		if size == 0 {
			return b.String()
		}
		b.WriteString("[redacted]")
		s = s[at+size:]
	}
}
