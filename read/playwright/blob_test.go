package playwright

import (
	"errors"
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
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{begin + `{"method":"onTestEnd","params":{"test":{"testId":"1","expectedStatus":"failed"},"result":{"id":"r","status":"failed"}}}` + "\n" + `{"method":"onEnd","params":{"result":{}}}`,
			[]string{"a.ts/t [p] #0 pass failed", "a.ts/u [p] #0 skip"}, nil, "expected to fail; one that did not run"},
		{begin, []string{"a.ts/t [p] #0 error interrupted infrastructure"}, nil, "the run ended inside of a test; of the other nothing is known"},
		{begin + `{"method":"onError","params":{"error":{"message":"Error: global setup"}}}`, []string{"[run] #0 error pre-validation", "a.ts/t [p] #0 error interrupted infrastructure"}, nil, "an error outside of tests"},
		{begin + `{"method":"onTestEnd","params":{"test":{"testId":"9"},"result":{"status":"passed"}}}`, []string{"a.ts/t [p] #0 error interrupted infrastructure"}, []string{"malformed-record 4:1"}, "a test that no project has"},
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
