package codec

import (
	"bytes"

	"tribunal/internal/decimal"
)

// whole reads a whole number of up to 18 digits.
func (p *Parser) whole() int64 {
	p.skipBlanks()
	n, end := decimal.Whole(p.B, p.At)
	p.behind(end)
	return n
}

func (p *Parser) real() float64 {
	p.skipBlanks()
	f, end := decimal.Real(p.B, p.At)
	p.behind(end)
	return f
}

// behind goes to where a number ended, -1 for one that needs another look.
func (p *Parser) behind(end int) {
	if end < 0 {
		p.Odd = true
		return
	}
	p.At = end
}

// NumberAt reads the number of one kind at an offset and returns the offset behind
// it, -1 when there is none.
func NumberAt[T Number](text []byte, i int) (v T, end int) {
	if T(1)/2 != 0 {
		f, end := decimal.Real(text, i)
		return T(f), end
	}
	n, end := decimal.Whole(text, i)
	if v = T(n); int64(v) != n {
		return 0, -1
	}
	return v, end
}

// CellAt reads a number that a comma follows and returns the offset of that, -1 when
// there is none.
func CellAt[T Number](text []byte, i int) (v T, end int) {
	if v, end = NumberAt[T](text, i); end < 0 || end == len(text) || text[end] != ',' {
		return 0, -1
	}
	return v, end
}

// NumberOf reads a number of one kind.
func NumberOf[T Number](p *Parser) T {
	p.skipBlanks()
	v, end := NumberAt[T](p.B, p.At)
	p.behind(end)
	return v
}

// Cells takes the beginning of an array that has cells, and guesses how many.
func (p *Parser) Cells() int {
	p.Expect('[')
	p.Odd = p.Odd || p.Peek() == ']'
	end := bytes.IndexByte(p.B[p.At:], ']')
	if p.Odd = p.Odd || end < 0; p.Odd {
		return 0
	}
	return bytes.Count(p.B[p.At:p.At+end], []byte{','}) + 1
}
