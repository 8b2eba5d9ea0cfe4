package bfcl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSamples: 3 of 5, and 2 of 3 tests failed, by the lines that say so.
func TestSamples(t *testing.T) {
	s := readtest.File(t, Read, "testdata/v4_simple_javascript_score_and_result.json")
	const suite = "simple_javascript/simple_javascript_"
	const model = " [openai_gpt-oss-120b] #0 "
	want := []string{suite + "0" + model + "fail", suite + "1" + model + "pass", suite + "2" + model + "fail", suite + "3" + model + "pass", suite + "9" + model + "fail"}
	if !slices.Equal(s.Lines(), want) || len(s.Problems) > 0 {
		t.Errorf("%q %+v", s.Lines(), s.Problems)
	}
	first := s.Trials[0]
	if first.Message != "Wrong number of functions." || first.DurationMS.V < 17022.6 || first.DurationMS.V > 17022.7 || first.Tokens.V != 220+1297 || first.ToolCalls != envelope.Some[int32](0) ||
		!slices.Equal(first.Labels, []envelope.Label{{Name: "error_type", Value: "simple_function_checker:wrong_count"}}) {
		t.Errorf("%+v", first)
	}
	if s.Trials[1].ToolCalls.V != 1 || s.Trials[1].Output != "" {
		t.Errorf("%+v", s.Trials[1])
	}
	s = readtest.File(t, Read, "testdata/v4_multi_turn_score_and_result.json")
	if s.Counts() != "3 tests, 3 trials: 1 pass, 2 fail, 0 error, 0 skip, 0 retries" || len(s.Problems) > 0 {
		t.Errorf("%s %+v", s.Counts(), s.Problems)
	}
	// the turns of multi_turn_base_0 took 6.018, 6.583, 4.928 and 7.978 seconds; 5 calls are left in the cut result
	if turns := s.Find(t, "multi_turn_base_0", 0); turns.Message != "Model response list is empty for turn 2" || turns.ToolCalls.V != 5 || turns.DurationMS.V < 25_500 || turns.DurationMS.V > 25_515 {
		t.Errorf("%+v", turns)
	}
}

const (
	failed  = `{"id":"a_0","model_name":"m","test_category":"a","valid":false,"error":["no"]}` + "\n"
	results = `{"id":"a_0","result":[]}` + "\n" + `{"id":"a_1","result":"x"}` + "\n"
)

func totals(correct, total int) string {
	return fmt.Sprintf(`{"accuracy":0.5,"correct_count":%d,"total_count":%d}`+"\n", correct, total)
}

// TestCounted: nothing is counted unless every test is known.
func TestCounted(t *testing.T) {
	refused := []string{"malformed-record 1:1"}
	both := []string{"a/a_0 [m] #0 fail", "a/a_1 [m] #0 pass"}
	cases := []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{totals(1, 2) + failed + results, both, nil, "the score file and its result file"},
		{totals(1, 2) + results + failed, both, nil, "in the other order"},
		{totals(1, 2) + failed, nil, refused, "which test passed is not said"},
		{totals(0, 1) + failed, []string{"a/a_0 [m] #0 fail"}, nil, "none passed, so nothing is missing"},
		{totals(2, 2) + results, []string{"a/a_0 #0 pass", "a/a_1 #0 pass"}, nil, "all passed"},
		{totals(2, 2), nil, refused, "all passed, and nobody says which"},
		{totals(1, 3) + failed + results, nil, refused, "two are said to have failed: the file is cut"},
		{totals(2, 3) + failed + results, nil, refused, "a result is missing"},
		{totals(1, 2) + failed + strings.Replace(results, "a_0", "b_0", 1), nil, refused, "results of another run"},
		{totals(3, 2) + failed, nil, refused, "more passed than there are"},
		{totals(1, 2) + failed + results + totals(1, 2) + failed + results, append(slices.Clone(both), "a/a_0 [m] #1 fail", "a/a_1 [m] #1 pass"), nil, "two runs"},
		{totals(1, 2) + failed + failed + results, both, nil, "the same line twice"},
		{totals(0, 1) + `{"id":"a_0","valid":false,"error":{"error_message":["no list"],"error_type":"k"},"model_result":"Error during inference: 400"}`, []string{"a/a_0 #0 error"}, nil, "no answer"},
		{totals(1, 2) + `{"id":"a_0","valid":true}` + "\n" + results, nil, []string{"malformed-record 2:1"}, "one that did not fail"},
		{results + totals(1, 2) + failed, nil, []string{"malformed-record 1:1", "malformed-record 2:1", "malformed-record 3:1"}, "results first"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q %+v", c.reason, s.Lines(), s.Problems)
		}
	}
}

// TestFolder: the result file is found where the leaderboard keeps it.
func TestFolder(t *testing.T) {
	for path, found := range map[string]bool{
		"../../../result/m/live/BFCL_v4_a_result.json": true, "../../result/m/BFCL_v3_a_result.json": true, "../../../result/other/live/BFCL_v4_a_result.json": false,
	} {
		s := &readtest.Sink{}
		err := ReadIn(strings.NewReader(totals(1, 2)+failed), s, func(asked string) (io.ReadCloser, error) {
			if asked != path {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(results)), nil
		})
		if err != nil || (len(s.Trials) == 2) != found || (len(s.Problems) == 0) != found {
			t.Errorf("%s: %v %q %+v", path, err, s.Lines(), s.Problems)
		}
	}
	s := &readtest.Sink{}
	outside := strings.Replace(failed, `"m"`, `"../../m"`, 1)
	err := ReadIn(strings.NewReader(totals(1, 2)+outside), s, func(asked string) (io.ReadCloser, error) {
		t.Errorf("a model that is a path leads to %s", asked)
		return nil, errors.New("no")
	})
	if err != nil || len(s.Trials) > 0 {
		t.Errorf("%v %q", err, s.Lines())
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzBFCL(f *testing.F) { readtest.Fuzz(f, Sniff, Read, totals(1, 2)+failed+results) }
