package history

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/history/trend"
	"tribunal/stats"
)

// Both blobs begin with the number of their form, so that a later version can
// pack them otherwise and still read these.
const (
	rosterForm = 1
	countsForm = 1
	scoresForm = 2 // counts of which some have scores
)

var errDamaged = errors.New("a record is damaged; restore a copy of the history, or move the history away and add the runs again")

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

// unpackCounts hands on the points of a run in the order of its roster, which has n tests.
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

// start reads the form and the number of entries, which take a byte each at least.
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

func (u *unpacker) end() error {
	if u.failed || len(u.b) > 0 {
		return errDamaged
	}
	return nil
}

// Add stores a judged run and returns its id. A run that is there already stays
// as it is, also under other words, and added is false: the id is that of the stored
// one. When Add returns an error, nothing was stored.
func (s *Store) Add(ctx context.Context, e *envelope.Envelope) (id string, added bool, err error) {
	if e == nil {
		return "", false, s.failed("cannot add a run to", errors.New("there is no envelope; seal a run first"))
	}
	r, err := recordOf(e)
	if err != nil {
		return "", false, s.failed("cannot add a run to", err)
	}
	err = s.inTransaction(ctx, func(tx *sql.Tx) error {
		seq, err := nextInLine(ctx, tx)
		if err != nil {
			return err
		}
		if id, err = s.there(ctx, tx, r.occasion); err != nil || id != "" {
			return err
		}
		err = insert(ctx, tx, seq, r)
		id, added = r.run, err == nil
		return err
	})
	if err != nil {
		return "", false, s.failed("cannot add a run to", err)
	}
	return id, added, nil
}

// there is the id of the stored run that a run is, "" where there is none.
func (s *Store) there(ctx context.Context, tx *sql.Tx, o occasion) (id string, err error) {
	if is, err := has(ctx, tx, o.run); err != nil || is {
		return o.run, err
	}
	if !o.inTrials {
		return "", nil
	}
	if err := s.met.learn(ctx, tx); err != nil {
		return "", err
	}
	for _, r := range s.met.byTrials[o.trials] {
		if !o.saysOtherwise(r.Header) {
			if is, err := has(ctx, tx, r.ID); err != nil || is {
				return r.ID, err
			}
		}
	}
	return "", nil
}

func has(ctx context.Context, tx *sql.Tx, id string) (bool, error) {
	n := 0
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM tribunal_runs WHERE id = $1`, id).Scan(&n)
	return n > 0, err
}

func insert(ctx context.Context, tx *sql.Tx, seq int64, r *record) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO tribunal_rosters (hash, tests) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`,
		r.rosterHash, r.roster); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx,
		`INSERT INTO tribunal_runs (seq, id, header, policy, summary, roster, counts, envelope) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		seq, r.run, r.header, r.policy, r.summary, r.rosterHash, r.counts, r.body)
	return err
}

// met is what was seen of the headers of stored runs, so that adding many reads them once.
type met struct {
	last     int64 // place in the order of adding
	byTrials map[string][]Run
}

func (m *met) learn(ctx context.Context, tx *sql.Tx) (err error) {
	rows, err := tx.QueryContext(ctx, `SELECT seq, id, header FROM tribunal_runs WHERE seq > $1 ORDER BY seq`, m.last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if m.byTrials == nil {
		m.byTrials = map[string][]Run{}
	}
	for rows.Next() {
		var r Run
		var header []byte
		if err := rows.Scan(&m.last, &r.ID, &header); err != nil {
			return err
		}
		var h heading
		if json.Unmarshal(header, &h) == nil && h.Trials != "" { // of one that is damaged nothing is known
			r.Header = h.RunHeader
			m.byTrials[h.Trials] = append(m.byTrials[h.Trials], r)
		}
	}
	return rows.Err()
}

// nextInLine takes the row that every writer takes first, so that writers queue,
// and returns the next number.
func nextInLine(ctx context.Context, tx *sql.Tx) (seq int64, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE tribunal_sequence SET last = last + 1 RETURNING last`).Scan(&seq)
	return seq, err
}
