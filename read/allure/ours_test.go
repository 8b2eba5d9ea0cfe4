package allure

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestOwnResults: what our results say behind the place that Allure has for it, which a
// verdict hangs on, is taken from ours and from nobody else's.
func TestOwnResults(t *testing.T) {
	const labels = `"labels":[{"name":"framework","value":"%s"},{"name":"package","value":"a_test.go"},{"name":"tribunal.line","value":"7"},{"name":"tribunal.retry","value":"true"},{"name":"tribunal.error_class","value":"infrastructure"}],"statusDetails":{"message":"0 of 1 trials passed: why\nthe box is gone"}`
	for framework, want := range map[string]envelope.Trial{
		"tribunal": {File: "a_test.go", Line: 7, Retry: true, ErrorClass: "infrastructure", Message: "the box is gone"},
		"pytest":   {Message: "0 of 1 trials passed: why"},
	} {
		sink := readtest.Text(t, Read, `{"uuid":"1","historyId":"h","name":"a","status":"broken","start":5,"stop":5,`+fmt.Sprintf(labels, framework)+`}`)
		got := sink.Find(t, "a", 0)
		if got.File != want.File || got.Line != want.Line || got.ErrorClass != want.ErrorClass || !strings.HasPrefix(got.Message, want.Message) || got.Retry != want.Retry || got.DurationMS.OK == (framework == "tribunal") {
			t.Errorf("%s: %+v", framework, got)
		}
	}
}

// TestOwnTriesKeepTheirOrder: tries of ours say which is which, also where only some have
// a time: by their times the second one, a retry, came first.
func TestOwnTriesKeepTheirOrder(t *testing.T) {
	var text strings.Builder
	for place, start := range []int64{1767225600000, 1, 1767225609000} {
		fmt.Fprintf(&text, `{"uuid":"%d","historyId":"h","name":"a","status":"failed","start":%d,"stop":%d,"labels":[{"name":"framework","value":"tribunal"},{"name":"tribunal.retry","value":"%t"}],"parameters":[{"name":"trial","value":"%d","excluded":true}]}`+"\n",
			place, start, start, place > 0, place+1)
	}
	sink := readtest.Text(t, Read, strings.ReplaceAll(text.String(), `{"name":"tribunal.retry","value":"false"}`, `{"name":"package","value":""}`))
	for attempt := range int32(3) {
		if got := sink.Find(t, "a", attempt); got.Retry != (attempt > 0) || got.StartedAt.IsZero() != (attempt == 1) {
			t.Errorf("try %d: %+v", attempt, got)
		}
	}
}

// TestOwnGate: what the gate said is no test, and a test of a suite with its name is one.
func TestOwnGate(t *testing.T) {
	const result = `{"uuid":"%s","historyId":"%[1]s","fullName":"%s","name":"[gate]","status":"failed","labels":[{"name":"framework","value":"tribunal"},{"name":"suite","value":"%s"}]}`
	sink := readtest.Text(t, Read, fmt.Sprintf(result, "g", "[gate]", "")+fmt.Sprintf(result, "t", "a/[gate]", "a"))
	if got := strings.Join(sink.Lines(), ", "); got != "a/[gate] #0 fail" {
		t.Errorf("got %s", got)
	}
}
