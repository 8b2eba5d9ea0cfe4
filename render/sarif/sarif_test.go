package sarif_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"tribunal/envelope"
	"tribunal/internal/hostile"
	"tribunal/render/internal/rendertest"
	"tribunal/render/sarif"
)

// log is what GitHub reads.
type log struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
				}
			}
		}
		AutomationDetails struct{ ID string }
		Results           []result
		Invocations       []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
	}
}

type result struct {
	RuleID, Level, Kind string
	RuleIndex           int
	Message             struct{ Text string }
	PartialFingerprints struct{ PrimaryLocationLineHash string }
	Locations           []struct {
		PhysicalLocation struct {
			ArtifactLocation struct{ URI string }
			Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
		}
	}
}

func write(t *testing.T, e *envelope.Envelope) []byte {
	t.Helper()
	return rendertest.Document(t, e, sarif.Write)
}

func read(t *testing.T, doc []byte) log {
	t.Helper()
	var l log
	if err := json.Unmarshal(doc, &l); err != nil {
		t.Fatal(err)
	}
	if len(l.Runs) != 1 {
		t.Fatalf("%d runs", len(l.Runs))
	}
	return l
}

func TestGoldens(t *testing.T) {
	for _, name := range []string{"plain", "broken", "empty"} {
		got := write(t, rendertest.Envelopes()[name])
		rendertest.Golden(t, name+".sarif", got)
	}
}

func TestContract(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../testdata/schemas/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range rendertest.Envelopes() {
		t.Run(name, func(t *testing.T) {
			doc := rendertest.Written(t, e, sarif.Write)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Error(err)
			}
			compare(t, read(t, doc), e)
			if i := bytes.IndexFunc(doc, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }); i >= 0 {
				t.Errorf("byte %d is a control character", i)
			}
		})
	}
}

// compare holds what GitHub reads against the envelope and GitHub's rules.
func compare(t *testing.T, l log, e *envelope.Envelope) {
	t.Helper()
	run := l.Runs[0]
	for _, r := range run.Tool.Driver.Rules {
		if r.ID == "" || r.ShortDescription.Text == "" || r.FullDescription.Text == "" || r.Help.Text == "" {
			t.Errorf("GitHub wants all texts of rule %+v", r)
		}
	}
	got, prints := map[string]int{}, map[string]bool{}
	for _, r := range run.Results {
		got[r.RuleID+" "+r.Level]++
		prints[r.PartialFingerprints.PrimaryLocationLineHash] = true
		if r.Message.Text == "" || strings.Contains(r.Message.Text, "](") || r.Kind != "" || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || len(r.Locations) != 1 {
			t.Errorf("result %+v", r)
			continue
		}
		where := r.Locations[0].PhysicalLocation
		checkURI(t, where.ArtifactLocation.URI)
		if reg := where.Region; reg.StartLine < 1 || reg.StartColumn < 1 || reg.EndLine != reg.StartLine || reg.EndColumn <= reg.StartColumn {
			t.Errorf("region %+v", reg)
		}
	}
	if len(prints) != len(run.Results) {
		t.Errorf("%d fingerprints for %d results", len(prints), len(run.Results))
	}
	want := map[string]int{}
	broken, unheld := rendertest.Beside(e)
	for rule, n := range map[string]int{"tribunal/fail error": e.Summary.Fail, "tribunal/error error": e.Summary.Error, "tribunal/inconclusive note": e.Summary.Inconclusive,
		"tribunal/run error": broken, "tribunal/gate error": unheld} {
		if n > 0 {
			want[rule] = n
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if strings.Count(run.AutomationDetails.ID, "/") != 1 || !strings.HasPrefix(run.AutomationDetails.ID, "tribunal/") {
		t.Errorf("category of %q is not tribunal", run.AutomationDetails.ID)
	}
}

func checkURI(t *testing.T, uri string) {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil || u.IsAbs() || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") ||
		strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		t.Errorf("URI %q: %v", uri, err)
	}
	if slices.Contains(strings.Split(u.Path, "/"), "..") && strings.HasPrefix(u.Path, "..") {
		t.Errorf("URI %q leads out of the repository", uri)
	}
}

func failing(file string, line int) *envelope.Envelope {
	e := hostile.Plain()
	e.Tests = e.Tests[2:3]
	e.Tests[0].File, e.Tests[0].Line = file, line
	return e
}

func TestURIs(t *testing.T) {
	for _, c := range []struct{ reason, file, want string }{
		{"relative", "tests/a_test.py", "tests/a_test.py"},
		{"a leading dot", "./tests/a.py", "tests/a.py"},
		{"absolute", "/builds/a.py", "builds/a.py"},
		{"Windows", `C:\repo\a.py`, "repo/a.py"},
		{"out of the repository", "../../a.py", "a.py"},
		{"a name of three dots", "...", "..."},
		{"names that start with two dots", "..a/....", "..a/...."},
		{"blanks", "my tests/a.py", "my%20tests/a.py"},
		{"beyond ASCII, in UTF-8", "é.py", "%C3%A9.py"},
		{"what ends a path", "a#b?c%d.py", "a%23b%3Fc%25d.py"},
		{"a colon is no scheme", "mailto:x/a:b", "mailto%3Ax/a:b"},
		{"none", "", "tribunal/weather/fails"},
		{"nothing left", "../..", "tribunal/weather/fails"},
	} {
		where := read(t, write(t, failing(c.file, 3))).Runs[0].Results[0].Locations[0].PhysicalLocation
		if got := where.ArtifactLocation.URI; got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.reason, c.file, got, c.want)
		}
	}
}

func TestFingerprints(t *testing.T) {
	print := func(change func(*envelope.Test)) string {
		e := failing("a.py", 3)
		change(&e.Tests[0])
		return read(t, write(t, e)).Runs[0].Results[0].PartialFingerprints.PrimaryLocationLineHash
	}
	same := print(func(*envelope.Test) {})
	for _, c := range []struct {
		reason string
		change func(*envelope.Test)
		same   bool
	}{
		{"another line", func(t *envelope.Test) { t.Line = 99 }, true},
		{"another rate", func(t *envelope.Test) { t.Rate.PerProtocol.Value = 0.1 }, true},
		{"another reason", func(t *envelope.Test) { t.Verdict.Reason = "x" }, true},
		{"another status", func(t *envelope.Test) { t.Status = envelope.Inconclusive }, false},
		{"another variant", func(t *envelope.Test) { t.Variant = "x" }, false},
		{"the end of the suite moved to the test", func(t *envelope.Test) { t.Suite, t.Test = "weathe", "rfails" }, false},
	} {
		if got := print(c.change); (got == same) != c.same {
			t.Errorf("%s: the same %t, want %t", c.reason, got == same, c.same)
		}
	}
}

// TestLimit: of 30,000 tests, GitHub takes 25,000; what fails is kept.
func TestLimit(t *testing.T) {
	e := &envelope.Envelope{}
	for i := range 30000 {
		status := envelope.Inconclusive
		if i%3 == 2 {
			status = envelope.Fail // 10,000 of them
		}
		e.Tests = append(e.Tests, envelope.Test{Key: envelope.Key{Test: fmt.Sprint(i)}, Status: status, Verdict: new(envelope.Verdict)})
	}
	run := read(t, write(t, e)).Runs[0]
	got := map[string]int{}
	for _, r := range run.Results {
		got[r.RuleID]++
	}
	if got["tribunal/fail"] != 10000 || got["tribunal/inconclusive"] != 15000 {
		t.Errorf("results %v", got)
	}
	said := run.Invocations[0].ToolExecutionNotifications[0].Message.Text
	if !strings.HasPrefix(said, "tests not listed: 5000 with status inconclusive") {
		t.Errorf("it says %q", said)
	}
}

// TestHuge: a result costs little, whatever comes in.
func TestHuge(t *testing.T) {
	huge := strings.Repeat("ten bytes ", 1<<20)
	e := failing(huge[:1<<20], 1)
	x := &e.Tests[0]
	x.Verdict.Reason, x.Suite, x.Details[0].Message = huge, huge[:1<<20], huge[:1<<20]
	if doc := write(t, e); len(doc) > 12<<10 {
		t.Errorf("%d bytes", len(doc))
	}
}

// TestExecutionSuccessful: a run whose input was broken did not succeed, also where
// tests failed beside it; one with failures did, and so did one that a strict
// policy refuses for another reason.
func TestExecutionSuccessful(t *testing.T) {
	for _, c := range []struct {
		gate   envelope.Gate
		want   string
		reason string
	}{
		{envelope.Gate{Status: envelope.Pass}, "true", "all is well"},
		{envelope.Gate{Status: envelope.Fail, ExitCode: 1}, "true", "tests failed"},
		{envelope.Gate{Status: envelope.Error, ExitCode: 2, InputErrors: 1}, "false", "broken input"},
		{envelope.Gate{Status: envelope.Fail, ExitCode: 1, InputErrors: 1}, "false", "broken input, and a test failed, which wins"},
		{envelope.Gate{Status: envelope.Error, ExitCode: 2}, "true", "nothing was judged under a strict policy"},
	} {
		e := hostile.Plain()
		e.Gate = c.gate
		if got := string(write(t, e)); !strings.Contains(got, `"executionSuccessful":`+c.want) {
			t.Errorf("%s: not %s", c.reason, c.want)
		}
	}
}
