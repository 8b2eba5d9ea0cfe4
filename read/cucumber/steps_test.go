package cucumber

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

const (
	head = `{"gherkinDocument":{"feature":{"children":[{"rule":{"children":[{"scenario":{"id":"s","location":{"line":4},"examples":[{"tableBody":[{"id":"r1","location":{"line":7}},{"id":"r2","location":{"line":8}}]}]}}]}}]}}}
{"pickle":{"id":"p1","uri":"a.feature","name":"n","astNodeIds":["s","r1"],"steps":[{"id":"t","text":"a step"}]}}
{"pickle":{"id":"p2","uri":"a.feature","name":"n","astNodeIds":["s","r2"]}}
{"testRunStarted":{"timestamp":{"seconds":"5","nanos":0}}}
{"testCase":{"id":"c1","pickleId":"p1","testSteps":[{"id":"u","pickleStepId":"t"}]}}
{"testCase":{"id":"c2","pickleId":"p2"}}
`
	begin  = `{"testCaseStarted":{"id":"x","testCaseId":"c1","attempt":0}}` + "\n"
	finish = `{"testCaseFinished":{"testCaseStartedId":"x"}}` + "\n"
)

func step(status string) string {
	return `{"testStepFinished":{"testCaseStartedId":"x","testStepId":"u","testStepResult":{"status":"` + status + `"}}}` + "\n"
}

// TestEndless: a stream may go on with one attempt forever; memory must not.
func TestEndless(t *testing.T) {
	lines := head + begin + strings.Repeat(step("PASSED")+fmt.Sprintf(`{"attachment":{"testCaseStartedId":"x","mediaType":"a/b","url":%q}}`+"\n", "u"), 3000) + finish
	if s := readtest.Text(t, Read, lines); len(s.Trials[0].Checks) != 1000 || len(s.Trials[0].Attachments) != 100 {
		t.Errorf("%d steps, %d attachments", len(s.Trials[0].Checks), len(s.Trials[0].Attachments))
	}
}
