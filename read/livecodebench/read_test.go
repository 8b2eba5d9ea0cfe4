package livecodebench

import (
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: counted by hand.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		file string
		want []string
	}{
		{"testdata/Scenario.codegeneration_2_0.2_eval_all.json", []string{"1873_A #0 pass", "1873_A #1 fail", "3024 #0 fail timeout", "3024 #1 fail"}},
		{"testdata/Scenario.codeexecution_1_0.2_eval_all.json", []string{"sample_0 #0 pass", "sample_1 #0 fail"}},
	} {
		s := readtest.File(t, Read, c.file)
		if got := s.Lines(); !slices.Equal(got, c.want) || len(s.Problems) > 0 {
			t.Errorf("%s: %q %+v", c.file, got, s.Problems)
		}
	}
}

// TestDetails: why a solution failed, in the words of its grader, and the solution.
func TestDetails(t *testing.T) {
	s := readtest.File(t, Read, "testdata/Scenario.codegeneration_2_0.2_eval_all.json")
	for i, want := range []string{"", "Wrong answer at output_line_idx=0: NO != YES", "Time Limit Exceeded", "Wrong Answer: 25 != 30"} {
		if s.Trials[i].Message != want {
			t.Errorf("trial %d: %q, want %q", i, s.Trials[i].Message, want)
		}
	}
	if failed := s.Trials[1]; failed.Output != "print('NO')" || !slices.Equal(failed.Labels, []envelope.Label{{Name: "difficulty", Value: "easy"}, {Name: "platform", Value: "codeforces"}}) {
		t.Errorf("%+v", failed)
	}
}

// TestShapes: what has no grade is no pass; what nobody graded is told.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{`[{"question_id":"a","test_id":0,"graded_list":[true]},{"question_id":"a","test_id":1,"graded_list":[false]}]`,
			[]string{"a [test 0] #0 pass", "a [test 1] #0 fail"}, nil, "outputs to be foretold: several tests to a question"},
		{`[{"question_id":"a","graded_list":[true]},{"question_id":"a","graded_list":[false]}]`, []string{"a #0 pass", "a #1 fail"}, nil, "a question that comes again goes on"},
		{`[{"question_id":"a","graded_list":[null,1]}]`, []string{"a #0 error", "a #1 error"}, []string{"ignored-field 1:2"}, "no grades: a sample without one is no pass, as pass@k has it among its samples"},
		{`[{"question_id":"a","graded_list":[]}]`, nil, []string{"malformed-record 1:2"}, "no sample"},
		{`[{"question_id":"a","output_list":["x"],"code_list":["x"]}]`, nil, []string{"malformed-record 1:2"}, "not graded yet"},
		{`[{"graded_list":[true]}]`, nil, []string{"malformed-record 1:2"}, "nobody knows of what"},
		{`[{"question_id":"a","graded_list":[false],"metadata":["{"]},{"question_id":"b","graded_list":[false],"metadata":"x"}]`, []string{"a #0 fail", "b #0 fail"}, nil, "no reason that can be read"},
		{`[{"question_id":"a","graded_list":[true]},{"question_id":"b","gr`, []string{"a #0 pass"}, []string{"truncated-line 1:65"}, "cut off"},
	} {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
}

// TestSniff: the statement of a problem may be longer than the head, so that the grades are
// not in it; what LiveCodeBench writes before it graded is known as well, so that it can say so.
func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		`[{"question_title":"t","question_content":"c","platform":"leetcode","question_id":"1","contest_id":"2","contest_date":"2023"`: true,
		`[{"question_id":1,"graded_list":[true]}]`:                          true,
		`[{"question_id":1,"contest_id":2,"contest_date":"2023-06-13"}]`:    false,
		`{"question_id":1,"graded_list":[true]}`:                            false,
		`[{"question_id":"1","question":"what","answer":"that","score":1}]`: false,
	} {
		if Sniff([]byte(text)) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzLiveCodeBench(f *testing.F) {
	readtest.Fuzz(f, Sniff, Read, "[{}]", `[{"question_id":"a","graded_list":[true,false],"metadata":["{\"error_code\":-3}"]}]`)
}
