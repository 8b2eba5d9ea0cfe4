package history

import (
	"context"
	"database/sql"
	"errors"

	"tribunal/envelope"
)

// Add stores a judged run and returns its id. A run that is there already stays
// as it is, and added is false. When Add returns an error, nothing was stored.
func (s *Store) Add(ctx context.Context, e *envelope.Envelope) (id string, added bool, err error) {
	if e == nil {
		return "", false, s.failed("adding a run to", errors.New("there is no envelope; seal a run first"))
	}
	r, err := recordOf(e)
	if err != nil {
		return "", false, s.failed("adding a run to", err)
	}
	err = s.inTransaction(ctx, func(tx *sql.Tx) error {
		added, err = insert(ctx, tx, r)
		return err
	})
	return r.id, added && err == nil, s.failed("adding a run to", err)
}

// insert stores a record unless its id is there.
func insert(ctx context.Context, tx *sql.Tx, r *record) (added bool, err error) {
	seq, err := nextInLine(ctx, tx)
	if err != nil {
		return false, err
	}
	there := 0
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM tribunal_runs WHERE id = $1`, r.id).Scan(&there); err != nil || there > 0 {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO tribunal_rosters (hash, tests) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`, r.rosterHash, r.roster); err != nil {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO tribunal_runs (seq, id, header, policy, summary, roster, counts, envelope) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		seq, r.id, r.header, r.policy, r.summary, r.rosterHash, r.counts, r.body)
	return err == nil, err
}

// nextInLine takes the row that every writer takes first, so that writers queue,
// and returns the next number.
func nextInLine(ctx context.Context, tx *sql.Tx) (seq int64, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE tribunal_sequence SET last = last + 1 RETURNING last`).Scan(&seq)
	return seq, err
}
