package cerberus

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// outcomes are those of the trials of each test, in their order.
func outcomes(s *readtest.Sink) map[string]string {
	of := map[string]string{}
	for _, t := range s.Trials {
		of[t.Suite+"/"+t.Test] += strings.ToUpper(string(t.Status)[:1])
	}
	return of
}

func TestRun(t *testing.T) {
	s := readtest.File(t, Read, "testdata/run.json")
	want := map[string]string{
		"code-review-quality/exits-cleanly":       strings.Repeat("P", 15),
		"code-review-quality/produces-valid-json": "F" + strings.Repeat("P", 20), // 20 of 21, the last a pass: it passed there
		"code-review-quality/reads-well":          "PFFF",                        // the rate that was judged, 1 of 4, and the last a fail
		"code-review-quality/is-kind":             "S",
		"abort-test/always-passes":                "PPPPE",
	}
	if got := outcomes(s); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if told := s.Told(); !slices.Equal(told, []string{"aggregated 5:5"}) {
		t.Errorf("%q", told)
	}
	over := s.Find(t, "always-passes", 4)
	if over.ErrorClass != "max-error-rate" || !strings.Contains(over.Message, "5 of 5") {
		t.Errorf("%+v", over)
	}
	if labels := s.Find(t, "reads-well", 0).Labels; len(labels) != 1 || labels[0].Name != "gating" || labels[0].Value != "false" {
		t.Errorf("%v: a contract that gates nothing there says so", labels)
	}
}

// TestArticle holds the record of the article to its own numbers: 23 of 24 are 95.8 %.
func TestArticle(t *testing.T) {
	s := readtest.File(t, Read, "testdata/article.json")
	if len(s.Trials) != 0 || len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Message, "a rate of 0.96 is not possible with 24 trials") {
		t.Errorf("%v %v", s.Trials, s.Problems)
	}
}

func TestShapes(t *testing.T) {
	cases := []struct {
		contract string
		want     string
		told     []string
		reason   string
	}{
		{`{"name":"a","status":"inconclusive","observedRate":0.5,"trialsEvaluated":4}`, "FPFP", nil, "spread evenly"},
		{`{"name":"a","status":"fail","observedRate":0,"trialsEvaluated":3}`, "FFF", nil, "none held"},
		{`{"name":"a","status":"pass","observedRate":0.3333333333333333,"trialsEvaluated":3}`, "FFP", nil, "a third, as a double has it"},
		{`{"name":"a","observedRate":1.5,"trialsEvaluated":3}`, "", []string{"malformed-record 1:31"}, "no rate"},
		{`{"name":"a","observedRate":1}`, "", []string{"malformed-record 1:31"}, "no count"},
		{`{"name":"a","observedRate":1,"trialsEvaluated":2.5}`, "", []string{"malformed-record 1:31"}, "half a trial"},
		{`{"name":"a","observedRate":1,"trialsEvaluated":100001}`, "", []string{"malformed-record 1:31"}, "a number that asks for anything"},
		{`{"name":"a","observedRate":1,"trialsEvaluated":9e18}`, "", []string{"malformed-record 1:31"}, "one that no machine could take"},
		{`{"observedRate":1,"trialsEvaluated":2}`, "", []string{"malformed-record 1:31"}, "no name"},
		{`5`, "", []string{"malformed-record 1:31"}, "no contract"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, `{"status":"pass","studies":  [{"name":"s","contracts":[`+c.contract+`]}]}`)
		told := slices.DeleteFunc(s.Told(), func(word string) bool {
			return strings.HasPrefix(word, codeAggregated) || strings.HasPrefix(word, "ignored")
		})
		if got := outcomes(s)["s/a"]; got != c.want || !slices.Equal(told, c.told) {
			t.Errorf("%s: %q, want %q; %v", c.reason, got, c.want, s.Problems)
		}
	}
}

func TestCut(t *testing.T) {
	const whole = `{"name":"s","contracts":[{"name":"a","status":"pass","observedRate":1,"trialsEvaluated":2}]}`
	s := readtest.Text(t, Read, `{"status":"pass","studies":[`+whole+`,{"name":"u","contr`)
	if got := outcomes(s); len(s.Trials) != 2 || got["s/a"] != "PP" || !slices.ContainsFunc(s.Told(), func(w string) bool { return strings.HasPrefix(w, "truncated-line") }) {
		t.Errorf("%v %v: what is whole is kept, and the cut is told", got, s.Told())
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{`{"version":1,"status":"pass","studies":[{"na`, true, "a run, cut"},
		{`{"status":"pass","studies":[]}`, true, "that of the article, without a version"},
		{`{"studies":[]}`, false, "studies of anything"},
		{`[{"status":"pass","studies":[]}]`, false, "in an array"},
		{`{"version":1,"status":"success","eval":{},"plan":{}}`, false, "Inspect"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzCerberus(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }
