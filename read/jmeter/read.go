// Package jmeter reads the results of Apache JMeter, .jtl files in CSV or XML, also from Taurus.
//
// The test is the label of a sampler, the suite its thread group, a sample a trial. A
// transaction sums up other rows: it is a trial only where they are missing. What a sampler also
// fetched, and assertions in XML, are checks. CSV without a header is not recognised.
package jmeter

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/tablerows"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/xmlwalk"
)

const root = "testResults"

// Sniff reports whether head starts results in either form.
func Sniff(head []byte) bool {
	if name, _ := xmlwalk.Root(head); name != "" {
		return name == root
	}
	line, ended := firstLine(head)
	_, is := headerOf(line)
	return ended && is
}

// firstLine is the first line that is not blank, and whether its end is there.
func firstLine(head []byte) (line string, ended bool) {
	first, _, ended := bytes.Cut(bytes.TrimLeft(head, "\uFEFF \r\n"), []byte("\n"))
	return strings.TrimSuffix(string(first), "\r"), ended
}

// Read reads one file.
func Read(r io.Reader, to envelope.Sink) error {
	in := bufio.NewReader(r)
	head, _ := in.Peek(in.Size()) // an error comes again on reading
	first, _ := firstLine(head)
	rd := &reader{to: to, sums: sums{threads: map[string][]done{}}}
	var err error
	if strings.HasPrefix(first, "<") {
		err = rd.xml(in)
	} else {
		err = rd.csv(in, first)
	}
	if m := &rd.sums; m.passed > 0 {
		const codeSums = "transactions"
		to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: codeSums, Line: max(m.line, 1), Column: max(m.column, 1),
			Count: m.passed, Message: words.Plural(m.passed, "transaction is", "transactions are") + " not counted, because the samples inside are"})
	}
	return err
}

// The writers of a run of Taurus: it keeps all samples in one file and those that failed,
// with what was answered, in another beside it.
const taurus, taurusErrors = "samples of Taurus", "errors of Taurus"

// Writer is one of these, or "".
func Writer(name string, _ []byte) string {
	switch base := filepath.Base(name); {
	case strings.HasPrefix(base, "kpi") && strings.HasSuffix(base, ".jtl"):
		return taurus
	case strings.HasPrefix(base, "error") && strings.HasSuffix(base, ".jtl"):
		return taurusErrors
	}
	return ""
}

// Again is the writer whose files have the trials of this one's as well.
func Again(writer string) (by, folder string) {
	if writer == taurusErrors {
		return taurus, "."
	}
	return "", ""
}

type reader struct {
	to       envelope.Sink
	attempts trialfields.Attempts
	sums     sums
}

func (rd *reader) problem(line, column int, message string) {
	rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: max(line, 1), Column: max(column, 1),
		Message: message})
}

// sample is a row of CSV or an element of XML.
type sample struct {
	line, column                      int
	label, code, message, thread      string
	stamp, elapsed, success, failures string // failures is what the first assertion that failed says
	checks                            envelope.Trial
}

// inThread is the end of the name of a thread: the number of its group and its own.
var inThread = regex.Of(` \d+-\d+$`)

func (s *sample) passed() bool { return strings.EqualFold(s.success, "true") }

// wrong is what keeps a sample from being counted, "" where nothing does.
func (s *sample) wrong() string {
	switch {
	case s.label == "":
		return "a sample without a label is not counted"
	case !s.passed() && !strings.EqualFold(s.success, "false"):
		return "a sample is not counted: its success is " + strconv.Quote(failure.Reason(s.success, 1)) + ", not true or false"
	}
	return ""
}

func (s *sample) trial() envelope.Trial {
	t := s.checks
	t.Key = envelope.Key{Suite: inThread().ReplaceAllString(s.thread, ""), Test: s.label}
	t.Status, t.RawStatus = envelope.Pass, s.code
	const seventies = 1e11 // a number of seconds, or none; other formats of a time have no zone
	if ms, err := strconv.ParseInt(s.stamp, 10, 64); err == nil && ms > seventies {
		t.StartedAt = time.UnixMilli(ms).UTC()
	}
	t.DurationMS = trialfields.Lasted(s.elapsed, 1)
	if !s.passed() {
		s.explain(&t)
	}
	return t
}

// explain says why a sample failed. One that was not answered is an error.
func (s *sample) explain(t *envelope.Trial) {
	t.Status = envelope.Fail
	const unanswered = "Non HTTP response code" // how the code begins of a request that got no answer; an exception ends it
	if exception, is := strings.CutPrefix(s.code, unanswered); is {
		if t.Status = envelope.Error; strings.HasSuffix(exception, "TimeoutException") {
			t.ErrorClass = envelope.ClassTimeout
		}
	}
	answer := strings.TrimSpace(s.code + " " + s.message)
	t.Message = cmp.Or(failure.Reason(s.failures, 3), failure.Reason(answer, 3), "failed without a message")
	t.Output = failure.Ends(failure.Together(s.failures, answer))
	trialfields.Label(t, "thread", s.thread)
}

// headerOf is what parts the cells of a table whose first line is this, if it is one of
// JMeter: which columns it has is a setting.
func headerOf(line string) (comma rune, is bool) {
	at := strings.IndexFunc(line, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') })
	if at <= 0 || len(line) > 4<<10 {
		return 0, false
	}
	comma, _ = utf8.DecodeRuneInString(line[at:])
	names := strings.Split(line, string(comma))
	for _, own := range []string{"elapsed", "label", "success"} {
		if !slices.Contains(names, own) {
			return 0, false
		}
	}
	others := each.Count([]string{"timeStamp", "responseCode", "responseMessage", "threadName", "allThreads", "grpThreads", "Latency",
		"failureMessage"}, func(own string) bool {
		return slices.Contains(names, own)
	})
	return comma, others >= 2 && comma != '"' && comma != '\r' && comma != utf8.RuneError
}

func (rd *reader) csv(in io.Reader, header string) error {
	comma, is := headerOf(header)
	if !is && header != "" {
		rd.problem(1, 1, "the table is not read: its first line is not a header of JMeter, which names elapsed, label, success and more; "+
			"set jmeter.save.saveservice.print_field_names=true")
		_, err := io.Copy(io.Discard, in)
		return err
	}
	if !is {
		comma = ','
	}
	rows := tablerows.Of(in, comma)
	names, err := headerRow(rows)
	for row := names; err == nil; row, err = rows.Next() {
		line, column := rows.Place()
		switch {
		case slices.Equal(row, names): // another run behind the first
		case len(row) != len(names):
			rd.problem(line, column, "a sample is not counted: it has "+words.Plural(len(row), "cell", "cells")+" and the header has "+
				strconv.Itoa(len(names)))
		default:
			rd.row(names, row, line, column)
		}
	}
	return tablerows.End(err, rd.to)
}

// headerRow is the first row that is not blank, as firstLine has it.
func headerRow(rows *tablerows.Rows) (names []string, err error) {
	for err == nil && (len(names) == 0 || len(names) == 1 && names[0] == "") {
		if names, err = rows.Next(); err == nil {
			names[0] = strings.TrimLeft(names[0], " ")
		}
	}
	return names, err
}

// row reads a sample of a table, in which each transaction comes behind its samples.
func (rd *reader) row(header, row []string, line, column int) {
	cell := func(name string) string {
		if i := slices.Index(header, name); i >= 0 {
			return row[i]
		}
		return ""
	}
	s := sample{line: line, column: column, stamp: cell("timeStamp"), elapsed: cell("elapsed"), label: cell("label"),
		code:    cell("responseCode"),
		message: cell("responseMessage"), thread: cell("threadName"), success: cell("success"), failures: cell("failureMessage")}
	rd.take(&s)
}

// take counts a sample, unless it is the sum of others.
func (rd *reader) take(s *sample) {
	switch why := s.wrong(); {
	case why != "":
		rd.problem(s.line, s.column, why)
	case rd.sums.holds(s):
		rd.sums.pass(s)
	default:
		rd.sums.add(s)
		t := s.trial()
		rd.attempts.Send(&t, rd.to)
	}
}

func (rd *reader) xml(in io.Reader) error {
	return xmlwalk.Read(in, rd.to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) {
		if e.Name != root {
			doc.Refuse(e, root, "--from")
			return
		}
		for e := range doc.Children() {
			if isSample(e) {
				rd.element(doc, e, 0)
			}
		}
	})
}

func isSample(e *xmlwalk.Element) bool { return e.Name == "sample" || e.Name == "httpSample" }

// element reads a sample with those in it, and reports whether it or one of them failed. Of a
// transaction these are trials, and it counts only where it is more than their sum; of any
// other they are its checks.
func (rd *reader) element(doc *xmlwalk.Doc, e *xmlwalk.Element, depth int) (failed bool) {
	s := &sample{line: e.Line, column: e.Column, label: e.Attr("lb"), code: e.Attr("rc"), message: e.Attr("rm"), thread: e.Attr("tn"),
		stamp: e.Attr("ts"), elapsed: e.Attr("t"), success: e.Attr("s")}
	_, isSum := size(s.message)
	inside := 0
	for e := range doc.Children() {
		const maxNesting = 50 // how deep samples may stand in each other
		switch {
		case e.Name == "assertionResult":
			s.assertion(doc)
		case !isSample(e) || depth == maxNesting:
		case !isSum:
			s.fetched(e)
		default:
			inside++
			failed = rd.element(doc, e, depth+1) || failed
		}
	}
	switch {
	case doc.Cut(): // it is not known whole
	case inside > 0 && (s.passed() || failed):
		rd.sums.pass(s)
	default:
		rd.take(s)
	}
	return failed || !s.passed()
}

// fetched takes a sample in another for a check.
func (s *sample) fetched(e *xmlwalk.Element) {
	c := envelope.Check{Name: e.Attr("lb"), Status: envelope.Pass}
	if e.Attr("s") == "false" {
		c.Status, c.Reason = envelope.Fail, e.Attr("rc")+" "+e.Attr("rm")
	}
	trialfields.AddCheck(&s.checks, c, "sample")
}

func (s *sample) assertion(doc *xmlwalk.Doc) {
	name, failed, broke, said := "", "", "", ""
	const textLimit = 16 << 10 // how many bytes are taken of what an assertion says
	doc.Inside(textLimit, xmlwalk.Elements{"name": &name, "failure": &failed, "error": &broke, "failureMessage": &said})
	c := envelope.Check{Name: name, Status: envelope.Pass, Reason: said}
	switch {
	case broke == "true":
		c.Status = envelope.Error
	case failed == "true":
		c.Status = envelope.Fail
	}
	if c.Status != envelope.Pass && s.failures == "" {
		s.failures = failure.Reason(said, 3)
	}
	trialfields.AddCheck(&s.checks, c, "assertion")
}

// A transaction says of how many samples it is the sum (TransactionController), and is
// written behind them, if they are written at all.
var transaction = regex.Of(`^Number of samples in transaction : (\d+), number of failing samples : \d+$`)

// remembered is how many samples of a thread are, for the transactions around them.
const remembered = 512

// sums tells transactions whose samples were read.
type sums struct {
	threads map[string][]done
	passed  int // over
	line    int // of the first
	column  int
}

// done is a sample that was read: when it began, and whether it passed.
type done struct {
	stamp  int64
	passed bool
}

// size is of how many samples one is the sum.
func size(message string) (n int, is bool) {
	const longest = 120
	if len(message) > longest {
		return 0, false
	}
	m := transaction().FindStringSubmatch(message)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// written are the forms of a time that JMeter knows beside milliseconds since 1970
// (CSVSaveService). They have no zone, and tell what began before what.
var written = []string{"2006/01/02 15:04:05", "2006-01-02 15:04:05", "01/02/06 15:04:05"}

// order is a number that is greater of what began later in one file.
func order(stamp string) (at int64, ok bool) {
	if ms, err := strconv.ParseInt(stamp, 10, 64); err == nil {
		return ms, true
	}
	for _, form := range written {
		if t, err := time.Parse(form, stamp); err == nil { // with a fraction or without one
			return t.UnixMilli(), true
		}
	}
	return 0, false
}

// holds reports whether a sample is the sum of others that were read. It is not where it
// failed and none of them did: an assertion of its own did.
func (m *sums) holds(s *sample) bool {
	n, is := size(s.message)
	stamp, ok := order(s.stamp)
	if !is || !ok {
		return false
	}
	found, failed := 0, false
	for _, d := range m.threads[s.thread] {
		if d.stamp >= stamp {
			found++
			failed = failed || !d.passed
		}
	}
	return found >= max(n, 1) && (s.passed() || failed)
}

func (m *sums) pass(s *sample) {
	if m.passed++; m.passed == 1 {
		m.line, m.column = s.line, s.column
	}
}

func (m *sums) add(s *sample) {
	stamp, ok := order(s.stamp)
	if !ok {
		return
	}
	last := m.threads[s.thread]
	if len(last) == remembered {
		last = append(last[:0], last[remembered/2:]...)
	}
	m.threads[s.thread] = append(last, done{stamp, s.passed()})
}
