package contract_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"

	"tribunal/envelope"
)

// The independent parsers of formats for build servers, chats and pages.

// What dorny/test-reporter refuses a whole report for.
var (
	trxTime     = regexp.MustCompile(`^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d+([+-][0-2]\d:[0-5]\d|Z)$`)
	trxDuration = regexp.MustCompile(`^(\d\d:\d\d:\d\d(\.\d+)?)?$`)
)

// parseTRX reads what Azure DevOps and dorny/test-reporter read: results, and their
// definitions by id. Azure takes an outcome that is none of these for a test that was not
// executed; dorny shows no message without a trace.
func parseTRX(out []byte, e *envelope.Envelope) error {
	var doc struct {
		XMLName xml.Name `xml:"http://microsoft.com/schemas/VisualStudio/TeamTest/2010 TestRun"`
		Results []struct {
			TestID      string `xml:"testId,attr"`
			ExecutionID string `xml:"executionId,attr"`
			Name        string `xml:"testName,attr"`
			Outcome     string `xml:"outcome,attr"`
			Duration    string `xml:"duration,attr"`
			Message     string `xml:"Output>ErrorInfo>Message"`
			Trace       string `xml:"Output>ErrorInfo>StackTrace"`
		} `xml:"Results>UnitTestResult"`
		Definitions []struct {
			ID string `xml:"id,attr"`
		} `xml:"TestDefinitions>UnitTest"`
		Times struct {
			Start  string `xml:"start,attr"`
			Finish string `xml:"finish,attr"`
		}
		Counters struct {
			Total  int `xml:"total,attr"`
			Passed int `xml:"passed,attr"`
			Failed int `xml:"failed,attr"`
		} `xml:"ResultSummary>Counters"`
	}
	if err := xml.Unmarshal(out, &doc); err != nil {
		return err
	}
	got, ids := envelope.Counts{}, map[string]bool{}
	for _, d := range doc.Definitions {
		ids[d.ID] = true
	}
	if !trxTime.MatchString(doc.Times.Start) || !trxTime.MatchString(doc.Times.Finish) {
		return fmt.Errorf("times %+v", doc.Times)
	}
	words := map[string]envelope.Status{"Passed": envelope.Pass, "Failed": envelope.Fail, "Inconclusive": envelope.Inconclusive, "NotExecuted": envelope.Skip}
	for _, r := range doc.Results {
		if words[r.Outcome] == "" || r.Name == "" || !ids[r.TestID] || !trxDuration.MatchString(r.Duration) || r.Outcome == "Failed" && (r.Message == "" || r.Trace == "") {
			return fmt.Errorf("result %+v", r)
		}
		got.Add(words[r.Outcome])
	}
	want := asCases(e).Counts
	want.Fail, want.Error = want.Fail+want.Error, 0
	if got != want || len(ids) != want.Tests || doc.Counters.Total != want.Tests || doc.Counters.Passed != want.Pass || doc.Counters.Failed != want.Fail {
		return fmt.Errorf("%+v, %d ids, counters %+v for %+v", got, len(ids), doc.Counters, want)
	}
	return nil
}

// parseAllure reads results as Allure does: of those with one historyId the one that
// began last is the test, the others are its retries.
func parseAllure(out []byte, e *envelope.Envelope) error {
	type result struct {
		UUID, HistoryID, Name, Status, Stage string
		Start, Stop                          int64
	}
	last, uuids := map[string]result{}, map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for _, line := range lines {
		r := result{}
		if line == "" && len(lines) == 1 {
			break
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return err
		}
		if uuids[r.UUID] || len(r.UUID) != 36 || r.Name == "" || r.Stage != "finished" || r.Stop < r.Start {
			return fmt.Errorf("result %+v", r)
		}
		uuids[r.UUID] = true
		if before, ok := last[r.HistoryID]; !ok || r.Start >= before.Start {
			last[r.HistoryID] = r
		}
	}
	got := envelope.Counts{}
	words := map[string]envelope.Status{"passed": envelope.Pass, "failed": envelope.Fail, "broken": envelope.Error, "unknown": envelope.Inconclusive, "skipped": envelope.Skip}
	for _, r := range last {
		if r.Name != "[gate]" || r.Status == "failed" {
			got.Add(words[r.Status])
		}
	}
	if want := asCases(e).Counts; got != want {
		return fmt.Errorf("%+v for %+v", got, want)
	}
	return nil
}

// parseTeamCity reads service messages line by line, as TeamCity does.
func parseTeamCity(out []byte, e *envelope.Envelope) error {
	counts := map[string]int{}
	open := ""
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if !serviceMessage.MatchString(line) {
			return fmt.Errorf("line %d is no service message: %.200q", i+1, line)
		}
		name, rest, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "##teamcity["), "]"), " ")
		counts[name]++
		test, _, _ := strings.Cut(strings.TrimPrefix(rest, "name='"), "' ")
		test = strings.TrimSuffix(test, "'")
		switch name {
		case "testStarted":
			open = test
		case "testFailed", "testIgnored", "testFinished":
			if test != open {
				return fmt.Errorf("line %d: %s of %q inside of %q", i+1, name, test, open)
			}
		}
	}
	s := asShown(e)
	if counts["testStarted"] != s.Tests || counts["testFinished"] != s.Tests || counts["testFailed"] != s.Fail+s.Error || counts["testIgnored"] != s.Skip+s.Inconclusive || counts["testSuiteStarted"] != counts["testSuiteFinished"] {
		return fmt.Errorf("%v for %+v", counts, s.Counts)
	}
	if want := asCases(e).Tests - s.Tests; counts["buildProblem"] != want {
		return fmt.Errorf("%d build problems: a broken run is one, a gate that does not hold another, and no other is", counts["buildProblem"])
	}
	return nil
}

// parseSonar reads the generic test execution format by its schema: a version, files
// with a path each once, testCases with a name and whole milliseconds.
func parseSonar(out []byte, e *envelope.Envelope) error {
	type outcome struct {
		Message string `xml:"message,attr"`
	}
	var doc struct {
		XMLName xml.Name `xml:"testExecutions"`
		Version int      `xml:"version,attr"`
		Files   []struct {
			Path  string `xml:"path,attr"`
			Tests []struct {
				Name     string   `xml:"name,attr"`
				Duration uint64   `xml:"duration,attr"`
				Skipped  *outcome `xml:"skipped"`
				Failure  *outcome `xml:"failure"`
				Error    *outcome `xml:"error"`
			} `xml:"testCase"`
		} `xml:"file"`
	}
	if err := xml.Unmarshal(out, &doc); err != nil {
		return err
	}
	got, paths := envelope.Counts{}, map[string]bool{}
	for _, f := range doc.Files {
		if paths[f.Path] || f.Path == "" || strings.HasPrefix(f.Path, "/") {
			return fmt.Errorf("file %q", f.Path)
		}
		paths[f.Path] = true
		for _, t := range f.Tests {
			switch {
			case t.Name == "":
				return errors.New("a testCase without a name")
			case t.Skipped != nil && (strings.HasPrefix(t.Skipped.Message, "inconclusive: ") || strings.HasPrefix(t.Skipped.Message, "quarantined: ") || strings.HasPrefix(t.Skipped.Message, "only the run is judged: ")):
				got.Add(envelope.Inconclusive)
			case t.Skipped != nil:
				got.Add(envelope.Skip)
			case t.Failure != nil:
				got.Add(envelope.Fail)
			case t.Error != nil:
				got.Add(envelope.Error)
			default:
				got.Add(envelope.Pass)
			}
		}
	}
	want := asCases(e).Counts
	if got != want || doc.Version != 1 {
		return fmt.Errorf("%+v for %+v", got, want)
	}
	return nil
}

// parseSlack holds a message to the limits of Block Kit: at most 50 blocks, a header
// of 150 characters, texts of 3000, none empty, and no text of a test in mrkdwn.
func parseSlack(out []byte, e *envelope.Envelope) error {
	type text struct{ Type, Text string }
	var m struct {
		Text   string
		Blocks []struct {
			Type     string
			Text     *text
			Elements []text
		}
	}
	if err := json.Unmarshal(out, &m); err != nil {
		return err
	}
	if m.Text == "" || strings.ContainsAny(m.Text, "<>&*_`~") || len(m.Blocks) == 0 || len(m.Blocks) > 50 {
		return fmt.Errorf("%d blocks, fallback %q", len(m.Blocks), m.Text)
	}
	counts := false
	for _, b := range m.Blocks {
		texts, limit := b.Elements, 3000
		if b.Text != nil {
			texts = append(texts, *b.Text)
		}
		if b.Type == "header" {
			limit = 150
		}
		for _, t := range texts {
			if t.Text == m.Text {
				return fmt.Errorf("%q is said twice", t.Text)
			}
			counts = counts || strings.Contains(t.Text, " undecided")
			if n := len(utf16.Encode([]rune(t.Text))); t.Type != "plain_text" || n == 0 || n > limit {
				return fmt.Errorf("%s with %d characters of %s", b.Type, n, t.Type)
			}
		}
	}
	if e.Summary.Inconclusive > 0 && !counts {
		return errors.New("inconclusive tests are not mentioned")
	}
	return nil
}

// parseBadge wants an image that says the counts, loads nothing and runs nothing.
func parseBadge(out []byte, e *envelope.Envelope) error {
	var doc struct {
		XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		Title   string   `xml:"title"`
	}
	if err := xml.Unmarshal(out, &doc); err != nil {
		return err
	}
	for _, bad := range []string{"<script", "href", "url(", "<image", "<foreignObject", "onload"} {
		if bytes.Contains(out, []byte(bad)) {
			return fmt.Errorf("%s in an image", bad)
		}
	}
	if e.Summary.Inconclusive > 0 && !strings.Contains(doc.Title, " inconclusive") || e.Summary.Fail > e.Summary.Excused && !strings.Contains(doc.Title, " failed") {
		return fmt.Errorf("title %q for %+v", doc.Title, e.Summary.Counts)
	}
	return nil
}
