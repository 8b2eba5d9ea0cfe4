package deepeval

import (
	"slices"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestMetrics(t *testing.T) {
	s := readtest.File(t, Read, "testdata/latest_run_full.json")
	for name, want := range map[string][]string{
		"test_case_0": {"Answer Relevancy: pass 0.75 (fine)"},
		"test_case_1": {"Answer Relevancy: fail 0.25 (off topic\nreally)", "Bias: pass 0"},
		"test_case_2": {"Bias: error (Request timed out.)"},
	} {
		if got := readtest.Checks(s.Find(t, name, 0)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	cases := []struct {
		metrics string
		want    []string
		reason  string
	}{
		{`[{"name":"A","success":false,"skipped":true,"score":null}]`, []string{"A: skip"}, "left out for want of its inputs"},
		{`[{"name":"A","score":null}]`, []string{"A: skip"}, "not measured"},
		{`[{"score":0.5}]`, []string{"metric:  0.5"}, "a score alone: the threshold of the run decides"},
		{`[{"name":["x"],"success":"yes"},5,null]`, []string{"metric: skip", "metric: skip", "metric: skip"}, "nothing that says anything"},
		{`"none"`, nil, "no list"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"testRunData":{"testCases":[{"name":"a","success":true,"metricsData":`+c.metrics+`}]}}`)
		if got := readtest.Checks(s.Trials[0]); s.Trials[0].Status != "pass" || !slices.Equal(got, c.want) {
			t.Errorf("%s: %s %q, want %q", c.reason, s.Trials[0].Status, got, c.want)
		}
	}
}
