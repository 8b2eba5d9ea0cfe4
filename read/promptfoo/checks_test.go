package promptfoo

import (
	"fmt"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestAssertions: counted by hand in the file, 7 rows of which were never graded.
func TestAssertions(t *testing.T) {
	want := map[string]int{
		"contains: Canberra pass": 6 + 4 + 3 + 4 + 6, "contains: Canberra fail": 2, "latency pass": 6, "contains: Sydney fail": 6,
	}
	for _, name := range []string{"testdata/gen_repeat6.json", "testdata/gen_repeat6.jsonl"} {
		s, got, graded := readtest.File(t, Read, name), map[string]int{}, 0
		for _, trial := range s.Trials {
			if len(trial.Checks) > 0 {
				graded++
			}
			for _, c := range trial.Checks {
				got[c.Name+" "+string(c.Status)]++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || graded != 25 {
			t.Errorf("%s: %d graded\n got %v\nwant %v", name, graded, got, want)
		}
		half := []string{"contains: Canberra: pass 1", `contains: Sydney: fail 0 (Expected output to contain "Sydney")`}
		if last := s.Trials[29]; last.Status != envelope.Pass || !slices.Equal(readtest.Checks(last), half) {
			t.Errorf("%s: a check that fails leaves the trial as promptfoo has it: %s %q", name, last.Status, readtest.Checks(last))
		}
	}
}

func TestChecks(t *testing.T) {
	cases := []struct {
		results string
		want    []string
		reason  string
	}{
		{`[{"pass":true,"score":1,"reason":"Assertion passed","assertion":{"type":"is-json"}}]`, []string{"is-json: pass 1"}, "an assertion without a value"},
		{`[{"pass":false,"score":0.2,"reason":"dull","assertion":{"type":"llm-rubric","value":"is funny\nand short","metric":"Tone"}}]`, []string{"Tone: fail 0.2 (dull)"}, "a metric names it"},
		{`[{"pass":true,"score":1,"assertion":{"type":"javascript","value":"output.length > 3 &&\n output < 9"}}]`, []string{"javascript: output.length > 3 &&: pass 1"}, "a program is named by its first line"},
		{`[{"pass":true,"score":1,"assertion":{"type":"contains-any","value":["a","b"]}}]`, []string{`contains-any: ["a","b"]: pass 1`}, "a list of values"},
		{`[{"pass":false,"score":0,"reason":"HTTP 503","assertion":{"type":"llm-rubric","value":"x"},"metadata":{"graderError":true}}]`, []string{"llm-rubric: x: error (HTTP 503)"}, "the grader broke: nobody judged"},
		{`[{"pass":true,"score":0.5,"reason":"ok","assertion":null,"metadata":{"assertionSet":{"type":"assert-set","metric":"safe","threshold":0.5}}},{"pass":true,"score":1,"assertion":{"type":"equals","value":3}}]`,
			[]string{"safe: pass 0.5 (ok)", "equals: 3: pass 1"}, "a set, and what is in it"},
		{`[{"pass":true,"score":1}]`, []string{"assertion: pass 1"}, "an assertion of a program that names none"},
		{`[null,{"pass":false,"score":0,"assertion":{"type":"contains","value":"x"}}]`, []string{"contains: x: fail 0"}, "a list with a hole"},
		{`[{"pass":"yes","score":"high","assertion":{"type":["a"],"metric":7}}]`, nil, "nothing of the kind"},
		{`[[],5,"x",{}]`, nil, "no results"},
		{`{"a":1}`, nil, "no list"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"testIdx":0,"promptIdx":0,"promptId":"p","provider":"m","testCase":{"description":"d"},"success":true,"gradingResult":{"componentResults":`+c.results+`}}`)
		if len(s.Trials) != 1 || s.Trials[0].Status != envelope.Pass || !slices.Equal(readtest.Checks(s.Trials[0]), c.want) {
			t.Errorf("%s: %v %q, want %q", c.reason, s.Lines(), readtest.Checks(s.Trials[0]), c.want)
		}
	}
}
