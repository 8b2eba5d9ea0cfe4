package count

import (
	"tribunal/envelope"
	"tribunal/internal/mix"
)

// Sums are those of the trials counted so far: of all, and of those of each input. A
// numbered trial that came twice counts once, as it does in Run. Trials that are dealt
// by a label have none.
func (b *Builder) Sums() (all envelope.TrialsSum, inputs []envelope.TrialsSum) {
	b.counting.Lock()
	defer b.counting.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := sums{bySource: map[int32]*envelope.TrialsSum{}, numbered: map[uint64]bool{}}
	hashes := make([]uint64, len(b.tests))
	for n, tl := range b.tests {
		hashes[n] = tl.Key.Hash()
		if tl.adopted != nil {
			s.rows(tl.adopted, func(int) uint64 { return hashes[n] })
		}
	}
	for _, c := range b.arrivals.chunks {
		s.rows(&c.rows, func(i int) uint64 { return hashes[c.tests[i]] })
	}
	for _, of := range s.bySource {
		inputs = append(inputs, *of)
	}
	return s.all, inputs
}

type sums struct {
	all      envelope.TrialsSum
	bySource map[int32]*envelope.TrialsSum
	numbered map[uint64]bool // trials with an attempt, by run and content
}

func (s *sums) rows(rows *envelope.Rows, test func(row int) uint64) {
	for i := range rows.Len() {
		w := rows.Row(i)
		sum := w.Sum(test(i))
		if s.bySource[w.Source] == nil {
			s.bySource[w.Source] = &envelope.TrialsSum{}
		}
		s.bySource[w.Source].Add(sum)
		if w.Attempt.OK {
			place := mix.Text(mix.Text(test(i), w.Run), sum.String())
			if s.numbered[place] {
				continue
			}
			s.numbered[place] = true
		}
		s.all.Add(sum)
	}
}
