package mcptest

import (
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestCases: the report of mcptest run --json, with the keys that its program writes.
func TestCases(t *testing.T) {
	text := `{"passed": 1, "failed": 3, "total": 4, "cases": [
		{"suite": "issues", "case": "opens one", "passed": true, "error": null, "trace": {}, "assertions": [{"name": "tool_called", "passed": true, "message": "create_issue called", "details": {}}], "metrics": []},
		{"suite": "issues", "case": "opens one", "passed": false, "error": null, "trace": {"timestamp": "2026-04-01T10:00:00.5+00:00", "duration_s": 0.25, "exit_code": 1, "agent_error": "agent crashed\ntwice"}, "assertions": [{"name": "tool_called", "passed": true, "message": "", "details": {}}, {"name": "max_tool_calls", "passed": false, "message": "4 calls, at most 3", "details": {}}], "metrics": []},
		{"suite": "tests/b.yaml", "case": "<load>", "passed": false, "error": "no agent", "trace": {}, "assertions": [], "metrics": []},
		{"suite": "issues", "passed": false}], "metric_summary": {"tool_efficiency": 0.5}}`
	if !Sniff([]byte(text)) {
		t.Error("it is not known")
	}
	s := readtest.Text(t, Read, text)
	want := []string{"issues/opens one #0 pass", "issues/opens one #1 fail", "tests/b.yaml/<load> #0 error"}
	if !slices.Equal(s.Lines(), want) || !slices.Equal(s.Told(), []string{"malformed-record 5:3"}) {
		t.Fatalf("got %q, told %q", s.Lines(), s.Told())
	}
	checks := []string{"tool_called: pass", "max_tool_calls: fail (4 calls, at most 3)"}
	if got := readtest.Checks(s.Trials[1]); !slices.Equal(got, checks) || s.Trials[2].Message != "no agent" {
		t.Errorf("checks %q, message %q", got, s.Trials[2].Message)
	}
	if crashed := s.Trials[1]; crashed.Message != "agent crashed" || crashed.DurationMS != envelope.Some(250.0) || crashed.StartedAt.Unix() != 1775037600 {
		t.Errorf("message %q, took %v, began %v", crashed.Message, crashed.DurationMS, crashed.StartedAt)
	}
}

func TestAssertions(t *testing.T) {
	cases := []struct {
		assertions string
		want       []string
		reason     string
	}{
		{`[{"name":"has tools","passed":true,"message":"3 tools"},{"type":"schema","status":"fail","message":"no inputSchema"}]`, []string{"has tools: pass", "schema: fail (no inputSchema)"}, "a truth, and a word"},
		{`[{"description":"answers","verdict":"inconclusive"},{"name":"a","outcome":"error","error":{"code":-32601}}]`, []string{"answers: skip", `a: error ({"code":-32601})`}, "no verdict, and an error that is an object"},
		{`[{"passed":false},{"name":"a"},{"name":"a","status":"odd"},7,null]`, []string{"assertion: fail"}, "one without a name, and those that say nothing"},
		{`{"name":"a","passed":true}`, nil, "no list"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"name":"n","rule_id":"r","severity":"MUST","status":"pass","assertions":`+c.assertions+"}\n")
		if len(s.Trials) != 1 || s.Trials[0].Status != envelope.Pass || !slices.Equal(readtest.Checks(s.Trials[0]), c.want) {
			t.Errorf("%s: %v %q, want %q", c.reason, s.Lines(), readtest.Checks(s.Trials[0]), c.want)
		}
	}
}
