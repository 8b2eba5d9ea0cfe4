// Package junit reads JUnit XML, the report nearly every test runner can write.
//
// It exists because a format without an owner has a dialect per runner, above
// all for trials: JUnit knows none. What is read as several trials of one test:
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
//     told by their order.
//
// Several failures in one testcase are one trial otherwise, with what each says, and so are
// the testcases that testthat writes of one test, an expectation each. A testcase without a
// name is called (unnamed N).
//
// Verdicts come from the children of testcases. Counters of suites, and what they print,
// tell only of failures and testcases that are not there. Reports of package render/junit are read back
// through their properties: identity, trials with their columns, policy, and the texts as
// far as the bodies have them; labels that vary from trial to trial are lost.
//
// Text is repaired before it is parsed, for one ESC in an output makes a file
// that no XML parser takes. The package leaves out attachments.
package junit

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/compression"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/xmlwalk"
)

// Codes of the problems that only this reader has.
const (
	codeInferred = "inferred-trials"
	codeByOption = "failed-by-option" // tests that failed the run if the runner was told so
	codeUntold   = "untold-failures"  // what this runner's JUnit shows as passed
)

type reader struct {
	doc      *xmlwalk.Doc
	to       envelope.Sink
	whole    runfailure.Watch // what trials go to
	ours     bool             // a report of ours
	counted  int              // failures and errors, as a suite or all count them
	around   suite            // what is around the root
	header   envelope.Header
	runID    string            // of a report of ours
	headed   bool              // the header is delivered
	failed   string            // why the run failed, as far as it is told, though none of its tests did
	hasError bool              // it has an error of its own input
	room     [1]envelope.Trial // of a testcase of one try
	unnamed  map[string]int    // testcases without a name, by the path of their suite
	said     map[string]bool   // notes that are made once a document
}

// Read reads one document. Where it stops to be XML reading stops, with what came before
// counted.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: to, whole: runfailure.Watch{Sink: to}, unnamed: map[string]int{}, said: map[string]bool{}}
	err := xmlwalk.Read(r, to, rd.document)
	if !rd.ours {
		rd.whole.Counted(rd.counted, "testcases")
	}
	if rd.failed != "" {
		rd.whole.Explain(rd.failed)
	}
	rd.flushHeader()
	return err
}

func (rd *reader) document(doc *xmlwalk.Doc, start *xmlwalk.Element) {
	if rd.doc = doc; start.Name == "testsuites" || start.Name == "testsuite" {
		rd.testsuite(start, &rd.around)
	} else {
		doc.Refuse(start, "testsuites or testsuite")
	}
}

func (rd *reader) testsuite(start *xmlwalk.Element, parent *suite) {
	s := rd.suite(start, parent)
	if parent == &rd.around && start.Name == "testsuites" {
		rd.header = s.header()
		s.name, s.path, s.filled = "", "", true // the run, which is no part of names
	} else if s.kind == meson {
		rd.note(place{start.Line, start.Column}, codeUntold,
			"Meson's JUnit shows some failures as passed: timeouts, unexpected passes and incomplete TAP; report its testlog.json instead, or check Meson's exit code")
	}
	rd.suiteChildren(s)
	rd.release(s)                  // what was read counts, wherever reading stopped
	if s.counts > 0 && !s.filled { // it has nothing in it to say what failed
		rd.whole.Fail(envelope.ClassInfrastructure,
			fmt.Sprintf("the suite %q counts %s and has no testcase", s.path, words.Plural(s.counts, "failure", "failures")), s.printed)
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
		case "undefined": // as node 20 calls what a hook around all tests failed in
			rd.suiteChildren(s)
		case "testcase":
			s.filled = true
			rd.testcase(e, s)
		case "failure", "error":
			s.filled = true
			rd.outside(e, s)
		case "system-err":
			switch { // where it says what its testcases do not
			case s.kind == meson:
				rd.exitOf(s)
			case s.counts > 0 && !s.filled: // as Newman's of a request that was not answered
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

type place struct{ line, column int }

// note makes a warning once a document.
func (rd *reader) note(at place, code, message string) {
	if !rd.said[code+message] {
		rd.said[code+message] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: at.line, Column: at.column, Message: message})
	}
}

// emit numbers trials of one test behind those before them and delivers them.
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

// openLimit is how many tests may fail while one that failed is torn down.
const openLimit = 256

// openCases are the testcases of pytest whose teardown may follow: the last one,
// and those that failed, for with pytest-xdist the testcases of other workers may
// come between a failed test and its teardown.
type openCases struct {
	failed []heldCase
	last   []heldCase // one at most
}

// add opens a testcase and returns those that are complete now, in order: what
// comes before another testcase of the same name is.
func (o *openCases) add(h heldCase) (done []heldCase) {
	if before, ok := o.take(h.trials[0].Key); ok {
		done = append(done, before)
	}
	done = append(done, o.last...)
	o.last = nil
	switch h.trials[0].Status {
	case envelope.Fail:
		o.failed = append(o.failed, h)
	case envelope.Error: // its teardown is told in the same testcase
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
	return (name == "testsuites" || name == "testsuite") && !strings.Contains(tag, "check.sourceforge.net") // of Check for C
}

// noTest is how the launcher of the JUnit Platform begins the report of an engine that
// found no test. It writes one for each engine, such as JUnit Vintage.
var noTest = regex.Of(`^\s*(?:<\?xml[^>]*>\s*)?<testsuite name="[^"]*" tests="0" skipped="0" failures="0" errors="0" time="[^"]*" hostname="[^"]*" timestamp="[^"]*">`)

// OfNoTest reports whether head starts the report of an engine of the JUnit Platform that
// found no test, or is that of a class without any, as of page objects among the tests:
// beside one that has tests, it is no sign of a runner that died.
func OfNoTest(head []byte) bool { return noTest().Match(head) || isClassOfNoTest(head) }

// attribute is the name of one in a tag.
var attribute = regex.Of(`\s([\w.:-]+)\s*=\s*(?:"[^"]*"|'[^']*')`)

// isClassOfNoTest is strict: nothing may be counted in it or stand behind the head.
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

// writesOneAClass reports whether a program wrote the file that writes one for each class
// when all have run, and says there what failed of a class before its tests: Surefire,
// Gradle, sbt. Others (pytest, nextest) write an empty file of a run that failed for it.
func writesOneAClass(head []byte, tag string) bool {
	if bytes.Contains(head, []byte("/surefire-test-report")) {
		return true
	}
	var names []string
	for _, m := range attribute().FindAllStringSubmatch(tag, -1) {
		names = append(names, m[1])
	}
	order := strings.Join(names, " ")
	return order == gradleAttributes || order == sbtAttributes
}

// BazelTries is the folder beside a test.xml of Bazel with those of the attempts
// before it, by --flaky_test_attempts.
const BazelTries = "test_attempts"

// TryOf is the number of an attempt, 0-based, by the name of its file, and the path
// from there to the file of the last one.
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
