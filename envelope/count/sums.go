package count

import (
	"tribunal/envelope"
	"tribunal/internal/mix"
)

// Sums are those of the trials that a Builder had when it was asked last. A numbered
// trial that came twice counts once, as it does in Run. Trials that are dealt by a label
// have none.
type Sums struct {
	All      envelope.TrialsSum   // with what could not be read
	Errors   int                  // what could not be read
	Came     []envelope.TrialsSum // what came last and counts, by input
	trials   envelope.TrialsSum
	bySource map[int32]*envelope.TrialsSum
	tests    []uint64        // their hashes, by number
	reasons  []uint64        // likewise
	merged   int             // tests whose recorded rows are in it
	arrived  int             // trials that are in it
	numbered map[uint64]bool // trials with an attempt, by run and content
}

// Sum adds what came since to the sums, and returns those of the inputs that it came
// from.
func (b *Builder) Sum(s *Sums) (inputs []envelope.TrialsSum) {
	b.counting.Lock()
	defer b.counting.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, tl := range b.tests[len(s.tests):] {
		s.tests = append(s.tests, tl.Key.Hash())
	}
	s.reasons = envelope.HashReasons(s.reasons, b.reasons.list[len(s.reasons):])
	since := map[int32]*envelope.TrialsSum{}
	for _, test := range b.merged[s.merged:] {
		rows := b.tests[test].merged
		hashes := make([]uint64, rows.Len())
		for i := range hashes {
			hashes[i] = s.tests[test]
		}
		s.add(rows, hashes, since)
	}
	s.merged = len(b.merged)
	for ; s.arrived < b.arrivals.count; s.arrived += chunkRows - s.arrived%chunkRows {
		c := b.arrivals.chunks[s.arrived/chunkRows]
		from := s.arrived % chunkRows
		hashes := make([]uint64, len(c.tests)-from)
		for i, test := range c.tests[from:] {
			hashes[i] = s.tests[test]
		}
		rows := c.rows.Stretch(from, len(c.tests))
		s.add(&rows, hashes, since)
	}
	s.arrived = b.arrivals.count
	errors := b.errors()
	s.All, s.Errors = s.trials, 0
	for _, of := range errors {
		s.All.Add(envelope.SumOfErrors(of))
		s.Errors += len(of)
	}
	s.Came = s.Came[:0]
	for source, came := range since {
		s.Came = append(s.Came, *came)
		sum := *s.bySource[source]
		for _, one := range b.sets.sets[source] {
			sum.Add(envelope.SumOfErrors(errors[b.sources[one].Input]))
		}
		inputs = append(inputs, sum)
	}
	return inputs
}

// errors are those of reading so far, by input.
func (b *Builder) errors() map[string][]envelope.Problem {
	of := map[string][]envelope.Problem{}
	for _, p := range b.problems.list() {
		if p.IsOfReading() {
			of[p.Input] = append(of[p.Input], p)
		}
	}
	return of
}

// add adds rows whose tests have these hashes. What counts of them comes to since, by
// source.
func (s *Sums) add(rows *envelope.Rows, hashes []uint64, since map[int32]*envelope.TrialsSum) {
	if s.bySource == nil {
		s.bySource, s.numbered = map[int32]*envelope.TrialsSum{}, map[uint64]bool{}
	}
	sources, attempts, runs := rows.Source(), rows.Attempt(), rows.Run()
	rows.Sums(hashes, s.reasons, func(i int, sum envelope.TrialsSum) {
		source := sources.Opt(i).V
		if since[source] == nil {
			since[source] = &envelope.TrialsSum{}
		}
		if s.bySource[source] == nil {
			s.bySource[source] = &envelope.TrialsSum{}
		}
		s.bySource[source].Add(sum)
		if _, numbered := attempts.At(i); numbered {
			place := mix.Text(sum.Hash(), runs.At(i))
			if s.numbered[place] {
				return
			}
			s.numbered[place] = true
		}
		s.trials.Add(sum)
		since[source].Add(sum)
	})
}
