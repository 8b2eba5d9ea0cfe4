package junit

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/xmlwalk"
)

// kind is the runner that wrote a suite, if it needs special treatment.
type kind int

const (
	anyRunner kind = iota
	gotestsum
	pytest
	playwright
	vitest
	promptfoo
	gradle
	gdUnit4
	ctest
	eUnit
	ginkgo
	meson
	qtTest
	boostTest
	testthat
	webdriverIO
	own // render/junit
)

// suite is an open testsuite or testsuites, with the testcases that cannot be delivered before its end.
type suite struct {
	name, path    string // path has the names of all suites around it, too
	id, timestamp string
	file          string
	variant       string
	kind          kind
	recorded      []property // properties of render/junit
	held          []heldCase
	open          openCases    // of pytest
	once          bool         // pytest tried each test once
	flaky         int          // of gdUnit4: tests that passed in the end
	counts        int          // failures and errors, as it counts them
	errors        int          // errors, as it counts them
	faults        int          // failures and errors in it, also of tries, and those that are reported as missing
	ofGotestsum   bool         // a suite in it is of gotestsum
	tests, skips  int          // all tests and those not run, as it counts them
	tries, left   int          // testcases that ran, with their tries, and those that were skipped
	counting      bool         // a suite in it counts its tests
	loose         bool         // tests counts more than what has a testcase
	filled        bool         // it has a testcase, a suite, or a failure outside of them
	printed       string       // standard error, if nothing else says what failed
	neverRan      bool         // a file of Vitest in which no test ended
	again         envelope.Key // of the test that WebdriverIO tries again
}

// heldCase is a testcase whose trials wait for the end of the suite.
type heldCase struct {
	trials []envelope.Trial
	at     place
	tries  []envelope.Trial // the trials if each failure was a try
}

// typesOnly matches files of Vitest with type tests, which do not run.
var typesOnly = regex.Of(`-d\.[cm]?[jt]sx?$`)

// changing matches what differs in each run: the number of a stress run of nextest, and the
// time that unittest-xml-reporting adds.
var changing = regex.Of(`(@stress-[0-9]+|-20[0-9]{12})$`)

// pytestSuite is the default name of a testsuite of pytest. With another junit_suite_name, pytest is recognised by
// the name of the root, from 8.4 on, or by the order of the attributes of the testsuite.
const (
	pytestSuite      = "pytest"
	pytestOnce       = "pytest-once" // set by tribunal run: no test in it is a repeat
	pytestRoot       = "pytest tests"
	pytestAttributes = "name errors failures skipped tests time timestamp hostname"
)

// Attributes of a testsuite, in the order that identifies the runner.
const (
	gradleAttributes = "name tests skipped failures errors timestamp hostname time"
	sbtAttributes    = "hostname name tests errors failures skipped time timestamp"
	mesonRoot        = "tests errors failures"
	mesonAttributes  = "name tests errors failures skipped time"
	newmanAttributes = "name id timestamp tests failures errors time"
	ofNightwatch     = "name errors failures hostname id package skipped tests time timestamp"
)

var byAttributes = map[string]kind{
	gradleAttributes: gradle,
	"name timestamp hostname tests failures skipped time errors":                  playwright,
	"name timestamp hostname tests skipped failures errors time":                  testthat,
	"tests skipped errors failures id name time":                                  boostTest,
	"name tests failures disabled skipped hostname time timestamp":                ctest,
	"tests failures errors skipped time name":                                     eUnit,
	"id name package timestamp hostname tests failures errors skipped flaky time": gdUnit4,
}

func (rd *reader) suite(start *xmlwalk.Element, parent *suite) *suite {
	s := &suite{name: start.Attr("name"), timestamp: start.Attr("timestamp"), kind: parent.kind, variant: parent.variant}
	s.id, s.file = start.Attr("uuid"), start.Attr("file")
	if s.id == "" && start.Name == "testsuites" {
		s.id = start.Attr("id")
	}
	s.name = changing().ReplaceAllString(s.name, "")
	if s.name == pytestOnce {
		s.name, s.once = pytestSuite, true
	}
	s.path = joined(parent.path, s.name)
	s.errors, s.tests = start.Number("errors"), start.Number("tests")
	s.counts = start.Number("failures") + s.errors
	s.skips = start.Number("skipped") + start.Number("disabled") + start.Number("ignored")
	switch names := start.Names(); {
	case s.name == pytestSuite && start.Name == "testsuite", s.name == pytestRoot, names == pytestAttributes:
		s.kind = pytest
	case s.name == "vitest tests":
		s.kind = vitest
	case s.kind == vitest:
		s.neverRan = start.Attr("time") == noTime && !typesOnly().MatchString(s.name)
	case strings.HasPrefix(strings.ToLower(s.name), "promptfoo"):
		s.kind = promptfoo
	case names == mesonRoot && start.Name == "testsuites":
		s.kind = meson
	case s.kind == meson && names != mesonAttributes: // a report of GoogleTest that Meson took over
		s.kind = anyRunner
	case byAttributes[names] != anyRunner:
		s.kind = byAttributes[names]
	}
	switch s.kind {
	case playwright:
		s.variant = cmp.Or(start.Attr("hostname"), s.variant) // the project
	case gdUnit4:
		s.flaky = start.Number("flaky")
	}
	s.loose = s.kind == pytest || s.kind == boostTest || countsMore().MatchString(start.Names())
	return s
}

// countsMore matches the attributes of runners whose count of tests is higher than the number of testcases: Catch2,
// doctest and Nightwatch count assertions, mocha-junit-reporter pending tests, and Newman scripts, in every iteration.
var countsMore = regex.Of(`^name (errors failures (skipped )?tests( hostname)?( time)?( timestamp)?( doctest_version)?|` +
	`timestamp tests( file)?( .*)? time failures( skipped)?)$|^(` + ofNightwatch + `|` + newmanAttributes + `)$`)

func (s *suite) header() envelope.Header {
	h := envelope.Header{Name: s.name, ID: s.id}
	if at, ok := instant(s.timestamp); ok {
		h.StartedAt = at.Format(time.RFC3339Nano)
	}
	return h
}

// instant parses a time with a zone. Most runners give none, so that their times are ambiguous.
func instant(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	return at.UTC(), err == nil
}

func (s *suite) properties(ps []property) {
	for _, p := range ps {
		switch {
		case p.name == "go.version" && s.kind == anyRunner:
			s.kind = gotestsum
		case p.name == "specId" && s.kind == anyRunner:
			s.kind = webdriverIO
		case p.name == "QTestVersion" && s.kind == anyRunner:
			s.kind, s.counts = qtTest, s.counts-s.errors // messages in Qt 5; in Qt 6 they have elements
		case strings.HasPrefix(p.name, "tribunal."):
			s.kind, s.loose = own, true
			s.recorded = append(s.recorded, p)
		case p.name == "SuiteSucceeded": // Ginkgo counts specs that it was asked to leave out
			s.kind, s.loose = ginkgo, true
		}
	}
}

func joined(above, name string) string {
	if above == "" || name == "" {
		return above + name
	}
	return above + "/" + name
}

// key returns the identity of a testcase. The suite includes the classname, unless it repeats the name of a suite or
// of the test. The default suite name of pytest is not part of it, and node has the same classname for all tests.
func (s *suite) key(c *testcase) envelope.Key {
	k := envelope.Key{Suite: s.path, Test: c.name, Variant: s.variant}
	switch {
	case c.byNode:
		k.Suite = joined(c.file, s.path)
	case c.classname == "" || c.classname == s.name || c.classname == s.path || c.classname == c.name && !s.once:
	case s.kind == pytest && s.name == pytestSuite, k.Suite == "", strings.HasPrefix(c.classname, s.path+"."),
		strings.HasPrefix(c.classname, s.path+"::"):
		k.Suite = c.classname
	default:
		k.Suite = joined(s.path, c.classname)
	}
	k.Test = cmp.Or(k.Test, c.classname)
	if s.kind == promptfoo { // its number differs between repeats
		k.Test = numbered().ReplaceAllString(k.Test, "$1")
	}
	return k
}

var numbered = regex.Of(`^(?i:test) [0-9]+: (.+)$`)

// What a suite has besides testcases: counters, failures, properties and standard error.

// end reports missing testcases of a suite, by its counter, and adds its numbers to the suite
// around it. Runners may leave out skipped tests.
func (rd *reader) end(s, around *suite, start *xmlwalk.Element) {
	if !s.filled {
		s.tries += s.counts // reported as an error of the run
	}
	s.faults += max(0, s.left-s.skips) // some count skipped tests as failures
	switch more := max(0, s.counts-s.faults); {
	case !s.filled, s.faults > 0 && start.Names() == ofNightwatch: // counts assertions
	case s.faults > 0 && start.Names() == newmanAttributes: // counts assertions, and errors that have no testcase
		rd.lost += min(s.errors, more)
	default:
		rd.lost += more
	}
	around.faults += max(s.faults, s.counts)
	if has := s.tries + max(s.left, s.skips); !s.loose && has < s.tests && (s.counting || start.Name == "testsuite") {
		part := strings.TrimSuffix("the "+strings.Replace(start.Name, "testsuites", "report", 1)+" "+strconv.Quote(start.Attr("name")), ` ""`)
		rd.whole.Fewer(envelope.Problem{Line: start.Line, Column: start.Column, Message: part}, s.tests, has, "testcases")
		s.loose = true // the suite around it misses the same
	}
	if around == &rd.around && s.tries+s.left == 0 && s.skips > 0 && s.skips >= s.tests { // such as pending tests of mocha-junit-reporter
		rd.whole.Trial(&envelope.Trial{Key: envelope.Key{Test: runfailure.Test}, Status: envelope.Skip,
			Message: "the report counts " + words.Plural(s.skips, "skipped test", "skipped tests") + " but lists none"})
	}
	around.tries, around.left = around.tries+s.tries, around.left+s.left
	around.counting, around.loose = around.counting || start.Has("tests"), around.loose || s.loose
}

// exitOfMeson starts the text that Meson adds to standard error of a program that passed
// all points of TAP but exited with a code other than 0 or by a signal.
const exitOfMeson = "(test program exited with status code "

// exitOf reads the exit code of a program from Meson.
func (rd *reader) exitOf(s *suite) {
	const room = 2 * len(exitOfMeson)
	var end []byte
	rd.doc.CharData(func(b []byte) {
		end = append(end, b...)
		end = end[max(0, len(end)-room):]
	})
	if _, code, found := strings.Cut(string(end), exitOfMeson); found {
		rd.whole.Fail("", "the program of "+strconv.Quote(s.path)+" ended with exit code "+strings.TrimRight(code, ") \n"))
	}
}

// ofOthers matches the reasons of Ginkgo that follow from a failure elsewhere.
var ofOthers = regex.Of(`^(Interrupted by Other Ginkgo Process|Suite skipped in BeforeSuite|Suite did not run because prior suites failed.*)$`)

// ofGinkgo reads whether a suite of Ginkgo failed for a reason other than a spec, and whether
// specs are focused, for which Ginkgo exits with 197.
func (rd *reader) ofGinkgo(properties []property) {
	succeeded := true // also if it was skipped, for which there is a reason, too
	for _, p := range properties {
		switch {
		case p.name == "SuiteHasProgrammaticFocus" && p.value == "true":
			rd.own = "specs of a suite of Ginkgo are focused in its code, and others were left out: Ginkgo fails such a run, with exit code 197"
		case p.name == "SuiteSucceeded" && p.value == "false":
			succeeded, rd.failed = false, cmp.Or(rd.failed, "Ginkgo says that a suite did not succeed")
		case p.name == "SpecialSuiteFailureReason" && ofOthers().MatchString(p.value):
		case p.name == "SpecialSuiteFailureReason" && p.value != "" && !succeeded:
			rd.own = p.value
		}
	}
}
