package junit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/outcomestrip"
	known "tribunal/read/internal/trialfields"
)

// take makes trials of a testcase and delivers them, or holds them until the
// end of the suite tells what they are.
func (rd *reader) take(c *testcase, s *suite) {
	if s.kind == own {
		rd.restore(c, s)
		return
	}
	if s.key(c).Test == "" {
		if s.kind == pytest { // opens the testcase before the test runs, and names it behind
			rd.whole.Fail(envelope.ClassInfrastructure, "pytest was interrupted in a test: it and later tests are missing")
			return
		}
		rd.name(c, s)
	}
	trials := rd.trials(c, s)
	switch s.kind {
	case gotestsum, gradle, gdUnit4, pytest, testthat:
		trials = slices.Clone(trials)
	}
	switch s.kind {
	case gotestsum, gradle:
		s.held = append(s.held, heldCase{trials: trials, at: c.at})
	case gdUnit4:
		s.held = append(s.held, heldCase{trials: trials, at: c.at, tries: rd.passedAfterAll(c, s)})
	case testthat:
		if len(s.held) > 0 && s.held[0].trials[0].Key != trials[0].Key { // a testcase for each expectation of a test
			rd.releaseExpectations(s)
		}
		s.held = append(s.held, heldCase{trials: trials, at: c.at})
	case pytest:
		rd.takePytest(heldCase{trials: trials, at: c.at}, s)
	default:
		rd.emit(trials)
	}
}

// name gives a testcase that has no name one that says so: what it tells counts.
// Its number is its place among those of its suite, which another run keeps as
// long as its runner keeps their order.
func (rd *reader) name(c *testcase, s *suite) {
	rd.unnamed[s.path]++
	c.name = fmt.Sprintf("(unnamed %d)", rd.unnamed[s.path])
	rd.note(c.at, envelope.CodeMalformed,
		"testcases without a name are called (unnamed 1), (unnamed 2) and so on; name them, or their history mixes")
}

// trials are the tries of one testcase in the order they ran, until those of the
// next one are made.
func (rd *reader) trials(c *testcase, s *suite) []envelope.Trial {
	base, out := rd.base(c, s), rd.room[:1]
	last := &out[0]
	*last = base
	rd.outcome(last, c, s)
	if len(c.flakies)+len(c.reruns) == 0 && len(c.failures) < 2 && !c.flaky && s.kind != playwright {
		return out
	}
	switch {
	case c.flaky && s.counts == 0 && len(c.failures) > 0: // Flank counts no failure where a later try passed
		return rd.passedAfterAll(c, s)
	case s.kind == vitest && len(c.failures) > 1:
		rd.note(c.at, codeInferred, "Vitest writes one testcase for several tries: each failure in it counts as one, and no times are known; its JSON says no more")
		out = rd.tries(base, c, c.failures)
	case s.kind == playwright && len(c.flakies)+len(c.reruns) == 0:
		out = rd.playwrightTries(*last, c)
	case len(c.failures) > 0: // Surefire, nextest and Playwright told to write all tries: the failure is the first run
		out = append(rd.tries(base, c, c.flakies), *last)
		out = append(out, rd.tries(base, c, c.reruns)...)
	default:
		out = append(rd.tries(base, c, c.flakies), rd.tries(base, c, c.reruns)...)
		out = append(out, *last)
	}
	for i := range out {
		out[i].Retry = i > 0
	}
	return out
}

// base is what all tries of a testcase have in common.
func (rd *reader) base(c *testcase, s *suite) envelope.Trial {
	t := envelope.Trial{Key: s.key(c), File: c.file}
	t.File = cmp.Or(t.File, s.file)
	if c.line != "" && t.File != "" {
		if n, err := strconv.Atoi(c.line); err == nil && n >= 0 && n < math.MaxInt32 {
			t.Line = n
			if s.kind == pytest { // counts lines from 0
				t.Line++
			}
		}
	}
	for _, p := range c.properties {
		known.Set(&t, p.name, p.value)
	}
	return t
}

func (rd *reader) outcome(t *envelope.Trial, c *testcase, s *suite) {
	t.Status = envelope.Pass
	t.DurationMS = rd.milliseconds(c.time, c.at)
	if at, ok := instant(c.timestamp); ok {
		t.StartedAt = at
	}
	f := worst(c.failures)
	switch {
	case c.skipped != nil && c.skipped.kind == todo:
		rd.skipCase(t, c)
		t.RawStatus = todo // node adds the failure of one that failed, and counts none
	case f != nil && c.excused(s):
		t.RawStatus = "failed as expected" // its run passes
	case f != nil && f.kind == flakyFailure && len(c.flakies) > 0:
		t.RawStatus, rd.failed = f.kind, flakyFails // the last try passed
	case f != nil:
		c.failed(t, f, s.kind)
	case c.skippedByRunner(s.kind):
		c.notTried(t, s.kind)
	case c.skipped != nil && c.setUpFailed():
		t.Status, t.RawStatus = envelope.Error, "skipped"
		t.Message = "the test did not begin: SetUpTestSuite or a global SetUp failed"
	case c.skipped != nil:
		rd.skipCase(t, c)
		if s.kind == playwright && !c.skippedByItself() || c.status == untested {
			rd.failed = unended
		}
	case c.status == untested: // of a behave that shows no skipped element (--no-skipped)
		t.Status, t.RawStatus, rd.failed = envelope.Skip, c.status, unended
	case s.neverRan && c.time == noTime:
		t.Status, rd.failed = envelope.Skip, unended
	case unendedBats(c.out):
		t.Status, t.ErrorClass, t.Message = envelope.Error, envelope.ClassInfrastructure, summary("", c.out)
	case saysFailed(c.result):
		t.Status, t.RawStatus = envelope.Fail, c.result
	case c.status != "":
		if status := ofAttribute(c.status); status != envelope.Pass {
			t.Status, t.RawStatus = status, c.status
		}
		if t.Status == envelope.Error {
			t.Message = "the report says no more of it than " + strconv.Quote(c.status)
		}
	}
}

// failed fills in what the failures of a testcase say, of which f is the worst.
func (c *testcase) failed(t *envelope.Trial, f *fault, by kind) {
	fail(t, f)
	if f.message == "" {
		if body := behindName(f.body, c); body != f.body {
			t.Message = summary("", body)
		}
	}
	if len(c.failures) > 1 {
		t.Message, t.Output = together(c.failures)
	}
	if by == promptfoo && f.isError { // its provider gave no answer
		t.ErrorClass = failure.OfProvider(f.message + f.body)
	}
	if by == gotestsum && broken().MatchString(f.body) {
		t.Status, t.ErrorClass = envelope.Error, envelope.ClassPreValidation
	}
	t.Output = failure.Together(t.Output, c.out, c.err)
}

// notTried fills in what is said of a test that its runner skipped.
func (c *testcase) notTried(t *envelope.Trial, by kind) {
	fail(t, c.skipped)
	t.Status, t.RawStatus, t.ErrorClass = envelope.Error, c.status, cmp.Or(t.ErrorClass, envelope.ClassPreValidation)
	if by == eUnit { // it has a stack at most
		t.Message = "cancelled by EUnit: " + c.skipped.kind
	}
	t.Output = failure.Together(t.Output, c.out, c.err)
}

// unendedBats reports whether a testcase is the last of a file that did not come to its
// end, which Bats writes into what it printed: it began all the same, and nothing says how
// it went.
func unendedBats(out string) bool {
	return strings.Contains(out, "bats warning: ") && batsWarning().MatchString(out) // the expression alone takes a third of reading a report
}

var batsWarning = regex.Of(`(?m)^bats warning: Executed \d+ instead of expected \d+ tests$`)

// noTime is the time of what did not run: GoogleTest before 1.14 and Vitest round no time
// of a test that ran to it.
const noTime = "0"

// unended is why a run failed in which tests that nobody skipped did not end.
const unended = "tests were not run, or not to their end, and none failed: the run was stopped, the worker that had them died, or a hook around them failed"

// untested is what behave says of a scenario that it did not come to: a hook failed, or the
// run was stopped. Those of a dry run say no other, and test nothing either.
const untested = "untested"

// autoSkip begins the term that Common Test of Erlang writes of a test case of which a
// configuration function failed. One that a function asked to skip has tc_user_skip.
const autoSkip = "{tc_auto_skip,"

// skippedByRunner reports whether a test was skipped that did not wish it, for which its run
// fails: EUnit cancels tests and skips none, and CTest names the wishes that it heeds.
func (c *testcase) skippedByRunner(by kind) bool {
	switch {
	case c.skipped == nil:
		return false
	case by == ctest:
		return !strings.HasPrefix(c.skipped.message, "SKIP_")
	}
	return by == eUnit && c.classname == "" || strings.HasPrefix(c.skipped.body, autoSkip)
}

// setUpFailed reports whether a testcase is of GoogleTest before 1.14, which skips the
// tests of a suite by itself where SetUpTestSuite failed, or all where a global SetUp did,
// and begins none of them: their time is that of 1970. Newer ones write "0." as the
// time, skip tests as well where SetUpTestSuite asks for it, and since 1.16 have a
// testcase for what failed.
func (c *testcase) setUpFailed() bool {
	began, known := instant(c.timestamp + "Z")
	return c.status == "run" && c.time == noTime && known && began.Year() <= 1970
}

// skippedByItself reports whether a testcase of Playwright says why it was skipped. One
// that does not was never run: the run was stopped, or what it waits for failed.
func (c *testcase) skippedByItself() bool {
	return slices.ContainsFunc(c.properties, func(p property) bool { return p.name == "skip" || p.name == "fixme" })
}

// excused reports whether a test that failed was expected to: Catch2 says so of one that is
// tagged !mayfail or !shouldfail. Boost.Test counts no failure then, and says of others, in
// what they wrote to standard error, that failures were detected.
func (c *testcase) excused(s *suite) bool {
	return c.skipped != nil && c.skipped.message == "TEST_CASE tagged with !mayfail" ||
		s.kind == boostTest && s.counts == 0 && !strings.Contains(c.err, "Failures detected in:") &&
			!slices.ContainsFunc(c.failures, func(f fault) bool { return f.kind != "assertion error" })
}

// flakyFailure is the type of a failure of nextest whose last try passed, and flakyFails why
// its run failed all the same.
const (
	flakyFailure = "flaky failure"
	flakyFails   = "tests were flaky, for which nextest fails this run (flaky-result)"
)

// todo is the type of the skipped element of node's test runner for a test that is
// still to be done, whether it ran or not.
const todo = "todo"

// broken is what go test prints for a package that could not be built.
var broken = regex.Of(`\[(build|setup) failed\]`)

// saysFailed reports whether a result attribute alone says that a testcase failed. That of
// GoogleTest and of Qt has other words, of which no test fails that has no element for it.
func saysFailed(word string) bool {
	status, _ := envelope.ParseStatus(word)
	return status == envelope.Fail || status == envelope.Error
}

// harmless are the words of a status attribute that say no more than that a test ran, or that
// it went as it was to, of behave, or that it fails no run, of Maestro (warning), GUT (no
// asserts) and bashunit (snapshot). A number says nothing either.
var harmless = []string{"run", "ran", "executed", "complete", "completed", "done", "finished", "xfailed", "xpassed", "pending_warn",
	"warning", "no asserts", "snapshot"}

// notRun are the words for a test that was left out: of GoogleTest, and of GUT.
var notRun = []string{"notrun", "not run"}

// ofAttribute is what the status attribute says of a testcase without children: GoogleTest
// and others have nothing else. One that nobody knows is no pass.
func ofAttribute(word string) envelope.Status {
	if status, known := envelope.ParseStatus(word); known {
		return status
	}
	switch word = strings.ToLower(strings.TrimSpace(word)); {
	case slices.Contains(notRun, word):
		return envelope.Skip
	case strings.Trim(word, "0123456789") == "", slices.Contains(harmless, word):
		return envelope.Pass
	}
	return envelope.Error
}

func (rd *reader) skipCase(t *envelope.Trial, c *testcase) {
	t.Status = envelope.Skip
	t.Message = summary(c.skipped.message, c.skipped.body)
	if t.Message == "true" { // of node: no reason was given
		t.Message = ""
	}
	if c.skipped.message == string(envelope.Inconclusive) { // without its trials: nobody knows how they went
		t.RawStatus = c.skipped.message
		rd.aggregated(t, c.at)
	}
}

// aggregated marks a trial that stands for all trials of a test.
func (rd *reader) aggregated(t *envelope.Trial, at place) {
	t.Labels = append(t.Labels, outcomestrip.Aggregated)
	rd.note(at, outcomestrip.CodeAggregated, "some tests are here without their trials: each counts as one trial, labelled aggregated; an inconclusive one as skipped")
}

// behindName is what a body says behind the name of its test, with which PHPUnit begins it.
func behindName(body string, c *testcase) string {
	name, rest, more := strings.Cut(body, "\n")
	if more && c.classname != "" && strings.HasPrefix(name, strings.ReplaceAll(c.classname, ".", `\`)+"::"+c.name) {
		return rest
	}
	return body
}

// worst is the first error, or the first failure when there is none.
func worst(fs []fault) *fault {
	for i := range fs {
		if fs[i].isError {
			return &fs[i]
		}
	}
	if len(fs) > 0 {
		return &fs[0]
	}
	return nil
}

// fail fills in what an element says of a try that did not pass.
func fail(t *envelope.Trial, f *fault) {
	t.Status = envelope.Fail
	if f.isError {
		t.Status = envelope.Error
	}
	t.Message = summary(f.message, f.body)
	t.Output = failure.Together(f.body, f.out, f.err)
	t.ErrorClass = class(f, t.Message)
	failure.OfNode(t, f.kind)
}

// tries are the tries that have an element of their own.
func (rd *reader) tries(base envelope.Trial, c *testcase, fs []fault) (out []envelope.Trial) {
	for i := range fs {
		t := base
		fail(&t, &fs[i])
		t.DurationMS = rd.milliseconds(fs[i].time, c.at)
		if at, ok := instant(fs[i].timestamp); ok {
			t.StartedAt = at
		}
		out = append(out, t)
	}
	return out
}
