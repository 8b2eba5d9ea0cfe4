package teamcity

import (
	"maps"
	"slices"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// TestPHPUnit: PHPUnit counted 10 tests, of which 2 errors, 2 failures, 1 skipped, 1
// incomplete and 1 risky. Its log calls errors and risky tests failed.
func TestPHPUnit(t *testing.T) {
	s := readtest.File(t, Read, "testdata/gen_phpunit9.6.txt")
	want := map[string]string{
		"CartTest/testAdds": "P", "CartTest/testFails": "F", "CartTest/testErrors": "F", "CartTest/testSkips": "S", "CartTest/testIncomplete": "S", "CartTest/testRisky": "F",
		"CartTest/testWarns": "F", "CartTest/testPrints": "P", `CartTest/testRows with data set "one"`: "P", `CartTest/testRows with data set "two"`: "F",
	}
	if !maps.Equal(s.Strips(), want) || len(s.Problems) > 0 {
		t.Errorf("%v %+v", s.Strips(), s.Problems)
	}
	fails := s.Find(t, "testFails", 0)
	if fails.Message != "Failed asserting that two strings are identical." || fails.DurationMS != envelope.Some(13.0) || fails.File != "/app/tests/CartTest.php" ||
		fails.Output != "expected: 'a [b] 'c' | d'\nactual: 'x\ny'\n\n /app/tests/CartTest.php:6\n " {
		t.Errorf("%q %+v", fails.Output, fails)
	}
	if skips := s.Find(t, "testSkips", 0); skips.Message != "not on this system" {
		t.Errorf("%+v", skips)
	}
}

// TestFlows: what two flows say at once, a test that passed when it was run again, and one
// that did not end.
func TestFlows(t *testing.T) {
	s := readtest.File(t, Read, "testdata/flows.txt")
	want := []string{"web/searches #0 pass", "web/pays #0 fail", "web/pays #1 pass retry", "web/ships #0 skip", "web/logs out #0 error", "hangs #0 error infrastructure"}
	if !slices.Equal(s.Lines(), want) || len(s.Problems) > 0 {
		t.Errorf("%q %+v", s.Lines(), s.Problems)
	}
	if pays := s.Find(t, "pays", 0); pays.Message != "it's été" || pays.Output != "at pay.js:3\n\ncard [4711]" || pays.DurationMS.V != 250 || pays.StartedAt.UTC().Format("15:04:05.000") != "02:04:05.678" {
		t.Errorf("%q %+v", pays.Output, pays)
	}
	if again := s.Find(t, "pays", 1); again.CostUSD != envelope.Some(0.25) {
		t.Errorf("%+v", again)
	}
	if out := s.Find(t, "logs out", 0); out.Message != "NullPointerException\nat x" {
		t.Errorf("%q", out.Message)
	}
}

func TestShapes(t *testing.T) {
	const start, end = "##teamcity[testStarted name='a']\n", "##teamcity[testFinished name='a']\n"
	cases := []struct {
		text        string
		lines, told []string
		reason      string
	}{
		{start + end + start + end, []string{"a #0 pass", "a #1 pass"}, nil, "again, and nobody says that it is a retry"},
		{"[junit] " + start + "2026 " + end, []string{"a #0 pass"}, nil, "behind what a build puts before a line"},
		{start + "##teamcity[testFailed name='a' message='x']\n##teamcity[testFailed name='a' error='true' message='y']\n" + end, []string{"a #0 fail"}, nil, "the first reason"},
		{start + "##teamcity[testFailed name='a' message='x']\n", []string{"a #0 fail"}, nil, "cut behind the failure"},
		{start + start + end, []string{"a #0 error infrastructure", "a #1 pass"}, nil, "begun again without an end"},
		{start + "##teamcity[testFailed name='b' message='x']\n" + end, []string{"a #0 pass"}, []string{"malformed-record 2:1"}, "a failure of another test"},
		{end, nil, []string{"malformed-record 1:1"}, "an end alone"},
		{"  ##teamcity[testStarted name='a", nil, []string{"malformed-record 1:3"}, "cut in a message"},
		{"##teamcity[testStarted name='']\n", nil, []string{"malformed-record 1:1"}, "without a name"},
		{"##teamcity[testSuiteStarted name ='s' locationHint = 'x']\n" + start + end + "##teamcity[testSuiteFinished name='s']\n" + start + end, []string{"s/a #0 pass", "a #0 pass"}, nil, "blanks around the sign, and a suite that ended"},
		{"##teamcity[testSuiteStarted name='s']\n##teamcity[testSuiteStarted name='t']\n##teamcity[flowStarted flowId='f' parent='']\n##teamcity[testSuiteFinished name='t']\n##teamcity[testSuiteStarted name='u']\n##teamcity[testStarted name='a' flowId='f']\n##teamcity[testFinished name='a' flowId='f']\n" + start + end,
			[]string{"s/t/a #0 pass", "s/u/a #0 pass"}, []string{"truncated-line 9:1"}, "a flow keeps its suites when the one around it goes on"},
		{"##teamcity[testSuiteStarted name='T' flowId='T']\n##teamcity[testStarted name='ok()' flowId='T']\n##teamcity[testFinished name='ok()' flowId='T']\n\n", []string{"T/ok() #0 pass"}, []string{"truncated-line 4:1"},
			"Qt Test 5.15.8, which writes a test when it has ended: the one behind it aborted"},
		{"##teamcity[testSuiteStarted name='s']\n##teamcity[flowStarted flowId='f' parent='']\n##teamcity[testStarted name='a' flowId='f']\n##teamcity[testFinished name='a' flowId='f']\n##teamcity[testSuiteFinished name='s']\n", []string{"s/a #0 pass"}, nil, "a flow ends none of the suites that it began in"},
		{start + end + "##teamcity[buildProblem description='the compiler crashed' identity='c']\n", []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "a problem that fails the build"},
		{start + end + "##teamcity[buildStop comment='no space left' readdToQueue='false']\n", []string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "a script cancels its build, which stops all of it (Service Messages, in TeamCity's documentation)"},
		{start + end + "##teamcity[buildProblem description='it|'s", []string{"a #0 pass"}, []string{"malformed-record 3:1"}, "cut in such a problem"},
		{start + end + "##teamcity[buildStatus status='FAILURE' text='x']\n##teamcity[buildStatus status='SUCCESS']\n##teamcity[buildStatus text='{build.status.text}, 3 files']\n",
			[]string{"a #0 pass", "[run] #0 error infrastructure"}, nil, "a status that fails the build"},
		{"##teamcity[message text='x' status='ERROR']\n##teamcity[progressStart 'x']\n" + start + end, []string{"a #0 pass"}, nil, "messages of something else"},
		{"##teamcity[testStarted name='|x|l|p|||q|0x|0x0041']\n", []string{"\u0085\u2028\u2029|q0xA #0 error infrastructure"}, nil, "escapes, and none"},
	}
	for _, c := range cases {
		s := readtest.Text(t, Read, c.text)
		if !slices.Equal(s.Lines(), c.lines) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %q %+v", c.reason, s.Lines(), s.Problems)
		}
	}
}

func TestHold(t *testing.T) { readtest.Hold(t, Sniff, Read) }

func FuzzTeamCity(f *testing.F) { readtest.Fuzz(f, Sniff, Read, "##teamcity[testStarted name='|0x00") }
