package history

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{write("notes.txt", strings.Repeat("these are notes\n", 100)), "no SQLite database", "a text"},
		{dir, "is a directory", "a directory"},
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
		`UPDATE tribunal_schema SET version = 'one'`:                   "does not say which version",
		`DROP TABLE tribunal_schema; CREATE TABLE tribunal_schema (v)`: "does not say which version",
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
