package gotest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// diary writes down what comes, in order.
type diary struct {
	readtest.Sink
	entries []string
	trials  chan string // told too, when there is one
}

func (d *diary) Trial(t *envelope.Trial) {
	d.entries = append(d.entries, t.Test)
	if d.trials != nil {
		d.trials <- t.Test
	}
}

func (d *diary) Problem(p envelope.Problem) {
	d.entries = append(d.entries, fmt.Sprintf("%s %d", p.Code, p.Line))
}

// TestOrder: problems stay among the trials where their lines are, however the
// input comes.
func TestOrder(t *testing.T) {
	text := "{\"Action\":x}\n" + events("run A", "pass A") + "{}\n" + events("run B") + "{\"Test\":1}\n" + events("pass B", "pass") + "{\"a\n"
	want := []string{"malformed-record 1", "A", "malformed-record 4", "ignored-field 6", "malformed-record 6", "B", "malformed-record 9"}
	for name, way := range map[string]func(io.Reader) io.Reader{
		"at once":       func(r io.Reader) io.Reader { return r },
		"byte by byte":  iotest.OneByteReader,
		"half and half": iotest.HalfReader,
	} {
		d := &diary{}
		if err := Read(way(strings.NewReader(text)), d); err != nil || !slices.Equal(d.entries, want) {
			t.Errorf("%s: got %q %v, want %q", name, d.entries, err, want)
		}
	}
}

// TestLive: a test that ended is delivered while the input is still open.
func TestLive(t *testing.T) {
	in, out := io.Pipe()
	d := &diary{trials: make(chan string)}
	done := make(chan error)
	go func() { done <- Read(in, d) }()
	for _, test := range []string{"A", "B", "C"} {
		if _, err := io.WriteString(out, events("run "+test, "pass "+test)); err != nil {
			t.Fatal(err)
		}
		if got := <-d.trials; got != test {
			t.Errorf("got %s, want %s", got, test)
		}
	}
	out.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestMemoryIsUsedAgain: of what passing tests print no more than the text of each line
// costs memory of its own.
func TestMemoryIsUsedAgain(t *testing.T) {
	long := strings.Repeat("x", 1000)
	allocations := func(tests, lines int) float64 {
		script := []string{}
		for i := range tests {
			script = append(script, fmt.Sprintf("run T%d", i))
			for range lines {
				script = append(script, fmt.Sprintf("output T%d %s", i, long))
			}
			script = append(script, fmt.Sprintf("pass T%d", i))
		}
		text := events(script...)
		return testing.AllocsPerRun(3, func() {
			if err := Read(strings.NewReader(text), nothing{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocations(200, 1), allocations(200, 50); many > few+200*49+100 {
		t.Errorf("%v allocations for a line a test, %v for fifty", few, many)
	}
	if few, many := allocations(100, 5), allocations(400, 5); many > 4.4*few {
		t.Errorf("%v allocations for 100 tests, %v for four times as many", few, many)
	}
}

type nothing struct{}

func (nothing) Trial(*envelope.Trial)                     {}
func (nothing) Header(envelope.Header, *envelope.Carried) {}
func (nothing) Recorded(*envelope.Recorded)               {}
func (nothing) Problem(envelope.Problem)                  {}
