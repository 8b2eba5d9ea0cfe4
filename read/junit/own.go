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

// recorded is the properties of render/junit by their name without "tribunal.". A
// name that is there several times has its last value.
func recorded(ps []property) map[string]string {
	out := map[string]string{}
	for _, p := range ps {
		if name, ok := strings.CutPrefix(p.name, "tribunal."); ok {
			out[name] = p.value
		}
	}
	return out
}

// recordedHeader takes the header, the policy and the problems from the
// properties of the first suite; the others repeat a part of them.
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

// unpack reads a property that is JSON. One that was left out when the report
// was written is absent, one that is damaged is a problem.
func (rd *reader) unpack(has map[string]string, name string, into any, at place) bool {
	text, ok := has[name]
	if !ok {
		return false
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeField, Line: at.line, Column: at.column,
			Message: fmt.Sprintf("the property tribunal.%s cannot be read: %v", name, err)})
		return false
	}
	return true
}

// severityOf is that of a problem that the report was written with, which is a part
// of the name of its property; false for another property. Older reports have it
// in the text.
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

// ownSuite is where render/junit puts testcases that stand for no test.
const ownSuite = "(tribunal)"

// The testcases by which it says that the run is broken, and that its gate does not
// hold. Gates are judged anew.
const (
	brokenCase = "run"
	gateCase   = "gate"
)

// restore makes the trials of a testcase of render/junit: from the columns, from
// the strip of outcomes when these are left out, or one that stands for all.
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
		rd.rows(&rows, base, texts(c))
		return
	}
	strip, given := has["trials"]
	if none := given && strip == "" || strings.Contains(c.out, "\n0 of 0 trials passed"); !listed || !none {
		rd.strip(has, base, c)
	}
}

// endings hands on how a test ended whose trials a run started, if it says so: from
// the properties, or from the output when these are left out.
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

// said is what a property of ours says, or the line of that name in the output of
// a testcase that has no properties.
func said(has map[string]string, c *testcase, name string) string {
	if len(has) > 0 {
		return has[name]
	}
	return lineOf(c.out, name+": ")
}

// remark hands on what a testcase that is no test says, but for errors that are known.
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

// recordedKey is the identity in the properties, or else what the names say:
// render/junit never writes one that two tests could have.
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

// rows delivers the trials that the columns hold.
func (rd *reader) rows(rows *envelope.Rows, base envelope.Trial, said map[int]detail) {
	for i := range rows.Len() {
		t := base
		fill(&t, rows, i)
		t.Message, t.Output = said[i].message, said[i].output
		if t.Message == "" && t.Output == "" && i > 0 && samePlace(rows, i-1, i) {
			// Only its texts may have told it from the one before: it is to stay a trial of its own.
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

// strip delivers the trials of a testcase without columns: a letter a trial,
// from its properties or its output.
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

// lineOf is what follows the prefix on the first line that has it.
func lineOf(text, prefix string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// standIn delivers one trial for a test of which only the verdict is known.
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

// The writers by which a run may stand in a folder several times: TestNG writes JUnit files
// into folders beside its testng-results.xml, one a class and one a test of its suite, and
// where Surefire starts it that stands beside Surefire's own. Ant writes a file for each
// class, as Surefire does, and its junitreport all of them into one beside them. Serenity writes
// them beside its files of single tests.
const (
	byClass = "surefire"
	testNG  = "JUnit files of TestNG"
	merged  = "junitreport of Ant"
	stories = "JUnit files of Serenity"
)

// Writer is one of these, or "" for all other programs and where no test was run.
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

// Again is the writer whose reports have the trials of this one's as well.
func Again(writer string) (by, folder string) {
	other := again[writer]
	return other[0], other[1]
}

var again = map[string][2]string{testNG: {"testng", ".."}, merged: {byClass, "."}, stories: {"serenity", "."}}

// stamp is when a suite was run.
var stamp = regex.Of(`<testsuites?\s[^>]*\btimestamp="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?`)

// Stamp is how many digits say when a report was made: most runners give no zone, so that no
// trial has it.
func Stamp(head []byte) int {
	switch m := stamp().FindSubmatch(head); {
	case m == nil:
		return 0
	case m[1] == nil:
		return envelope.DigitsOfSecond
	}
	return envelope.CertainDigits
}
