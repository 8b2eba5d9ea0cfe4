package terminalbench

import (
	"testing"
)

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		head string
		want bool
	}{{`{"results":[{"task_id":"t","is_resolved":true`, true}, {`{"id":"x","trial_name":"t","task_id":"t","instruction":"`, false}} {
		if got := Repeats([]byte(c.head)); got != c.want {
			t.Errorf("Repeats(%q) = %v", c.head, got)
		}
	}
}
