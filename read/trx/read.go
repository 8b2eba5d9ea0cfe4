// Package trx reads TRX, the result files of Visual Studio and of dotnet test.
//
// It exists because .NET projects have no other report without a package of somebody else. The class of a test is its
// suite: results name it only by the definition of the test, which stands behind them, so they wait until it was read.
// The rows of a data-driven test are tests of their own; the result around them only adds them up. A test that is in
// the file several times has attempts. A run that was aborted has an error of its own, [run], for its tests that are
// missing look like none. So has one that failed though none of its results did: what failed has no result, such as a
// filter that is none, a fixture or a runtime that is not there.
//
// A result without an outcome is one that did not pass: Microsoft's own readers
// take it for failed. The package leaves out files that tests attach.
package trx

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/outcomestrip"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlreport"
	"tribunal/read/internal/xmlwalk"
)

const (
	root      = "TestRun"
	heldLimit = 128 << 20 // bytes of texts that wait; further ones are cut short
	shortText = 1 << 10
)

// Sniff reports whether head starts with a TRX file.
func Sniff(head []byte) bool {
	name, text := xmlwalk.Root(head)
	_, inside, _ := strings.Cut(text, ">")
	return name == root && !strings.HasPrefix(strings.TrimSpace(inside), "<FailedTests") // of CppUnit
}

// ofNoMatch is how dotnet test ends the file of a project in which its filter found no test:
// it warns of it, names nothing else, and succeeds.
var ofNoMatch = regex.Of(`(?s)<ResultSummary outcome="Completed">\s*<Counters total="0" [^>]*/>\s*(?:<Output>(?:[^<]|</?StdOut>)*</Output>\s*)?` +
	`<RunInfos>\s*<RunInfo [^>]*outcome="Warning"[^>]*>\s*<Text>No test matches the given testcase filter [^<]*</Text>\s*</RunInfo>\s*</RunInfos>\s*</ResultSummary>\s*</TestRun>\s*$`)

// OfNoTest reports whether head is the whole file of a project of which a filter left no
// test: beside those of other projects of the solution it is no sign of a runner that died.
func OfNoTest(head []byte) bool { return ofNoMatch().Match(head) }

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{classes: map[string]string{}}
	err := rd.Read(r, to, rd.run, root)
	rd.emitResults()
	return err
}

type reader struct {
	xmlreport.Reader
	header  envelope.Header
	results []result
	held    int
	classes map[string]string // of tests, by id
	own     bool              // this program wrote the file
	counted int               // results that failed, as the run counts them
	total   int               // results, likewise
	parents int               // results that consist of others
	ended   string            // how the run ended, in a word of TestOutcome
	errors  []string          // of the run
}

// result is a trial that waits for the class of its test.
type result struct {
	id    string
	trial envelope.Trial
}

func (rd *reader) run(e *xmlwalk.Element) {
	rd.header = envelope.Header{Name: e.Attr("name"), ID: e.Attr("id")}
	rd.own = strings.HasPrefix(e.Attr("runUser")+" ", "tribunal ")
	rd.Inside(xmlwalk.Elements{
		"Times": func(e *xmlwalk.Element) {
			rd.header.StartedAt = cmp.Or(runfailure.Stamp(instant(e.Attr("start"))), rd.header.StartedAt)
		},
		"Results": func(*xmlwalk.Element) { rd.list("") },
		"TestDefinitions": func(*xmlwalk.Element) {
			for e := range rd.Doc.Children() {
				id := e.Attr("id")
				for e := range rd.Doc.Named("TestMethod") {
					rd.classes[id], _, _ = strings.Cut(e.Attr("className"), ", ") // before its assembly
				}
			}
		},
		"ResultSummary": func(e *xmlwalk.Element) { rd.summary(e.Attr("outcome")) },
	})
}

// list reads results, those of rows under the name of their test.
func (rd *reader) list(row string) {
	for e := range rd.Doc.Children() {
		if strings.HasSuffix(e.Name, "Result") || strings.HasSuffix(e.Name, "ResultAggregation") {
			rd.result(e, row)
		}
	}
}

func (rd *reader) result(start *xmlwalk.Element, row string) {
	name, from, end := start.Attr("testName"), instant(start.Attr("startTime")), instant(start.Attr("endTime"))
	found := result{id: start.Attr("testId"), trial: envelope.Trial{Key: envelope.Key{Test: name}, StartedAt: from}}
	t := &found.trial
	if row != "" && t.Test == row { // rows of old versions have the name of their test
		t.Test = row + " (row " + start.Attr("dataRowInfo") + ")"
	}
	word := start.Attr("outcome")
	if o, known := outcomes[word]; known {
		t.Status, t.ErrorClass = o.status, o.class
	} else {
		t.Status, t.Message = envelope.Fail, "the result has no outcome that is known"
	}
	if word != "Passed" && word != "Failed" && word != "Error" {
		t.RawStatus = word
	}
	if t.DurationMS = duration(start.Attr("duration")); !t.DurationMS.OK && !from.IsZero() {
		t.DurationMS = trialfields.Duration(end.Sub(from))
	}
	before := len(rd.results)
	rd.Inside(xmlwalk.Elements{"Output": func(*xmlwalk.Element) { rd.output(t) },
		"InnerResults": func(*xmlwalk.Element) { rd.list(name) }})
	switch {
	case len(rd.results) > before: // its parts are there
		rd.parents++
	case t.Test == "":
		rd.To.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: start.Line, Column: start.Column,
			Message: "a result without testName is not counted"})
	default:
		if rd.held += len(t.Output); rd.held > heldLimit {
			t.Output = words.Head(t.Output, shortText)
		}
		rd.results = append(rd.results, found)
	}
}

// outcomes are the words of Microsoft's TestOutcome.
var outcomes = map[string]struct {
	status envelope.Status
	class  string
}{
	"Passed": {envelope.Pass, ""}, "PassedButRunAborted": {envelope.Pass, ""}, "Completed": {envelope.Pass, ""},
	"Warning": {envelope.Pass, ""},
	"Failed":  {envelope.Fail, ""}, "Timeout": {envelope.Fail, envelope.ClassTimeout}, "Error": {envelope.Error, ""},
	"Aborted":      {envelope.Error, ""}, // a test may take down its host
	"Disconnected": {envelope.Error, envelope.ClassInfrastructure},
	"InProgress":   {envelope.Error, envelope.ClassInfrastructure}, "Pending": {envelope.Error, envelope.ClassInfrastructure},
	"NotRunnable": {envelope.Error, envelope.ClassPreValidation},
	"NotExecuted": {envelope.Skip, ""}, "Inconclusive": {envelope.Skip, ""},
}

// output reads what a test printed and why it failed.
func (rd *reader) output(t *envelope.Trial) {
	var out, errs, trace, message, stack string
	rd.Inside(xmlwalk.Elements{"StdOut": &out, "StdErr": &errs, "DebugTrace": &trace,
		"ErrorInfo": xmlwalk.Elements{"Message": &message, "StackTrace": &stack}})
	if rd.own {
		if strings.HasPrefix(stack, "at ") { // a line that says where the test stands
			_, stack, _ = strings.Cut(stack, "\n")
		}
		if says, is := strings.CutPrefix(message, "error: "); is {
			t.Status, message = envelope.Error, says
		}
	}
	t.Message = cmp.Or(failure.Reason(message, 3), t.Message)
	if t.Status == envelope.Pass {
		t.Message = ""
		return
	}
	if timedOut().MatchString(message) && t.Status == envelope.Fail {
		t.ErrorClass = envelope.ClassTimeout
	}
	if t.Status == envelope.Skip && strings.TrimSpace(out) == strings.TrimSpace(message) { // NUnit says the reason twice
		out = ""
	}
	t.Output = failure.Together(failure.Longer(message, t.Message), stack, out, errs, trace)
}

// timedOut are the words of MSTest and of xUnit.net for a test that took too long.
var timedOut = regex.Of(`^(Test '[^']*' (exceeded execution timeout period|timed out after)|Test execution timed out after \d)`)

// summary learns how the run ended, and its errors.
func (rd *reader) summary(outcome string) {
	rd.ended = outcome
	for e := range rd.Doc.Children() {
		switch e.Name {
		case "Counters":
			for _, name := range []string{"failed", "error", "timeout", "aborted"} {
				rd.counted = max(rd.counted, e.Number(name))
			}
			rd.total = e.Number("total")
		case "RunInfos":
			for e := range rd.Doc.Children() {
				if e.Attr("outcome") != "Error" {
					continue
				}
				for range rd.Doc.Children() {
					rd.errors = append(rd.errors, strings.TrimSpace(rd.Doc.Text(xmlreport.TextLimit)))
				}
			}
		}
	}
}

// ofResults are the words of xUnit.net for a test that failed, and of Microsoft.Testing.Platform for its exit code.
var ofResults = regex.Of(`\[FAIL\]$|^Exit code indicates failure`)

// sumsUp reports whether an error of the run only says that results failed.
func (rd *reader) sumsUp(text string) bool {
	return ofResults().MatchString(text) || slices.ContainsFunc(rd.results, func(r result) bool {
		name := strings.TrimPrefix(r.trial.Suite+"."+r.trial.Test, ".")
		return (r.trial.Status == envelope.Fail || r.trial.Status == envelope.Error) && strings.Contains(text, name)
	})
}

// crashed are the words of vstest for a run that ended before its tests did, and of adapters that could not begin them.
var crashed = regex.Of(`(?i)test run was aborted|test host process crashed|catastrophic failure|exception occurred while invoking executor`)

// end delivers what failed of the run beside its results. Adapters and test platforms write an error of the run
// for results that failed as well. Gates of our own reports are results, see ownClass.
func (rd *reader) end() {
	errors := strings.Join(rd.errors, "\n")
	if !rd.own {
		rd.To.Counts(rd.total-rd.parents, rd.counted, "results")
	}
	switch {
	case rd.own && errors != "":
		rd.To.Problem(outcomestrip.Recorded(envelope.SeverityError, 1, 1, strings.TrimPrefix(errors, "The test run was aborted: ")))
	case rd.own:
	case slices.Contains(unended, rd.ended) || crashed().MatchString(errors):
		rd.To.Fail(envelope.ClassInfrastructure, "the run was aborted or did not end", errors)
	case slices.ContainsFunc(rd.errors, func(text string) bool { return !rd.sumsUp(text) }):
		rd.To.Fail(envelope.ClassInfrastructure, "the run reports an error outside its results", errors)
	case errors != "" || !slices.Contains(wellEnded, rd.ended):
		rd.To.Explain("the run failed, and none of its results did; read the output of the test runner", errors)
	}
}

// The words of TestOutcome for a run that did not come to its end, and for one that did and
// was no failure. A file of others than Microsoft may have no summary.
var (
	unended   = []string{"Aborted", "PassedButRunAborted", "Timeout", "Disconnected", "InProgress", "Pending"}
	wellEnded = []string{"", "Completed", "Passed", "Warning", "Inconclusive", "NotExecuted"}
)

// ownClass has the results of a report of ours that are no tests: that the run is broken,
// which it says of the run as well, and that a gate does not hold.
const ownClass = "(tribunal)"

// emitResults delivers the results, numbered by test as they stand.
func (rd *reader) emitResults() {
	rd.To.Head(rd.header)
	for i := range rd.results {
		t := &rd.results[i].trial
		if t.Suite = rd.classes[rd.results[i].id]; t.Suite != "" {
			t.Test = cmp.Or(strings.TrimPrefix(t.Test, t.Suite+"."), t.Test)
		}
		if !rd.own || t.Suite != ownClass {
			rd.To.Send(t)
		} else if t.Test == "gate" {
			rd.To.Problem(outcomestrip.Recorded(envelope.SeverityError, 1, 1, t.Message))
		}
	}
	rd.end()
}

func instant(text string) time.Time { return trialfields.Time(time.RFC3339Nano, text) }

var clock = regex.Of(`^(?:(\d+)\.)?(\d+):(\d+):(\d+(?:\.\d+)?)$`)

// duration is a time such as 00:00:00.1084258, with days before it.
func duration(text string) envelope.Opt[float64] {
	m := clock().FindStringSubmatch(text)
	if m == nil {
		return envelope.Opt[float64]{}
	}
	ms := 0.0
	for i, unit := range []float64{86_400_000, 3_600_000, 60_000, 1000} {
		n, _ := strconv.ParseFloat(m[i+1], 64) // digits, or nothing
		ms += n * unit
	}
	return trialfields.Milliseconds(ms, 1)
}
