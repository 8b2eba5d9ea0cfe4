package read_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read"
	"tribunal/read/internal/readtest"
)

// TestARunThatFailedIsNotGreen: a report that says of its run that it failed, and none of
// whose tests did, has an error beside them; the same report of a run that passed has none.
// One with fewer results than it counts is an error of the input.
func TestARunThatFailedIsNotGreen(t *testing.T) {
	const (
		cucumber = `{"meta":{"protocolVersion":"22.0.0","implementation":{"name":"cucumber-js"}}}
{"pickle":{"id":"p","uri":"a.feature","name":"a","language":"en","steps":[],"tags":[],"astNodeIds":[]}}
{"testCase":{"id":"c","pickleId":"p","testSteps":[]}}
{"testRunStarted":{"timestamp":{"seconds":1,"nanos":0}}}
{"testCaseStarted":{"id":"s","testCaseId":"c","attempt":0,"timestamp":{"seconds":1,"nanos":0}}}
{"testCaseFinished":{"testCaseStartedId":"s","timestamp":{"seconds":1,"nanos":0},"willBeRetried":false}}
{"testRunFinished":{"success":true,"timestamp":{"seconds":1,"nanos":0}}}`
		bazel = `{"id":{"started":{}},"children":[],"started":{"uuid":"u","command":"test"}}
{"id":{"testResult":{"label":"//a:t","run":1,"shard":1,"attempt":1}},"testResult":{"status":"PASSED"}}
{"id":{"buildFinished":{}},"finished":{"exitCode":{"name":"SUCCESS","code":0}},"lastMessage":true}`
		reportlog = `{"pytest_version":"8.0.0","$report_type":"SessionStart"}
{"nodeid":"a.py::t","outcome":"passed","when":"setup","keywords":{},"sections":[],"duration":1,"$report_type":"TestReport"}
{"nodeid":"a.py::t","outcome":"passed","when":"call","keywords":{},"sections":[],"duration":1,"$report_type":"TestReport"}
{"nodeid":"a.py::t","outcome":"passed","when":"teardown","keywords":{},"sections":[],"duration":1,"$report_type":"TestReport"}
{"exitstatus":0,"$report_type":"SessionFinish"}`
		vitest     = `<testsuites name="vitest tests" tests="1" failures="0" errors="0" time="0.0027"><testsuite name="a.test.js" timestamp="2026-11-25T08:19:53.312Z" hostname="vm" tests="1" failures="0" errors="0" skipped="0" time="0.0027"><testcase classname="a.test.js" name="a" time="0.0027"></testcase></testsuite></testsuites>`
		playwright = `<testsuites id="" name="" tests="2" failures="0" skipped="1" errors="0" time="1.5"><testsuite name="a.spec.ts" timestamp="2026-11-25T08:23:10.227Z" hostname="" tests="2" failures="0" skipped="1" time="0.004" errors="0"><testcase name="a" classname="a.spec.ts" time="0.004"></testcase><testcase name="c" classname="a.spec.ts"><properties><property name="skip" value=""></property></properties><skipped></skipped></testcase></testsuite></testsuites>`
		libtest    = `{"type":"suite","event":"started","test_count":1}
{"type":"test","event":"started","name":"a"}
{"type":"test","name":"a","event":"ok"}
{"type":"suite","event":"ok","passed":1,"failed":0}`
		jest      = `{"numTotalTestSuites":1,"numTotalTests":1,"success":true,"wasInterrupted":false,"testResults":[{"assertionResults":[{"title":"a","status":"passed"}],"name":"a.js","status":"passed"}]}`
		pytest    = `{"created":1700000000.0,"exitcode":0,"root":"/x","environment":{},"tests":[{"nodeid":"a.py::t","outcome":"passed","setup":{"outcome":"passed"},"call":{"outcome":"passed"},"teardown":{"outcome":"passed"}}]}`
		promptfoo = `{"evalId":"e","results":{"version":3,"results":[{"promptIdx":0,"testIdx":0,"success":true,"score":1,"testCase":{"description":"a"},"vars":{},"prompt":{"raw":"x"},"provider":{"id":"echo"}}],"stats":{"successes":1,"failures":0,"errors":0}}}`
	)
	for _, c := range []struct {
		format, text, pass, fail string // what a run that passed says, and one that failed
	}{
		{"junit", `<testsuites failures="0"><testsuite name="s" failures="0"><testcase name="a"/></testsuite></testsuites>`, `name="s" failures="0"`, `name="s" failures="1"`},
		{"junit", vitest, `time="0.0027"`, `time="0"`},                                                   // 4.1.12, its worker killed
		{"junit", playwright, `<properties><property name="skip" value=""></property></properties>`, ``}, // 1.40 to 1.65, stopped by globalTimeout or a signal
		{"trx", `<TestRun id="1"><Results><UnitTestResult testName="a" outcome="Passed"/></Results><ResultSummary outcome="Completed"/></TestRun>`, "Completed", "Failed"},
		{"nunit", `<test-run result="Passed"><test-suite type="TestFixture" name="F" result="Passed"><test-case name="a" result="Passed"/></test-suite></test-run>`, `<test-run result="Passed">`, `<test-run result="Failed">`},
		{"catch2", `<Catch2TestRun name="p"><TestCase name="a"><OverallResult success="true"/></TestCase><OverallResultsCases successes="1" failures="0"/></Catch2TestRun>`, `failures="0"`, `failures="1"`},
		{"testng", `<testng-results failed="0"><suite name="s"><test name="t"><class name="C"><test-method status="PASS" signature="a()" name="a"/></class></test></suite></testng-results>`, `failed="0"`, `failed="1"`},
		{"xunit", `<assemblies><assembly name="x.dll" failed="0"><collection name="c"><test name="N.F.a" type="N.F" method="a" result="Pass"/></collection></assembly></assemblies>`, `failed="0"`, `failed="1"`},
		{"robot", `<robot generator="Robot 7.0"><suite name="S"><test name="a"><status status="PASS"/></test><status status="PASS" elapsed="1"/></suite></robot>`, `"PASS" elapsed`, `"FAIL" elapsed`},
		{"mocha", `{"stats":{"suites":1,"tests":1,"passes":1,"pending":0,"failures":0},"tests":[{"title":"a","fullTitle":"s a","err":{}}],"pending":[],"failures":[],"passes":[]}`, `"failures":0`, `"failures":1`},
		{"karate", `{"failedCount":0,"relativePath":"a.feature","scenarioResults":[{"name":"a","line":1,"failed":false,"stepResults":[{"result":{"status":"passed"}}]}]}`, `"failedCount":0`, `"failedCount":1`},
		{"rspec", `{"version":"3.13.0","examples":[{"description":"a","full_description":"A a","status":"passed","file_path":"./a_spec.rb","line_number":1}],"summary":{"failure_count":0},"summary_line":"1 example"}`, `"failure_count":0`, `"failure_count":1`},
		{"deepeval", `{"testCases":[{"name":"a","input":"x","actualOutput":"y","success":true,"metricsData":[]}],"testPassed":1,"testFailed":0,"runDuration":1}`, `"testFailed":0`, `"testFailed":1`},
		{"jest", `{"numTotalTestSuites":1,"numTotalTests":1,"numFailedTests":0,"testResults":[{"assertionResults":[{"title":"a","status":"passed"}],"name":"a.js","status":"passed"}]}`, `"numFailedTests":0`, `"numFailedTests":1`},
		{"gtest", `{"tests":1,"failures":0,"disabled":0,"errors":0,"testsuites":[{"name":"A","testsuite":[{"name":"a","status":"RUN","result":"COMPLETED"}]}]}`, `"failures":0`, `"failures":1`},
		{"dart", `{"protocolVersion":"0.1.1","type":"start"}
{"test":{"id":1,"name":"a","suiteID":0},"type":"testStart"}
{"testID":1,"result":"success","type":"testDone"}
{"success":true,"type":"done"}`, `"success":true`, `"success":false`},
		{"libtest", libtest, `"suite","event":"ok"`, `"suite","event":"failed"`},
		{"cucumber", cucumber, `"success":true`, `"success":false`},
		{"jest", jest, `"success":true`, `"success":false`},
		{"jest", strings.Replace(jest, `"title":"a"`, `"title":"a","meta":{}`, 1), `"status":"passed"}]`, `"status":"pending"}]`}, // Vitest 4.1.12, its worker killed
		{"jest", jest, `"wasInterrupted":false`, `"wasInterrupted":true`},
		{"pytest-json-report", pytest, `"exitcode":0`, `"exitcode":3`},
		{"pytest-json-report", pytest, `"exitcode":0`, `"exitcode":1`},
		{"pytest-reportlog", reportlog, `"exitstatus":0`, `"exitstatus":2`},
		{"bazel-bep", bazel, `"name":"SUCCESS","code":0`, `"name":"BUILD_FAILURE","code":1`},
		{"bazel-bep", bazel, `"name":"SUCCESS","code":0`, `"name":"TESTS_FAILED","code":3`},
		{"ctrf", `{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"x"},"summary":{"tests":1,"failed":0},"tests":[{"name":"a","status":"passed","duration":1}]}}`, `"failed":0`, `"failed":1`},
		{"promptfoo", promptfoo, `"errors":0`, `"errors":1`},
		{"xcresult", `{"devices":[],"testNodes":[{"name":"P","nodeType":"Test Plan","result":"Passed","children":[{"name":"a()","nodeType":"Test Case","result":"Passed"}]}],"testPlanConfigurations":[]}`, `"Test Plan","result":"Passed"`, `"Test Plan","result":"Failed"`},
		{"teamcity", "##teamcity[testStarted name='a']\n##teamcity[testFinished name='a']\n##teamcity[buildStatus status='SUCCESS']\n", "SUCCESS", "FAILURE"},
		{"otlp", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"1","spanId":"2","attributes":[{"key":"test.case.name","value":{"stringValue":"a"}}]},{"traceId":"1","spanId":"3","attributes":[{"key":"test.suite.run.status","value":{"stringValue":"success"}}]}]}]}]}`, "success", "failure"},
		{"junit", `<testsuite name="s" tests="1"><testcase name="a"/></testsuite>`, `tests="1"`, `tests="2"`},
		{"trx", `<TestRun id="1"><Results><UnitTestResult testName="a" outcome="Passed"><InnerResults><UnitTestResult testName="a (1)" outcome="Passed"/></InnerResults></UnitTestResult></Results><ResultSummary outcome="Completed"><Counters total="2" failed="0"/></ResultSummary></TestRun>`, `total="2"`, `total="3"`},
		{"nunit", `<test-run testcasecount="9" total="1" result="Passed"><test-suite type="TestFixture" name="F" result="Passed"><test-case name="a" result="Passed"/></test-suite></test-run>`, `total="1"`, `total="2"`},
		{"nunit", `<test-results name="x.dll" total="1" failures="0" not-run="0"><test-suite name="F" success="True"><results><test-case name="F.a" executed="True" success="True"/></results></test-suite></test-results>`, `total="1"`, `total="2"`},
		{"testng", `<testng-results ignored="1" total="2" failed="0"><suite name="s"><test name="t"><class name="C"><test-method status="PASS" signature="a()" name="a"/></class></test></suite></testng-results>`, `total="2"`, `total="3"`},
		{"xunit", `<assemblies><assembly name="x.dll" total="1"><collection name="c"><test name="N.F.a" type="N.F" method="a" result="Pass"/><test name="N.F.b" type="N.F" method="b" result="Pass"/></collection></assembly><assembly name="y.dll" total="1"><collection name="c"><test name="N.F.c" type="N.F" method="c" result="Pass"/></collection></assembly></assemblies>`, `y.dll" total="1"`, `y.dll" total="2"`},
		{"robot", `<robot generator="Robot 7.0"><suite name="S"><test name="a"><status status="PASS"/></test><status status="PASS"/></suite><statistics><total><stat pass="1" fail="0" skip="0">All Tests</stat></total></statistics></robot>`, `pass="1"`, `pass="2"`},
		{"mocha", `{"stats":{"suites":1,"tests":1,"passes":1,"pending":0,"failures":0},"tests":[{"title":"a","fullTitle":"s a","err":{}}],"pending":[],"failures":[],"passes":[]}`, `"tests":1`, `"tests":2`},
		{"rspec", `{"version":"3.13.0","examples":[{"description":"a","full_description":"A a","status":"passed","file_path":"./a_spec.rb","line_number":1}],"summary":{"example_count":1,"failure_count":0},"summary_line":"1 example"}`, `"example_count":1`, `"example_count":2`},
		{"jest", jest, `"numTotalTests":1`, `"numTotalTests":2`},
		{"gtest", `{"tests":1,"failures":0,"disabled":0,"errors":0,"testsuites":[{"name":"A","testsuite":[{"name":"a","status":"RUN","result":"COMPLETED"}]}]}`, `"tests":1`, `"tests":2`},
		{"ctrf", `{"reportFormat":"CTRF","specVersion":"0.0.0","results":{"tool":{"name":"x"},"summary":{"tests":1,"failed":0},"tests":[{"name":"a","status":"passed","duration":1}]}}`, `"tests":1`, `"tests":2`},
		{"pytest-json-report", strings.Replace(pytest, `"tests"`, `"summary":{"passed":1,"total":1,"collected":3},"tests"`, 1), `"total":1`, `"total":2`},
		{"promptfoo", promptfoo, `"successes":1`, `"successes":2`},
		{"libtest", libtest, `"passed":1`, `"passed":2`},
		{"terminal-bench", `{"id":"r","results":[{"task_id":"a","is_resolved":true}],"n_resolved":1,"n_unresolved":0,"accuracy":1.0}`, `"n_resolved":1`, `"n_resolved":2`},
		{"terminal-bench", `{"id":"r","results":[{"task_id":"a","is_resolved":true}],"n_resolved":1,"n_unresolved":0,"accuracy":1.0}`, `"n_unresolved":0`, `"n_unresolved":1`},
		{"terminal-bench", `{"id":"r","results":[{"task_id":"a","is_resolved":true}],"n_resolved":1,"n_unresolved":0,"accuracy":1.0}`, `"accuracy":1.0`, `"accuracy":0.0`},
	} {
		failed := strings.ReplaceAll(c.text, c.pass, c.fail)
		if failed == c.text {
			t.Fatalf("%s: %q is not in the report", c.format, c.pass)
		}
		for text, want := range map[string]bool{c.text: false, failed: true} {
			f, known := read.Detect([]byte(text))
			if !known || f.Name != c.format {
				t.Fatalf("%s is taken for %s: %s", c.format, f.Name, text)
			}
			to := &readtest.Sink{}
			if err := f.Read(strings.NewReader(text), to); err != nil {
				t.Fatal(err)
			}
			tests := 0
			fewer := strings.HasPrefix(strings.Join(to.Reported(), " "), "fewer-than-planned")
			said := fewer || slices.ContainsFunc(to.Lines(), func(line string) bool {
				if !strings.HasPrefix(line, "[run] ") {
					tests++
				}
				return strings.HasPrefix(line, "[run] #0 error")
			})
			if said != want || tests == 0 && !fewer || len(to.Problems) > 0 && !fewer {
				t.Errorf("%s: an error of the run: %t, want %t: %q %q\n%s", c.format, said, want, to.Lines(), to.Reported(), text)
			}
		}
	}
}

// TestUnended: of a stream that is cut off behind any of its lines, readers of runners that
// tell when a test begins say which did not end. Of a whole one no test is so.
func TestUnended(t *testing.T) {
	for format, sample := range map[string]string{
		"go-test": "gotest/testdata/gen_count7.jsonl", "libtest": "libtest/testdata/gen_libtest.jsonl", "dart": "dart/testdata/retries.jsonl",
		"cucumber": "cucumber/testdata/cck__retry.ndjson", "teamcity": "teamcity/testdata/gen_phpunit9.6.txt",
		"test-unit": "testunit/testdata/gen_test-unit3.5.xml", "pytest-reportlog": "reportlog/testdata/gen_reruns2.jsonl",
	} {
		text, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		f, err := read.ByName(format)
		if err != nil {
			t.Fatal(err)
		}
		running := map[string]bool{}
		lines := bytes.SplitAfter(bytes.TrimRight(text, "\n"), []byte("\n"))
		for n := range len(lines) + 1 {
			for _, trial := range read.Trials(bytes.NewReader(bytes.Join(lines[:n], nil)), read.Options{As: &f}).Trials {
				switch {
				case trial.Unended == 0:
				case n == len(lines):
					t.Errorf("%s: %s did not end in a whole stream", format, trial.Key)
				case trial.Unended == envelope.Running:
					running[trial.Key.String()] = true
				}
			}
		}
		if len(running) < 2 {
			t.Errorf("%s: of all beginnings of the stream, only %v were running at the end", format, running)
		}
	}
}

// TestOnlyTheRunningOneIsToBlame: a test of Go that waits for its turn does not end its
// process, and where one failed with a panic it was that one and none that ran beside it.
func TestOnlyTheRunningOneIsToBlame(t *testing.T) {
	const event = `{"Action":%q,"Package":"p","Test":%q}` + "\n"
	said := func(test, text string) string {
		return fmt.Sprintf(`{"Action":"output","Package":"p","Test":%q,"Output":%q}`+"\n", test, text)
	}
	begun := fmt.Sprintf(event+event+event+event, "run", "W", "pause", "W", "run", "A", "run", "B")
	failed := fmt.Sprintf(event, "fail", "B") + `{"Action":"fail","Package":"p"}` + "\n"
	stack := said("B", "panic: no such order\n") + said("B", "\n") + said("B", "goroutine 7 [running]:\n")
	for _, c := range []struct{ reason, stream, want string }{
		{"the stream was cut off", begun, "A1 B1 W2"},
		{"the process died of nobody knows which", begun + `{"Action":"fail","Package":"p"}` + "\n", "A1 B1 W2"},
		{"B panicked", begun + stack + failed, "A2 B0 W2"},
		{"B failed before, and printed the word", begun + said("B", "panic: is what it printed\n") + failed, "A1 B0 W2"},
	} {
		f, err := read.ByName("go-test")
		if err != nil {
			t.Fatal(err)
		}
		far := map[string]envelope.Unended{}
		for _, trial := range read.Trials(bytes.NewReader([]byte(c.stream)), read.Options{As: &f}).Trials {
			far[trial.Test] = trial.Unended
		}
		if got := fmt.Sprintf("A%d B%d W%d", far["A"], far["B"], far["W"]); got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, got, c.want)
		}
	}
}
