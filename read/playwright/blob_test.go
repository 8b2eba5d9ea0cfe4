package playwright

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const (
	events = "testdata/blob/gen_1.65_events.jsonl"
	zipped = "testdata/blob/gen_1.65_report.zip"
)

// TestBlob: the suite has a pass, a test that passes when it is tried again, one that
// never does, one that takes too long twice, and one that is skipped; the events alone
// and the zip say the same.
func TestBlob(t *testing.T) {
	const file = "tests/a.spec.js/cart › "
	want := map[string]string{file + "adds [api]": "P", file + "flaky [api]": "Fp", file + "always fails [api]": "Ff", file + "skipped [api]": "S", file + "slow [api]": "Ff"}
	for _, name := range []string{events, zipped} {
		s := readtest.File(t, ReadBlob, name)
		if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 || len(s.Headers) != 1 || s.Headers[0].StartedAt != "2026-11-22T19:10:24.338Z" {
			t.Errorf("%s: got %v %q %v", name, got, s.Problems, s.Headers)
		}
		fails := s.Find(t, "cart › always fails", 1)
		if !fails.Retry || fails.File != "tests/a.spec.js" || fails.Line != 5 || !strings.HasSuffix(fails.Output, "printed") || !strings.Contains(fails.Message, "toBe") || !fails.DurationMS.OK {
			t.Errorf("%+v", fails)
		}
		if adds := s.Find(t, "cart › adds", 0); adds.DurationMS != envelope.Some(9.0) || !adds.StartedAt.Equal(time.UnixMilli(1795374643777)) {
			t.Errorf("%+v", adds)
		}
		if slow := s.Find(t, "cart › slow", 0); slow.ErrorClass != envelope.ClassTimeout {
			t.Errorf("%+v", slow)
		}
	}
}

func TestBlobShapes(t *testing.T) {
	const begin = `{"method":"onBlobReportMetadata","params":{"version":2,"shard":{"current":2,"total":3}}}` + "\n" +
		`{"method":"onProject","params":{"project":{"name":"p","suites":[{"title":"a.ts","entries":[{"testId":"1","title":"t"},{"testId":"2","title":"u"}]}]}}}` + "\n" +
		`{"method":"onTestBegin","params":{"testId":"1","result":{"id":"r","retry":0,"startTime":5}}}` + "\n"
	const endedT = `{"method":"onTestEnd","params":{"test":{"testId":"1","expectedStatus":"failed"},"result":{"id":"r","status":"failed"}}}` + "\n"
	const passedU = `{"method":"onTestEnd","params":{"test":{"testId":"2","expectedStatus":"passed"},"result":{"id":"s","status":"passed"}}}` + "\n"
	const flakyU = `{"method":"onTestEnd","params":{"test":{"testId":"2","expectedStatus":"passed"},"result":{"id":"s","status":"failed"}}}` + "\n" +
		`{"method":"onTestBegin","params":{"testId":"2","result":{"id":"t","retry":1,"startTime":9}}}` + "\n" +
		`{"method":"onTestEnd","params":{"test":{"testId":"2","expectedStatus":"passed"},"result":{"id":"t","status":"passed"}}}` + "\n"
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{begin + endedT + passedU + `{"method":"onEnd","params":{"result":{"status":"passed"}}}`,
			[]string{"a.ts/t [p] #0 pass failed", "a.ts/u [p] #0 pass passed"}, nil, "expected to fail"},
		{begin + endedT + `{"method":"onEnd","params":{"result":{"status":"interrupted"}}}`,
			[]string{"a.ts/t [p] #0 pass failed", "a.ts/u [p] #0 skip", "[run] #0 error infrastructure"}, nil, "Ctrl-C between two tests, for which Playwright ends with 130 (teleEmitter.ts, onEnd)"},
		{begin + endedT + passedU + `{"method":"onEnd","params":{"result":{"status":"interrupted"}}}`,
			[]string{"a.ts/t [p] #0 pass failed", "a.ts/u [p] #0 pass passed", "[run] #0 error infrastructure"}, nil, "Ctrl-C behind the last test"},
		{begin + endedT + flakyU + `{"method":"onEnd","params":{"result":{"status":"failed"}}}`,
			[]string{"a.ts/t [p] #0 pass failed", "a.ts/u [p] #0 fail failed", "a.ts/u [p] #1 pass passed retry", "[run] #0 error infrastructure"}, nil, "failOnFlakyTests (failureTracker.ts, result)"},
		{begin + endedT + flakyU + `{"method":"onEnd","params":{"result":{"status":"passed"}}}`,
			[]string{"a.ts/t [p] #0 pass failed", "a.ts/u [p] #0 fail failed", "a.ts/u [p] #1 pass passed retry"}, nil, "a flaky test otherwise"},
		{begin, []string{"a.ts/t [p] #0 error interrupted infrastructure"}, []string{"truncated-line 3:1"}, "the run ended inside of a test; of the other nothing is known"},
		{begin + endedT, []string{"a.ts/t [p] #0 pass failed"}, []string{"truncated-line 4:1"}, "the events are cut behind a test that passed"},
		{begin + `{"method":"onError","params":{"error":{"message":"Error: global setup"}}}`, []string{"[run] #0 error pre-validation", "a.ts/t [p] #0 error interrupted infrastructure"}, []string{"truncated-line 4:1"}, "an error outside of tests"},
		{begin + `{"method":"onTestEnd","params":{"test":{"testId":"9"},"result":{"status":"passed"}}}`, []string{"a.ts/t [p] #0 error interrupted infrastructure"}, []string{"malformed-record 4:1", "truncated-line 4:1"}, "a test that no project has"},
		{"PK\x03\x04 and no more", nil, []string{"unreadable-input 1:1"}, "a zip that is cut"},
	} {
		s := readtest.Text(t, ReadBlob, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Problems, c.want, c.told)
		}
		for _, trial := range s.Trials {
			if trial.Run != "shard 2 of 3" {
				t.Errorf("%s: run %q", c.reason, trial.Run)
			}
		}
	}
}

func TestSniffBlob(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{string(readtest.Bytes(t, events))[:200], true, "events"},
		{string(readtest.Bytes(t, zipped))[:200], true, "a zip that begins with what tests attached"},
		{"PK\x03\x04" + strings.Repeat("x", 26) + "header.json", false, "another archive"},
		{`{"method":"x"}`, false, "other lines"},
		{"", false, "nothing"},
	} {
		if got := SniffBlob([]byte(c.head)); got != c.ours {
			t.Errorf("%s: %v", c.reason, got)
		}
	}
}

// TestBlobHeld: cut, slow and failing inputs.
func TestBlobHeld(t *testing.T) {
	cable := errors.New("the cable is broken")
	for _, name := range []string{events, zipped} {
		text := string(readtest.Bytes(t, name))
		for cut := 0; cut < len(text); cut += 97 {
			readtest.Check(t, "cut", readtest.Text(t, ReadBlob, text[:cut]))
		}
		whole, slow := readtest.Text(t, ReadBlob, text), &readtest.Sink{}
		if err := ReadBlob(iotest.OneByteReader(strings.NewReader(text)), slow); err != nil || !slices.Equal(slow.Lines(), whole.Lines()) {
			t.Errorf("%s: a byte at a time: %v %q", name, err, slow.Lines())
		}
		if err := ReadBlob(io.MultiReader(strings.NewReader(text[:100]), iotest.ErrReader(cable)), &readtest.Sink{}); !errors.Is(err, cable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzBlob(f *testing.F) {
	f.Add(readtest.Bytes(f, events))
	f.Add(readtest.Bytes(f, zipped))
	f.Fuzz(func(t *testing.T, text []byte) {
		SniffBlob(text)
		readtest.Check(t, "fuzz", readtest.Text(t, ReadBlob, string(text)))
	})
}

// TestBlobSteps holds the steps of a blob report to the JSON report that Playwright
// wrote of the same run, which has the same, but for assertions.
func TestBlobSteps(t *testing.T) {
	for _, c := range []struct {
		name  string
		tests int
		want  map[string][]string // by test and attempt, what the JSON report does not have
	}{
		{"steps", 5, map[string][]string{
			"buys a cake 0": {"open the shop › has two doors: pass", "fill the cart › pick a candle › candles left: fail"},
			"buys a cake 1": {"open the shop › has two doors: pass", "fill the cart › pick a candle › candles left: pass"},
			"soft 0":        {"prices › a cake costs four: fail", `Expect "soft toBe": fail`, `Expect "toBe": pass`},
			"soft 1":        {"prices › a cake costs four: fail", `Expect "soft toBe": fail`, `Expect "toBe": pass`},
			"plain 0":       {`Expect "toBeLessThan": pass`, `Expect "poll toBe": pass`, `Expect "toPass": pass`},
		}},
		{"hangs", 3, map[string][]string{"hangs polling 0": {`polls › Expect "poll toBe": fail`}}},
	} {
		blob, whole := readtest.File(t, ReadBlob, "testdata/blob/gen_1.65_"+c.name+".jsonl"), readtest.File(t, Read, "testdata/blob/gen_1.65_"+c.name+".json")
		if len(blob.Trials) != c.tests || len(whole.Trials) != c.tests || len(blob.Problems) > 0 {
			t.Fatalf("%s: %d trials, and %d of the JSON report %v", c.name, len(blob.Trials), len(whole.Trials), blob.Problems)
		}
		for _, trial := range blob.Trials {
			same := whole.Find(t, trial.Test, trial.Attempt.V)
			steps, more := readtest.Checks(same), []string(nil)
			for i, line := range readtest.Checks(trial) {
				if slices.Contains(steps, line) {
					continue
				}
				more = append(more, trial.Checks[i].Name+": "+string(trial.Checks[i].Status))
				if trial.Checks[i].Status == envelope.Fail && !strings.Contains(trial.Checks[i].Reason, "Expected: ") {
					t.Errorf("%s: no reason: %q", c.name, line)
				}
			}
			name := fmt.Sprintf("%s %d", trial.Test, trial.Attempt.V)
			if !slices.Equal(more, c.want[name]) || len(trial.Checks) != len(steps)+len(more) {
				t.Errorf("%s %s:\n got %q beside %q\nwant %q", c.name, name, more, steps, c.want[name])
			}
		}
	}
	cake := readtest.File(t, ReadBlob, "testdata/blob/gen_1.65_steps.jsonl").Find(t, "buys a cake", 1)
	if want := []envelope.Attachment{{Name: "receipt", MediaType: "text/plain"}, {Name: "bill", MediaType: "text/plain"}}; !slices.Equal(cake.Attachments, want) {
		t.Errorf("%+v", cake.Attachments)
	}
}

// TestHangs: Playwright gives a step that did not end no error, only -1 as its time.
func TestHangs(t *testing.T) {
	for name, read := range map[string]func(io.Reader, envelope.Sink) error{".jsonl": ReadBlob, ".json": Read} {
		s := readtest.File(t, read, "testdata/blob/gen_1.65_hangs"+name)
		for test, want := range map[string]string{"hangs": "waits for the shop: fail (the step did not end)", "exits": "dies: fail (the step did not end)"} {
			if got := readtest.Checks(s.Find(t, test, 0)); !slices.Equal(got, []string{want}) {
				t.Errorf("%s of %s: %q", test, name, got)
			}
		}
	}
}

func TestBlobOddSteps(t *testing.T) {
	const begin = `{"method":"onBlobReportMetadata","params":{"version":2}}` + "\n" +
		`{"method":"onProject","params":{"project":{"name":"p","suites":[{"title":"a.ts","entries":[{"testId":"1","title":"t"}]}]}}}` + "\n" +
		`{"method":"onTestBegin","params":{"testId":"1","result":{"id":"r","retry":0,"startTime":5}}}` + "\n"
	const end = `{"method":"onTestEnd","params":{"test":{"testId":"1","expectedStatus":"passed"},"result":{"id":"r","status":"passed"}}}` + "\n" + `{"method":"onEnd","params":{}}`
	step := func(method, more string) string {
		return `{"method":"onStep` + method + `","params":{"testId":"1","resultId":"r","step":` + more + "}}\n"
	}
	large := strings.Repeat("x", 3<<20)
	var many strings.Builder
	for range 12 {
		many.WriteString(`{"method":"onStdIO","params":{"testId":"1","resultId":"r","data":"` + large + "\"}}\n")
	}
	for _, c := range []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{begin + step("Begin", `{"id":"a","category":"test.step"}`) + step("End", `{"id":"a","duration":1}`) + end, []string{"step: pass"}, nil, "no title"},
		{begin + step("End", `{"id":"a","duration":1}`) + step("Begin", `7`) + step("Begin", `{"id":"b","parentStepId":"gone","title":"b","category":"expect"}`) + end, nil, nil, "an end alone, what is no step, and a parent nobody began"},
		{begin + step("Begin", `{"id":"a","parentStepId":"a","title":"a","category":"test.step"}`) + end, nil, nil, "its own parent"},
		{strings.Replace(begin, `"id":"r"`, `"id":"q"`, 1) + step("Begin", `{"id":"a","title":"a","category":"test.step"}`) + end, nil, nil, "of a result that did not begin"},
		{begin + many.String() + step("Begin", `{"id":"a","title":"a","category":"test.step"}`) + end, nil, []string{"ignored-field 15:1"}, "more than is kept is said"},
	} {
		s := readtest.Text(t, ReadBlob, c.text)
		if len(s.Trials) == 0 || !slices.Equal(readtest.Checks(s.Trials[0]), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %v %.300q %q", c.reason, s.Lines(), readtest.Checks(s.Trials[0]), s.Told())
		}
	}
}
