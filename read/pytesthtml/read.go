// Package pytesthtml reads the page of pytest-html, of its versions 2 to 4.
//
// It exists because many suites keep this page and no other report. Version 4 carries its
// results as JSON; in those before they are the rows of a table, as the tests ended. A row
// Rerun is a try that failed, of pytest-rerunfailures. The page says Error of a set-up, a
// teardown and a file that cannot be collected. What hooks of a project add to the rows is
// passed over, and so is what was attached.
package pytesthtml

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/pytest"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

const maxPage = 256 << 20

// Sniff reports whether head starts with a page.
func Sniff(head []byte) bool {
	start := bytes.ToLower(bytes.TrimSpace(head[:min(len(head), 100)]))
	const by = ">pytest-html</a>" // stands over the results of all versions: who made the page
	return bytes.HasPrefix(start, []byte("<!doctype html")) && bytes.Contains(head, []byte(by))
}

// Read reads one page.
func Read(r io.Reader, to envelope.Sink) error {
	all, err := io.ReadAll(io.LimitReader(r, maxPage+1))
	watch := &runfailure.Watch{Sink: to}
	p := &page{to: watch, tests: pytest.NewTests(watch), entries: map[string][]entry{}}
	switch {
	case len(all) > maxPage:
		runfailure.Unreadable(to, "the page is not read, because it has more than %d MiB; write a log with pytest-reportlog", maxPage>>20)
		return err
	case bytes.Contains(all, []byte(jsonBlob)):
		p.blob(all)
	default:
		p.table(all)
	}
	for _, id := range p.order {
		p.emitTrials(id, p.entries[id])
	}
	p.tests.Finish()
	watch.Counted(counted(all), "tests")
	if done := unfinished().FindSubmatch(all); done != nil {
		watch.Fail(envelope.ClassInfrastructure, fmt.Sprintf("the run did not end; tests done: %s of %s", done[1], done[2]))
	}
	return err
}

// counted is how many failures and errors the page counts, also of rows that a hook left out.
func counted(all []byte) (n int) {
	for _, count := range counts().FindAllSubmatch(all, -1) {
		more, _ := strconv.Atoi(string(count[1])) // of nine digits at most
		n += more
	}
	return n
}

var counts = regex.Of(`class="(?:failed|error)">(\d{1,9}) (?i:failed|errors)`)

// unfinished is what version 4 says of a run while it goes on, if it writes the page
// behind every test.
var unfinished = regex.Of(`class="run-count">(\d+)/(\d+) tests? done`)

type page struct {
	to      *runfailure.Watch
	tests   *pytest.Tests
	entries map[string][]entry // by node id
	order   []string           // of the node ids
}

// entry is a row of the page: a test, one of its reruns, or a phase beside its call.
type entry struct {
	when, result, log string
	duration          envelope.Opt[float64] // milliseconds
}

// add takes an entry by its id, which has a phase behind it unless that is the call.
func (p *page) add(id string, e entry) {
	e.when = "call"
	for _, when := range []string{"setup", "teardown", "collect"} {
		if rest, ok := strings.CutSuffix(id, "::"+when); ok {
			id, e.when = rest, when
		}
	}
	if id == "" || e.result == "" {
		p.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: 1, Column: 1,
			Message: "a row without a test or a result is not counted"})
		return
	}
	if p.entries[id] == nil {
		p.order = append(p.order, id)
	}
	p.entries[id] = append(p.entries[id], e)
}

// emitTrials makes trials of the entries of one test: one of each rerun, and one of the rest.
func (p *page) emitTrials(id string, all []entry) {
	var last []entry
	tries := 0
	for _, e := range all {
		if e.result != "Rerun" && e.result != "Retried" {
			last = append(last, e)
			continue
		}
		p.trial(id, tries > 0, e)
		tries++
	}
	if len(last) > 0 {
		p.trial(id, tries > 0, last...)
	}
}

func (p *page) trial(id string, retry bool, entries ...entry) {
	t := envelope.Trial{Retry: retry}
	t.Suite, t.Test = pytest.Split(id)
	t.File = t.Suite
	var phases pytest.Phases
	for _, e := range entries {
		phases.Add(e.phase())
		if !t.DurationMS.OK || e.when == "call" { // which has the time of all of them
			t.DurationMS = e.duration
		}
	}
	phases.Fill(&t)
	p.tests.Trial(t, func(mark string) bool { return mark == "parametrize" }) // the page has no marks
}

// phase is an entry in pytest's own words.
func (e *entry) phase() pytest.Phase {
	f := pytest.Phase{When: e.when, Outcome: strings.ToLower(e.result), Message: reason(e.log), Output: e.log}
	switch e.result {
	case "Error":
		f.Outcome = "failed"
	case "Retried":
		f.Outcome = "rerun"
	case "XFailed":
		f.Outcome, f.XFail = "skipped", true
	case "XPassed":
		f.Outcome, f.XFail = "passed", true
	}
	return f
}

// reason is why a test did not pass: the lines that pytest marks in a traceback, or what a
// skipped test says.
func reason(log string) string {
	if _, skipped, ok := strings.Cut(log, "'Skipped: "); ok {
		text, _, _ := strings.Cut(skipped, "')")
		return text
	}
	var marked []string
	for line := range strings.Lines(log) {
		if text, ok := strings.CutPrefix(line, "E  "); ok {
			marked = append(marked, strings.TrimSpace(text))
		}
	}
	if len(marked) == 0 {
		return failure.Reason(log, 1)
	}
	return strings.Join(marked, "\n")
}

// This file finds the entries in a page: in the JSON of version 4, or in the table of those
// before.

// jsonBlob begins the results of version 4, in an attribute.
const jsonBlob = ` data-jsonblob="`

type result struct {
	Result, TestID, Log string
	Duration            duration
}

// duration is in seconds, or a text: "12 ms", "01:02:03", or what a hook makes of it.
type duration struct{ ms envelope.Opt[float64] }

func (d *duration) Take(v jsonwalk.Value) { d.ms = milliseconds(v.String()) }

func (d *duration) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, d) }

func (p *page) blob(all []byte) {
	before, rest, _ := bytes.Cut(all, []byte(jsonBlob))
	text, _, whole := bytes.Cut(rest, []byte(`"`))
	if !whole {
		runfailure.Unreadable(p.to, "no test of this page is counted, because it ends in the middle of the results; "+
			"get a whole copy of the file and repeat this command")
		return
	}
	inPage := inLine{p.to, bytes.Count(before, []byte("\n")) + 1}
	_ = jsonwalk.Strict(strings.NewReader(html.UnescapeString(string(text))), inPage, func(d *jsonwalk.Text) error {
		return d.Members(jsonwalk.Members{"tests": func(*jsonwalk.Text) error {
			return d.Object(func(id string) error { return jsonwalk.Decoded(func(r *result) { p.result(id, r) })(d) })
		}})
	}) // a text in memory has no error of its own
}

func (p *page) result(id string, r *result) {
	if phase, ok := strings.CutPrefix(r.TestID, id+"::"); ok {
		id += "::" + phase
	}
	p.add(id, entry{result: r.Result, log: plain(r.Log), duration: r.Duration.ms})
}

// inLine says in which line of the page a problem is: the results stand in one.
type inLine struct {
	envelope.Sink
	line int
}

func (s inLine) Problem(p envelope.Problem) {
	p.Line, p.Column = s.line, 1
	s.Sink.Problem(p)
}

func (p *page) table(all []byte) {
	for _, row := range rows().FindAllSubmatch(all, -1) {
		_, log, _ := bytes.Cut(row[1], []byte(`log">`))
		log, _, _ = bytes.Cut(log, []byte("</div>"))
		if bytes.Contains(row[1], []byte(`"empty log"`)) {
			log = nil
		}
		cells := map[string]string{}
		for _, cell := range cell().FindAllSubmatch(row[1], -1) {
			cells[string(cell[1])] = strings.TrimSpace(plain(string(cell[2])))
		}
		p.add(cells["name"], entry{result: cells["result"], log: plain(string(log)), duration: milliseconds(cells["duration"])})
	}
	if !bytes.Contains(all, []byte("</html>")) {
		runfailure.Unreadable(p.to, "this page ends in the middle: tests may be missing; get a whole copy of the file and repeat this command")
	}
}

var (
	rows = regex.Of(`(?s)<tbody class="\w+ results-table-row"[^>]*>(.*?)</tbody>`)
	cell = regex.Of(`(?s)<td class="col-(result|name|duration)"[^>]*>(.*?)</td>`)
	tags = regex.Of(`<[^>]*>`)
)

// plain is a text of the page without its tags.
func plain(text string) string {
	text = strings.ReplaceAll(text, "<br/>", "\n")
	return html.UnescapeString(tags().ReplaceAllString(text, ""))
}

// milliseconds is how long a test took, absent where a hook wrote it in words of its own.
func milliseconds(text string) envelope.Opt[float64] {
	unit := 1000.0
	if ms, ok := strings.CutSuffix(text, " ms"); ok {
		text, unit = ms, 1
	}
	if at, err := time.Parse(time.TimeOnly, text); err == nil {
		return trialfields.Milliseconds(float64(at.Hour()*3600+at.Minute()*60+at.Second()), 1000)
	}
	return trialfields.Lasted(text, unit)
}
