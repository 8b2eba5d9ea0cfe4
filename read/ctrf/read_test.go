package ctrf

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// sink also takes our own reports.
type sink struct {
	readtest.Sink
	recorded []*envelope.Recorded
}

func (s *sink) Recorded(r *envelope.Recorded) { s.recorded = append(s.recorded, r) }

func readText(t testing.TB, text string) *sink {
	t.Helper()
	s := &sink{}
	if err := Read(strings.NewReader(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

const sampleFile = "testdata/gen_playwright_retries2.ctrf.json"

func sample(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSample: the tries are those of Playwright's own JSON report of the run,
// 31 results of 18 tests.
func TestSample(t *testing.T) {
	s := readText(t, sample(t))
	const f, g = "checkout.spec.js/throws in the middle @agent", "checkout.spec.js > checkout/"
	want := map[string]string{
		f + " [default]": "Fff", g + "always passes [default]": "P", g + "fails once then passes [default]": "Fp", g + "always fails [default]": "Fff",
		g + "times out [default]": "Fff", g + "times out once [default]": "Fp", g + "skipped on purpose [default]": "S", g + "expected to fail [default]": "P", g + "fixme [default]": "S",
		f + " [second]": "Ff", g + "always passes [second]": "P", g + "fails once then passes [second]": "Fp", g + "always fails [second]": "Ff",
		g + "times out [second]": "Ff", g + "times out once [second]": "Fp", g + "skipped on purpose [second]": "S", g + "expected to fail [second]": "P", g + "fixme [second]": "S",
	}
	if diff := cmp.Diff(want, s.Strips()); diff != "" || len(s.Problems) > 0 || len(s.Trials) != 31 {
		t.Errorf("%d trials, problems %v (-want +got):\n%s", len(s.Trials), s.Problems, diff)
	}
	header := []envelope.Header{{ID: "8a1f7d75-d252-4733-a9c2-32a4c93e9dfa", StartedAt: "2026-11-21T10:28:55.652Z", Labels: map[string]string{"tool": "playwright"}}}
	if diff := cmp.Diff(header, s.Headers); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}

// TestFields compares whole trials of the sample with what the file says.
func TestFields(t *testing.T) {
	const file = "/home/dev/shop/tests/checkout.spec.js"
	e2e := envelope.Label{Name: "type", Value: "e2e"}
	s := readText(t, sample(t))
	for _, want := range []envelope.Trial{
		{Key: envelope.Key{Suite: "checkout.spec.js", Test: "throws in the middle @agent", Variant: "default"}, Attempt: envelope.Some[int32](1), Retry: true, Status: envelope.Fail,
			DurationMS: envelope.Some(17.0), Message: "Error: ECONNREFUSED 127.0.0.1:9", Output: "Error: ECONNREFUSED 127.0.0.1:9\n    at /home/dev/shop/tests/checkout.spec.js:15:57",
			File: file, Labels: []envelope.Label{{Name: "tags", Value: "@agent"}, e2e}},
		{Key: envelope.Key{Suite: "checkout.spec.js > checkout", Test: "fails once then passes", Variant: "default"}, Attempt: envelope.Some[int32](1), Retry: true, Status: envelope.Pass,
			DurationMS: envelope.Some(7.0), StartedAt: time.Date(2026, 11, 21, 10, 28, 56, 0, time.UTC), File: file, Labels: []envelope.Label{e2e}},
		{Key: envelope.Key{Suite: "checkout.spec.js > checkout", Test: "times out", Variant: "second"}, Attempt: envelope.Some[int32](1), Retry: true, Status: envelope.Fail,
			RawStatus: "timedOut", ErrorClass: envelope.ClassTimeout, DurationMS: envelope.Some(302.0), StartedAt: time.Date(2026, 11, 21, 10, 29, 11, 0, time.UTC),
			Message: "\x1b[31mTest timeout of 300ms exceeded.\x1b[39m", Output: "\x1b[31mTest timeout of 300ms exceeded.\x1b[39m", File: file, Labels: []envelope.Label{e2e}},
		{Key: envelope.Key{Suite: "checkout.spec.js > checkout", Test: "skipped on purpose", Variant: "default"}, Attempt: envelope.Some[int32](0), Status: envelope.Skip,
			StartedAt: time.Date(2026, 11, 21, 10, 29, 4, 0, time.UTC), File: file, Labels: []envelope.Label{e2e}},
	} {
		i := slices.IndexFunc(s.Trials, func(g envelope.Trial) bool { return g.Key == want.Key && g.Attempt == want.Attempt })
		if i < 0 {
			t.Fatalf("no trial of %s", want.Key)
		}
		if diff := cmp.Diff(want, s.Trials[i]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Key, diff)
		}
	}
}

func in(tests string) string {
	return `{"results":{"tool":{"name":"x"},"summary":{},"tests":[` + tests + `]}}`
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		tests  string
		strips map[string]string
		told   []string
		reason string
	}{
		{`{"name":"a","status":"passed"},{"name":"a","status":"failed"}`, map[string]string{"a": "PF"}, nil, "the same test again is a repeat"},
		{`{"name":"a","status":"passed","suite":["s","t"]},{"name":"a","status":"passed","suite":"u"}`, map[string]string{"s > t/a": "P", "u/a": "P"}, nil, "a suite is a list or a text"},
		{`{"name":"a","status":"passed","retryAttempts":[{"attempt":2,"status":"skipped"},{"attempt":1,"status":"failed"}]}`, map[string]string{"a": "Fsp"}, nil, "numbered tries in any order"},
		{`{"name":"a","status":"failed","retries":1,"retryAttempts":[{"status":"failed"},{"status":"failed"}]}`, map[string]string{"a": "Ff"}, nil, "the last try is in the list as well"},
		{`{"name":"a","status":"passed","retries":2}`, map[string]string{"a": "Ffp"}, []string{"inferred-trials 1:55"}, "tries that are only counted"},
		{`{"name":"a","status":"passed","flaky":true}`, map[string]string{"a": "Fp"}, []string{"inferred-trials 1:55"}, "flaky is a pass after a failure"},
		{`{"name":"a","status":"passed","rawStatus":"failed"}`, map[string]string{"a": "P"}, nil, "expected to fail, and did"},
		{`{"name":"a","status":"pending"},{"name":"b","status":"skipped"}`, map[string]string{"a": "S", "b": "S"}, nil, "pending is skipped"},
		{`{"name":"a","status":"failed","rawStatus":"error"},{"name":"b","status":"other","rawStatus":"broken"},{"name":"c","status":"other"},{"name":"d","status":"maybe"}`,
			map[string]string{"a": "E", "b": "E", "c": "E", "d": "E"}, nil, "what is neither passed nor failed is no pass"},
		{`{"name":"a","status":"other","rawStatus":"passed"},{"name":"b","status":"timedOut","rawStatus":"ok"},{"name":"c","status":"other","rawStatus":"skip"}`,
			map[string]string{"a": "E", "b": "E", "c": "S"}, nil, "what CTRF calls other passed for no one, whatever the runner called it"},
		{`{"name":"a","status":"other","rawStatus":"inconclusive"}`, map[string]string{"a": "S"}, []string{"aggregated 1:55"}, "inconclusive without trials"},
		{`{"name":"a","status":"passed","extra":{"tribunal":{"test":"a"}}}`, map[string]string{"a": "P"}, []string{"aggregated 1:55"}, "a test of a report of ours that another tool took apart"},
		{`{"status":"passed"},{"name":"","status":"passed"},{"name":"a"},5,null,{"name":"b","status":"passed"}`, map[string]string{"b": "P"},
			[]string{"malformed-record 1:55", "malformed-record 1:75", "malformed-record 1:105", "ignored-field 1:118", "malformed-record 1:118", "malformed-record 1:120"}, "elements that are no tests"},
		{`{"name":"a","status":"passed","line":"7","duration":3}`, map[string]string{"a": "P"}, []string{"ignored-field 1:94"}, "a field of another type is left out, the rest counts"},
		{`{"name":"a","status":"passed","duration":-1}`, map[string]string{"a": "P"}, []string{"ignored-field 1:55"}, "a duration that is none"},
		{`{"name":"a","status":"passed"},{"name":"b","st`, map[string]string{"a": "P"}, []string{"unreadable-input 1:86"}, "cut"},
		{``, map[string]string{}, nil, "no test is no trial; who reads says so"},
	} {
		text := in(c.tests)
		if c.reason == "cut" {
			text = strings.TrimSuffix(text, "]}}")
		}
		s := readText(t, text)
		if diff := cmp.Diff(c.strips, s.Strips()); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.reason, c.tests, diff)
		}
		if diff := cmp.Diff(c.told, s.Told()); diff != "" {
			t.Errorf("%s: %s: %v (-want +got):\n%s", c.reason, c.tests, s.Problems, diff)
		}
	}
}

func TestTimes(t *testing.T) {
	unix := func(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
	for _, c := range []struct {
		test   string
		ms     envelope.Opt[float64]
		start  time.Time
		reason string
	}{
		{`"duration":12,"start":1795256946000`, envelope.Some(12.0), unix(1795256946000), "as the specification says"},
		{`"duration":12,"start":1795256946,"stop":1795256946`, envelope.Some(12.0), unix(1795256946000), "Playwright: start in seconds, duration in milliseconds"},
		{`"duration":0.012,"raw_status":"call_passed","file_path":"a.py"`, envelope.Some(12.0), time.Time{}, "the plugin of pytest: seconds"},
		{`"duration":2,"raw_status":"call_passed"`, envelope.Some(2000.0), time.Time{}, "the same, a whole number"},
		{`"duration":1.5,"start":1795256946.25,"stop":1795256947.75`, envelope.Some(1500.0), unix(1795256946250), "seconds by their difference"},
		{`"duration":1.5`, envelope.Some(1.5), time.Time{}, "a fraction alone proves nothing"},
		{`"duration":0`, envelope.Some(0.0), time.Time{}, "a known 0"},
		{`"x":0`, envelope.Opt[float64]{}, time.Time{}, "unknown is not 0"},
	} {
		s := readText(t, in(`{"name":"a","status":"passed",`+c.test+`}`))
		if got := s.Trials[0]; got.DurationMS != c.ms || !got.StartedAt.Equal(c.start) {
			t.Errorf("%s: %v, %v", c.reason, got.DurationMS, got.StartedAt)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, c := range []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"to`, true, "it says so"},
		{`{"results":{"tool":{"name":"pytest"},"summary":{"tests":1`, true, "the plugin of pytest does not say so"},
		{`{"a":[{"results":{}}], "results" : {"tests":[],"tool":{}}}`, true, "in another order"},
		{`{"results":{"tool":{"name":"x"},`, false, "cut too early"},
		{`{"evalId":"e","results":{"version":3,"timestamp":"","prompts":[],"results":[]}}`, false, "promptfoo"},
		{`{"results":[{"task_id":"x","is_resolved":true}]}`, false, "Terminal-Bench"},
		{`[{"results":{"tool":{},"tests":[]}}]`, false, "an array"},
		{`{"reportFormat":"other","results":{}}`, false, "another format"},
		{``, false, "nothing"},
	} {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %t: %s", c.head, got, c.reason)
		}
	}
	readtest.Sniffed(t, Sniff)
}

func TestCut(t *testing.T) {
	text := sample(t)
	for n := 0; n < len(text)-3; n += 97 {
		s := readText(t, text[:n])
		if len(s.Problems) != 1 || s.Problems[0].Line < 1 || s.Problems[0].Column < 1 || len(s.Trials) > 31 {
			t.Errorf("cut to %d bytes: %d trials, problems %v", n, len(s.Trials), s.Problems)
		}
	}
}

func TestReadError(t *testing.T) {
	cable := errors.New("the cable is broken")
	for _, text := range []string{in(`{"name":"a","status":"passed"},`), ourReport(t)} {
		s := &sink{}
		err := Read(io.MultiReader(strings.NewReader(text[:len(text)-4]), iotest.ErrReader(cable)), s)
		if !errors.Is(err, cable) || len(s.recorded) > 0 {
			t.Errorf("error %v, %d envelopes", err, len(s.recorded))
		}
	}
}

// TestHostile: nothing panics, hangs or goes without a place.
func TestHostile(t *testing.T) {
	for _, text := range []string{
		"", "null", "[]", "5", `{"results":5}`, `{"results":{"tests":{}}}`, `{"results":{"tests":` + strings.Repeat("[", 50000),
		`{"results":{"tool":5,"summary":[],"environment":"x","extra":7,"tests":[]}}`,
		`{"results":{"extra":{"tribunal":{"schema":"` + envelope.Schema + `"}},"tests":[{"name":"a","extra":{"tribunal":{"test":""}}}]}}`,
		`{"results":{"extra":{"tribunal":{"schema":"` + envelope.Schema + `"},"tribunal":{"schema":"` + envelope.Schema + `"}},"tests":[1,{"extra":{"tribunal":7}},{"extra":{"tribunal":{}}}]}}`,
	} {
		s := readText(t, text)
		if len(s.Trials) > 0 || len(s.recorded) > 0 {
			t.Errorf("%.80q: %v, %v", text, s.Trials, s.recorded)
		}
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 {
				t.Errorf("%.80q: %+v", text, p)
			}
		}
	}
}

func FuzzCTRF(f *testing.F) {
	text := sample(f)
	f.Add([]byte(text[:6000]))
	f.Add([]byte(ourReport(f)))
	f.Add([]byte(in(`{"name":"a","status":"passed","retries":2,"suite":["s"],"raw_status":"x","duration":1.5,"labels":{"a":1}}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		s := readText(t, string(text))
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, trial := range s.Trials {
			if trial.Test == "" || trial.Status == "" || !trial.Attempt.OK || trial.DurationMS.V < 0 || trial.Line < 0 {
				t.Errorf("%#v", trial)
			}
		}
	})
}

// ourReport is the golden of render/ctrf with everything in it.
func ourReport(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../../render/ctrf/testdata/plain.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
