package junit

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/xmlwalk"
)

// Limits of one testcase. The rest is left out.
const (
	propertyLimit = 1000
	childLimit    = 10_000 // failures and reruns
	keptLimit     = 64 << 10
	readLimit     = 1 << 20 // of an output, whose end is kept, too
)

type testcase struct {
	name, classname, file, line string
	time, timestamp, status     string
	result                      string
	at                          place
	properties                  []property
	failures                    []fault // failure and error
	reruns                      []fault // rerunFailure and rerunError
	flakies                     []fault // flakyFailure and flakyError
	skipped                     *fault
	out, err                    string
	flaky                       bool // of Flank
	byNode                      bool // from node's runner: file, not classname, identifies the suite
}

// nodeAttributes matches the attributes of a testcase of node's test runner. No other runner writes them in this order.
var nodeAttributes = regex.Of(`^name time classname file( failure)?$`)

// risky matches the types of errors that PHPUnit 9 writes for risky tests.
var risky = regex.Of(`^PHPUnit\\Framework\\(RiskyTestError|OutputError|CoveredCodeNotExecutedException|MissingCoversAnnotationException|UnintentionallyCoveredCodeError)$`)

// warning matches the types of doctest's assertions that fail no test. It counts them as failures.
var warning = regex.Of(`^WARN(_[A-Z]+)*$`)

// skipsCounted are the types of errors, counted as such, for a test that TestNG skipped and for
// a TODO test of TAP::Formatter::JUnit that passed. The program prove accepts those.
var skipsCounted = []string{"org.testng.SkipException", "TodoTestSucceeded"}

type property struct{ name, value string }

// fault is an element for one try of a test that did not pass.
type fault struct {
	isError             bool
	message, kind, body string
	out, err            string
	time, timestamp     string
}

func (rd *reader) testcase(start *xmlwalk.Element, s *suite) {
	get, at := start.Attr, place{start.Line, start.Column}
	c := testcase{name: get("name"), classname: cmp.Or(get("classname"), get("class")), flaky: get("flaky") == "true", file: get("file"),
		line: get("line"), time: get("time"), timestamp: get("timestamp"), status: get("status"), result: get("result"), at: at}
	if s.kind == qtTest && c.classname == "" && c.result == "" { // of Qt 5: a comment says why; Qt 6 has an element
		c.status = string(envelope.Skip)
	}
	const classOfNode = "test" // the classname that node's test runner writes for every test
	c.byNode = c.classname == classOfNode && nodeAttributes().MatchString(start.Names())
	for e := range rd.doc.Children() {
		rd.caseChild(&c, e)
	}
	if rd.doc.Cut() {
		return
	}
	failed := len(c.failures)
	c.failures = slices.DeleteFunc(c.failures, func(f fault) bool { return c.status == "run" && warning().MatchString(f.kind) })
	s.counts -= failed - len(c.failures)
	s.faults += len(c.failures) + len(c.reruns) + len(c.flakies) // counters may count tries or not
	if s.tries += 1 + len(c.reruns) + len(c.flakies); c.skipped != nil {
		s.tries, s.left = s.tries-1, s.left+1
		if c.skipped.isError && slices.Contains(skipsCounted, c.skipped.kind) {
			s.counts--
		}
	}
	rd.take(&c, s)
}

func (rd *reader) caseChild(c *testcase, start *xmlwalk.Element) {
	switch start.Name {
	case "failure", "error", "compromised": // Serenity writes compromised for failures around a test
		c.failures = rd.fault(c.failures, start)
		last := len(c.failures) - 1
		if last >= 0 && (c.failures[last].kind == "skipped" || slices.Contains(skipsCounted, c.failures[last].kind)) {
			// godog writes this for a step that asked to be skipped, and for steps after a failed one
			c.skipped, c.failures = &c.failures[last], c.failures[:last:last]
		}
	case "rerunFailure", "rerunError":
		c.reruns = rd.fault(c.reruns, start)
	case "flakyFailure", "flakyError":
		c.flakies = rd.fault(c.flakies, start)
	case "skipped":
		c.skipped = &rd.fault(nil, start)[0]
	case "warning":
		if strings.HasPrefix(start.Attr("type"), `PHPUnit\`) { // CxxTest has warnings as well, and fails for none
			rd.note(place{start.Line, start.Column}, codeByOption,
				"tests with a PHPUnit warning count as passed; with failOnWarning PHPUnit fails for them, and its report does not show that: check "+
					"its exit code")
		}
	case "system-out":
		rd.textOf(&c.out)
	case "system-err":
		rd.textOf(&c.err)
	case "properties":
		more := rd.properties()
		c.properties = append(c.properties, more[:min(len(more), propertyLimit-min(len(c.properties), propertyLimit))]...)
	}
}

// fault reads the element of a try that did not pass, and appends it.
func (rd *reader) fault(others []fault, start *xmlwalk.Element) []fault {
	if len(others) >= childLimit {
		return others
	}
	f := fault{isError: strings.HasSuffix(strings.ToLower(start.Name), "error") || start.Name == "compromised", message: start.Attr("message"),
		kind: start.Attr("type"), time: start.Attr("time"), timestamp: start.Attr("timestamp")}
	var body, stack strings.Builder
	for e := range rd.doc.Content(func(b []byte) { keep(&body, b) }) {
		switch e.Name {
		case "stackTrace":
			rd.doc.CharData(func(b []byte) { keep(&stack, b) })
		case "system-out":
			rd.textOf(&f.out)
		case "system-err":
			rd.textOf(&f.err)
		}
	}
	f.body = strings.TrimSpace(body.String() + stack.String())
	if risky().MatchString(f.kind) {
		rd.note(place{start.Line, start.Column}, codeByOption,
			"PHPUnit reports risky tests as errors, but not whether they failed its run (failOnRisky): check its exit code")
	}
	return append(others, f)
}

// keep appends to a text, up to keptLimit bytes.
func keep(text *strings.Builder, b []byte) { xmlwalk.Keep(text, b, keptLimit) }

// textOf appends the text of the rest of an element.
func (rd *reader) textOf(text *string) {
	var b strings.Builder
	b.WriteString(*text)
	rd.doc.CharData(func(more []byte) { xmlwalk.Keep(&b, more, readLimit) })
	*text = failure.Ends(b.String())
}

// properties reads the rest of a properties element. Without a value attribute, the text of a property is its value.
func (rd *reader) properties() (out []property) {
	for e := range rd.doc.Named("property") {
		if len(out) >= propertyLimit {
			continue
		}
		p := property{e.Attr("name"), e.Attr("value")}
		var text string
		rd.textOf(&text)
		p.value = cmp.Or(p.value, strings.TrimSpace(text))
		if p.name != "" {
			out = append(out, p)
		}
	}
	return out
}

// Limits of a message, which should be short.
const messageLines, messageBytes = 3, 1 << 10

// noNews recognises messages that only say that the test failed.
func noNews(message string) bool {
	message = strings.TrimSpace(message)
	return message == "" || slices.ContainsFunc([]string{"failed", "failure", "error", "test failed"}, func(word string) bool {
		return strings.EqualFold(message, word)
	})
}

// saysNothing recognises blank lines, and lines of go test with only the name of the test.
func saysNothing(line string) bool {
	return strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") || strings.Trim(line, " \t\r\n\f") == ""
}

// summary returns the first meaningful lines of a message, or of the body if the message has none.
func summary(message, body string) string {
	if noNews(message) {
		if first := firstLines(body, 1); first != "" {
			return first
		}
	}
	return firstLines(message, messageLines)
}

func firstLines(s string, most int) string {
	var kept []string
	for line := range strings.Lines(s) {
		if line = strings.TrimRight(line, "\r\n\t "); saysNothing(line) {
			continue
		}
		if kept = append(kept, line); len(kept) == most {
			break
		}
	}
	return words.Lead(strings.TrimSpace(strings.Join(kept, "\n")), messageBytes)
}

// together joins several failures of one try: each message once, and all bodies.
func together(fs []fault) (message, text string) {
	var said []string
	var bodies strings.Builder
	seen := map[string]bool{}
	for i := range fs {
		if one := summary(fs[i].message, fs[i].body); one != "" && !seen[one] {
			seen[one] = true
			said = append(said, one)
		}
		if one := failure.Together(fs[i].body, fs[i].out, fs[i].err); one != "" {
			keep(&bodies, []byte(one+"\n\n"))
		}
	}
	return words.Lead(strings.Join(said, "\n"), messageBytes), strings.TrimSpace(bodies.String())
}

var timeoutKind = regex.Of(`(?i)(timeout|TestTimedOutException)$`)

const goTimeout = "panic: test timed out after"

// class returns the error class of a try with this message. An exception of a test is
// never an infrastructure error, because only the runner could know.
func class(f *fault, said string) string {
	switch {
	case timedOut(f, said):
		return envelope.ClassTimeout
	case f.isError && strings.HasPrefix(said, "collection failure"):
		return envelope.ClassPreValidation
	}
	return ""
}

// timedOut reports whether the runner reported a timeout. A TimeoutException of Java comes from the test itself,
// unless JUnit 5 names what timed out. CTest writes only Timeout.
func timedOut(f *fault, said string) bool {
	switch {
	case timeoutKind().MatchString(f.kind), failure.TimedOut(said), strings.Contains(said, goTimeout), said == "Timeout":
		return true
	case f.kind == "java.util.concurrent.TimeoutException":
		return strings.Contains(said, ") timed out after ")
	}
	return noNews(f.message) && strings.Contains(f.body, goTimeout)
}

func fill(t *envelope.Trial, rows *envelope.Rows, i int) {
	t.Status, t.Run, t.Retry = rows.Given[i].Status(), rows.Run().At(i), rows.Retry().At(i)
	t.Truth = rows.Truth().At(i)
	t.RawStatus, t.ErrorClass = rows.RawStatus().At(i), rows.ErrorClass().At(i)
	if t.Attempt = cell(rows.Attempt(), i); t.Attempt.V < 0 {
		t.Attempt = envelope.Opt[int32]{}
	}
	t.Score, t.Category = cell(rows.Score(), i), cell(rows.Category(), i)
	t.DurationMS, t.SetupMS = cell(rows.DurationMS(), i), cell(rows.SetupMS(), i)
	t.CostUSD, t.SetupCostUSD = cell(rows.CostUSD(), i), cell(rows.SetupCost(), i)
	t.Tokens, t.ToolCalls = cell(rows.Tokens(), i), cell(rows.ToolCalls(), i)
	if ns, ok := rows.StartedAt().At(i); ok {
		t.StartedAt = time.Unix(0, ns).UTC()
	}
}

func cell[T envelope.Cell](c envelope.Column[T], i int) envelope.Opt[T] {
	v, ok := c.At(i)
	return envelope.Opt[T]{V: v, OK: ok}
}

// detail has the texts of one trial from a body.
type detail struct{ message, output string }

// headline matches the line with which render/junit starts a trial: its number from 1, and its status. Further lines
// are indented by two, and the output below "output:" by four.
var headline = regex.Of(`^trial ([1-9][0-9]{0,8})[ ,:]`)

// texts returns the texts of trials in the bodies of a testcase, by row. Texts that render/junit cut stay cut.
func texts(c *testcase) map[int]detail {
	out := map[int]detail{}
	bodies := c.out
	for i := range c.failures {
		bodies += "\n" + c.failures[i].body
	}
	if c.skipped != nil {
		bodies += "\n" + c.skipped.body
	}
	row, inOutput := -1, false
	var d detail
	for line := range strings.Lines(bodies) {
		line = strings.TrimSuffix(line, "\n")
		if m := headline().FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1]) // of nine digits at most
			row, inOutput, d = n-1, false, detail{}
			continue
		}
		if row < 0 || !strings.HasPrefix(line, "  ") {
			row = -1
			continue
		}
		inOutput = inOutput || line == "  output:"
		switch {
		case line == "  output:":
		case inOutput:
			d.output = strings.TrimPrefix(d.output+"\n"+strings.TrimPrefix(line, "    "), "\n")
		default:
			d.message = strings.TrimPrefix(d.message+"\n"+strings.TrimPrefix(line, "  "), "\n")
		}
		out[row] = d
	}
	return out
}

// Commas separate thousands in times of old versions of Surefire, or are decimal commas
// of a locale. 1,234 may be either, so it is rejected.
var (
	thousands    = regex.Of(`^[1-9][0-9]{0,2}((,[0-9]{3})+\.[0-9]*|(,[0-9]{3}){2,})$`)
	decimalComma = regex.Of(`^(0+,[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,})|[0-9]{4,},[0-9]+)$`)
)

// milliseconds converts a time in seconds. It is absent if the text is not a number.
func (rd *reader) milliseconds(text string, at place) envelope.Opt[float64] {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return envelope.Opt[float64]{}
	case !strings.Contains(text, ","):
	case thousands().MatchString(text):
		text = strings.ReplaceAll(text, ",", "")
	case decimalComma().MatchString(text):
		text = strings.Replace(text, ",", ".", 1)
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || s < 0 || math.IsNaN(s) || math.IsInf(s*1000, 0) {
		rd.note(at, envelope.CodeField, "some times are not numbers of 0 or more, or have an ambiguous comma: these durations are unknown")
		return envelope.Opt[float64]{}
	}
	const digits = 1e6 // in milliseconds, so that 0.007 s is 7 ms and not a little more
	if ms := math.Round(s*1000*digits) / digits; !math.IsInf(ms, 0) {
		return envelope.Some(ms)
	}
	return envelope.Some(s * 1000)
}
