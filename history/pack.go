package history

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/history/trend"
	"tribunal/stats"
)

// Both blobs begin with the number of their form, so that a later version can
// pack them otherwise and still read these.
const (
	rosterForm = 1
	countsForm = 1
	scoresForm = 2 // counts of which some have scores
)

var errDamaged = errors.New("a record is damaged; restore a copy of the history, or move it away and add the runs again")

// packRoster is the keys of the tests, each as three texts with their lengths.
func packRoster(keys []envelope.Key) []byte {
	b := binary.AppendUvarint([]byte{rosterForm}, uint64(len(keys)))
	for _, k := range keys {
		for _, word := range []string{k.Suite, k.Test, k.Variant} {
			b = append(binary.AppendUvarint(b, uint64(len(word))), word...)
		}
	}
	return b
}

func unpackRoster(b []byte) ([]envelope.Key, error) {
	u := unpacker{b: b}
	n := u.start(rosterForm)
	keys := make([]envelope.Key, 0, n)
	for range n {
		keys = append(keys, envelope.Key{Suite: u.word(), Test: u.word(), Variant: u.word()})
	}
	return keys, u.end()
}

// The bits of the first byte of a point.
const (
	bitFlaky    = 1 << 3 // above the code of the status
	bitCost     = 1 << 4
	bitDuration = 1 << 5
	bitScores   = 1 << 6
	bitDecide   = 1 << 7
	maskStatus  = bitFlaky - 1
)

// packCounts is the points of a run in the order of its roster.
func packCounts(points []trend.Point) []byte {
	form := byte(countsForm)
	if slices.ContainsFunc(points, func(p trend.Point) bool { return p.Scores != nil }) {
		form = scoresForm
	}
	b := binary.AppendUvarint(append(make([]byte, 0, 24*len(points)+8), form), uint64(len(points)))
	for _, p := range points {
		head := byte(p.Status) & maskStatus
		if p.Flaky {
			head |= bitFlaky
		}
		if !math.IsNaN(p.CostUSD) {
			head |= bitCost
		}
		if !math.IsNaN(p.DurationMS) {
			head |= bitDuration
		}
		if p.Scores != nil {
			head |= bitScores
			if p.Scores.Decide {
				head |= bitDecide
			}
		}
		b = append(b, head)
		for _, n := range []int32{p.Counted, p.Passed, p.Excluded} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		if head&bitCost != 0 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.CostUSD))
		}
		if head&bitDuration != 0 {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.DurationMS))
		}
		if p.Scores != nil {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Scores.Mean))
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.Scores.Squares))
		}
	}
	return b
}

// unpackCounts hands on the points of a run in the order of its roster, which
// has n tests.
func unpackCounts(b []byte, n int, each func(i int, p trend.Point)) error {
	u := unpacker{b: b}
	if u.start(countsForm, scoresForm) != n {
		return errDamaged
	}
	for i := range n {
		head := u.byte()
		p := trend.Point{Status: trend.Code(head & maskStatus), Flaky: head&bitFlaky != 0,
			Counted: u.count(), Passed: u.count(), Excluded: u.count(), CostUSD: math.NaN(), DurationMS: math.NaN()}
		if head&bitCost != 0 {
			p.CostUSD = u.float()
		}
		if head&bitDuration != 0 {
			p.DurationMS = u.float()
		}
		if head&bitScores != 0 {
			p.Scores = &trend.Scores{Scored: stats.Scored{N: int(p.Counted), Mean: u.float(), Squares: u.float()}, Decide: head&bitDecide != 0}
		}
		if u.failed || p.Passed > p.Counted {
			return errDamaged
		}
		each(i, p)
	}
	return u.end()
}

// unpacker reads a blob; after the first thing that cannot be, it reads zeros.
type unpacker struct {
	b      []byte
	failed bool
}

// start reads the form and the number of entries, which take a byte each at
// least.
func (u *unpacker) start(forms ...byte) int {
	if !slices.Contains(forms, u.byte()) {
		u.failed = true
	}
	n := u.uvarint()
	if u.failed || n > uint64(len(u.b)) {
		u.failed = true
		return 0
	}
	return int(n)
}

func (u *unpacker) byte() byte {
	if len(u.b) == 0 {
		u.failed = true
		return 0
	}
	v := u.b[0]
	u.b = u.b[1:]
	return v
}

func (u *unpacker) uvarint() uint64 {
	v, n := binary.Uvarint(u.b)
	if n <= 0 {
		u.failed = true
		return 0
	}
	u.b = u.b[n:]
	return v
}

func (u *unpacker) count() int32 {
	v := u.uvarint()
	if v > math.MaxInt32 {
		u.failed = true
		return 0
	}
	return int32(v)
}

func (u *unpacker) float() float64 {
	if len(u.b) < 8 {
		u.failed = true
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(u.b))
	u.b = u.b[8:]
	return v
}

func (u *unpacker) word() string {
	n := u.uvarint()
	if n > uint64(len(u.b)) {
		u.failed = true
		return ""
	}
	v := string(u.b[:n])
	u.b = u.b[n:]
	return v
}

// end reports whether everything was read, and nothing more.
func (u *unpacker) end() error {
	if u.failed || len(u.b) > 0 {
		return errDamaged
	}
	return nil
}
