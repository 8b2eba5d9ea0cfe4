package history

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
)

// Run is a stored run without its tests.
type Run struct {
	ID      string // a SHA-256 in hexadecimal
	Header  envelope.RunHeader
	Policy  envelope.Effective
	Summary envelope.Summary

	seq    int64 // order of adding
	at     int64 // where it stands in time, nanoseconds
	roster string
	trials string              // a hash, see trialsOf
	place  envelope.Opt[int64] // where it stands although what it stood behind is gone
}

// shortID is how much of an id is shown: enough to name one of millions of runs.
const shortID = 12

// Short is the beginning of the run's id.
func (r Run) Short() string { return r.ID[:min(shortID, len(r.ID))] }

// Selection says which runs are meant.
type Selection struct {
	Labels map[string]string // runs that have all of these
	Latest int               // the latest of them; 0 for all
}

// List returns the selected runs in order of time, and how many there are
// without the limit to the latest.
//
// Runs stand by started_at, runs of one instant in order of adding. A run
// without started_at stands right after the run that was added before it, and
// stays there when that one is deleted.
func (s *Store) List(ctx context.Context, sel Selection) (runs []Run, matching int, err error) {
	runs, err = heads(ctx, s.db)
	if err != nil {
		return nil, 0, s.failed("cannot read", err)
	}
	inTime(runs)
	runs = slices.DeleteFunc(runs, func(r Run) bool { return !each.Within(sel.Labels, r.Header.Labels) })
	matching = len(runs)
	if sel.Latest > 0 && matching > sel.Latest {
		runs = runs[matching-sel.Latest:]
	}
	return runs, matching, nil
}

func heads(ctx context.Context, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (runs []Run, err error) {
	rows, err := from.QueryContext(ctx, `SELECT seq, id, header, policy, summary, roster FROM tribunal_runs ORDER BY seq`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r Run
		var header, policy, summary []byte
		if err := rows.Scan(&r.seq, &r.ID, &header, &policy, &summary, &r.roster); err != nil {
			return nil, err
		}
		var h heading
		if err := errors.Join(json.Unmarshal(header, &h), json.Unmarshal(policy, &r.Policy), json.Unmarshal(summary, &r.Summary)); err != nil {
			return nil, fmt.Errorf("run %s: %w (%w)", r.Short(), errDamaged, err)
		}
		if len(r.ID) != hex.EncodedLen(sha256.Size) {
			return nil, fmt.Errorf("run %q: its id is cut: %w", r.ID, errDamaged)
		}
		r.Header, r.trials, r.place = h.RunHeader, h.Trials, h.Place
		runs = append(runs, r)
	}
	return runs, rows.Err()
}

func inTime(runs []Run) {
	at := int64(math.MinInt64)
	for i := range runs {
		at = runs[i].place.Or(at)
		if ns, ok := envelope.Instant(runs[i].Header.StartedAt); ok {
			at = ns
		}
		runs[i].at = at
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return cmp.Compare(a.at, b.at) })
}

// Latest is the name of the latest run where an id is asked for.
const Latest = "latest"

const shortestID = 4

// Find returns the run whose id begins with the given text, or the latest one.
func (s *Store) Find(ctx context.Context, id string) (Run, error) {
	runs, _, err := s.List(ctx, Selection{})
	if err != nil {
		return Run{}, err
	}
	if id == Latest && len(runs) > 0 {
		return runs[len(runs)-1], nil
	}
	var found []Run
	if len(id) >= shortestID {
		found = each.Where(runs, func(r Run) bool { return strings.HasPrefix(r.ID, strings.ToLower(id)) })
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Run{}, fmt.Errorf("%d runs of the history %s begin with %s: give more of the id", len(found), s.name, id)
	case len(id) < shortestID:
		return Run{}, fmt.Errorf("run %q: give at least %d characters of its id, or %s", id, shortestID, Latest)
	}
	return Run{}, fmt.Errorf("the history %s has no run %q: see 'tribunal history list', with --db if you gave it", s.name, id)
}

// Envelope reads a stored run as it was added.
func (s *Store) Envelope(ctx context.Context, r Run) (*envelope.Envelope, error) {
	var body []byte
	err := s.db.QueryRowContext(ctx, `SELECT envelope FROM tribunal_runs WHERE seq = $1`, r.seq).Scan(&body)
	var e *envelope.Envelope
	if err == nil {
		e, err = unpackEnvelope(body)
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = errors.New("the run is not there any more; see 'tribunal history list'")
	}
	return e, s.failed("cannot read run "+r.Short()+" of", err)
}

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
			return nil, s.failed("cannot read run "+r.Short()+" of", err)
		}
	}
	if q.Now != nil {
		b.Run("", dated(q.Now), q.Now.Policy, q.Now.Summary)
		for i := range q.Now.Tests {
			b.Point(b.Test(q.Now.Tests[i].Key), trend.PointOf(&q.Now.Tests[i]))
		}
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

func (s *Store) earlier(ctx context.Context, q Query, chosen int, b *trend.Builder, rosters map[string][]int) error {
	all, _, err := s.List(ctx, Selection{Labels: q.Labels})
	if err != nil {
		return err
	}
	for _, r := range all[:max(0, len(all)-chosen)] {
		b.Earlier(trend.Run{ID: r.ID, StartedAt: r.Header.StartedAt})
		if err := s.collect(ctx, r, b, rosters, q.Keep, b.EarlierPoint); err != nil {
			return s.failed("cannot read run "+r.Short()+" of", err)
		}
	}
	return nil
}

func (s *Store) collect(ctx context.Context, r Run, b *trend.Builder, rosters map[string][]int, keep func(envelope.Key) bool,
	point func(int, trend.Point)) error {
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
