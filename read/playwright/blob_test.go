package playwright

import (
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

func TestBlobOddSteps(t *testing.T) {
	const begin = `{"method":"onBlobReportMetadata","params":{"version":2}}` + "\n" +
		`{"method":"onProject","params":{"project":{"name":"p","suites":[{"title":"a.ts","entries":[{"testId":"1","title":"t"}]}]}}}` + "\n" +
		`{"method":"onTestBegin","params":{"testId":"1","result":{"id":"r","retry":0,"startTime":5}}}` + "\n"
	const end = `{"method":"onTestEnd","params":{"test":{"testId":"1","expectedStatus":"passed"},"result":{"id":"r","status":"passed"}}}` + "\n" + `{"method":"onEnd","params":{}}`
	step := func(method, more string) string {
		return `{"method":"onStep` + method + `","params":{"testId":"1","resultId":"r","step":` + more + "}}\n"
	}
	large := strings.Repeat("x", 3<<20)
	var many strings.Builder
	for range 12 {
		many.WriteString(`{"method":"onStdIO","params":{"testId":"1","resultId":"r","data":"` + large + "\"}}\n")
	}
	for _, c := range []struct {
		text     string
		want     []string
		reported []string
		reason   string
	}{
		{begin + step("Begin", `{"id":"a","category":"test.step"}`) + step("End", `{"id":"a","duration":1}`) + end, []string{"step: pass"}, nil, "no title"},
		{begin + step("End", `{"id":"a","duration":1}`) + step("Begin", `7`) + step("Begin", `{"id":"b","parentStepId":"gone","title":"b","category":"expect"}`) + end, nil, nil, "an end alone, what is no step, and a parent nobody began"},
		{begin + step("Begin", `{"id":"a","parentStepId":"a","title":"a","category":"test.step"}`) + end, nil, nil, "its own parent"},
		{strings.Replace(begin, `"id":"r"`, `"id":"q"`, 1) + step("Begin", `{"id":"a","title":"a","category":"test.step"}`) + end, nil, nil, "of a result that did not begin"},
		{begin + many.String() + step("Begin", `{"id":"a","title":"a","category":"test.step"}`) + end, nil, []string{"ignored-field 15:1"}, "more than is kept is said"},
	} {
		s := readtest.Text(t, ReadBlob, c.text)
		if len(s.Trials) == 0 || !slices.Equal(readtest.Checks(s.Trials[0]), c.want) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: %v %.300q %q", c.reason, s.Lines(), readtest.Checks(s.Trials[0]), s.Reported())
		}
	}
}
