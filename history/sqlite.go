package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	sqlitedriver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// sqlite is a history in one file. It keeps SQLite's rollback journal instead of
// a write-ahead log: writers here are short and rare, and the history stays one
// file that a job can cache, copy, and read from a folder it may not write to.
type sqlite struct{ path string }

func (d sqlite) name() string { return d.path }

func (d sqlite) open(access Access) (*sql.DB, error) {
	if info, err := os.Stat(d.path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("it is a directory; name a file in it, such as %s", filepath.Join(d.path, "history.db"))
	} else if errors.Is(err, os.ErrNotExist) && access != Write {
		return nil, ErrNone
	}
	if access == Write {
		if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
			return nil, fmt.Errorf("its folder cannot be made; change the permissions above it, or name another file with --db (%w)", err)
		}
	}
	return sql.Open("sqlite", d.source(access))
}

// source is the path as a URI, in which no character of it means anything else.
func (d sqlite) source(access Access) string {
	path := filepath.ToSlash(d.path)
	switch {
	case filepath.VolumeName(d.path) != "":
		path = "/" + path
	case !strings.HasPrefix(path, "/"):
		path = "./" + path // so that ":memory:" is a file as well
	}
	mode := "rwc"
	switch {
	case access == Change, access == Read && d.journalled():
		mode = "rw"
	case access == Read:
		mode = "ro"
	}
	return fmt.Sprintf("file:%s?mode=%s&_txlock=immediate&_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)",
		(&url.URL{Path: path}).EscapedPath(), mode, lockWait.Milliseconds())
}

// journalled reports whether a journal lies beside the file: of a writer at work,
// or of one that was killed, whose half-written pages only somebody who may
// write can roll back. SQLite reads where it may not.
func (d sqlite) journalled() bool {
	_, err := os.Stat(d.path + "-journal")
	return err == nil
}

// queue does nothing: a transaction holds the file from its beginning.
func (d sqlite) queue(context.Context, *sql.Tx, time.Duration) error { return nil }

// locked is never so: SQLite waits for lockWait when a transaction begins.
func (d sqlite) locked(error) bool { return false }

func (d sqlite) tables(ctx context.Context, q querier) (ours, foreign bool, err error) {
	var mine, others int
	err = q.QueryRowContext(ctx, `SELECT count(CASE WHEN name = 'tribunal_schema' THEN 1 END), count(CASE WHEN name NOT LIKE 'tribunal_%' AND name NOT LIKE 'sqlite_%' THEN 1 END)
		FROM sqlite_master WHERE type = 'table'`).Scan(&mine, &others)
	return mine > 0, mine == 0 && others > 0, err
}

// tidy rewrites the file without the room of deleted runs.
func (d sqlite) tidy(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `VACUUM`)
	return err
}

// halfWritten is what to do about the journal of a writer that was killed.
const halfWritten = "a writer was killed while it wrote, and what it left can be rolled back only by somebody who may write the file and its folder: run any 'tribunal history' command as such a user"

// explain adds what to do. The low byte of an SQLite code is its kind.
func (d sqlite) explain(err error) error {
	var failure *sqlitedriver.Error
	if !errors.As(err, &failure) {
		return err
	}
	advice := map[int]string{
		codes.SQLITE_NOTADB:   "this file is no SQLite database; name another file",
		codes.SQLITE_CORRUPT:  "the file is damaged; restore a copy, or move it away and add the runs again",
		codes.SQLITE_READONLY: "the file or its folder cannot be written; change its permissions, or name another with --db",
		codes.SQLITE_CANTOPEN: "the file cannot be opened; check that its folder exists and can be written",
		codes.SQLITE_BUSY:     "another process holds the file; wait for it to end and try again",
		codes.SQLITE_FULL:     "the disk is full; make room, or drop old runs with 'tribunal history prune'",
		codes.SQLITE_IOERR:    "the disk does not read or write; check it, and that the file is on no network folder",
		codes.SQLITE_TOOBIG:   "the run is too large for one record; keep fewer details with --keep-details",
	}[failure.Code()&0xff]
	switch failure.Code() {
	case codes.SQLITE_READONLY_ROLLBACK, codes.SQLITE_IOERR_DELETE: // the file, or its folder, is not ours to write
		advice = halfWritten
	}
	if advice == "" {
		return err
	}
	return fmt.Errorf("%s (%w)", advice, err)
}
