package cucumber

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSteps: the steps of the six scenarios of the file, each with its own status
// between two steps.
func TestSteps(t *testing.T) {
	s := readtest.File(t, Read, "testdata/cck__all-statuses.ndjson")
	want := [][]string{
		{"a step: pass", "a step: pass", "a step: pass"},
		{"a step: pass", "a failing step: fail (whoops)", "a step: skip"},
		{"a step: pass", "a pending step: skip", "a step: skip"},
		{"a step: pass", "a skipped step: skip", "a step: skip"},
		{"a step: pass", "an undefined step: error", "a step: skip"},
		{"a step: pass", "an ambiguous step: error", "a step: skip"},
	}
	for i, each := range want {
		if got := readtest.Checks(s.Trials[i]); !slices.Equal(got, each) {
			t.Errorf("%s: %q, want %q", s.Trials[i].Test, got, each)
		}
	}
	retry := readtest.File(t, Read, "testdata/cck__retry.ndjson")
	for attempt, want := range []string{"a step that passes the second time: fail (Exception in step)", "a step that passes the second time: pass"} {
		if got := readtest.Checks(retry.Find(t, "Test cases that fail are retried if within the --retry limit", int32(attempt))); !slices.Equal(got, []string{want}) {
			t.Errorf("attempt %d: %q, want %s", attempt, got, want)
		}
	}
}

func TestInside(t *testing.T) {
	attach := func(rest string) string {
		return `{"attachment":{"testCaseStartedId":"x","testStepId":"u",` + rest + `}}` + "\n"
	}
	hook := `{"testStepFinished":{"testCaseStartedId":"x","testStepId":"h","testStepResult":{"status":"FAILED","message":"no browser"}}}` + "\n"
	quiet := `{"testStepFinished":{"testCaseStartedId":"x","testStepId":"h","testStepResult":{"status":"PASSED"}}}` + "\n"
	cases := []struct {
		lines  string
		checks []string
		files  []envelope.Attachment
		reason string
	}{
		{quiet + step("PASSED") + quiet + finish, []string{"a step: pass"}, nil, "hooks that pass are no news"},
		{hook + step("SKIPPED") + finish, []string{"hook: fail (no browser)", "a step: skip"}, nil, "a hook that failed"},
		{step("ODD") + finish, []string{"a step: error"}, nil, "a word that nobody knows"},
		{step("PASSED") + attach(`"body":"aGk=","contentEncoding":"BASE64","mediaType":"image/png","fileName":"end.png"`) + finish, []string{"a step: pass"},
			[]envelope.Attachment{{Name: "end.png", MediaType: "image/png"}}, "a picture in the stream stays there"},
		{attach(`"url":"https://ci.example/7.webm","mediaType":"video/webm"`) + `{"externalAttachment":{"testCaseStartedId":"x","url":"trace.zip","mediaType":"application/zip"}}` + "\n" + finish, nil,
			[]envelope.Attachment{{URL: "https://ci.example/7.webm", MediaType: "video/webm"}, {URL: "trace.zip", MediaType: "application/zip"}}, "files elsewhere"},
		{attach(`"body":"said","contentEncoding":"IDENTITY","mediaType":"text/x.cucumber.log+plain"`) + finish, nil, nil, "a log is output"},
		{attach(`"mediaType":""`) + strings.Replace(attach(`"mediaType":"a/b"`), `"x"`, `"y"`, 1) + finish, nil, nil, "nothing, and something of another attempt"},
		{step("PASSED"), []string{"a step: pass"}, nil, "cut off: what there was is kept"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, head+begin+c.lines)
		if len(s.Trials) != 1 || !slices.Equal(readtest.Checks(s.Trials[0]), c.checks) || !reflect.DeepEqual(s.Trials[0].Attachments, c.files) {
			t.Errorf("%s: %v %q %v", c.reason, s.Lines(), readtest.Checks(s.Trials[0]), s.Trials[0].Attachments)
		}
	}
}

// TestEndless: a stream may go on with one attempt forever; memory must not.
func TestEndless(t *testing.T) {
	lines := head + begin + strings.Repeat(step("PASSED")+fmt.Sprintf(`{"attachment":{"testCaseStartedId":"x","mediaType":"a/b","url":%q}}`+"\n", "u"), 3000) + finish
	if s := readtest.Text(t, Read, lines); len(s.Trials[0].Checks) != 1000 || len(s.Trials[0].Attachments) != 100 {
		t.Errorf("%d steps, %d attachments", len(s.Trials[0].Checks), len(s.Trials[0].Attachments))
	}
}
