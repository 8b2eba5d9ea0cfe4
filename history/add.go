package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"tribunal/envelope"
)

// Add stores a judged run and returns its id. A run that is there already stays
// as it is, also under other words, and added is false: the id is that of the stored
// one. When Add returns an error, nothing was stored.
func (s *Store) Add(ctx context.Context, e *envelope.Envelope) (id string, added bool, err error) {
	if e == nil {
		return "", false, s.failed("adding a run to", errors.New("there is no envelope; seal a run first"))
	}
	r, err := recordOf(e)
	if err != nil {
		return "", false, s.failed("adding a run to", err)
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
		return "", false, s.failed("adding a run to", err)
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

// insert stores a record.
func insert(ctx context.Context, tx *sql.Tx, seq int64, r *record) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO tribunal_rosters (hash, tests) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`, r.rosterHash, r.roster); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO tribunal_runs (seq, id, header, policy, summary, roster, counts, envelope) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		seq, r.run, r.header, r.policy, r.summary, r.rosterHash, r.counts, r.body)
	return err
}

// met is what was seen of the headers of stored runs, so that whoever adds many does not
// read all of them each time.
type met struct {
	last     int64 // place in the order of adding
	byTrials map[string][]Run
}

// learn reads the headers of the runs that were added since.
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
