package junit

import (
	"fmt"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/xmlwalk"
)

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

// explainEmpty delivers what failed of a suite that has nothing in it to say so.
func (rd *reader) explainEmpty(s *suite) {
	if s.counts > 0 && !s.filled {
		rd.whole.Fail(envelope.ClassInfrastructure, fmt.Sprintf("the suite %q counts %s and has no testcase", s.path, words.Plural(s.counts, "failure", "failures")), s.printed)
	}
}

// outside delivers what failed of a suite outside of its testcases.
func (rd *reader) outside(start *xmlwalk.Element, s *suite) error {
	s.tries++
	message := start.Attr("message")
	text, err := rd.doc.Text(keptLimit)
	rd.whole.Fail("", failure.Together("the suite "+strconv.Quote(s.path)+" failed outside of its testcases", message, text))
	return err
}

// exitOfMeson begins what Meson adds to standard error of a program whose points of TAP
// passed, and which ended with another code than 0 or by a signal.
const exitOfMeson = "(test program exited with status code "

// printedBy reads standard error of a suite where it says what its testcases do not: of one
// that counts failures and has none, as Newman's of a request that was not answered, and of
// a program under Meson, how it ends.
func (rd *reader) printedBy(s *suite) error {
	switch {
	case s.kind == meson:
		return rd.exitOf(s)
	case s.counts > 0 && !s.filled:
		return rd.textOf(&s.printed)
	}
	return nil
}

func (rd *reader) exitOf(s *suite) error {
	const room = 2 * len(exitOfMeson)
	var end []byte
	err := rd.doc.Content(nil, func(b []byte) {
		end = append(end, b...)
		end = end[max(0, len(end)-room):]
	})
	if _, code, told := strings.Cut(string(end), exitOfMeson); told {
		rd.whole.Fail("", "the program of "+strconv.Quote(s.path)+" ended with exit code "+strings.TrimRight(code, ") \n"))
	}
	return err
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
