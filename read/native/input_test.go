package native

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/read/internal/lineblocks"
)

func TestTooLongLineIsNamed(t *testing.T) {
	const good = `{"test":"a","status":"pass"}` + "\n"
	huge := io.LimitReader(letters{}, 3*lineblocks.MaxLine)
	s := &sink{}
	before := allocated()
	if err := Read(io.MultiReader(strings.NewReader(good+`{"test":"`), huge, strings.NewReader("\"}\n"+good)), s); err != nil {
		t.Fatal(err)
	}
	if grown := allocated() - before; grown > 6*lineblocks.MaxLine {
		t.Errorf("%d MiB for a line of %d MiB", grown>>20, 3*lineblocks.MaxLine>>20)
	}
	if want := []string{"error line-too-long 2:1"}; len(s.trials) != 2 || !slices.Equal(s.told(), want) {
		t.Errorf("%d trials, problems %q, want 2, %q", len(s.trials), s.told(), want)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// letters is text without end and without line ends.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLongLineIsRead(t *testing.T) {
	const size = 20 << 20
	s := readText(`{"test":"a","status":"fail","output":"` + strings.Repeat(`\n`, size/2) + `"}` + "\n" + `{"test":"b","status":"pass"}`)
	if len(s.trials) != 2 || len(s.trials[0].Output) != size/2 || len(s.problems) != 0 {
		t.Errorf("%d trials, %v", len(s.trials), s.problems)
	}
}

func TestReadErrorKeepsWhatCameBefore(t *testing.T) {
	broken := errors.New("the cable is broken")
	s := &sink{}
	err := Read(io.MultiReader(strings.NewReader(`{"test":"a","status":"pass"}`+"\nlog\n"+`{"test":"b","st`), iotest.ErrReader(broken)), s)
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if want := []string{"error truncated-line 3:16", "warning noise 2:1 x1"}; len(s.trials) != 1 || !slices.Equal(s.told(), want) {
		t.Errorf("%d trials, problems %q, want 1, %q", len(s.trials), s.told(), want)
	}
}

// TestFollowsASlowPipe: a trial is delivered before the next line is there.
func TestFollowsASlowPipe(t *testing.T) {
	r, w := io.Pipe()
	arrived := make(chan string)
	go func() {
		_ = Read(r, &live{arrived: arrived}) // it ends when the pipe does
		close(arrived)
	}()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := fmt.Fprintf(w, `{"test":%q,"status":"pass"}`+"\n", name); err != nil {
			t.Fatal(err)
		}
		if got := <-arrived; got != name {
			t.Errorf("got %s, want %s", got, name)
		}
	}
	w.Close()
	<-arrived
}
