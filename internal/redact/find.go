package redact

import (
	"cmp"
	"slices"
	"strings"

	"tribunal/internal/jsontext"
)

// hit is a secret: its place in the text, and its rank (the row of the table,
// then user patterns, then fragments), which decides who names it.
type hit struct{ start, end, rank int }

// rounds bounds how often a text is looked at again after secrets were taken
// out of it. What is left can only shrink, and nearly always the second look
// finds nothing; it is what makes redacting twice the same as once.
const rounds = 8

func (r *Redactor) findOutside(s string) {
	for base := 0; base < len(s); {
		at, size, _, _ := nextMarker(s[base:])
		first := len(r.found)
		r.find(s[base:base+at], false, 0)
		shift(r.found[first:], base)
		base += at + size
	}
}

func shift(hits []hit, by int) {
	for i := range hits {
		hits[i].start += by
		hits[i].end += by
	}
}

// cover writes a marker over every hit; hits that overlap are one secret.
func (r *Redactor) cover(s string) string {
	slices.SortFunc(r.found, func(a, b hit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rank, b.rank)) })
	var b strings.Builder
	from := 0
	for i := 0; i < len(r.found); {
		h := r.found[i]
		for i++; i < len(r.found) && r.found[i].start < h.end; i++ {
			h.end, h.rank = max(h.end, r.found[i].end), min(h.rank, r.found[i].rank)
		}
		b.WriteString(s[from:h.start])
		b.WriteString(marker(r.kind(h.rank)))
		from = h.end
	}
	b.WriteString(s[from:])
	return b.String()
}

func (r *Redactor) kind(rank int) string {
	if rank < len(r.rows) {
		return r.rows[rank].kind
	}
	if rank -= len(r.rows); rank < len(r.patterns) {
		return r.patterns[rank].kind
	}
	return kindFragment
}

// maxDepth is how many encodings, one inside the other, are decoded to look for secrets.
const maxDepth = 2

// find adds the secrets of s as it is and behind every encoding. cut says that
// s ends where something was cut off.
func (r *Redactor) find(s string, cut bool, depth int) {
	r.findPlain(s, cut)
	if depth == maxDepth {
		return
	}
	r.findPercent(s, cut, depth)
	for _, d := range decodings {
		if v := &r.views[depth]; d.holds(s) && v.decode(s, d.next) {
			r.findIn(v, cut, depth)
		}
	}
	r.findBase64(s, depth)
}

func (r *Redactor) findPlain(s string, cut bool) {
	clear(r.resume)
	r.words.scan(s, func(e end, behind int) {
		if behind-e.size < r.resume[e.row] {
			return
		}
		if ok, next := r.rows[e.row].at(&r.match, s, cut, e.size, behind); ok {
			r.resume[e.row] = next
			r.found = append(r.found, hit{r.match.start, r.match.end, e.row})
		}
	})
	for i, p := range r.patterns {
		for _, groups := range p.re.FindAllStringSubmatchIndex(s, -1) {
			if start, end := secretOf(groups); start < end {
				r.found = append(r.found, hit{start, end, len(r.rows) + i})
			}
		}
	}
	r.findFragments(s)
}

// findIn finds the secrets of a view, and puts them in their places in its text.
func (r *Redactor) findIn(v *view, cut bool, depth int) {
	first := len(r.found)
	r.find(jsontext.InPlace(v.text), cut, depth+1)
	for i := first; i < len(r.found); i++ {
		r.found[i].start, r.found[i].end = v.place(r.found[i].start), v.place(r.found[i].end)
	}
}

// findPercent looks through percent-encoding, one word without blanks after the
// other: encoded text has none. A plus is looked at as itself and as the blank that
// forms make of it.
func (r *Redactor) findPercent(s string, cut bool, depth int) {
	v := &r.views[depth]
	for from := 0; ; {
		at, size, _ := nextPercent(s, from, v.means[:0])
		if size == 0 {
			return
		}
		start, end := at, at
		for start > from && s[start-1] > ' ' {
			start--
		}
		for end < len(s) && s[end] > ' ' {
			end++
		}
		first, word := len(r.found), s[start:end]
		v.decode(word, nextPercent)
		r.findIn(v, cut && end == len(s), depth)
		if strings.IndexByte(word, '+') >= 0 {
			for i, c := range v.text {
				if c == '+' && word[v.place(i)] == '+' {
					v.text[i] = ' '
				}
			}
			r.findIn(v, cut && end == len(s), depth)
		}
		shift(r.found[first:], start)
		from = end
	}
}
