// Package history stores judged runs, so that the next report shows what changed: in one
// SQLite file, or in PostgreSQL for a team. Both have the same tables, made by the same
// migrations, and pass the same tests.
//
// No other package uses a database. Package trend computes how tests change over time. There
// are no users or permissions: who can reach the database can read and write it.
//
// # What is stored
//
// The compressed envelope of each run. To read many runs fast: its header, policy and summary
// as JSON, and one compact blob with the counts of its tests. The names of the tests are
// stored once for all runs with the same tests (a roster), so the trend of 10,000 tests over
// 1,000 runs reads 1,000 blobs instead of ten million rows.
//
// Texts are stored as JSON, because PostgreSQL cannot store the NUL of a test's name.
//
// # Promises
//
// A run is added in one transaction, completely or not at all, even if the process is killed.
// Its id is a hash of what was counted (header and trials), so adding it again changes nothing,
// whatever policy or version judged it. Writers wait for one row, or one file lock.
package history

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Store is an open history. It is one connection: callers on several goroutines take turns.
type Store struct {
	db   *sql.DB
	kind dialect
	name string // for messages; holds no password
	met  met
}

// Access says what a store is opened for.
type Access int

const (
	// Read opens a history that exists.
	Read Access = iota
	// Change opens one that exists to be written, and brings its tables up to this version.
	Change
	// Write makes the history when there is none, and brings its tables up to this version.
	Write
)

// ErrNone says that there is no history yet.
var ErrNone = errors.New("there is no history yet; add a run with: tribunal history add run.json")

// Open opens the history at place: a postgres:// URL, or the path of an SQLite
// file. The error says what to do about it and never holds a password.
func Open(ctx context.Context, place string, access Access) (*Store, error) {
	kind := dialectOf(place)
	if scheme, _, isURL := strings.Cut(place, "://"); isURL && kind == (sqlite{path: place}) {
		return nil, fmt.Errorf("cannot open the history: a %s URL is not supported: give the path of a file, or a postgres:// URL",
			words.Quote(scheme, 20))
	}
	s := &Store{kind: kind, name: kind.name()}
	db, err := kind.open(access)
	if err != nil {
		return nil, s.failed("cannot open", err)
	}
	db.SetMaxOpenConns(1)
	s.db = db
	if err := s.prepare(ctx, access); err != nil {
		return nil, errors.Join(s.failed("cannot open", err), db.Close())
	}
	return s, nil
}

// Close ends the connection.
func (s *Store) Close() error { return s.db.Close() }

// Name is the place of the history, without a password.
func (s *Store) Name() string { return s.name }

// failed says what was being done, where, what is wrong and what to do now.
func (s *Store) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s the history %s: %w", doing, s.name, s.kind.explain(err))
}

type whenWaiting struct{}

// lockWait is how long a writer waits for others, and silentWait for how much of it nobody
// is reported.
var lockWait, silentWait = 30 * time.Second, 2 * time.Second

// WhenWaiting reports that a transaction waits for another process, and how long it does so.
func WhenWaiting(ctx context.Context, report func(longest time.Duration)) context.Context {
	return context.WithValue(ctx, whenWaiting{}, report)
}

// inTransaction does the work in one transaction that no other writer shares. It begins
// again, once, where a lock was held for as long as nobody hears of.
func (s *Store) inTransaction(ctx context.Context, work func(tx *sql.Tx) error) error {
	report := sync.OnceFunc(func() {
		if waiting, is := ctx.Value(whenWaiting{}).(func(time.Duration)); is {
			waiting(lockWait)
		}
	})
	err := s.attempt(ctx, silentWait, report, work)
	if s.kind.locked(err) {
		report()
		err = s.attempt(ctx, lockWait-silentWait, report, work)
	}
	return err
}

// attempt is a transaction that waits for locks no longer than longest.
func (s *Store) attempt(ctx context.Context, longest time.Duration, report func(), work func(tx *sql.Tx) error) error {
	waiting := time.AfterFunc(silentWait, report)
	tx, err := s.db.BeginTx(ctx, nil)
	waiting.Stop()
	if err != nil {
		return err
	}
	if err = s.kind.queue(ctx, tx, longest); err == nil {
		err = work(tx)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

type dialect interface {
	// name is the place in words, without a password.
	name() string
	open(access Access) (*sql.DB, error)
	// queue waits for other writers, and has the transaction wait for no lock longer.
	queue(ctx context.Context, tx *sql.Tx, longest time.Duration) error
	// locked says that a lock was held for longer.
	locked(err error) bool
	// tables says whether our tables are there, and whether others are that make
	// this a database of another program.
	tables(ctx context.Context, q querier) (ours, foreign bool, err error)
	// explain adds what to do now to an error of the driver.
	explain(err error) error
	// tidy gives back the room of deleted runs.
	tidy(ctx context.Context, db *sql.DB) error
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func dialectOf(place string) dialect {
	if strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://") {
		return newPostgres(place)
	}
	return sqlite{path: place}
}

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are the steps from an empty database to this version, in order.
// A step that was released never changes; a new version adds one.
var migrations = []string{"migrations/001_runs.sql"}

func version() int { return len(migrations) }

// prepare checks the tables, and makes or updates them when they are to be written.
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
		return fmt.Errorf("its tables are of version %d and this program reads version %d; update them with 'tribunal history add'",
			found, version())
	}
	return s.migrate(ctx)
}

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
	if err := q.QueryRowContext(ctx, `SELECT count(*), min(version), max(version) FROM tribunal_schema`).
		Scan(&rows, &lowest, &highest); err != nil {
		return 0, fmt.Errorf("its table tribunal_schema shows no version; %s (%w)", restore, err)
	}
	found := int(highest.Int64)
	switch {
	case rows == 0, !highest.Valid:
		return 0, errors.New("its table tribunal_schema is empty, but must name the version of its tables; " + restore)
	case lowest != highest:
		return 0, fmt.Errorf("its table tribunal_schema names two versions of its tables, %d and %d; %s", lowest.Int64, highest.Int64, restore)
	case found < 1:
		return 0, fmt.Errorf("its table tribunal_schema names version %d, which does not exist; %s", highest.Int64, restore)
	case found > version():
		return 0, fmt.Errorf("its tables are of version %d, and this program knows versions up to %d: a newer tribunal made them; update "+
			"tribunal", highest.Int64, version())
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
			if _, err := tx.ExecContext(ctx,
				`CREATE TABLE tribunal_schema (version BIGINT NOT NULL); INSERT INTO tribunal_schema (version) VALUES (0)`); err != nil {
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

// Age says which runs are old: those that are beyond the latest Keep and, if Before is given,
// started before it as well. Runs whose start is unknown are never before an instant.
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
	return s.failed("cannot prune", err)
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
