package cucumberjson

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

const sample = "testdata/gen_cucumber-js_retry2.json"

func TestSample(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := []string{
		"features/flaky.feature/always passes #0 pass passed", "features/flaky.feature/passes on third try #0 pass passed",
		"features/flaky.feature/never passes #0 fail failed", "features/flaky.feature/undefined step #0 error undefined pre-validation",
		"features/flaky.feature/pending step #0 error pending pre-validation", "features/flaky.feature/slow #0 fail failed timeout",
		"features/flaky.feature/table 1 #0 pass passed", "features/flaky.feature/table 2 #0 pass passed",
	}
	if got := s.Lines(); !slices.Equal(got, want) || !slices.Equal(s.Told(), []string{"retries-lost 1:1"}) {
		t.Errorf("got %q %q\nwant %q", got, s.Told(), want)
	}
}

// TestFields compares a whole trial with what stands in the file.
func TestFields(t *testing.T) {
	s := readtest.File(t, Read, sample)
	want := envelope.Trial{
		Key: envelope.Key{Suite: "features/flaky.feature", Test: "never passes"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail, RawStatus: "failed",
		DurationMS: envelope.Some(0.122361), // 39228 ns and 83133 ns
		Message:    "Error: not yet: 3 < 99\nat World.<anonymous> (/home/dev/shop/features/step_definitions/s.js:3:120)",
		Output:     "Error: not yet: 3 < 99\n    at World.<anonymous> (/home/dev/shop/features/step_definitions/s.js:3:120)",
		File:       "features/flaky.feature", Line: 11, Labels: []envelope.Label{{Name: "tags", Value: "@agent"}},
	}
	if got := s.Find(t, want.Test, 0); !reflect.DeepEqual(readtest.Outside(got)[0], want) {
		t.Errorf("got %#v\nwant %#v", got, want)
	}
	if got := s.Find(t, "undefined step", 0); got.Message != "undefined: there is no such step" {
		t.Errorf("%q", got.Message)
	}
}

func feature(elements string) string { return `[{"elements":[` + elements + `],"uri":"a.feature"}]` }

func TestShapes(t *testing.T) {
	const lost = "retries-lost 1:1"
	cases := []struct {
		text   string
		want   []string
		told   []string
		reason string
	}{
		{feature(`{"name":"n","line":3,"steps":[{"result":{"status":"passed"}}]},{"name":"n","line":4,"steps":[{"result":{"status":"failed"}}]}`),
			[]string{"a.feature/n (example 1) #0 pass passed", "a.feature/n (example 2) #0 fail failed"}, []string{lost}, "rows of an outline share a name"},
		{feature(`{"name":"n","line":3,"steps":[{"result":{"status":"failed"}}]},{"name":"n","line":3,"steps":[{"result":{"status":"passed"}}]}`),
			[]string{"a.feature/n #0 fail failed", "a.feature/n #1 pass passed"}, []string{lost}, "the same scenario twice is two attempts"},
		{feature(`{"type":"background","steps":[{"result":{"status":"failed","error_message":"no database"}}]},{"name":"n","steps":[{"result":{"status":"skipped"}}]},{"name":"m","steps":[{"result":{"status":"passed"}}]}`),
			[]string{"a.feature/n #0 fail failed", "a.feature/m #0 pass passed"}, []string{lost}, "a background belongs to the scenario behind it"},
		{feature(`{"name":"n","before":[{"result":{"status":"failed"}}],"steps":[{"result":{"status":"skipped"}}]}`), []string{"a.feature/n #0 fail failed"}, []string{lost}, "hooks beside the steps, as the JVM writes them"},
		{feature(`{"name":"n","steps":[{"result":{"status":"passed"},"after":[{"result":{"status":"failed"}}]}]}`), []string{"a.feature/n #0 fail failed"}, []string{lost}, "hooks of a step"},
		{feature(`{"name":"n","steps":[]}`), []string{"a.feature/n #0 skip empty-run"}, []string{lost}, "no steps"},
		{feature(`{"name":"n","steps":[{"name":"no result"}]}`), []string{"a.feature/n #0 skip empty-run"}, []string{lost}, "no results"},
		{feature(`{"name":"n","steps":[{"name":"a","result":{"status":"passed"}},{"name":"b"}]}`), []string{"a.feature/n #0 error unknown"}, []string{lost}, "a step without a result behind one that passed, as of a run that died: Cucumber gives every step one"},
		{feature(`{"name":"n","steps":[{"name":"a","result":{"status":"failed"}},{"name":"b"}]}`), []string{"a.feature/n #0 fail failed"}, []string{lost}, "and behind one that failed"},
		{feature(`{"name":"n","steps":[{"hidden":true,"keyword":"Before"},{"name":"a","result":{"status":"passed"}}]}`), []string{"a.feature/n #0 pass passed"}, []string{lost}, "a hook without one"},
		{feature(`{"name":""},7`), nil, []string{"malformed-record 1:15", "ignored-field 1:27", "malformed-record 1:27"}, "neither name nor line, no scenario"},
		{feature(`{"description":"","id":"t;","keyword":"Scenario","line":4,"name":"","steps":[{"result":{"status":"passed"}}],"type":"scenario"}`),
			[]string{"a.feature/(line 4) #0 pass passed"}, []string{lost}, "cucumber-js 12.9.0 of `Scenario:` without a name, which Gherkin allows"},
		{`[{"uri":7,"elements":{"a":1}},8]`, nil, []string{"ignored-field 1:9", "malformed-record 1:22", "malformed-record 1:31"}, "features that are none"},
		{`[{"uri":"a.feature","elements":[{"name":"n","steps":[{"result":{"status":"passed"}}]},{"na`, []string{"a.feature/n #0 pass passed"}, []string{lost, "unreadable-input 1:87"}, "cut: what came before counts"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Told(), c.want, c.told)
		}
	}
}

func TestTimes(t *testing.T) {
	got := readtest.Text(t, Read, feature(`{"name":"n","start_timestamp":"2026-01-02T03:04:05.678Z","steps":[{"result":{"status":"passed"}}]}`)).Trials[0]
	if got.DurationMS.OK || !got.StartedAt.Equal(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)) {
		t.Errorf("%#v", got)
	}
}

// TestBackgroundTakesTime: a browser is often opened there; cucumber-reporting has such files.
func TestBackgroundTakesTime(t *testing.T) {
	const background = `{"type":"background","steps":[{"result":{"status":"passed","duration":13000000000}}]},`
	s := readtest.Text(t, Read, feature(background+`{"name":"n","line":4,"steps":[{"result":{"status":"passed","duration":2000000000}}]},{"name":"m","line":8,"steps":[{"result":{"status":"passed","duration":1000000}}]}`))
	for test, want := range map[string]float64{"n": 15000, "m": 1} {
		if got := s.Find(t, test, 0).DurationMS; got != envelope.Some(want) {
			t.Errorf("%s: %v, want %v ms", test, got, want)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`[{"description":"","elements":[{"id":"x"}],"id":"f","uri":"a.feature"}]`, true, "as cucumber-js writes it"},
		{`[{"uri":"a.feature","id":"f","keyword":"Feature","name":"n","li`, true, "as cucumber-ruby writes it, cut"},
		{`[{"elements":[{"id":"x","very":"long`, false, "cut before it is clear"},
		{`[{"description":"","elements":[{"id":"x","keyword":"Scenario","steps":[{"long`, true, "cut in a long feature of cucumber-js"},
		{`{"uri":"a.feature","elements":[]}`, false, "no array"},
		{`[{"task_id":0,"reward":1,"info":{},"traj":[],"trial":0}]`, false, "tau-bench"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzCucumberJSON(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, feature(`{"name":"n","steps":[{"result":{"status":"passed"}}]}`), behaves)
}
