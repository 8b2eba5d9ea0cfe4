package agentv

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestGraders: AgentV writes a 0 for the three samples that ended by an error, too,
// as no answer contains the word. Nothing was graded there.
func TestGraders(t *testing.T) {
	s := readtest.File(t, Read, "testdata/5.3.1_repeat5.index.jsonl")
	got := map[string]int{}
	for _, trial := range s.Trials {
		got[string(trial.Status)+" "+strings.Join(readtest.Checks(trial), ", ")]++
	}
	want := map[string]int{"pass contains-Canberra: pass 1": 16, `fail contains-Canberra: fail 0 (Output does not contain "Canberra")`: 1, "error ": 3}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for file, each := range map[string]string{"4.42.4_trials5_mean.index.jsonl": "", "legacy_trials.jsonl": "", "5.3.1_repeat5.summary.json": ""} {
		for _, trial := range readtest.File(t, Read, "testdata/"+file).Trials {
			if got := strings.Join(readtest.Checks(trial), ", "); got != each {
				t.Errorf("%s has no checks of single trials: %q", file, got)
			}
		}
	}
	legacy := readtest.File(t, Read, "testdata/legacy_execution_metrics.jsonl")
	if got := readtest.Checks(legacy.Find(t, "research-with-metrics", 0)); !slices.Equal(got, []string{"trajectory-check: pass 1", "metrics-check: pass 1"}) {
		t.Errorf("%q", got)
	}
}

func TestChecks(t *testing.T) {
	const row = `{"test_id":"t","target":"m","score":1,"execution_status":"ok",`
	cases := []struct {
		text   string
		want   [][]string
		reason string
	}{
		{row + `"scores":[{"name":"tokens","type":"execution-metrics","score":0.5,"verdict":"fail","assertions":[{"text":"Tool calls 0 <= 10 max","passed":true},{"text":"Total tokens 2001 <= 2000 max","passed":false,"evidence":"tokens=2001"}]}]}`,
			[][]string{{"tokens: fail 0.5 (Total tokens 2001 <= 2000 max: tokens=2001)"}}, "measured values are no names"},
		{row + `"scores":[{"name":"set","type":"assert-set","score":1,"verdict":"pass","scores":[{"name":"one","type":"contains","score":1,"verdict":"pass"},{"type":"rubrics","score":0,"pass":false,"reason":"no","assertions":[{"text":"cites","passed":false,"evidence":"none"}]}]}]}`,
			[][]string{{"set: pass 1", "set › one: pass 1", "set › rubrics: fail 0 (no)", "set › rubrics › cites: fail (none)"}}, "a set of graders, and the criteria of a rubric"},
		{row + `"assertions":[{"text":"polite","passed":true,"evidence":"says please"},{"passed":true},{"text":"short"}]}`, [][]string{{"polite: pass (says please)"}}, "assertions without a grader"},
		{row + `"scores":[],"assertions":[{"text":"polite","passed":false}]}`, [][]string{{"polite: fail"}}, "an empty list of graders"},
		{row + `"aggregation":{"strategy":"mean"},"scores":[{"name":"a","score":1,"verdict":"pass"}]}`, [][]string{nil}, "a row for several trials has the checks of one of them"},
		{row + `"aggregation":{},"scores":[{"name":"a","score":1}],"samples":[{"sample":1,"score":1,"execution_status":"ok","scores":[{"name":"a","pass":true}]},{"sample":2,"score":0,"execution_status":"quality_failure"}]}`,
			[][]string{{"a: pass"}, nil}, "samples have checks of their own, and not those of the row"},
		{row + `"scores":[{"name":{},"score":"x"},4,null,{"name":"a","pass":"yes"}],"assertions":7}`, [][]string{nil}, "nothing of the kind"},
		{row + `"scores":` + strings.Repeat(`[{"name":"s","score":1,"scores":`, 40) + `[]` + strings.Repeat(`}]`, 40) + `}`,
			[][]string{sets(9)}, "sets in sets end somewhere"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text+"\n")
		if len(s.Trials) != len(c.want) {
			t.Fatalf("%s: %v %v", c.reason, s.Lines(), s.Problems)
		}
		for i, want := range c.want {
			if got := readtest.Checks(s.Trials[i]); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", c.reason, got, want)
			}
		}
	}
}

func sets(n int) (out []string) {
	for i := range n {
		out = append(out, strings.Repeat("s › ", i)+"s:  1")
	}
	return out
}
