package gotest

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/read/internal/lineblocks"
	"tribunal/read/internal/readtest"
)

// transcript is all that a sink is told, in order and in full.
type transcript struct{ strings.Builder }

func (t *transcript) Trial(trial *envelope.Trial) { fmt.Fprintf(t, "trial %#v\n", *trial) }
func (t *transcript) Header(h envelope.Header, _ *envelope.Carried) {
	fmt.Fprintf(t, "header %+v\n", h)
}
func (t *transcript) Recorded(*envelope.Recorded) {}
func (t *transcript) Problem(p envelope.Problem)  { fmt.Fprintf(t, "problem %+v\n", p) }

// readWithCare reads every line with encoding/json, one after the other.
func readWithCare(r io.Reader, to envelope.Sink, limit int) error {
	rd := newReader(to)
	return rd.read(lineblocks.Cut(r, 1<<16, limit), 1, func() func(lineblocks.Block, *found) {
		h := newWorker(limit)
		return func(b lineblocks.Block, f *found) {
			h.begin(f)
			for text := b.Text; len(text) > 0; {
				line, rest, ended := bytes.Cut(text, []byte("\n"))
				h.withCare(line, ended)
				text = rest
			}
			h.end(b)
		}
	})
}

// checkWays reads a stream in all the ways that must come to the same. The sizes
// are those of blocks: a line is in several of them, or several are in one.
func checkWays(t *testing.T, text []byte, limit int) {
	t.Helper()
	want := &transcript{}
	careful := readWithCare(bytes.NewReader(text), want, limit)
	for _, way := range []struct {
		workers, size int
		reader        func(io.Reader) io.Reader
	}{
		{2, 1 << 16, same}, {3, 1 << 10, same}, {2, 17, iotest.HalfReader}, {2, 100, iotest.DataErrReader},
	} {
		got := &transcript{}
		if err := readSideBySide(way.reader(bytes.NewReader(text)), got, way.workers, way.size, limit); got.String() != want.String() || fmt.Sprint(err) != fmt.Sprint(careful) {
			t.Errorf("%.1000q in blocks of %d by %d workers:\n got %s%v\nwant %s%v", text, way.size, way.workers, got, err, want, careful)
			return
		}
	}
}

func same(r io.Reader) io.Reader { return r }

// wayCases are streams with lines that the quick way must leave to the careful
// one, or may read in parts.
func wayCases() []string {
	long, huge := strings.Repeat("long ", 3000), strings.Repeat("x", 3*kept)
	var out []string
	for _, c := range lineCases {
		out = append(out, events("run A")+c.line+"\n"+events("fail A", "fail"), events("run A", "output A a")+c.line)
	}
	for _, said := range []string{"", "=== RUN   A", "    --- PASS: A (0.00s)", "=== RU", "--- ", "panic: boom [recovered]", "panic: test timed out after 1s", "fatal error: all goroutines are asleep", "panic", "fatal error", " panic: x",
		`\u003d== RUN   A`, `=\u003d= RUN   A`, `\u0020\u003d== RUN   A`, `  \u002d-- FAIL: A (0s)`, `p\u0061nic: boom`, `\u0070anic: boom`, `f\u0061tal error: x`, `p\tanic: boom`, `\tx`, `\n`, `\u003cdiv\u003e`, `\u001b[31mred`,
		"\xff", "a\xc3\\u00e9", `\ud83d\ude00`, `\ud83d`, `a.go:1: why`, `    a_test.go:51: why \"not\"`, long, huge, strings.Repeat(`\u00e9`, kept), strings.Repeat("\xff", kept)} {
		line := func(action, test, tail string) string {
			return fmt.Sprintf(`{"Time":"2024-01-01T00:00:00Z","Action":%q,"Package":"p","Test":%q%s}`+"\n", action, test, tail)
		}
		text := fmt.Sprintf(`,"Output":"%s\n"`, said)
		one, other := line("output", "A", text), line("output", "B", text)
		for _, end := range []string{"pass", "fail", "skip"} {
			out = append(out, line("run", "A", "")+one+one+one+line(end, "A", `,"Elapsed":0.5`)+events(end),
				line("run", "A", "")+line("run", "B", "")+one+other+one+"noise\n"+one+other+strings.Replace(one, `,"Action"`, `, "Action"`, 1)+one+line("fail", "B", "")+other+one+line(end, "A", "")+one+events("output  FAIL", end))
		}
		out = append(out, line("run", "A", "")+one+line("output", "A", "")+one+one+line("fail", "A", ""), one+line("output", "A", `,"Output":""`)+one+line("fail", "A", ""))
		out = append(out, strings.ReplaceAll(one+one, "\n", "\r\n")+one, strings.ReplaceAll(one+one, "2024-01-01T00:00:00Z", "")+one, one+one+"{\n"+one+one[:len(one)/2], one+one[strings.Index(one, `","Action"`):]+one)
	}
	return append(out, `{"Action": "output","Output":"a"}`+"\n"+`{"Action":"output","Output":"b"}`+"\n"+`{"Action":"fail"}`)
}

func TestWaysAgreeOnCases(t *testing.T) {
	for _, text := range wayCases() {
		checkWays(t, []byte(text), lineblocks.MaxLine)
		checkWays(t, []byte(text), 100)
	}
}

func TestWaysAgreeOnSamples(t *testing.T) {
	for _, name := range readtest.Samples(t) {
		text := readtest.Bytes(t, name)
		checkWays(t, text, lineblocks.MaxLine)
		checkWays(t, text, 150)
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i := range lines { // as in a stream whose lines come mixed up
			j := (i*7919 + 13) % len(lines)
			lines[i], lines[j] = lines[j], lines[i]
		}
		checkWays(t, bytes.Join(lines, nil), lineblocks.MaxLine)
	}
}

func FuzzWaysAgree(f *testing.F) {
	for _, text := range wayCases() {
		if len(text) < 1<<12 {
			f.Add([]byte(text), uint8(0))
		}
	}
	for _, name := range readtest.Samples(f) {
		f.Add(readtest.Bytes(f, name), uint8(100))
	}
	f.Fuzz(func(t *testing.T, text []byte, limit uint8) {
		if len(text) > 1<<16 {
			return
		}
		checkWays(t, text, lineblocks.MaxLine)
		checkWays(t, text, int(limit)+2)
	})
}
