package decimal

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

func eight(text []byte, p int) uint64 { return binary.LittleEndian.Uint64(text[p:]) }

// together is the number of eight decimal digits: pairs are put together, then
// fours, then all.
func together(values uint64) uint64 {
	values = values*10 + values>>8
	const pairs = 0x000000ff000000ff
	return (values&pairs*(100+1000000<<32) + values>>16&pairs*(1+10000<<32)) >> 32
}

// Few reads a number from 0 on that takes all bytes from p to end and at most
// eight: its digits and how many of them are behind the point (see [Over]). It
// returns -1 places for anything else, and if there are not eight bytes before
// the end.
func Few(text []byte, p, end int) (n uint64, places int) {
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
