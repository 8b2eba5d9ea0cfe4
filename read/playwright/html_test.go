package playwright

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// pageOf is a page with these documents, by name.
func pageOf(t *testing.T, documents ...string) string {
	t.Helper()
	var all bytes.Buffer
	z := zip.NewWriter(&all)
	for i := 0; i < len(documents); i += 2 {
		w, err := z.Create(documents[i])
		if err == nil {
			_, err = w.Write([]byte(documents[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return "<!DOCTYPE html>\n<html><head>" + title + "<script>const zip = '" + zipText + "'</script></head></html>\n<script>\nwindow.playwrightReportBase64 = \"" +
		zipText + base64.StdEncoding.EncodeToString(all.Bytes()) + "\";</script>"
}

// shownTests is the document of a file with tests that ended so, each of a list of results.
func shownTests(tests ...string) string {
	return `{"fileId":"1","fileName":"a.ts","tests":[` + strings.Join(tests, ",") + `]}`
}

func TestHTMLShapes(t *testing.T) {
	one := func(outcome, results string) string {
		return `{"title":"t","projectName":"p","path":[],"outcome":"` + outcome + `","results":[` + results + `]}`
	}
	const failed, passed, run = `{"status":"failed","errors":["Error: no"]}`, `{"status":"passed","errors":[]}`, `{"stats":{"total":1},"errors":[]}`
	for _, c := range []struct {
		documents      []string
		want, reported []string
		reason         string
	}{
		{[]string{"1.json", shownTests(one("expected", failed)), summaryName, run}, []string{"a.ts/t [p] #0 pass failed"}, nil, "a test that is to fail, and does"},
		{[]string{"1.json", shownTests(one("unexpected", passed)), summaryName, run}, []string{"a.ts/t [p] #0 fail passed"}, nil, "a test that is to fail, and passes"},
		{[]string{"1.json", shownTests(one("unexpected", passed+`,{"retry":1,"status":"timedOut","errors":["Test timeout"]}`)), summaryName, run}, []string{"a.ts/t [p] #0 fail passed", "a.ts/t [p] #1 fail timedOut timeout retry"}, nil, "a test that is to fail, passes, and takes too long"},
		{[]string{"1.json", shownTests(one("flaky", failed+`,{"retry":1,"status":"passed"}`)), summaryName, run}, []string{"a.ts/t [p] #0 fail failed", "a.ts/t [p] #1 pass passed retry"}, nil, "flaky"},
		{[]string{"1.json", shownTests(one("flaky", passed+`,{"retry":1,"status":"failed"}`)), summaryName, run}, []string{"a.ts/t [p] #0 fail passed", "a.ts/t [p] #1 pass failed retry"}, nil, "flaky, and to fail"},
		{[]string{"1.json", shownTests(one("skipped", `{"status":"interrupted"}`)), summaryName, run}, []string{"a.ts/t [p] #0 error interrupted infrastructure"}, nil, "interrupted, which the page calls skipped"},
		{[]string{"1.json", shownTests(one("skipped", "")), summaryName, run}, []string{"a.ts/t [p] #0 skip", "[run] #0 error infrastructure"}, nil, "no result: the run was stopped before it"},
		{[]string{"1.json", shownTests(`{"title":"t","projectName":"p","path":[],"outcome":"skipped","annotations":[{"type":"fixme"}],"results":[]}`), summaryName, run}, []string{"a.ts/t [p] #0 skip"}, nil, "no result of a test that is to be skipped"},
		{[]string{"1.json", shownTests(`{"projectName":"p","path":[],"outcome":"expected","results":[` + passed + `]}`), summaryName, `{"stats":{"total":0}}`}, nil, []string{"malformed-record 1:42"}, "no title"},
		{[]string{"1.json", shownTests(one("expected", `{"status":"nice"}`)), summaryName, run}, nil, []string{"malformed-record 1:41"}, "a status that Playwright does not have"},
		{[]string{summaryName, `{"stats":{"total":0},"errors":["Error: setup broke",{"message":"Error: and teardown"}]}`}, []string{"[run] #0 error pre-validation", "[run] #1 error pre-validation"}, nil, "errors outside of tests, as texts and as objects"},
		{[]string{"1.json", shownTests(one("expected", passed)), summaryName, `{"stats":{"total":3}}`}, []string{"a.ts/t [p] #0 pass passed"}, []string{"unreadable-input 1:1"}, "two tests are gone"},
		{[]string{"1.json", shownTests(one("expected", passed))}, []string{"a.ts/t [p] #0 pass passed"}, []string{"unreadable-input 1:1"}, "no document of the run"},
		{[]string{"1.json", shownTests(one("expected", passed))[:90], summaryName, `{"stats":{"total":0}}`}, nil, []string{"unreadable-input 1:91"}, "a document that is cut off"},
	} {
		s := readtest.Text(t, ReadHTML, pageOf(t, c.documents...))
		if !slices.Equal(s.Lines(), c.want) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s:\n got %q %q\nwant %q %q", c.reason, s.Lines(), s.Problems, c.want, c.reported)
		}
	}
}

func TestHTMLBroken(t *testing.T) {
	whole := pageOf(t, summaryName, `{}`)
	for reason, text := range map[string]string{"cut off": whole[:len(whole)-60], "no zip": strings.ReplaceAll(whole, zipText, "data:"), "no base64": strings.Replace(whole, `UEs`, `U§s`, 1)} {
		if s := readtest.Text(t, ReadHTML, text); len(s.Trials) > 0 || !slices.Equal(s.Reported(), []string{"unreadable-input 1:1"}) {
			t.Errorf("%s: %q %q", reason, s.Lines(), s.Problems)
		}
	}
	if !SniffHTML([]byte(whole)) || SniffHTML([]byte("<!DOCTYPE html><title>Report</title>")) || SniffHTML([]byte("x"+title)) {
		t.Error("a page of Playwright is told by its title")
	}
}
