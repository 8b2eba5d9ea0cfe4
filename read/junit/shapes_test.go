package junit

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func in(cases string) string {
	return `<testsuites><testsuite name="s">` + cases + `</testsuite></testsuites>`
}

const goSuite = `<testsuite name="p"><properties><property name="go.version" value="go1.26"/></properties>`

// pytestTeardown is the testcase pytest writes for a teardown when the test had
// failed as well, and pytestTwice both of them.
const (
	pytestTeardown = `<testcase classname="m" name="a" time="0.001"><error message="failed on teardown with &quot;RuntimeError: x&quot;">x</error></testcase>`
	pytestTwice    = `<testcase classname="m" name="a" time="0.010"><failure message="assert 0">x</failure></testcase>` + pytestTeardown
)

// gradleSuite is a testsuite as Gradle writes it, with testcases such as aF: named
// a, failed.
func gradleSuite(cases string) string {
	outcome := map[byte]string{'P': "", 'F': `<failure message="m" type="t">b</failure>`, 'S': "<skipped/>"}
	text := `<testsuite name="C" tests="2" skipped="0" failures="0" errors="0" timestamp="2025-09-19T09:20:57.277Z" hostname="h" time="0.873">`
	for _, c := range strings.Fields(cases) {
		text += `<testcase name="` + c[:1] + `" classname="C" time="0.01">` + outcome[c[1]] + `</testcase>`
	}
	return text + `</testsuite>`
}

// boostSuite is a report of Boost.Test that counts so many failures.
func boostSuite(failures int, cases string) string {
	return fmt.Sprintf(`<testsuite tests="2" skipped="0" errors="0" failures="%d" id="0" name="m" time="0.000201">%s</testsuite>`, failures, cases)
}

// ginkgoSuite is the head of a report of Ginkgo, with what it says of the run.
func ginkgoSuite(succeeded, focus, reason string) string {
	return `<testsuites tests="2" disabled="1" errors="0" failures="0" time="0.1"><testsuite name="S" package="/r/e" tests="2" disabled="0" skipped="1" errors="0" failures="0" time="0.1" timestamp="2026-11-25T11:17:26"><properties>` +
		`<property name="SuiteSucceeded" value="` + succeeded + `"></property><property name="SuiteHasProgrammaticFocus" value="` + focus + `"></property><property name="SpecialSuiteFailureReason" value="` + reason + `"></property></properties>`
}

// godotSuite is a testsuite as gdUnit4 writes it.
func godotSuite(flaky int, cases string) string {
	return fmt.Sprintf(`<testsuite id="0" name="G" package="test" timestamp="2024-09-03T15:16:43" hostname="localhost" tests="%d" failures="0" errors="0" skipped="0" flaky="%d" time="0.3">%s</testsuite>`, strings.Count(cases, "<testcase"), flaky, cases)
}

// TestSeveralFailures: what each failure of a testcase says is kept.
func TestSeveralFailures(t *testing.T) {
	s := readText(t, in(`<testcase name="a"><failure message="first">body 1</failure><error message="second">body 2</error><failure message="first">body 3</failure><system-out>printed</system-out></testcase>`))
	want := envelope.Trial{Key: envelope.Key{Suite: "s", Test: "a"}, Attempt: envelope.Some(int32(0)), Status: envelope.Error,
		Message: "first\nsecond", Output: "body 1\n\nbody 2\n\nbody 3\n\nprinted"}
	if diff := cmp.Diff([]envelope.Trial{want}, s.Trials); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestManyOpen: however many tests of pytest fail, each is one trial.
func TestManyOpen(t *testing.T) {
	cases := strings.Repeat(`<testcase classname="m" name="b"><failure/></testcase>`, 2)
	for i := range 3 * openLimit {
		cases += fmt.Sprintf(`<testcase classname="m" name="t%d"><failure/></testcase>`, i)
	}
	s := readText(t, `<testsuite name="pytest">`+cases+`</testsuite>`)
	if want := 3*openLimit + 2; len(s.Trials) != want || len(s.Strips()) != want-1 {
		t.Errorf("%d trials of %d tests", len(s.Trials), len(s.Strips()))
	}
}

// TestShapes are the shapes that trials take, each with its pitfall.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		text   string
		strips map[string]string
		told   []string
		reason string
	}{
		{in(`<testcase name="a"/><testcase name="a"><failure/></testcase>`), map[string]string{"s/a": "PF"}, nil, "repeats in document order"},
		{in(`<testcase name="save" class="ACest"><failure/></testcase><testcase name="save" class="BCest"/>`), map[string]string{"s/ACest/save": "F", "s/BCest/save": "P"}, nil, "Codeception writes class and no classname (src/Codeception/Reporter/JUnitReporter.php)"},
		{`<testsuite name="s" tests="2" failures="0" flakes="1"><testcase name="a" flaky="true"><failure>x</failure></testcase><testcase name="b"/></testsuite>`, map[string]string{"s/a": "Fp", "s/b": "P"}, nil, "Flank, which counts no failure where a later try passed"},
		{`<testsuite name="s" tests="1" failures="1"><testcase name="a" flaky="true"><failure>x</failure></testcase></testsuite>`, map[string]string{"s/a": "F"}, nil, "a flaky test that its suite counts as a failure"},
		{`<testsuite name="s"><testcase name="a"/></testsuite>`, map[string]string{"s/a": "P"}, nil, "testsuite as the root"},
		{`<testsuites><testcase name="a" classname="c"/></testsuites>`, map[string]string{"c/a": "P"}, nil, "a testcase without a suite"},
		{in(`<testsuite name="t"><testsuite name="u"><testcase name="a" classname="u"/></testsuite></testsuite>`), map[string]string{"s/t/u/a": "P"}, nil, "suites in suites"},
		{in(`<testcase name="a" classname="s.C"/><testcase name="a" classname="D"/><testcase name="a" classname="a"/><testcase name="a"/>`),
			map[string]string{"s.C/a": "P", "s/D/a": "P", "s/a": "PP"}, nil, "the classname is part of the identity, unless it is that of the test"},
		{`<testsuites tests="-9" failures="x"><testsuite tests="one" failures="-7" name="s"><testcase name="a"/></testsuite></testsuites>`, map[string]string{"s/a": "P"}, nil, "counters that count nothing"},
		{`<testsuites tests="9"><testsuite failures="7" name="s"><testcase name="a"/></testsuite></testsuites>`, map[string]string{"s/a": "P", "[run]": "E"}, nil, "failures that are in no testcase"},
		{`<testsuites failures="7"><testsuite name="s"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite></testsuites>`, map[string]string{"s/a": "P", "s/b": "F"}, nil, "more of them than testcases that failed: retries, or assertions"},
		{in(`<testcase name="a"/><error message="no database"/>`), map[string]string{"s/a": "P", "[run]": "E"}, nil, "an error of a suite"},
		{in(`<testcase name="a"><error/><failure/></testcase><testcase name="b"><failure/><failure/></testcase>`), map[string]string{"s/a": "E", "s/b": "F"}, nil, "several failures are one trial, unless Vitest wrote them"},
		{in(`<testcase name="a"><flakyError/><flakyFailure/></testcase>`), map[string]string{"s/a": "Efp"}, nil, "Surefire, passed at last"},
		{in(`<testcase name="a"><error/><rerunError/><rerunFailure/></testcase>`), map[string]string{"s/a": "Eef"}, nil, "Surefire, never passed"},
		{in(`<testcase name="a"><failure type="flaky failure"/><flakyFailure type="test failure"/></testcase>`), map[string]string{"s/a": "Fp", "[run]": "E"}, nil, "nextest, told to fail what is flaky (flaky-result): the last try passed, and its run fails"},
		{`<testsuites><testsuite name="s@stress-0"><testcase name="a"><flakyFailure/></testcase></testsuite><testsuite name="s@stress-1"><testcase name="a"/></testsuite></testsuites>`,
			map[string]string{"s/a": "FpP"}, nil, "a retry in a stress run"},
		{`<testsuite name="s@stress-x"><testcase name="a@stress-1"/></testsuite>`, map[string]string{"s@stress-x/a@stress-1": "P"}, nil, "no suffix of nextest"},
		{`<testsuite name="pytest"><testcase name="a[2-3]" classname="m"/><testcase name="a[1-3]" classname="m"><failure/></testcase><testcase name="a[3-3]" classname="m"/></testsuite>`,
			map[string]string{"m/a": "FPP"}, nil, "pytest-repeat, in another order"},
		{`<testsuite name="pytest"><testcase name="a[x-1-2]"/><testcase name="a[x-2-2]"/><testcase name="a[y-1-2]"/><testcase name="a[y-2-2]"/></testsuite>`,
			map[string]string{"pytest/a[x]": "PP", "pytest/a[y]": "PP"}, nil, "pytest-repeat behind a parameter"},
		{`<testsuite name="pytest"><testcase name="a[1-3]"/><testcase name="a[2-3]"/><testcase name="a[1-2]"/></testsuite>`,
			map[string]string{"pytest/a[1-3]": "P", "pytest/a[2-3]": "P", "pytest/a[1-2]": "P"}, nil, "two parameters look like a repeat, but not all of 1..3 are there"},
		{in(`<testcase name="a[1-2]"/><testcase name="a[2-2]"/>`), map[string]string{"s/a[1-2]": "P", "s/a[2-2]": "P"}, nil, "the same names of another runner"},
		{`<testsuite name="pytest"><testcase name="a"><failure/></testcase><testcase name="a"><error message="failed on teardown with &quot;x&quot;"/></testcase></testsuite>`,
			map[string]string{"pytest/a": "F"}, nil, "a test and its teardown failed: one trial"},
		{`<testsuite name="pytest"><testcase name="a"/><testcase name="b"><error message="failed on teardown with &quot;x&quot;"/></testcase></testsuite>`,
			map[string]string{"pytest/a": "P", "pytest/b": "E"}, nil, "the teardown of another test"},
		{`<testsuites name="pytest tests"><testsuite name="api" errors="1" failures="1">` + pytestTwice + `<testcase classname="m" name="r[1-2]"/><testcase classname="m" name="r[2-2]"/></testsuite></testsuites>`,
			map[string]string{"api/m/a": "F", "api/m/r": "PP"}, nil, "pytest 8.4 and later with junit_suite_name=api: the root says who wrote it (_pytest/junitxml.py), the name stays"},
		{`<testsuites><testsuite name="api" errors="1" failures="1" skipped="0" tests="1" time="0.1" timestamp="2024-08-01T10:00:00.000000" hostname="h">` + pytestTwice + `</testsuite></testsuites>`,
			map[string]string{"api/m/a": "F"}, nil, "pytest 5.1 to 8.3 with junit_suite_name: the order of its attributes does"},
		{`<testsuite name="api" tests="1" errors="1" failures="1">` + pytestTwice + `</testsuite>`, map[string]string{"api/m/a": "FE"}, nil, "the same testcases of another runner"},
		{`<testsuite name="pytest"><testcase classname="m" name="a"><failure/></testcase><testcase classname="m" name="b"/><testcase classname="m" name="c"><failure/></testcase>` + pytestTeardown + `<testcase classname="m" name="d"/></testsuite>`,
			map[string]string{"m/a": "F", "m/b": "P", "m/c": "F", "m/d": "P"}, nil, "pytest-xdist: testcases of other workers come between a test that failed and its teardown"},
		{`<testsuite name="pytest"><testcase classname="m" name="a"><failure/></testcase><testcase classname="m" name="a"/>` + pytestTeardown + `</testsuite>`,
			map[string]string{"m/a": "FE"}, nil, "a teardown belongs to the last try of that name"},
		{`<testsuite name="pytest"><testcase classname="m" name="a"/><testcase classname="m" name="b"/>` + pytestTeardown + `</testsuite>`,
			map[string]string{"m/a": "PE", "m/b": "P"}, nil, "only a test that failed has a testcase of its own for its teardown far behind it"},
		{`<testsuites><testcase name="a" time="0.000863" classname="test" failure="1 == 2"><skipped type="todo" message="later"/><failure type="testCodeFailure" message="1 == 2">x</failure></testcase></testsuites>`,
			map[string]string{"test/a": "S"}, nil, "node 20: a todo that failed; node counts it as todo, not as failed"},
		{`<testsuites><testcase name="a" time="0.000899" classname="test" file="/r/a.test.js"/><testcase name="a" time="0.000863" classname="test" file="/r/b.test.js" failure="b"><failure type="testCodeFailure" message="b">x</failure></testcase>` +
			`<testsuite name="s" time="0.1" disabled="0" errors="0" tests="1" failures="0" skipped="0" hostname="h"><testcase name="a" time="0.000899" classname="test" file="/r/a.test.js"/></testsuite></testsuites>`,
			map[string]string{"/r/a.test.js/a": "P", "/r/b.test.js/a": "F", "/r/a.test.js/s/a": "P"}, nil, "node with nodejs/node#59432: the file tells tests of one name apart"},
		{`<testsuite name="Mocha Tests"><testcase classname="test" name="a" file="/r/a.js" time="0.001"/><testcase classname="test" name="a" file="/r/b.js" time="0.001"/></testsuite>`,
			map[string]string{"Mocha Tests/test/a": "PP"}, nil, "Mocha 12.0.3: its XUnit reporter writes a describe called test as the classname: it is what it was"},
		{goSuite + `<testcase name="A"><failure/></testcase><testcase name="B"><failure/></testcase><testcase name="A"/><testcase name="B"/></testsuite>`,
			map[string]string{"p/A": "FP", "p/B": "FP"}, nil, "-count=2: equally often, so these may be repeats"},
		{goSuite + `<testcase name="A"><failure/></testcase><testcase name="A"/><testcase name="A"/><testcase name="B"/></testsuite>`,
			map[string]string{"p/A": "FPP", "p/B": "P"}, nil, "nothing is run again after a pass"},
		{goSuite + `<testcase name="A"><failure/></testcase><testcase name="A"/><testcase name="B"/></testsuite>`, map[string]string{"p/A": "Fp", "p/B": "P"}, nil, "gotestsum --rerun-fails"},
		{`<testsuites name="promptfoo"><testsuite name="s"><testcase name="test 1: a"/><testcase name="test 2: b"/><testcase name="test 3: a"><failure/></testcase></testsuite></testsuites>`,
			map[string]string{"s/a": "PF", "s/b": "P"}, nil, "promptfoo numbers its tests over repeats"},
		{in(`<testcase name="test 1: a"/>`), map[string]string{"s/test 1: a": "P"}, nil, "the same name of another runner"},
		{in(`<testcase name="a"><skipped message="inconclusive"/></testcase>`), map[string]string{"s/a": "S"}, []string{"aggregated 1:33"}, "an inconclusive test without its trials"},
		{in(`<testcase name="a" status="notrun"/><testcase name="b" status="run"/>`), map[string]string{"s/a": "S", "s/b": "P"}, nil, "GoogleTest says it in an attribute"},
		{in(`<testcase name="a"><compromised message="no database" type="shop.Down">no database</compromised></testcase>`), map[string]string{"s/a": "E"}, nil, "a word of Serenity's own (JUnitXMLConverter)"},
		{in(`<testcase name="a" status="FAILED"/><testcase name="b" status="error"/><testcase name="c" status="passed"/><testcase name="d" status="0"/>`), map[string]string{"s/a": "F", "s/b": "E", "s/c": "P", "s/d": "P"}, nil, "what others say in it, and a number that is no word"},
		{in(`<testcase name="a" status="timeout"/><testcase name="b" status="INCOMPLETE"/><testcase name="c" status="executing"/><testcase name="d" status="RUN"/><testcase name="e" status="xfailed"/>`),
			map[string]string{"s/a": "E", "s/b": "E", "s/c": "E", "s/d": "P", "s/e": "P"}, nil, "words of behave 1.3 (Status in behave/model_type.py) and of others: one that nobody knows is no pass"},
		{in(`<testcase name="a" status="WARNING"/><testcase name="b" status="no asserts"/><testcase name="c" status="not run"/><testcase name="d" status="snapshot"/>`),
			map[string]string{"s/a": "P", "s/b": "P", "s/c": "S", "s/d": "P"}, nil, "words for what fails no run: of Maestro (FlowStatus), which calls it passed, of GUT for Godot (TEST_STATUSES), and of bashunit before 2026 for a snapshot that was taken first"},
		{in(`<testcase name="a" result="failed"/><testcase name="b" status="run" result="completed"/><testcase name="c" result="pass"/>`), map[string]string{"s/a": "F", "s/b": "P", "s/c": "P"}, nil, "a result attribute: GoogleTest says completed, Qt pass, and one that says failed is no pass"},
		{in(`<testcase/><testcase name="" classname="c"/><testcase><failure/></testcase>`), map[string]string{"s/(unnamed 1)": "P", "s/c/c": "P", "s/(unnamed 2)": "F"}, []string{"malformed-record 1:33"},
			"EnricoMi's no-attributes.xml: testcases without a name, of which one failed"},
		{`<testsuites><testsuite><testcase/></testsuite><testsuite name="t"><testcase/></testsuite><testsuite><testcase><error/></testcase></testsuite></testsuites>`,
			map[string]string{"(unnamed 1)": "P", "t/(unnamed 1)": "P", "(unnamed 2)": "E"}, []string{"malformed-record 1:24"}, "without names of suites: no two become one test"},
		{`<testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="1"><testcase classname="m" name="a" time="0.001" /><testcase time="0.000" /></testsuite></testsuites>`, map[string]string{"m/a": "P", "[run]": "E"}, nil,
			"pytest 7.2.1 and Ctrl-C, or pytest.exit, in its second test: it ends with 2, or with the code that it was given"},
		{`<testsuite name="Linux-c++" tests="4" failures="0" disabled="1" skipped="3" hostname="" time="0" timestamp="2026-11-25T05:34:59"><testcase name="a" classname="a" time="0" status="notrun"><skipped message="Unable to find executable"/></testcase><testcase name="b" classname="b" time="0" status="notrun"><skipped message="Fixture dependency failed"/></testcase>` +
			`<testcase name="c" classname="c" time="0.01" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase><testcase name="d" classname="d" time="0" status="disabled"><system-out>Disabled</system-out></testcase></testsuite>`,
			map[string]string{"Linux-c++/a": "E", "Linux-c++/b": "E", "Linux-c++/c": "S", "Linux-c++/d": "S"}, nil, "ctest 3.25 --output-junit, which ends with 8: a program that was not built is no test that skips itself"},
		{`<testsuite tests="3" failures="0" errors="0" skipped="1" time="0.000" name="module 'h_tests'"><testcase time="0.000" name="h_tests:0 ok_test"/><testcase time="0.000" name="h_tests:0 -g_test_/0-fun-2-"><skipped type="unknown">` + "\nundefined    " + `</skipped></testcase>` +
			`<testcase time="0.000" name="m_tests:0 -tmo_test_/0-fun-0-"><skipped type="timeout">` + "\nin function timer:sleep/1 (timer.erl, line 219)" + `</skipped></testcase></testsuite>`,
			map[string]string{"module 'h_tests'/h_tests:0 ok_test": "P", "module 'h_tests'/h_tests:0 -g_test_/0-fun-2-": "E", "module 'h_tests'/m_tests:0 -tmo_test_/0-fun-0-": "E"}, nil,
			"EUnit 2.8.1: it says that tests were cancelled, as their limit of time or that of their group ended them, and ends with an error"},
		{`<testsuite name="a.A" tests="2" errors="0" failures="0" skipped="2" time="0.0" timestamp="2026-11-25T11:02:57.151362" hostname="vm"><testcase classname="a.A" name="one" status="untested" time="0"><skipped /></testcase><testcase classname="a.A" name="two" status="untested" time="0"><skipped /></testcase></testsuite>`,
			map[string]string{"a.A/one": "S", "a.A/two": "S", "[run]": "E"}, nil, "behave 1.2.6, whose before_all or before_feature raised: it ends with 1"},
		{`<testsuite name="a.A" tests="2" errors="0" failures="0" skipped="0" time="0.0" timestamp="2026-11-25T11:02:57.151362" hostname="vm"><testcase classname="a.A" name="one" status="passed" time="0.1"/><testcase classname="a.A" name="two" status="untested" time="0"/></testsuite>`,
			map[string]string{"a.A/one": "P", "a.A/two": "S", "[run]": "E"}, nil, "behave 1.3 with --no-skipped, which leaves out the skipped element of what it did not come to (behave/reporter/junit.py)"},
		{`<testsuite name="a.A" tests="1" errors="0" failures="0" skipped="1" time="0.0"><testcase classname="a.A" name="one" status="skipped" time="0"><skipped /></testcase></testsuite>`,
			map[string]string{"a.A/one": "S"}, nil, "behave 1.2.6, deselected by tags"},
		{ginkgoSuite("true", "true", "") + `<testcase name="[It] ok" classname="S" status="skipped" time="0"><skipped message="skipped"></skipped></testcase><testcase name="[It] foc" classname="S" status="passed" time="0.000105857"></testcase></testsuite></testsuites>`, map[string]string{"S/[It] ok": "S", "S/[It] foc": "P", "[run]": "E"}, nil, "Ginkgo 2.34 with FIt, which ends with 197"},
		{ginkgoSuite("false", "false", "Detected pending specs and --fail-on-pending is set") + `<testcase name="[It] only pending" classname="S" status="pending" time="0"><skipped message="pending"></skipped></testcase></testsuite></testsuites>`, map[string]string{"S/[It] only pending": "S", "[run]": "E"}, nil, "Ginkgo 2.34 with --fail-on-pending, which ends with 1"},
		{ginkgoSuite("false", "false", "") + `<testcase name="[It] f" classname="S" status="failed" time="0.1"><failure message="m" type="failed">x</failure></testcase></testsuite></testsuites>`, map[string]string{"S/[It] f": "F"}, nil, "Ginkgo 2.34: a spec says why its suite did not succeed"},
		{ginkgoSuite("true", "false", "") + `<testcase name="[It] ok" classname="S" status="passed" time="0.1"></testcase></testsuite></testsuites>`, map[string]string{"S/[It] ok": "P"}, nil, "Ginkgo 2.34, all well"},
		{`<testsuites tests="4" errors="0" failures="0"><testsuite name="p" tests="1" errors="0" failures="0" skipped="0" time="1.0"><testcase name="p / timeout" classname="p" time="1.007145643234253" /></testsuite>` +
			`<testsuite name="p.p / tapexit" tests="1" errors="0" failures="0" skipped="0" time="0.005460500717163086"><testcase name="1 - a" classname="p.p / tapexit" /><system-out>1..1` + "\nok 1 - a" + `</system-out><system-err>` + strings.Repeat("x\n", 99) + "\n(test program exited with status code 1)" + `</system-err></testsuite>` +
			`<testsuite name="p.p / tapok" tests="1" errors="0" failures="0" skipped="0" time="0.009"><testcase name="1 - a" classname="p.p / tapok" /><system-err>x</system-err></testsuite>` +
			`<testsuite name="p.gtest.S" tests="1" failures="0" disabled="0" errors="0" time="0."><testcase name="a" status="run" time="0." classname="S" /></testsuite></testsuites>`,
			map[string]string{"p/p / timeout": "P", "p.p / tapexit/1 - a": "P", "p.p / tapok/1 - a": "P", "p.gtest.S/S/a": "P", "[run]": "E"}, []string{"untold-failures 1:47"},
			"Meson 1.0.1, which ends with the number of tests that failed: it tells of a program that failed behind its points of TAP, and of no limit of time"},
		{`<testsuites name="C" tests="2" time="0.024"><testsuite name="fine" id="8" timestamp="2026-11-25T11:41:06.711Z" tests="2" failures="1" errors="0" time="0.024"><testcase name="is ok" time="0.024" classname="Fine"/><testcase name="f" time="0.024" classname="Fine"><failure/></testcase></testsuite>` +
			`<testsuite name="noconn" id="f" timestamp="2026-11-25T11:41:06.711Z" tests="0" failures="0" errors="1" time="0.000"><system-err><![CDATA[Iteration: 0` + "\nRequestError: Error: connect ECONNREFUSED 127.0.0.1:1" + `]]></system-err></testsuite></testsuites>`,
			map[string]string{"fine/Fine/is ok": "P", "fine/Fine/f": "F", "[run]": "E"}, nil, "Newman 6.2.2: a request that failed has a suite without a testcase, also beside tests that failed"},
		{`<testsuite errors="3" failures="1" tests="4" name="T"><properties><property value="5.15.8" name="QTestVersion"/></properties><testcase result="pass" name="ok"/><testcase name="sk"><!-- message="why" type="skip" --></testcase>` +
			`<testcase result="xfail" name="xf"><!-- message="known" type="info" --></testcase><testcase result="xpass" name="xp"><failure message="QCOMPARE(1, 1) returned TRUE unexpectedly." result="xpass"/></testcase><system-err/></testsuite>`,
			map[string]string{"T/ok": "P", "T/sk": "S", "T/xf": "P", "T/xp": "F"}, nil, "Qt Test 5.15.8, which counted 2 passed, 1 failed and 1 skipped of these: only the comment says that a test was skipped"},
		{`<testsuite name="T" timestamp="2026-11-25T11:53:26" hostname="h" tests="2" failures="0" errors="0" skipped="1" time="0.001"><properties><property name="QTestVersion" value="6.4.2"/></properties><testcase name="ok" classname="T" time="0.000"/><testcase name="sk" classname="T" time="0.000"><skipped message="why"/></testcase></testsuite>`,
			map[string]string{"T/ok": "P", "T/sk": "S"}, nil, "the same as Qt 6 writes it (qjunittestlogger.cpp)"},
		{`<testsuites><testsuite hostname="vm" name="v_SUITE" time="1.299269" timestamp="2026-11-25T11:59:05" errors="0" failures="0" skipped="2" tests="3" log="suite.log.html"><testcase name="ok" time="0.000149" timestamp="2026-11-25T11:59:05" file="v_SUITE.erl" line="6" log="v_suite.ok.html"></testcase>` +
			`<testcase name="b" time="0.000185" timestamp="2026-11-25T11:59:05" file="v_SUITE.erl" line="6" log="v_suite.b.html"><skipped type="skip" message="Test b in v_SUITE skipped!">{tc_auto_skip,` + "\n    {failed,\n        {v_SUITE,init_per_testcase,\n            {initt,[]}}}}" + `</skipped></testcase>` +
			`<testcase group="g" name="in1" time="0.000061" timestamp="2026-11-25T11:59:02" file="w_SUITE.erl" line="6" log=""><skipped type="skip" message="Test in1 in w_SUITE skipped!">{tc_user_skip,&quot;on purpose&quot;}</skipped></testcase></testsuite></testsuites>`,
			map[string]string{"v_SUITE/ok": "P", "v_SUITE/b": "E", "v_SUITE/in1": "S"}, nil, "Common Test of OTP 25 (cth_surefire), whose init_per_testcase failed, for which it ends with 1; the other was skipped on purpose"},
		{`<testsuites><testsuite name="a" timestamp="2026-11-25T12:00:32Z" hostname="vm" tests="6" skipped="1" failures="1" errors="1" time="0.674"><testcase time="0.0069999999999999" classname="a" name="ok_"/><testcase time="0.0820000000000001" classname="a" name="ok_"/>` +
			`<testcase time="0.0389999999999999" classname="a" name="fail_x_"/><testcase time="0.0389999999999999" classname="a" name="fail_x_"><failure type="failure" message="1 not equal to 2. ('test-a.R:3')">1 not equal to 2.</failure></testcase><testcase time="0.0389999999999999" classname="a" name="fail_x_"/>` +
			`<testcase time="0.014" classname="a" name="err"/><testcase time="0.014" classname="a" name="err"><error type="error" message="boom ('test-a.R:4')">boom</error></testcase><testcase time="0.016" classname="a" name="skip"/><testcase time="0.016" classname="a" name="skip"><skipped message="Reason: why ('test-a.R:5')"/></testcase></testsuite></testsuites>`,
			map[string]string{"a/ok_": "P", "a/fail_x_": "F", "a/err": "E", "a/skip": "S"}, nil, "testthat 3.1.6: a testcase for each expectation of a test"},
		{`<testsuites><testsuite name="c3" errors="0" failures="0" tests="2" hostname="tbd" time="0.000" timestamp="2026-11-25T12:02:16Z"><testcase classname="c3.global" name="ok" time="0.000" status="run"/><testcase classname="c3.global" name="mf" time="0.000" status="run"><skipped message="TEST_CASE tagged with !mayfail"/><failure message="1==2" type="CHECK">FAILED:</failure></testcase></testsuite></testsuites>`,
			map[string]string{"c3.global/ok": "P", "c3.global/mf": "P"}, nil, "Catch2 2.13.10, which counts a test that may fail as failed as expected, and ends with 0"},
		{boostSuite(0, `<testcase assertions="1" name="ok" time="0.000107"></testcase><testcase assertions="1" name="ef" time="7.5e-05"><failure message="failure" type="assertion error">check 1==2 has failed</failure></testcase>`), map[string]string{"m/ok": "P", "m/ef": "P"}, nil, "Boost.Test 1.74 with expected_failures, which ends with 0"},
		{boostSuite(1, `<testcase assertions="1" name="f" time="7.5e-05"><failure message="failure" type="assertion error">check 1==2 has failed</failure><system-err>Failures detected in:`+"\n- test case: f"+`</system-err></testcase>`), map[string]string{"m/f": "F"}, nil, "Boost.Test 1.74, whose test failed"},
		{boostSuite(0, `<testcase assertions="1" name="f" time="7.5e-05"><failure message="failure" type="assertion error">x</failure><system-err>Failures detected in:`+"\n- test case: f"+`</system-err></testcase>`), map[string]string{"m/f": "F"}, nil, "counters alone excuse nothing"},
		{boostSuite(0, `<testcase name="f" time="7.5e-05"><failure message="no" type="AssertionError">x</failure></testcase>`), map[string]string{"m/f": "F"}, nil, "another writer, that counts nothing"},
		{`<testsuites name="" tests="3" skipped="0" failures="1" errors="0" time="0.001"><testsuite name="B" tests="3" skipped="0" failures="1" errors="0" time="0.001"><testcase name="ok" status="passed" time="0.000032899"></testcase><testcase name="sk" status="" time="0.000019399"><error message="Step skip" type="skipped"></error></testcase>` +
			`<testcase name="fails first" status="failed" time="0.000027701"><failure message="Step fail: boom"></failure><error message="Step ok" type="skipped"></error></testcase></testsuite></testsuites>`,
			map[string]string{"B/ok": "P", "B/sk": "S", "B/fails first": "F"}, nil, "godog 0.16, which ends with 0 where a step asked to be skipped"},
		{`<testsuites><testsuite tests="1" failures="0" errors="0" skipped="1" time="0.1" name="s"><testcase time="0.1" name="a" classname="C"><skipped/></testcase></testsuite><testsuite errors="0" failures="0" tests="1" name="t"><testcase classname="C" name="a"/></testsuite></testsuites>`,
			map[string]string{"s/C/a": "S", "t/C/a": "P"}, nil, "another writer with the attributes of EUnit, and one with those of Qt 5: these have no classnames"},
		{`<testsuite name="cxxtest" date="Wed Nov 25 12:01:49 2026" tests="1" errors="0" failures="0" time="0" ><testcase classname="T" name="testWarn" line="8" ><warning line="8" >w</warning></testcase></testsuite>`, map[string]string{"cxxtest/T/testWarn": "P"}, nil, "CxxTest 4.4: its warnings fail no run, and are none of PHPUnit"},
		{gradleSuite(`aF bP aP`), map[string]string{"C/a": "Fp", "C/b": "P"}, []string{"inferred-trials 1:283"}, "Gradle with test-retry: what failed runs again when all have run"},
		{gradleSuite(`aF aP`), map[string]string{"C/a": "Fp"}, []string{"inferred-trials 1:227"}, "the only test of its class"},
		{gradleSuite(`aF bF cS bF aP bP`), map[string]string{"C/a": "Fp", "C/b": "Ffp", "C/c": "S"}, []string{"inferred-trials 1:390"}, "two rounds, the second in another order"},
		{gradleSuite(`aF bP aF aF`), map[string]string{"C/a": "Fff", "C/b": "P"}, []string{"inferred-trials 1:283"}, "never passed"},
		{gradleSuite(`aP bF aP bP`), map[string]string{"C/a": "PP", "C/b": "Fp"}, []string{"inferred-trials 1:339"}, "classRetry runs all tests of the class again: one that had passed is no retry"},
		{gradleSuite(`aF aP bP`), map[string]string{"C/a": "FP", "C/b": "P"}, nil, "rows of a table with one name: others come behind them, so the class had not run"},
		{gradleSuite(`aF cF aP`), map[string]string{"C/a": "FP", "C/c": "F"}, nil, "another test failed and was not run again: no retry"},
		{gradleSuite(`aP bP aF`), map[string]string{"C/a": "PF", "C/b": "P"}, nil, "nothing had failed: no retry, and a retry would not hide the failure"},
		{strings.Replace(gradleSuite(`aF bP aP`), ` skipped="0" failures="0"`, ` failures="0" skipped="0"`, 1), map[string]string{"C/a": "FP", "C/b": "P"}, nil, "the same testcases of another runner"},
		{godotSuite(1, `<testcase name="a"/><testcase name="b"><failure message="FAILED: x.gd:9">failure 1</failure><failure message="FAILED: x.gd:11">failure 2</failure></testcase>`),
			map[string]string{"G/a": "P", "G/b": "Ffp"}, []string{"inferred-trials 1:183"}, "gdUnit4 (dorny/test-reporter#531): the one test with failures is the flaky one"},
		{godotSuite(0, `<testcase name="b"><failure message="FAILED: x.gd:9">failure 1</failure><failure message="FAILED: x.gd:11">failure 2</failure></testcase>`),
			map[string]string{"G/b": "F"}, nil, "gdUnit4, and none is flaky: two assertions of one try, or two tries that failed"},
		{godotSuite(1, `<testcase name="a"><failure/></testcase><testcase name="b"><failure/><failure/></testcase>`),
			map[string]string{"G/a": "F", "G/b": "F"}, []string{"inferred-trials 1:163"}, "gdUnit4: one of two is flaky, and nobody knows which"},
		{`<testsuite name="s" tests="3"><testcase name="a"/><testsuite name="t" tests="1"><testcase name="b"/></testsuite></testsuite>`, map[string]string{"s/a": "P", "s/t/b": "P"}, []string{"fewer-than-planned 1:1"}, "a suite that has fewer testcases than it counts"},
		{`<testsuites tests="3"><testsuite name="s" tests="1"><testcase name="a"/></testsuite></testsuites>`, map[string]string{"s/a": "P"}, []string{"fewer-than-planned 1:1"}, "a suite is missing"},
		{`<testsuites tests="8"><testsuite name="s" tests="8"><testcase name="a"/></testsuite></testsuites>`, map[string]string{"s/a": "P"}, []string{"fewer-than-planned 1:23"}, "testcases are missing, which is told once"},
		{`<testsuites tests="8"><testsuite><testcase name="a"/></testsuite></testsuites>`, map[string]string{"a": "P"}, nil, "container-structure-test counts parts of tests"},
		{`<testsuite name="s" tests="3" skipped="2"><testcase name="a"/></testsuite>`, map[string]string{"s/a": "P"}, nil, "a runner that leaves out what it skipped"},
		{`<testsuite name="s" tests="2"><testcase name="a"/><testcase name="b"><skipped/></testcase></testsuite>`, map[string]string{"s/a": "P", "s/b": "S"}, nil, "one that counts no skipped tests"},
		{`<testsuite name="s" tests="4"><testcase name="a"><flakyFailure/><flakyFailure/></testcase><error message="m"/></testsuite>`, map[string]string{"s/a": "Ffp", "[run]": "E"}, nil, "Surefire counts tries"},
		{`<testsuite name="pytest" errors="0" failures="0" skipped="0" tests="3" time="0.1" timestamp="t" hostname="h"><testcase classname="m" name="a"/></testsuite>`, map[string]string{"m/a": "P"}, nil, "pytest 9 counts subtests"},
		{`<testsuites><testsuite name="s" errors="0" failures="0" tests="26" hostname="tbd" time="0.004" timestamp="tbd"><testcase classname="s" name="a"/></testsuite></testsuites>`, map[string]string{"s/a": "P"}, nil, "Catch2 (catchorg/Catch2#529) counts assertions"},
		{`<testsuites><testsuite name="s" errors="0" failures="0" tests="26" time="0.004" timestamp="t" doctest_version="2.4.11"><testcase classname="s" name="a"/></testsuite></testsuites>`, map[string]string{"s/a": "P"}, nil, "doctest counts assertions"},
		{`<testsuites name="Mocha Tests" time="0.1" tests="2" failures="0" skipped="1"><testsuite name="s" timestamp="2024-04-19T08:20:31" tests="2" file="/a.js" time="0.1" failures="0"><testcase name="a"/></testsuite></testsuites>`, map[string]string{"s/a": "P"}, nil, "mocha-junit-reporter leaves out pending tests, and counts them above only"},
		{`<testsuites errors="0" failures="0" tests="1"><testsuite name="s" errors="0" failures="0" hostname="" id="" package="p" skipped="0" tests="7" time="1" timestamp="t"><testcase name="a" assertions="7"/></testsuite></testsuites>`, map[string]string{"s/a": "P"}, nil, "Nightwatch counts assertions"},
		{ginkgoSuite("true", "false", "") + `<testcase name="a" status="passed"/></testsuite></testsuites>`, map[string]string{"S/a": "P"}, nil, "Ginkgo, told to leave out what surrounds specs"},
		{in(`<testcase name="a"/>`) + in(`<testcase name="a"/>`), map[string]string{"s/a": "PP"}, nil, "two reports behind each other"},
		{`<promptfoo><testsuite><testcase name="a"/></testsuite></promptfoo>`, map[string]string{}, []string{"unreadable-input 1:1"}, "another root"},
		{in(``), map[string]string{}, nil, "no testcase is no trial; who reads says so"},
		{in("<testcase name=\"a\"/>\n<testcase name=\"b\">"), map[string]string{"s/a": "P"}, []string{"unreadable-input 2:32"}, "an element that is not closed; the decoder tells it at the tag that closes another"},
		{in(`<testcase name="a&#x1b;&#27;` + "\x01" + `"/>`), map[string]string{"s/a\ufffd\ufffd\ufffd": "P"}, []string{"repaired-text 1:1"}, "characters XML does not have"},
		{in("<testcase name=\"a\xff\"/>"), map[string]string{"s/a\ufffd": "P"}, []string{"repaired-text 1:1"}, "bytes that are no UTF-8"},
		{in(`<testcase name="&#65;&nbsp;&amp;&#x1F600;"/>`), map[string]string{"s/A\u00a0&😀": "P"}, nil, "references that are all right"},
		{"\ufeff" + `<?xml version="1.1" encoding="UTF-16"?>` + in(`<testcase name="ä"/>`), map[string]string{"s/ä": "P"}, nil, "XML 1.1; a declaration that is not true"},
		{`<?xml version="1.0" encoding="ISO-8859-1"?>` + in("<testcase name=\"\xe4\"/>"), map[string]string{"s/ä": "P"}, nil, "Latin 1"},
		{`<?xml version="1.0" encoding="x-none"?>` + in("<testcase name=\"a\"/>"), map[string]string{"s/a": "P"}, []string{"ignored-field 1:1"}, "a charset nobody knows"},
		{"\xff\xfe" + wide(in(`<testcase name="ä"/>`)), map[string]string{"s/ä": "P"}, nil, "UTF-16"},
		{`<!DOCTYPE testsuites [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>` + in(`<testcase name="a"/>`), map[string]string{"s/a": "P"}, nil, "a document type"},
		{`<!DOCTYPE x [<!ENTITY a "b">]>` + in(`<testcase name="a"/><testcase name="&a;"/>`), map[string]string{"s/a": "P"}, []string{"unreadable-input 1:99"}, "an entity of one's own: never expanded"},
		{"", map[string]string{}, []string{"unreadable-input 1:1"}, "nothing"},
	} {
		s := readText(t, c.text)
		if diff := cmp.Diff(c.strips, s.Strips()); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.reason, c.text, diff)
		}
		if diff := cmp.Diff(c.told, s.Told()); diff != "" {
			t.Errorf("%s: %s: problems %v (-want +got):\n%s", c.reason, c.text, s.Problems, diff)
		}
	}
}

// wide is ASCII and Latin 1 as UTF-16.
func wide(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(0)
	}
	return b.String()
}

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		time   string
		ms     envelope.Opt[float64]
		reason string
	}{
		{"0.007", envelope.Some(7.0), "seconds"},
		{"0", envelope.Some(0.0), "a known 0"},
		{"1,234.5", envelope.Some(1234500.0), "Surefire of old"},
		{"1e-3", envelope.Some(1.0), "an exponent"},
		{"", envelope.Opt[float64]{}, "unknown is not 0"},
		{"-1", envelope.Opt[float64]{}, "negative"},
		{"NaN", envelope.Opt[float64]{}, "no number"},
		{"1e308", envelope.Opt[float64]{}, "out of range in milliseconds"},
		{"1,234,567", envelope.Some(1234567000.0), "two commas are no decimal ones"},
		{"0,123", envelope.Some(123.0), "nobody parts a thousand off 0: a decimal comma, of a writer that obeys its locale"},
		{"1,5", envelope.Some(1500.0), "no three digits behind the comma: a decimal one"},
		{"1234,567", envelope.Some(1234567.0), "more than three digits before it: a decimal one"},
		{"1,234", envelope.Opt[float64]{}, "a comma that may be anything"},
		{"1,23,456", envelope.Opt[float64]{}, "no number"},
		{"&lt;&lt;computed&gt;&gt;", envelope.Opt[float64]{}, "seen in a fixture"},
	} {
		s := readText(t, in(`<testcase name="a" time="`+c.time+`"/><testcase name="b" time="`+c.time+`"/>`))
		if got := s.Trials[0].DurationMS; got != c.ms {
			t.Errorf("%s: %q is %v, want %v", c.reason, c.time, got, c.ms)
		}
		if want := !c.ms.OK && c.time != ""; (len(s.Problems) == 1) != want {
			t.Errorf("%s: %q: problems %v", c.reason, c.time, s.Problems)
		}
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct{ element, class, message, reason string }{
		{`<failure type="test timeout"/>`, "timeout", "", "nextest"},
		{`<error type="org.junit.runners.model.TestTimedOutException" message="test timed out after 5 milliseconds"/>`, "timeout", "test timed out after 5 milliseconds", "JUnit 4"},
		{`<failure message="Failed: Timeout (&gt;1.0s) from pytest-timeout."/>`, "timeout", "Failed: Timeout (>1.0s) from pytest-timeout.", "pytest-timeout"},
		{`<failure message="Timeout of 2000ms exceeded. For async tests and hooks, ensure &quot;done()&quot; is called." type="Error"/>`, "timeout", `Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called.`, "Mocha with mocha-junit-reporter"},
		{"<failure>Timeout of 20ms exceeded. For async tests and hooks, ensure x&#10;Error: Timeout of 20ms exceeded.</failure>", "timeout", "Timeout of 20ms exceeded. For async tests and hooks, ensure x", "Mocha 12.0.3: its XUnit reporter has no message attribute"},
		{"<failure>Error: thrown: &quot;Exceeded timeout of 30 ms for a test.&#10;Add a timeout value to this test&quot;</failure>", "timeout", `Error: thrown: "Exceeded timeout of 30 ms for a test.`, "Jest 30.5.2 with jest-junit 17"},
		{`<failure type="Error" message="function timed out, ensure the promise resolves within 5000 milliseconds"/>`, "timeout", "function timed out, ensure the promise resolves within 5000 milliseconds", "cucumber-js 12.9.0"},
		{`<error type="java.util.concurrent.TimeoutException" message="slow() timed out after 1 second"/>`, "timeout", "slow() timed out after 1 second", "JUnit 5 with Surefire"},
		{`<failure type="java.util.concurrent.TimeoutException" message="java.util.concurrent.TimeoutException: slow(int) timed out after 100 milliseconds"/>`, "timeout", "java.util.concurrent.TimeoutException: slow(int) timed out after 100 milliseconds", "JUnit 5 with Gradle"},
		{`<error type="java.util.concurrent.TimeoutException"/>`, "", "", "Future.get of the test itself"},
		{`<failure message="Timeout"/>`, "timeout", "Timeout", "CTest with --output-junit"},
		{`<failure message="expected &quot;Timeout of 20ms exceeded&quot;"/>`, "", `expected "Timeout of 20ms exceeded"`, "the words inside a message are the test's"},
		{`<failure type="AssertionError" message="Timed out retrying after 4000ms: Expected to find element"/>`, "", "Timed out retrying after 4000ms: Expected to find element", "Cypress: an assertion that was retried, not the test"},
		{`<failure message="no timeout was set"/>`, "", "no timeout was set", "a word is no class"},
		{`<error message="collection failure">ImportError</error>`, "pre-validation", "collection failure", "pytest could not import"},
		{`<error message="failed on setup with &quot;x&quot;"/>`, "", `failed on setup with "x"`, "a fixture of pytest is the suite's own"},
		{`<failure type="cancelledByParent" message="test did not finish before its parent and was cancelled">x</failure>`, "", "test did not finish before its parent and was cancelled", "node 20"},
		{`<failure type="hookFailed" message="x"/>`, "", "x", "node 20"},
		{`<failure type="testTimeoutFailure" message="it took too long"/>`, "timeout", "it took too long", "node 20"},
		{`<failure type="testCodeFailure" message="x"/>`, "", "x", "node 20"},
		{`<error message="ECONNREFUSED"/>`, "", "ECONNREFUSED", "a test that throws is no infrastructure error"},
		{`<failure message="Failed">=== RUN   A&#10;    a_test.go:5: boom&#10;</failure>`, "", "a_test.go:5: boom", "a message that says nothing"},
		{"<failure message='a&#10;&#10;b&#10;c&#10;d'/>", "", "a\nb\nc", "the first lines"},
	} {
		s := readText(t, in(`<testcase name="a">`+c.element+`</testcase>`))
		if got := s.Trials[0]; got.ErrorClass != c.class || got.Message != c.message {
			t.Errorf("%s: class %q, message %q", c.reason, got.ErrorClass, got.Message)
		}
	}
	s := readText(t, goSuite+`<testcase name="x"><failure message="Failed">FAIL x [build failed]</failure></testcase></testsuite>`)
	if got := s.Trials[0]; got.Status != envelope.Error || got.ErrorClass != envelope.ClassPreValidation {
		t.Errorf("a package that does not build is %s, %q", got.Status, got.ErrorClass)
	}
}

// TestNode: what node 20 writes in its JUnit reads as what it writes in its TAP.
func TestNode(t *testing.T) {
	s := readText(t, `<testsuites>
	<testcase name="todo fails" time="0.000863" classname="test" failure="1 == 2"><skipped type="todo" message="later"/><failure type="testCodeFailure" message="1 == 2">x</failure></testcase>
	<testcase name="todo ok" time="0.000095" classname="test"><skipped type="todo" message="true"/></testcase>
	<testcase name="cancelled" time="0.000000" classname="test" failure="gone"><failure type="cancelledByParent" message="gone">x</failure></testcase>
</testsuites>`)
	want := []envelope.Trial{
		{Status: envelope.Skip, RawStatus: "todo", Message: "later", DurationMS: envelope.Some(0.863)},
		{Status: envelope.Skip, RawStatus: "todo", DurationMS: envelope.Some(0.095)},
		{Status: envelope.Error, Message: "gone", Output: "x", DurationMS: envelope.Some(0.0)},
	}
	for i := range s.Trials {
		s.Trials[i].Key, s.Trials[i].Attempt = envelope.Key{}, envelope.Opt[int32]{}
	}
	if diff := cmp.Diff(want, s.Trials); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		suite, attributes string
		file              string
		line              int
		reason            string
	}{
		{"s", `file="a.js" line="15"`, "a.js", 15, "both"},
		{"pytest", `file="a.py" line="15"`, "a.py", 16, "pytest counts from 0"},
		{"s", `line="15"`, "", 0, "a line of no file"},
		{"s", `file="a.js" line="-1"`, "a.js", 0, "no line"},
		{"s", `file="a.js" line="99999999999"`, "a.js", 0, "no line either"},
	} {
		s := readText(t, `<testsuite name="`+c.suite+`"><testcase name="a" `+c.attributes+`/></testsuite>`)
		if got := s.Trials[0]; got.File != c.file || got.Line != c.line {
			t.Errorf("%s: %s:%d", c.reason, got.File, got.Line)
		}
	}
}

func TestReadErrorKeepsWhatCameBefore(t *testing.T) {
	cable := errors.New("the cable is broken")
	text := in(`<testcase name="a"/>` + strings.Repeat(" ", 1<<18))
	s := &readtest.Sink{}
	err := Read(io.MultiReader(strings.NewReader(text[:len(text)-20]), iotest.ErrReader(cable)), s)
	if !errors.Is(err, cable) || len(s.Trials) != 1 || len(s.Problems) != 0 {
		t.Errorf("error %v, %d trials, problems %v", err, len(s.Trials), s.Problems)
	}
}

// repeated is a text n times over without holding it.
func repeated(text string, n int64) io.Reader {
	return io.LimitReader(&endless{text: text}, n*int64(len(text)))
}

type endless struct {
	text string
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// TestLimits: however large a piece of a document is, memory is bounded.
func TestLimits(t *testing.T) {
	const head = `<testsuites><testsuite name="s"><testcase name="a"/>`
	for _, c := range []struct {
		reason string
		parts  []io.Reader
		told   string
	}{
		{"96 MiB of text", []io.Reader{strings.NewReader(`<testcase name="b"><failure>`), repeated("0123456789abcdef", 6<<20), strings.NewReader(`</failure></testcase></testsuite></testsuites>`)}, "repaired-text 1:1"},
		{"27 MiB of CDATA with brackets", []io.Reader{strings.NewReader(`<testcase name="b"><failure><![CDATA[`), repeated("]] >x<a>\n", 3<<20), strings.NewReader(`]]></failure></testcase></testsuite></testsuites>`)}, "repaired-text 1:1"},
		{"10^6 attributes", []io.Reader{strings.NewReader(`<testcase`), repeated(` a=""`, 1e6), strings.NewReader(`/>`)}, "unreadable-input"},
		{"a value of 64 MiB", []io.Reader{strings.NewReader(`<testcase name="`), repeated("xxxxxxxx", 8<<20), strings.NewReader(`"/>`)}, "unreadable-input"},
		{"10^6 elements in each other", []io.Reader{repeated("<a>", 1e6)}, "unreadable-input"},
		{"10^6 suites in each other", []io.Reader{repeated("<testsuite>", 1e6)}, "unreadable-input"},
		{"a document type without end", []io.Reader{strings.NewReader("<!DOCTYPE x ["), repeated("<!ENTITY a 'b'>", 1e6)}, "unreadable-input"},
		{"10^5 failures in one testcase", []io.Reader{strings.NewReader(`<testcase name="b">`), repeated("<failure/>", 1e5), strings.NewReader(`</testcase></testsuite></testsuites>`)}, ""},
	} {
		s := &readtest.Sink{}
		before := peak()
		if err := Read(io.MultiReader(append([]io.Reader{strings.NewReader(head)}, c.parts...)...), s); err != nil {
			t.Fatal(err)
		}
		if used := peak() - before; used > 200<<20 {
			t.Errorf("%s: %d MB", c.reason, used>>20)
		}
		if len(s.Trials) == 0 || s.Trials[0].Test != "a" {
			t.Errorf("%s: what came before is lost", c.reason)
		}
		if got := strings.Join(s.Told(), " "); !strings.HasPrefix(got, c.told) || c.told == "" && got != "" {
			t.Errorf("%s: problems %q, want %q", c.reason, got, c.told)
		}
	}
}

// peak is what the process has taken from the system so far, which never falls.
func peak() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

func FuzzJUnit(f *testing.F) {
	for _, c := range samples {
		text := sample(f, c.file)
		f.Add(text[:min(len(text), 6000)])
	}
	f.Add([]byte(in(`<testcase name="a"><properties><property name="tribunal.key" value='["s","t","v"]'/><property name="tribunal.rows" value='{"outcome":"PF"}'/></properties></testcase>`)))
	f.Add([]byte(`<testsuite name="x"><properties><property name="tribunal.schema" value="v"/><property name="tribunal.policy" value="{}"/></properties><testcase name="a [b]" classname="c"><properties><property name="tribunal.rows" value='{"outcome":"PFX","attempt":[0,1,2]}'/></properties><failure message="m">m&#10;trial 2: fail&#10;  said&#10;  output:&#10;    long</failure></testcase></testsuite>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		s := readText(t, string(text))
		for _, p := range s.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" || p.Code == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, trial := range s.Trials {
			if trial.Test == "" || trial.Attempt.V < 0 || trial.Line < 0 || trial.Key.String() == "" {
				t.Errorf("%#v", trial)
			}
		}
	})
}

// TestPromptfooErrors: an error in its JUnit report is a provider that gave no
// answer, and of the same class as in its JSON.
func TestPromptfooErrors(t *testing.T) {
	for _, c := range []struct{ suite, message, class string }{
		{"promptfoo", "API error: 500", "infrastructure"},
		{"promptfoo", "Request timed out after 300000ms", "timeout"},
		{"others", "API error: 500", ""},
	} {
		s := readtest.Text(t, Read, `<testsuites name="`+c.suite+`"><testsuite name="s"><testcase name="a"><error message="`+c.message+`"/></testcase></testsuite></testsuites>`)
		if got := s.Trials[0]; got.Status != envelope.Error || got.ErrorClass != c.class || got.Message != c.message {
			t.Errorf("%s %q: %+v", c.suite, c.message, got)
		}
	}
}

// TestNotRun: what runners write for testcases that were never run, and for those that
// look like it. Each was written by the runner that is named.
func TestNotRun(t *testing.T) {
	vitest := func(file, time, cases string) string {
		return `<testsuites name="vitest tests" tests="1" failures="0" errors="0" time="` + time + `"><testsuite name="` + file + `" timestamp="2026-11-25T08:19:53.312Z" hostname="vm" tests="1" failures="0" errors="0" skipped="0" time="` + time + `">` + cases + `</testsuite></testsuites>`
	}
	gtest := func(attributes string) string {
		return `<testsuites tests="1" name="AllTests"><testsuite name="S" tests="1" skipped="1"><testcase name="a" file="a.cc" line="4" status="run" result="skipped" ` + attributes + ` classname="S"><skipped message="a.cc:4&#x0A;"/></testcase></testsuite></testsuites>`
	}
	const run = "[run] #0 error infrastructure"
	for _, c := range []struct {
		text   string
		want   []string
		reason string
	}{
		{vitest("a.test.js", "0", `<testcase name="a" time="0"/>`), []string{"a.test.js/a #0 skip", run}, "Vitest whose worker was killed: no result, and no time"},
		{vitest("a.test.js", "0", `<testcase name="a" time="0"><failure message="x"/></testcase>`), []string{"a.test.js/a #0 fail"}, "what failed did so"},
		{vitest("a.test.js", "0", `<testcase name="a" time="0"><skipped/></testcase>`), []string{"a.test.js/a #0 skip"}, "Vitest, all skipped by themselves"},
		{vitest("a.test-d.ts", "0", `<testcase name="a" time="0"/>`), []string{"a.test-d.ts/a #0 pass"}, "Vitest --typecheck, which runs nothing"},
		{vitest("a.test.js", "0.01", `<testcase name="a" time="0"/>`), []string{"a.test.js/a #0 pass"}, "a clock may be coarse in a browser"},
		{gtest(`time="0" timestamp="1970-01-01T00:00:00.000"`), []string{"S/a #0 error skipped"}, "GoogleTest 1.12.1 whose SetUpTestSuite failed"},
		{gtest(`time="0" timestamp="1969-12-31T19:00:00.000"`), []string{"S/a #0 error skipped"}, "the same in New York"},
		{gtest(`time="0" timestamp="2026-11-25T08:19:00.238"`), []string{"S/a #0 skip"}, "GoogleTest 1.12.1, GTEST_SKIP in the test"},
		{`<testsuites><testsuite name="c3" errors="0" failures="0" tests="1" hostname="tbd" time="0.000" timestamp="2026-11-25T12:02:16Z"><testcase classname="c3.global" name="mf" time="0.000" status="run"><skipped message="TEST_CASE tagged with !mayfail"/><failure message="1==2" type="CHECK">FAILED:</failure></testcase></testsuite></testsuites>`, []string{"c3.global/mf #0 pass failed as expected"}, "what a test that may fail did stays known"},
		{`<testsuites time="0.005"><testsuite name="k.bats" tests="1" failures="0"><testcase classname="k.bats" name="b" time="0.005"><system-out>bats warning: Executed 1 instead of expected 2 tests</system-out></testcase></testsuite></testsuites>`, []string{"k.bats/b #0 error infrastructure"}, "Bats 1.8 that was killed in its second test"},
		{`<testsuites><testcase name="a" time="0.1" classname="test"/><undefined name="root"><testcase name="/app/a.mjs" time="0.1" classname="test" failure="x"><failure type="hookFailed" message="x"/></testcase></undefined></testsuites>`, []string{"test/a #0 pass", "test//app/a.mjs #0 error"}, "node 20, a hook around all tests"},
		{gtest(`time="0." timestamp="1970-01-01T00:00:00.000"`), []string{"S/a #0 skip"}, "GoogleTest 1.17, GTEST_SKIP in SetUpTestSuite"},
	} {
		if s := readtest.Text(t, Read, c.text); !slices.Equal(s.Lines(), c.want) {
			t.Errorf("%s: got %q, want %q", c.reason, s.Lines(), c.want)
		}
	}
}

// TestRiskyOfPHPUnit: PHPUnit 9.6.7 wrote these, and ended with 0, or with 1 under
// --fail-on-risky and --fail-on-warning, with the same report.
func TestRiskyOfPHPUnit(t *testing.T) {
	for child, want := range map[string]envelope.Status{
		`<error type="PHPUnit\Framework\RiskyTestError">ATest::testRisky` + "\nThis test did not perform any assertions</error>": envelope.Error,
		`<error type="PHPUnit\Framework\OutputError">ATest::testRisky` + "\nTest code or tested code printed output</error>":     envelope.Error,
		`<warning type="PHPUnit\Framework\Warning">ATest::testRisky` + "\ncareful</warning>":                                     envelope.Pass,
	} {
		testcase := `<testcase name="testRisky" class="ATest" classname="ATest">` + child + `</testcase>`
		s := readtest.Text(t, Read, in(testcase+testcase))
		if len(s.Trials) != 2 || s.Trials[0].Status != want || !slices.Equal(s.Told(), []string{codeByOption + " 1:" + strconv.Itoa(strings.Index(in(testcase), child)+1)}) {
			t.Errorf("%s: %q, told %q, want %s and told once", child, s.Lines(), s.Told(), want)
		}
	}
}

// TestPHPUnit: PHPUnit 9.6 and 10 begin what a failure says with the name of its test,
// which is no reason. Its classname has dots where the name has backslashes.
func TestPHPUnit(t *testing.T) {
	for name, want := range map[string]string{
		`<testcase name="testA" class="App\CartTest" classname="App.CartTest"><failure type="F">App\CartTest::testA` + "\nFailed asserting that 2 is less than 2.\n\n/app/CartTest.php:15</failure></testcase>":     "Failed asserting that 2 is less than 2.",
		`<testcase name="testA with data set &quot;two&quot;" classname="CartTest"><failure type="F">CartTest::testA with data set "two" (2, 2)` + "\nFailed asserting that 2 is less than 2.</failure></testcase>": "Failed asserting that 2 is less than 2.",
		`<testcase name="testA" classname="CartTest"><error type="E">CartTest::testA</error></testcase>`:                                                                                                            "CartTest::testA",
		`<testcase name="testA" classname="CartTest"><error type="E">Other::testA` + "\nbroke</error></testcase>":                                                                                                   "Other::testA",
	} {
		s := readtest.Text(t, Read, in(name))
		if len(s.Trials) != 1 || strings.Split(s.Trials[0].Message, "\n")[0] != want {
			t.Errorf("%s: %+v", name, s.Trials)
		}
	}
}
