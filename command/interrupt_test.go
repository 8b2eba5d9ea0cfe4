package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
)

// TestStopping: what a signal does, by what the program is doing.
func TestStopping(t *testing.T) {
	for _, c := range []struct {
		reason  string
		piped   bool
		signals []os.Signal
		code    int // 0: it goes on
	}{
		{"files are read", false, []os.Signal{os.Interrupt}, 130},
		{"a runner is piped in: its end is waited for", true, []os.Signal{os.Interrupt}, 0},
		{"a second interrupt is meant for us", true, []os.Signal{os.Interrupt, os.Interrupt}, 130},
		{"a job that is cancelled does not wait", true, []os.Signal{syscall.SIGTERM}, 143},
	} {
		var s stopping
		var undone []string
		s.meanwhile(func() { undone = append(undone, "settled") })()
		s.meanwhile(func() { undone = append(undone, "begun") })
		s.setPiped(c.piped)
		signals := make(chan os.Signal, len(c.signals))
		for _, sig := range c.signals {
			signals <- sig
		}
		close(signals)
		code := 0
		s.obey(signals, io.Discard, func(n int) { code = n })
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.reason, code, c.code)
		}
		want := []string{"begun"}
		if c.code == 0 {
			want = nil
		}
		if !slices.Equal(undone, want) {
			t.Errorf("%s: undone %v, want %v", c.reason, undone, want)
		}
	}
}

// TestInterruptedRunner: what was told until the end of the input is counted, and
// the run is never taken for a whole one.
func TestInterruptedRunner(t *testing.T) {
	defer func() { stop = stopping{} }()
	stream := io.MultiReader(
		strings.NewReader(`{"test":"a","status":"pass"}`+"\n"),
		hears(func() { stop.receive(os.Interrupt) }),
		strings.NewReader(`{"test":"b","status":"pass"}`+"\n"))
	var out, errs strings.Builder
	env := Env{Stdin: stream, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
	code := Main([]string{"tribunal", "report", "--no-config"}, env)
	if code != 2 || !strings.Contains(out.String(), "2 tests pass") || !strings.Contains(out.String(), "the run was interrupted") {
		t.Errorf("exit code %d:\n%s%s", code, &out, &errs)
	}
}

// hears is an empty part of a stream at which something happens.
type hears func()

// Read implements io.Reader.
func (h hears) Read([]byte) (int, error) {
	h()
	return 0, io.EOF
}

// TestNothingStaysBehind: a file that was begun is removed.
func TestNothingStaysBehind(t *testing.T) {
	defer func() { stop = stopping{} }()
	dir := t.TempDir()
	err := writeWhole(filepath.Join(dir, "report"), func(w io.Writer) error {
		stop.receive(syscall.SIGTERM)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("%v, %v are left", entries, err)
		}
		return nil
	})
	if err == nil {
		t.Error("a file that was removed appeared")
	}
	if len(stop.undo) != 0 {
		t.Errorf("%d files are still to be removed", len(stop.undo))
	}
}

// TestWidenHarmsNothing: what comes through is the same, of pipes and of files that are none.
func TestWidenHarmsNothing(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "before, "); err != nil {
		t.Fatal(err)
	}
	widen(r)
	if _, err := io.WriteString(w, "after"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, "before, after")
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	widen(file)
	for _, in := range []*os.File{r, file} {
		if text, err := io.ReadAll(in); err != nil || string(text) != "before, after" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// drawn is a progress line whose ticks the test gives.
func drawn(b *count.Builder, w io.Writer, width int) (p *progress, tick func()) {
	env := Env{Stderr: w, StderrSize: sized(width), Getenv: noVariables}
	p = &progress{drawing: newDrawing(env), builder: b, start: time.Unix(0, 0)}
	ticks, looked := make(chan time.Time), make(chan bool)
	p.keepLooking(ticks, func(now time.Time) { p.draw(now); looked <- true })
	return p, func() {
		ticks <- time.Unix(1, 0)
		<-looked
	}
}

// sized is the size of a terminal of so many columns, nil of none.
func sized(columns int) func() (int, int) {
	if columns == 0 {
		return nil
	}
	return func() (int, int) { return columns, 24 }
}

func noVariables(string) string { return "" }

// TestLineIsDrawnWhileTheReaderWaits: a producer that writes and then thinks for long has all it wrote in the line.
func TestLineIsDrawnWhileTheReaderWaits(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	var screen bytes.Buffer
	p, tick := drawn(b, &screen, 200)
	in, producer := io.Pipe()
	ended := make(chan string)
	go func() { ended <- read.StreamAs(b, "-", p.watch(in), read.Options{}) }()
	want := ""
	for _, line := range []string{`{"test":"a","status":"pass"}`, `{"test":"b","status":"fail"}`, `{"test":"b","status":"pass"}`, `{"test":"c","status":"skip"}`} {
		before := b.Trials()
		if _, err := io.WriteString(producer, line+"\n"); err != nil {
			t.Fatal(err)
		}
		for b.Trials() == before { // the reader counts it while the pipe is empty
			time.Sleep(time.Millisecond)
		}
		tick()
		want = screen.String()
	}
	producer.Close()
	if format := <-ended; format != "native" {
		t.Errorf("read as %q", format)
	}
	p.done()
	lines := strings.Split(want, "\r\x1b[J")
	if len(lines) != 4 || !strings.Contains(lines[3], "4 trials, 4/s | 3 tests so far: 1 pass, 0 fail, 1 mixed | 1s | ") || !strings.HasSuffix(lines[3], " B | failed last: b") {
		t.Errorf("%q", lines)
	}
	if rest := strings.TrimPrefix(screen.String(), want); rest != "\r\x1b[J" {
		t.Errorf("done leaves %q", rest)
	}
}

func TestMessagesStandAboveTheLine(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	var screen bytes.Buffer
	p, tick := drawn(b, &screen, 12)
	p.bytes.Add(5)
	tick()
	p.say("hello %d\n", 1)
	p.bytes.Add(5)
	tick()
	p.done()
	if want := "0 trials, 0\r\x1b[Jhello 1\n0 trials, 0\r\x1b[J"; screen.String() != want {
		t.Errorf("got %q, want %q", screen.String(), want)
	}
}

// TestNothingIsDrawn where nobody sees it.
func TestNothingIsDrawn(t *testing.T) {
	cases := []struct {
		width  int
		env    map[string]string
		reason string
	}{
		{0, nil, "no terminal"},
		{80, map[string]string{"CI": "true"}, "a log of CI"},
		{80, map[string]string{"TERM": "dumb"}, "a terminal that cannot"},
	}
	for _, c := range cases {
		var screen bytes.Buffer
		env := Env{Stderr: &screen, StderrSize: sized(c.width), Getenv: func(name string) string { return c.env[name] }}
		p := newProgress(env, count.NewBuilder(5, 0.5), 0)
		source := strings.NewReader("x")
		if r := p.watch(source); r != io.Reader(source) {
			t.Errorf("%s: reading is watched", c.reason)
		}
		p.done()
		if screen.Len() > 0 {
			t.Errorf("%s: %q", c.reason, screen.String())
		}
	}
}

// TestSomethingIsSaidBeforeTheFirstByte: an agent may think for a minute before it says
// anything, and whoever waits for it sees what for.
func TestSomethingIsSaidBeforeTheFirstByte(t *testing.T) {
	var screen bytes.Buffer
	p, tick := drawn(count.NewBuilder(5, 0.5), &screen, 80)
	tick()
	p.done()
	if want := "waiting for the runner ... 1s\r\x1b[J"; screen.String() != want {
		t.Errorf("got %q, want %q", screen.String(), want)
	}
}

// TestTheLineNamesWhatFailedLast: whoever waits for an agent wants to know what breaks.
// On a narrow terminal the name comes before rates and sums, and no line is wrapped.
func TestTheLineNamesWhatFailedLast(t *testing.T) {
	g := count.Glance{Trials: 108, Tests: 12, Passing: 6, Failing: 2, Mixed: 4, Failed: envelope.Key{Suite: "forecast", Test: "compares the weather of two cities"}}
	for _, c := range []struct {
		room         int
		want, reason string
	}{
		{159, "108 trials, 36/s | 12 tests so far: 6 pass, 2 fail, 4 mixed | 3s | 12.3 kB | failed last: forecast/compares the weather of two cities", "a wide terminal has all"},
		{119, "108 trials | 12 tests: 6 pass, 2 fail, 4 mixed | 3s | failed last: forecast/compares the weather of two cities", "no bytes and no rate"},
		{79, "6 pass, 2 fail, 4 mixed | failed last: forecast/compares t...ther of two cities", "the states of the tests and a name that is shortened"},
		{20, "6 pass, 2 fail, 4 mi", "no room for a name"},
		{0, "", "a terminal of one column"},
	} {
		got := progressLine(g, 12_300, 0, 3*time.Second, c.room)
		if got != c.want || len(got) > c.room {
			t.Errorf("%d columns, %s: %q", c.room, c.reason, got)
		}
	}
	if got := progressLine(count.Glance{Trials: 1, Tests: 1, Passing: 1}, 5, 0, time.Second, 79); got != "1 trial, 1/s | 1 test so far: 1 pass, 0 fail, 0 mixed | 1s | 5 B" {
		t.Errorf("nothing failed: %q", got)
	}
}
