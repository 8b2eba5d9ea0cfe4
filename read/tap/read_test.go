package tap

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func readText(t testing.TB, text string) *readtest.Sink {
	t.Helper()
	return readtest.Text(t, Read, text)
}

// TestCut: a stream that is cut never looks like one that passed.
func TestCut(t *testing.T) {
	for _, name := range readtest.Samples(t) {
		text := string(readtest.Bytes(t, name))
		for n := range text {
			s := readText(t, text[:n])
			bad := slices.ContainsFunc(s.Trials, func(t envelope.Trial) bool { return t.Status == envelope.Fail || t.Status == envelope.Error })
			if len(s.Trials) > 0 && !bad {
				t.Errorf("%s cut to %d bytes passes", name, n)
			}
		}
	}
}

type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func repeated(text string, n int64) io.Reader {
	return io.LimitReader(&endless{text: text}, n*int64(len(text)))
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		reason string
		body   io.Reader
	}{
		{"a line of 96 MiB", repeated("xxxxxxxxxxxxxxxx", 6<<20)},
		{"a line of 14 MiB of #", repeated(" # skip # todo", 1<<20)},
		{"a block of 14 MiB", io.MultiReader(strings.NewReader("  ---\n"), repeated("  a: b\n", 2<<20))},
		{"indented by 16 MiB", repeated(" ", 16<<20)},
		{"10^6 lines of output", repeated("    x\n", 1e6)},
	} {
		before := sys()
		s := &readtest.Sink{}
		if err := Read(io.MultiReader(strings.NewReader("1..9\nnot ok 1 - a\n"), c.body), s); err != nil {
			t.Fatal(err)
		}
		if used := sys() - before; used > 200<<20 {
			t.Errorf("%s: %d MB", c.reason, used>>20)
		}
		if len(s.Trials) < 1 || s.Trials[0].Test != "a" {
			t.Errorf("%s: what came before is lost", c.reason)
		}
	}
}

// TestLongLines: a line counts up to 64 MiB, as in other formats.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	s := readText(t, "1..3\nok 1 - "+long+" # SKIP why\n# "+long+"\nnot ok 2 - b\n  ---\n  message: 'm "+long+"'\n  ...\nok 3 - c\n")
	if diff := cmp.Diff(map[string]string{long: "S", "b": "F", "c": "P"}, s.Strips()); diff != "" || len(s.Problems) > 0 {
		t.Errorf("problems %v (-want +got):\n%.300s", s.Problems, diff)
	}
	if got := s.Trials[1].Message; !strings.HasPrefix(got, "'m xxx") && !strings.HasPrefix(got, "m xxx") {
		t.Errorf("the start of a long message is lost: %.50q", got)
	}
}

func sys() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// TestManyPassing: a stream that may be ours to its end is not held whole.
func TestManyPassing(t *testing.T) {
	var text strings.Builder
	fmt.Fprintf(&text, "TAP version 13\n1..%d\n", mostWaiting+10)
	for n := range mostWaiting + 10 {
		fmt.Fprintf(&text, "ok %d - s/t%d\n", n+1, n)
	}
	got := readText(t, text.String())
	if len(got.Trials) != mostWaiting+10 || got.Trials[0].Key != (envelope.Key{Suite: "s", Test: "t0"}) || got.Trials[mostWaiting+9].Key.Suite != "s" {
		t.Errorf("%d trials, the first %v", len(got.Trials), got.Trials[0].Key)
	}
}
