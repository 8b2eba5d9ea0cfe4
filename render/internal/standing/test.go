package standing

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
)

// Shown is the status of a test as reports for machines show it: a failure that a
// quarantine excuses is neither good nor bad, as an inconclusive test is.
func Shown(t *envelope.Test) envelope.Status {
	if t.Excused() {
		return envelope.Inconclusive
	}
	return t.Status
}

// Unsettled is what a machine is told of a test that is shown as inconclusive.
func Unsettled(t *envelope.Test) string {
	if t.Excused() {
		return "quarantined"
	}
	return string(envelope.Inconclusive)
}

// Said is what the first trial that has something to say said, as it said it.
func Said(t *envelope.Test) (message, output string) {
	for i := range t.Details {
		if d := &t.Details[i]; d.Message != "" || d.Output != "" {
			return d.Message, d.Output
		}
	}
	return "", ""
}

// Evidence is how a verdict came about, in a line: 8 of 20 trials passed: reason. Most
// reasons say the numbers themselves, and where no trial counted there are none.
func Evidence(t *envelope.Test) string {
	tally, reason := fmt.Sprintf("%d of %d trials passed", t.Trials.Passed, t.Trials.Counted), t.Verdict.Reason
	switch {
	case reason == "":
		return tally
	case t.Trials.Counted == 0, strings.HasPrefix(reason, tally):
		return reason
	}
	return tally + ": " + reason
}

// FirstMessage is what the first trial with something to say said.
func FirstMessage(t *envelope.Test, shown func(string) string) string {
	for i := range t.Details {
		if said := shown(t.Details[i].Message); said != "" {
			return said
		}
	}
	return ""
}

// DefinedAt is the file and the line of a test, "" where nobody knows.
func DefinedAt(t *envelope.Test) string {
	at := text.Line(t.File)
	if at != "" && t.Line > 0 {
		at += ":" + strconv.Itoa(t.Line)
	}
	return at
}

// Quote is a safe text as a JSON string, which is always one line. It is for no page.
func Quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
