package junit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/outcomestrip"
	"tribunal/read/internal/xmlwalk"
)

// recorded returns the properties of render/junit by name, without "tribunal.". The last value of a name wins.
func recorded(ps []property) map[string]string {
	out := map[string]string{}
	for _, p := range ps {
		if name, ok := strings.CutPrefix(p.name, "tribunal."); ok {
			out[name] = p.value
		}
	}
	return out
}

// recordedHeader restores header, policy and problems from the properties of the first
// suite. Other suites repeat some of them.
func (rd *reader) recordedHeader(s *suite, at place) {
	if s.kind != own || rd.headed || len(s.recorded) == 0 {
		return
	}
	rd.headed, rd.ours = true, true
	has := recorded(s.recorded)
	h := envelope.Header{Name: has["run.name"], ID: has["run.id"], Commit: has["run.commit"], StartedAt: has["run.started_at"]}
	h.PlannedTrials = outcomestrip.Count(has["run.planned_trials"])
	rd.unpack(has, "run.setup_ms", &h.SetupMS, at)
	rd.unpack(has, "run.setup_cost_usd", &h.SetupCostUSD, at)
	rd.unpack(has, "run.labels", &h.Labels, at)
	var carried *envelope.Carried
	var held envelope.Effective
	if rd.unpack(has, "policy", &held, at) {
		carried = &envelope.Carried{Held: &held}
	}
	var several []envelope.Header
	if rd.unpack(has, "run.headers", &several, at) && len(several) > 0 {
		for _, one := range several[1:] {
			rd.to.Header(one, nil)
		}
		h = several[0]
	}
	rd.runID = h.ID
	rd.to.Header(h, carried)
	for _, p := range s.recorded {
		if severity, ok := severityOf(p); ok {
			rd.hasError = rd.hasError || severity == envelope.SeverityError
			rd.to.Problem(outcomestrip.Recorded(severity, at.line, at.column, p.value))
		}
	}
}

// unpack reads a property with JSON. It returns false if the report left it out, and
// reports a problem if it is damaged.
func (rd *reader) unpack(has map[string]string, name string, into any, at place) bool {
	text, ok := has[name]
	if !ok {
		return false
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeField, Line: at.line, Column: at.column,
			Message: fmt.Sprintf("the property tribunal.%s cannot be read, so write the report again: %v", name, err)})
		return false
	}
	return true
}

// severityOf returns the severity of a problem of the report, from the name of its
// property or, in older reports, from the text. ok is false for other properties.
func severityOf(p property) (_ envelope.Severity, ok bool) {
	name, ok := strings.CutPrefix(p.name, "tribunal.problem")
	switch severity := envelope.Severity(strings.TrimPrefix(name, ".")); {
	case !ok:
		return "", false
	case name == "":
		return outcomestrip.SeverityIn(p.value), true
	case severity == envelope.SeverityError || severity == envelope.SeverityWarning:
		return severity, true
	}
	return "", false
}

// ownSuite is the suite in which render/junit puts testcases that are not tests.
const ownSuite = "(tribunal)"

// Testcases for a broken run and a failed gate. Gates are evaluated again.
const brokenCase, gateCase = "run", "gate"

// restore reads the trials of a testcase of render/junit from the columns. Without
// columns it uses the string of outcomes, or one trial for all.
func (rd *reader) restore(c *testcase, s *suite) {
	if c.classname == ownSuite || s.name == ownSuite && c.classname == "" {
		rd.remark(c)
		return
	}
	has := recorded(c.properties)
	base := envelope.Trial{Key: rd.recordedKey(has, c), File: c.file}
	if n, err := strconv.Atoi(c.line); err == nil && n > 0 {
		base.Line = n
	}
	rd.unpack(has, "file", &base.File, c.at)
	var labels map[string]string
	rd.unpack(has, "labels", &labels, c.at)
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		base.Labels = append(base.Labels, envelope.Label{Name: name, Value: labels[name]})
	}
	listed := rd.endings(has, &base, c)
	var rows envelope.Rows
	if rd.unpack(has, "rows", &rows, c.at) {
		strip, passed := rows.Outcome.String(), has["passed"]
		if cmp.Or(has["trials"], strip) != strip || passed != "" && passed != strconv.Itoa(strings.Count(strip, "P")) {
			rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeMalformed, Line: c.at.line, Column: c.at.column,
				Message: "the property tribunal.rows and the outcomes next to it differ, because the report was changed; write it again"})
		}
		rd.rows(&rows, base, texts(c))
		return
	}
	strip, given := has["trials"]
	if none := given && strip == "" || strings.Contains(c.out, "\n0 of 0 trials passed"); !listed || !none {
		rd.strip(has, base, c)
	}
}

// endings delivers how tests of tribunal run ended, from the properties or, without
// them, from the output. It reports whether there are any.
func (rd *reader) endings(has map[string]string, base *envelope.Trial, c *testcase) bool {
	to, takes := rd.to.(envelope.Report)
	if !takes {
		return false
	}
	var all []envelope.Ending
	if !rd.unpack(has, "endings", &all, c.at) {
		one := envelope.Ending{Run: rd.runID, How: envelope.How(said(has, c, "ended")), Elsewhere: said(has, c, "elsewhere") == "true"}
		one.Trials = outcomestrip.Count(said(has, c, "planned"))
		all = append(all, one)
	}
	all = slices.DeleteFunc(all, func(e envelope.Ending) bool {
		return e.How != "" && !e.How.Known() || e.How == "" && !e.Trials.OK && !e.Elsewhere || e.Trials.V < 0
	})
	if len(all) > 0 {
		to.Endings(base.Key, base.Labels, all)
	}
	return len(all) > 0
}

// said returns a property of ours or, in a testcase without properties, the line of that name in the output.
func said(has map[string]string, c *testcase, name string) string {
	if len(has) > 0 {
		return has[name]
	}
	return lineOf(c.out, name+": ")
}

// remark reports a testcase that is not a test as a problem, unless it is known.
func (rd *reader) remark(c *testcase) {
	if rd.hasError && c.name == brokenCase || c.name == gateCase {
		return
	}
	p := envelope.Problem{Severity: envelope.SeverityWarning, Code: outcomestrip.CodeRecorded, Line: c.at.line, Column: c.at.column,
		Message: "the report says: " + c.name}
	if f := worst(c.failures); f != nil {
		p.Severity, p.Message = envelope.SeverityError, "the report says of its own run: "+f.message
	} else if c.skipped != nil {
		p.Message = "the report says: " + firstLines(c.skipped.body, 1)
	}
	rd.to.Problem(p)
}

// recordedKey returns the identity from the properties, or else from the names, which
// are unique in reports of render/junit.
func (rd *reader) recordedKey(has map[string]string, c *testcase) envelope.Key {
	var words []string
	const parts = 3
	if rd.unpack(has, "key", &words, c.at) && len(words) == parts && words[1] != "" {
		return envelope.Key{Suite: words[0], Test: words[1], Variant: words[2]}
	}
	test, variant := outcomestrip.Identity(c.name)
	k := envelope.Key{Suite: c.classname, Test: cmp.Or(test, "(unnamed)"), Variant: variant}
	if k.Suite == "(no suite)" {
		k.Suite = ""
	}
	return k
}

func (rd *reader) rows(rows *envelope.Rows, base envelope.Trial, said map[int]detail) {
	for i := range rows.Len() {
		t := base
		fill(&t, rows, i)
		t.Message, t.Output = said[i].message, said[i].output
		if t.Message == "" && t.Output == "" && i > 0 && samePlace(rows, i-1, i) {
			// Without a text of its own it would be a duplicate of the trial before.
			t.Message = fmt.Sprintf("the texts of trial %d are not in the report", i+1)
		}
		rd.to.Trial(&t)
	}
}

func samePlace(rows *envelope.Rows, i, j int) bool {
	a, _ := rows.Attempt().At(i)
	b, ok := rows.Attempt().At(j)
	return ok && a == b && rows.Run().At(i) == rows.Run().At(j)
}

// strip delivers the trials of a testcase without columns, from a string with one
// letter per trial in its properties or output.
func (rd *reader) strip(has map[string]string, base envelope.Trial, c *testcase) {
	letters, excluded := has["trials"], has["excluded"]
	if letters == "" {
		letters, excluded = lineOf(c.out, "trials: "), lineOf(c.out, "excluded: ")
	}
	trials, note, ok := outcomestrip.Trials(base, letters, excluded)
	if !ok {
		rd.standIn(base, c)
		return
	}
	if note != "" {
		rd.note(c.at, outcomestrip.CodeAggregated, note)
	}
	rd.emit(trials)
}

func lineOf(text, prefix string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// standIn delivers one trial for a test with a verdict but no trials.
func (rd *reader) standIn(t envelope.Trial, c *testcase) {
	t.Status = envelope.Pass
	if f := worst(c.failures); f != nil {
		fail(&t, f)
	} else if c.skipped != nil {
		rd.skipCase(&t, c)
	}
	if t.RawStatus == "" {
		rd.aggregated(&t, c.at)
	}
	rd.emit([]envelope.Trial{t})
}

// Writers that may put the same run in a folder several times. TestNG writes JUnit files per class and per test in
// folders next to its testng-results.xml, also if Surefire starts it. Ant writes a file per class, as Surefire does,
// and its junitreport merges them into another. Serenity writes JUnit files next to its own files per test.
const (
	byClass = "surefire"
	testNG  = "JUnit files of TestNG"
	merged  = "junitreport of Ant"
	stories = "JUnit files of Serenity"
)

// Writer returns one of these writers, or "" for others and for files without tests.
func Writer(name string, head []byte) string {
	_, text := xmlwalk.Root(head)
	tag, _, _ := strings.Cut(text, ">")
	switch {
	case bytes.Contains(head, []byte("<!-- Generated by org.testng.reporters.")):
		return testNG
	case filepath.Base(name) == "TESTS-TestSuites.xml":
		return merged
	case strings.HasPrefix(filepath.Base(name), "SERENITY-JUNIT-"):
		return stories
	case strings.HasPrefix(filepath.Base(name), "TEST-") && !strings.Contains(tag, ` tests="0"`):
		return byClass
	}
	return ""
}

// Again returns the writer whose reports repeat the trials of this one, and their folder.
func Again(writer string) (by, folder string) {
	other := again[writer]
	return other[0], other[1]
}

var again = map[string][2]string{testNG: {"testng", ".."}, merged: {byClass, "."}, stories: {"serenity", "."}}

var stamp = regex.Of(`<testsuites?\s[^>]*\btimestamp="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?`)

// Stamp returns the number of digits of the time of a report. Trials do not have this time,
// because most runners give no time zone.
func Stamp(head []byte) int {
	switch m := stamp().FindSubmatch(head); {
	case m == nil:
		return 0
	case m[1] == nil:
		return envelope.DigitsOfSecond
	}
	return envelope.CertainDigits
}
