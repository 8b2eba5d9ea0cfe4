package cucumber

import (
	"fmt"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestEndless: a stream may go on with one attempt forever; memory must not.
func TestEndless(t *testing.T) {
	lines := head + begin + strings.Repeat(step("PASSED")+fmt.Sprintf(`{"attachment":{"testCaseStartedId":"x","mediaType":"a/b","url":%q}}`+"\n", "u"), 3000) + finish
	if s := readtest.Text(t, Read, lines); len(s.Trials[0].Checks) != 1000 || len(s.Trials[0].Attachments) != 100 {
		t.Errorf("%d steps, %d attachments", len(s.Trials[0].Checks), len(s.Trials[0].Attachments))
	}
}
