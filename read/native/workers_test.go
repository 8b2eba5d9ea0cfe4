package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read/internal/lineblocks"
)

// counted is what a stream comes to, with every trial and every problem.
func counted(t testing.TB, read func(*count.Input) error) string {
	t.Helper()
	b := count.NewBuilder(2, 0.5)
	in := b.Input("stream", "native")
	err := read(in)
	in.Close()
	glance := b.Glance()
	run := b.Run(envelope.ConflictExtend, 2)
	for i := range run.Tests {
		rows := run.Tests[i].Rows
		rows.Outcome = envelope.Outcomes(strings.Repeat("P", rows.Len())) // their writer wants some
	}
	for i := range run.Tests {
		for _, conversation := range run.Tests[i].Transcripts {
			err = errors.Join(err, fmt.Errorf("%d said %+v", conversation.Trial, conversation.Turns(run.Texts)))
		}
	}
	text, broken := json.MarshalIndent(run, "", " ")
	if broken != nil {
		t.Fatal(broken)
	}
	return fmt.Sprintf("error %v, %+v\n%s", err, glance, text)
}

// plainSink hides that a sink takes batches, and not that it takes a journal.
type plainSink struct{ envelope.Journal }

// checkWays reads a stream in all the ways that must come to the same. The sizes are
// those of blocks: a line is in several of them, or several are in one.
func checkWays(t *testing.T, text []byte, limit int) {
	t.Helper()
	want := counted(t, func(in *count.Input) error {
		return readPlainly(bytes.NewReader(text), plainSink{in}, nil, 1<<16, limit)
	})
	for _, way := range []struct {
		workers, size int
		reader        func(io.Reader) io.Reader
	}{
		{2, 1 << 16, same}, {3, 1 << 10, same}, {2, 17, iotest.HalfReader}, {2, 100, iotest.DataErrReader},
	} {
		got := counted(t, func(in *count.Input) error {
			return readSideBySide(way.reader(bytes.NewReader(text)), in, nil, way.workers, way.size, limit)
		})
		if got != want {
			t.Errorf("%.300q in blocks of %d by %d workers:\n got %s\nwant %s", text, way.size, way.workers, got, want)
			return
		}
	}
}

func same(r io.Reader) io.Reader { return r }

func TestWaysAgreeOnCases(t *testing.T) {
	for _, text := range wayCases() {
		checkWays(t, []byte(text), lineblocks.MaxLine)
		checkWays(t, []byte(text), 60)
	}
}

// wayCases are records of which the quick way must leave some to the careful
// one, each alone and between others.
func wayCases() []string {
	var out []string
	for _, c := range problemCases {
		out = append(out, c.text)
	}
	for _, text := range syntaxCases {
		out = append(out, text, `{"test":"a","status":"fail",`+strings.TrimPrefix(text, "{"),
			strings.ReplaceAll(text, `"a":`, `"status":"fail","test":"t","output":`), strings.ReplaceAll(text, `"a":`, `"status":"error","test":`),
			strings.ReplaceAll(text, `"a":`, `"test":"t","score":`), strings.ReplaceAll(text, `"a":`, `"test":"t","status":"skip","labels":{"x":1},"tokens":`))
		inside := `{"test":"t","status":"fail","transcript":[` + strings.ReplaceAll(text, `"a":`, `"role":"tool","text":`) + `,{"role":"assistant","tool_calls":[` +
			strings.ReplaceAll(text, `"a":`, `"name":"f","arguments":`) + `]}],"checks":[` + strings.ReplaceAll(text, `"a":`, `"name":"c","status":"fail","reason":`) + `]}`
		out = append(out, inside, `a line that ends in \`+"\n"+inside, `half an escape: "\u1`+"\n"+inside, inside+"\n"+`{"test":"t","status":"pass","output":"\u0"}`)
	}
	for _, number := range numberCases {
		for _, f := range []string{"score", "cost_usd", "tokens", "attempt", "line"} {
			out = append(out, fmt.Sprintf(`{"test":"t","status":"fail","message":"m","file":"f",%q:%s}`, f, number))
		}
	}
	for _, labels := range []string{`{}`, `{"a":"b"}`, `{"a":"b","a":"c"}`, `{"a":null,"b":true,"c":1.50,"d":"\u00e9"}`, `{"a":{}}`, `{"\u0061":1,"a":2}`, "{\"\xff\":1,\"\xfe\":2}", `{"a":"b",}`,
		`{"a" : "b" , "c":-1e999}`, `{` + strings.Repeat(`"x":1,`, 20) + `"y":2}`} {
		for _, status := range []string{"pass", "fail"} {
			out = append(out, fmt.Sprintf(`{"test":"t","status":%q,"labels":%s}`, status, labels))
		}
	}
	alone := len(out)
	for i := range alone {
		out = append(out, out[i]+"\n"+out[(i+7)%alone]+"\n"+out[(i+31)%alone]+"\n"+out[i])
	}
	return out
}

// numberCases are numbers around what the quick way can read exactly, and texts
// that are none.
var numberCases = []string{"0", "-0", "-0.0", "1", "-1", "0.1", "0.30000000000000004", "9007199254740992", "9007199254740993", "9007199254740993.0", "123456789012345678", "1234567890123456789", "12345678901234567890",
	"0.000000000000000000001", "0.0000000000000000000001", "0.00000000000000000000001", "5e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1.8e308", "1e22", "1e23", "8.5e15", "1.5e-05", "2147483647", "2147483648",
	"9223372036854775807", "9223372036854775808", "3.0", "1e3", "01", "1.", ".5", "1e", "1e+", "-", "0x1", "1 ", " 1", "null", "true"}

func TestWaysAgreeOnStreams(t *testing.T) {
	names, err := filepath.Glob("../../testdata/streams/*.ndjson")
	if err != nil || len(names) == 0 {
		t.Fatal("no streams", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		checkWays(t, text, lineblocks.MaxLine)
	}
	checkWays(t, stream(3000), lineblocks.MaxLine)
	checkWays(t, mixed(2000), lineblocks.MaxLine)
	checkWays(t, mixed(2000), 300)
}

// mixed is a stream in which everything comes between everything else: trials in
// no order, twice, with labels that vary, problems, noise, headers, fields that
// nobody knows, lines that are long or broken.
func mixed(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		switch i % 23 {
		case 3:
			fmt.Fprintf(&b, "log line %d\n", i)
		case 5:
			fmt.Fprintf(&b, `{"type":"run","id":"%d","planned_trials":%d}`+"\n", i/500, i/500)
		case 7:
			fmt.Fprintf(&b, `{"test":"broken %d","status":`+"\n", i)
		case 11:
			fmt.Fprintf(&b, `{"test":"t","status":"pass","unknown %d":1}`+"\n", i)
		case 13:
			fmt.Fprintf(&b, `{"test":"t","status":"pass","output":"%s"}`+"\r\n", strings.Repeat("x", i))
		case 17:
			fmt.Fprintf(&b, `{"type":"event %d"}`+"\n\n", i%40)
		}
		status := []string{"pass", "failed", "fail", "error", "skip", "passed"}[i*i%6]
		fmt.Fprintf(&b, `{"suite": "s\u00e9 %d", "test": "t%d", "attempt": %d, "run": "r%d", "status": %q, "duration_ms": %d.25, "retry": %t, "file": "f%d.go", "line": %d, "labels": {"seed": %d, "tier": "gold"}, "error_class": "%s", "message": "m\n%d", "started_at": "2026-03-14T02:00:%02dZ"}`+"\n",
			i%3, i%7, (i*31)%(n/10), i%2, status, i%100, i%5 == 0, i%4, i%9, i, []string{"", "timeout", "own"}[i%3], i%50, i%60)
	}
	return b.Bytes()
}

func FuzzWaysAgree(f *testing.F) {
	for _, text := range wayCases() {
		f.Add([]byte(text), uint8(0))
	}
	f.Add(mixed(60), uint8(20))
	f.Fuzz(func(t *testing.T, text []byte, limit uint8) {
		if len(text) > 1<<16 {
			return
		}
		checkWays(t, text, lineblocks.MaxLine)
		checkWays(t, text, int(limit)+2)
	})
}
