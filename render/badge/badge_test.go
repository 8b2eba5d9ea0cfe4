package badge_test

import (
	"bytes"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/render/badge"
)

// TestWordsFitTheColour: nobody sees a green badge that says failed and nothing else, or
// a red one that says passed.
func TestWordsFitTheColour(t *testing.T) {
	excused := envelope.Test{Status: envelope.Fail, Quarantine: &envelope.InQuarantine{Excused: true}}
	counts := func(pass, fail int) envelope.Summary {
		return envelope.Summary{Counts: envelope.Counts{Tests: pass + fail, Pass: pass, Fail: fail}}
	}
	inQuarantine := counts(5, 1)
	inQuarantine.Excused = 1
	unheld := []envelope.GateResult{{Name: "cheap", Status: envelope.Fail}}
	for _, c := range []struct {
		reason, message, color string
		e                      envelope.Envelope
	}{
		{"a test failed", "1 failed, 5 passed", "red", envelope.Envelope{Summary: counts(5, 1), Gate: envelope.Gate{Status: envelope.Fail, ExitCode: 1}}},
		{"a gate does not hold", "5 passed, gate failed", "red", envelope.Envelope{Summary: counts(5, 0), Gate: envelope.Gate{Status: envelope.Fail, ExitCode: 1, Gates: unheld}}},
		{"the run alone is judged", "1 failed, 5 passed, gate passed", "brightgreen", envelope.Envelope{Summary: counts(5, 1), Gate: envelope.Gate{Status: envelope.Pass}}},
		{"a quarantine", "1 excused, 5 passed", "yellow", envelope.Envelope{Summary: inQuarantine, Tests: []envelope.Test{excused}, Gate: envelope.Gate{Status: envelope.Pass}}},
	} {
		var out bytes.Buffer
		if err := badge.Write(&out, &c.e, badge.Options{Form: badge.Endpoint}); err != nil {
			t.Fatal(err)
		}
		if want := `"message":"` + c.message + `","color":"` + c.color + `"`; !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s, want %s", c.reason, out.String(), want)
		}
	}
}
