// Package formats has the table of input formats, as [read.Formats] has it in every program
// that imports it. A new format is one folder and one row, from which help, errors, --from
// and tests are made. A reader only knows its format and envelope.Sink.
package formats

import (
	"bytes"
	_ "embed"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read"
	"tribunal/read/agentv"
	"tribunal/read/allure"
	"tribunal/read/bep"
	"tribunal/read/bfcl"
	"tribunal/read/catch2"
	"tribunal/read/ctest"
	"tribunal/read/ctrf"
	"tribunal/read/cucumber"
	"tribunal/read/cucumberjson"
	"tribunal/read/dart"
	envelopejson "tribunal/read/envelope"
	"tribunal/read/flat"
	"tribunal/read/garak"
	"tribunal/read/gotest"
	"tribunal/read/gtest"
	"tribunal/read/harbor"
	"tribunal/read/inspect"
	"tribunal/read/jest"
	"tribunal/read/jmeter"
	"tribunal/read/junit"
	"tribunal/read/k6"
	"tribunal/read/karate"
	"tribunal/read/libtest"
	"tribunal/read/lmeval"
	"tribunal/read/mcptest"
	"tribunal/read/mocha"
	"tribunal/read/newman"
	"tribunal/read/nightwatch"
	"tribunal/read/nunit"
	"tribunal/read/oaieval"
	"tribunal/read/otlp"
	"tribunal/read/playwright"
	"tribunal/read/promptfoo"
	"tribunal/read/pytesthtml"
	"tribunal/read/pytestjson"
	"tribunal/read/reportlog"
	"tribunal/read/robot"
	"tribunal/read/rspec"
	"tribunal/read/serenity"
	"tribunal/read/sonar"
	"tribunal/read/swebench"
	"tribunal/read/tap"
	"tribunal/read/tau2"
	"tribunal/read/taubench"
	"tribunal/read/teamcity"
	"tribunal/read/testng"
	"tribunal/read/testunit"
	"tribunal/read/trx"
	"tribunal/read/xcresult"
	"tribunal/read/xunit"
)

type options = read.Options

const own, exchange, runners, evals = read.Own, read.Exchange, read.Runners, read.Evals

// table has the input formats in the order in which they are sniffed. Those with a
// word that no other format uses come before those recognised by shape. An envelope
// comes before a trial stream, because the lines of its tests look like trials.
var table = []read.Format{
	{Name: read.Envelope, Family: own, Doc: "report of Tribunal itself, JSON or NDJSON: " + envelope.Schema,
		Sniff: envelopejson.Sniff, Read: envelopejson.Read, NamesRuns: true, Own: func([]byte, []byte) bool { return true }},
	read.Native,
	{Name: "junit", Family: exchange, Doc: "JUnit XML of any runner, " +
		"with the reruns of Surefire, nextest, Gradle, Playwright, Vitest, gdUnit4, gotestsum",
		Parts: junit.BazelTries, TryOf: junit.TryOf,
		Sniff: junit.Sniff, Read: junit.Read, Spare: junit.OfNoTest, Writer: junit.Writer, Again: junit.Again, Stamp: junit.Stamp, Own: startsWithin(`<property name="tribunal.schema" value="tribunal/`)},
	{Name: "go-test", Family: runners, Doc: "go test -json, with -count and the reruns of gotestsum",
		Sniff: gotest.Sniff, Read: gotest.Read, HasPositions: true},
	{Name: "promptfoo", Family: evals, Doc: "promptfoo results, JSON, JSONL, YAML, XML or CSV, with --repeat",
		Sniff: promptfoo.Sniff, Read: promptfoo.Read},
	{Name: "inspect", Family: evals, Doc: "Inspect logs, .eval or .json, with epochs",
		Sniff: inspect.Sniff, ReadWith: func(r io.Reader, to envelope.Sink, o options) error {
			return inspect.ReadWith(r, to, inspect.Options{Scorer: o.Scorer, At: o.At})
		}},
	{Name: "tau-bench", Family: evals, Doc: "tau-bench results, a JSON array",
		Sniff: taubench.Sniff, Read: taubench.Read},
	{Name: "tau2-bench", Family: evals, Doc: "tau2-bench results.json, and the folder of one with simulations/",
		Sniff: tau2.Sniff, ReadWith: readTau2, Parts: tau2.Parts, PartOf: tau2.PartOf, Folders: []string{tau2.Discarded}},
	{Name: "terminal-bench", Family: evals, Doc: "Terminal-Bench results.json of a run or a trial",
		Sniff: flat.TerminalBench.Sniff, Read: flat.TerminalBench.Read, Repeats: flat.IsTerminalRun},
	{Name: "harbor", Family: evals, Doc: "Harbor result.json of a trial or a job",
		Sniff: harbor.Sniff, Spare: harbor.Summarises, Folders: harbor.Folders,
		ReadWith: func(r io.Reader, to envelope.Sink, o options) error { return harbor.ReadIn(r, to, o.Below) }},
	{Name: "agentv", Family: evals, Doc: "AgentV index.jsonl and summary.json",
		Sniff: agentv.Sniff, Spare: agentv.Summarises, Hidden: agentv.Internal, ReadWith: readAgentV},
	{Name: "playwright", Family: runners, Doc: "Playwright JSON, with retries and projects",
		Sniff: playwright.Sniff, Read: playwright.Read},
	{Name: "cucumber", Family: runners, Doc: "Cucumber Messages, with retries",
		Sniff: cucumber.Sniff, Read: cucumber.Read},
	{Name: "cucumber-json", Family: runners, Doc: "Cucumber's older JSON, and behave's",
		Sniff: cucumberjson.Sniff, Read: cucumberjson.Read},
	{Name: "pytest-reportlog", Family: runners, Doc: "pytest-reportlog, with reruns",
		Sniff: reportlog.Sniff, Read: reportlog.Read},
	{Name: "pytest-json-report", Family: runners, Doc: "pytest-json-report; reruns are lost",
		Sniff: pytestjson.Sniff, Read: pytestjson.Read},
	{Name: "pytest-html", Family: runners, Doc: "page of pytest-html, versions 2 to 4",
		Sniff: pytesthtml.Sniff, Read: pytesthtml.Read, Beside: []string{"junit", "pytest-json-report", "pytest-reportlog", "allure", "ctrf"}},
	{Name: "ctrf", Family: exchange, Doc: "Common Test Report Format, with retries",
		Sniff: ctrf.Sniff, Read: ctrf.Read, Own: startsWithin(`"generatedBy":"tribunal"`)},
	{Name: "libtest", Family: runners, Doc: "libtest JSON of Rust, and nextest's",
		Sniff: libtest.Sniff, Read: libtest.Read},
	{Name: "jest", Family: runners, Doc: "Jest and Vitest JSON",
		Sniff: jest.Sniff, Read: jest.Read},
	{Name: "lm-eval", Family: evals, Doc: "lm-eval samples",
		Sniff: lmeval.Sniff, ReadWith: func(r io.Reader, to envelope.Sink, o options) error { return lmeval.ReadIn(r, to, o.Name, beside(o)) }},
	{Name: "openai-evals", Family: evals, Doc: "event log of OpenAI evals",
		Sniff: oaieval.Sniff, Read: oaieval.Read},
	{Name: "openai-evals-api", Family: evals, Doc: "output items of runs of OpenAI's Evals API: pages, or the items alone",
		Sniff: flat.OpenAIEvals.Sniff, Read: flat.OpenAIEvals.Read},
	{Name: "bfcl", Family: evals, Doc: "score file of the Berkeley Function Calling Leaderboard with its result file",
		Sniff: bfcl.Sniff, ReadWith: func(r io.Reader, to envelope.Sink, o options) error { return bfcl.ReadIn(r, to, beside(o)) }},
	{Name: "deepeval", Family: evals, Doc: "DeepEval test runs: the latest, the full one and those of its results folder",
		Sniff: flat.DeepEval.Sniff, Read: flat.DeepEval.Read, Copies: true},
	{Name: "swe-bench", Family: evals, Doc: "SWE-bench run report with the trajectories of SWE-agent or mini-swe-agent beside it, or report.json of an instance",
		Sniff: swebench.Sniff, Folders: swebench.Folders,
		ReadWith: func(r io.Reader, to envelope.Sink, o options) error { return swebench.ReadIn(r, to, o.Below) }},
	{Name: "webarena-verified", Family: evals, Doc: "WebArena-Verified eval_result.json of a task",
		Sniff: flat.WebArena.Sniff, Read: flat.WebArena.Read},
	{Name: "gaia", Family: evals, Doc: "answers to GAIA in the form of Open Deep Research, scored with is_correct",
		Sniff: flat.GAIA.Sniff, Read: flat.GAIA.Read},
	{Name: "openhands-index", Family: evals, Doc: "instance_results of the OpenHands Index, of SWE-bench, SWT-bench, Commit0, GAIA and others",
		Sniff: flat.OpenHands.Sniff, Read: flat.OpenHands.Read},
	{Name: "mcptest", Family: runners, Doc: "mcptest rows named `name #k`, and `mcptest run --json`",
		Sniff: mcptest.Sniff, Read: mcptest.Read},
	{Name: "cerberus", Family: evals, Doc: "runs of cerberus, `.cerberus/runs/*.json`",
		Sniff: flat.Cerberus.Sniff, Read: flat.Cerberus.Read},
	{Name: "mocha", Family: runners, Doc: "Mocha JSON and mochawesome, as Cypress writes them too, with retries",
		Sniff: mocha.Sniff, Read: mocha.Read},
	{Name: "jmeter", Family: runners, Doc: "results of Apache JMeter, .jtl in CSV or XML, and of Taurus",
		Sniff: jmeter.Sniff, Read: jmeter.Read, Writer: jmeter.Writer, Again: jmeter.Again},
	{Name: "k6", Family: runners, Doc: "k6 of Grafana: samples of --out json, or a summary of --summary-export or handleSummary",
		Sniff: k6.Sniff, Read: k6.Read},
	{Name: "newman", Family: runners, Doc: "JSON of Newman, with iterations",
		Sniff: newman.Sniff, Read: newman.Read},
	{Name: "nightwatch", Family: runners, Doc: "JSON of Nightwatch, tests_output/*.json; its JUnit is `junit`",
		Sniff: nightwatch.Sniff, Read: nightwatch.Read, Beside: []string{"junit"}},
	{Name: "trx", Family: runners, Doc: "TRX of Visual Studio and dotnet test",
		Sniff: trx.Sniff, Read: trx.Read, Spare: trx.OfNoTest, Own: startsWithin(`runUser="tribunal`)},
	{Name: "nunit", Family: runners, Doc: "NUnit 3 and NUnit 2 XML, as Unity and Pester write it too",
		Sniff: nunit.Sniff, Read: nunit.Read},
	{Name: "xunit", Family: runners, Doc: "xUnit.net XML of v1, v2 and v3",
		Sniff: xunit.Sniff, Read: xunit.Read},
	{Name: "allure", Family: exchange, Doc: "results folder of Allure 2 and 3, one of its result files, or the report that Allure generated",
		Sniff: allure.Sniff, Read: allure.Read, Own: startsWithin(`{"name":"framework","value":"tribunal"}`)},
	{Name: "allure1", Family: exchange, Doc: "suites of Allure 1, NAME-testsuite.xml",
		Sniff: allure.SniffSuite, Read: allure.ReadSuite},
	{Name: "rspec", Family: runners, Doc: "RSpec JSON",
		Sniff: rspec.Sniff, Read: rspec.Read},
	{Name: "robot", Family: runners, Doc: "output.xml of Robot Framework 3 to 7",
		Sniff: robot.Sniff, Read: robot.Read},
	{Name: "gtest", Family: runners, Doc: "GoogleTest JSON; its XML is `junit`",
		Sniff: gtest.Sniff, Read: gtest.Read},
	{Name: "ctest", Family: runners, Doc: "Test.xml of CTest; what --output-junit writes is `junit`",
		Sniff: ctest.Sniff, Read: ctest.Read},
	{Name: "meson", Family: runners, Doc: "testlog.json of Meson, which says more than its JUnit",
		Sniff: flat.Meson.Sniff, Read: flat.Meson.Read},
	{Name: "catch2", Family: runners, Doc: "Catch2 XML of versions 2 and 3; its JUnit is `junit`",
		Sniff: catch2.Sniff, Read: catch2.Read},
	{Name: "dart", Family: runners, Doc: "JSON of the test runner of Dart and Flutter",
		Sniff: dart.Sniff, Read: dart.Read},
	{Name: "bazel-bep", Family: runners, Doc: "Build Event Protocol of Bazel, --build_event_json_file",
		Sniff: bep.Sniff, Read: bep.Read},
	{Name: "karate", Family: runners, Doc: "results of a feature of Karate, karate-reports/*.karate-json.txt",
		Sniff: karate.Sniff, Read: karate.Read, Beside: []string{"junit", "cucumber-json"}},
	{Name: "serenity", Family: runners, Doc: "outcomes of tests of Serenity BDD and Serenity/JS, target/site/serenity/*.json",
		Sniff: serenity.Sniff, Read: serenity.Read, Beside: []string{"surefire", "cucumber-json", "cucumber"}},
	{Name: "playwright-blob", Family: runners, Doc: "Playwright blob report of a shard, report.zip or the events in it",
		Sniff: playwright.SniffBlob, Read: playwright.ReadBlob},
	{Name: "playwright-html", Family: runners, Doc: "HTML report of Playwright, index.html, which it writes by default",
		Sniff: playwright.SniffHTML, Read: playwright.ReadHTML},
	{Name: "every-eval-ever", Family: evals, Doc: "samples of Every Eval Ever, *_samples.jsonl",
		Sniff: flat.EveryEvalEver.Sniff, Read: flat.EveryEvalEver.Read},
	{Name: "helm", Family: evals, Doc: "HELM per_instance_stats.json",
		Sniff: flat.HELM.Sniff, Read: flat.HELM.Read},
	{Name: "evalplus", Family: evals, Doc: "EvalPlus eval_results.json of HumanEval+ and MBPP+",
		Sniff: flat.EvalPlus.Sniff, Read: flat.EvalPlus.Read},
	{Name: "garak", Family: evals, Doc: "report of garak, garak.*.report.jsonl: which attacks a model withstood",
		Sniff: garak.Sniff, Read: garak.Read},
	{Name: "livecodebench", Family: evals, Doc: "LiveCodeBench *_eval_all.json, with n samples per problem",
		Sniff: flat.LiveCodeBench.Sniff, Read: flat.LiveCodeBench.Read},
	{Name: "xcresult", Family: runners, Doc: "tests of Xcode, as xcrun xcresulttool get test-results tests prints them",
		Sniff: xcresult.Sniff, Read: xcresult.Read},
	{Name: "test-unit", Family: runners, Doc: "XML of Ruby's test-unit, --runner=xml; what minitest-reporters writes is `junit`",
		Sniff: testunit.Sniff, Read: testunit.Read},
	{Name: "sonar", Family: exchange, Doc: "generic test execution XML of SonarQube, as jest-sonar-reporter and others write it",
		Sniff: sonar.Sniff, Read: sonar.Read},
	{Name: "testng", Family: runners, Doc: "testng-results.xml of TestNG; its JUnit files are `junit`",
		Sniff: testng.Sniff, Read: testng.Read, Again: testng.Again},
	{Name: "otlp", Family: exchange, Doc: "traces of OpenTelemetry in OTLP/JSON: of tests (`test.case.name`), or of agents and models (`gen_ai.*`), each a trial",
		Sniff: otlp.Sniff, Read: otlp.Read, Own: startsWithin(`"key":"telemetry.distro.name","value":{"stringValue":"tribunal"}`)},
	{Name: "teamcity", Family: exchange, Doc: "log with TeamCity's service messages of tests, as PHPUnit --teamcity and the reporters of many runners write them",
		Sniff: teamcity.Sniff, Read: teamcity.Read, Own: teamcity.Own},
	{Name: "tap", Family: exchange, Doc: "Test Anything Protocol 13 and 14, and KTAP of the Linux kernel",
		Sniff: tap.Sniff, Read: tap.Read, Own: endsAsOurTAP},
}

// losses has a line per format: name, Kept and Lost.
//
//go:embed losses.tsv
var losses string

// init sets Kept and Lost of each format, and Read where there is only ReadWith.
func init() {
	for line := range strings.Lines(losses) {
		name, texts, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		f := &table[slices.IndexFunc(table, func(f read.Format) bool { return f.Name == name })]
		if f.Kept, f.Lost, _ = strings.Cut(texts, "\t"); f.Read == nil {
			with := f.ReadWith
			f.Read = func(r io.Reader, to envelope.Sink) error { return with(r, to, read.Options{}) }
		}
	}
	read.Formats = table
}

// beside opens files in the folder of the input. It is nil if there is none.
func beside(o options) func(path string) (io.ReadCloser, error) {
	if o.Neighbours == nil {
		return nil
	}
	return o.Neighbours.Open
}

func readAgentV(r io.Reader, to envelope.Sink, o options) error {
	if o.Above != nil {
		return agentv.ReadIn(r, to, o.Above)
	}
	return agentv.ReadIn(r, to, o.Below)
}

func readTau2(r io.Reader, to envelope.Sink, o options) error {
	folder := tau2.Folder{}
	if n := o.Neighbours; n != nil {
		folder.Results = func() (io.ReadCloser, error) { return n.Open(tau2.Whole) }
		if n.Parts(tau2.Parts) {
			folder.Counted, folder.Any = n.Counted, func() bool { return n.CountedIn(tau2.Parts) }
		}
	}
	return tau2.ReadIn(r, to, folder)
}

// startsWithin finds a mark near the start of a report.
func startsWithin(mark string) func(head, tail []byte) bool {
	return func(head, _ []byte) bool { return bytes.Contains(head, []byte(mark)) }
}

// tapSummary is the comment that ends our TAP, which has no room for a name of
// who wrote it. Of a run that is broken the words follow that end the stream.
var tapSummary = regex.Of(`\n# \d+ of \d+ counted trials passed over \d+ tests\r?\n(?:Bail out! [^\n]*\n)?\z`)

func endsAsOurTAP(_, tail []byte) bool { return tapSummary().Match(tail) }
