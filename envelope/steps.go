package envelope

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"tribunal/envelope/internal/codec"
)

// MostSteps is how many steps of a trial are kept.
const MostSteps = 256

// Steps is the column of what trials called, in the order of the rows: of each trial the places of
// its steps in the table of the run. It is nil while no trial has any. A trial without steps of
// which a conversation is known has an empty list, one of which none is known has no list.
type Steps struct {
	ends   []int    // by row: where its steps end in places; the complement where none are known
	places []uint32 // of all rows
}

// Used reports whether steps of any row are known.
func (s Steps) Used() bool { return s.ends != nil }

// At are the steps of row i as places in the table of the run, and whether they are
// known. They are not to be changed.
func (s Steps) At(i int) (places []uint32, known bool) {
	if i >= len(s.ends) || s.ends[i] < 0 {
		return nil, false
	}
	begin := 0
	if i > 0 {
		begin = max(s.ends[i-1], ^s.ends[i-1])
	}
	return s.places[begin:s.ends[i]:s.ends[i]], true
}

// Set puts the steps of row n, which must lie behind the rows set before.
func (s *Steps) Set(n int, places []uint32) {
	for len(s.ends) < n {
		s.ends = append(s.ends, ^len(s.places))
	}
	s.places = append(s.places, places...)
	s.ends = append(s.ends, len(s.places))
}

// Map is the column with other places.
func (s Steps) Map(place func(uint32) uint32) Steps {
	out := Steps{ends: s.ends, places: make([]uint32, len(s.places))}
	for i, p := range s.places {
		out.places[i] = place(p)
	}
	return out
}

// Places are those of all rows, in their order.
func (s Steps) Places() []uint32 { return s.places }

func (s *Steps) extend(n int, from Steps, lo, hi int) {
	for i := lo; i < min(hi, len(from.ends)); i++ {
		if places, known := from.At(i); known {
			s.Set(n+i-lo, places)
		}
	}
}

func (s Steps) pick(order []int) Steps {
	var out Steps
	for i, from := range order {
		if places, known := s.At(from); known {
			out.Set(i, places)
		}
	}
	return out
}

// stepColumn is an array of arrays of places, null where no steps are known.
var stepColumn = codec.Kind[Steps]{
	Write: func(w *codec.Writer, s *Steps) {
		w.List('[', w.Rows, func(i int) {
			places, known := s.At(i)
			if !known {
				w.Text("null")
				return
			}
			w.List('[', len(places), func(i int) { w.B = strconv.AppendInt(w.B, int64(places[i]), 10) })
		})
	},
	Read: func(p *codec.Parser, s *Steps) {
		p.Expect('[')
		for n, more := 0, !p.Odd && p.Peek() != ']'; more && !p.Odd; n, more = n+1, p.More(']') {
			if p.Peek() == 'n' {
				p.Literal("null")
				s.ends = append(s.ends, ^len(s.places))
				continue
			}
			var places []int32
			codec.Numbers[int32]().Read(p, &places)
			for _, place := range places {
				p.Odd = p.Odd || place < 0
				s.places = append(s.places, uint32(place))
			}
			s.ends = append(s.ends, len(s.places))
		}
		p.Odd = p.Odd || !slices.ContainsFunc(s.ends, func(end int) bool { return end >= 0 })
	},
	None: func(s *Steps) bool { return !s.Used() },
}

// UnmarshalJSON reads what a report writes.
func (s *Steps) UnmarshalJSON(b []byte) error {
	var rows []*[]int32
	if err := json.Unmarshal(b, &rows); err != nil {
		return err
	}
	*s = Steps{}
	if !slices.ContainsFunc(rows, func(row *[]int32) bool { return row != nil }) {
		return nil
	}
	for i, row := range rows {
		if row == nil {
			s.ends = append(s.ends, ^len(s.places))
			continue
		}
		places := make([]uint32, len(*row))
		for j, place := range *row {
			if place < 0 {
				return fmt.Errorf("rows.steps[%d][%d]: there is no step %d", i, j, place)
			}
			places[j] = uint32(place)
		}
		s.Set(i, places)
	}
	return nil
}
