package tap

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func readText(t testing.TB, text string) *readtest.Sink {
	t.Helper()
	return readtest.Text(t, Read, text)
}

func sample(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// samples are read by hand.
var samples = []struct {
	file   string
	strips map[string]string
}{
	{"gen_node-test.tap", map[string]string{"agent/passes": "P", "agent/fails": "F", "agent/skips": "S", "agent/todo": "S", "agent/times out": "F"}},
	{"gen_node-hooks.tap", map[string]string{"b": "E", "b/one": "E", "b/two": "E", "be/three": "E", "ae/four": "E", "a": "E", "a/five": "P", "a/six": "F"}},
	{"gen_perl_bailout.tap", map[string]string{"one": "P", "(bail out)": "E"}},
	{"gen_perl_test-more.tap", map[string]string{"first": "P", "second": "F", "third": "F", "(test 4)": "S", "todo item": "S", "sub/in1": "P", "sub/in2": "F"}},
}

const vitest = `TAP version 13
1..1
not ok 1 - a.test.js # time=50.00ms {
    1..3
    ok 1 - group # time=1.5s {
        1..1
        ok 1 - x # time=1.25ms
    }
    not ok 2 - y # time=2.00ms
        ---
        error:
            name: "AssertionError"
            message: "expected 'a' to be 'b' // Object.is
equality"
        at: "/src/a.test.js:7:81"
        ---
        actual: "a"
        ...
    ok 3 - z # SKIP
}
`

// TestCut: a stream that is cut never looks like one that passed.
func TestCut(t *testing.T) {
	for _, c := range samples {
		text := sample(t, c.file)
		for n := 1; n < len(text)-97; n += 97 {
			s := readText(t, text[:n])
			bad := slices.ContainsFunc(s.Trials, func(t envelope.Trial) bool { return t.Status == envelope.Fail || t.Status == envelope.Error })
			if len(s.Trials) > 0 && !bad {
				t.Errorf("%s cut to %d bytes passes", c.file, n)
			}
		}
	}
}

func TestReadError(t *testing.T) {
	cable := errors.New("the cable is broken")
	for _, text := range []string{"1..2\nok 1 - a\nok 2", "1..1\nok 1 - a\n  ---\n  x: 1\n"} {
		s := &readtest.Sink{}
		err := Read(io.MultiReader(strings.NewReader(text), iotest.ErrReader(cable)), s)
		if !errors.Is(err, cable) || len(s.Trials) == 0 {
			t.Errorf("%q: error %v, %d trials", text, err, len(s.Trials))
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

func FuzzTAP(f *testing.F) {
	for _, c := range samples {
		f.Add([]byte(sample(f, c.file)))
	}
	f.Add([]byte(vitest))
	f.Add([]byte("TAP version 13\n1..1\nok 1 - s/a [v] # TODO inconclusive\n  ---\n  verdict: \"inconclusive\"\n  trials: \"PFX\"\n  rule: \"wald\"\n  threshold: 0.5\n  ...\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		s := readText(t, string(text))
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, trial := range s.Trials {
			if trial.Test == "" || trial.Status == "" || !trial.Attempt.OK || trial.Attempt.V < 0 || trial.Line < 0 {
				t.Errorf("%#v", trial)
			}
		}
	})
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
