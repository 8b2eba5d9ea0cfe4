package junit

import (
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	pytests "tribunal/read/internal/pytest"
)

func (rd *reader) release(s *suite) {
	for _, h := range s.open.rest() {
		rd.settlePytest(h, s)
	}
	switch s.kind {
	case gotestsum:
		rd.releaseGo(s.held)
	case gradle:
		rd.releaseGradle(s.held)
	case gdUnit4:
		rd.releaseGodot(s)
	case pytest:
		rd.releaseRepeats(s.held)
	case testthat:
		rd.releaseExpectations(s)
	}
	s.held = nil
}

// releaseExpectations delivers one trial for a test of testthat. Its status and message are
// those of the first failed expectation, else of a skip. Its time is the sum.
func (rd *reader) releaseExpectations(s *suite) {
	var one []envelope.Trial
	total := envelope.Opt[float64]{}
	for _, h := range s.held {
		t := h.trials[0]
		if one == nil || passed(&one[0]) && t.Status != envelope.Pass && one[0].Status != t.Status {
			one = h.trials
		}
		if t.DurationMS.OK {
			total = envelope.Some(total.V + t.DurationMS.V)
		}
	}
	if one != nil {
		one[0].DurationMS = total
		rd.emit(one)
	}
	s.held = s.held[:0]
}

// releaseGo delivers the testcases of a Go package. Repeated testcases are reruns of failed tests (gotestsum
// -rerun-fails) or repeats (-count), which the file does not say. With -count, all tests have the same number of
// testcases. With reruns, passed tests have one, and only the last try can pass. If both fit, they count as repeats,
// because treating repeats as reruns would hide a failure.
func (rd *reader) releaseGo(held []heldCase) {
	again := rerun(held)
	seen := map[envelope.Key]bool{}
	for _, h := range held {
		t := &h.trials[0]
		t.Retry = again && seen[t.Key]
		seen[t.Key] = true
		rd.emit(h.trials)
	}
}

func rerun(held []heldCase) bool {
	tries, ended := map[envelope.Key]int{}, map[envelope.Key]bool{}
	for _, h := range held {
		t := &h.trials[0]
		if ended[t.Key] {
			return false // something ran after a pass
		}
		tries[t.Key]++
		ended[t.Key] = passed(t)
	}
	once, often := false, false
	for _, n := range tries {
		once, often = once || n == 1, often || n > 1
	}
	return once && often
}

// releaseGradle delivers the testcases of a class. The plugin test-retry runs failed tests
// again after all tests of the class. Without mergeReruns, Gradle does not mark their
// testcases as retries, so they are recognised by their order in rounds.
func (rd *reader) releaseGradle(held []heldCase) {
	again := inRounds(held)
	failed := map[envelope.Key]bool{}
	for _, h := range held {
		for i := range h.trials {
			t := &h.trials[i]
			if again && failed[t.Key] {
				t.Retry = true
				rd.note(h.at, codeInferred, "a testcase that repeats a failed one counts as a retry of Gradle's test-retry; "+
					"to be sure, add test { reports.junitXml.mergeReruns = true } to build.gradle")
			}
			failed[t.Key] = !passed(t)
		}
		rd.emit(h.trials)
	}
}

func passed(t *envelope.Trial) bool { return t.Status == envelope.Pass || t.Status == envelope.Skip }

// inRounds reports whether testcases come in rounds, as test-retry runs them. A round
// begins with a repeated testcase, runs all failed tests of the round before, and no test
// that was not in it. Other tests of one name, such as rows of a table, do not fit.
func inRounds(held []heldCase) bool {
	var before map[envelope.Key]bool // tests of the round before; true if failed
	now := map[envelope.Key]bool{}
	rounds := 1
	for _, h := range held {
		last := &h.trials[len(h.trials)-1]
		if _, again := now[last.Key]; again {
			if !ranAgain(before, now) {
				return false
			}
			before, now = now, map[envelope.Key]bool{}
			rounds++
		}
		if _, ran := before[last.Key]; rounds > 1 && !ran {
			return false
		}
		now[last.Key] = !passed(last)
	}
	return rounds > 1 && ranAgain(before, now)
}

// ranAgain reports whether all failed tests of a round are in the next one. The round before the first is nil.
func ranAgain(round, next map[envelope.Key]bool) bool {
	some := round == nil
	for k, failed := range round {
		if _, ran := next[k]; failed && !ran {
			return false
		}
		some = some || failed
	}
	return some
}

// passedAfterAll returns the tries of a testcase of gdUnit4 or Flank if its last try
// passed: one per failure, and the last. The time of the testcase is that of all tries.
func (rd *reader) passedAfterAll(c *testcase, s *suite) []envelope.Trial {
	if len(c.failures) == 0 {
		return nil
	}
	base := rd.base(c, s)
	last := base
	last.Status = envelope.Pass
	out := append(rd.tries(base, c, c.failures), last)
	for i := range out {
		out[i].Retry = i > 0
	}
	return out
}

// releaseGodot delivers the testcases of a suite of gdUnit4. One testcase has the failures
// of all tries of a test. Only the number of flaky tests of the suite shows that some passed
// in the end. If it equals the number of tests with failures, each failure is a try before
// a pass. Otherwise it is unknown which passed, and each test is one failed trial.
func (rd *reader) releaseGodot(s *suite) {
	failed := each.Count(s.held, func(h heldCase) bool { return h.tries != nil })
	for _, h := range s.held {
		switch {
		case h.tries == nil || s.flaky == 0:
			rd.emit(h.trials)
		case failed == s.flaky:
			rd.note(h.at, codeInferred, "gdUnit4 writes one testcase for several attempts; its suite counts all failed tests as flaky, so each "+
				"failure counts as an attempt before a pass")
			rd.emit(h.tries)
		default:
			rd.note(h.at, codeInferred, "gdUnit4 does not say which tests passed in the end; in suites with flaky and failed tests, each test with "+
				"a failure counts as failed")
			rd.emit(h.trials)
		}
	}
}

// takePytest joins a failed teardown with its test, because pytest writes a testcase of its own for it.
func (rd *reader) takePytest(h heldCase, s *suite) {
	if t := &h.trials[0]; t.Status == envelope.Error && strings.HasPrefix(t.Message, "failed on teardown with") {
		if before, ok := s.open.take(t.Key); ok {
			h = withTeardown(before, h)
		}
		rd.settlePytest(h, s)
		return
	}
	for _, done := range s.open.add(h) {
		rd.settlePytest(done, s)
	}
}

// withTeardown joins a test with its failed teardown. If the test failed, it keeps its status and message.
func withTeardown(before, h heldCase) heldCase {
	t, test := &h.trials[0], &before.trials[0]
	t.DurationMS = test.DurationMS
	if test.Status == envelope.Fail {
		t.Status = envelope.Fail
		t.Output = failure.Together(test.Output, t.Output, "")
		t.Message = test.Message
	}
	return h
}

// settlePytest delivers a testcase, or holds it if its name may be that of a repeat.
func (rd *reader) settlePytest(h heldCase, s *suite) {
	if _, _, _, may := pytests.Repeat(h.trials[0].Test); may && !s.once {
		s.held = append(s.held, h)
		return
	}
	rd.emit(h.trials)
}

// releaseRepeats delivers tests named x[i-N]. They are repeats of x if every i from 1 to N
// is there; otherwise they have parameters.
func (rd *reader) releaseRepeats(held []heldCase) {
	type repeats struct { // with the same number of repeats
		envelope.Key
		of int
	}
	parse := func(h heldCase) (r repeats, i int) {
		r.Key = h.trials[0].Key
		r.Test, i, r.of, _ = pytests.Repeat(r.Test)
		return r, i
	}
	found := map[repeats]map[int]bool{}
	for _, h := range held {
		r, i := parse(h)
		if found[r] == nil {
			found[r] = map[int]bool{}
		}
		found[r][i] = true
	}
	slices.SortStableFunc(held, func(a, b heldCase) int {
		_, i := parse(a)
		_, j := parse(b)
		return i - j
	})
	for _, h := range held {
		if r, _ := parse(h); len(found[r]) == r.of {
			h.trials[0].Test = r.Test
		}
		rd.emit(h.trials)
	}
}

var (
	errorContext = regex.Of(`\[\[ATTACHMENT\|[^\]]*/error-context\.md\]\]`)
	retryFolder  = regex.Of(`\[\[ATTACHMENT\|[^\]]*-retry([0-9]{1,3})/`)
)

// playwrightTries returns the tries of a testcase of Playwright, which without includeRetries
// writes only the last one. Earlier tries are found by their attachments: folders are named
// x-retryN from the second try on, and a failed try has an error-context.md.
func (rd *reader) playwrightTries(last envelope.Trial, c *testcase) []envelope.Trial {
	earlier := 0
	for _, m := range retryFolder().FindAllStringSubmatch(c.out, -1) {
		n, _ := strconv.Atoi(m[1]) // of three digits at most
		earlier = max(earlier, n)
	}
	expected := slices.ContainsFunc(c.properties, func(p property) bool { return p.name == "fail" })
	if last.Status == envelope.Pass && !expected { // its own folder need not be there
		earlier = max(earlier, len(errorContext().FindAllString(c.out, -1)))
	}
	if earlier == 0 || last.Status == envelope.Skip {
		return []envelope.Trial{last}
	}
	rd.note(c.at, codeInferred, "Playwright writes the last attempt only: earlier ones are found by attachments, without times and messages; "+
		"use its JSON report, or includeRetries")
	last.DurationMS = envelope.Opt[float64]{} // it is that of all tries
	var out []envelope.Trial
	for range earlier {
		t := envelope.Trial{Key: last.Key, File: last.File, Line: last.Line, Labels: last.Labels, Status: last.Status,
			ErrorClass: last.ErrorClass, Message: "an earlier attempt, of which the report has only attachments"}
		if last.Status == envelope.Pass {
			t.Status = envelope.Fail
		}
		out = append(out, t)
	}
	return append(out, last)
}
