package history

import (
	"context"
	"database/sql"

	"tribunal/envelope"
)

// Age says which runs are old: those that are beyond the latest Keep and, if
// Before is given, started before it as well. Runs whose start is unknown are
// never before an instant.
type Age struct {
	Keep   int                 // 0 keeps none for being among the latest
	Before envelope.Opt[int64] // nanoseconds since 1970; absent for any time
}

// Old returns the runs that are old, in order of time.
func (a Age) Old(runs []Run) []Run {
	var old []Run
	for i, r := range runs {
		if i >= len(runs)-a.Keep {
			break
		}
		began, known := envelope.Instant(r.Header.StartedAt)
		if !a.Before.OK || known && began < a.Before.V {
			old = append(old, r)
		}
	}
	return old
}

// Delete removes runs, all or none of them, and what only they used.
func (s *Store) Delete(ctx context.Context, runs []Run) error {
	err := s.inTransaction(ctx, func(tx *sql.Tx) error {
		if _, err := nextInLine(ctx, tx); err != nil {
			return err
		}
		if err := stay(ctx, tx); err != nil {
			return err
		}
		for _, r := range runs {
			if _, err := tx.ExecContext(ctx, `DELETE FROM tribunal_runs WHERE seq = $1`, r.seq); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM tribunal_rosters WHERE hash NOT IN (SELECT roster FROM tribunal_runs)`)
		return err
	})
	if err == nil {
		err = s.kind.tidy(ctx, s.db)
	}
	return s.failed("pruning", err)
}

// stay writes down where runs without a start stand, before runs they stand
// behind are deleted.
func stay(ctx context.Context, tx *sql.Tx) error {
	runs, err := heads(ctx, tx)
	if err != nil {
		return err
	}
	inTime(runs)
	for _, r := range runs {
		if _, dated := envelope.Instant(r.Header.StartedAt); dated || r.place.OK {
			continue
		}
		header, err := jsonText(heading{RunHeader: r.Header, Trials: r.trials, Place: envelope.Some(r.at)})
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE tribunal_runs SET header = $1 WHERE seq = $2`, header, r.seq); err != nil {
			return err
		}
	}
	return nil
}
