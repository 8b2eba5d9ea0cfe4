package pretty

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/render/internal/rendertest"
)

func render(t testing.TB, e *envelope.Envelope, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, e, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// goldens are looked at by a person whenever they change; what must hold for
// all of them is in the other tests.
var goldens = []struct {
	name, reason string
	e            *envelope.Envelope
	o            Options
}{
	{"agents-pipe", "into a file: nothing wrapped", agents(), Options{}},
	{"agents-140", "a wide terminal shows all columns", agents(), Options{Width: 140}},
	{"agents-kept", "a file has 120 columns and names that are not cut", agents(), Options{Width: 120, Kept: true}},
	{"agents-100", "the reasons go under their tests", agents(), Options{Width: 100}},
	{"agents-80", "a classic terminal", agents(), Options{Width: 80}},
	{"agents-60", "half a screen", agents(), Options{Width: 60}},
	{"agents-40", "a phone", agents(), Options{Width: 40}},
	{"agents-color", "every ink", agents(), Options{Width: 140, Color: true}},
	{"agents-ascii", "no character beyond ASCII", agents(), Options{Width: 100, ASCII: true}},
	{"detailed-140", "with statistics: a wide terminal shows all columns", agents(), Options{Detailed: true, Width: 140}},
	{"detailed-80", "with statistics: a classic terminal", agents(), Options{Detailed: true, Width: 80}},
	{"detailed-color", "with statistics: every ink", agents(), Options{Detailed: true, Width: 140, Color: true}},
	{"detailed-many", "with statistics: a long run lists what did not pass", many(5000), Options{Detailed: true, Width: 100}},
	{"all-pass", "the plainest run", allPass(), Options{Width: 80}},
	{"empty", "an envelope that knows nothing", &envelope.Envelope{}, Options{Width: 80}},
	{"wide", "scripts and emoji of double width line up", wide(), Options{Width: 100}},
	{"many", "a long run lists what did not pass and counts the rest", many(5000), Options{Width: 100}},
}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			rendertest.Golden(t, g.name+".golden", render(t, g.e, g.o))
		})
	}
}

func TestSameBytesTwice(t *testing.T) {
	for _, g := range goldens {
		if a, b := render(t, g.e, g.o), render(t, g.e, g.o); a != b {
			t.Errorf("%s: two runs differ:\n%s", g.name, cmp.Diff(a, b))
		}
	}
}

// stingy takes n bytes and then fails, or says it took less than it was given.
type stingy struct {
	n    int
	fail error
}

func (s *stingy) Write(p []byte) (int, error) {
	if s.n -= len(p); s.n < 0 {
		return len(p) / 2, s.fail
	}
	return len(p), nil
}

func TestWriterErrorIsReturned(t *testing.T) {
	full := errors.New("disk full")
	for _, n := range []int{0, 10, 1000} {
		if err := Write(&stingy{n, full}, agents(), Options{}); !errors.Is(err, full) {
			t.Errorf("after %d bytes: %v", n, err)
		}
		if err := Write(&stingy{n, nil}, agents(), Options{}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("short write after %d bytes: %v", n, err)
		}
	}
}

func TestNoEnvelope(t *testing.T) {
	if err := Write(io.Discard, nil, Options{}); err == nil {
		t.Error("no error without an envelope")
	}
}

func BenchmarkManyTests(b *testing.B) {
	e := many(100_000)
	for b.Loop() {
		if err := Write(io.Discard, e, Options{Width: 100, Color: true}); err != nil {
			b.Fatal(err)
		}
	}
}
