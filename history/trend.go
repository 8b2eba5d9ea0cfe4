package history

import (
	"context"
	"slices"

	"tribunal/envelope"
	"tribunal/history/trend"
)

// Query says what a trend is of.
type Query struct {
	Selection
	Confidence float64                 // a fraction
	Keep       func(envelope.Key) bool // which tests; nil for all
	// Now is a run that comes last whether it is stored or not; of the stored
	// ones only those are looked at that did not start after it. It counts once:
	// it is recognised by its trials and by when it began.
	Now *envelope.Envelope
	// Ever asks for evidence over all runs with the labels, also those before the latest
	// that are chosen.
	Ever bool
	// Owners asks for the owners of the tests.
	Owners bool
}

// Trend reads what the tests did in the selected runs.
func (s *Store) Trend(ctx context.Context, q Query) (*trend.Trend, error) {
	runs, stored, err := s.upTo(ctx, q)
	if err != nil {
		return nil, err
	}
	b := trend.NewBuilder(q.Confidence)
	b.Selected(q.Latest, stored)
	rosters := map[string][]int{} // by hash: the number of each test, -1 if it is left out
	if q.Ever {
		b.Ever()
		if err := s.earlier(ctx, q, len(runs), b, rosters); err != nil {
			return nil, err
		}
	}
	for _, r := range runs {
		b.Run(r.ID, r.Header, r.Policy, r.Summary)
		if err := s.collect(ctx, r, b, rosters, q.Keep, b.Point); err != nil {
			return nil, s.failed("reading run "+r.Short()+" of", err)
		}
	}
	if q.Now != nil {
		addNow(b, q.Now)
	}
	t := b.Trend()
	if q.Owners {
		err = s.owners(ctx, runs, t)
	}
	return t, err
}

// latestWithOwners is in how many of the latest runs owners are looked for: a run may be
// a shard that has some of the tests.
const latestWithOwners = 8

// owners gives tests the owners that the latest run with them says.
func (s *Store) owners(ctx context.Context, runs []Run, t *trend.Trend) error {
	known := map[envelope.Key][]string{}
	for n := range min(latestWithOwners, len(runs)) {
		e, err := s.Envelope(ctx, runs[len(runs)-1-n])
		if err != nil {
			return err
		}
		any := n > 0
		for i := range e.Tests {
			of := &e.Tests[i]
			if _, seen := known[of.Key]; !seen {
				known[of.Key] = of.Owners
			}
			any = any || of.Owners != nil
		}
		if !any || len(known) >= len(t.Tests) {
			break
		}
	}
	for i := range t.Tests {
		t.Tests[i].Owners = known[t.Tests[i].Key]
	}
	return nil
}

// upTo are the selected runs, those before Now where that is given, and how many
// there are to choose from.
func (s *Store) upTo(ctx context.Context, q Query) ([]Run, int, error) {
	if q.Now == nil {
		return s.List(ctx, q.Selection)
	}
	all, _, err := s.List(ctx, Selection{Labels: q.Labels})
	if err != nil {
		return nil, 0, err
	}
	now, err := occasionOf(q.Now)
	if err != nil {
		return nil, 0, err
	}
	all = now.without(slices.DeleteFunc(all, func(r Run) bool { return now.dated && r.at > now.began }))
	stored := len(all) + 1
	if q.Latest > 0 && stored > q.Latest {
		all = all[stored-q.Latest:]
	}
	return all, stored, nil
}

func addNow(b *trend.Builder, e *envelope.Envelope) {
	b.Run("", dated(e), e.Policy, e.Summary)
	for i := range e.Tests {
		b.Point(b.Test(e.Tests[i].Key), trend.PointOf(&e.Tests[i]))
	}
}

// earlier reads the runs before the latest that are chosen.
func (s *Store) earlier(ctx context.Context, q Query, chosen int, b *trend.Builder, rosters map[string][]int) error {
	all, _, err := s.List(ctx, Selection{Labels: q.Labels})
	if err != nil {
		return err
	}
	for _, r := range all[:max(0, len(all)-chosen)] {
		b.Earlier(trend.Run{ID: r.ID, StartedAt: r.Header.StartedAt})
		if err := s.collect(ctx, r, b, rosters, q.Keep, b.EarlierPoint); err != nil {
			return s.failed("reading run "+r.Short()+" of", err)
		}
	}
	return nil
}

func (s *Store) collect(ctx context.Context, r Run, b *trend.Builder, rosters map[string][]int, keep func(envelope.Key) bool, point func(int, trend.Point)) error {
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
			point(roster[i], p)
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
