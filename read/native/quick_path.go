package native

import "encoding/binary"

// path is a way from the end of one value to the begin of the next: the key and
// everything else between them, with the quote that opens a string.
type path struct {
	text   [longestPath / 8]uint64 // what it looks like, eight bytes at a time
	counts [longestPath / 8]uint64 // which bits of that count
	size   int
	bit    fields // of the field it leads to
	to     field
	kind   valueKind
	quoted bool // it leads into a string
}

// longestPath is how many bytes a path may have: more is no habit of a runner.
const longestPath = 24

func newPath(text []byte, to field) path {
	w := path{size: len(text), bit: 1 << to, to: to}
	if to != edge {
		w.kind = kinds[to]
		w.quoted = w.kind == aText && text[len(text)-1] == '"'
	}
	if len(text) > longestPath {
		return w
	}
	var room, all [longestPath]byte
	for i := range copy(room[:], text) {
		all[i] = 0xff
	}
	for i := range w.text {
		w.text[i], w.counts[i] = eight(room[:], 8*i), eight(all[:], 8*i)
	}
	return w
}

// leads reports whether the path leads on from the offset, behind which there
// are at least as many bytes as a path may have.
func (w *path) leads(text []byte, p int) bool {
	there := (*[longestPath]byte)(text[p:])
	return (eight(there[:8], 0)^w.text[0])&w.counts[0]|(eight(there[8:16], 0)^w.text[1])&w.counts[1]|(eight(there[16:], 0)^w.text[2])&w.counts[2] == 0 && w.size > 0
}

func eight(text []byte, p int) uint64 { return binary.LittleEndian.Uint64(text[p:]) }

// ways are the paths that led on from a field, the latest first.
type ways struct {
	paths [2]path
	lead  int // where the first quote or the line end is in the latest
}

// other finds the path that leads on from the offset and is not the first that
// is known, nil when there is none to a field of a trial.
func (q *quick) other(text []byte, p int, before field) *path {
	known := &q.ways[before]
	if second := &known.paths[1]; p+longestPath <= len(text) && second.leads(text, p) {
		return second
	}
	to, value := follow(text, p, before == edge)
	if value < 0 {
		return nil
	}
	if to != edge && kinds[to] == aText && text[value] == '"' {
		value++
	}
	if value-p > longestPath {
		q.rare = newPath(text[p:value], to)
		return &q.rare
	}
	known.paths[1], known.paths[0] = known.paths[0], newPath(text[p:value], to)
	known.lead = 0
	for c := text[p]; c != '"' && c >= ' '; c = text[p+known.lead] {
		known.lead++
	}
	return &known.paths[0]
}

// follow finds the next field and the offset of its value, or the end of the
// record and the offset of the next line; -1 when there is neither.
func follow(text []byte, p int, first bool) (f field, value int) {
	p = blanks(text, p)
	switch c := text[p]; {
	case c == '}' && !first:
		if p = blanks(text, p+1); text[p] == '\n' {
			return edge, p + 1
		}
		return 0, -1
	case c == ',' && !first, c == '{' && first:
		return key(text, blanks(text, p+1))
	}
	return 0, -1
}

// key reads the name of a field and what is before its value.
func key(text []byte, p int) (f field, value int) {
	if text[p] != '"' {
		return 0, -1
	}
	end := p + 1
	for isWord(text[end]) {
		end++
	}
	f, known := byName[string(text[p+1:end])]
	if !known || kinds[f] == foreign || text[end] != '"' {
		return 0, -1
	}
	if p = blanks(text, end+1); text[p] != ':' {
		return 0, -1
	}
	return f, blanks(text, p+1)
}

func isWord(c byte) bool { return 'a' <= c && c <= 'z' || c == '_' }

// blanks returns the offset of the first byte from p on that is no blank. There
// is one: the line end.
func blanks(text []byte, p int) int {
	for text[p] == ' ' || text[p] == '\t' || text[p] == '\r' {
		p++
	}
	return p
}
