package journal

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tribunal/envelope"
)

// memory is a file that fails when it is told to, and tells what was safe.
type memory struct {
	mu          sync.Mutex
	text        []byte
	safe, syncs int
	room        int           // 0 is any
	broken      error         // of every sync
	slow        chan struct{} // what a sync waits for
}

func (m *memory) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.room > 0 && len(m.text)+len(p) > m.room {
		n := m.room - len(m.text)
		m.text = append(m.text, p[:n]...)
		return n, io.ErrShortWrite
	}
	m.text = append(m.text, p...)
	return len(p), nil
}

func (m *memory) sync() error {
	m.mu.Lock()
	m.syncs++
	written := len(m.text)
	m.mu.Unlock()
	if m.slow != nil {
		<-m.slow
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.broken == nil {
		m.safe = written // what was written meanwhile is not
	}
	return m.broken
}

func (m *memory) Close() error { return nil }

func line(i int) Line {
	return Trial{&envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some(int32(i)), Status: envelope.Pass}}
}

// TestSyncIsShared: many that wait share calls of the disk, and none returns before
// a call that began behind its line.
func TestSyncIsShared(t *testing.T) {
	const writers = 64
	m := &memory{slow: make(chan struct{})}
	j := newJournal("dir", nil, m)
	var wg sync.WaitGroup
	var appended sync.WaitGroup
	appended.Add(writers)
	for i := range writers {
		wg.Go(func() {
			err := j.Append(line(i))
			appended.Done()
			if err = errors.Join(err, j.Sync()); err != nil {
				t.Error(err)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			if !strings.Contains(string(m.text[:m.safe]), fmt.Sprintf(`"attempt":%d,`, i)) {
				t.Errorf("line %d was called safe and is not", i)
			}
		})
	}
	appended.Wait()
	close(m.slow)
	wg.Wait()
	if m.safe != len(m.text) || strings.Count(string(m.text), "\n") != writers {
		t.Errorf("%d of %d bytes are safe", m.safe, len(m.text))
	}
	if m.syncs > 2 { // one that may have begun before the last line, and one behind it
		t.Errorf("the disk was called %d times for %d lines that waited together", m.syncs, writers)
	}
}

// TestLineIsSafeBeforeItIsCalledSo: a line that is written while the disk works
// waits for its next call.
func TestLineIsSafeBeforeItIsCalledSo(t *testing.T) {
	m := &memory{slow: make(chan struct{})}
	j := newJournal("dir", nil, m)
	first, second := make(chan error), make(chan error)
	go func() { first <- j.Commit(line(0)) }()
	for begun := 0; begun == 0; {
		m.mu.Lock()
		begun = m.syncs
		m.mu.Unlock()
	}
	go func() {
		err := j.Append(line(1))
		m.slow <- struct{}{} // the first call ends behind the second line
		second <- errors.Join(err, j.Sync())
	}()
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	m.slow <- struct{}{}
	if err := <-second; err != nil || m.syncs != 2 || m.safe != len(m.text) {
		t.Errorf("%v: %d calls, %d of %d bytes are safe", err, m.syncs, m.safe, len(m.text))
	}
}

// TestNothingBehindAFailure: at whichever byte the disk is full, the lines before
// it stand, the failure is told, and nothing follows it.
func TestNothingBehindAFailure(t *testing.T) {
	whole := &memory{}
	j := newJournal("dir", nil, whole)
	for i := range 3 {
		if err := j.Append(line(i)); err != nil {
			t.Fatal(err)
		}
	}
	for room := 1; room < len(whole.text); room++ {
		m := &memory{room: room}
		j := newJournal("dir", nil, m)
		good := 0
		for i := range 3 {
			if err := j.Commit(line(i)); err == nil {
				good++
			} else if !errors.Is(err, io.ErrShortWrite) || !strings.Contains(err.Error(), filepath.Join("dir", FileName)) {
				t.Errorf("room for %d bytes: %v", room, err)
			}
		}
		if want := strings.Count(string(whole.text[:room]), "\n"); good != want || len(m.text) != room || m.safe > room {
			t.Errorf("room for %d bytes: %d lines were written, want %d; the file has %d bytes", room, good, want, len(m.text))
		}
		if j.Append(End{Finished}) == nil {
			t.Errorf("room for %d bytes: the end was written", room)
		}
	}
}

// TestDiskIsAskedOnce: what a disk did not take it may have forgotten, so another
// call that succeeds says nothing of it.
func TestDiskIsAskedOnce(t *testing.T) {
	m := &memory{broken: errors.New("input/output error")}
	j := newJournal("dir", nil, m)
	if err := j.Commit(line(0)); !errors.Is(err, m.broken) {
		t.Fatalf("%v", err)
	}
	m.broken = nil
	if j.Sync() == nil || j.Commit(line(1)) == nil || strings.Contains(string(m.text), `"attempt":1`) {
		t.Error("it goes on as if all were well")
	}
}

// TestRefused: what a journal could not tell again is not written.
func TestRefused(t *testing.T) {
	for reason, l := range map[string]Line{
		"no test":              Trial{&envelope.Trial{Attempt: envelope.Some[int32](0), Status: envelope.Pass}},
		"no attempt":           Trial{&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass}},
		"no outcome":           Held{&envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some[int32](0)}},
		"no UTF-8":             Start{Key: envelope.Key{Test: "t\xff"}},
		"a note without words": Note{Code: "left-behind"},
		"no such end":          Ended{Key: envelope.Key{Test: "t"}, How: "well"},
		"no name":              Tests{{Trials: 3}},
		"not a number":         Trial{&envelope.Trial{Key: envelope.Key{Test: "t"}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, CostUSD: envelope.Some(1 / zero)}},
	} {
		m := &memory{}
		j := newJournal("dir", nil, m)
		if err := j.Append(l); err == nil || len(m.text) > 0 {
			t.Errorf("%s: %v, %q was written", reason, err, m.text)
		}
		if j.Append(line(0)) == nil {
			t.Errorf("%s: the journal goes on without it", reason)
		}
	}
}

var zero float64

// TestManyTests: a line holds a thousand tests at most.
func TestManyTests(t *testing.T) {
	m := &memory{}
	j := newJournal("dir", nil, m)
	tests := make(Tests, 2001)
	for i := range tests {
		tests[i].Test = "t"
	}
	if err := j.Append(tests); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(m.text), "\n"); n != 3 {
		t.Errorf("%d lines for 2001 tests, want 3", n)
	}
}
