package evalplus

import (
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand. The first sample passes the tests of the dataset and not
// those that were added: in pass@k of HumanEval+ it does not count.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		file string
		want []string
	}{
		{"testdata/eval_results.json", []string{"HumanEval/0 #0 fail", "HumanEval/0 #1 pass", "HumanEval/0 #2 fail timeout", "HumanEval/1 #0 fail", "HumanEval/1 #1 pass"}},
		{"testdata/2023_eval_results.json", []string{"HumanEval/0 #0 pass", "HumanEval/0 #1 fail timeout", "HumanEval/0 #2 fail", "HumanEval/1 #0 pass"}},
	} {
		s := readtest.File(t, Read, c.file)
		if got := s.Lines(); !slices.Equal(got, c.want) || len(s.Problems) > 0 {
			t.Errorf("%s: %q %+v", c.file, got, s.Problems)
		}
	}
}

// TestDetails: which tests failed, on what, and the solution.
func TestDetails(t *testing.T) {
	s := readtest.File(t, Read, "testdata/eval_results.json")
	first := s.Trials[0]
	if want := "plus tests: failed on [[1.0,1.2],0.3]"; first.Message != want || first.Output != "def near(numbers, threshold):\n    return False\n" {
		t.Errorf("%q, want %q; %q", first.Message, want, first.Output)
	}
	want := []envelope.Check{{Name: "base", Status: envelope.Pass}, {Name: "plus", Status: envelope.Fail, Reason: "failed on [[1.0,1.2],0.3]"}}
	if !slices.Equal(first.Checks, want) {
		t.Errorf("%+v", first.Checks)
	}
	if base := s.Trials[3]; base.Message != `base tests: failed on ["() ()"]` || len(base.Checks) != 1 {
		t.Errorf("%+v", base)
	}
	if took := s.Trials[2]; took.Message != "base tests: took too long" {
		t.Errorf("%q", took.Message)
	}
}

// TestUnknown: what is no pass does not pass, whatever else it is, as in the sums of
// evalplus/evaluate.py; what has no status at all is told.
func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		eval        string
		lines, told []string
		reason      string
	}{
		{`{"A/1":[{"base_status":null,"plus_status":"pass"}]}`, []string{"A/1 #0 fail"}, nil, "the tests of the dataset have no status"},
		{`{"A/1":[{"base_status":"pass","plus_status":"skipped"}]}`, []string{"A/1 #0 fail"}, nil, "a status that nobody knows"},
		{`{"A/1":[{"base_status":"Pass"}]}`, []string{"A/1 #0 fail"}, nil, "in other letters"},
		{`{"A/1":[{"solution":"x"},{"base_status":"pass"}]}`, []string{"A/1 #1 pass"}, []string{"malformed-record 1:42"}, "a sample that was not run keeps its number"},
		{`{"A/1":{"base":[["success",[]],["success",[]]],"plus":[["success",[]]]}}`, nil, []string{"malformed-record 1:41"}, "one of two ran the added tests"},
		{`{"A/1":{"base":[[]],"plus":[]}}`, []string{"A/1 #0 fail"}, nil, "a result of nothing"},
		{`{"A/1":{"nfiles":0}}`, nil, []string{"malformed-record 1:41"}, "no samples"},
		{`{"1":[{"base_status":"pass"}]}`, []string{"1 #0 pass"}, nil, "a task without a dataset"},
		{`{"":[{"base_status":"pass"}]}`, []string{"(unnamed) #0 pass"}, nil, "a task without a name"},
		{`{"A/1":[{"base_status":"pass"}],"A/2":[{"ba`, []string{"A/1 #0 pass"}, []string{"truncated-line 1:78"}, "cut off"},
	} {
		s := readtest.Text(t, Read, `{"date":"2025","hash":"x","eval":`+c.eval+`}`)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzEvalPlus(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "{}", `{"date":"x","hash":"y","eval":{"A/0":{"base":[["success"]]}}}`)
}
