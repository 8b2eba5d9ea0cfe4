package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lib/pq"
	sqlitedriver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// sqlite is a history in one file. It keeps SQLite's rollback journal instead of
// a write-ahead log: writers here are short and rare, and the history stays one
// file that a job can cache, copy, and read from a folder it may not write to.
type sqlite struct{ path string }

func (d sqlite) name() string { return d.path }

func (d sqlite) open(access Access) (*sql.DB, error) {
	if info, err := os.Stat(d.path); err == nil && info.IsDir() || strings.HasSuffix(d.path, "/") {
		return nil, fmt.Errorf("it names a folder; name a file in it, such as %s", filepath.Join(d.path, "history.db"))
	} else if errors.Is(err, os.ErrNotExist) && access != Write {
		return nil, ErrNone
	}
	if access == Write {
		if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
			return nil, fmt.Errorf("its folder cannot be made; check the path and its permissions, or name another file with --db (%w)", err)
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
	_, unwritten := os.Stat(d.path + "-journal") // of a writer at work, or of one that was killed: only a writer can roll it back
	switch {
	case access == Change, access == Read && unwritten == nil:
		mode = "rw"
	case access == Read:
		mode = "ro"
	}
	return fmt.Sprintf("file:%s?mode=%s&_txlock=immediate&_pragma=busy_timeout(%d)&_pragma=foreign_keys(1)",
		(&url.URL{Path: path}).EscapedPath(), mode, lockWait.Milliseconds())
}

// queue does nothing: a transaction holds the file from its beginning.
func (d sqlite) queue(context.Context, *sql.Tx, time.Duration) error { return nil }

// locked is never so: SQLite waits for lockWait when a transaction begins.
func (d sqlite) locked(error) bool { return false }

func (d sqlite) tables(ctx context.Context, q querier) (ours, foreign bool, err error) {
	var mine, others int
	err = q.QueryRowContext(ctx, `SELECT count(CASE WHEN name = 'tribunal_schema' THEN 1 END),
		count(CASE WHEN name NOT LIKE 'tribunal_%' AND name NOT LIKE 'sqlite_%' THEN 1 END)
		FROM sqlite_master WHERE type = 'table'`).Scan(&mine, &others)
	return mine > 0, mine == 0 && others > 0, err
}

func (d sqlite) tidy(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, `VACUUM`)
	return err
}

// halfWritten is what to do about the journal of a writer that was killed.
const halfWritten = "a writer was killed while it wrote, and what it left can be rolled back only by somebody who may write the file and " +
	"its folder: run any 'tribunal history' command as such a user"

// explain adds what to do. The low byte of an SQLite code is its kind.
func (d sqlite) explain(err error) error {
	var failure *sqlitedriver.Error
	if !errors.As(err, &failure) {
		return err
	}
	advice := map[int]string{
		codes.SQLITE_NOTADB:   "this file is not an SQLite database; name another file",
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
	return fmt.Errorf("%s (%w)", advice, failure)
}

// postgres is a history in a PostgreSQL database, in the first schema of the
// connection's search_path.
type postgres struct {
	url     string
	shown   string
	secrets []string // texts that must not be printed
}

// writersLock is the key of the advisory lock of those who write: any number that no
// other program uses on purpose.
const writersLock int64 = 0x747269627563616c

// lockTimeout is PostgreSQL's code for a statement that waited too long for a lock.
const lockTimeout = "55P03"

func newPostgres(place string) postgres {
	p := postgres{url: place, shown: "postgres://…"}
	parsed, err := url.Parse(place)
	if err != nil {
		return p // shown without any part of it
	}
	p.hide(parsed.User)
	query := parsed.Query()
	for _, name := range []string{"password", "sslpassword"} {
		if secret := query.Get(name); secret != "" {
			p.secrets = append(p.secrets, secret, url.QueryEscape(secret))
		}
	}
	shown := url.URL{Scheme: parsed.Scheme, Host: parsed.Host, Path: parsed.Path}
	if parsed.User != nil {
		shown.User = url.User(parsed.User.Username())
	}
	p.shown = shown.String()
	return p
}

func (p *postgres) hide(user *url.Userinfo) {
	if secret, ok := user.Password(); ok && secret != "" {
		p.secrets = append(p.secrets, secret, url.PathEscape(secret), url.QueryEscape(secret))
	}
}

func (p postgres) name() string { return p.shown }

func (p postgres) open(Access) (*sql.DB, error) {
	config, err := pq.NewConfig(p.url)
	if err != nil { // the driver's own words are left out: they hold the URL
		return nil, errors.New("cannot read the URL or its options; give postgres://user:password@host:5432/database, with # as %23 and % as %25")
	}
	const connectWait = 10 * time.Second
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectWait)
	if !strings.Contains(p.url, "sslmode=") && os.Getenv("PGSSLMODE") == "" {
		config.SSLMode = pq.SSLModePrefer // as psql does
	}
	connector, err := pq.NewConnectorConfig(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func (p postgres) queue(ctx context.Context, tx *sql.Tx, longest time.Duration) error {
	// The driver begins with READ WRITE, whatever the server's administrator has set.
	_, err := tx.ExecContext(ctx, fmt.Sprintf(
		`SELECT set_config('transaction_read_only', current_setting('default_transaction_read_only'), true);
		SET LOCAL lock_timeout = %d; SELECT pg_advisory_xact_lock(%d)`, max(longest.Milliseconds(), 1), writersLock))
	return err
}

func (p postgres) locked(err error) bool { return pq.As(err, lockTimeout) != nil }

// tables never finds another program: ours lie beside its tables, under names of
// their own. It reads pg_class, because to_regclass may answer from what the
// connection knew before it waited for the lock.
func (p postgres) tables(ctx context.Context, q querier) (ours, foreign bool, err error) {
	err = q.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'tribunal_schema' AND pg_catalog.pg_table_is_visible(oid))`).Scan(&ours)
	return ours, false, err
}

func (p postgres) tidy(context.Context, *sql.DB) error { return nil }

const readOnlyServer = "the server is read-only (a standby?); name the primary"

// The classes of PostgreSQL's error codes that a user can do something about.
var postgresAdvice = []struct{ code, advice string }{
	{"28", "the server refuses this user or password; check the URL, PGPASSWORD or ~/.pgpass"},
	{"3D000", "there is no such database on the server; make it with createdb, or check the URL"},
	{"3F000", "there is no such schema; make it, or check search_path in the URL"},
	{"42501", "this user may not do that; ask for CREATE, SELECT, INSERT, UPDATE and DELETE in its schema"},
	{"25006", readOnlyServer},
	{"0A000", readOnlyServer}, // BEGIN READ WRITE on a standby
	{lockTimeout, "another process holds the database; wait for it to end and try again"},
	{"53", "the server is out of room or connections; try again later"},
	{"57", "the server is starting or stopping; try again"},
}

func (p postgres) explain(err error) error {
	words := p.clean(err.Error())
	if refused := (*pq.Error)(nil); errors.As(err, &refused) {
		for _, row := range postgresAdvice {
			if strings.HasPrefix(refused.SQLState(), row.code) {
				return fmt.Errorf("%s (%s)", row.advice, p.clean(refused.Message))
			}
		}
		return errors.New(words)
	}
	if unreachable := (*net.OpError)(nil); errors.As(err, &unreachable) {
		return fmt.Errorf("the server cannot be reached; check that it runs and that host and port of the URL are right (%s)", words)
	}
	if errors.Is(err, ErrNone) {
		return err
	}
	return errors.New(words)
}

// clean is the text in one line and without a password, should any layer below
// have put it there.
func (p postgres) clean(words string) string {
	for _, secret := range p.secrets {
		words = strings.ReplaceAll(words, secret, "…")
	}
	return strings.Join(strings.Fields(words), " ")
}
