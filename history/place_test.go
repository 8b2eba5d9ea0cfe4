package history

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"

	"tribunal/envelope"
	"tribunal/envelope/wire"
)

// serverVariable names a PostgreSQL server whose user may make schemas;
// scripts/databases starts one.
const serverVariable = "TRIBUNAL_TEST_POSTGRES"

// TestMain lets a test start itself as another process, see process_test.go.
func TestMain(m *testing.M) {
	if as := os.Getenv(processVariable); as != "" {
		os.Exit(process(as))
	}
	os.Exit(m.Run())
}

// everywhere runs the test on every database there is: SQLite always, and
// PostgreSQL where a server is named. It gets the place of an empty history.
func everywhere(t *testing.T, test func(t *testing.T, place string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, filepath.Join(t.TempDir(), "folder", "history.db")) })
	if server := os.Getenv(serverVariable); server != "" {
		t.Run("postgres", func(t *testing.T) { test(t, emptySchema(t, server)) })
	}
}

// emptySchema makes a schema for the test and returns the URL that leads there.
func emptySchema(t *testing.T, server string) string {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(t.Name()))
	schema := fmt.Sprintf("test_%x", h.Sum64())
	execute(t, server, "DROP SCHEMA IF EXISTS "+schema+" CASCADE; CREATE SCHEMA "+schema)
	t.Cleanup(func() { execute(t, server, "DROP SCHEMA "+schema+" CASCADE") })
	at, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	query.Set("search_path", schema)
	at.RawQuery = query.Encode()
	return at.String()
}

func execute(t *testing.T, server, statements string) {
	t.Helper()
	config, err := parse(server)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, place string, access Access) *Store {
	t.Helper()
	s, err := Open(context.Background(), place, access)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// rawDB is a connection past the store, to damage what it keeps.
func rawDB(t *testing.T, place string) *sql.DB {
	t.Helper()
	db, err := dialectOf(place).open(Write)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// golden is a judged run of the repository's goldens.
func golden(t *testing.T, name string) *envelope.Envelope {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "testdata", "golden", name, "json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rec, err := wire.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Envelope
}

func goldenNames(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/golden/*/json")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	var names []string
	for _, f := range files {
		if name := filepath.Base(filepath.Dir(f)); name != "gates" { // the run of flaky, which is added once
			names = append(names, name)
		}
	}
	return names
}

// numbered is a small run that differs from others by its number.
func numbered(t *testing.T, n int, startedAt string) *envelope.Envelope {
	e := golden(t, "one-pass")
	e.Run.ID, e.Run.StartedAt = fmt.Sprint(n), startedAt
	return e
}

func add(t *testing.T, s *Store, e *envelope.Envelope) string {
	t.Helper()
	id, added, err := s.Add(context.Background(), e)
	if err != nil || !added {
		t.Fatalf("adding: added %v, %v", added, err)
	}
	return id
}

func givenIDs(runs []Run) string {
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.Header.ID)
	}
	return strings.Join(ids, " ")
}
