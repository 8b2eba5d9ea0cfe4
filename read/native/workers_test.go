package native

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read/internal/chunks"
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
		checkWays(t, []byte(text), chunks.MaxLine)
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
		checkWays(t, text, chunks.MaxLine)
	}
	checkWays(t, stream(3000), chunks.MaxLine)
	checkWays(t, mixed(2000), chunks.MaxLine)
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
		checkWays(t, text, chunks.MaxLine)
		checkWays(t, text, int(limit)+2)
	})
}

const (
	journalHeader = `{"type":"run","schema":"tribunal/trials/v1","id":"r1","journal":1,"plan":"sha256:0","seed":7,"boot":"b"}` + "\n"
	journalTests  = `{"type":"tests","tests":[{"suite":"s","test":"a","labels":{"tier":"slow"},"trials":5},{"test":"b","trials":5}]}` + "\n"
	journalTrial  = `{"suite":"s","test":"a","run":"r1","attempt":0,"status":"pass"}` + "\n"
)

// TestPolicyOfAJournal: the policy in the header of a journal is the one its run is
// judged under, that of another stream what its runner asks for. Neither switches
// off redaction.
func TestPolicyOfAJournal(t *testing.T) {
	for _, c := range []struct {
		journal string
		held    bool
	}{{`"journal":1,`, true}, {"", false}} {
		b := count.NewBuilder(5, 0.5)
		text := `{"type":"run",` + c.journal + `"policy":{"rule":"sprt","threshold":0.9,"alpha":0.05,"redact":false}}` + "\n" + journalTrial
		if err := readPlainly(strings.NewReader(text), b.Input("in", "native"), nil, 64, chunks.MaxLine); err != nil {
			t.Fatal(err)
		}
		carried := b.Policies()
		if len(carried) != 1 || (carried[0].Held != nil) != c.held || (carried[0].Asked == nil) != c.held {
			t.Fatalf("%s: %+v", text, carried)
		}
		p := carried[0].Asked
		if c.held {
			p = &carried[0].Held.Policy
		}
		if p.Rule != "sprt" || p.Threshold.V != 0.9 || p.Alpha.V != 0.05 || p.Redact.OK {
			t.Errorf("%s: %+v", text, *p)
		}
	}
}

// runOf counts a stream in both ways, which must tell the same.
func runOf(t *testing.T, text string) *envelope.Run {
	t.Helper()
	side, plain := count.NewBuilder(5, 0.5), count.NewBuilder(5, 0.5)
	const size = 64 // many blocks
	if err := readSideBySide(strings.NewReader(text), side.Input("in", "native"), nil, 3, size, chunks.MaxLine); err != nil {
		t.Fatal(err)
	}
	if err := readPlainly(strings.NewReader(text), plain.Input("in", "native"), nil, size, chunks.MaxLine); err != nil {
		t.Fatal(err)
	}
	a, b := side.Run(envelope.ConflictExtend, 5), plain.Run(envelope.ConflictExtend, 5)
	if x, y := brief(a), brief(b); x != y {
		t.Errorf("side by side:\n%splainly:\n%s", x, y)
	}
	return a
}

// told is what matters here of a run.
func brief(r *envelope.Run) string {
	var out strings.Builder
	for _, t := range r.Tests {
		fmt.Fprintf(&out, "%s: %d trials", t.Key, t.Rows.Len())
		for _, e := range t.Endings {
			fmt.Fprintf(&out, ", %q %d %s", e.Run, e.Trials.V, e.How)
			if e.Elsewhere {
				out.WriteString(" elsewhere")
			}
		}
		out.WriteString("\n")
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&out, "%s %s %d", p.Severity, p.Code, p.Line)
		if p.Code == envelope.CodeRedrawn {
			fmt.Fprintf(&out, " x%d", p.Count)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// TestJournal: what a journal says of its tests and of its end.
func TestJournal(t *testing.T) {
	ended := func(test, how string) string { return `{"type":"ended",` + test + `,"how":"` + how + `"}` + "\n" }
	const a, b = `"suite":"s","test":"a"`, `"test":"b"`
	const interrupted, ok = "error interrupted 1\n", ""
	for _, c := range []struct{ reason, text, want string }{
		{"tests without a trial, no end", journalTests, "b: 0 trials, \"r1\" 5 \ns/a: 0 trials, \"r1\" 5 \n" + interrupted},
		{"one ended, one runs", journalTests + journalTrial + ended(a, "cost"), "b: 0 trials, \"r1\" 5 \ns/a: 1 trials, \"r1\" 5 cost\n" + interrupted},
		{"resumed: a limit is taken back, a verdict is not", ended(a, "cost") + ended(b, "decided") + `{"type":"end","how":"cost"}` + "\n" + `{"type":"resume"}` + "\n",
			"b: 0 trials, \"r1\" 0 decided\ns/a: 0 trials, \"r1\" 0 \nerror interrupted 5\n"}, // where it was gone on with
		{"the later holds", ended(a, "full") + ended(a, "cut") + `{"type":"end","how":"finished"}` + "\n", "s/a: 0 trials, \"r1\" 0 cut\n" + ok},
		{"others are passed over", `{"type":"start","test":"x"}` + "\n" + `{"type":"held","test":"x","status":"pass"}` + "\n" + `{"type":"beyond","test":"x","status":"pass"}` + "\n" +
			`{"type":"cut","test":"x"}` + "\n" + `{"type":"end","how":"cost"}` + "\n", ok},
		{"what the runner noticed", `{"type":"note","code":"left-behind",` + a + `,"count":3,"message":"3 processes"}` + "\n" + `{"type":"end","how":"cost"}` + "\n", "warning left-behind 2\n"},
		{"a count that goes up", `{"type":"note","code":"left-behind",` + a + `,"count":1,"message":"1"}` + "\n" + `{"type":"note","code":"left-behind",` + b + `,"count":1,"message":"1"}` + "\n" +
			`{"type":"note","code":"left-behind",` + a + `,"count":2,"message":"2"}` + "\n" + `{"type":"end","how":"cost"}` + "\n", "warning left-behind 3\nwarning left-behind 4\n"},
		{"how a process ended holds until another goes on", `{"type":"note","code":"nothing-to-try","message":"1"}` + "\n" + `{"type":"note","code":"x","message":"1"}` + "\n" + `{"type":"resume"}` + "\n" +
			`{"type":"note","code":"teardown-failed","message":"1"}` + "\n" + `{"type":"end","how":"cost"}` + "\n", "warning x 3\nerror teardown-failed 5\n"},
		{"each run has its own", `{"type":"note","code":"x","message":"1"}` + "\n" + `{"type":"end","how":"cost"}` + "\n" + strings.Replace(journalHeader, "r1", "r2", 1) +
			`{"type":"note","code":"x","message":"1"}` + "\n" + `{"type":"end","how":"cost"}` + "\n", "warning x 2\nwarning x 5\n"},
		{"a note of nothing", `{"type":"note","count":3,"message":"3 processes"}` + "\n" + `{"type":"note","code":3}` + "\n" + `{"type":"end","how":"cost"}` + "\n", "error malformed-record 2\nerror malformed-record 3\n"},
		{"two attempts started again, one cut off and left", `{"type":"start",` + a + `,"attempt":0,"try":0,"id":"1"}` + "\n" + `{"type":"cut",` + a + `,"attempt":0,"try":0,"why":"lost"}` + "\n" +
			`{"type":"start",` + a + `,"attempt":0,"try":1,"id":"2"}` + "\n" + `{"type":"start",` + b + `,"attempt":0,"try":1,"id":"3"}` + "\n" + `{"type":"cut",` + b + `,"attempt":0,"try":1,"why":"time"}` + "\n" + `{"type":"end","how":"cost"}` + "\n", "warning redrawn 4 x2\n"},
		{"interrupted", `{"type":"end","how":"interrupted"}` + "\n", "error interrupted 2\n"},
		{"infrastructure", `{"type":"end","how":"infrastructure-down"}` + "\n", "error infrastructure-down 2\n"},
		{"ended, gone on with, ended", `{"type":"end","how":"interrupted"}` + "\n" + `{"type":"resume"}` + "\n" + `{"type":"end","how":"finished"}` + "\n", ok},
		{"two journals, the first of which died", journalTrial + strings.Replace(journalHeader, "r1", "r2", 1) + ended(a, "full") + `{"type":"end","how":"finished"}` + "\n",
			"s/a: 1 trials, \"r2\" 0 full\n" + interrupted},
		{"another shard's test", `{"type":"tests","tests":[{"test":"b","trials":3,"elsewhere":true}]}` + "\n" + `{"type":"end","how":"finished"}` + "\n", "b: 0 trials, \"\" 3  elsewhere\n"},
		{"bad lines", `{"type":"tests","tests":[{"trials":3},{"test":1}]}` + "\n" + ended(a, "well") + ended(`"suite":"s"`, "full") + `{"type":"end","how":"finished"}` + "\n",
			"error malformed-record 2\nerror malformed-record 3\nerror malformed-record 4\n"},
		{"a line that was a record", "bye\n" + `{"type":"end","how":"finished"}` + "\n", "error malformed-record 2\n"},
		{"one of a list without a name", `{"type":"tests","tests":[{"trials":3},{"test":"b"}]}` + "\n" + `{"type":"end","how":"finished"}` + "\n",
			"b: 0 trials, \"r1\" 0 \nerror malformed-record 2\n"},
	} {
		if got := brief(runOf(t, journalHeader+c.text)); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.reason, got, c.want)
		}
	}
}

// TestSetup: what setting up a run took adds up over the processes of the run and over
// its shards, and the same journal twice is one.
func TestSetup(t *testing.T) {
	const end = `{"type":"end","how":"finished"}` + "\n"
	setup := func(ms, cost string) string {
		return `{"type":"setup","at":"2026-11-22T09:17:39Z","setup_ms":` + ms + `,"setup_cost_usd":` + cost + "}\n"
	}
	one := journalHeader + setup("1000", "0.25") + `{"type":"resume"}` + "\n" + setup("500", "null") + end
	other := strings.Replace(journalHeader, "r1", "r2", 1)
	for _, c := range []struct{ reason, text, want string }{
		{"none", journalHeader + end, "{0 false} {0 false}"},
		{"gone on with", one, "{1500 true} {0.25 true}"},
		{"another shard", one + other + setup("20", "0.5") + end, "{1520 true} {0.75 true}"},
		{"another that has none", one + other + end, "{1500 true} {0.25 true}"},
		{"the same twice", one + one, "{1500 true} {0.25 true}"},
		{"in a header", `{"type":"run","id":"r1","setup_ms":7,"setup_cost_usd":0}` + "\n", "{7 true} {0 true}"},
		{"no amounts", journalHeader + setup("-1", `"much"`) + end, "{0 false} {0 false}"},
		{"beyond all numbers", journalHeader + setup("1e308", "1") + setup("1e308", "1") + end, "{1.7976931348623157e+308 true} {2 true}"},
	} {
		h := runOf(t, c.text).Header
		if got := fmt.Sprint(h.SetupMS, h.SetupCostUSD); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}

// TestTornLine: whatever a crash left of the last line of a journal is no trial
// and no error; in a stream it is what it looks like.
func TestTornLine(t *testing.T) {
	for size := 1; size < len(journalTrial); size++ {
		got := brief(runOf(t, journalHeader+journalTests+journalTrial+`{"type":"end","how":"finished"}`+"\n"+journalTrial[:size]))
		if want := "b: 0 trials, \"r1\" 5 \ns/a: 1 trials, \"r1\" 5 \ninfo truncated-line 5\n"; got != want {
			t.Errorf("%d bytes:\n%swant\n%s", size, got, want)
		}
	}
	for text, want := range map[string]string{
		strings.TrimSuffix(journalTrial, "\n"): "s/a: 1 trials\n",
		journalTrial + journalTrial[:20]:       "s/a: 1 trials\nerror truncated-line 2\n",
		journalTrial + "bye":                   "s/a: 1 trials\nwarning noise 2\n",
	} {
		if got := brief(runOf(t, text)); got != want {
			t.Errorf("%q:\n%swant\n%s", text, got, want)
		}
	}
}

// TestFieldsOfAJournalHeader: they mean something in a journal alone.
func TestFieldsOfAJournalHeader(t *testing.T) {
	for text, want := range map[string]bool{
		journalHeader: false,
		strings.Replace(journalHeader, `"journal":1,`, "", 1): true,
		strings.Replace(journalHeader, `"seed"`, `"sead"`, 1): true,
	} {
		got := slices.ContainsFunc(readText(text).problems, func(p envelope.Problem) bool { return p.Code == envelope.CodeUnknown })
		if got != want {
			t.Errorf("%s: unknown fields %v, want %v", text, got, want)
		}
	}
}
