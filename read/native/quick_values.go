package native

import (
	"math"
	"math/bits"
	"strconv"

	"tribunal/read/marks"
)

// valueKind is what a field of a trial holds.
type valueKind uint8

const (
	foreign valueKind = iota // nothing of a trial
	aText
	aCount   // from 0 to what 31 bits hold
	aLarge   // from 0 to what 63 bits hold
	anAmount // from 0
	aNumber
	aFlag
	someLabels
)

// counts reports whether it is a whole number from 0 on, measures whether it is
// any other number.
func (k valueKind) counts() bool   { return k == aCount || k == aLarge }
func (k valueKind) measures() bool { return k == anAmount || k == aNumber }

var kinds = [fieldCount]valueKind{
	fieldSchema: aText, fieldType: aText, fieldSuite: aText, fieldTest: aText, fieldVariant: aText, fieldAttempt: aCount, fieldRun: aText,
	fieldStatus: aText, fieldRawStatus: aText, fieldScore: aNumber, fieldCategory: aCount, fieldDurationMS: anAmount, fieldSetupMS: anAmount,
	fieldCostUSD: anAmount, fieldSetupCostUSD: anAmount, fieldTokens: aLarge, fieldToolCalls: aCount, fieldErrorClass: aText, fieldRetry: aFlag,
	fieldMessage: aText, fieldOutput: aText, fieldFile: aText, fieldLine: aCount, fieldStartedAt: aText, fieldLabels: someLabels,
}

// values are the values of one record.
type values struct {
	met     fields              // named at all
	present fields              // other than null
	texts   [fieldCount]stretch // what is between the quotes; of labels, the JSON text
	counts  [fieldCount]int64   // a flag is 0 or 1
	amounts [fieldCount]float64
	labels  []rawLabel
}

// read reads the value of a field and returns the offset behind it, -1 for one
// that is to be looked at with care.
func (v *values) read(m *marks.Text, p int, f field) (end int) {
	text := m.Bytes
	if text[p] == ' ' {
		p = blanks(text, p)
	}
	if text[p] == 'n' {
		return word(text, p, "null")
	}
	v.present |= 1 << f
	switch kinds[f] {
	case aText:
		return v.readText(m, p, f)
	case aCount:
		if v.counts[f], end = count(text, p); v.counts[f] > math.MaxInt32 {
			return -1
		}
		return end
	case aLarge:
		v.counts[f], end = count(text, p)
		return end
	case anAmount:
		if text[p] == '-' {
			return -1
		}
		v.amounts[f], end = amount(text, p)
		return end
	case aNumber:
		v.amounts[f], end = amount(text, p)
		return end
	case aFlag:
		if v.counts[f] = 0; text[p] == 't' {
			v.counts[f] = 1
			return word(text, p, "true")
		}
		return word(text, p, "false")
	}
	v.labels, end = rawLabels(m, p, v.labels[:0])
	if end > 0 {
		v.texts[f] = stretch{uint32(p), uint32(end)}
	}
	return end
}

func (v *values) readText(m *marks.Text, p int, f field) (end int) {
	if m.Bytes[p] != '"' {
		return -1
	}
	if end = m.Closing(p + 1); end < 0 {
		return -1
	}
	v.texts[f] = stretch{uint32(p + 1), uint32(end)}
	return end + 1
}

// word passes over a word.
func word(text []byte, p int, w string) (end int) {
	if end = p + len(w); end <= len(text) && string(text[p:end]) == w {
		return end
	}
	return -1
}

// count reads an integer from 0 on of at most 18 digits.
func count(text []byte, p int) (n int64, end int) {
	begin := p
	if p+8 <= len(text) {
		few, size := digits(eight(text, p))
		n, p = int64(few), p+size
	}
	for ; text[p]-'0' <= 9; p++ {
		n = n*10 + int64(text[p]-'0')
	}
	size := p - begin
	if size == 0 || size > 18 || size > 1 && text[begin] == '0' || text[p] == '.' || text[p]|0x20 == 'e' {
		return 0, -1
	}
	return n, p
}

// digits reads the decimal digits with which eight bytes begin: all at once,
// since to go from one to the next is to guess where they end.
func digits(eight uint64) (n uint64, size int) {
	values := eight ^ '0'*ones
	others := (values + (0x80-10)*ones | values) & highs // up to the first that is no digit
	size = bits.TrailingZeros64(others) / 8
	return together(values << (64 - 8*size)), size // the missing ones are zeros before them
}

// together is the number of eight decimal digits: pairs are put together, then
// fours, then all.
func together(values uint64) uint64 {
	values = values*10 + values>>8
	const pairs = 0x000000ff000000ff
	return (values&pairs*(100+1000000<<32) + values>>16&pairs*(1+10000<<32)) >> 32
}

// fewDigits reads a number from 0 on that takes all bytes from p to end and at most
// eight: its digits and how many of them are behind the point. It returns -1
// places for anything else.
func fewDigits(text []byte, p, end int) (n uint64, places int) {
	if uint(end-p-1) >= 8 || end < 8 {
		return 0, -1
	}
	size, before := end-p, uint(64-8*(end-p))&63
	values := (eight(text, end-8) ^ '0'*ones) >> before << before // what is before the number are zeros
	if others := ((values&^highs + (0x80-10)*ones) | values) & highs; others != 0 {
		point := others >> 7
		if others&(others-1) != 0 || values&(0xff*point) != ('.'^'0')*point || point>>before == 1 {
			return 0, -1
		}
		if places = bits.LeadingZeros64(others) / 8; places == 0 {
			return 0, -1
		}
		low := values & (point - 1)
		values, size = values&^(point<<8-1)|low<<8, size-places-1
	}
	if text[p] == '0' && size > 1 {
		return 0, -1
	}
	return together(values), places
}

var tens = [...]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// amount reads a number. One with few digits is one exact division away from
// its value, so that it is rounded once, as strconv does it (Clinger, How to Read Floating
// Point Numbers Accurately, 1990).
func amount(text []byte, p int) (v float64, end int) {
	begin := p
	if text[p] == '-' {
		p++
	}
	first := p
	n, size := number(text, p, 0)
	if p += size; size == 0 || size > 1 && text[first] == '0' {
		return 0, -1
	}
	places := 0
	if text[p] == '.' {
		n, places = number(text, p+1, n)
		if p += 1 + places; places == 0 {
			return 0, -1
		}
	}
	if text[p]|0x20 == 'e' || size+places > 18 || n > 1<<53 {
		return exactly(text, begin, p)
	}
	v = float64(n) / powers[places]
	if text[begin] == '-' {
		v = -v
	}
	return v, p
}

// number reads digits that go on a number. Too many make it wrong.
func number(text []byte, p int, n uint64) (_ uint64, size int) {
	begin := p
	if p+8 <= len(text) {
		few, size := digits(eight(text, p))
		n, p = n*tens[size]+few, p+size
	}
	for ; text[p]-'0' <= 9; p++ {
		n = n*10 + uint64(text[p]-'0')
	}
	return n, p - begin
}

// exactly reads the number whose exponent, if it has one, is at p.
func exactly(text []byte, begin, p int) (v float64, end int) {
	if text[p]|0x20 == 'e' {
		p++
		if text[p] == '+' || text[p] == '-' {
			p++
		}
		first := p
		for text[p]-'0' <= 9 {
			p++
		}
		if p == first {
			return 0, -1
		}
	}
	v, err := strconv.ParseFloat(inPlace(text[begin:p]), 64)
	if err != nil {
		return 0, -1
	}
	return v, p
}
