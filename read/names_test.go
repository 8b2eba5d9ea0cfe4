package read_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
)

// counted reads inputs, by their names, as one run.
func counted(t *testing.T, roots []string, inputs map[string]string) *envelope.Run {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	for name, text := range inputs {
		read.StreamAs(b, name, strings.NewReader(text), read.Options{Roots: read.Roots(roots...)})
	}
	return b.Run(envelope.ConflictExtend, 5)
}

// TestVitestNames: one run of Vitest has the same tests in its JSON and in its
// JUnit report, so that a project may go from one to the other and keep its
// history.
func TestVitestNames(t *testing.T) {
	var tests [2][]envelope.Key
	for i, name := range []string{"jest/testdata/gen_vitest_retry_repeats.json", "junit/testdata/gen_vitest_retry_repeats.xml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range counted(t, []string{"/home/dev/shop"}, map[string]string{name: string(text)}).Tests {
			tests[i] = append(tests[i], test.Key)
		}
	}
	if len(tests[0]) != 7 || !slices.Equal(tests[0], tests[1]) {
		t.Errorf("JSON  %q\nJUnit %q", tests[0], tests[1])
	}
}

// TestJobBesideItsTrials: the file of a Terminal-Bench job and those of its trials
// are the same trials, which is no news; the same file twice is.
func TestJobBesideItsTrials(t *testing.T) {
	const one = `{"uuid":"u1","trial_name":"a","task_id":"a","instruction":"x","is_resolved":true,"failure_mode":"unset"}`
	const two = `{"uuid":"u2","trial_name":"a","task_id":"a","instruction":"x","is_resolved":false,"failure_mode":"unset"}`
	const job = `{"id":"j","results":[` + one + "," + two + `],"n_resolved":1}`
	for _, c := range []struct {
		inputs   map[string]string
		trials   int
		reported []envelope.Severity
		reason   string
	}{
		{map[string]string{"job.json": job, "1/results.json": one, "2/results.json": two}, 2, []envelope.Severity{envelope.SeverityInfo}, "a folder as it is"},
		{map[string]string{"job.json": job, "2/results.json": two}, 2, []envelope.Severity{envelope.SeverityInfo}, "some trials have files"},
		{map[string]string{"1/results.json": one, "2/results.json": two}, 2, nil, "no file of the job"},
		{map[string]string{"1/results.json": one, "2/results.json": one}, 1, []envelope.Severity{envelope.SeverityWarning}, "a trial twice"},
		{map[string]string{"job.json": job, "again.json": job}, 2, []envelope.Severity{envelope.SeverityWarning}, "a job twice"},
	} {
		run := counted(t, nil, c.inputs)
		var reported []envelope.Severity
		for _, p := range run.Problems {
			reported = append(reported, p.Severity)
		}
		if run.Tests[0].Rows.Len() != c.trials || !slices.Equal(reported, c.reported) {
			t.Errorf("%s: %d trials, %v, want %d and %v", c.reason, run.Tests[0].Rows.Len(), run.Problems, c.trials, c.reported)
		}
	}
}

// TestCopiesOfARun: DeepEval writes one run as .latest_test_run.json and as
// .latest_run_full.json, which name no run: that they count twice is told. Two
// runs differ in how long they took.
func TestCopiesOfARun(t *testing.T) {
	var files [2]string
	for i, name := range []string{"latest_test_run.json", "latest_run_full.json"} {
		text, err := os.ReadFile("flat/testdata/deepeval/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(text)
	}
	slower := strings.Replace(files[1], `"runDuration": 2.5`, `"runDuration": 2.501`, 1)
	if slower == files[1] {
		t.Fatal("the sample has no such duration")
	}
	for _, c := range []struct {
		other    string
		reported int
		reason   string
	}{{files[1], 1, "one run in two files"}, {slower, 0, "another run"}, {`{"testCases":[],"conversationalTestCases":[]}`, 0, "a run of nothing"}} {
		run := counted(t, nil, map[string]string{"a.json": files[0], "b.json": c.other, "c.json": `{"testCases":[],"conversationalTestCases":[]}`})
		same := 0
		for _, p := range run.Problems {
			if p.Code == envelope.CodeSameInput && p.Severity == envelope.SeverityWarning && p.Count == 3 {
				same++
			}
		}
		if same != c.reported {
			t.Errorf("%s: told %d times, want %d: %v", c.reason, same, c.reported, run.Problems)
		}
	}
}

// TestRoots: the same test has the same name wherever its repository was checked
// out, and nothing else changes.
func TestRoots(t *testing.T) {
	report := func(root string) string {
		return `{"numTotalTestSuites":1,"numTotalTests":1,"success":true,"testResults":[{"name":"` + root + `/src/a.test.js","status":"passed","startTime":1,"endTime":2,"message":"",` +
			`"assertionResults":[{"ancestorTitles":["cart"],"fullName":"cart adds","title":"adds","status":"passed","duration":3,"failureMessages":[]}]}]}`
	}
	for _, c := range []struct {
		reason, checkout string
		roots            []string
		file             string
	}{
		{"below a root", "/home/ana/shop", []string{"/home/ana/shop"}, "src/a.test.js"},
		{"with a slash behind it", "/home/ana/shop", []string{"/home/ana/shop/"}, "src/a.test.js"},
		{"below the second", "/builds/shop", []string{"/home/ana/shop", "/builds/shop"}, "src/a.test.js"},
		{"below another", "/home/bob/shop", []string{"/home/ana/shop"}, "/home/bob/shop/src/a.test.js"},
		{"beside one of which it has the beginning", "/home/ana/shop-2", []string{"/home/ana/shop"}, "/home/ana/shop-2/src/a.test.js"},
		{"the root of the machine is none", "/home/ana", []string{"/", "", "."}, "/home/ana/src/a.test.js"},
	} {
		b := count.NewBuilder(5, 0.5)
		read.StreamAs(b, "jest.json", strings.NewReader(report(c.checkout)), read.Options{Roots: read.Roots(c.roots...)})
		run := b.Run(envelope.ConflictExtend, 5)
		if len(run.Tests) != 1 || run.Tests[0].File != c.file || !strings.HasPrefix(run.Tests[0].Suite, c.file) {
			t.Errorf("%s: %+v, want file %s", c.reason, run.Tests, c.file)
		}
	}
	if got := read.Within(`C:\w\shop\src\a.test.js`, []string{`C:\w\shop`}); got != `src\a.test.js` {
		t.Errorf("on Windows: %s", got)
	}
	if got := read.Roots(`C:\`); slices.Contains(got, "C:") {
		t.Errorf("a drive is a root: %q", got)
	}
}

func TestByName(t *testing.T) {
	cases := []struct{ name, part, reason string }{
		{"natve", "did you mean native?", "a letter is missing"},
		{"taubench", "did you mean tau-bench", "a sign is missing"},
		{"junit-xml-report", "use one of ", "nothing is near"},
		{"PyTest", "it is a runner; leave out --from, and read its report: pytest --junit-xml report.xml", "a runner"},
		{"nextest", "target/nextest/ci/junit.xml", "a runner that another one starts"},
		{"", "use one of", "no name"},
		{strings.Repeat("n", 10<<20), "use one of", "a name of 10 MB"},
		{"\x1b[31m", `"\x1b[31m"`, "a hostile name"},
	}
	for _, c := range cases {
		_, err := read.ByName(c.name)
		if err == nil || !strings.Contains(err.Error(), c.part) || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

func TestDetect(t *testing.T) {
	cases := []struct {
		head, want, reason string
	}{
		{"", "native", "an empty input is a stream without trials"},
		{"\uFEFF \r\n\t", "native", "so are blanks"},
		{"\uFEFF" + `{"test":"a","status":"pass"}`, "native", "a byte order mark"},
		{`{"schema":"tribunal/envelope/v1","type":"header"}` + "\n" + `{"type":"test","test":"a","status":"pass"}`, "envelope", "the lines of an envelope look like trials"},
		{`[{"task_id":0,"reward":1,"trial":0}]`, "tau-bench", "an array"},
		{"{\"schema\":\"tribunal/envelope/v1\",\n \"tests\":[\n  {\"suite\":\"s\",\"test\":\"a\",\"status\":\"pass\"},\n", "envelope", "a document whose lines look like trials, cut"},
		{"hello", "", "a text"},
		{"<coverage/>", "", "XML of another kind"},
		{"\x00\x01\x02", "", "no text"},
	}
	for _, c := range cases {
		f, ok := read.Detect([]byte(c.head))
		if f.Name != c.want || ok != (c.want != "") {
			t.Errorf("Detect(%q) = %s, %v, want %s: %s", c.head, f.Name, ok, c.want, c.reason)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range samples() {
		f.Add(firstBytes(f, s))
	}
	f.Add([]byte("\uFEFF[{\"task_id\":"))
	f.Fuzz(func(t *testing.T, head []byte) {
		found, ok := read.Detect(head)
		if ok != (found.Name != "") {
			t.Errorf("%q, %v", found.Name, ok)
		}
		claims := 0
		for _, format := range read.Formats {
			if format.Sniff(head) {
				claims++
			}
		}
		if claims > 1 && !strings.Contains(string(head), "tribunal/") {
			t.Errorf("%d formats claim %q", claims, head)
		}
	})
}
