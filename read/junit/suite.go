package junit

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/xmlwalk"
)

// kind is the runner that wrote a suite, where that decides how it is read.
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
	meson
	qt5Test
	boostTest
	testthat
	own // render/junit
)

// suite is an open testsuite or testsuites: what it says of its testcases, and
// those that cannot be delivered before its end.
type suite struct {
	name, path    string // path: the names of the suites around it and its own
	id, timestamp string
	file          string
	variant       string
	kind          kind
	recorded      []property // properties of render/junit
	held          []heldCase
	open          openCases // of pytest
	once          bool      // pytest tried each test once
	flaky         int       // testcases that passed after all, of gdUnit4
	counts        int       // failures and errors, as it counts them
	tests, skips  int       // all tests and those not run, as it counts them
	tries, left   int       // testcases that ran, with their tries, and those that were skipped
	counting      bool      // a suite in it counts its tests
	loose         bool      // tests counts more than what has a testcase
	filled        bool      // there is a testcase in it, or a suite, or what failed outside of them
	printed       string    // to standard error, where nothing else tells what failed
	neverRan      bool      // a file of Vitest of which nothing came to its end
}

// heldCase is a testcase whose trials wait for the end of the suite.
type heldCase struct {
	trials []envelope.Trial
	at     place
	tries  []envelope.Trial // what they are if the suite tells that each failure was a try
}

// typesOnly is a file of Vitest whose types are tested: nothing in it is run.
var typesOnly = regex.Of(`-d\.[cm]?[jt]sx?$`)

var stress = regex.Of(`@stress-[0-9]+$`)

// pytestSuite is the name of a testsuite of pytest, unless junit_suite_name gives
// it another. Then pytest is known by the name of the root (from 8.4 on), or by the
// attributes of the testsuite in the order in which pytest alone writes them.
const (
	pytestSuite      = "pytest"
	pytestOnce       = "pytest-once" // tribunal run names it so: no name in it is that of a repeat
	pytestRoot       = "pytest tests"
	pytestAttributes = "name errors failures skipped tests time timestamp hostname"
)

// The attributes of a testsuite in the order in which one runner alone writes them.
const (
	gradleAttributes = "name tests skipped failures errors timestamp hostname time"
	sbtAttributes    = "hostname name tests errors failures skipped time timestamp"
	mesonRoot        = "tests errors failures"
	mesonAttributes  = "name tests errors failures skipped time"
)

var byAttributes = map[string]kind{
	gradleAttributes: gradle,
	"name timestamp hostname tests failures skipped time errors":                  playwright,
	"name timestamp hostname tests skipped failures errors time":                  testthat,
	"tests skipped errors failures id name time":                                  boostTest,
	"name tests failures disabled skipped hostname time timestamp":                ctest,
	"errors failures tests name":                                                  qt5Test,
	"tests failures errors skipped time name":                                     eUnit,
	"id name package timestamp hostname tests failures errors skipped flaky time": gdUnit4,
}

func (rd *reader) suite(start *xmlwalk.Element, parent *suite) *suite {
	s := &suite{name: start.Attr("name"), timestamp: start.Attr("timestamp"), kind: parent.kind, variant: parent.variant}
	s.id = start.Attr("uuid")
	if s.id == "" && start.Name == "testsuites" {
		s.id = start.Attr("id")
	}
	s.file = start.Attr("file")
	s.name = stress().ReplaceAllString(s.name, "")
	if s.name == pytestOnce {
		s.name, s.once = pytestSuite, true
	}
	s.path = joined(parent.path, s.name)
	s.counts, s.tests = start.Number("failures")+start.Number("errors"), start.Number("tests")
	s.skips = start.Number("skipped") + start.Number("disabled") + start.Number("ignored")
	rd.counted = max(rd.counted, s.counts)
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

// countsMore are the attributes of a testsuite, in their order, of runners that count more in
// tests than they write: assertions of Catch2, doctest and Nightwatch, and pending tests of
// mocha-junit-reporter.
var countsMore = regex.Of(`^name (errors failures (skipped )?tests( hostname)?( time)?( timestamp)?( doctest_version)?|` +
	`errors failures hostname id package skipped tests time timestamp|timestamp tests( file)?( .*)? time failures( skipped)?)$`)

func (s *suite) header() envelope.Header {
	h := envelope.Header{Name: s.name, ID: s.id}
	if at, ok := instant(s.timestamp); ok {
		h.StartedAt = at.Format(time.RFC3339Nano)
	}
	return h
}

// instant is a time with a zone; most runners give none, and then nobody knows
// what instant is meant.
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
		case strings.HasPrefix(p.name, "tribunal."):
			s.kind, s.loose = own, true
			s.recorded = append(s.recorded, p)
		case p.name == "SuiteSucceeded": // Ginkgo, which counts what it was told to leave out
			s.loose = true
		}
	}
}

func joined(above, name string) string {
	if above == "" || name == "" {
		return above + name
	}
	return above + "/" + name
}

// key is the identity of a testcase. The classname is part of the suite's name
// unless it says nothing new: it is the name of a suite around it, or that of
// the test. pytest calls every suite pytest, unless it is told another name, and
// node has one classname for all tests, of whatever file.
func (s *suite) key(c *testcase) envelope.Key {
	k := envelope.Key{Suite: s.path, Test: c.name, Variant: s.variant}
	switch {
	case c.byNode:
		k.Suite = joined(c.file, s.path)
	case c.classname == "" || c.classname == s.name || c.classname == s.path || c.classname == c.name:
	case s.kind == pytest && s.name == pytestSuite, k.Suite == "", strings.HasPrefix(c.classname, s.path+"."),
		strings.HasPrefix(c.classname, s.path+"::"):
		k.Suite = c.classname
	default:
		k.Suite = joined(s.path, c.classname)
	}
	k.Test = cmp.Or(k.Test, c.classname)
	if s.kind == promptfoo { // whose number differs from repeat to repeat
		k.Test = numbered().ReplaceAllString(k.Test, "$1")
	}
	return k
}

var numbered = regex.Of(`^(?i:test) [0-9]+: (.+)$`)

// This file reads what a suite says beside its testcases: counters, failures of its own,
// properties of the run, standard error.

// end reports testcases that a suite counts and does not have, and adds it to the one around
// it. A runner may leave out what it skipped.
func (rd *reader) end(s, around *suite, start *xmlwalk.Element) {
	if !s.filled {
		s.tries += s.counts // which an error of the run stands for
	}
	if has := s.tries + max(s.left, s.skips); !s.loose && has < s.tests && (s.counting || start.Name == "testsuite") {
		part := "the " + start.Name + " " + strconv.Quote(start.Attr("name"))
		rd.whole.Fewer(envelope.Problem{Line: start.Line, Column: start.Column, Message: part}, s.tests, has, "testcases")
		s.loose = true // what is around it misses the same
	}
	around.tries, around.left = around.tries+s.tries, around.left+s.left
	around.counting, around.loose = around.counting || start.Has("tests"), around.loose || s.loose
}

// outside delivers what failed of a suite outside of its testcases.
func (rd *reader) outside(start *xmlwalk.Element, s *suite) {
	s.tries++
	rd.whole.Fail("", failure.Together("the suite "+strconv.Quote(s.path)+" failed outside of its testcases", start.Attr("message"),
		rd.doc.Text(keptLimit)))
}

// exitOfMeson begins what Meson adds to standard error of a program whose points of TAP
// passed, and which ended with another code than 0 or by a signal.
const exitOfMeson = "(test program exited with status code "

// exitOf reads how a program under Meson ended.
func (rd *reader) exitOf(s *suite) {
	const room = 2 * len(exitOfMeson)
	var end []byte
	rd.doc.Said(func(b []byte) {
		end = append(end, b...)
		end = end[max(0, len(end)-room):]
	})
	if _, code, found := strings.Cut(string(end), exitOfMeson); found {
		rd.whole.Fail("", "the program of "+strconv.Quote(s.path)+" ended with exit code "+strings.TrimRight(code, ") \n"))
	}
}

// ofGinkgo heeds what Ginkgo says of the run of a suite: that it failed, also for what is
// no spec, and that specs are focused, for which it ends with 197.
func (rd *reader) ofGinkgo(properties []property) {
	for _, p := range properties {
		switch {
		case p.name == "SuiteHasProgrammaticFocus" && p.value == "true":
			rd.failed = "specs of a suite of Ginkgo are focused in its code, and others were left out: Ginkgo fails such a run, with exit code 197"
		case p.name == "SuiteSucceeded" && p.value == "false" && rd.failed == "":
			rd.failed = "Ginkgo says that a suite did not succeed"
		case p.name == "SpecialSuiteFailureReason" && p.value != "":
			rd.failed = p.value
		}
	}
}
