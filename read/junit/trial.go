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

// take delivers the trials of a testcase, or holds them until the end of the suite if they depend on later testcases.
func (rd *reader) take(c *testcase, s *suite) {
	if s.kind == own {
		rd.restore(c, s)
		return
	}
	if s.key(c).Test == "" {
		if s.kind == pytest { // writes the name after the test ran
			rd.whole.Fail(envelope.ClassInfrastructure, "pytest was interrupted: the test that was running and later tests are missing")
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
		if len(s.held) > 0 && s.held[0].trials[0].Key != trials[0].Key { // one testcase per expectation
			rd.releaseExpectations(s)
		}
		s.held = append(s.held, heldCase{trials: trials, at: c.at})
	case pytest:
		rd.takePytest(heldCase{trials: trials, at: c.at}, s)
	default:
		rd.emit(trials)
	}
}

// name names a testcase without a name by its number in the suite, so that it counts.
// Runs have the same numbers as long as the runner keeps the order.
func (rd *reader) name(c *testcase, s *suite) {
	rd.unnamed[s.path]++
	c.name = fmt.Sprintf("(unnamed %d)", rd.unnamed[s.path])
	rd.note(c.at, envelope.CodeMalformed,
		"testcases without a name are called (unnamed 1), (unnamed 2) and so on; name them, because the numbers may change from run to run")
}

// trials returns the tries of a testcase in the order they ran. The next call reuses their memory.
func (rd *reader) trials(c *testcase, s *suite) []envelope.Trial {
	base, out := rd.base(c, s), rd.room[:1]
	last := &out[0]
	*last = base
	rd.outcome(last, c, s)
	if s.kind == webdriverIO { // writes a failed try as skipped, with its error in standard error
		last.Retry, s.again = s.again == last.Key, envelope.Key{}
		if last.Status == envelope.Skip && c.err != "" {
			fail(last, &fault{body: c.err})
			s.again = last.Key
		}
	}
	if s.kind == ginkgo {
		if earlier := failure.TriesOfGinkgo(last, c.err); earlier != nil {
			return append(earlier, *last)
		}
	}
	if len(c.flakies)+len(c.reruns) == 0 && len(c.failures) < 2 && !c.flaky && s.kind != playwright {
		return out
	}
	switch {
	case c.flaky && s.counts == 0 && len(c.failures) > 0: // Flank counts no failure where a later try passed
		return rd.passedAfterAll(c, s)
	case s.kind == vitest && len(c.failures) > 1:
		rd.note(c.at, codeInferred, "Vitest writes one testcase for several attempts: each failure in it counts as one attempt, without a time; "+
			"so does each failed expect.soft")
		out = rd.tries(base, c, c.failures)
	case s.kind == playwright && len(c.flakies)+len(c.reruns) == 0:
		out = rd.playwrightTries(*last, c)
	case len(c.failures) > 0: // Surefire, nextest, and Playwright with includeRetries: the failure is the first run
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

// base returns a trial with the fields that all tries of a testcase share.
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
		t.RawStatus = todo // node writes the failure of a todo test, but does not count it
	case f != nil && c.excused(s):
		t.RawStatus = "failed as expected" // its run passes
	case f != nil && f.kind == flakyFailure && len(c.flakies) > 0:
		t.RawStatus, rd.failed = f.kind, flakyFails // the last try passed
	case f != nil:
		c.failed(t, f, s.kind)
	case c.skippedByRunner(s.kind):
		c.notTried(t, s.kind)
	case c.skipped != nil && c.setUpFailed() && !rd.failsFast(s):
		t.Status, t.RawStatus = envelope.Error, "skipped"
		t.Message = "the test did not begin: SetUpTestSuite or a global SetUp failed"
	case c.skipped != nil:
		rd.skipCase(t, c)
		if s.kind == playwright && !c.skippedByItself() || c.status == untested {
			rd.failed = unended
		}
	case c.status == untested: // behave without skipped elements (--no-skipped)
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

// failed sets the fields of a failed trial. f is the worst of its failures.
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

// notTried sets the fields of a test that did not run because of its runner.
func (c *testcase) notTried(t *envelope.Trial, by kind) {
	fail(t, c.skipped)
	t.Status, t.RawStatus, t.ErrorClass = envelope.Error, c.status, cmp.Or(t.ErrorClass, envelope.ClassPreValidation)
	if by == eUnit { // it has a stack at most
		t.Message = "cancelled by EUnit: " + c.skipped.kind
	}
	t.Output = failure.Together(t.Output, c.out, c.err)
}

// unendedBats reports whether Bats stopped in this test, the last of its file. The result
// of the test is unknown; only its output has a warning.
func unendedBats(out string) bool {
	return strings.Contains(out, "bats warning: ") && batsWarning().MatchString(out) // the expression alone would take a third of the time
}

var batsWarning = regex.Of(`(?m)^bats warning: Executed \d+ instead of expected \d+ tests$`)

// noTime is the time of a test that did not run. GoogleTest before 1.14 and Vitest never
// round the time of a test that ran to it.
const noTime = "0"

// unended is the reason for a run with tests that neither ended nor were skipped.
const unended = "tests were not run, or not to their end, and none failed: the run was stopped, the worker that had them died, or a hook " +
	"around them failed"

// untested is the status of a scenario that behave did not run, because a hook failed or the
// run was stopped. In a dry run all scenarios have it.
const untested = "untested"

// autoSkip starts the term of Common Test of Erlang for a test case whose configuration
// function failed. An intended skip has tc_user_skip.
const autoSkip = "{tc_auto_skip,"

// skippedByRunner reports whether the runner skipped a test that did not ask for it, which
// fails the run. EUnit only cancels tests. CTest names its reasons for intended skips.
func (c *testcase) skippedByRunner(by kind) bool {
	switch {
	case c.skipped == nil:
		return false
	case by == ctest:
		return !strings.HasPrefix(c.skipped.message, "SKIP_")
	}
	return by == eUnit && c.classname == "" || strings.HasPrefix(c.skipped.body, autoSkip)
}

// setUpFailed recognises tests that GoogleTest before 1.14 skips because SetUpTestSuite or a global SetUp failed.
// They never begin, so their timestamp is in 1970. Newer versions write the time as "0.", also skip tests if
// SetUpTestSuite asks for it, and since 1.16 have a testcase for the failure.
func (c *testcase) setUpFailed() bool {
	began, known := instant(c.timestamp + "Z")
	return c.status == "run" && c.time == noTime && known && began.Year() <= 1970
}

// failsFast reports whether a test that GoogleTest did not begin comes after a failure: --gtest_fail_fast skips the rest.
// The suite of a SetUpTestSuite that failed has begun, and has no failure.
func (rd *reader) failsFast(s *suite) bool {
	began, _ := instant(s.timestamp + "Z")
	return s.counts > 0 || rd.counted > 0 && began.Year() <= 1970
}

// skippedByItself reports whether a testcase of Playwright has a reason for its skip. Without
// one it did not run, because the run was stopped or a dependency failed.
func (c *testcase) skippedByItself() bool {
	return slices.ContainsFunc(c.properties, func(p property) bool { return p.name == "skip" || p.name == "fixme" })
}

// excused reports whether a failure was expected. Catch2 says so for tests tagged !mayfail or !shouldfail. Boost.Test
// does not count expected failures, and reports others in standard error.
func (c *testcase) excused(s *suite) bool {
	return c.skipped != nil && c.skipped.message == "TEST_CASE tagged with !mayfail" ||
		s.kind == boostTest && s.counts == 0 && !strings.Contains(c.err, "Failures detected in:") &&
			!slices.ContainsFunc(c.failures, func(f fault) bool { return f.kind != "assertion error" })
}

// flakyFailure is the type of a failure of nextest if the last try passed. flakyFails is the
// reason that such a run fails.
const (
	flakyFailure = "flaky failure"
	flakyFails   = "tests were flaky, for which nextest fails this run (flaky-result)"
)

// todo is the type of the skipped element of node's test runner for a todo test, whether it ran or not.
const todo = "todo"

// broken matches the output of go test for a package that cannot be built.
var broken = regex.Of(`\[(build|setup) failed\]`)

// saysFailed reports whether a result attribute means that the testcase failed. GoogleTest and
// Qt use other words, and always write an element for a failure.
func saysFailed(word string) bool {
	status, _ := envelope.ParseStatus(word)
	return status == envelope.Fail || status == envelope.Error
}

// harmless are words of a status attribute that do not mean a failure: the test ran, or ended as expected (behave),
// or does not fail the run (warning of Maestro, no asserts of GUT, snapshot of bashunit).
var harmless = []string{"run", "ran", "executed", "complete", "completed", "done", "finished", "xfailed", "xpassed", "pending_warn",
	"warning", "no asserts", "snapshot"}

// ofAttribute returns the status of a testcase without children, from its status attribute.
// A number is harmless; an unknown word is an error.
func ofAttribute(word string) envelope.Status {
	if status, known := envelope.ParseStatus(word); known {
		return status
	}
	notRun := []string{"notrun", "not run"} // the words of GoogleTest and GUT for a test that did not run
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
	if c.skipped.message == string(envelope.Inconclusive) { // without trials, so their outcomes are unknown
		t.RawStatus = c.skipped.message
		rd.aggregated(t, c.at)
	}
}

// aggregated marks a trial that stands for all trials of a test.
func (rd *reader) aggregated(t *envelope.Trial, at place) {
	t.Labels = append(t.Labels, outcomestrip.Aggregated)
	rd.note(at, outcomestrip.CodeAggregated, "some tests are here without their trials: each counts as one trial, labelled aggregated; an "+
		"inconclusive one as skipped")
}

// behindName removes the name of the test, with which PHPUnit starts a body.
func behindName(body string, c *testcase) string {
	name, rest, more := strings.Cut(body, "\n")
	if more && c.classname != "" && strings.HasPrefix(name, strings.ReplaceAll(c.classname, ".", `\`)+"::"+c.name) {
		return rest
	}
	return body
}

// worst returns the first error, or the first failure if there is no error.
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

// fail sets the fields of a trial from the element of a try that did not pass.
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

// tries returns a trial for each of these elements.
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
