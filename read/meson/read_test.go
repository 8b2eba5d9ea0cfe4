package meson

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tribunal/read/internal/readtest"
)

// TestSample: Meson itself counted 2 Ok, 1 Expected Fail, 8 Fail (of which 4 are errors in its
// list), 1 Unexpected Pass, 2 Skipped and 1 Timeout.
func TestSample(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_meson1.0.jsonl")
	want := []string{
		"p:s1/ok #0 pass OK", "p:s1+s2/fail #0 fail FAIL", "p/skip #0 skip SKIP", "p/harderr #0 error ERROR", "p/crash #0 fail FAIL",
		"p/xfail #0 pass EXPECTEDFAIL", "p/xpass #0 fail UNEXPECTEDPASS", "p/tapok #0 pass OK", "p/tapfail #0 fail FAIL",
		"p/tapshort #0 error ERROR", "p/tapbail #0 error ERROR", "p/tapexit #0 error ERROR", "p/taptodo #0 fail FAIL",
		"p/tapskipall #0 skip SKIP", "p/timeout #0 error TIMEOUT timeout",
	}
	if !slices.Equal(s.Lines(), want) || len(s.Problems) > 0 {
		t.Errorf("got %q %v", s.Lines(), s.Problems)
	}
}

// TestMessages: what people read of a test that did not pass.
func TestMessages(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_meson1.0.jsonl")
	for test, want := range map[string]string{
		"ok": "", "fail": "ended with exit code 1: err", "harderr": "ended with exit code 99", "crash": "killed by signal 11",
		"xpass": "it passed, and was expected to fail", "tapfail": "ended with exit code 0",
		"tapshort": "its output is not whole, or not of its protocol", "timeout": "it took too long",
	} {
		if got := s.Find(t, test, 0).Message; got != want {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
	if got := s.Find(t, "fail", 0); got.Output != "err\n\nout" || got.DurationMS.V < 10 || got.DurationMS.V > 11 {
		t.Errorf("printed %q, took %v", got.Output, got.DurationMS)
	}
	if got := s.Find(t, "ok", 0).StartedAt.Truncate(time.Second); !got.Equal(time.Date(2026, 11, 25, 11, 4, 3, 0, time.UTC)) {
		t.Errorf("began %v", got)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct{ text, lines, told, reason string }{
		{`{"name":"a","stdout":"","result":"OK","returncode":0}` + "\n" + `{"name":"a","stdout":"","result":"INTERRUPT","returncode":-2}`, "a #0 pass OK; a #1 error INTERRUPT infrastructure", "", "--repeat, and Ctrl-C"},
		{`{"name":"a","stdout":"","result":"FAIL"}`, "a #0 fail FAIL", "", "no exit code: the program did not start"},
		{`{"name":"a","stdout":"","result":"OK"}` + "\n" + `{"name":"","result":"OK"}` + "\n" + `{"name":"b","result":"GOOD"}`, "a #0 pass OK", "malformed-record 2:1; malformed-record 3:1", "no name, and a result that Meson does not have"},
		{`{"name":"p / ","stdout":"","result":"OK","starttime":1e300}`, "p /  #0 pass OK", "", "a name without a test, and a time that is none"},
	} {
		s := readtest.Text(t, Read, c.text)
		if got := strings.Join(s.Lines(), "; "); got != c.lines || strings.Join(s.Told(), "; ") != c.told {
			t.Errorf("%s: %q %q %v", c.reason, got, s.Told(), s.Problems)
		}
	}
	if s := readtest.Text(t, Read, `{"name":"a","stdout":"","result":"FAIL"}`); s.Trials[0].Message != "it failed" {
		t.Errorf("%q", s.Trials[0].Message)
	}
}

func TestSniff(t *testing.T) {
	for head, ours := range map[string]bool{
		`{"name": "p / a", "stdout": "", "result": "OK", "starttime": 1.5`: true,
		`{"name": "p / a", "stdout": "", "result": "TIMEOUT"}`:             true,
		`{"name": "a", "stdout": "", "result": "ok"}`:                      false,
		`{"name": "a", "result": "OK"}`:                                    false,
	} {
		if Sniff([]byte(head)) != ours {
			t.Errorf("%s: want %t", head, ours)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzMeson(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }
