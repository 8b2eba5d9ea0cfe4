package cucumberjson

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// behaves is a report of two scenarios, written by hand after JSONFormatter of
// behave 1.3.3 (behave/formatter/json.py): the first passed, the second failed
// an assertion of its second step.
const behaves = `[
{"keyword": "Feature", "name": "Shop", "tags": ["web"], "location": "features/shop.feature:2", "status": "failed", "description": ["x"], "elements": [
{"type": "background", "keyword": "Background", "name": "", "location": "features/shop.feature:4", "steps": [{"keyword": "Given", "step_type": "given", "name": "a shop", "location": "features/shop.feature:5"}]},
{"type": "scenario", "keyword": "Scenario", "name": "Look", "tags": [], "location": "features/shop.feature:7", "steps": [
 {"keyword": "Given", "step_type": "given", "name": "a shop", "location": "features/shop.feature:5", "match": {"location": "features/steps/shop.py:3", "arguments": []}, "result": {"status": "passed", "duration": 0.25}},
 {"keyword": "When", "step_type": "when", "name": "I look", "location": "features/shop.feature:8", "match": {"location": "features/steps/shop.py:7", "arguments": [{"value": 2, "name": "n", "original": "2"}]}, "result": {"status": "passed", "duration": 1.25}}], "status": "passed"},
{"type": "scenario", "keyword": "Scenario Outline", "name": "Buy -- @1.1 all", "tags": ["smoke", "slow"], "location": "features/shop.feature:16", "steps": [
 {"keyword": "Given", "step_type": "given", "name": "a shop", "location": "features/shop.feature:5", "match": {"location": "features/steps/shop.py:3", "arguments": []}, "result": {"status": "passed", "duration": 0.5}},
 {"keyword": "Then", "step_type": "then", "name": "I paid", "location": "features/shop.feature:13", "text": ["a", "b"], "match": {"location": "features/steps/shop.py:9", "arguments": []}, "result": {"status": "failed", "duration": 0.25, "error_message": ["ASSERT FAILED: 2 != 3", "Captured stdout:", "total 2"]}},
 {"keyword": "And", "step_type": "then", "name": "I left", "location": "features/shop.feature:14"}], "status": "failed"}]}
]
`

func TestBehave(t *testing.T) {
	s := readtest.Text(t, Read, behaves)
	const file = "features/shop.feature"
	want := []envelope.Trial{
		{Key: envelope.Key{Suite: file, Test: "Look"}, Attempt: envelope.Some[int32](0), Status: envelope.Pass, RawStatus: "passed", DurationMS: envelope.Some(1500.0), File: file, Line: 7},
		{Key: envelope.Key{Suite: file, Test: "Buy -- @1.1 all"}, Attempt: envelope.Some[int32](0), Status: envelope.Fail, RawStatus: "failed", DurationMS: envelope.Some(750.0), File: file, Line: 16,
			Message: "ASSERT FAILED: 2 != 3\nCaptured stdout:", Output: "ASSERT FAILED: 2 != 3\nCaptured stdout:\ntotal 2", Labels: []envelope.Label{{Name: "tags", Value: "smoke,slow"}}},
	}
	if !reflect.DeepEqual(readtest.Outside(s.Trials...), want) || len(s.Problems) > 0 {
		t.Errorf("got %#v %v\nwant %#v", s.Trials, s.Problems, want)
	}
	if !Sniff([]byte(behaves)) {
		t.Error("it is not told by its first bytes")
	}
}

// scenario is a scenario of behave by its status and the results of its steps.
func scenario(status, results string) string {
	return `{"type":"scenario","keyword":"Scenario","name":"n","tags":[],"location":"a.feature:3","steps":[` + results + `],"status":` + status + `}`
}

func TestOutcomesOfBehave(t *testing.T) {
	step := func(result string) string {
		return `{"keyword":"When","step_type":"when","name":"x","location":"a.feature:4","result":` + result + `}`
	}
	const unrun = `{"keyword":"When","step_type":"when","name":"x","location":"a.feature:4"}`
	passed := step(`{"status":"passed","duration":0.1}`)
	trace := `"Traceback (most recent call last):","  File \"s.py\", line 3, in x","    f()","ValueError: no price","","Captured stdout:"`
	cases := []struct {
		elements string
		want     []string
		message  string
		reason   string
	}{
		{scenario(`"skipped"`, unrun), []string{"a.feature/n #0 skip skipped"}, "no step says why", "deselected by tags (--show-skipped): no empty run"},
		{scenario(`"untested"`, unrun), []string{"a.feature/n #0 skip untested"}, "no step says why", "behind the failure that --stop stopped at"},
		{scenario(`"untested"`, step(`{"status":"untested","duration":0}`)), []string{"a.feature/n #0 skip untested"}, "skipped: x", "--dry-run"},
		{scenario(`"hook_error"`, passed), []string{"a.feature/n #0 error hook_error"}, "no step says why", "after_scenario raised"},
		{scenario(`"failed"`, unrun), []string{"a.feature/n #0 fail failed"}, "no step says why", "before_scenario raised, in behave 1.2.6"},
		{scenario(`"error"`, step(`{"status":"error","duration":0.1}`)), []string{"a.feature/n #0 error error"}, "error: x", "an exception that is no assertion, whose text the formatter leaves out"},
		{scenario(`"failed"`, step(`{"status":"failed","duration":0.1,"error_message":[`+trace+`]}`)), []string{"a.feature/n #0 fail failed"}, "ValueError: no price", "an exception in behave 1.2.6: a traceback"},
		{scenario(`"error"`, step(`{"status":"undefined","duration":0}`)), []string{"a.feature/n #0 error undefined pre-validation"}, "undefined: x", "nobody wrote the step"},
		{scenario(`"failed"`, step(`{"status":"undefined","duration":0}`)), []string{"a.feature/n #0 error undefined pre-validation"}, "undefined: x", "the same in behave 1.2.6"},
		{scenario(`"error"`, step(`{"status":"pending","duration":0.1}`)), []string{"a.feature/n #0 error error"}, "pending: x", "a pending step fails the run of behave"},
		{scenario(`"passed"`, passed+","+step(`{"status":"pending_warn","duration":0.1}`)), []string{"a.feature/n #0 pass passed"}, "", "one that is tagged wip does not"},
		{scenario(`null`, passed), []string{"a.feature/n #0 pass passed"}, "", "the status was written to a background behind it (finish_current_scenario)"},
		{scenario(`"failed"`, step(`{"status":"failed","duration":0.1,"error_message":"no"}`)) + "," + scenario(`"passed"`, passed), []string{"a.feature/n #0 fail failed", "a.feature/n #1 pass passed retry"}, "no", "scenario_autoretry"},
		{`{"type":"scenario","name":"","location":"a.feature:3","steps":[` + passed + `],"status":"passed"}`, []string{"a.feature/(line 3) #0 pass passed"}, "", "no name"},
		{`{"type":"scenario","name":"n","tags":[7],"location":"a.feature","steps":[{"result":{"status":"failed","error_message":7}}],"status":"failed"}`, []string{"a.feature/n #0 fail failed"}, "no step says why", "no line, and texts that are none"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `[{"elements":[`+c.elements+`],"keyword":"Feature","location":"a.feature:1"}]`)
		if !slices.Equal(s.Lines(), c.want) || s.Trials[0].Message != c.message || len(s.Problems) > 0 {
			t.Errorf("%s:\n got %q %q %v\nwant %q %q", c.reason, s.Lines(), s.Trials[0].Message, s.Problems, c.want, c.message)
		}
	}
}

// TestHooksOfBehave: behave 1.2.6 ends with 1 where a hook around the scenarios of a feature
// raised, and says so of the feature alone.
func TestHooksOfBehave(t *testing.T) {
	const behind = `[
{"keyword": "Feature", "name": "A", "tags": [], "location": "features/a.feature:1", "status": "failed", "elements": [{"type": "scenario", "keyword": "Scenario", "name": "one", "tags": [], "location": "features/a.feature:2", "steps": [{"keyword": "Given", "step_type": "given", "name": "ok", "location": "features/a.feature:3", "match": {"location": "features/steps/s.py:2", "arguments": []}, "result": {"status": "passed", "duration": 3.9e-05}}], "status": "passed"}]}
]
`
	for _, c := range []struct {
		reason, text string
		want         []string
	}{
		{"after_feature raised", behind, []string{"features/a.feature/one #0 pass passed", "[run] #0 error infrastructure"}},
		{"before_feature raised: there is no scenario", "[\n" + `{"keyword": "Feature", "name": "A", "tags": [], "location": "features/a.feature:1", "status": "failed"}` + "\n]\n", []string{"[run] #0 error infrastructure"}},
		{"the same in behave 1.3", "[\n" + `{"keyword": "Feature", "name": "A", "tags": [], "location": "features/a.feature:1", "status": "hook_error"}` + "\n]\n", []string{"[run] #0 error infrastructure"}},
		{"a feature that a tag left out", "[\n" + `{"keyword": "Feature", "name": "A", "tags": [], "location": "features/a.feature:1", "status": "skipped"}` + "\n]\n", nil},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.want) || len(s.Problems) > 0 {
			t.Errorf("%s: got %q %v, want %q", c.reason, s.Lines(), s.Problems, c.want)
		}
		if !Sniff([]byte(c.text)) {
			t.Errorf("%s: it is not told by its first bytes", c.reason)
		}
	}
}
