// Package decimal reads the numbers of JSON text.
//
// What it does not take it leaves to others: it says where a number is none, and not why.
//
// It leaves out writing numbers, and what they mean.
package decimal

import (
	"math"
	"strconv"
)

// Whole reads the whole number of up to 18 digits at the offset and returns the
// offset behind it, -1 when there is none.
func Whole(text []byte, p int) (n int64, end int) {
	digits, minus := unsigned(text, p)
	m, size := more(text, digits, 0)
	switch end = digits + size; {
	case size == 0, size > 18, text[digits] == '0' && (size > 1 || minus):
		return 0, -1
	case end < len(text) && (text[end] == '.' || text[end]|0x20 == 'e'):
		return 0, -1
	}
	if minus {
		return -int64(m), end
	}
	return int64(m), end
}

// Real reads the number at the offset and returns the offset behind it, -1 when
// there is none or float64 cannot hold it. Digits that make a whole number below
// 2^53, divided by a power of ten that is exact, give the float64 next to the
// decimal (W. D. Clinger, How to Read Floating Point Numbers Accurately, 1990);
// strconv reads all others.
func Real(text []byte, p int) (v float64, end int) {
	digits, minus := unsigned(text, p)
	n, size := more(text, digits, 0)
	if size == 0 || size > 1 && text[digits] == '0' {
		return 0, -1
	}
	places := 0
	if end = digits + size; end < len(text) && text[end] == '.' {
		n, places = more(text, end+1, n)
		if end += 1 + places; places == 0 {
			return 0, -1
		}
	}
	if size+places > 18 || n > 1<<53 || end < len(text) && text[end]|0x20 == 'e' {
		return exactly(text, p, end)
	}
	if v = Over(n, places); minus {
		v = -v
	}
	return v, end
}

// Over is a number of which so many digits, at most 22, are behind the point.
func Over(n uint64, places int) float64 { return float64(n) / powers[places] }

// powers are the powers of ten that float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
	1e20, 1e21, 1e22}

func unsigned(text []byte, p int) (digits int, minus bool) {
	if p < len(text) && text[p] == '-' {
		return p + 1, true
	}
	return p, false
}

// more reads digits that go on a number. Too many make it wrong.
func more(text []byte, p int, n uint64) (_ uint64, size int) {
	begin := p
	for ; p < len(text) && text[p]-'0' <= 9; p++ {
		n = n*10 + uint64(text[p]-'0')
	}
	return n, p - begin
}

// exactly reads the number that begins at p and whose exponent, if it has one, is
// at end.
func exactly(text []byte, p, end int) (v float64, _ int) {
	if end < len(text) && text[end]|0x20 == 'e' {
		end++
		if end < len(text) && (text[end] == '+' || text[end] == '-') {
			end++
		}
		first := end
		for end < len(text) && text[end]-'0' <= 9 {
			end++
		}
		if end == first {
			return 0, -1
		}
	}
	v, err := strconv.ParseFloat(string(text[p:end]), 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, -1
	}
	return v, end
}
