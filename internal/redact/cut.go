package redact

import (
	"slices"
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
// would be shown otherwise, or one without the name that tells what it is.
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
	for i := range r.found {
		r.found[i].start += from
		r.found[i].end += from
	}
	return r.found
}

// lost are the secrets that are not found as a whole.
func lost(secrets, found []hit) []hit {
	return slices.DeleteFunc(slices.Clone(secrets), func(h hit) bool {
		return slices.ContainsFunc(found, func(f hit) bool { return f.start <= h.start && h.end <= f.end })
	})
}

// border is where the character at i begins.
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

// cutAt reports whether a text was cut at i.
func cutAt(s string, i int) bool {
	rest := strings.TrimLeft(s[i:], " \n")
	return strings.HasPrefix(s[i:], ellipsis) || strings.HasPrefix(rest, cutMark)
}

const (
	fragmentMin = 12
	fragmentMax = 256
)

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
