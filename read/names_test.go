package read

import (
	"os"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// counted reads inputs, by their names, as one run.
func counted(t *testing.T, roots []string, inputs map[string]string) *envelope.Run {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	for name, text := range inputs {
		StreamAs(b, name, strings.NewReader(text), Options{Roots: Roots(roots...)})
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
		inputs map[string]string
		trials int
		told   []envelope.Severity
		reason string
	}{
		{map[string]string{"job.json": job, "1/results.json": one, "2/results.json": two}, 2, []envelope.Severity{envelope.SeverityInfo}, "a folder as it is"},
		{map[string]string{"job.json": job, "2/results.json": two}, 2, []envelope.Severity{envelope.SeverityInfo}, "some trials have files"},
		{map[string]string{"1/results.json": one, "2/results.json": two}, 2, nil, "no file of the job"},
		{map[string]string{"1/results.json": one, "2/results.json": one}, 1, []envelope.Severity{envelope.SeverityWarning}, "a trial twice"},
		{map[string]string{"job.json": job, "again.json": job}, 2, []envelope.Severity{envelope.SeverityWarning}, "a job twice"},
	} {
		run := counted(t, nil, c.inputs)
		var told []envelope.Severity
		for _, p := range run.Problems {
			told = append(told, p.Severity)
		}
		if run.Tests[0].Rows.Len() != c.trials || !slices.Equal(told, c.told) {
			t.Errorf("%s: %d trials, %v, want %d and %v", c.reason, run.Tests[0].Rows.Len(), run.Problems, c.trials, c.told)
		}
	}
}

// TestCopiesOfARun: DeepEval writes one run as .latest_test_run.json and as
// .latest_run_full.json, which name no run: that they count twice is told. Two
// runs differ in how long they took.
func TestCopiesOfARun(t *testing.T) {
	var files [2]string
	for i, name := range []string{"latest_test_run.json", "latest_run_full.json"} {
		text, err := os.ReadFile("deepeval/testdata/" + name)
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
		other  string
		told   int
		reason string
	}{{files[1], 1, "one run in two files"}, {slower, 0, "another run"}, {`{"testCases":[],"conversationalTestCases":[]}`, 0, "a run of nothing"}} {
		run := counted(t, nil, map[string]string{"a.json": files[0], "b.json": c.other, "c.json": `{"testCases":[],"conversationalTestCases":[]}`})
		same := 0
		for _, p := range run.Problems {
			if p.Code == envelope.CodeSameInput && p.Severity == envelope.SeverityWarning && p.Count == 3 {
				same++
			}
		}
		if same != c.told {
			t.Errorf("%s: told %d times, want %d: %v", c.reason, same, c.told, run.Problems)
		}
	}
}
