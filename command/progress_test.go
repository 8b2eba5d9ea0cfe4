package command

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"tribunal/envelope/count"
	"tribunal/read"
)

// drawn is a progress line whose ticks the test gives.
func drawn(b *count.Builder, w io.Writer, width int) (p *progress, tick func()) {
	p = &progress{w: w, width: width, builder: b, start: time.Unix(0, 0), quit: make(chan struct{}), ended: make(chan struct{})}
	ticks := make(chan time.Time)
	go p.follow(ticks)
	return p, func() {
		ticks <- time.Unix(1, 0)
		ticks <- time.Unix(1, 0) // taken when the one before is drawn; nothing is new
	}
}

// TestLineIsDrawnWhileTheReaderWaits: a producer that writes and then thinks for
// long has all it wrote in the line.
func TestLineIsDrawnWhileTheReaderWaits(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	var screen bytes.Buffer
	p, tick := drawn(b, &screen, 200)
	in, producer := io.Pipe()
	ended := make(chan string)
	go func() { ended <- read.StreamAs(b, "-", p.watch(in), read.Options{}) }()
	want := ""
	for _, line := range []string{`{"test":"a","status":"pass"}`, `{"test":"b","status":"fail"}`, `{"test":"b","status":"pass"}`} {
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
	lines := strings.Split(want, "\r\x1b[2K")
	if len(lines) != 4 || !strings.Contains(lines[3], "3 trials, 3/s | 2 tests so far: 1 pass, 0 fail, 1 mixed | 1s | ") {
		t.Errorf("%q", lines)
	}
	if rest := strings.TrimPrefix(screen.String(), want); rest != "\r\x1b[2K" {
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
	if want := "\r\x1b[2K0 trials, 0\r\x1b[2Khello 1\n\r\x1b[2K0 trials, 0\r\x1b[2K"; screen.String() != want {
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
		env := Env{Stderr: &screen, StderrWidth: c.width, Getenv: func(name string) string { return c.env[name] }}
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
	if want := "\r\x1b[2Kwaiting for the runner ... 1s\r\x1b[2K"; screen.String() != want {
		t.Errorf("got %q, want %q", screen.String(), want)
	}
}
