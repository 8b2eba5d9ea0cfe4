package contract_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/envelope"
	"tribunal/internal/command/schema"
	"tribunal/policy"
)

// parsers read each format's output with something the renderer does not know,
// and hold it against the envelope.
var parsers = map[string]func([]byte, *envelope.Envelope) error{
	"pretty":      parseText,
	"json":        parseJSON,
	"ndjson":      parseNDJSON,
	"junit":       parseJUnit,
	"tap":         parseTAP,
	"gitlab":      parseGitLab,
	"html":        parseHTML,
	"markdown":    parseText,
	"github":      parseText,
	"ctrf":        parseCTRF,
	"sarif":       parseSARIF,
	"openmetrics": parseOpenMetrics,
	"csv":         parseCSV,
	"csv-trials":  parseTrialsCSV,
	"agent":       parseText,
	"minimal":     parseText,
	"trx":         parseTRX,
	"allure":      parseAllure,
	"teamcity":    parseTeamCity,
	"sonar":       parseSonar,
	"slack":       parseSlack,
	"badge":       parseBadge,
	"otlp":        parseOTLP,
}

func exportAll(reflect.Type) bool { return true }

// sameFloat takes absent cells, which are NaN, for equal.
func sameFloat(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// parseText wants text that no terminal obeys.
func parseText(out []byte, e *envelope.Envelope) error {
	if !utf8.Valid(out) {
		return errors.New("not UTF-8")
	}
	for i, r := range string(out) {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return fmt.Errorf("byte %d: control character %U", i, r)
		}
	}
	if has := strings.Contains(string(out), " inconclusive") || strings.Contains(string(out), " undecided"); e.Summary.Inconclusive > 0 && !has {
		return errors.New("inconclusive tests are not mentioned")
	}
	return nil
}

// schemas are those that were compiled, which takes longer than most validations.
var schemas sync.Map

// compiled is a schema, ready to validate, that is compiled once.
func compiled(name string, compile func() (*jsonschema.Schema, error)) (*jsonschema.Schema, error) {
	once, _ := schemas.LoadOrStore(name, sync.OnceValues(compile))
	return once.(func() (*jsonschema.Schema, error))()
}

func embedded(name string) (*jsonschema.Schema, error) {
	return compiled(name, func() (*jsonschema.Schema, error) {
		text, err := schema.Text(name)
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name+".json", doc); err != nil {
			return nil, err
		}
		return c.Compile(name + ".json")
	})
}

func validate(name string, text []byte) error {
	s, err := embedded(name)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

func parseJSON(out []byte, e *envelope.Envelope) error { return validate("envelope", out) }

func parseNDJSON(out []byte, e *envelope.Envelope) error {
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(e.Tests)+2 {
		return fmt.Errorf("%d lines for %d tests", len(lines), len(e.Tests))
	}
	for i, line := range lines {
		if err := validate("envelope", []byte(line)); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// asShown is the summary as reports for machines show it: a failure that is
// excused is neither good nor bad, as an inconclusive test is.
func asShown(e *envelope.Envelope) envelope.Summary {
	s := e.Summary
	for i := range e.Tests {
		if t := &e.Tests[i]; t.Status == envelope.Fail && (t.Excused() || e.Gate.ExitCode == 0 && strings.Contains(t.Verdict.Reason, envelope.OnlyRunJudged)) {
			s.Fail--
			s.Inconclusive++
		}
	}
	return s
}

// asCases is the summary as reports show it that have tests alone: that the run is
// broken, or a gate does not hold, is one more of them.
func asCases(e *envelope.Envelope) envelope.Summary {
	s := asShown(e)
	if broken(e) {
		s.Tests++
		s.Error++
	}
	if unheld(e) {
		s.Tests++
		s.Fail++
	}
	return s
}

func parseJUnit(out []byte, e *envelope.Envelope) error {
	counts, skipped := map[string]int{}, 0
	for dec := xml.NewDecoder(bytes.NewReader(out)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		counts[start.Name.Local]++
		if start.Name.Local == "skipped" && len(start.Attr) > 0 && (start.Attr[0].Value == "inconclusive" || start.Attr[0].Value == "quarantined" || start.Attr[0].Value == "only the run is judged") {
			skipped++
		}
	}
	s := asCases(e)
	if counts["testcase"] != s.Tests || counts["failure"] != s.Fail || counts["error"] != s.Error || skipped != s.Inconclusive || counts["skipped"] != s.Inconclusive+s.Skip {
		return fmt.Errorf("elements %v, %d of them skipped as inconclusive, for %+v", counts, skipped, s.Counts)
	}
	return nil
}

// broken reports a run of which nothing could be judged, or not all of the input be read.
func broken(e *envelope.Envelope) bool {
	return e.Gate.Status == envelope.Error || e.Gate.InputErrors > 0
}

// unheld reports a build that is red for what no test shows.
func unheld(e *envelope.Envelope) bool {
	of := func(status envelope.Status) bool {
		return slices.ContainsFunc(e.Gate.Gates, func(g envelope.GateResult) bool { return g.Status == status })
	}
	undecided := e.Summary.Inconclusive > e.Summary.Excused || of(envelope.Inconclusive)
	return of(envelope.Fail) || undecided && e.Policy.TreatAs == policy.TreatFail
}

var tapPoint = regexp.MustCompile(`^(not )?ok (\d+)(?: - (.*?))?(?: # (TODO|SKIP)(?: (.*))?)?$`)

func parseTAP(out []byte, e *envelope.Envelope) error {
	var got envelope.Counts
	inYAML := false
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		switch {
		case line == "  ---":
			inYAML = true
		case line == "  ...":
			inYAML = false
		case inYAML, i == 0 && line == "TAP version 13", strings.HasPrefix(line, "1.."), strings.HasPrefix(line, "#"), strings.HasPrefix(line, "Bail out!"):
		default:
			m := tapPoint.FindStringSubmatch(line)
			if m == nil || m[2] != strconv.Itoa(got.Tests+1) {
				return fmt.Errorf("line %d: not the next test point: %q", i+1, line)
			}
			got.Add(tapStatus(m))
		}
	}
	want := asCases(e).Counts
	if broken(e) { // which is Bail out!
		want.Tests--
		want.Error--
	}
	want.Fail, want.Error = want.Fail+want.Error, 0
	if got != want {
		return fmt.Errorf("points %+v for %+v", got, e.Summary.Counts)
	}
	return nil
}

func tapStatus(m []string) envelope.Status {
	switch {
	case m[4] == "TODO" && (strings.HasPrefix(m[5], "inconclusive") || m[5] == "quarantined" || m[5] == "only the run is judged"):
		return envelope.Inconclusive
	case m[4] == "SKIP":
		return envelope.Skip
	case m[1] != "":
		return envelope.Fail
	}
	return envelope.Pass
}

func parseGitLab(out []byte, e *envelope.Envelope) error {
	var entries []struct{ Severity, Fingerprint string }
	if err := json.Unmarshal(out, &entries); err != nil {
		return err
	}
	got, seen := map[string]int{}, map[string]bool{}
	for _, entry := range entries {
		got[entry.Severity]++
		if seen[entry.Fingerprint] {
			return fmt.Errorf("fingerprint %s twice", entry.Fingerprint)
		}
		seen[entry.Fingerprint] = true
	}
	s := asCases(e)
	if got["major"] != s.Fail || got["critical"] != s.Error-e.Summary.NotRun || got["info"] != s.Inconclusive+e.Summary.NotRun+len(e.Gate.Notices) {
		return fmt.Errorf("severities %v for %+v", got, s.Counts)
	}
	return nil
}

func parseHTML(out []byte, e *envelope.Envelope) error {
	text := string(out)
	if !utf8.Valid(out) || !strings.HasPrefix(text, "<!doctype html>") && !strings.HasPrefix(text, "<!DOCTYPE html>") || !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
		return errors.New("not a whole page")
	}
	if n := strings.Count(text, "<details"); n < len(e.Tests) {
		return fmt.Errorf("%d details for %d tests", n, len(e.Tests))
	}
	data := strings.Count(text, `<script type="application/json" class="island"`)
	if opened, closed := strings.Count(text, "<script")-data, strings.Count(text, "</script")-data; opened != closed || opened > 2 {
		return fmt.Errorf("%d scripts opened, %d closed; at most ours", opened, closed)
	}
	return nil
}

// TestStreamsFollowTheTrialSchema: every line of the sample streams that is a
// record without mistakes is valid under the schema that is printed.
func TestStreamsFollowTheTrialSchema(t *testing.T) {
	for _, g := range goldens {
		if g.name == "problems" || g.name == "hostile" {
			continue // they hold mistakes on purpose
		}
		for _, name := range g.streams {
			checkStream(t, name)
		}
	}
}

func checkStream(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "streams", name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := embedded("trial")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err == nil {
			err = s.Validate(doc)
		}
		if err != nil {
			t.Errorf("%s:%d: %v", name, i+1, err)
		}
	}
}

// validateFile holds a text against a schema of somebody else in testdata.
func validateFile(path string, text []byte) error {
	file := filepath.Join("..", "testdata", "schemas", path)
	s, err := compiled(file, func() (*jsonschema.Schema, error) { return jsonschema.NewCompiler().Compile(file) })
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

func parseCTRF(out []byte, e *envelope.Envelope) error {
	var doc struct {
		Results struct {
			Summary struct{ Tests, Passed, Failed, Skipped, Pending, Other int }
		}
	}
	if err := errors.Join(validateFile("ctrf.schema.json", out), json.Unmarshal(out, &doc)); err != nil {
		return err
	}
	s, got := asCases(e), doc.Results.Summary
	if got.Tests != s.Tests || got.Passed != s.Pass || got.Failed != s.Fail+s.Error || got.Skipped != s.Skip || got.Other != s.Inconclusive {
		return fmt.Errorf("summary %+v for %+v", got, s.Counts)
	}
	return nil
}

func parseSARIF(out []byte, e *envelope.Envelope) error {
	var doc struct {
		Runs []struct{ Results []struct{ Level string } }
	}
	if err := errors.Join(validateFile("sarif-schema-2.1.0.json", out), json.Unmarshal(out, &doc)); err != nil {
		return err
	}
	got, s := map[string]int{}, asCases(e)
	for _, r := range doc.Runs[0].Results {
		got[r.Level]++
	}
	if got["error"] != s.Fail+s.Error || got["note"] != s.Inconclusive {
		return fmt.Errorf("levels %v for %+v", got, s.Counts)
	}
	return nil
}

func parseOpenMetrics(out []byte, e *envelope.Envelope) error {
	if !strings.HasSuffix(string(out), "\n# EOF\n") {
		return errors.New("the last line is not # EOF")
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if line == "" || !strings.HasPrefix(line, "# ") && strings.Contains(line, "#") {
			return fmt.Errorf("line %d: %q", i+1, line)
		}
	}
	return nil
}

func csvRows(out []byte) (int, error) {
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	return len(rows) - 1, err
}

func parseCSV(out []byte, e *envelope.Envelope) error {
	rows, err := csvRows(out)
	if err == nil && rows != e.Summary.Tests {
		err = fmt.Errorf("%d rows for %d tests", rows, e.Summary.Tests)
	}
	return err
}

func parseTrialsCSV(out []byte, e *envelope.Envelope) error {
	rows, err := csvRows(out)
	if err == nil && rows != e.Summary.Trials.Total {
		err = fmt.Errorf("%d rows for %d trials", rows, e.Summary.Trials.Total)
	}
	return err
}
