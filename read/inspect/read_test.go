package inspect

import (
	"archive/zip"
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const start = `{"version":2,"status":"success","eval":{"task":"t","model":"m"},"plan":{},"samples":[`

func TestShapes(t *testing.T) {
	key, first := envelope.Key{Suite: "t", Test: "s", Variant: "m"}, envelope.Some[int32](0)
	score := func(f float64) envelope.Opt[float64] { return envelope.Some(f) }
	cases := []struct {
		sample, scorer string
		want           envelope.Trial
		reason         string
	}{
		{`"scores":{"a":{"value":"C"}}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1)}, "correct"},
		{`"scores":{"a":{"value":"P","explanation":"half\nway"}},"output":{"completion":"x"}`, "", envelope.Trial{Status: envelope.Fail, Score: score(0.5), Message: "score P: half", Output: "x\nhalf\nway"}, "partly correct is no pass"},
		{`"scores":{"a":{"value":"N"}}`, "", envelope.Trial{Status: envelope.Fail, Score: score(0), Message: "score N"}, "no answer"},
		{`"scores":{"a":{"value":"Yes"}}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1)}, "a word"},
		{`"scores":{"a":{"value":true}}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1)}, "a truth"},
		{`"scores":{"a":{"value":" 0.9 "}}`, "", envelope.Trial{Status: envelope.Fail, Score: score(0.9), Message: "score  0.9"}, "a number as a text"},
		{`"scores":{"a":{"value":7}}`, "", envelope.Trial{Score: score(7), Message: "score 7"}, "more than 1: of what, the policy has to say"},
		{`"scores":{"a":{"value":NaN}}`, "", envelope.Trial{Status: envelope.Error, ErrorClass: "pre-validation", RawStatus: "unscored", Message: "no score"}, "NaN is unscored, no fail"},
		{`"scores":{"a":{"value":"NaN"}}`, "", envelope.Trial{Status: envelope.Error, ErrorClass: "pre-validation", RawStatus: "unscored", Message: "score NaN"}, "NaN as a text as well"},
		{`"scores":{"a":{"value":"C"},"b":{"value":"I"}}`, "b", envelope.Trial{Status: envelope.Fail, Score: score(0), Message: "score I"}, "the scorer that is named"},
		{`"scores":{"a":{"value":{"x":1,"y":0}}}`, "a.y", envelope.Trial{Status: envelope.Fail, Score: score(0), Message: "score 0"}, "a key of an object"},
		{`"scores":{"a.y":{"value":1}}`, "a.y", envelope.Trial{Status: envelope.Pass, Score: score(1)}, "a name with a dot"},
		{`"scores":{"a":{"value":{"x":1}}}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1)}, "the only key of an object"},
		{`"scores":{},"limit":{"type":"time","limit":5}`, "", envelope.Trial{Status: envelope.Error, ErrorClass: "timeout", Message: "stopped by its time limit and not scored", Labels: []envelope.Label{{Name: "limit", Value: "time"}}}, "out of time"},
		{`"scores":{"a":{"value":"C"}},"limit":{"type":"working","limit":5}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1), ErrorClass: "timeout", Labels: []envelope.Label{{Name: "limit", Value: "working"}}}, "out of time, and passed"},
		{`"scores":{"a":{"value":"I"}},"limit":{"type":"message","limit":5}`, "", envelope.Trial{Status: envelope.Fail, Score: score(0), Message: "score I", Labels: []envelope.Label{{Name: "limit", Value: "message"}}}, "too many messages is no timeout"},
		{`"error":{"message":"APIError: 500\nx","traceback":"tb"},"error_retries":[{},{}]`, "", envelope.Trial{Status: envelope.Error, ErrorClass: "infrastructure", Message: "APIError: 500", Output: "tb", Labels: []envelope.Label{{Name: "error_retries", Value: "2"}}}, "an error"},
		{`"error":{"message":"Request timed out."}`, "", envelope.Trial{Status: envelope.Error, ErrorClass: "timeout", Message: "Request timed out."}, "an error that is a timeout"},
		{`"score":{"value":"C"}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1)}, "one score, as in version 1"},
		{`"scores":{"a":{"value":1}},"total_time":1.5,"started_at":"2025-07-03T16:44:30+02:00","messages":[{"tool_calls":[{},{}]},{"tool_calls":null},{"tool_calls":[{}]}],"model_usage":{"g":{"total_tokens":5},"h":{"total_tokens":2}}`, "",
			envelope.Trial{Status: envelope.Pass, Score: score(1), DurationMS: score(1500), ToolCalls: envelope.Some[int32](3), Tokens: envelope.Some[int64](7), StartedAt: time.Date(2025, 7, 3, 14, 44, 30, 0, time.UTC)}, "seconds, tool calls, tokens of all models"},
		{`"scores":{"a":{"value":1}},"model_usage":{"g":{"total_tokens":5},"m":{"total_tokens":2}}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1), Tokens: envelope.Some[int64](2)}, "the grader's tokens are not the model's"},
		{`"scores":{"a":{"value":1}},"model_usage":{"g":{"total_cost":0.25},"m":{"total_cost":0.0125},"n":{"total_cost":null}}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1), CostUSD: score(0.2625)},
			"dollars of all models (inspect_ai 0.3.260, ModelUsage.total_cost); null is one without a price"},
		{`"scores":{"a":{"value":1}},"model_usage":{"m":{"total_cost":0}}`, "", envelope.Trial{Status: envelope.Pass, Score: score(1), CostUSD: score(0)}, "a price of nothing is a price"},
	}
	for _, c := range cases {
		s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return ReadWith(r, to, Options{Scorer: c.scorer}) }, start+`{"id":"s","epoch":1,`+c.sample+"}]}")
		c.want.Key, c.want.Attempt = key, first
		for i := range s.Trials {
			s.Trials[i].StartedAt = s.Trials[i].StartedAt.UTC()
			s.Trials[i].Checks, s.Trials[i].Transcript, s.Trials[i].Attachments = nil, nil, nil // of others
		}
		c.want.StartedAt = c.want.StartedAt.UTC()
		if len(s.Trials) != 1 || len(s.Problems) != 0 || !reflect.DeepEqual(s.Trials[0], c.want) {
			t.Errorf("%s: %s\n got %#v, %v\nwant %#v", c.reason, c.sample, s.Trials, s.Problems, c.want)
		}
	}
}

func TestProblems(t *testing.T) {
	const good = `{"id":1,"epoch":1,"scores":{"a":{"value":1}}}`
	cases := []struct {
		text, scorer string
		trials       int
		reported     []string
		reason       string
	}{
		{start + good + "\n,5,\n{\"epoch\":1}]}", "", 1, []string{"malformed-record 2:2", "malformed-record 3:1"}, "no sample, and one without an id"},
		{start + `{"id":1,"scores":{"a":{"value":1},"b":{"value":1}}},{"id":1,"epoch":0,"scores":{"a":{"value":1},"b":{"value":1}}}]}`, "", 2, []string{"several-scorers 1:86"}, "told once"},
		{start + good + `]}`, "z", 1, []string{"unknown-scorer 1:86"}, "nobody of that name"},
		{start + `{"id":1,"scores":{"a":{"value":{"x":1,"y":2}}}}]}`, "", 1, []string{"several-scorers 1:86"}, "values of which none is named"},
		{`{"version":2,"samples":[` + good + `],"eval":{}}`, "", 1, []string{"unknown-task 1:25"}, "samples before eval"},
		{`{"version":2,"status":"error","error":{"message":"no key\nx"},"eval":{}}`, "", 0, []string{"unfinished-run 1:23"}, "a run that failed as a whole"},
		{start + good, "", 1, []string{"truncated-line 1:131"}, "cut off"},
	}
	for _, c := range cases {
		s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return ReadWith(r, to, Options{Scorer: c.scorer}) }, c.text)
		readtest.Check(t, c.reason, s)
		if len(s.Trials) != c.trials || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: %d trials, %q %v, want %d, %q", c.reason, len(s.Trials), s.Reported(), s.Problems, c.trials, c.reported)
		}
	}
}

// pack makes an archive of entries, given as name and content in turn.
func pack(t *testing.T, method uint16, entries ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(methodZstd, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
	for i := 0; i < len(entries); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: entries[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestArchives(t *testing.T) {
	const eval, one = `{"version":2,"eval":{"task":"t","model":"m"}}`, `{"id":1,"epoch":2,"scores":{"a":{"value":"C"}}}`
	cases := []struct {
		text     string
		trials   int
		reported []string
		reason   string
	}{
		{pack(t, zip.Deflate, "samples/1_epoch_2.json", one, "header.json", eval), 1, nil, "deflate"},
		{pack(t, methodZstd, "samples/1_epoch_2.json", one, "header.json", eval), 1, nil, "zstd"},
		{pack(t, zip.Store, "_journal/start.json", eval, "samples/1_epoch_2.json", one), 1, []string{"unfinished-run 1:1"}, "a crashed run: only the journal"},
		{pack(t, zip.Store, "_journal/start.json", eval, "_journal/summaries/1.json", "["+one+"]"), 1, []string{"unfinished-run 1:1"}, "a crashed run: only the summaries"},
		{pack(t, zip.Store, "header.json", eval, "summaries.json", "["+one+"]", "_journal/summaries/1.json", "["+one+"]"), 1, nil, "samples not logged: each summary once"},
		{pack(t, zip.Store, "header.json", eval, "samples/a.json", one, "samples/a.json", one, "reductions.json", `[{"samples":[{"value":1,"sample_id":1}]}]`), 1, nil, "an entry written twice counts once, reductions do not"},
		{pack(t, zip.Store, "header.json", eval, "samples/a.json", one, "samples/b.json", `{"id":`, "samples/c.json", "7"), 1, []string{"truncated-line 1:7", "malformed-record 1:1"}, "broken entries"},
		{pack(t, zip.Deflate, "header.json", eval, "samples/a.json", `{"id":1,"x":"`+strings.Repeat("x", maxEntry)+`"}`, "samples/b.json", one), 1, []string{"unreadable-input 1:1"}, "a bomb"},
		{pack(t, zip.Deflate, "header.json", eval)[:100], 0, []string{"unreadable-input 1:1"}, "cut off"},
		{pack(t, 93, "header.json", eval, "samples/a.json", one)[:60], 0, []string{"unreadable-input 1:1"}, "cut off, zstd"},
	}
	for _, c := range cases {
		s := readtest.Text(t, readAll, c.text)
		readtest.Check(t, c.reason, s)
		for _, at := range []string{c.text, "\x1f\x8b: packed once more", ""} {
			if there := readtest.Text(t, readAt(at), c.text); !reflect.DeepEqual(there, s) {
				t.Errorf("%s, read at %.20q: %q %v, want %q %v", c.reason, at, there.Lines(), there.Problems, s.Lines(), s.Problems)
			}
		}
		if len(s.Trials) != c.trials || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: %q, %q %v, want %d trials, %q", c.reason, s.Lines(), s.Reported(), s.Problems, c.trials, c.reported)
		}
		for _, trial := range s.Trials {
			if trial.Key.String() != "t/1 [m]" || trial.Attempt.V != 1 {
				t.Errorf("%s: %#v", c.reason, trial)
			}
		}
	}
}

// readAt reads a log that lies at some place, as it is or packed.
func readAt(at string) readtest.Reader {
	return func(r io.Reader, to envelope.Sink) error {
		return ReadWith(r, to, Options{At: strings.NewReader(at)})
	}
}

// TestArchiveIsReadWhereItLies: what comes of the reader is only looked at to know how
// much there is.
func TestArchiveIsReadWhereItLies(t *testing.T) {
	lies := pack(t, zip.Store, "header.json", `{"eval":{"task":"t"}}`, "samples/a.json", `{"id":"there","epoch":1,"scores":{"a":1}}`)
	comes := strings.ReplaceAll(lies, "there", "comes")
	if s := readtest.Text(t, readAt(lies), comes); len(s.Trials) != 1 || s.Trials[0].Test != "there" {
		t.Errorf("%q", s.Lines())
	}
}

// TestCounted: entries of the directory are found wherever a piece of the archive ends.
func TestCounted(t *testing.T) {
	text := strings.Repeat("PK\x01\x02PK\x01PPK\x01\x02", 50)
	for size := 1; size < 30; size++ {
		c := &counted{}
		for rest := text; rest != ""; rest = rest[min(size, len(rest)):] {
			if _, err := io.WriteString(c, rest[:min(size, len(rest))]); err != nil {
				t.Fatal(err)
			}
		}
		if c.entries != 100 || c.size != int64(len(text)) {
			t.Errorf("pieces of %d: %d entries in %d bytes, want 100 in %d", size, c.entries, c.size, len(text))
		}
	}
}

// TestBombThatLies: an archive says an entry is small; what it unpacks to counts.
func TestBombThatLies(t *testing.T) {
	c := &counter{r: strings.NewReader("12345"), left: 3}
	if got, err := io.ReadAll(c); err != errTooMuch || string(got) != "123" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"version":2,"status":"success","eval":{"run_id":`, true, "cut in eval"},
		{pack(t, zip.Store, "header.json", "{}"), true, "an archive, written anew"},
		{pack(t, zip.Store, "samples/x_epoch_1.json", "{}"), true, "an archive that starts with a sample"},
		{pack(t, zip.Store, "[Content_Types].xml", "x"), false, "a document of an office"},
		{pack(t, zip.Store, "META-INF/MANIFEST.MF", "samples/"), false, "Java"},
		{"PK\x03\x04", false, "cut in the first header"},
		{`{"version":1,"status":"pass","studies":[]}`, false, "cerberus"},
		{`[{"version":2,"eval":{},"status":"x"}]`, false, "an array"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%.60q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func readAll(r io.Reader, to envelope.Sink) error { return ReadWith(r, to, Options{}) }
