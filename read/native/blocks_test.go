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
)

func TestBlocks(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	cases := []struct {
		text   string
		limit  int
		want   []string
		reason string
	}{
		{"", 100, nil, "nothing"},
		{"a\nbc\n", 100, []string{"1 ended 1", "2 ended 2"}, "two lines"},
		{"a\nbc", 100, []string{"1 ended 1", "2 open 2"}, "the last line lacks its end"},
		{"\n\n", 100, []string{"1 ended 0", "2 ended 0"}, "empty lines"},
		{long + "\nb", MaxLine, []string{"1 ended 131072", "2 open 1"}, "a line larger than the buffer"},
		{long, 1 << 17, []string{"1 open 131072"}, "exactly as long as allowed, without an end"},
		{long + "\nb", 1 << 17, []string{"1 ended 131072", "2 open 1"}, "exactly as long as allowed"},
		{long + "x\nb", 1 << 17, []string{"1 long", "2 open 1"}, "one byte too long"},
		{long + "x", 1 << 17, []string{"1 long"}, "one byte too long, without an end"},
		{long + long + long + "\n" + long, 1000, []string{"1 long", "2 long"}, "much too long, twice"},
		{"abcd\nabc\nabcd", 3, []string{"1 long", "2 ended 3", "3 long"}, "a limit below the buffer"},
	}
	for _, c := range cases {
		for _, way := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			for _, size := range []int{1, 7, 1 << 16, 1 << 20} {
				got := allLines(&blocks{r: way(strings.NewReader(c.text)), size: size, limit: c.limit})
				if !slices.Equal(got, c.want) {
					t.Errorf("%s, in blocks of %d: %q, want %q", c.reason, size, got, c.want)
				}
			}
		}
	}
}

// allLines is the lines of all blocks in short.
func allLines(in *blocks) (out []string) {
	told := func(what string, size int) {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%d %s %d", len(out)+1, what, size), " -1"))
	}
	for b := (block{}); !b.last; {
		b = in.next(b.text)
		for text := string(b.text); text != ""; {
			line, rest, ended := strings.Cut(text, "\n")
			switch text = rest; {
			case len(line) > in.limit:
				told("long", -1)
			case ended:
				told("ended", len(line))
			default:
				told("open", len(line))
			}
		}
		if b.tooLong {
			told("long", -1)
		}
	}
	return out
}

func TestTooLongLineIsNamed(t *testing.T) {
	const good = `{"test":"a","status":"pass"}` + "\n"
	huge := io.LimitReader(letters{}, 3*MaxLine)
	s := &sink{}
	before := allocated()
	if err := Read(io.MultiReader(strings.NewReader(good+`{"test":"`), huge, strings.NewReader("\"}\n"+good)), s); err != nil {
		t.Fatal(err)
	}
	if grown := allocated() - before; grown > 6*MaxLine {
		t.Errorf("%d MiB for a line of %d MiB", grown>>20, 3*MaxLine>>20)
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
