package read_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/policy"
	"tribunal/read/junit"
	renderjunit "tribunal/render/junit"
	"tribunal/verdict"
)

// outcome is what of a test must survive being written as JUnit XML.
type outcome struct {
	Status  envelope.Status
	Strip   string
	Trials  envelope.TrialCounts
	N       int
	Columns string
}

func outcomes(t *testing.T, e *envelope.Envelope, columns bool) map[envelope.Key]outcome {
	t.Helper()
	out := map[envelope.Key]outcome{}
	for i := range e.Tests {
		test := &e.Tests[i]
		o := outcome{Status: test.Status, Strip: test.Rows.Outcome.String(), Trials: test.Trials, N: test.Verdict.N}
		if columns {
			rows := test.Rows.Changed(func(c *envelope.Columns) {
				c.Source, c.Digest = nil, nil // where it came from and a number made of the texts
				c.Inside = envelope.Inside{}  // a report shows checks as rates, and no steps
			})
			text, err := rows.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			o.Columns = string(text)
		}
		out[test.Key] = o
	}
	return out
}

// sealed are the envelopes of the program's goldens.
func sealed(t *testing.T) map[string]*envelope.Envelope {
	t.Helper()
	files, err := filepath.Glob("../testdata/golden/*/json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	out := map[string]*envelope.Envelope{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := wire.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(filepath.Dir(file))] = judge(t, wire.Counted(recorded.Envelope), []envelope.Carried{{Held: &recorded.Envelope.Policy}})
	}
	return out
}

func judge(t *testing.T, run *envelope.Run, policies []envelope.Carried) *envelope.Envelope {
	t.Helper()
	if len(policies) != 1 {
		t.Fatalf("%d policies", len(policies))
	}
	policy, err := verdict.Resolve(verdict.Asked(policies[0]))
	if err != nil {
		t.Fatal(err)
	}
	e, err := verdict.Seal(run, policy)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func written(t *testing.T, e *envelope.Envelope, o renderjunit.Options) string {
	t.Helper()
	var b strings.Builder
	if err := renderjunit.Write(&b, e, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readBack judges a report again under the policy it carries, or the given one.
func readBack(t *testing.T, report string, under *envelope.Effective) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("report.xml", "junit")
	if err := junit.Read(strings.NewReader(report), in); err != nil {
		t.Fatal(err)
	}
	in.Close()
	policies := b.Policies()
	if under != nil {
		policies = []envelope.Carried{{Held: under}}
	}
	keep, err := policy.KeepDetails("5")
	if err != nil {
		t.Fatal(err)
	}
	return judge(t, b.Run(envelope.ConflictExtend, keep), policies)
}

func TestOwnReports(t *testing.T) {
	for name, e := range sealed(t) {
		for _, o := range []renderjunit.Options{{}, {Profile: renderjunit.ProfileJenkins, Flaky: true}} {
			again := readBack(t, written(t, e, o), nil)
			if diff := cmp.Diff(outcomes(t, e, true), outcomes(t, again, true)); diff != "" {
				t.Errorf("%s, profile %q (-want +got):\n%s", name, o.Profile, diff)
			}
			if diff := cmp.Diff(e.Policy, again.Policy); diff != "" {
				t.Errorf("%s: policy (-want +got):\n%s", name, diff)
			}
			if diff := cmp.Diff(e.Run.Header, again.Run.Header); diff != "" && name != "hostile" { // its control characters are not written
				t.Errorf("%s: header (-want +got):\n%s", name, diff)
			}
			for i := range e.Tests {
				if i < len(again.Tests) {
					if diff := cmp.Diff(e.Tests[i].Labels, again.Tests[i].Labels); diff != "" {
						t.Errorf("%s, %s: labels (-want +got):\n%s", name, e.Tests[i].Key, diff)
					}
				}
			}
		}
	}
}

// TestOwnReportsAgain: what was read back is written the same way.
func TestOwnReportsAgain(t *testing.T) {
	for name, e := range sealed(t) {
		first := readBack(t, written(t, e, renderjunit.Options{}), nil)
		second := readBack(t, written(t, first, renderjunit.Options{}), nil)
		if diff := cmp.Diff(outcomes(t, first, true), outcomes(t, second, true)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestOwnWithoutProperties: the gitlab profile has the trials in its output only,
// a letter each. Marked names and the columns are lost.
func TestOwnWithoutProperties(t *testing.T) {
	for name, e := range sealed(t) {
		if name == "hostile" || name == "weather-agent" {
			continue // names that are marked
		}
		again := readBack(t, written(t, e, renderjunit.Options{Profile: renderjunit.ProfileGitLab}), &e.Policy)
		for key, want := range outcomes(t, e, false) {
			got := outcomes(t, again, false)[key]
			if want.Strip != got.Strip {
				t.Errorf("%s, %s: %q, want %q", name, key, got.Strip, want.Strip)
			}
		}
		if len(e.Tests) != len(again.Tests) {
			t.Errorf("%s: %d tests, want %d", name, len(again.Tests), len(e.Tests))
		}
	}
}

// TestOwnTexts: messages come back from the bodies.
func TestOwnTexts(t *testing.T) {
	e := sealed(t)["weather-agent"]
	again := readBack(t, written(t, e, renderjunit.Options{}), nil)
	want, found := 0, 0
	for i := range e.Tests {
		for _, d := range e.Tests[i].Details {
			if d.Message == "" {
				continue
			}
			want++
			for _, got := range again.Tests[i].Details {
				if got.Trial == d.Trial && got.Message == d.Message && got.Output == d.Output {
					found++
				}
			}
		}
	}
	if want == 0 || found != want {
		t.Errorf("%d of %d messages are there again", found, want)
	}
}

func TestOwnProblemsAndNotes(t *testing.T) {
	for _, c := range []struct{ golden, want string }{
		{"problems", "the report says of its own input: "},
		{"empty", "the report says of its own input: "},
	} {
		e := sealed(t)[c.golden]
		again := readBack(t, written(t, e, renderjunit.Options{}), nil)
		found := false
		for _, p := range again.Problems {
			found = found || strings.HasPrefix(p.Message, c.want)
		}
		if !found {
			t.Errorf("%s: no problem says %q: %v", c.golden, c.want, again.Problems)
		}
		if c.golden == "empty" && len(again.Tests) > 0 {
			t.Error("the testcase that says that nothing ran became a test")
		}
	}
}

// TestOwnSeverities: a problem comes back with its severity, whatever its input is
// called; older reports have the severity in the text of the property.
func TestOwnSeverities(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("trials: error: late.ndjson", "native")
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass})
	in.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: "c", Line: 7, Message: "it said error: no"})
	in.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: "c", Line: 8, Message: "it said warning: no"})
	in.Close()
	policy, err := verdict.Resolve(envelope.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := verdict.Seal(b.Run(envelope.ConflictExtend, 5), policy)
	if err != nil {
		t.Fatal(err)
	}
	said := func(report string) (found []string) {
		for _, p := range readBack(t, report, nil).Problems {
			if text, ok := strings.CutPrefix(p.Message, "the report says of its own input: "); ok {
				found = append(found, string(p.Severity)+" | "+text)
			}
		}
		slices.Sort(found)
		return found
	}
	report := written(t, e, renderjunit.Options{})
	want := []string{"error | trials: error: late.ndjson:8: it said warning: no", "warning | trials: error: late.ndjson:7: it said error: no"}
	if got := said(report); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	older := strings.NewReplacer(`name="tribunal.problem.error" value="trials: error: late.ndjson:8: `, `name="tribunal.problem" value="late.ndjson:8: error: `,
		`name="tribunal.problem.warning" value="trials: error: late.ndjson:7: `, `name="tribunal.problem" value="late.ndjson:7: warning: `).Replace(report)
	want = []string{"error | late.ndjson:8: error: it said warning: no", "warning | late.ndjson:7: warning: it said error: no"}
	if got := said(older); older == report || !slices.Equal(got, want) {
		t.Errorf("older: %q, want %q", got, want)
	}
}

// TestOwnTwins: trials under one run and attempt that only their texts told
// apart stay two, although the report has no texts.
func TestOwnTwins(t *testing.T) {
	const report = `<testsuites><testsuite name="s"><properties><property name="tribunal.schema" value="tribunal/envelope/v1"/><property name="tribunal.policy" value="{}"/></properties>
<testcase name="a" classname="s"><properties><property name="tribunal.key" value='["s","a",""]'/><property name="tribunal.rows" value='{"outcome":"FF","attempt":[0,0],"digest":[1,2]}'/></properties><failure message="m">m</failure></testcase>
<testcase name="b [v]" classname="s"><properties><property name="tribunal.rows" value='5'/><property name="tribunal.trials" value="PX"/><property name="tribunal.excluded" value="empty-run 1"/></properties></testcase>
<testcase name="c" classname="s"><skipped message="inconclusive"/></testcase>
</testsuite></testsuites>`
	got := outcomes(t, readBack(t, report, nil), false)
	for key, want := range map[envelope.Key]string{{Suite: "s", Test: "a"}: "FF", {Suite: "s", Test: "b", Variant: "v"}: "PX", {Suite: "s", Test: "c"}: "S"} {
		if got[key].Strip != want {
			t.Errorf("%s: %q, want %q", key, got[key].Strip, want)
		}
	}
}

// TestOwnCostLimit: trials after a cost limit are no infrastructure errors, which
// would lower the coverage and turn a failure into an inconclusive test. A test
// that had no money at all stays an error.
func TestOwnCostLimit(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	in := b.Input("trials", "native")
	for test, strip := range map[string]string{"a weak": "FFFFFFPPPP", "b void": "PPP"} {
		for i, letter := range []byte(strip) {
			in.Trial(&envelope.Trial{Key: envelope.Key{Suite: "s", Test: test}, Attempt: envelope.Some(int32(i)), Status: envelope.Given(letter).Status(), CostUSD: envelope.Some(1.0)})
		}
	}
	in.Close()
	policy := envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.8), MinCoverage: envelope.Some(0.9), RunCostLimitUSD: envelope.Some(6.0)}
	e := judge(t, b.Run(envelope.ConflictExtend, 5), []envelope.Carried{{Asked: &policy}})
	for _, profile := range []string{renderjunit.ProfileGitLab, renderjunit.ProfileStrict, renderjunit.ProfileSurefire} {
		got := outcomes(t, readBack(t, written(t, e, renderjunit.Options{Profile: profile}), nil), false)
		for test, want := range map[string]envelope.Status{"a weak": envelope.Fail, "b void": envelope.Error} {
			if g := got[envelope.Key{Suite: "s", Test: test}]; g.Status != want {
				t.Errorf("%s, %s: %s %s, want %s", profile, test, g.Status, g.Strip, want)
			}
		}
	}
}

// sharded are the journals of two of three shards: a test that was cut short in one
// run and is whole in another, one that a limit left untouched, one of the shard
// whose journal is missing.
func sharded(t *testing.T) *envelope.Envelope {
	t.Helper()
	b := count.NewBuilder(5, 0.5)
	in := b.Input("journals", "native")
	four := envelope.Some[int64](4)
	for _, run := range []struct {
		id, strip string
		how       envelope.How
	}{{"first", "P", envelope.EndedTime}, {"second", "PPPP", envelope.EndedFull}} {
		in.Header(envelope.Header{ID: run.id}, nil)
		short, never, gone := envelope.Key{Suite: "s", Test: "short"}, envelope.Key{Suite: "s", Test: "never"}, envelope.Key{Suite: "s", Test: "gone"}
		in.Listed(short, nil, four, false)
		in.Listed(never, []envelope.Label{{Name: "tier", Value: "slow"}}, four, run.id == "second")
		in.Listed(gone, nil, four, true)
		for i, letter := range []byte(run.strip) {
			in.Trial(&envelope.Trial{Key: short, Run: run.id, Attempt: envelope.Some(int32(i)), Status: envelope.Given(letter).Status()})
		}
		in.Ended(short, run.how)
		if run.id == "first" {
			in.Ended(never, envelope.EndedTime)
		}
	}
	in.Close()
	return judge(t, b.Run(envelope.ConflictExtend, 5), []envelope.Carried{{Asked: &envelope.Policy{Rule: "all"}}})
}

// TestOwnEndings: how tests ended comes back for each run, and so does what hangs on
// it: 5 of 8 trials under a cost limit are judged as they are, and a shard that is missing is an error.
func TestOwnEndings(t *testing.T) {
	e := sharded(t)
	for test, want := range map[string]envelope.Status{"short": envelope.Pass, "never": envelope.Error, "gone": envelope.Error} {
		i := slices.IndexFunc(e.Tests, func(one envelope.Test) bool { return one.Test == test })
		if e.Tests[i].Status != want {
			t.Fatalf("%s is %s, want %s", test, e.Tests[i].Status, want)
		}
	}
	again := readBack(t, written(t, e, renderjunit.Options{}), nil)
	if diff := cmp.Diff(outcomes(t, e, true), outcomes(t, again, true)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i := range e.Tests {
		want, got := &e.Tests[i], &again.Tests[i]
		if want.Ended != got.Ended || want.Verdict.Reason != got.Verdict.Reason || !cmp.Equal(want.Endings, got.Endings) || !cmp.Equal(want.Labels, got.Labels) {
			t.Errorf("%s: %s (%s) %v %v, want %s (%s) %v %v", want.Key, got.Ended, got.Verdict.Reason, got.Endings, got.Labels, want.Ended, want.Verdict.Reason, want.Endings, want.Labels)
		}
	}
	if diff := cmp.Diff(e.Run.Headers, again.Run.Headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	// Without properties each test has one end, that of the run that got least far.
	for _, profile := range []string{renderjunit.ProfileGitLab, renderjunit.ProfileStrict, renderjunit.ProfileSurefire} {
		got := outcomes(t, readBack(t, written(t, e, renderjunit.Options{Profile: profile}), nil), false)
		for key, want := range outcomes(t, e, false) {
			if g := got[key]; g.Status != want.Status || g.Strip != want.Strip || g.Trials.Planned != want.Trials.Planned {
				t.Errorf("%s, %s: %s %q of %v, want %s %q of %v", profile, key, g.Status, g.Strip, g.Trials.Planned, want.Status, want.Strip, want.Trials.Planned)
			}
		}
	}
}

// TestOwnEndingsDamaged: what is no end of a test is none.
func TestOwnEndingsDamaged(t *testing.T) {
	const report = `<testsuites><testsuite name="s"><properties><property name="tribunal.schema" value="tribunal/envelope/v1"/><property name="tribunal.policy" value="{}"/></properties>
<testcase name="a" classname="s"><properties><property name="tribunal.trials" value="P"/><property name="tribunal.planned" value="-4"/><property name="tribunal.ended" value="sometime"/></properties></testcase>
<testcase name="b" classname="s"><properties><property name="tribunal.trials" value="P"/><property name="tribunal.endings" value="{"/></properties></testcase>
</testsuite></testsuites>`
	e := readBack(t, report, nil)
	for i := range e.Tests {
		if one := &e.Tests[i]; one.Status != envelope.Pass || one.Ended != "" || one.Trials.Planned.OK {
			t.Errorf("%s: %s, %q of %v", one.Key, one.Status, one.Ended, one.Trials.Planned)
		}
	}
	if len(e.Tests) != 2 || !slices.ContainsFunc(e.Problems, func(p envelope.Problem) bool { return strings.Contains(p.Message, "tribunal.endings cannot be read") }) {
		t.Errorf("%d tests, %v", len(e.Tests), e.Problems)
	}
}

// TestOwnFiles: a file is written as readers look for it, and read back as it
// was told.
func TestOwnFiles(t *testing.T) {
	for _, c := range []struct{ file, shown string }{
		{"tests/a.py", `file="tests/a.py"`}, {"/abs/path/x.py", `file="abs/path/x.py"`}, {"../../etc/passwd", `file="etc/passwd"`},
		{`..\a\b.py`, `file="a/b.py"`}, {"..", ""},
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("trials", "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "a"}, Status: envelope.Pass, File: c.file, Line: 3})
		in.Close()
		report := written(t, judge(t, b.Run(envelope.ConflictExtend, 5), []envelope.Carried{{Asked: &envelope.Policy{}}}), renderjunit.Options{})
		if !strings.Contains(report, c.shown) || strings.Count(report, `file=`) != strings.Count(c.shown, `file=`) {
			t.Errorf("%q is not written as %s:\n%s", c.file, c.shown, report)
		}
		if got := readBack(t, report, nil).Tests[0]; got.File != c.file || got.Line != 3 {
			t.Errorf("%q:3 is read back as %q:%d", c.file, got.File, got.Line)
		}
	}
}
