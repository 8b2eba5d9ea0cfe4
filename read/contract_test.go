package read

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// samples has one whole input for every row of the table, small enough to be
// cut at many places.
var samples = map[string]sample{
	"native":    {file: "problems.ndjson", trials: 4},
	"envelope":  {text: envelopeText, trials: 3},
	"tau-bench": {text: taubenchText, trials: 3},

	"junit":              {file: "../../read/junit/testdata/nextest__fixture-project-junit.xml", trials: 8},
	"go-test":            {file: "../../read/gotest/testdata/gen_timeout.jsonl", trials: 2},
	"promptfoo":          {file: "../../read/promptfoo/testdata/gen_repeat6.jsonl", trials: 30},
	"inspect":            {file: "../../read/inspect/testdata/cancelled.json", trials: 3},
	"tau2-bench":         {file: "../../read/tau2/testdata/both_layouts_inside.json", trials: 4},
	"terminal-bench":     {file: "../../read/terminalbench/testdata/run.json", trials: 4},
	"harbor":             {file: "../../read/harbor/testdata/job.json", trials: 4},
	"agentv":             {file: "../../read/agentv/testdata/5.3.1_repeat5.index.jsonl", trials: 20},
	"playwright":         {file: "../../read/playwright/testdata/gen_retries2_2projects.json", trials: 31},
	"cucumber":           {file: "../../read/cucumber/testdata/cck__retry.ndjson", trials: 9},
	"cucumber-json":      {file: "../../read/cucumberjson/testdata/gen_cucumber-js_retry2.json", trials: 8},
	"pytest-reportlog":   {file: "../../read/reportlog/testdata/gen_reruns2.jsonl", trials: 21},
	"pytest-json-report": {file: "../../read/pytestjson/testdata/gen_reruns2.json", trials: 11},
	"ctrf":               {file: "../../read/ctrf/testdata/gen_playwright_retries2.ctrf.json", trials: 31},
	"libtest":            {file: "../../read/libtest/testdata/gen_libtest.jsonl", trials: 4},
	"jest":               {file: "../../read/jest/testdata/gen_vitest_retry_repeats.json", trials: 9},
	"lm-eval":            {file: "../../read/lmeval/testdata/samples_math_perturbed.jsonl", trials: 10},
	"openai-evals":       {file: "../../read/oaieval/testdata/match.jsonl", trials: 4},
	"openai-evals-api":   {file: "../../read/oaiapi/testdata/page.json", trials: 4},
	"bfcl":               {file: "../../read/bfcl/testdata/v4_simple_javascript_score_and_result.json", trials: 5},
	"evalplus":           {file: "../../read/evalplus/testdata/eval_results.json", trials: 5},
	"garak":              {file: "../../read/garak/testdata/scan.report.jsonl", trials: 6},
	"livecodebench":      {file: "../../read/livecodebench/testdata/Scenario.codegeneration_2_0.2_eval_all.json", trials: 4},
	"deepeval":           {file: "../../read/deepeval/testdata/latest_test_run.json", trials: 3},
	"swe-bench":          {file: "../../read/swebench/testdata/report.json", trials: 6},
	"webarena-verified":  {file: "../../read/webarena/testdata/v1.0.0rc12_task_107.json", trials: 1},
	"gaia":               {file: "../../read/gaia/testdata/open_deep_research.jsonl", trials: 5},
	"openhands-index":    {file: "../../read/openhands/testdata/commit0.json", trials: 5},
	"mcptest":            {file: "../../read/mcptest/testdata/rows.ndjson", trials: 6},
	"cerberus":           {file: "../../read/cerberus/testdata/run.json", trials: 46},
	"mocha":              {file: "../../read/mocha/testdata/gen_mocha10_retries.json", trials: 13},
	"jmeter":             {file: "../../read/jmeter/testdata/load.csv", trials: 5},
	"k6":                 {file: "../../read/k6/testdata/summary_export.json", trials: 8},
	"newman":             {file: "../../read/newman/testdata/gen_newman6.2.json", trials: 15},
	"nightwatch":         {file: "../../read/nightwatch/testdata/cart.json", trials: 8},
	"trx":                {file: "../../read/trx/testdata/mstest_rows.trx", trials: 10},
	"nunit":              {file: "../../read/nunit/testdata/nunit3.xml", trials: 8},
	"xunit":              {file: "../../read/xunit/testdata/v3.xml", trials: 8},
	"allure":             {file: "../../read/allure/testdata/gen_one-result.json", trials: 1},
	"allure1":            {file: "../../read/allure/testdata/allure1/testng-testsuite.xml", trials: 9},
	"serenity":           {file: "../../read/serenity/testdata/outline.json", trials: 3},
	"karate":             {file: "../../read/karate/testdata/feature.json", trials: 5},
	"pytest-html":        {file: "../../read/pytesthtml/testdata/v4.html", trials: 11},
	"rspec":              {file: "../../read/rspec/testdata/gen_rspec3.json", trials: 8},
	"robot":              {file: "../../read/robot/testdata/v7.xml", trials: 5},
	"gtest":              {file: "../../read/gtest/testdata/gen_gtest1.12.json", trials: 7},
	"ctest":              {file: "../../read/ctest/testdata/gen_ctest3.25_Test.xml", trials: 5},
	"meson":              {file: "../../read/meson/testdata/gen_meson1.0.jsonl", trials: 15},
	"catch2":             {file: "../../read/catch2/testdata/v3.xml", trials: 4},
	"dart":               {file: "../../read/dart/testdata/retries.jsonl", trials: 8},
	"bazel-bep":          {file: "../../read/bep/testdata/events.jsonl", trials: 9},
	"playwright-html":    {file: "../../read/playwright/testdata/html/gen_1.65_index.html", trials: 60},
	"playwright-blob":    {file: "../../read/playwright/testdata/blob/gen_1.65_events.jsonl", trials: 8},
	"every-eval-ever":    {file: "../../read/eee/testdata/v0.2.1_samples.jsonl", trials: 4},
	"helm":               {file: "../../read/helm/testdata/per_instance_stats.json", trials: 4},
	"xcresult":           {file: "../../read/xcresult/testdata/xcode16.json", trials: 8},
	"test-unit":          {file: "../../read/testunit/testdata/gen_test-unit3.5.xml", trials: 8},
	"sonar":              {file: "../../read/sonar/testdata/jest-sonar.xml", trials: 7},
	"testng":             {file: "../../read/testng/testdata/results.xml", trials: 7},
	"otlp":               {file: "../../read/otlp/testdata/genai.jsonl", trials: 4},
	"teamcity":           {file: "../../read/teamcity/testdata/flows.txt", trials: 6},
	"tap":                {file: "../../read/tap/testdata/gen_perl_test-more.tap", trials: 7},
}

// sample is a file of testdata/streams or a text, and the trials in it.
type sample struct {
	file, text string
	trials     int
}

const (
	envelopeText = `{"schema":"tribunal/envelope/v1","type":"header","run":{"name":"n","sources":[]},"policy":{"rule":"all"}}
{"type":"test","suite":"s","test":"t","status":"fail","rows":{"outcome":"PPF","attempt":[0,1,2]},"details":[{"trial":2,"attempt":2,"status":"fail","message":"m"}]}
{"type":"summary","summary":{"tests":1,"fail":1},"metrics":[],"suites":[],"gate":{"status":"fail","exit_code":1,"reasons":[]},"problems":[]}
`
	taubenchText = `[
 {"task_id": 0, "reward": 1.0, "info": {"task": {"user_id": "x"}}, "traj": [{"role": "assistant", "tool_calls": [{"id": "1"}]}], "trial": 0},
 {"task_id": 0, "reward": 0.0, "info": {"task": {"user_id": "x"}}, "traj": [], "trial": 1},
 {"task_id": 1, "reward": 0.0, "info": {"error": "e", "traceback": "t"}, "traj": [], "trial": 0}
]
`
)

func firstBytes(t testing.TB, s sample) []byte {
	t.Helper()
	if s.file == "" {
		return []byte(s.text)
	}
	text, err := os.ReadFile(filepath.Join("../testdata/streams", s.file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// result is what came of reading one input.
type result struct {
	format   string
	trials   int
	problems []envelope.Problem
}

func readStream(r io.Reader, from string) result {
	b := count.NewBuilder(5, 0.5)
	format := Stream(b, "input", r, from)
	trials := b.Trials()
	return result{format, trials, b.Run(envelope.ConflictExtend, 5).Problems}
}

// checkProblems: every error has its input, and its line once reading began.
func checkProblems(t *testing.T, what string, got result) {
	t.Helper()
	for _, p := range got.problems {
		if strings.HasSuffix(p.Message, ", not listed") || p.Stage != "" {
			continue // the builder's, for problems with places of their own
		}
		if p.Input != "input" || p.Line < 1 || p.Message == "" || p.Severity == "" || p.Code == "" {
			t.Errorf("%s: %+v", what, p)
		}
	}
}

func eachRow(t *testing.T, check func(t *testing.T, f Format, text []byte, trials int)) {
	for _, f := range Formats {
		s, ok := samples[f.Name]
		if !ok {
			t.Errorf("no sample for %s", f.Name)
			continue
		}
		t.Run(f.Name, func(t *testing.T) { check(t, f, firstBytes(t, s), s.trials) })
	}
}

func TestRowsAreComplete(t *testing.T) {
	eachRow(t, func(t *testing.T, f Format, text []byte, trials int) {
		if f.Name == "" || f.Doc == "" || strings.ToLower(f.Name) != f.Name || f.Sniff == nil || f.Read == nil || !slices.Contains(Families, f.Family) {
			t.Errorf("%+v", f)
		}
		befores := []string{"", byteOrderMark, strings.Repeat("\n ", 9)}
		if f.Name == "tap" {
			befores = befores[:2] // blanks before a point make it a subtest's
		}
		for _, before := range befores {
			for _, from := range []string{"", f.Name} {
				got := readStream(iotest.OneByteReader(strings.NewReader(before+string(text))), from)
				if got.format != f.Name || got.trials != trials {
					t.Errorf("behind %q read as %q, %d trials, want %d", before, got.format, got.trials, trials)
				}
				checkProblems(t, "whole", got)
			}
		}
	})
}

func TestOnlyOneRowClaimsAFile(t *testing.T) {
	eachRow(t, func(t *testing.T, f Format, text []byte, _ int) {
		for _, other := range Formats {
			if got := other.Sniff(text); got != (other.Name == f.Name) {
				t.Errorf("%s says %v of a sample of %s", other.Name, got, f.Name)
			}
		}
	})
}

// TestBytesComeAsTheyLike: the result does not depend on how the input is cut
// into reads.
func TestBytesComeAsTheyLike(t *testing.T) {
	eachRow(t, func(t *testing.T, f Format, text []byte, _ int) {
		want := readStream(bytes.NewReader(text), "")
		for _, way := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			if got := readStream(way(bytes.NewReader(text)), ""); got.trials != want.trials || !slices.Equal(got.problems, want.problems) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		}
	})
}

// saysSo are the trials that stand for what is missing of an input that was cut: a broken
// plan, a scan without its end.
var saysSo = map[string]int{"tap": 1, "garak": 1}

func TestCutFiles(t *testing.T) {
	eachRow(t, func(t *testing.T, f Format, text []byte, trials int) {
		cuts := 100
		if testing.Short() {
			cuts = 10
		}
		for cut := 0; cut < len(text); cut += max(97, len(text)/cuts) {
			for _, from := range []string{"", f.Name} {
				got := readStream(bytes.NewReader(text[:cut]), from)
				checkProblems(t, "cut", got)
				if most := trials + saysSo[f.Name]; got.trials > most {
					t.Errorf("%d trials of %d bytes", got.trials, cut)
				}
			}
		}
	})
}

func TestGarbage(t *testing.T) {
	inputs := map[string]string{
		"text":     "hello\nworld\n",
		"binary":   "\x00\xff\xfe\x01\n\n\x80",
		"brackets": strings.Repeat("[{", 50000),
		"quotes":   strings.Repeat(`"`, 50000),
		"braces":   strings.Repeat("{\n", 50000),
		"other":    `{"a":[1,2,{"b":null}]}`,
		"zip":      "PK\x03\x04rest",
	}
	eachRow(t, func(t *testing.T, f Format, text []byte, _ int) {
		for what, input := range inputs {
			got := readStream(strings.NewReader(input), f.Name)
			silent := len(got.problems) == 0 && what != "other" && f.Name != "tap" // a document without trials, or a log without points
			if got.trials != 0 || silent || got.format != f.Name {
				t.Errorf("%s: %+v", what, got)
			}
			checkProblems(t, what, got)
		}
		flipped := bytes.Clone(text)
		places := 150
		if testing.Short() {
			places = 15
		}
		for i := 0; i < len(flipped); i += 1 + len(flipped)/places {
			flipped[i] ^= 0x15
			checkProblems(t, "flipped", readStream(bytes.NewReader(flipped), f.Name))
			flipped[i] ^= 0x15
		}
	})
}

func TestEmpty(t *testing.T) {
	eachRow(t, func(t *testing.T, f Format, _ []byte, _ int) {
		for _, text := range []string{"", "\n", "\uFEFF"} {
			got := readStream(strings.NewReader(text), f.Name)
			if got.trials != 0 || got.format != f.Name {
				t.Errorf("%+v", got)
			}
			checkProblems(t, "empty", got)
		}
	})
}

// TestReadErrors: an error in the middle is told, with what came before kept.
func TestReadErrors(t *testing.T) {
	broken := errors.New("the cable is broken")
	eachRow(t, func(t *testing.T, f Format, text []byte, trials int) {
		for _, at := range []int{0, 1, len(text) / 2, len(text) - 1, len(text)} {
			got := readStream(io.MultiReader(bytes.NewReader(text[:at]), iotest.ErrReader(broken)), f.Name)
			checkProblems(t, "broken", got)
			if !slices.ContainsFunc(got.problems, func(p envelope.Problem) bool {
				return p.Severity == envelope.SeverityError && p.Code == envelope.CodeUnreadable && strings.Contains(p.Message, broken.Error())
			}) {
				t.Errorf("broken at %d: %+v", at, got.problems)
			}
		}
		if got := readStream(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(text))), f.Name); len(got.problems) == 0 || got.trials != 0 {
			t.Errorf("an error that does not come again is lost: %+v", got)
		}
	})
}
