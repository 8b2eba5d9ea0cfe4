package oaiapi

import (
	"reflect"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestSample: row 6 was tried twice, row 7 got no answer; the page says that it is not the
// last. 1743092076 is 16:14:36 on the 27th of March 2025.
func TestSample(t *testing.T) {
	s := readtest.File(t, Read, "testdata/page.json")
	want := []string{"item 5 [gpt-4o-mini-2024-07-18] #0 pass", "item 6 [gpt-4o-mini-2024-07-18] #0 fail", "item 7 [gpt-4o-mini-2024-07-18] #0 error infrastructure", "item 6 [gpt-4o-mini-2024-07-18] #1 pass"}
	if !slices.Equal(s.Lines(), want) || !slices.Equal(s.Told(), []string{"more-pages 108:15"}) {
		t.Errorf("%q %+v", s.Lines(), s.Problems)
	}
	h := envelope.Header{ID: "evalrun_67abd54d60ec8190832b46859da808f7", Name: "eval_67abd54d9b0081909a86353f6fb9317a", StartedAt: "2025-03-27T16:14:36Z"}
	if !reflect.DeepEqual(s.Headers, []envelope.Header{h}) {
		t.Errorf("%+v", s.Headers)
	}
	first, failed, broken := s.Trials[0], s.Trials[1], s.Trials[2]
	if first.Score != envelope.Some(1.0) || first.Tokens != envelope.Some[int64](325) || len(first.Transcript) != 3 || first.Output != "" {
		t.Errorf("%+v", first)
	}
	if failed.Message != "String check: score 0" || failed.Output != "Business" || failed.Score.OK || !slices.Equal(readtest.Checks(failed), []string{"String check: fail 0", "Judge: pass 0.8"}) {
		t.Errorf("%+v", failed)
	}
	if broken.Message != "rate_limit_exceeded: Rate limit reached" || broken.Tokens.OK {
		t.Errorf("%+v", broken)
	}
}

func TestShapes(t *testing.T) {
	const start = `{"object":"eval.run.output_item","run_id":"r","eval_id":"e","datasource_item_id":1,`
	const passed, failed = `{"name":"a","passed":true}`, `{"name":"b","passed":false,"score":0.5,"reason":"too long\nby far"}`
	cases := []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{start + `"status":"pass","results":[]}` + "\n" + start + `"status":"fail","results":[]}`, []string{"item 1 #0 pass", "item 1 #1 fail"}, nil, "an item a line"},
		{"[" + start + `"status":"failed","results":[]},` + start + `"status":"passed","results":[]}]`, []string{"item 1 #0 fail", "item 1 #1 pass"}, nil, "a list of items, and words of a client"},
		{start + `"status":"completed","results":[` + passed + `,` + failed + `]}`, []string{"item 1 #0 fail completed"}, nil, "a status that says nothing: the graders do"},
		{start + `"status":"completed","results":[` + passed + `]}`, []string{"item 1 #0 pass completed"}, nil, "all of them passed"},
		{start + `"status":"completed","results":[{"name":"a","score":1}]}`, []string{"item 1 #0 error completed pre-validation"}, nil, "a score that nobody judged is no pass"},
		{start + `"status":"completed","results":[` + passed + `],"sample":{"error":{"message":"Request timed out"}}}`, []string{"item 1 #0 error timeout"}, nil, "no answer"},
		{start + `"status":"pass","results":[{"passed":"yes"},5]}`, []string{"item 1 #0 pass"}, []string{"ignored-field 1:1"}, "results that are none"},
		{`{"object":"eval.run.output_item","status":"pass","results":[]}`, nil, []string{"malformed-record 1:1"}, "of no row"},
		{`{"object":"list","data":[` + start + `"status":"pass","results":[]}],"has_more":false}`, []string{"item 1 #0 pass"}, nil, "the last page"},
		{`{"object":"list","data":[` + start + `"status":"pass","results":[]},` + start, []string{"item 1 #0 pass"}, []string{"truncated-line 1:222"}, "cut off"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !Sniff([]byte(c.text)) || !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q, %q %v", c.reason, s.Lines(), s.Told(), s.Problems)
		}
	}
	s := readtest.Text(t, Read, start+`"status":"fail","results":[`+failed+`]}`)
	if trial := s.Trials[0]; trial.Message != "b: score 0.5, too long" || trial.Score != envelope.Some(0.5) {
		t.Errorf("%+v", trial)
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzOAIAPI(f *testing.F) { readtest.Fuzz(f, Sniff, Read) }
