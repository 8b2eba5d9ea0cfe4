package codec

import (
	"math"
	"math/bits"
	"strconv"
)

// appendFloat writes a finite number in the shortest form that reads back as
// the same float64.
func appendFloat(b []byte, f float64) []byte {
	if whole, behind, ok := InMillionths(f); ok {
		if f < 0 {
			b = append(b, '-')
		}
		return appendMillionths(appendWhole(b, whole), behind)
	}
	abs := math.Abs(f)
	switch {
	case f == math.Trunc(f) && abs < 1e15:
		return AppendInt(b, int64(f))
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'e', -1, 64)
}

// InMillionths parts a number of at most six digits behind the point, as those of
// milliseconds and millionths of a dollar are, and takes them for a whole number.
// Decimals of up to 15 digits are told apart by float64, so the one that reads
// back as f is the shortest there is.
func InMillionths(f float64) (whole, behind uint64, ok bool) {
	const scale = 1e6
	abs := math.Abs(f)
	scaled := abs*scale + 0.5
	if !(scaled < 1e15) {
		return 0, 0, false
	}
	n := uint64(scaled)
	return n / scale, n % scale, float64(n)/scale == abs
}

// appendMillionths appends what is behind the point, without the zeros that end
// it.
func appendMillionths(b []byte, n uint64) []byte {
	if n == 0 {
		return b
	}
	first, second, third := 2*(n/10_000), 2*(n/100%100), 2*(n%100)
	b = append(b, '.', pairs[first], pairs[first+1], pairs[second], pairs[second+1], pairs[third], pairs[third+1])
	end := len(b)
	for b[end-1] == '0' {
		end--
	}
	return b[:end]
}

// pairs are the numbers of two digits.
var pairs = func() (p [200]byte) {
	for n := range byte(100) {
		p[2*n], p[2*n+1] = '0'+n/10, '0'+n%10
	}
	return p
}()

// AppendInt appends a whole number. Columns of them are most of a report, and
// strconv takes twice the time.
func AppendInt(b []byte, n int64) []byte {
	if n < 0 {
		return appendWhole(append(b, '-'), -uint64(n))
	}
	return appendWhole(b, uint64(n))
}

func appendWhole(b []byte, n uint64) []byte {
	if n < 10 {
		return append(b, byte('0'+n))
	}
	b = append(b, "00000000000000000000"[:Digits(n)]...)
	at := len(b)
	for ; n >= 100; n /= 100 {
		pair := 2 * (n % 100)
		at -= 2
		b[at], b[at+1] = pairs[pair], pairs[pair+1]
	}
	if n < 10 {
		b[at-1] = byte('0' + n)
		return b
	}
	b[at-2], b[at-1] = pairs[2*n], pairs[2*n+1]
	return b
}

// Digits is how many digits a number has.
func Digits(n uint64) int {
	count := (bits.Len64(n|1)*1233)>>12 + 1 // 1233 / 4096 is a little more than the logarithm of 2
	if n|1 < tens[count-1] {
		count--
	}
	return count
}

// tens are the powers of ten.
var tens = func() (t [20]uint64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = 10 * t[i-1]
	}
	return t
}()

// DigitsBehind is how many bytes are behind the whole part of a number with so
// many millionths.
func DigitsBehind(millionths uint64) int {
	if millionths == 0 {
		return 0
	}
	n := len(".000000")
	if millionths%1000 == 0 {
		millionths /= 1000
		n -= 3
	}
	switch {
	case millionths%100 == 0:
		return n - 2
	case millionths%10 == 0:
		return n - 1
	}
	return n
}
