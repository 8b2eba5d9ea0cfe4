package redact

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"
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

// maxDepth is how many encodings, one inside the other, are decoded to look for secrets.
const maxDepth = 2

// view is a text as it reads with one encoding taken off, and where its bytes (and
// its end) were.
type view struct {
	text   []byte
	pieces []piece
}

// piece is a stretch of a view that stood together: where it begins in both. A made one
// is a byte that stands for what stood there.
type piece struct {
	text, at int
	made     bool
}

// resolve makes the view of s in which what next finds from a place on is replaced by
// what it means: nothing, or some bytes. It is false where there is none.
func (v *view) resolve(s string, next func(i int) (at, size int, means []byte)) bool {
	from := 0
	at, size, means := next(0)
	if size == 0 {
		return false
	}
	v.text, v.pieces = v.text[:0], v.pieces[:0]
	for ; size > 0; at, size, means = next(from) {
		v.run(s, from, at)
		for _, c := range means {
			v.put(c, at)
		}
		from = at + size
	}
	v.run(s, from, len(s))
	v.from(len(s))
	return true
}

// put adds a byte that was made of what stood at a place.
func (v *view) put(c byte, at int) {
	v.pieces = append(v.pieces, piece{len(v.text), at, true})
	v.text = append(v.text, c)
}

func (v *view) run(s string, start, end int) {
	if start == end {
		return
	}
	v.from(start)
	v.text = append(v.text, s[start:end]...)
}

// from says where what follows stood: at the end, the end of the text.
func (v *view) from(at int) {
	if n := len(v.pieces); n > 0 && !v.pieces[n-1].made && v.pieces[n-1].at-v.pieces[n-1].text == at-len(v.text) {
		return
	}
	v.pieces = append(v.pieces, piece{len(v.text), at, false})
}

// end is where a piece ends in the view.
func (v *view) end(n int) int {
	if n+1 == len(v.pieces) {
		return len(v.text)
	}
	return v.pieces[n+1].text
}

// place is where a byte of the view was.
func (v *view) place(i int) int {
	n, _ := slices.BinarySearchFunc(v.pieces, i+1, func(p piece, i int) int { return cmp.Compare(p.text, i) })
	return v.pieces[n-1].at + i - v.pieces[n-1].text
}

// asString is the text without copying it. It must not outlive the next reset.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// findResolved looks at the text with what next finds resolved.
func (r *Redactor) findResolved(s string, cut bool, depth int, next func(i int) (at, size int, means []byte)) {
	if v := &r.scratch[depth]; v.resolve(s, next) {
		r.through(s, v, cut, depth)
	}
}

// through finds the secrets of a view of s, and puts them back in their places.
func (r *Redactor) through(s string, v *view, cut bool, depth int) {
	if len(s) > longScan {
		r.inPart(v, cut, depth)
		return
	}
	r.spots[depth+1] = r.words.carry(r.spots[depth], v, r.spots[depth+1])
	first := len(r.found)
	r.findScanned(asString(v.text), cut, depth+1)
	r.putBack(v, first)
}

// inPart is through for a view of a part of the text.
func (r *Redactor) inPart(v *view, cut bool, depth int) {
	first := len(r.found)
	r.find(asString(v.text), cut, depth+1)
	r.putBack(v, first)
}

func (r *Redactor) putBack(v *view, first int) {
	for i := first; i < len(r.found); i++ {
		r.found[i].start, r.found[i].end = v.place(r.found[i].start), v.place(r.found[i].end)
	}
}

// findPercent looks through percent-encoding, one word without blanks after the
// other: encoded text has none.
func (r *Redactor) findPercent(s string, cut bool, depth int) {
	for from := 0; ; {
		at := nextPercent(s[from:])
		if at < 0 {
			return
		}
		start, end := from+at, from+at
		for start > from && s[start-1] > ' ' {
			start--
		}
		for end < len(s) && s[end] > ' ' {
			end++
		}
		first := len(r.found)
		r.findInWord(s[start:end], cut && end == len(s), depth)
		shift(r.found[first:], start)
		from = end
	}
}

// findInWord looks at a plus as itself and as the blank that forms make of it.
func (r *Redactor) findInWord(s string, cut bool, depth int) {
	v := &r.scratch[depth]
	v.resolve(s, func(i int) (at, size int, _ []byte) {
		if at = nextPercent(s[i:]); at < 0 {
			return 0, 0, nil
		}
		r.means[0], _ = percentByte(s[i+at:])
		return i + at, len("%00"), r.means[:1]
	})
	r.inPart(v, cut, depth)
	if strings.IndexByte(s, '+') < 0 {
		return
	}
	for i, c := range v.text {
		if c == '+' && s[v.place(i)] == '+' {
			v.text[i] = ' '
		}
	}
	r.inPart(v, cut, depth)
}

// nextPercent is where the first percent-encoded byte is, or -1.
func nextPercent(s string) int {
	for from := 0; ; {
		at := strings.IndexByte(s[from:], '%')
		if at < 0 {
			return -1
		}
		if _, ok := percentByte(s[from+at:]); ok {
			return from + at
		}
		from += at + 1
	}
}

func percentByte(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	hi, lo := nibble(s[1]), nibble(s[2])
	return hi<<4 | lo, hi < 16 && lo < 16
}

func nibble(c byte) byte {
	switch {
	case digit(c):
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0xff
}
