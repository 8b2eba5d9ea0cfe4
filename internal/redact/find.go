package redact

import (
	"cmp"
	"slices"
	"strings"
)

// hit is a secret: its place in the text, and its rank (the row of the table,
// then user patterns, then fragments), which decides who names it.
type hit struct{ start, end, rank int }

// rounds bounds how often a text is looked at again after secrets were taken
// out of it. What is left can only shrink, and nearly always the second look
// finds nothing; it is what makes redacting twice the same as once.
const rounds = 8

// findOutside looks for secrets outside of markers.
func (r *Redactor) findOutside(s string) {
	for base := 0; base < len(s); {
		at, size, _, _ := nextMarker(s[base:])
		first := len(r.found)
		r.find(s[base:base+at], false, 0)
		for i := first; i < len(r.found); i++ {
			r.found[i].start += base
			r.found[i].end += base
		}
		base += at + size
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

// find adds the secrets of s as it is and behind every encoding. cut says that
// s ends where something was cut off.
func (r *Redactor) find(s string, cut bool, depth int) {
	r.spots[depth] = r.words.scan(s, r.spots[depth])
	r.findScanned(s, cut, depth)
}

// findScanned is find for a text whose literals are known.
func (r *Redactor) findScanned(s string, cut bool, depth int) {
	r.findPlain(s, cut, depth)
	if depth < maxDepth {
		r.findPercent(s, cut, depth)
		r.findTerminal(s, cut, depth)
		r.findHidden(s, cut, depth)
		r.findEscaped(s, cut, depth)
		r.findBase64(s, depth)
	}
}

func (r *Redactor) findPlain(s string, cut bool, depth int) {
	clear(r.resume)
	found := func(e end, behind int) {
		if behind-e.size < r.resume[e.row] {
			return
		}
		if ok, next := r.rows[e.row].at(&r.match, s, cut, e.size, behind); ok {
			r.resume[e.row] = next
			r.found = append(r.found, hit{r.match.start, r.match.end, e.row})
		}
	}
	if len(s) > longScan {
		r.words.inParts(s, found)
	} else {
		r.words.each(r.spots[depth], found)
	}
	for i, p := range r.patterns {
		for _, groups := range p.re.FindAllStringSubmatchIndex(s, -1) {
			if start, end := secretOf(groups); start < end {
				r.found = append(r.found, hit{start, end, len(r.rows) + i})
			}
		}
	}
	r.findFragments(s)
}
