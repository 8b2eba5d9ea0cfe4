package playwright

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
)

// A blob report is what Playwright's blob reporter leaves for merge-reports: a zip with the events of one shard, and what
// its tests attached. The events are read as they are, so that shards need not be merged first.

// Limits of a blob report.
const maxBlob, blobName = 256 << 20, "report.jsonl"

var (
	zipMark  = []byte("PK\x03\x04")
	resource = regex.Of(`^resources/[0-9a-f]{40}`)
)

// SniffBlob reports whether head starts with a blob report, or with the events in one.
func SniffBlob(head []byte) bool {
	if bytes.HasPrefix(head, zipMark) {
		const nameAt = 30 // of the first entry
		return bytes.Contains(head, []byte(blobName)) || len(head) > nameAt && resource().Match(head[nameAt:])
	}
	return jsonwalk.FirstLineKeys(head)["method"] == "onBlobReportMetadata"
}

// ReadBlob reads a blob report, or the events in one.
func ReadBlob(r io.Reader, to envelope.Sink) error {
	in := bufio.NewReader(r)
	if mark, _ := in.Peek(len(zipMark)); !bytes.Equal(mark, zipMark) {
		return readEvents(in, to)
	}
	all, err := io.ReadAll(io.LimitReader(in, maxBlob+1))
	if err != nil {
		return err
	}
	if len(all) > maxBlob {
		runfailure.Unreadable(to, "the blob report is not read, because it has more than %d MiB; "+
			"run playwright merge-reports --reporter json and report its output", maxBlob>>20)
		return nil
	}
	events, err := eventsIn(all)
	if err != nil {
		runfailure.Unreadable(to, "the blob report cannot be read: %v; get a whole copy of the file and repeat this command", err)
		return nil
	}
	defer events.Close()
	if err := readEvents(events, to); err != nil {
		runfailure.Unreadable(to, "%s in the blob report is cut off or damaged; what came before is counted; get a whole copy of the file", blobName)
	}
	return nil
}

func eventsIn(all []byte) (io.ReadCloser, error) {
	z, err := zip.NewReader(bytes.NewReader(all), int64(len(all)))
	if err != nil {
		return nil, fmt.Errorf("the archive is cut off or damaged")
	}
	if !slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == blobName }) {
		return nil, fmt.Errorf("its zip has no %s", blobName)
	}
	return z.Open(blobName)
}

func readEvents(r io.Reader, to envelope.Sink) error {
	b := &blob{reader: &reader{to: &runfailure.Watch{Sink: to}}, tests: map[string]*listedTest{}, open: map[string]*openResult{}}
	err := jsonwalk.Lines(r, to, b.event, "method")
	b.rest()
	b.emitTrials()
	if b.conclude(b.status); !b.ended {
		runfailure.Truncated(to, b.line, "the events end before the run does: later results may be missing")
	}
	b.to.Head(b.header)
	return err
}

// blob is the reading of one report: the tests that its projects list, and the results that have begun.
type blob struct {
	*reader
	tests  map[string]*listedTest
	listed []string
	open   map[string]*openResult
	line   int
	ended  bool   // the run says that it has ended
	status string // and how
	warned bool   // that more is in the report than is kept
}

type listedTest struct {
	trial envelope.Trial
	notes []annotation
	tried bool
}

type openResult struct {
	test   string
	result result
	began  int
	held   int
	steps  map[string]*step // by their identities, those of which checks are made
}

func (b *blob) event(v jsonwalk.Value) {
	p := v.Get("params")
	b.line, _ = v.Place()
	switch v.Get("method").String() {
	case "onBlobReportMetadata":
		b.shard(p.Get("shard"))
	case "onConfigure":
		b.shard(p.Get("config", "shard"))
		b.header.Commit = commitOf(p.Get("config", "metadata"))
	case "onProject":
		project := p.Get("project").Get("name").String()
		for suite := range p.Get("project", "suites").Items() {
			b.list(suite, project, nil)
		}
	case "onTestBegin":
		r := p.Get("result")
		b.open[r.Get("id").String()] = &openResult{test: p.Get("testId").String(), began: len(b.open),
			result: result{Retry: int(r.Get("retry").Index().V), StartTime: instant(r.Get("startTime"))}}
	case "onStepBegin":
		b.stepBegins(p)
	case "onStepEnd":
		b.stepEnds(p)
	case "onAttach":
		b.attached(p)
	case "onStdIO":
		b.printed(p)
	case "onTestEnd":
		b.end(p)
	case "onError":
		fault := faultOf(p.Get("error"))
		b.runFailed(&fault)
	case "onEnd":
		b.ended, b.status = true, p.Get("result", "status").String()
		b.header.StartedAt = instant(p.Get("result", "startTime"))
	}
}

func (b *blob) shard(v jsonwalk.Value) {
	if current := v.Get("current").Count(); current.OK {
		b.to.Run = fmt.Sprintf("shard %d of %d", current.V, v.Get("total").Count().V)
	}
}

// instant is a time in milliseconds since 1970, as the JSON report has it.
func instant(v jsonwalk.Value) string {
	ms := v.Amount()
	if !ms.OK || ms.V > 1e14 {
		return ""
	}
	return time.UnixMilli(int64(ms.V)).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// list notes the tests of a suite and those in it. The title of the outermost is
// its file.
func (b *blob) list(v jsonwalk.Value, project string, titles []string) {
	if len(titles) > maxNesting {
		return
	}
	title := v.Get("title").String()
	if id := v.Get("testId").String(); id != "" {
		b.listTest(v, id, project, titles, title)
		return
	}
	for entry := range v.Get("entries").Items() {
		b.list(entry, project, append(slices.Clip(titles), title))
	}
}

func (b *blob) listTest(v jsonwalk.Value, id, project string, titles []string, title string) {
	if len(titles) == 0 || title == "" {
		b.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: b.line, Column: 1,
			Message: "a test in this line is not counted: it has no title, or no file"})
		return
	}
	t := envelope.Trial{Key: envelope.Key{Suite: slashes(titles[0]), Test: strings.Join(append(slices.Clone(titles[1:]), title), " › "),
		Variant: project}, Run: b.to.Run}
	if file := v.Get("location", "file").String(); file != "" {
		t.File, t.Line = path.Clean(slashes(file)), int(v.Get("location", "line").Index().V)
	}
	notes := annotated(&t, v)
	b.tests[id] = &listedTest{trial: t, notes: notes}
	b.listed = append(b.listed, id)
}

// annotated sets what the tags and annotations of a test say, and returns the latter.
func annotated(t *envelope.Trial, v jsonwalk.Value) []annotation {
	var tags []string
	for tag := range v.Get("tags").Items() {
		tags = append(tags, strings.TrimPrefix(tag.String(), "@"))
	}
	notes := annotations(v)
	annotate(t, tags, notes)
	return notes
}

func annotations(v jsonwalk.Value) (out []annotation) {
	for a := range v.Get("annotations").Items() {
		out = append(out, annotation{a.Get("type").String(), a.Get("description").String()})
	}
	return out
}

// full reports whether what waits of the report is all that is kept, and says so
// once.
func (b *blob) full(p jsonwalk.Value) bool {
	if b.held <= maxHeld {
		return false
	}
	if !b.warned {
		b.warned = true
		p.Warn(envelope.CodeField, fmt.Sprintf(
			"outputs, steps and attachments after the first %d MiB are left out; the results are counted; to see all, run "+
				"playwright merge-reports --reporter json and report that file", maxHeld>>20))
	}
	return true
}

// hold counts bytes that wait until the result ends, which counts what it keeps.
func (b *blob) hold(o *openResult, n int) {
	o.held += n
	b.held += n
}

func (b *blob) printed(p jsonwalk.Value) {
	o := b.open[p.Get("resultId").String()]
	if o == nil || b.full(p) {
		return
	}
	text := p.Get("data").String()
	if p.Get("isBase64").Bool().V {
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(string(plain), "\uFFFD")
	}
	b.hold(o, len(text))
	o.result.Stdout = append(o.result.Stdout, struct{ Text string }{text})
}

// Categories of steps: of test.step, and of an assertion. Others are what Playwright
// does itself.
const written, asserted = "test.step", "expect"

// stepBegins keeps a step of the test, or an assertion in one. What an assertion calls
// again and again until it holds is no step of the test, nor is what hooks do: the JSON
// reporter has neither.
func (b *blob) stepBegins(p jsonwalk.Value) {
	o, v := b.open[p.Get("resultId").String()], p.Get("step")
	category := v.Get("category").String()
	if o == nil || category != written && category != asserted || b.full(p) {
		return
	}
	around := &o.result.Steps
	if parent := v.Get("parentStepId").String(); parent != "" {
		outer := o.steps[parent]
		if outer == nil || outer.asserts {
			return
		}
		around = &outer.Steps
	}
	s := &step{Title: v.Get("title").String(), Duration: -1, asserts: category == asserted}
	*around = append(*around, s)
	b.hold(o, len(s.Title))
	each.Put(&o.steps, v.Get("id").String(), s)
}

func (b *blob) stepEnds(p jsonwalk.Value) {
	o, v := b.open[p.Get("resultId").String()], p.Get("step")
	if o == nil || o.steps[v.Get("id").String()] == nil {
		return
	}
	s := o.steps[v.Get("id").String()]
	s.Duration = v.Get("duration").Amount().V
	if e := v.Get("error"); e.Present() {
		fault := faultOf(e)
		s.Error = &fault
		b.hold(o, len(fault.Message)+len(fault.Value))
	}
}

// attached keeps the names of what a test attached. The files are in the zip, where
// no page finds them.
func (b *blob) attached(p jsonwalk.Value) {
	o := b.open[p.Get("resultId").String()]
	if o == nil {
		return
	}
	for a := range p.Get("attachments").Items() {
		if b.full(p) {
			return
		}
		named := attachment{Name: a.Get("name").String(), ContentType: a.Get("contentType").String()}
		o.result.Attachments = append(o.result.Attachments, named)
		b.hold(o, len(named.Name)+len(named.ContentType))
	}
}

func (b *blob) end(p jsonwalk.Value) {
	id := p.Get("test", "testId").String()
	test, r := b.tests[id], p.Get("result")
	o := b.open[r.Get("id").String()]
	if o == nil {
		o = &openResult{}
	}
	delete(b.open, r.Get("id").String())
	status := r.Get("status").String()
	statuses := []string{"passed", "failed", "timedOut", "skipped", interrupted} // the words of a result
	if test == nil || !slices.Contains(statuses, status) {
		p.Reject("the report does not list its test, or its status is unknown")
		return
	}
	test.tried = true
	b.held -= o.held
	o.result.Status = status
	o.result.ended(r)
	o.result.Annotations = annotations(p.Get("test"))
	b.result(test.trial, &o.result, p.Get("test", "expectedStatus").String())
}

func (r *result) ended(v jsonwalk.Value) {
	if ms := v.Get("duration").Amount(); ms.OK {
		r.Duration = &ms.V
	}
	for e := range v.Get("errors").Items() {
		r.Errors = append(r.Errors, faultOf(e))
	}
	if len(r.Errors) > 0 {
		r.Error = r.Errors[0]
	}
}

// faultOf is an error, which was a text in HTML reports before version 1.53.
func faultOf(v jsonwalk.Value) testError {
	if v.IsText() {
		return testError{Message: v.String()}
	}
	return testError{Message: v.Get("message").String(), Stack: v.Get("stack").String(), Value: v.Get("value").String()}
}

func commitOf(metadata jsonwalk.Value) string {
	return cmp.Or(metadata.Get("gitCommit", "hash").String(), metadata.Get("ci", "commitHash").String())
}

// rest are the results that never ended, and, where the run did end, the tests that
// have none.
func (b *blob) rest() {
	open := slices.SortedFunc(maps.Values(b.open), func(x, y *openResult) int {
		return strings.Compare(fmt.Sprintf("%s %s %09d", x.test, x.result.StartTime, x.began),
			fmt.Sprintf("%s %s %09d", y.test, y.result.StartTime, y.began))
	})
	for _, o := range open {
		if test := b.tests[o.test]; test != nil {
			test.tried = true
			o.result.Status, o.result.Error = interrupted, testError{Message: "the test did not end"}
			b.result(test.trial, &o.result, "")
		}
	}
	for _, id := range b.listed {
		if test := b.tests[id]; !test.tried && b.ended {
			test.tried = true
			b.unrun(test.trial, false, test.notes)
		}
	}
}
