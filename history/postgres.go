package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgres is a history in a PostgreSQL database, in the first schema of the
// connection's search_path.
type postgres struct {
	url     string
	shown   string
	secrets []string // texts that must not be printed
}

// connectWait is how long to wait for a server unless the URL says otherwise.
const connectWait = 10 * time.Second

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
	config, err := parse(p.url)
	if err != nil {
		return nil, err
	}
	return stdlib.OpenDB(*config), nil
}

// parse reads the URL. The driver's own words are left out: they hold the URL.
func parse(place string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(place)
	if err != nil {
		return nil, errors.New("the URL cannot be read; give postgres://user:password@host:5432/database")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWait
	}
	return config, nil
}

func (p postgres) queue(ctx context.Context, tx *sql.Tx, longest time.Duration) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d; SELECT pg_advisory_xact_lock(%d)`, max(longest.Milliseconds(), 1), writersLock))
	return err
}

func (p postgres) locked(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == lockTimeout
}

// tables never finds another program: ours lie beside its tables, under names of
// their own. It reads pg_class, because to_regclass may answer from what the
// connection knew before it waited for the lock.
func (p postgres) tables(ctx context.Context, q querier) (ours, foreign bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'tribunal_schema' AND pg_catalog.pg_table_is_visible(oid))`).Scan(&ours)
	return ours, false, err
}

// tidy leaves the room to PostgreSQL, which reuses it by itself.
func (p postgres) tidy(context.Context, *sql.DB) error { return nil }

// The classes of PostgreSQL's error codes that a user can do something about.
var postgresAdvice = []struct{ code, advice string }{
	{"28", "the server refuses this user or password; check the URL, PGPASSWORD or ~/.pgpass"},
	{"3D000", "there is no such database on the server; make it with createdb, or check the URL"},
	{"3F000", "there is no such schema; make it, or check search_path in the URL"},
	{"42501", "this user may not do that; ask for CREATE, SELECT, INSERT, UPDATE and DELETE in its schema"},
	{"25006", "the server is read-only (a standby?); name the primary"},
	{lockTimeout, "another process holds the database; wait for it to end and try again"},
	{"53", "the server is out of room or connections; try again later"},
	{"57", "the server is starting or stopping; try again"},
}

func (p postgres) explain(err error) error {
	words := p.clean(err.Error())
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		for _, row := range postgresAdvice {
			if strings.HasPrefix(refused.Code, row.code) {
				return fmt.Errorf("%s (%s)", row.advice, p.clean(refused.Message))
			}
		}
		return errors.New(words)
	}
	var unreachable *pgconn.ConnectError
	if errors.As(err, &unreachable) {
		return fmt.Errorf("the server cannot be reached; check that it runs and that host and port of the URL are right (%s)", p.clean(unreachable.Unwrap().Error()))
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
