package envelope

import (
	"math"
	"strconv"
	"unsafe"
)

// whole reads a whole number of up to 18 digits.
func (p *parser) whole() int64 {
	p.skipBlanks()
	n, end := wholeAt(p.b, p.i)
	p.odd = p.odd || end == 0
	p.i = end
	return n
}

// wholeAt reads the whole number at b[i:] and says where it ends, 0 when there
// is none or it needs another look.
func wholeAt(b []byte, i int) (n int64, end int) {
	start, minus := i, false
	if i < len(b) && b[i] == '-' {
		minus = true
		i++
		start = i
	}
	for i < len(b) && b[i]-'0' <= 9 {
		n = n*10 + int64(b[i]-'0')
		i++
	}
	switch digits := i - start; {
	case digits == 0, digits > 18, b[start] == '0' && (digits > 1 || minus):
		return 0, 0
	case i < len(b) && (b[i] == '.' || b[i]|0x20 == 'e'):
		return 0, 0
	}
	if minus {
		n = -n
	}
	return n, i
}

func (p *parser) real() float64 {
	p.skipBlanks()
	f, end := realAt(p.b, p.i)
	p.odd = p.odd || end == 0
	p.i = end
	return f
}

// powers are the powers of ten that float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// realAt reads the number at b[i:]; end is 0 when there is none. Digits that
// make a whole number below 2^53, divided by a power of ten that is exact, give
// the float64 next to the decimal (W. D. Clinger, How to read floating point
// numbers accurately, 1990); strconv reads all others.
func realAt(b []byte, i int) (f float64, end int) {
	start, minus := i, false
	if i < len(b) && b[i] == '-' {
		minus = true
		i++
	}
	digits, n, point := i, uint64(0), 0
	for i < len(b) && b[i]-'0' <= 9 {
		n = n*10 + uint64(b[i]-'0')
		i++
	}
	if i == digits || b[digits] == '0' && i-digits > 1 {
		return 0, 0
	}
	count := i - digits
	if i < len(b) && b[i] == '.' {
		point = i
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
			n = n*10 + uint64(b[i]-'0')
		}
		if i-point == 1 {
			return 0, 0
		}
		point = i - point - 1
		count += point
	}
	if count > 19 || n >= 1<<53 || i < len(b) && b[i]|0x20 == 'e' {
		return anyReal(b, start, i)
	}
	f = float64(n) / powers[point]
	if minus {
		f = -f
	}
	return f, i
}

// anyReal reads a number whose digits end at i, and where its exponent may be.
func anyReal(b []byte, start, i int) (f float64, end int) {
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first := i
		for i < len(b) && b[i]-'0' <= 9 {
			i++
		}
		if i == first {
			return 0, 0
		}
	}
	f, err := strconv.ParseFloat(unsafe.String(&b[start], i-start), 64)
	if err != nil || math.IsInf(f, 0) {
		return 0, 0
	}
	return f, i
}
