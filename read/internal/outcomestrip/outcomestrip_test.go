package outcomestrip_test

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/outcomestrip"
)

// told is a strip of trials: the status and class of each.
func brief(trials []envelope.Trial) string {
	var words []string
	for i := range trials {
		word := string(trials[i].Status)
		if class := trials[i].ErrorClass; class != "" {
			word += ":" + class
		}
		if trials[i].ToolCalls.OK {
			word += ":0"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestTrials(t *testing.T) {
	for _, c := range []struct {
		reason, letters, excluded, want string
		noted                           bool
	}{
		{"every letter", "PFES", "skip 1", "pass fail error skip", false},
		{"one class", "PXX", "empty-run 2", "pass error:empty-run error:empty-run", false},
		{"skipped trials are a class of their own", "PXS", "pre-validation 1, skip 1", "pass error:pre-validation skip", false},
		{"a timeout that did nothing", "PX", "idle-timeout 1", "pass error:timeout:0", false},
		{"two classes: which trial has which is open", "PXX", "empty-run 1, infrastructure 1", "pass error:infrastructure error:infrastructure", true},
		{"no list at all", "PX", "", "pass error:infrastructure", true},
		{"behind a cost limit nothing is known", "PFXX", "cost-limit 2", "pass fail skip:cost-limit skip:cost-limit", true},
		{"the limit comes last", "XPXX", "cost-limit 2, infrastructure 1", "error:infrastructure pass skip:cost-limit skip:cost-limit", true},
		{"no trial counts: still an error", "XX", "cost-limit 2", "error:infrastructure error:infrastructure", true},
		{"a list that does not fit", "PX", "cost-limit 7", "pass error:infrastructure", true},
	} {
		trials, note, ok := outcomestrip.Trials(envelope.Trial{}, c.letters, c.excluded)
		if got := brief(trials); !ok || got != c.want || (note != "") != c.noted {
			t.Errorf("%s: %q with the note %q (ok %t), want %q", c.reason, got, note, ok, c.want)
		}
	}
	for _, letters := range []string{"", "PQ", "P P"} {
		if _, _, ok := outcomestrip.Trials(envelope.Trial{}, letters, ""); ok {
			t.Errorf("%q is no strip", letters)
		}
	}
}
