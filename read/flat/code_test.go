package flat

import "testing"

func TestIsTerminalRun(t *testing.T) {
	for head, want := range map[string]bool{`{"results":[{"task_id":"t","is_resolved":true`: true, `{"id":"x","trial_name":"t","task_id":"t","instruction":"`: false} {
		if got := IsTerminalRun([]byte(head)); got != want {
			t.Errorf("IsTerminalRun(%q) = %v", head, got)
		}
	}
}
