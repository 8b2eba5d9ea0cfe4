package mcptest

import (
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

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
