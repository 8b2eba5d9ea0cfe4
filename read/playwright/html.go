package playwright

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
)

// An HTML report is what Playwright leaves where nobody chose a reporter: a page that
// carries a zip with a document for each test file, and one for the run.

// What tells the page, and where the zip stands in it: in the last of such texts, as the
// program of the page has the same words.
const (
	title       = "<title>Playwright Test Report</title>"
	zipText     = "data:application/zip;base64,"
	summaryName = "report.json"
	maxPage     = maxBlob / 3 * 4 // in base64
	maxDocument = 1 << 30         // of one file of tests, unpacked
)

// SniffHTML reports whether head starts with an HTML report.
func SniffHTML(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(head), []byte("<!DOCTYPE html>")) && bytes.Contains(head, []byte(title))
}

// ReadHTML reads an HTML report.
func ReadHTML(r io.Reader, to envelope.Sink) error {
	all, err := io.ReadAll(io.LimitReader(r, maxPage+1))
	if err != nil {
		return err
	}
	if len(all) > maxPage {
		runfailure.Unreadable(to, "the page is not read, because it has more than %d MiB; use the JSON reporter of Playwright", maxPage>>20)
		return nil
	}
	z, err := zipIn(all)
	if err != nil {
		runfailure.Unreadable(to, "the report in this page cannot be read: %v; get a whole copy of the file and repeat this command", err)
		return nil
	}
	p := &page{reader: &reader{to: &runfailure.Watch{Sink: to}}}
	for _, f := range z.File {
		if f.Name != summaryName && strings.HasSuffix(f.Name, ".json") {
			p.document(f, p.file)
			p.emitTrials()
		}
	}
	p.summarise(z)
	p.conclude("")
	return nil
}

func zipIn(page []byte) (*zip.Reader, error) {
	at := bytes.LastIndex(page, []byte(zipText))
	if at < 0 {
		return nil, errors.New("it has no test results")
	}
	text := page[at+len(zipText):]
	if end := bytes.IndexAny(text, `"'<`); end >= 0 {
		text = text[:end]
	}
	all := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	var z *zip.Reader
	n, err := base64.StdEncoding.Decode(all, bytes.TrimSpace(text))
	if err == nil {
		z, err = zip.NewReader(bytes.NewReader(all[:n]), int64(n))
	}
	if err != nil {
		return nil, errors.New("its test results are cut off or damaged")
	}
	return z, nil
}

type page struct {
	*reader
	tests int // that were read
}

func (p *page) document(f *zip.File, read func(*jsonwalk.Text) error) {
	text, err := f.Open()
	if err == nil {
		err = jsonwalk.Strict(io.LimitReader(text, maxDocument), runfailure.Part{Sink: p.to, Name: "in " + f.Name + " of the report"}, read)
		err = errors.Join(err, text.Close())
	}
	if err != nil {
		runfailure.Unreadable(p.to, "%s in the report is cut off or damaged; what came before is counted; get a whole copy of the file", f.Name)
	}
}

// file reads the tests of one file, whose name stands in front of them.
func (p *page) file(d *jsonwalk.Text) error {
	p.Text = d
	name := ""
	return d.Members(jsonwalk.Members{"fileName": &name, "tests": jsonwalk.Objects(func(v jsonwalk.Value) { p.test(v, slashes(name)) })})
}

// test finds the results of a test. Its steps are left out: among them is all that
// Playwright does itself.
func (p *page) test(v jsonwalk.Value, file string) {
	title := v.Get("title").String()
	if title == "" || file == "" {
		v.Reject("it has no title, or no file")
		return
	}
	p.tests++
	t := envelope.Trial{Key: envelope.Key{Suite: file, Test: strings.Join(append(v.Get("path").Strings(), title), " › "),
		Variant: v.Get("projectName").String()}, File: slashes(v.Get("location", "file").String()),
		Line: int(v.Get("location", "line").Index().V)}
	notes := annotated(&t, v)
	results := shownResults(v)
	if len(results) == 0 {
		p.unrun(t, false, notes)
	}
	expected := expectedOf(v.Get("outcome").String(), results)
	for i := range results {
		p.result(t, &results[i], expected)
	}
}

func shownResults(v jsonwalk.Value) (out []result) {
	for r := range v.Get("results").Items() {
		one := result{Retry: int(r.Get("retry").Index().V), Status: r.Get("status").String(), StartTime: r.Get("startTime").String(),
			Annotations: annotations(r)}
		one.ended(r)
		for a := range r.Get("attachments").Items() {
			one.attach(a)
		}
		out = append(out, one)
	}
	return out
}

// attach adds a file, or what the test printed, which the page has among them.
func (r *result) attach(v jsonwalk.Value) {
	a := attachment{Name: v.Get("name").String(), ContentType: v.Get("contentType").String(), Path: v.Get("path").String()}
	printed := struct{ Text string }{v.Get("body").String()}
	switch {
	case a.Name == "stdout" && a.Path == "":
		r.Stdout = append(r.Stdout, printed)
	case a.Name == "stderr" && a.Path == "":
		r.Stderr = append(r.Stderr, printed)
	default:
		r.Attachments = append(r.Attachments, a)
	}
}

// expectedOf is the status that a test was to end with, of which the page has only what
// came of it: the last result of a test that is neither unexpected nor skipped was as
// expected, and none of one that is.
func expectedOf(outcome string, results []result) string {
	passed := slices.ContainsFunc(results, func(r result) bool { return r.Status == "passed" })
	switch {
	case len(results) > 0 && (outcome == "expected" || outcome == "flaky"):
		return results[len(results)-1].Status
	case passed:
		return "failed"
	}
	return "passed"
}

func (p *page) summarise(z *zip.Reader) {
	at := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == summaryName })
	if at < 0 {
		runfailure.Unreadable(p.to, "the zip in this page has no %s: tests may be missing; get a whole copy of the file", summaryName)
		return
	}
	p.document(z.File[at], func(d *jsonwalk.Text) error {
		return d.Members(jsonwalk.Members{
			"startTime": func(v jsonwalk.Value) { p.header.StartedAt = instant(v) },
			"metadata":  func(v jsonwalk.Value) { p.header.Commit = commitOf(v) },
			"stats": func(v jsonwalk.Value) {
				if total := int(v.Get("total").Count().V); total > p.tests {
					runfailure.Unreadable(p.to, "the report counts %s and has %d: results are missing; get a whole copy of the file",
						words.Plural(total, "test", "tests"), p.tests)
				}
			},
			"errors": func(v jsonwalk.Value) {
				for e := range v.Items() {
					fault := faultOf(e)
					p.runFailed(&fault)
				}
			},
		})
	})
	p.to.Header(p.header, nil)
}
