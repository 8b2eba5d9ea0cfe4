// Package junit reads JUnit XML, the report nearly every test runner can write.
//
// JUnit XML has no specification, so each runner has its own dialect. The format has no
// repeated trials either. These are read as several trials of one test:
//
//   - the same suite, classname and name again: attempts in document order;
//   - flakyFailure, flakyError, rerunFailure and rerunError (Surefire, nextest,
//     Playwright with includeRetries): retries, with times of their own where
//     nextest and Playwright give them;
//   - testsuites named x@stress-N (nextest) and tests named x[i-N] (pytest-repeat);
//   - several failures in one testcase of Vitest, and of gdUnit4 where the suite
//     counts it as flaky, and the attachments of earlier tries in the output of
//     Playwright without includeRetries: retries without times of their own;
//   - testcases that gotestsum, or Gradle with the plugin test-retry, ran again,
//     recognised by their order.
//
// Otherwise several failures in one testcase are one trial with all messages. The testcases that testthat writes for
// the expectations of a test are one trial, too. A testcase without a name is called (unnamed N).
//
// The status comes from the children of a testcase. Counters and output of suites only show
// failures and testcases that are missing.
//
// Properties of reports from package render/junit restore identity, trials with their columns, and policy. Texts are
// restored as far as the bodies have them. Labels that vary between trials are lost.
//
// Text is repaired before parsing, because one ESC in an output makes the XML invalid. Attachments are not read.
package junit

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/compression"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/xmlwalk"
)

// Codes of the problems that only this reader has.
const (
	codeInferred = "inferred-trials"
	codeByOption = "failed-by-option" // tests that fail the run with an option of the runner
	codeHidden   = "hidden-failures"  // failures that this runner's JUnit shows as passed
)

type reader struct {
	doc      *xmlwalk.Doc
	to       envelope.Sink
	whole    runfailure.Watch // passes trials on, and finds runs that failed without one
	ours     bool             // a report of render/junit
	counted  int              // the highest count of failures and errors of a suite
	around   suite            // the parent of the root
	header   envelope.Header
	runID    string            // of a report of ours
	headed   bool              // the header is delivered
	failed   string            // why the run failed although none of its tests did
	own      string            // why it failed, whatever its tests did
	lost     int               // failures that suites count beyond those of their testcases
	hasError bool              // our report has an error of its own input
	room     [1]envelope.Trial // reused for testcases with one try
	unnamed  map[string]int    // testcases without a name, by the path of their suite
	said     map[string]bool   // notes that this document has already
}

// Read reads one document. At invalid XML it stops and reports a problem; earlier trials count.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, whole: runfailure.Watch{Sink: to}, unnamed: map[string]int{}, said: map[string]bool{}}
	err := xmlwalk.Read(r, to, rd.document)
	if rd.own != "" {
		rd.whole.Fail(envelope.ClassInfrastructure, rd.own)
	}
	if !rd.ours && rd.whole.Failed == 0 {
		rd.whole.Counted(rd.counted, "testcases")
	} else if !rd.ours && rd.lost > 0 {
		rd.whole.Fail(envelope.ClassInfrastructure,
			fmt.Sprintf("suites count %s more than their testcases have", words.Plural(rd.lost, "failure", "failures")))
	}
	if rd.failed != "" {
		rd.whole.Explain(rd.failed)
	}
	rd.flushHeader()
	return err
}

func (rd *reader) document(doc *xmlwalk.Doc, start *xmlwalk.Element) {
	rd.doc, doc.Comment = doc, rd.comment
	switch start.Name {
	case "testsuites", "testsuite":
		rd.testsuite(start, &rd.around)
	case ofFailsafe:
		why := ""
		for e := range doc.Children() {
			if e.Name == "failureMessage" {
				why = doc.Text(keptLimit)
			}
		}
		if why != "" || start.Attr("timeout") == "true" {
			rd.whole.Fail("", "tests of Failsafe did not end", cmp.Or(why, "their time ran out"))
		}
	default:
		doc.Refuse(start, "testsuites or testsuite", "--from")
	}
}

// ofFailsafe is the root of failsafe-summary.xml, which lies beside the reports of Failsafe. Only it says that a
// process with tests died, whose classes have no report, or that time ran out.
const ofFailsafe = "failsafe-summary"

var failsafeFailed = regex.Of(`\stimeout="true"|<failureMessage>`)

func (rd *reader) testsuite(start *xmlwalk.Element, parent *suite) {
	s := rd.suite(start, parent)
	if parent == &rd.around && start.Name == "testsuites" {
		rd.header = s.header()
		s.name, s.path, s.filled = "", "", true // the name of the run is not part of the names of suites
	} else if s.kind == meson {
		rd.note(place{start.Line, start.Column}, codeHidden,
			"Meson's JUnit shows some failures as passed: timeouts, unexpected passes and incomplete TAP; report its testlog.json instead, or "+
				"check Meson's exit code")
	}
	rd.header.StartedAt = cmp.Or(rd.header.StartedAt, s.header().StartedAt)
	rd.suiteChildren(s)
	if parent.ofGotestsum = parent.ofGotestsum || s.kind == gotestsum && !start.Has("errors"); s.ofGotestsum {
		s.counts, s.errors = s.counts-s.errors, 0 // lines on standard error; what does not build has a testcase
	}
	rd.counted = max(rd.counted, s.counts)
	rd.release(s)                  // these trials count even if reading stopped
	if s.counts > 0 && !s.filled { // no testcase says what failed
		rd.whole.Fail(envelope.ClassInfrastructure, fmt.Sprintf("the suite %q counts %s and has no testcase", cmp.Or(s.path, "(unnamed)"),
			words.Plural(s.counts, "failure", "failures")), s.printed)
	}
	if !rd.doc.Cut() {
		rd.end(s, parent, start)
	}
}

func (rd *reader) suiteChildren(s *suite) {
	for e := range rd.doc.Children() {
		switch e.Name {
		case "testsuite", "testsuites":
			s.filled = true
			rd.testsuite(e, s)
		case "undefined": // node 20 writes this if a hook around all tests failed
			rd.suiteChildren(s)
		case "testcase":
			s.filled = true
			rd.testcase(e, s)
		case "failure", "error":
			s.filled = true
			s.tries, s.faults = s.tries+1, s.faults+1
			rd.whole.Fail("", failure.Together("the suite "+strconv.Quote(cmp.Or(s.path, "(unnamed)"))+" failed outside of its testcases",
				e.Attr("message"), rd.doc.Text(keptLimit)))
		case "system-err":
			switch { // failures that the testcases do not show
			case s.kind == meson:
				rd.exitOf(s)
			case s.counts > 0 && !s.filled: // such as a request without an answer in Newman
				rd.textOf(&s.printed)
			}
		case "properties":
			if properties := rd.properties(); !rd.doc.Cut() {
				s.properties(properties)
				rd.ofGinkgo(properties)
				rd.recordedHeader(s, place{e.Line, e.Column})
			}
		}
	}
}

// failuresOfNode is the comment in which node counts failed tests. It writes a test with
// subtests as a suite, without its own failure.
var failuresOfNode = regex.Of(`^ fail (\d{1,9}) $`)

func (rd *reader) comment(text []byte) {
	if m := failuresOfNode().FindSubmatch(text); m != nil {
		n, _ := strconv.Atoi(string(m[1])) // of nine digits at most
		rd.counted = max(rd.counted, n)
	}
	if failure.LateOfNode().Match(text) {
		rd.own = strings.TrimSpace(string(text))
	}
}

type place struct{ line, column int }

// note reports a warning once per document.
func (rd *reader) note(at place, code, message string) {
	if !rd.said[code+message] {
		rd.said[code+message] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: at.line, Column: at.column, Message: message})
	}
}

// emit delivers trials, after the header.
func (rd *reader) emit(trials []envelope.Trial) {
	rd.flushHeader()
	for i := range trials {
		rd.whole.Send(&trials[i])
	}
}

func (rd *reader) flushHeader() {
	h := rd.header
	if rd.headed || h.Name == "" && h.ID == "" && h.StartedAt == "" {
		return
	}
	rd.headed = true
	rd.to.Header(h, nil)
}

// openLimit bounds the failed tests that wait for their teardown.
const openLimit = 256

// openCases are the testcases of pytest whose teardown may follow: the last one and failed ones. With pytest-xdist,
// testcases of other workers may come between a failed test and its teardown.
type openCases struct {
	failed []heldCase
	last   []heldCase // one at most
}

// add opens a testcase and returns those that are complete now, in order. Another
// testcase of the same name completes the one before.
func (o *openCases) add(h heldCase) (done []heldCase) {
	if before, ok := o.take(h.trials[0].Key); ok {
		done = append(done, before)
	}
	done = append(done, o.last...)
	o.last = nil
	switch h.trials[0].Status {
	case envelope.Fail:
		o.failed = append(o.failed, h)
	case envelope.Error: // the same testcase has its teardown
		return append(done, h)
	default:
		o.last = []heldCase{h}
	}
	if len(o.failed) > openLimit {
		done = append(done, o.failed[0])
		o.failed = slices.Delete(o.failed, 0, 1)
	}
	return done
}

func (o *openCases) take(k envelope.Key) (h heldCase, ok bool) {
	for _, among := range []*[]heldCase{&o.failed, &o.last} {
		if i := slices.IndexFunc(*among, func(h heldCase) bool { return h.trials[0].Key == k }); i >= 0 {
			h = (*among)[i]
			*among = slices.Delete(*among, i, i+1)
			return h, true
		}
	}
	return heldCase{}, false
}

func (o *openCases) rest() []heldCase {
	all := slices.Concat(o.failed, o.last)
	*o = openCases{}
	return all
}

// Sniff reports whether head starts with an XML document whose root element is
// testsuites or testsuite. Other XML reports have other roots.
func Sniff(head []byte) bool {
	name, text := xmlwalk.Root(head)
	tag, _, _ := strings.Cut(text, ">")
	ofCheck := strings.Contains(tag, "check.sourceforge.net") // for C
	return name == ofFailsafe || !ofCheck && (name == "testsuites" || name == "testsuite")
}

// noTest matches the start of a report of the JUnit Platform for an engine without tests,
// such as JUnit Vintage. It writes one report per engine.
var noTest = regex.Of(`^\s*(?:<\?xml[^>]*>\s*)?<testsuite name="[^"]*" tests="0" skipped="0" failures="0" errors="0" time="[^"]*" hostname="[^"]*" timestamp="[^"]*">`)

// OfNoTest recognises the report of an engine of the JUnit Platform that found no test, or of a class without tests,
// such as a page object, or a summary of Failsafe that adds nothing. Next to reports with tests, it does not mean that
// the runner crashed.
func OfNoTest(head []byte) bool {
	return noTest().Match(head) || isClassOfNoTest(head) || xmlwalk.Starts(head, ofFailsafe) && !failsafeFailed().Match(head)
}

var attribute = regex.Of(`\s([\w.:-]+)\s*=\s*(?:"[^"]*"|'[^']*')`)

// isClassOfNoTest requires that all counters are 0 and that the document ends in head.
func isClassOfNoTest(head []byte) bool {
	if bytes.Contains(head, []byte("<testcase")) {
		return false
	}
	name, text := xmlwalk.Root(head)
	tag, inside, _ := strings.Cut(text, ">")
	if name != "testsuite" || !writesOneAClass(head, tag) {
		return false
	}
	for _, counts := range []string{"tests", "errors", "skipped", "failures"} {
		if !strings.Contains(tag, " "+counts+`="0"`) {
			return false
		}
	}
	return strings.HasSuffix(tag, "/") || strings.HasSuffix(strings.TrimSpace(inside), "</testsuite>")
}

// writesOneAClass recognises Surefire, Gradle and sbt. They write one file per class, which shows failures before its
// tests. Others, such as pytest and nextest, write an empty file for a run that failed because it had no tests.
func writesOneAClass(head []byte, tag string) bool {
	if bytes.Contains(head, []byte("/surefire-test-report")) {
		return true
	}
	names := each.Of(attribute().FindAllStringSubmatch(tag, -1), func(m []string) string { return m[1] })
	order := strings.Join(names, " ")
	return order == gradleAttributes || order == sbtAttributes
}

// BazelTries is the folder next to a test.xml of Bazel that has the files of earlier attempts (--flaky_test_attempts).
const BazelTries = "test_attempts"

// TryOf returns the number of an attempt, 0-based, from the name of its file, and the
// path to the file of the last attempt.
func TryOf(name string) (try int32, last string, is bool) {
	folder, file := path.Split(strings.ReplaceAll(name, `\`, "/"))
	if path.Base(folder) != BazelTries {
		return 0, "", false
	}
	number, begins := strings.CutPrefix(file, "attempt_")
	number, ends := strings.CutSuffix(compression.TrimExtension(number), ".xml")
	n, err := strconv.ParseInt(number, 10, 32)
	if !begins || !ends || err != nil || n < 1 {
		return 0, "", false
	}
	return int32(n - 1), "../test.xml", true
}
