// Package libtest reads the JSON events of Rust's libtest, as cargo test and
// cargo nextest (libtest-json, libtest-json-plus) write them.
//
// It exists for the suites of Rust, whose other machine-readable report is nextest's JUnit. nextest names tests
// package::binary$test and says how often one ran, but only how it ended at last; libtest names no suite at all, so
// tests of one name in several binaries cannot be told from repeats. The reader says so. A test that began and did not
// end is an error: of class crash, which counts, when its suite says that it failed, cargo that its process died, or
// the next suite begins; where only the stream ends, nobody knows. It leaves out benchmarks, which have no verdict.
package libtest

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether the first object in head is an event.
func Sniff(head []byte) bool {
	keys := jsonwalk.FirstLineKeys(head)
	return slices.Contains([]string{"suite", "test", "bench"}, keys["type"]) &&
		slices.Contains([]string{"started", "ok", "failed", "ignored", "timeout", "discovered", "completed"}, keys["event"])
}

// Read reads a stream of events.
func Read(r io.Reader, to envelope.Sink) error {
	rd := &reader{to: &runfailure.Watch{Sink: to}, open: map[string]*started{}, suiteOf: map[envelope.Key]int{}, warned: map[string]bool{}}
	err := jsonwalk.AllLines(r, to, rd.one, rd.cargo, "event")
	if len(rd.open) > 0 || rd.inSuite {
		runfailure.Truncated(to, rd.line, "the stream ends before its suite does: later tests may be missing")
	}
	rd.end(cutOff)
	return err
}

type reader struct {
	to      *runfailure.Watch
	line    int
	open    map[string]*started
	order   int
	suite   int // suites begun
	inSuite bool
	planned int                  // tests of the suite, as it said
	begun   int                  // tests of the suite that began or ended
	suiteOf map[envelope.Key]int // that had the test last
	warned  map[string]bool
}

type started struct {
	name  string
	order int
	slow  bool // it took longer than libtest thinks usual
}

type event struct {
	Type, Event, Name       string
	ExecTime                duration `json:"exec_time"`
	Stdout, Stderr, Message string
	Reason                  string
	TestCount               int `json:"test_count"`
	Passed, Failed          int // of a suite
}

// duration is seconds. libtest of 2020 and 2021 wrote "0.001s".
type duration struct{ seconds envelope.Opt[float64] }

func (d *duration) Take(v jsonwalk.Value) {
	if n, err := strconv.ParseFloat(strings.Trim(string(v.Raw()), `"s`), 64); err == nil {
		d.seconds = envelope.Some(n)
	}
}

func (d *duration) UnmarshalJSON(b []byte) error { return jsonwalk.Unmarshal(b, d) }

var (
	crashed = runfailure.Crashed("test")
	lost    = runfailure.Lost("test")
	cutOff  = runfailure.CutOff("test")
)

func (rd *reader) one(l *jsonwalk.Line) {
	rd.line = l.Number
	text, bare := escaped(l.Text)
	if l.Text = text; bare {
		const codeBare = "bare-backslashes" // marks events whose names are no JSON
		rd.warn(codeBare, "names have backslashes that are not escaped, as in doc tests on Windows before Rust 1.49. They are read as written. "+
			"If each backslash of a name begins a JSON escape, they are read as escapes: in src\\net.rs, \\n becomes a line break")
	}
	e := event{}
	if !l.Decode(&e) {
		return
	}
	switch {
	case e.Type == "suite" && e.Event == "started":
		rd.died("")
		rd.to.Next()
		rd.suite++
		rd.inSuite, rd.planned, rd.begun = true, e.TestCount, 0
	case e.Type == "suite" && e.Event == "failed":
		rd.end(crashed)
		rd.inSuite = false
		if rd.to.Failed > 0 {
			rd.to.Lost(e.Failed, "tests")
		}
		rd.to.Explain("a suite says that it failed, and none of its tests did")
	case e.Type == "suite":
		rd.end(lost)
		if rd.inSuite {
			rd.to.Fewer(envelope.Problem{Line: l.Number, Column: 1, Message: "the suite"}, e.Passed+e.Failed, rd.begun, "tests")
		}
		rd.inSuite = false
	case e.Type == "test":
		rd.test(l, &e)
	case e.Type == "" && e.Event == "": // of cargo, or printed by a test
		l.Foreign()
	case e.Type == "":
		l.Malformed(0, "it has no type")
	}
}

func (rd *reader) test(l *jsonwalk.Line, e *event) {
	if _, n := parse(e.Name); n.Test == "" {
		l.Malformed(0, "its test has no name")
		return
	}
	status := envelope.Pass
	switch e.Event {
	case "started":
		rd.order++
		rd.begun++
		rd.open[e.Name] = &started{name: e.Name, order: rd.order}
		return
	case "timeout": // no end: it takes long and goes on
		if s := rd.open[e.Name]; s != nil {
			s.slow = true
		}
		return
	case "ok":
	case "failed":
		status = envelope.Fail
	case "ignored":
		status = envelope.Skip
	default:
		l.Malformed(0, "the event of a test is unknown")
		return
	}
	if rd.open[e.Name] == nil {
		rd.begun++
	}
	delete(rd.open, e.Name)
	rd.ended(e, status)
}

func (rd *reader) ended(e *event, status envelope.Status) {
	t := envelope.Trial{Status: status, RawStatus: e.Event, Output: failure.Ends(e.Stdout + e.Stderr)}
	if e.ExecTime.seconds.OK {
		t.DurationMS = trialfields.Milliseconds(e.ExecTime.seconds.V, 1000)
	}
	if e.Reason == "time limit exceeded" {
		t.ErrorClass = envelope.ClassTimeout
	}
	if status != envelope.Pass {
		e.explain(&t)
	}
	rd.emitTrial(e.Name, &t)
}

// diedMark begins the line with which cargo says that the process of a suite died.
const diedMark = "process didn't exit successfully: `"

// cargo reads what cargo says between the events, where both are in one stream.
func (rd *reader) cargo(_ int, line []byte) {
	said, ok := strings.CutPrefix(string(line), diedMark)
	if !ok {
		return
	}
	how := ""
	if at := strings.LastIndex(said, "` ("); at >= 0 { // behind the command
		how = strings.TrimSuffix(strings.TrimSpace(said[at+len("` ("):]), ")")
	}
	rd.died(how)
}

// died ends a suite whose process is gone: cargo says so, or runs the next one.
func (rd *reader) died(how string) {
	if !rd.inSuite {
		return
	}
	rd.inSuite = false
	if missing := rd.planned - rd.begun; missing > 0 || len(rd.open) == 0 {
		runfailure.Truncated(rd.to, rd.line, "a suite stops here and does not say how it ended: its process died"+
			words.If(missing > 0, ", and "+words.Of(missing, rd.planned, "test", "tests")+" did not begin"))
	}
	why := crashed
	why.Why += words.Around(": ", how)
	rd.end(why)
}

// end ends the tests that began and did not end.
func (rd *reader) end(why runfailure.Unended) {
	open := slices.SortedFunc(maps.Values(rd.open), func(a, b *started) int { return a.order - b.order })
	clear(rd.open)
	for _, s := range open {
		t := envelope.Trial{Status: envelope.Error, ErrorClass: why.Class, Unended: why.Far, Message: why.Why}
		if s.slow {
			t.ErrorClass = envelope.ClassTimeout
		}
		rd.emitTrial(s.name, &t)
	}
}

// emitTrial numbers a trial. Of a test that was run again nextest shows the last
// run, whose number is that of the runs.
func (rd *reader) emitTrial(name string, t *envelope.Trial) {
	runs, key := parse(name)
	t.Key = key
	if runs > 1 {
		t.Retry = true
		rd.warn(envelope.CodeRetriesLost, "tests were run again, and these events have their last run only: use nextest's JUnit to see all")
	}
	if suite, ok := rd.suiteOf[key]; ok && suite != rd.suite && key.Suite == "" {
		const codeSuites = "ambiguous-suites" // marks tests whose suites the events do not tell apart
		rd.warn(codeSuites, "tests of one name in several suites count as repeats, as this report names no suites; nextest's JUnit does")
	}
	rd.suiteOf[key] = rd.suite
	next := rd.to.Attempts.Of(key)
	*next = min(*next, math.MaxInt32-maxRuns) + runs
	t.Attempt = envelope.Some(*next - 1)
	rd.to.Trial(t)
}

func (rd *reader) warn(code, message string) {
	if !rd.warned[code] {
		rd.warned[code] = true
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Line: max(rd.line, 1), Column: 1, Message: message})
	}
}

// maxRuns is the largest number behind a # that is taken for one of runs.
const maxRuns = 10000

// parse splits the name of a test. nextest writes package::binary$test, with
// @stress-N behind the binary of a repeat and #n behind a test that ran n times.
func parse(name string) (runs int32, key envelope.Key) {
	binary, test, isNextest := strings.Cut(name, "$")
	if !isNextest || strings.ContainsAny(binary, " \t") || test == "" {
		return 1, envelope.Key{Test: name}
	}
	if stem, n, ok := numbered(binary, "@stress-"); ok && n >= 0 {
		binary = stem
	}
	runs = 1
	if stem, n, ok := numbered(test, "#"); ok && 1 <= n && n <= maxRuns && stem != "" {
		test, runs = stem, int32(n)
	}
	return runs, envelope.Key{Suite: binary, Test: test}
}

// numbered splits a text that ends in a mark and a number.
func numbered(s, mark string) (stem string, n int, ok bool) {
	at := strings.LastIndex(s, mark)
	if at < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[at+len(mark):])
	return s[:at], n, err == nil
}

func (e *event) explain(t *envelope.Trial) {
	said, printed := "", e.Stdout+e.Stderr
	for line, rest := "", printed; rest != "" && said == ""; {
		line, rest, _ = strings.Cut(rest, "\n")
		if _, after, ok := strings.Cut(line, " panicked at "); ok {
			said, t.File, t.Line = panicked(strings.TrimSpace(after), rest)
		}
	}
	t.Message = cmp.Or(failure.Reason(e.Message, 2), said, failure.Reason(e.Reason, 1))
	if t.Message == "" && t.Status == envelope.Fail {
		t.Message = cmp.Or(failure.Reason(printed, 2), "failed without a message")
	}
}

// panicked splits "src/lib.rs:4:51:" with the message on the lines behind it, or
// "'message', src/lib.rs:4:51" of Rust before 1.73.
func panicked(at, rest string) (said, file string, line int) {
	said = failure.Reason(rest, 1)
	if end := strings.LastIndex(at, "', "); end > 0 && at[0] == '\'' {
		said, at = failure.Reason(at[1:end], 1), at[end+len("', "):]
	}
	parts := strings.Split(strings.TrimSuffix(at, ":"), ":")
	if n := len(parts); n >= 3 {
		number, err := strconv.Atoi(parts[n-2])
		file = strings.Join(parts[:n-2], ":")
		// A place elsewhere on the machine is none of the test's.
		if err == nil && number > 0 && !strings.HasPrefix(file, "/") && !strings.Contains(file, `:\`) {
			return said, file, number
		}
	}
	return said, "", 0
}

// nameMark begins the name of an event as libtest writes it, which prints its events word
// by word.
var nameMark = []byte(`"name": "`)

// escaped is an event with its name as JSON has it. libtest before Rust 1.49, and programs
// that print events as it does, write names as they are, and on Windows those of doc tests
// have the path of a file. Such a name is known by a backslash that no JSON has; then all
// of its backslashes are bare. Nothing else of an event is touched.
func escaped(event []byte) (repaired []byte, bare bool) {
	at := bytes.Index(event, nameMark)
	if at < 0 {
		return event, false
	}
	begin := at + len(nameMark)
	length := bytes.IndexByte(event[begin:], '"')
	if length < 0 || !hasBare(event[begin:begin+length]) {
		return event, false
	}
	end := begin + length
	name := bytes.ReplaceAll(event[begin:end], []byte(`\`), []byte(`\\`))
	return bytes.Join([][]byte{event[:begin], name, event[end:]}, nil), true
}

// hasBare reports whether a backslash in what stands between quotes begins no escape.
func hasBare(s []byte) bool {
	for {
		at := bytes.IndexByte(s, '\\')
		if at < 0 || at+1 == len(s) { // or what it escapes is the quote behind s
			return false
		}
		next, rest := s[at+1], s[at+2:]
		if next == 'u' && (len(rest) < 4 || len(bytes.Trim(rest[:4], "0123456789abcdefABCDEF")) > 0) ||
			bytes.IndexByte([]byte(`u"\/bfnrt`), next) < 0 {
			return true
		}
		s = rest
	}
}
