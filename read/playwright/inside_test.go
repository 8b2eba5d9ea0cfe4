package playwright

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestSteps(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_steps.json")
	first := []string{"open the shop: pass", "fill the cart: fail (Error: no candles left)", "fill the cart › pick a cake: pass", "fill the cart › pick a candle: fail (Error: no candles left)"}
	if got := s.Find(t, "buys a cake", 0); got.Status != envelope.Fail || !slices.Equal(readtest.Checks(got), first) || got.Attachments != nil {
		t.Errorf("%q %v", readtest.Checks(got), got.Attachments)
	}
	second := []string{"open the shop: pass", "fill the cart: pass", "fill the cart › pick a cake: pass", "fill the cart › pick a candle: pass", "pay: pass"}
	receipt := []envelope.Attachment{{Name: "receipt", MediaType: "text/plain"}} // its body stands in the report
	if got := s.Find(t, "buys a cake", 1); got.Status != envelope.Pass || !slices.Equal(readtest.Checks(got), second) || !reflect.DeepEqual(got.Attachments, receipt) {
		t.Errorf("%q %v", readtest.Checks(got), got.Attachments)
	}
	if got := s.Find(t, "soft", 0).Checks; len(got) != 2 || got[0].Status != envelope.Fail || got[1].Status != envelope.Pass || !strings.Contains(got[0].Reason, "Expected: ") {
		t.Errorf("%v", got)
	}
}

// TestAttachments: 21 results of the file end with an error-context.md, as grep
// counts, below the folder of the configuration.
func TestAttachments(t *testing.T) {
	n := 0
	for _, trial := range readtest.File(t, Read, sample).Trials {
		for _, a := range trial.Attachments {
			n++
			if a.Name != "error-context" || a.MediaType != "text/markdown" || !strings.HasPrefix(a.Path, "test-results/") || a.URL != "" {
				t.Errorf("%+v", a)
			}
		}
		if len(trial.Checks) > 0 {
			t.Errorf("%s has no steps: %v", trial.Test, trial.Checks)
		}
	}
	if n != 21 {
		t.Errorf("%d attachments", n)
	}
}

func TestInside(t *testing.T) {
	cases := []struct {
		more   string
		checks []string
		files  []envelope.Attachment
		reason string
	}{
		{`,"steps":[{"title":""},{"title":"a\nb","error":{}},{"title":"c","error":{"value":"7"}}]`, []string{"step: pass", "a: fail", "c: fail (7)"}, nil, "a step without a title, and errors that are no Error"},
		{`,"steps":null,"attachments":[{"name":"trace","contentType":"application/zip","path":"/elsewhere/trace.zip"},{"name":"shot","contentType":"image/png","path":"C:\\w\\shot.png"},{}]`, nil,
			[]envelope.Attachment{{Name: "trace", MediaType: "application/zip", Path: "/elsewhere/trace.zip"}, {Name: "shot", MediaType: "image/png", Path: "C:/w/shot.png"}}, "elsewhere, on Windows, and nothing"},
		{`,"steps":` + strings.Repeat(`[{"title":"s","steps":`, 150) + `[]` + strings.Repeat(`}]`, 150), nil, nil, "steps nested very deep"},
	}
	for i, c := range cases {
		s := readtest.Text(t, Read, report(ended("passed", c.more)))
		if len(s.Trials) != 1 || s.Trials[0].Status != envelope.Pass {
			t.Fatalf("%s: %v %v", c.reason, s.Lines(), s.Problems)
		}
		if i == 2 {
			if n := len(s.Trials[0].Checks); n != 101 {
				t.Errorf("%s: %d", c.reason, n)
			}
			continue
		}
		if !slices.Equal(readtest.Checks(s.Trials[0]), c.checks) || !reflect.DeepEqual(s.Trials[0].Attachments, c.files) {
			t.Errorf("%s: %q %+v", c.reason, readtest.Checks(s.Trials[0]), s.Trials[0].Attachments)
		}
	}
	odd := readtest.Text(t, Read, report(ended("passed", `,"steps":[{"title":7,"steps":{}}]`)))
	if len(odd.Trials) != 1 || len(odd.Problems) != 1 || odd.Problems[0].Code != "ignored-field" {
		t.Errorf("steps of another kind: %v %v", odd.Lines(), odd.Problems)
	}
}
