package history

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are the steps from an empty database to this version, in order.
// A step that was released never changes; a new version adds one.
var migrations = []string{"migrations/001_runs.sql"}

// version is the version of the tables that this program reads and writes.
func version() int { return len(migrations) }

// prepare checks the tables, and makes or updates them when they are to be
// written.
func (s *Store) prepare(ctx context.Context, access Access) error {
	found, err := s.found(ctx, s.db)
	switch {
	case err != nil:
		return err
	case found == version():
		return nil
	case access != Write && found == 0:
		return ErrNone
	case access == Read:
		return fmt.Errorf("its tables are of version %d and this program reads version %d; update them with 'tribunal history add'", found, version())
	}
	return s.migrate(ctx)
}

// found is the version of the tables, 0 when there are none.
func (s *Store) found(ctx context.Context, q querier) (int, error) {
	ours, foreign, err := s.kind.tables(ctx, q)
	if err != nil {
		return 0, err
	}
	if foreign {
		return 0, errors.New("this is a database of another program; name another file")
	}
	if !ours {
		return 0, nil
	}
	return s.versionOf(ctx, q)
}

// versionOf reads the version of tables that are there. Another than those that
// there were was not written by any tribunal.
func (s *Store) versionOf(ctx context.Context, q querier) (int, error) {
	var lowest, highest sql.NullInt64
	var rows int
	if err := q.QueryRowContext(ctx, `SELECT count(*), min(version), max(version) FROM tribunal_schema`).Scan(&rows, &lowest, &highest); err != nil {
		return 0, fmt.Errorf("its table tribunal_schema does not say which version its tables are of; %s (%w)", restore, err)
	}
	found := int(highest.Int64)
	switch {
	case rows == 0, !highest.Valid:
		return 0, errors.New("its table tribunal_schema is empty, which says which version its tables are of; " + restore)
	case lowest != highest:
		return 0, fmt.Errorf("its table tribunal_schema says two versions of its tables, %d and %d; %s", lowest.Int64, highest.Int64, restore)
	case found < 1:
		return 0, fmt.Errorf("its table tribunal_schema names version %d, which does not exist; %s", highest.Int64, restore)
	case found > version():
		return 0, fmt.Errorf("its tables are of version %d, and this program knows versions up to %d: a newer tribunal made them; update tribunal", highest.Int64, version())
	}
	return found, nil
}

// restore is what to do about a history that something else has changed.
const restore = "something else changed it: restore a copy, or name another history and add the runs again"

// migrate takes every step that is missing, in one transaction. Another process
// may have been faster, so the version is read again in its turn.
func (s *Store) migrate(ctx context.Context) error {
	return s.inTransaction(ctx, func(tx *sql.Tx) error {
		found, err := s.found(ctx, tx)
		if err != nil {
			return err
		}
		if found == 0 {
			if _, err := tx.ExecContext(ctx, `CREATE TABLE tribunal_schema (version BIGINT NOT NULL); INSERT INTO tribunal_schema (version) VALUES (0)`); err != nil {
				return err
			}
		}
		for _, file := range migrations[found:] {
			step, err := migrationFiles.ReadFile(file)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, string(step)); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE tribunal_schema SET version = $1`, version())
		return err
	})
}
