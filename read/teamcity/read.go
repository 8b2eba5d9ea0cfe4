// Package teamcity reads the service messages of tests in a log, as TeamCity takes them and
// IntelliJ's runners write them: PHPUnit --teamcity, and reporters of many others.
//
// It exists because for such a log it is the only report there is, and because PHPUnit's JUnit leaves out why tests
// were skipped. A test that comes again is another attempt, and a retry where the log says testRetrySupport. Suites
// are those around a test in its flow; for PHPUnit, which names its configuration file as one, the class is the
// suite. A problem that fails the build (buildProblem, or buildStatus with FAILURE) is an error of its own, [run],
// for no test may tell of it. Whatever else stands in the log is passed over.
package teamcity

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/chunks"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/noise"
	"tribunal/read/internal/outcomestrip"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

var ofTests = regex.Of(`(?m)^[ \t]*##teamcity\[(?:testCount|testSuiteStarted|testStarted|testIgnored|testRetrySupport|flowStarted|enteredTheMatrix)\b`)

// Sniff reports whether head is of a log with service messages of tests.
func Sniff(head []byte) bool { return bytes.Contains(head, []byte(begin)) && ofTests().Match(head) }

// Own reports whether a log is a report of ours: it ends with what it counted.
func Own(_, tail []byte) bool {
	return bytes.Contains(tail, []byte(begin+"buildStatisticValue key='tribunal."))
}

// Read reads a log.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, flows: map[string]*flow{}}
	err := chunks.Lines(r, chunks.Size, chunks.MaxLine, func(l chunks.Line) {
		rd.number = l.Number
		if l.TooLong {
			rd.problem(envelope.CodeLineTooLong, 1, "the line is longer than 64 MiB and is skipped")
		} else {
			rd.line(strings.TrimRight(string(l.Text), "\r"))
		}
	})
	rd.noise.ReportForeign(to)
	if rd.close(); err != nil {
		return err
	}
	if rd.first > 0 && !rd.seen {
		rd.number = rd.first
		rd.problem(envelope.CodeUnreadable, 1, "the log has no service message of TeamCity: use the TeamCity reporter of your runner")
	}
	return nil
}

type reader struct {
	to      *runfailure.Watch
	flows   map[string]*flow
	order   []string // of the flows, as they began
	retries bool     // the log says that a test that comes again is a retry
	number  int      // of the line
	first   int      // the first line that is not blank
	seen    bool     // there was a service message
	noise   noise.Noise
}

// flow is what goes on in one thread of the run.
type flow struct {
	suites []string
	above  int // of the suites, how many are those of the flow it began in
	test   *test
	alone  string // the last test that did not begin
}

type test struct {
	name          string
	trial         envelope.Trial
	message, text string
	out           strings.Builder
}

// Limits of what is kept.
const (
	mostFlows  = 100_000
	mostSuites = 1000
	textLimit  = 64 << 10
)

func (rd *reader) problem(code string, column int, message string) {
	rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: code, Line: rd.number, Column: column, Message: message})
}

func (rd *reader) line(line string) {
	m, is, whole := messageIn(line)
	rd.seen = rd.seen || is
	if rd.first == 0 && strings.TrimSpace(strings.TrimPrefix(line, "\uFEFF")) != "" {
		rd.first = rd.number
	}
	switch {
	case !is:
		rd.noise.Look([]byte(strings.TrimSpace(line)), rd.number)
	case !whole && (strings.HasPrefix(m.name, "test") || m.name == "buildProblem"):
		rd.problem(envelope.CodeMalformed, m.column,
			"a service message of a test or of a build problem cannot be read: its end is missing, or a quote is not escaped")
	case whole:
		rd.take(&m)
	}
}

func (rd *reader) flow(id string) *flow {
	f := rd.flows[id]
	if f == nil {
		f = &flow{}
		if len(rd.flows) < mostFlows {
			rd.flows[id] = f
			rd.order = append(rd.order, id)
		}
	}
	return f
}

func (rd *reader) take(m *message) {
	f := rd.flow(m.get("flowId"))
	switch m.name {
	case "flowStarted":
		if parent := rd.flows[m.get("parent")]; parent != nil {
			f.suites, f.above = slices.Clip(parent.suites), len(parent.suites)
		}
	case "testRetrySupport":
		rd.retries = m.get("enabled") == "true"
	case "testSuiteStarted":
		if len(f.suites) < mostSuites {
			f.suites = append(f.suites, m.get("name"))
		}
	case "testSuiteFinished":
		rd.end(f) // a test that did not end before its suite
		if i := slices.Index(f.suites, m.get("name")); i >= 0 {
			f.suites = slices.Clip(f.suites[:i]) // its flows have the same list
			f.above = min(f.above, i)
		}
	case "testStarted":
		rd.end(f)
		rd.start(f, m)
	case "testFailed", "testIgnored", "testStdOut", "testStdErr", "testMetadata", "testFinished":
		rd.of(f, m)
	case "buildProblem":
		switch m.get("identity") {
		case "tribunal", "tribunal_gate":
			rd.to.Problem(outcomestrip.Recorded(envelope.SeverityError, rd.number, m.column, m.get("description")))
		default:
			rd.run(m.get("description"))
		}
	case "buildStatus":
		if m.get("status") == "FAILURE" {
			rd.run(m.get("text"))
		}
	case "buildStop":
		rd.run(cmp.Or(m.get("comment"), "the build was stopped"))
	}
}

// run delivers a problem that fails the whole build.
func (rd *reader) run(why string) {
	why = cmp.Or(why, "the build failed")
	rd.to.Fail(envelope.ClassInfrastructure, strings.ToValidUTF8(why, "\uFFFD"))
}

func (rd *reader) start(f *flow, m *message) {
	name := m.get("name")
	if name == "" {
		rd.problem(envelope.CodeMalformed, m.column, "a test without a name is not counted")
		return
	}
	t := &test{name: name}
	t.trial.Suite, t.trial.Test = strings.Join(f.suites, "/"), name
	if file, class, is := phpLocation(m.get("locationHint")); is {
		t.trial.File, t.trial.Suite = file, class
	}
	t.trial.StartedAt = instant(m.get("timestamp"))
	f.test = t
}

func phpLocation(hint string) (file, class string, is bool) {
	rest, is := strings.CutPrefix(hint, "php_qn://")
	file, name, found := strings.Cut(rest, "::")
	class, _, some := strings.Cut(strings.TrimPrefix(name, `\`), "::")
	return file, class, is && found && some
}

func instant(text string) time.Time {
	if at := trialfields.Time("2006-01-02T15:04:05.999-0700", text); !at.IsZero() {
		return at
	}
	return trialfields.Time(time.RFC3339Nano, text) // without a zone nobody knows when
}

func (rd *reader) of(f *flow, m *message) {
	name := m.get("name")
	if m.name == "testMetadata" {
		if name = m.get("testName"); name == "" && f.test != nil {
			name = f.test.name
		}
	}
	if f.test == nil || f.test.name != name {
		switch {
		case m.name == "testIgnored", m.name == "testFailed" && f.test == nil: // such as a hook of Mocha, which does not begin
			rd.alone(f, m)
		case m.name == "testFailed", m.name == "testFinished" && f.alone != name:
			rd.problem(envelope.CodeMalformed, m.column, fmt.Sprintf("%s of a test that did not begin in this flow is not counted", m.name))
		}
		return
	}
	t := f.test
	switch m.name {
	case "testFailed":
		t.failed(m)
	case "testIgnored":
		t.ignored(m)
	case "testStdOut", "testStdErr":
		out := m.get("out")
		t.out.WriteString(out[:min(len(out), max(0, textLimit-t.out.Len()))])
	case "testMetadata":
		trialfields.Set(&t.trial, m.get("name"), m.get("value"))
	case "testFinished":
		t.finish(m)
		rd.emitTest(f)
	}
}

// alone delivers a test that did not begin. One that is ignored may finish all the same.
func (rd *reader) alone(f *flow, m *message) {
	rd.end(f)
	if rd.start(f, m); f.test == nil {
		return
	}
	if f.alone = f.test.name; m.name == "testFailed" {
		f.test.failed(m)
	}
	f.test.ignored(m)
	f.test.finish(m)
	rd.emitTest(f)
}

func (t *test) failed(m *message) {
	if t.trial.Status == envelope.Fail || t.trial.Status == envelope.Error { // the first reason counts
		return
	}
	t.trial.Status = envelope.Fail
	if m.get("error") == "true" {
		t.trial.Status = envelope.Error
	}
	t.text = m.get("details")
	t.message = cmp.Or(strings.TrimSpace(m.get("message")), t.text)
	if m.get("type") == "comparisonFailure" {
		t.text = failure.Together("expected: "+m.get("expected")+"\nactual: "+m.get("actual"), t.text)
	}
}

func (t *test) ignored(m *message) {
	if t.trial.Status == "" {
		t.trial.Status, t.message = envelope.Skip, m.get("message")
	}
}

func (t *test) finish(m *message) {
	t.trial.Status = cmp.Or(t.trial.Status, envelope.Pass)
	t.trial.DurationMS = trialfields.Lasted(m.get("duration"), 1)
}

func (rd *reader) emitTest(f *flow) {
	t := f.test
	f.test = nil
	trial := &t.trial
	if trial.Status != envelope.Pass {
		trial.Message = failure.Reason(t.message, 3)
		long := failure.Longer(t.message, trial.Message)
		trial.Output = strings.ToValidUTF8(failure.Ends(failure.Together(long, t.text, t.out.String())), "\uFFFD")
	}
	if failure.TimedOut(trial.Message) {
		trial.ErrorClass = envelope.ClassTimeout
	}
	earlier := failure.TriesOfGinkgo(trial, t.out.String())
	for i := range earlier {
		rd.to.Send(&earlier[i])
	}
	trial.Attempt = rd.to.Attempts.Next(trial.Key)
	trial.Retry = trial.Retry || rd.retries && trial.Attempt.V > 0
	rd.to.Trial(trial)
}

// end ends a test that did not end itself.
func (rd *reader) end(f *flow) {
	if f.test == nil {
		return
	}
	if f.test.trial.Status == "" {
		t := &f.test.trial
		t.Status, t.ErrorClass, t.Unended, f.test.message = envelope.Error, envelope.ClassInfrastructure, envelope.Running, "the test did not end"
	}
	rd.emitTest(f)
}

// close ends what is open at the end of the log. A runner that died between two tests leaves a suite open.
func (rd *reader) close() {
	open := ""
	for _, id := range rd.order {
		f := rd.flows[id]
		rd.end(f)
		if open == "" && len(f.suites) > f.above {
			open = f.suites[f.above]
		}
	}
	if open != "" {
		rd.problem(envelope.CodeTruncated, 1, fmt.Sprintf("the log ends before the suite %q does: tests may be missing; "+
			"get the whole file, or run the tests again", open))
	}
}

// begin is how a service message begins, wherever in a line it stands.
const begin = "##teamcity["

type message struct {
	name       string
	attributes map[string]string
	column     int // 1-based, in bytes
}

func (m *message) get(name string) string { return m.attributes[name] }

// messageIn is the service message in a line; is says that there is one, and whole that it can be read.
func messageIn(line string) (m message, is, whole bool) {
	at := strings.Index(line, begin)
	if at < 0 {
		return m, false, false
	}
	m = message{attributes: map[string]string{}, column: at + 1}
	rest := line[at+len(begin):]
	end := strings.IndexAny(rest, " ]\t")
	if end < 0 {
		return m, true, false
	}
	m.name, rest = rest[:end], rest[end:]
	for {
		rest = strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(rest, "]") {
			return m, true, true
		}
		name, behind, found := strings.Cut(rest, "'")
		if !found {
			return m, true, false
		}
		value, behind, ended := unescape(behind)
		if !ended {
			return m, true, false
		}
		const mostAttributes = 50 // how many attributes of a message are looked at
		if name = strings.TrimRight(strings.TrimSpace(name), "= \t"); len(m.attributes) < mostAttributes {
			m.attributes[name] = value
		}
		rest = behind
	}
}

// unescape is a value up to its quote, and what stands behind it.
func unescape(text string) (value, rest string, ended bool) {
	if plain := strings.IndexAny(text, "|'"); plain >= 0 && text[plain] == '\'' {
		return text[:plain], text[plain+1:], true
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'':
			return b.String(), text[i+1:], true
		case c != '|' || i+1 == len(text):
			b.WriteByte(c)
		default:
			i++
			i += escaped(&b, text[i:])
		}
	}
	return "", "", false
}

// escaped writes what a sign behind a bar stands for, and says how many more bytes it takes.
func escaped(b *strings.Builder, text string) int {
	const hex = len("0x00B0")
	switch text[0] {
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 'x':
		b.WriteRune('\u0085')
	case 'l':
		b.WriteRune('\u2028')
	case 'p':
		b.WriteRune('\u2029')
	case '0':
		if len(text) >= hex && text[1] == 'x' {
			if r, err := strconv.ParseUint(text[2:hex], 16, 32); err == nil && utf8.ValidRune(rune(r)) {
				b.WriteRune(rune(r))
				return hex - 1
			}
		}
		b.WriteByte('0')
	default:
		b.WriteByte(text[0])
	}
	return 0
}
