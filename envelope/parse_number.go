package envelope

import "tribunal/internal/decimal"

// whole reads a whole number of up to 18 digits.
func (p *parser) whole() int64 {
	p.skipBlanks()
	n, end := decimal.Whole(p.b, p.i)
	p.behind(end)
	return n
}

func (p *parser) real() float64 {
	p.skipBlanks()
	f, end := decimal.Real(p.b, p.i)
	p.behind(end)
	return f
}

// behind goes to where a number ended, -1 for one that needs another look.
func (p *parser) behind(end int) {
	if end < 0 {
		p.odd = true
		return
	}
	p.i = end
}
