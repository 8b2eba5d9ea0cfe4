package history

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tribunal/envelope"
)

func TestSQLitePaths(t *testing.T) {
	dir, run := t.TempDir(), golden(t, "one-pass")
	t.Chdir(dir)
	for _, path := range []string{":memory:", "a?mode=memory", "50%20.db", "ein ordner/#1/ä.db", filepath.Join(dir, "absolute.db")} {
		s := open(t, path, Write)
		add(t, s, run)
		s.Close()
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%q: %v; want a file of that very name", path, err)
		}
		if _, n, err := open(t, path, Read).List(context.Background(), Selection{}); n != 1 || err != nil {
			t.Errorf("%q holds %d runs, %v", path, n, err)
		}
	}
}

// TestAHistoryOfAKilledWriterIsRead: a large run is in the file in part before it
// is committed, and a journal says what was there before.
func TestAHistoryOfAKilledWriterIsRead(t *testing.T) {
	place := filepath.Join(t.TempDir(), "history.db")
	s := open(t, place, Write)
	add(t, s, runOf(1))
	s.Close()
	before, err := os.Stat(place)
	if err != nil {
		t.Fatal(err)
	}
	killInside(t, "spill", place, 0)
	if after, err := os.Stat(place); err != nil || after.Size() == before.Size() {
		t.Fatal("the writer was to be killed with a part of its run in the file", err)
	}
	runs, n, err := open(t, place, Read).List(context.Background(), Selection{})
	if n != 1 || err != nil {
		t.Errorf("after the kill: %q, %v; want the run of before", givenIDs(runs), err)
	}
}

func init() { processes["spill"] = spill }

// spill writes more than SQLite keeps in memory, and waits to be killed.
func spill(ctx context.Context, place string, _ int) error {
	s, err := Open(ctx, place, Write)
	if err != nil {
		return err
	}
	return s.inTransaction(ctx, func(tx *sql.Tx) error {
		for i := range 20 {
			if _, err := tx.ExecContext(ctx, `INSERT INTO tribunal_rosters (hash, tests) VALUES ($1, $2)`, fmt.Sprint(i), make([]byte, 1<<20)); err != nil {
				return err
			}
		}
		fmt.Println("written, not committed")
		_, err := os.Stdin.Read(make([]byte, 1)) // nothing ever comes
		return err
	})
}

func TestSQLiteErrorsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) string {
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	foreign, err := sql.Open("sqlite", at("foreign.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Exec(`CREATE TABLE accounts (id INTEGER)`); err != nil {
		t.Fatal(err)
	}
	foreign.Close()
	whole := open(t, at("whole.db"), Write)
	add(t, whole, golden(t, "many"))
	whole.Close()
	content, err := os.ReadFile(at("whole.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want, reason string }{
		{write("notes.txt", strings.Repeat("these are notes\n", 100)), "not an SQLite database", "a text"},
		{dir, "names a folder", "a folder"},
		{at("foreign.db"), "another program", "tables of somebody else"},
		{filepath.Join(write("file", "x"), "history.db"), "file", "a file where a folder should be"},
		{"mysql://ana:secret@host/runs", `"mysql" URL is not supported`, "a URL of another database"},
		{write("cut.db", string(content[:len(content)/2])), "damaged", "cut in the middle"},
	} {
		s, err := Open(context.Background(), c.path, Write)
		if err == nil {
			_, err = s.Trend(context.Background(), Query{Confidence: 0.95})
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) && !strings.Contains(c.path, "://") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v; want %q and the path", c.reason, err, c.want)
		}
	}
}

// TestVersionsThatThereNeverWere: a table of versions that something else changed is
// said, whatever the history is opened for, and stays as it is.
func TestVersionsThatThereNeverWere(t *testing.T) {
	for change, want := range map[string]string{
		`UPDATE tribunal_schema SET version = -1`:                      "version -1, which does not exist",
		`UPDATE tribunal_schema SET version = 0`:                       "version 0, which does not exist",
		`UPDATE tribunal_schema SET version = 9`:                       "a newer tribunal made them",
		`DELETE FROM tribunal_schema`:                                  "tribunal_schema is empty",
		`INSERT INTO tribunal_schema (version) VALUES (2)`:             "two versions of its tables, 1 and 2",
		`UPDATE tribunal_schema SET version = 'one'`:                   "shows no version",
		`DROP TABLE tribunal_schema; CREATE TABLE tribunal_schema (v)`: "shows no version",
	} {
		place := filepath.Join(t.TempDir(), "history.db")
		s := open(t, place, Write)
		if _, err := s.db.Exec(change); err != nil {
			t.Fatal(err)
		}
		s.Close()
		for _, access := range []Access{Read, Change, Write} {
			s, err := Open(context.Background(), place, access)
			if err == nil {
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, opened for %d: %v, want %q", change, access, err, want)
			}
		}
	}
}

// The words that no message may hold.
const secret = "hunter2/%s&"

func TestPostgresPasswordsAreNeverPrinted(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	listener.Close()
	escaped := url.QueryEscape(secret)
	for _, c := range []struct{ place, want, reason string }{
		{"postgres://ann:" + escaped + "@" + closed + "/team", "cannot be reached", "nobody listens"},
		{"postgresql://ann:" + escaped + "@" + closed + "/team?sslmode=disable", "postgresql://ann@" + closed + "/team", "the place is named"},
		{"postgres://" + closed + "/team?user=ann&password=" + escaped, "cannot be reached", "as a parameter"},
		{"postgres://ann:" + escaped + "@" + closed + "/team?sslmode=maybe", "cannot read the URL", "a bad parameter"},
		{"postgres://ann:" + secret + "@" + closed + "/team", "cannot read the URL", "not escaped, so that it is no URL"},
		{"postgres://ann:" + escaped + "@%%/team", "cannot read the URL", "a host that is none"},
	} {
		_, err := Open(context.Background(), c.place, Write)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.reason, err, c.want)
			continue
		}
		for _, form := range []string{secret, escaped, url.PathEscape(secret), "hunter2"} {
			if strings.Contains(err.Error(), form) {
				t.Errorf("%s: the password is in %q", c.reason, err)
			}
		}
	}
}

func TestPostgresErrorsSayWhatToDo(t *testing.T) {
	server := os.Getenv(serverVariable)
	if server == "" {
		return // scripts/databases runs this with a server
	}
	changed := func(change func(u *url.URL, q url.Values)) string {
		u, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		change(u, q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for _, c := range []struct{ place, want, reason string }{
		{changed(func(u *url.URL, _ url.Values) { u.User = url.UserPassword("tribunal", "hunter2") }), "refuses this user or password", "a wrong password"},
		{changed(func(u *url.URL, _ url.Values) { u.Path = "/none" }), "no such database", "a database that is not there"},
		{changed(func(_ *url.URL, q url.Values) { q.Set("search_path", "none") }), "no such schema", "a schema that is not there"},
		{changed(func(_ *url.URL, q url.Values) { q.Set("default_transaction_read_only", "on") }), "read-only", "a server that may not be written"},
	} {
		_, err := Open(context.Background(), c.place, Write)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v; want %q", c.reason, err, c.want)
		}
	}
}

// The size that a history must stay usable at.
const (
	manyTests = 10_000
	manyRuns  = 1_000
)

// BenchmarkTrend reads the trend of all tests over all runs.
func BenchmarkTrend(b *testing.B) {
	place := filepath.Join(b.TempDir(), "history.db")
	fill(b, place)
	b.ResetTimer()
	for b.Loop() {
		s, err := Open(context.Background(), place, Read)
		if err != nil {
			b.Fatal(err)
		}
		t, err := s.Trend(context.Background(), Query{Confidence: 0.95})
		if err != nil || len(t.Tests) != manyTests || len(t.Runs) != manyRuns {
			b.Fatal(len(t.Tests), len(t.Runs), err)
		}
		s.Close()
	}
}

// fill adds the runs: most tests pass, every tenth is flaky, costs and durations differ from run to run.
func fill(b *testing.B, place string) {
	s, err := Open(context.Background(), place, Write)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	e := &envelope.Envelope{Tests: make([]envelope.Test, manyTests)}
	for r := range manyRuns {
		e.Run.StartedAt = time.Unix(int64(r)*3600, 0).UTC().Format(time.RFC3339)
		for i := range e.Tests {
			t := &e.Tests[i]
			t.Key = envelope.Key{Suite: fmt.Sprintf("suite %d", i/100), Test: fmt.Sprintf("answers question number %d", i)}
			t.Status, t.Trials = envelope.Pass, envelope.TrialCounts{Total: 5, Counted: 5, Passed: 5}
			if i%10 == 0 {
				t.Trials.Passed = 3 + (r+i)%3
			}
			t.CostUSD = envelope.Some(0.01 + float64((r*i)%1000)*1e-5)
			t.DurationMS = &envelope.Spread{P50: envelope.Some(100 + float64((r+i)%977))}
		}
		if _, _, err := s.Add(context.Background(), e); err != nil {
			b.Fatal(err)
		}
	}
}
