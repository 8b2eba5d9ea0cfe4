package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"tribunal/internal/words"
)

// Store is an open history. It is one connection: callers on several goroutines
// take turns.
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
	// Change opens one that exists to be written, and brings its tables up to this
	// version.
	Change
	// Write makes the history when there is none, and brings its tables up to
	// this version.
	Write
)

// ErrNone says that there is no history yet.
var ErrNone = errors.New("there is no history yet; add a run with 'tribunal history add'")

// Open opens the history at place: a postgres:// URL, or the path of an SQLite
// file. The error says what to do about it and never holds a password.
func Open(ctx context.Context, place string, access Access) (*Store, error) {
	kind := dialectOf(place)
	if scheme, _, isURL := strings.Cut(place, "://"); isURL && kind == (sqlite{path: place}) {
		return nil, fmt.Errorf("opening the history: a %s URL is not supported: give the path of a file, or a postgres:// URL", words.Quote(scheme, 20))
	}
	s := &Store{kind: kind, name: kind.name()}
	db, err := kind.open(access)
	if err != nil {
		return nil, s.failed("opening", err)
	}
	db.SetMaxOpenConns(1)
	s.db = db
	if err := s.prepare(ctx, access); err != nil {
		return nil, errors.Join(s.failed("opening", err), db.Close())
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

// whenWaiting is the key of what reports a wait.
type whenWaiting struct{}

// lockWait is how long a writer waits for others, and silentWait for how much of it nobody
// is reported.
var lockWait, silentWait = 30 * time.Second, 2 * time.Second

// WhenWaiting reports that a transaction waits for another process, and how long it
// does so.
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

// dialect is what differs between the databases.
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

// querier is a connection or a transaction.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func dialectOf(place string) dialect {
	if strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://") {
		return newPostgres(place)
	}
	return sqlite{path: place}
}
