package nightwatch

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestShapes(t *testing.T) {
	const head = `{"report":{"reportPrefix":"","assertionsCount":1,`
	for _, c := range []struct {
		text           string
		want, reported []string
		reason         string
	}{
		{head + `"completed":{"a":{"time":"0.5","failed":0,"errors":0},"b":{"failed":1,"errors":0},"c":{"failed":0,"errors":1}},"failures":1,"errors":1},"name":"m"}`,
			[]string{"m/a #0 pass", "m/b #0 fail", "m/c #0 error"}, nil, "Nightwatch 1 writes no status"},
		{head + `"completed":{"a":{"status":"pass","failed":0,"errors":0}},"failures":0,"errors":1},"name":"m"}`,
			[]string{"m/a #0 pass pass", "[run] #0 error infrastructure"}, nil, "a hook behind the tests threw"},
		{head + `"completed":{"a":{"status":"pass","failed":0,"errors":0,"assertions":[{"message":"x","failure":"y"}]}}},"name":"m"}`,
			[]string{"m/a #0 fail pass"}, nil, "an assertion that did not hold"},
		{head + `"completed":{"a":{"status":"odd"}}},"name":"m"}`, []string{"m/a #0 error odd"}, nil, "a word that nobody knows"},
		{head + `"completed":{"a":{}}},"name":"m"}`, []string{"m/a #0 error"}, nil, "a test that says nothing"},
		{head + `"completed":{"a":{"status":"pass"}},"skipped":["a"],"group":"x/y"},"name":"m"}`, []string{"x.y.m/a #0 pass pass"}, nil, "a test that is skipped and was run"},
		{head + `"completed":{"a":{"status":"pass"}},"completedSections":{"a":{"retryTestData":[{}]}}},"name":"m"}`, []string{"m/a #0 fail", "m/a #1 pass pass retry"}, nil, "no number of retries"},
		{head + `"completed":{"a":{"status":"pass","retries":1}},"failures":0,"errors":1},"name":"m"}`, []string{"m/a #0 fail", "m/a #1 pass pass retry", "[run] #0 error infrastructure"}, nil, "a hook that threw, behind a test that passed when it was tried again"},
		{head + `"completed":{"a":{"status":"pass"},"b":`, []string{"a #0 pass pass"}, []string{"unreadable-input 1:89"}, "cut: the module has no name yet"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Reported(), c.want, c.reported)
		}
	}
	s := readtest.Text(t, Read, head+`"completed":{"a":{"status":"pass","retries":1000000000}}}}`)
	if len(s.Trials) != 1000+1 {
		t.Errorf("%d trials of a number nobody believes", len(s.Trials))
	}
}
