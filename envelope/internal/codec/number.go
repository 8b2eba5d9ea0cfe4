package codec

import (
	"math"
	"strconv"
)

// appendFloat writes a finite number in the shortest form that reads back as
// the same float64.
func appendFloat(b []byte, f float64) []byte {
	if whole, behind, ok := inMillionths(f); ok {
		if f < 0 {
			b = append(b, '-')
		}
		return appendMillionths(strconv.AppendUint(b, whole, 10), behind)
	}
	abs := math.Abs(f)
	switch {
	case f == math.Trunc(f) && abs < 1e15:
		return strconv.AppendInt(b, int64(f), 10)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'e', -1, 64)
}

// inMillionths parts a number of at most six digits behind the point, as those of
// milliseconds and millionths of a dollar are, and takes them for a whole number.
// Decimals of up to 15 digits differ as float64, so the one that reads
// back as f is the shortest there is.
func inMillionths(f float64) (whole, behind uint64, ok bool) {
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
