package promptfoo

import (
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// checks adds the assertions of a row. Those that an assertion is made of stand
// behind it, and the same assertion may stand there twice.
func checks(t *envelope.Trial, grading jsonwalk.Value) {
	for result := range grading.Get("componentResults").Items() {
		if !result.IsObject() { // a list with a hole: promptfoo stopped at the first that failed
			continue
		}
		c := envelope.Check{Name: assertionName(result), Status: trialfields.PassFail(result.Get("pass").Bool()),
			Score: result.Get("score").Number()}
		if grader := result.Get("metadata", "graderError"); grader.IsBool() && grader.Bool().V {
			c.Status, c.Score = envelope.Error, envelope.Opt[float64]{} // nobody judged; promptfoo writes a fail with 0
		}
		if reason := result.Get("reason").String(); !said[reason] {
			c.Reason = reason
		}
		trialfields.AddCheck(t, c, "assertion")
	}
}

// said are reasons that say no more than the status.
var said = map[string]bool{"Assertion passed": true, "All assertions passed": true, "No assertions": true}

// assertionName is the metric that an assertion is named by, or else its type and
// what it holds the answer to.
func assertionName(result jsonwalk.Value) string {
	assertion := result.Get("assertion")
	for _, metric := range []jsonwalk.Value{assertion.Get("metric"), result.Get("metadata", "assertionSet", "metric")} {
		if metric.IsText() && metric.Text() != "" {
			return metric.Text()
		}
	}
	kind := assertion.Get("type")
	if !kind.IsText() {
		kind = result.Get("metadata", "assertionSet", "type")
	}
	if !kind.IsText() {
		return ""
	}
	return strings.TrimSuffix(kind.Text()+": "+strings.TrimSpace(assertion.Get("value").String()), ": ")
}
