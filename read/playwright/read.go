// Package playwright reads the reports of Playwright's JSON reporter, and what its blob and
// HTML reporters write.
//
// A result is a trial; the project (browser) is the variant, the file is the suite, and the titles around a test belong to
// its name. Passing is ending as expected, so a test marked to fail passes by failing. Steps are checks.
package playwright

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts with a report: its configuration comes
// first, then its suites.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && keys.Has("config") && (keys.Has("suites") ||
		len(keys) == 1 && bytes.Contains(head, []byte(`"rootDir"`)) && bytes.Contains(head, []byte(`"projects"`)))
}

// Read reads one report.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}}
	err := jsonwalk.Strict(r, to, rd.report)
	rd.conclude("")
	rd.to.Head(rd.header)
	return err
}

type reader struct {
	*jsonwalk.Text
	to         *runfailure.Watch
	header     envelope.Header
	base       string           // the folder of the configuration
	folder     string           // of the tests, relative to the configuration
	found      []envelope.Trial // of the file that is read
	held       int              // bytes of their outputs
	stopped    bool             // the run ended before all tests did
	strict     bool             // flaky tests fail the run
	flaky      bool             // there are any
	unexpected int              // tests that failed, as the report counts them
}

func (rd *reader) report(d *jsonwalk.Text) error {
	rd.Text = d
	stats := struct {
		StartTime         string
		Flaky, Unexpected int
	}{}
	err := d.Members(jsonwalk.Members{"stats": &stats, "config": rd.config,
		"suites": func(*jsonwalk.Text) error { return d.Array(rd.file) },
		"errors": jsonwalk.Decoded(rd.runFailed)}) // a setup that failed, a file that does not load, or nothing to run
	rd.header.StartedAt, rd.flaky, rd.unexpected = stats.StartTime, stats.Flaky > 0, stats.Unexpected
	return err
}

func (rd *reader) config(d *jsonwalk.Text) error {
	c := struct {
		ConfigFile, RootDir string
		Shard               *struct{ Current, Total int }
		FailOnFlakyTests    bool
		Metadata            struct {
			CI        struct{ CommitHash string }
			GitCommit struct{ Hash string }
		}
	}{}
	if err := d.Decode(&c); err != nil {
		return err
	}
	rd.base = path.Dir(slashes(c.ConfigFile))
	rd.folder = below(rd.base, slashes(c.RootDir))
	rd.strict = c.FailOnFlakyTests
	if c.Shard != nil {
		rd.to.Run = fmt.Sprintf("shard %d of %d", c.Shard.Current, c.Shard.Total)
	}
	rd.header.Commit = cmp.Or(c.Metadata.GitCommit.Hash, c.Metadata.CI.CommitHash)
	return nil
}

func slashes(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// below is the folder as seen from base, "" when it is base or elsewhere.
func below(base, folder string) string {
	if rest, ok := strings.CutPrefix(folder, strings.TrimSuffix(base, "/")+"/"); ok {
		return rest
	}
	return ""
}

// conclude explains a run that failed though none of its tests did. Blob reports alone say how
// one ended.
func (rd *reader) conclude(status string) {
	rd.to.Counted(rd.unexpected, "tests")
	switch {
	case rd.stopped:
		rd.to.Explain("no test failed, but some did not end: the run was stopped, or only listed its tests")
	case rd.strict && rd.flaky:
		rd.to.Explain("tests were flaky, for which Playwright fails this run (failOnFlakyTests)")
	case status != "" && status != "passed":
		rd.to.Explain("the run ended as " + status + ", and none of its tests failed")
	}
}

func (rd *reader) runFailed(f *testError) {
	t := envelope.Trial{Key: envelope.Key{Test: runfailure.Test}, Run: rd.to.Run, Status: envelope.Error,
		ErrorClass: envelope.ClassPreValidation, Message: cmp.Or(failure.Reason(f.Message, 2), "error without a message"), Output: f.message()}
	if strings.Contains(f.Message, "No tests found") {
		t.ErrorClass = envelope.ClassEmptyRun
	}
	rd.to.Send(&t)
}

func (rd *reader) result(t envelope.Trial, r *result, expected string) {
	t.Labels = slices.Clone(t.Labels)
	annotate(&t, nil, r.Annotations)
	var known bool
	if t.Status, known = r.outcome(expected, &t); !known {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, fmt.Sprintf("a result of %q is not counted: its status %q is unknown",
			jsonwalk.Short(t.Test), jsonwalk.Short(r.Status)))
		return
	}
	if r.Status != string(t.Status) {
		t.RawStatus = r.Status
	}
	t.Retry = r.Retry > 0
	t.DurationMS = trialfields.Elapsed(r.Duration, 1)
	t.StartedAt, _ = time.Parse(time.RFC3339Nano, r.StartTime)
	r.explain(&t)
	rd.inside(&t, r)
	rd.held += len(t.Output)
	rd.found = append(rd.found, t)
}

// inside adds the steps of a result, and the files that it left.
func (rd *reader) inside(t *envelope.Trial, r *result) {
	t.Checks, t.Attachments = nil, nil
	addSteps(t, "", r.Steps, 0)
	for _, c := range t.Checks {
		rd.held += len(c.Name) + len(c.Reason)
	}
	for _, a := range r.Attachments {
		trialfields.Attach(t, envelope.Attachment{Name: a.Name, Path: rd.path(a.Path), MediaType: a.ContentType})
	}
}

// addSteps adds steps by their titles and those of the steps around them. A step
// failed when it has an error, as an outer one has that of an inner one, and when it
// did not end: the test hung in it, or its process did.
func addSteps(t *envelope.Trial, outer string, steps []*step, depth int) {
	for _, s := range steps {
		if s == nil {
			continue
		}
		c := envelope.Check{Name: outer + failure.FirstLine(s.Title), Status: envelope.Pass}
		switch {
		case s.Error != nil:
			c.Status, c.Reason = envelope.Fail, cmp.Or(s.Error.Message, s.Error.Value)
		case s.Duration < 0:
			c.Status, c.Reason = envelope.Fail, "the step did not end"
		}
		trialfields.AddCheck(t, c, "step")
		if depth < maxNesting {
			addSteps(t, trialfields.CheckName(c.Name)+" › ", s.Steps, depth+1)
		}
	}
}

// path is where an attachment is: relative to the folder of the configuration where
// it is below that, as its output folder is by default.
func (rd *reader) path(name string) string {
	name = slashes(name)
	return cmp.Or(below(rd.base, name), name)
}

// interrupted is the status of a result that the end of the run cut short.
const interrupted = "interrupted"

// outcome is the status of a trial: it passes when it ends as expected.
func (r *result) outcome(expected string, t *envelope.Trial) (_ envelope.Status, known bool) {
	switch r.Status {
	case "skipped":
		return envelope.Skip, true
	case interrupted:
		t.ErrorClass = envelope.ClassInfrastructure
		return envelope.Error, true
	case "timedOut":
		t.ErrorClass = envelope.ClassTimeout
	case "passed", "failed":
	default:
		return "", false
	}
	if r.Status == expected || r.Status == "passed" && expected == "" {
		return envelope.Pass, true
	}
	return envelope.Fail, true
}

// explain sets the reason of a result that is not as expected, and what the test
// printed.
func (r *result) explain(t *envelope.Trial) {
	if t.Status == envelope.Pass {
		t.Message = "" // nobody asks, and the reasons of an expected failure are none
		return
	}
	failures := r.Errors
	if len(failures) == 0 {
		failures = []testError{r.Error}
	}
	var output strings.Builder
	for _, f := range failures {
		output.WriteString(f.message())
	}
	for _, printed := range append(r.Stdout, r.Stderr...) {
		output.WriteString("\n" + strings.TrimSuffix(printed.Text, "\n"))
	}
	t.Output = failure.Ends(strings.Trim(output.String(), "\n"))
	if t.Status != envelope.Skip { // the message of an element of errors has a piece of the source in it
		t.Message = cmp.Or(failure.Reason(r.Error.Message, 3), failure.Reason(failures[0].Message, 3), "ended as "+r.Status)
	}
}

const (
	maxNesting = 100      // describe blocks around each other
	maxHeld    = 32 << 20 // bytes of output that wait; more of one file than that is numbered in parts
)

// spec is one test as it is written; it runs once in each project, or more
// often with --repeat-each.
type spec struct {
	Title, File string
	Line        int
	Tags        []string
	Tests       []struct {
		ProjectName, ExpectedStatus string
		Annotations                 []annotation
		Results                     []result
	}
}

type annotation struct{ Type, Description string }

type result struct {
	Retry          int
	Status         string
	Duration       *float64
	StartTime      string
	Error          testError
	Errors         []testError
	Stdout, Stderr []struct{ Text string }
	Annotations    []annotation
	Steps          []*step
	Attachments    []attachment
}

type attachment struct{ Name, ContentType, Path string }

// step is a test.step of a test, or, in a blob report, an assertion; the JSON reporter
// leaves out those and what Playwright does itself.
type step struct {
	Title    string
	Duration float64 // below 0 when it did not end
	Error    *testError
	Steps    []*step
	asserts  bool // it is no test.step but an assertion
}

type testError struct{ Message, Stack, Value string }

func (f testError) message() string { return failure.Ends(cmp.Or(f.Stack, f.Message, f.Value)) }

// file reads the suite of one file. Its trials wait until all are there:
// repeats stand in no particular order, and their attempts follow their times.
func (rd *reader) file() error {
	err := rd.suite(nil)
	rd.emitTrials()
	return err
}

// suite reads a suite and those in it. The title of the outermost is its file.
func (rd *reader) suite(titles []string) error {
	if len(titles) > maxNesting {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "suites nested deeper than 100 are not read")
		return nil
	}
	title := ""
	return rd.Members(jsonwalk.Members{
		"title": &title,
		"specs": jsonwalk.Decoded(func(s *spec) { rd.spec(s, append(titles, title)) }),
		"suites": func(d *jsonwalk.Text) error {
			return d.Array(func() error { return rd.suite(append(slices.Clip(titles), title)) })
		},
	})
}

func (rd *reader) spec(s *spec, titles []string) {
	name := strings.Join(append(slices.Clone(titles[1:]), s.Title), " › ")
	if s.Title == "" {
		rd.Problem(envelope.SeverityError, envelope.CodeMalformed, "a test without a title is not counted")
		return
	}
	proto := envelope.Trial{Key: envelope.Key{Suite: titles[0], Test: name}, Run: rd.to.Run, Line: max(s.Line, 0)}
	if s.File != "" {
		proto.File = path.Join(rd.folder, slashes(s.File))
	}
	for i := range s.Tests {
		t := &s.Tests[i]
		proto.Variant, proto.Labels = t.ProjectName, nil
		annotate(&proto, s.Tags, t.Annotations)
		if len(t.Results) == 0 {
			rd.unrun(proto, t.ExpectedStatus == "skipped", t.Annotations)
		}
		for j := range t.Results {
			rd.result(proto, &t.Results[j], t.ExpectedStatus)
		}
	}
	if rd.held > maxHeld {
		rd.emitTrials()
	}
}

// annotate sets what tags and annotations say. Those of Playwright itself give
// the reason for a skip.
func annotate(t *envelope.Trial, tags []string, notes []annotation) {
	trialfields.Tags(t, tags)
	for _, n := range notes {
		switch n.Type {
		case "skip", "fixme", "fail", "slow":
			t.Message = cmp.Or(t.Message, failure.Reason(n.Description, 1))
		default:
			trialfields.Set(t, n.Type, n.Description)
		}
	}
}

// unrun finds a test that has no result: the run ended before it began, unless the test is
// to be skipped.
func (rd *reader) unrun(t envelope.Trial, skipped bool, notes []annotation) {
	t.Status, t.Message = envelope.Skip, "did not run"
	rd.found = append(rd.found, t)
	asked := func(a annotation) bool { return a.Type == "skip" || a.Type == "fixme" }
	rd.stopped = rd.stopped || !skipped && !slices.ContainsFunc(notes, asked)
}

// emitTrials numbers the trials of a file: those of a test by their times, or as
// they stand where one has none.
func (rd *reader) emitTrials() {
	slices.SortStableFunc(rd.found, func(a, b envelope.Trial) int { return a.Key.Compare(b.Key) })
	for from := 0; from < len(rd.found); {
		to := from
		for to < len(rd.found) && rd.found[to].Key == rd.found[from].Key {
			to++
		}
		rd.deliverTest(rd.found[from:to])
		from = to
	}
	rd.found, rd.held = rd.found[:0], 0
}

func (rd *reader) deliverTest(trials []envelope.Trial) {
	if !slices.ContainsFunc(trials, func(t envelope.Trial) bool { return t.StartedAt.IsZero() }) {
		slices.SortStableFunc(trials, func(a, b envelope.Trial) int { return a.StartedAt.Compare(b.StartedAt) })
	}
	passed := slices.ContainsFunc(trials, func(t envelope.Trial) bool { return t.Status == envelope.Pass })
	for i := range trials {
		t := &trials[i]
		t.Attempt = rd.to.Attempts.Next(t.Key)
		if passed && t.RawStatus == interrupted { // it does not count beside a pass
			rd.stopped = true
			rd.to.Sink.Trial(t)
		} else {
			rd.to.Trial(t)
		}
	}
}
