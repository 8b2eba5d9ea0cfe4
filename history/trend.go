package history

import (
	"context"

	"tribunal/envelope"
	"tribunal/trend"
)

// Trend reads what the tests did in the selected runs. Only tests that keep
// accepts are in it; nil keeps all. The confidence is a fraction.
func (s *Store) Trend(ctx context.Context, sel Selection, confidence float64, keep func(envelope.Key) bool) (*trend.Trend, error) {
	runs, stored, err := s.List(ctx, sel)
	if err != nil {
		return nil, err
	}
	b := trend.NewBuilder(confidence, len(runs))
	b.Selected(sel.Latest, stored)
	rosters := map[string][]int{} // by hash: the number of each test, -1 if it is left out
	for _, r := range runs {
		if err := s.collect(ctx, r, b, rosters, keep); err != nil {
			return nil, s.failed("reading run "+r.ID[:12]+" of", err)
		}
	}
	return b.Trend(), nil
}

func (s *Store) collect(ctx context.Context, r Run, b *trend.Builder, rosters map[string][]int, keep func(envelope.Key) bool) error {
	b.Run(r.ID, r.Header, r.Policy, r.Summary)
	roster, known := rosters[r.roster]
	if !known {
		var err error
		if roster, err = s.roster(ctx, r.roster, b, keep); err != nil {
			return err
		}
		rosters[r.roster] = roster
	}
	var counts []byte
	if err := s.db.QueryRowContext(ctx, `SELECT counts FROM tribunal_runs WHERE seq = $1`, r.seq).Scan(&counts); err != nil {
		return err
	}
	return unpackCounts(counts, len(roster), func(i int, p trend.Point) {
		if roster[i] >= 0 {
			b.Point(roster[i], p)
		}
	})
}

func (s *Store) roster(ctx context.Context, hash string, b *trend.Builder, keep func(envelope.Key) bool) ([]int, error) {
	var packed []byte
	if err := s.db.QueryRowContext(ctx, `SELECT tests FROM tribunal_rosters WHERE hash = $1`, hash).Scan(&packed); err != nil {
		return nil, err
	}
	keys, err := unpackRoster(packed)
	if err != nil {
		return nil, err
	}
	tests := make([]int, len(keys))
	for i, k := range keys {
		tests[i] = -1
		if keep == nil || keep(k) {
			tests[i] = b.Test(k)
		}
	}
	return tests, nil
}
