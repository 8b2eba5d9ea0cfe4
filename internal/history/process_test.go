package history

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/wire"
)

// processVariable makes this test binary one of the programs below; their place
// and number come in the variables after it.
const (
	processVariable = "TRIBUNAL_TEST_PROCESS"
	placeVariable   = "TRIBUNAL_TEST_PLACE"
	numberVariable  = "TRIBUNAL_TEST_NUMBER"
)

// addedByEach is how many runs each of several writers adds.
const addedByEach = 5

// processes are the programs; a test of one system adds its own.
var processes = map[string]func(ctx context.Context, place string, n int) error{"add": addSome, "hang": hangInAdd}

// process is what the binary does as another process.
func process(as string) int {
	n, err := strconv.Atoi(os.Getenv(numberVariable))
	if err == nil {
		err = processes[as](context.Background(), os.Getenv(placeVariable), n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func start(t *testing.T, as, place string, n int) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), processVariable+"="+as, placeVariable+"="+place, numberVariable+"="+strconv.Itoa(n))
	return cmd
}

func addSome(ctx context.Context, place string, writer int) error {
	s, err := Open(ctx, place, Write)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range addedByEach {
		if _, _, err := s.Add(ctx, runOf(writer*addedByEach+i)); err != nil {
			return err
		}
	}
	return nil
}

func runOf(n int) *envelope.Envelope {
	file, err := os.Open(filepath.Join("..", "..", "testdata", "golden", "one-pass", "json"))
	if err != nil {
		panic(err)
	}
	defer file.Close()
	rec, err := wire.Decode(file)
	if err != nil {
		panic(err)
	}
	rec.Envelope.Run.ID = strconv.Itoa(n)
	return rec.Envelope
}

// hangInAdd stores a run up to the commit, says so, and waits to be killed.
func hangInAdd(ctx context.Context, place string, n int) error {
	s, err := Open(ctx, place, Write)
	if err != nil {
		return err
	}
	r, err := recordOf(runOf(n))
	if err != nil {
		return err
	}
	return s.inTransaction(ctx, func(tx *sql.Tx) error {
		seq, err := nextInLine(ctx, tx)
		if err != nil {
			return err
		}
		if err := insert(ctx, tx, seq, r); err != nil {
			return err
		}
		fmt.Println("stored, not committed")
		_, err = os.Stdin.Read(make([]byte, 1)) // nothing ever comes
		return err
	})
}

// Four processes and four goroutines with stores of their own start on an empty
// place at once: they make the tables and add, and every run is there.
func TestWritersAtOnceLoseNothing(t *testing.T) {
	const processes, goroutines = 4, 4
	everywhere(t, func(t *testing.T, place string) {
		var all sync.WaitGroup
		for w := range processes + goroutines {
			cmd := start(t, "add", place, w)
			all.Go(func() {
				run := cmd.Run
				if w >= processes {
					run = func() error { return addSome(context.Background(), place, w) }
				}
				if err := run(); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			})
		}
		all.Wait()
		s := open(t, place, Read)
		runs, n, err := s.List(context.Background(), Selection{})
		if want := (processes + goroutines) * addedByEach; n != want || err != nil {
			t.Fatalf("%d runs are there, want %d: %v", n, want, err)
		}
		seen := map[string]bool{}
		for i, r := range runs {
			if seen[r.Header.ID] || r.seq != int64(i+1) {
				t.Errorf("run %s at %d has number %d: want each run once, numbered without gaps", r.Header.ID, i, r.seq)
			}
			seen[r.Header.ID] = true
		}
	})
}

// Several writers with the same run: it is there once, and one of them added it.
func TestTheSameRunAtOnceIsThereOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		open(t, place, Write).Close()
		var all sync.WaitGroup
		added := make([]bool, 6)
		for w := range added {
			all.Go(func() {
				s, err := Open(context.Background(), place, Write)
				if err == nil {
					defer s.Close()
					_, added[w], err = s.Add(context.Background(), runOf(7))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got := strings.Count(fmt.Sprint(added), "true"); got != 1 {
			t.Errorf("%d writers added the run, want 1", got)
		}
		if _, n, err := open(t, place, Read).List(context.Background(), Selection{}); n != 1 || err != nil {
			t.Errorf("the run is there %d times, %v", n, err)
		}
	})
}

// killInside starts a program that says when it is where it is to be killed, and kills it there.
func killInside(t *testing.T, as, place string, n int) {
	t.Helper()
	cmd := start(t, as, place, n)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // it was killed, which is its error
}

func TestAKilledAddLeavesNothingHalf(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		s, ctx := open(t, place, Write), context.Background()
		add(t, s, runOf(1))
		killInside(t, "hang", place, 2)
		if runs, n, err := s.List(ctx, Selection{}); n != 1 || err != nil {
			t.Errorf("after the kill: %v, %v; want the run of before alone", givenIDs(runs), err)
		}
		add(t, s, runOf(2))
		if runs, _, err := s.List(ctx, Selection{}); givenIDs(runs) != "1 2" || err != nil {
			t.Errorf("added again: %q, %v", givenIDs(runs), err)
		}
	})
}

// serverVariable names a PostgreSQL server whose user may make schemas; scripts/databases starts one.
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
	if _, err := rawDB(t, server).Exec(statements); err != nil {
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
	file, err := os.Open(filepath.Join("..", "..", "testdata", "golden", name, "json"))
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
	files, err := filepath.Glob("../../testdata/golden/*/json")
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
