package newman

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const sample = "testdata/gen_newman6.2.json"

// TestSample: what comes of each request stands in its name, or in README. Newman counts
// 15 requests of three iterations, of which 3 failed, 3 test scripts and 6 assertions.
func TestSample(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := map[string]string{"cart/get item": "PPP", "cart/broken script": "EEE", "cart/no assertions": "PPP", "refused": "EEE", "get item": "FFF"}
	if got := s.Strips(); !maps.Equal(got, want) || len(s.Problems) > 0 || len(s.Headers) != 1 || s.Headers[0].Name != "shop" || s.Headers[0].StartedAt != "2026-11-25T15:26:43.023Z" {
		t.Errorf("got %v %q %+v", got, s.Problems, s.Headers)
	}
	got := s.Find(t, "get item", 0)
	if got.Suite == "" { // that of the folder comes first
		t.Error(got.Key)
	}
	if diff := cmp.Diff([]envelope.Check{{Name: "is 200", Status: envelope.Pass}, {Name: "fast", Status: envelope.Pass}, {Name: "later", Status: envelope.Skip}}, got.Checks); diff != "" || got.DurationMS != envelope.Some(105.0) {
		t.Errorf("%v (-want +got):\n%s", got.DurationMS, diff)
	}
	if refused := s.Find(t, "refused", 2); !strings.HasPrefix(refused.Message, "the request failed: ECONNREFUSED") || !strings.Contains(refused.Output, "never: AssertionError") {
		t.Errorf("%q %q", refused.Message, refused.Output)
	}
}

func TestShapes(t *testing.T) {
	const collection = `{"collection":{"item":[{"id":"a","name":"A","request":{}},{"id":"b","name":"A","request":{}}]},"run":{`
	execution := func(id, more string) string {
		return `{"item":{"id":"` + id + `","name":"A"}` + more + `}`
	}
	for _, c := range []struct {
		text       string
		want, told []string
		reason     string
	}{
		{collection + `"executions":[` + execution("a", "") + `,` + execution("b", "") + `,` + execution("a", "") + `]}}`, []string{"A #0 pass", "A #2 #0 pass", "A #1 pass"}, nil, "two requests of one name, the first of them twice"},
		{collection + `"executions":[` + execution("c", "") + `]}}`, []string{"A #3 #0 pass"}, nil, "a request that is not in the collection"},
		{collection + `"executions":[` + execution("a", `,"assertions":[{"assertion":"x","skipped":true}]`) + `]}}`, []string{"A #0 pass"}, nil, "an assertion that was skipped"},
		{collection + `"executions":[` + execution("a", `,"assertions":[{"assertion":"x","error":{"message":"no"}}]`) + `]}}`, []string{"A #0 fail"}, nil, "one that failed"},
		{collection + `"executions":[` + execution("a", `,"assertions":[{"assertion":"x","error":"no"}]`) + `,` + execution("b", `,"requestError":"no"`) + `]}}`, []string{"A #0 fail", "A #2 #0 error"}, nil, "errors that are texts"},
		{collection + `"executions":[` + execution("a", `,"prerequestScript":[{"error":{"message":"no"}}]`) + `]}}`, []string{"A #0 error"}, nil, "a script before the request"},
		{collection + `"executions":[` + execution("a", `,"requestError":{"code":"ESOCKETTIMEDOUT"}`) + `]}}`, []string{"A #0 error timeout"}, nil, "no answer in time"},
		{collection + `"stats":{"items":{"total":3}},"executions":[` + execution("a", "") + `]}}`, []string{"A #0 pass"}, []string{"truncated-line 1:146"}, "two executions are gone"},
		{collection + `"stats":{"assertions":{"failed":1}},"executions":[` + execution("a", "") + `]}}`, []string{"A #0 pass", "[run] #0 error infrastructure"}, nil, "a failure that is only counted"},
		{collection + `"executions":[` + execution("a", "") + `],"failures":[{"error":{"name":"Error","message":"x"},"at":"script"}]}}`, []string{"A #0 pass", "[run] #0 error infrastructure"}, nil, "one that is only listed: Newman ends with 1 for any of them (bin/newman.js)"},
		{collection + `"executions":[],"error":{"message":"the collection could not be loaded"}}}`, []string{"[run] #0 error infrastructure"}, nil, "a run that broke"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Problems, c.want, c.told)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzNewman(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, `{"collection":{"item":[{"id":"a","name":"A","request":{}}]},"run":{"executions":[{"item":{"id":"a"},"assertions":[{"assertion":"x","error":{}}]}]}}`)
}
