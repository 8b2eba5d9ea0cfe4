// Package read reads inputs. It has a table of formats, detects the format of an input,
// and decompresses it.
//
// A new format is one folder and one row of the table, from which help, errors, --from and
// tests are made. A reader only knows its format and envelope.Sink. Files, globs and
// progress are in package command; package envelope defines what a trial is.
package read

import (
	"bytes"
	_ "embed"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
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
	"tribunal/read/mapped"
	"tribunal/read/mcptest"
	"tribunal/read/mocha"
	"tribunal/read/native"
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

// Format is one input format.
type Format struct {
	Name string // for --from
	Doc  string // one line
	// Family is the kind of program that writes the format, one of [Families].
	Family string
	Kept   string // what of the format's data becomes part of a trial
	Lost   string // what does not, or what to know
	// Sniff recognises the format by the first bytes of an input, cut anywhere.
	Sniff func(head []byte) bool
	// Read sends trials and problems to the sink. It only returns errors of r.
	Read func(r io.Reader, to envelope.Sink) error
	// NamesRuns is set if inputs name their runs. Otherwise an input is one run, named
	// after the input.
	NamesRuns bool
	// Spare recognises inputs without trials of their own: an index of other files, or
	// nothing. It is nil for formats without such files.
	Spare func(head []byte) bool
	// Writer recognises the program that wrote an input, "" if unknown. It is nil for
	// formats of one program, which is the name of the format.
	Writer func(name string, head []byte) string
	// Again is for programs that write a run twice. It returns the writer whose reports
	// repeat the trials of this writer, and the path to their folder, or "".
	Again func(writer string) (by, folder string)
	// Stamp is for reports that have a time although their trials have none. It returns how
	// many digits of a second that time has.
	Stamp func(head []byte) int
	// Beside are formats in which the runner usually writes the same trials under other
	// names. If a directory has one of them, this format is skipped, except for our reports.
	Beside []string
	// Own recognises a report of ours by its first and last bytes. It is nil for formats
	// that we do not write.
	Own func(head, tail []byte) bool
	// Repeats recognises inputs whose trials may also have files of their own, so that
	// duplicates need no warning. It is nil for formats without such files.
	Repeats func(head []byte) bool
	// Copies means that the runner writes a run to several files that do not name it, so
	// an input with the same trials as another gets a warning.
	Copies bool
	// Folders are the folders beside an input with files that its trials wrote, none of
	// which is a report.
	Folders []string
	// Hidden is the folder of a run in which the runner keeps results although its name
	// starts with a dot, or "".
	Hidden string
	// Parts is the folder beside an input with a file for each of its trials, or "". They
	// are read before the input, which asks [Neighbours] whether they had trials.
	Parts string
	// PartOf returns the path from such a file to its input, which is of the same run. It
	// returns "" for other files.
	PartOf func(head []byte) string
	// TryOf is for runners that write each try of a run to its own file in the folder
	// Parts. From the name it returns the number of the try, 0-based, and the path to the
	// file of the last try.
	TryOf func(name string) (try int32, last string, is bool)
	// HasPositions means that errors of Read are *position.Error, so that the caller need
	// not count lines.
	HasPositions bool
	// ReadWith is Read with options. It is nil for formats without options.
	ReadWith func(r io.Reader, to envelope.Sink, o Options) error
}

// The families of formats, for lists that people read.
const (
	Own      = "our own"
	Exchange = "written by many"
	Runners  = "test runners"
	Evals    = "evals and agents"
)

// Families are the families in the order in which they are listed.
var Families = []string{Own, Exchange, Runners, Evals}

// Envelope is the format of our own reports. Naming such an input twice is harmless,
// because merging an envelope with itself changes nothing.
const Envelope = "envelope"

// trialStream is also the format of an empty input.
var trialStream = Format{Name: "native", Family: Own, Doc: "trial stream, one JSON object a line (" + envelope.TrialSchema + ")",
	Sniff: native.Sniff, Read: native.Read, NamesRuns: true, HasPositions: true, ReadWith: below(native.ReadIn)}

// Formats are the input formats in the order in which they are sniffed. Those with a
// word that no other format uses come before those recognised by shape. An envelope
// comes before a trial stream, because the lines of its tests look like trials.
var Formats = withLosses([]Format{
	{Name: Envelope, Family: Own, Doc: "report of tribunal itself, json or ndjson (" + envelope.Schema + ")",
		Sniff: envelopejson.Sniff, Read: envelopejson.Read, NamesRuns: true, Own: func([]byte, []byte) bool { return true }},
	trialStream,
	{Name: "junit", Family: Exchange, Doc: "JUnit XML of any runner, with the reruns of Surefire, nextest, Gradle, pytest, Playwright, Vitest, gdUnit4, gotestsum",
		Parts: junit.BazelTries, TryOf: junit.TryOf,
		Sniff: junit.Sniff, Read: junit.Read, Spare: junit.OfNoTest, Writer: junit.Writer, Again: junit.Again, Stamp: junit.Stamp, Own: startsWithin(`<property name="tribunal.schema" value="tribunal/`)},
	{Name: "go-test", Family: Runners, Doc: "go test -json, with -count and the reruns of gotestsum",
		Sniff: gotest.Sniff, Read: gotest.Read, HasPositions: true},
	{Name: "promptfoo", Family: Evals, Doc: "promptfoo results, JSON, JSONL, YAML, XML or CSV, with --repeat",
		Sniff: promptfoo.Sniff, Read: promptfoo.Read},
	{Name: "inspect", Family: Evals, Doc: "Inspect logs, .eval or .json, with epochs",
		Sniff: inspect.Sniff, ReadWith: func(r io.Reader, to envelope.Sink, o Options) error {
			return inspect.ReadWith(r, to, inspect.Options{Scorer: o.Scorer, At: o.At})
		}},
	{Name: "tau-bench", Family: Evals, Doc: "tau-bench results, a JSON array",
		Sniff: taubench.Sniff, Read: taubench.Read},
	{Name: "tau2-bench", Family: Evals, Doc: "tau2-bench results.json, and the folder of one with simulations/",
		Sniff: tau2.Sniff, ReadWith: readTau2, Parts: tau2.Parts, PartOf: tau2.PartOf, Folders: []string{tau2.Discarded}},
	{Name: "terminal-bench", Family: Evals, Doc: "Terminal-Bench results.json of a run or a trial",
		Sniff: flat.TerminalBench.Sniff, Read: flat.TerminalBench.Read, Repeats: flat.IsTerminalRun},
	{Name: "harbor", Family: Evals, Doc: "Harbor result.json of a trial or a job",
		Sniff: harbor.Sniff, Spare: harbor.Summarises, Folders: harbor.Folders, ReadWith: below(harbor.ReadIn)},
	{Name: "agentv", Family: Evals, Doc: "AgentV index.jsonl and summary.json",
		Sniff: agentv.Sniff, Spare: agentv.Summarises, Hidden: agentv.Internal, ReadWith: readAgentV},
	{Name: "playwright", Family: Runners, Doc: "Playwright JSON, with retries and projects",
		Sniff: playwright.Sniff, Read: playwright.Read},
	{Name: "cucumber", Family: Runners, Doc: "Cucumber Messages, with retries",
		Sniff: cucumber.Sniff, Read: cucumber.Read},
	{Name: "cucumber-json", Family: Runners, Doc: "Cucumber's older JSON, and behave's",
		Sniff: cucumberjson.Sniff, Read: cucumberjson.Read},
	{Name: "pytest-reportlog", Family: Runners, Doc: "pytest-reportlog, with reruns",
		Sniff: reportlog.Sniff, Read: reportlog.Read},
	{Name: "pytest-json-report", Family: Runners, Doc: "pytest-json-report; reruns are lost",
		Sniff: pytestjson.Sniff, Read: pytestjson.Read},
	{Name: "pytest-html", Family: Runners, Doc: "page of pytest-html, versions 2 to 4",
		Sniff: pytesthtml.Sniff, Read: pytesthtml.Read, Beside: []string{"junit", "pytest-json-report", "pytest-reportlog", "allure", "ctrf"}},
	{Name: "ctrf", Family: Exchange, Doc: "Common Test Report Format, with retries",
		Sniff: ctrf.Sniff, Read: ctrf.Read, Own: startsWithin(`"generatedBy":"tribunal"`)},
	{Name: "libtest", Family: Runners, Doc: "libtest JSON of Rust, and nextest's",
		Sniff: libtest.Sniff, Read: libtest.Read},
	{Name: "jest", Family: Runners, Doc: "Jest and Vitest JSON",
		Sniff: jest.Sniff, Read: jest.Read},
	{Name: "lm-eval", Family: Evals, Doc: "lm-eval samples",
		Sniff: lmeval.Sniff, ReadWith: func(r io.Reader, to envelope.Sink, o Options) error { return lmeval.ReadIn(r, to, o.Name, o.beside()) }},
	{Name: "openai-evals", Family: Evals, Doc: "event log of OpenAI evals",
		Sniff: oaieval.Sniff, Read: oaieval.Read},
	{Name: "openai-evals-api", Family: Evals, Doc: "output items of runs of OpenAI's Evals API: pages, or the items alone",
		Sniff: flat.OpenAIEvals.Sniff, Read: flat.OpenAIEvals.Read},
	{Name: "bfcl", Family: Evals, Doc: "score file of the Berkeley Function Calling Leaderboard with its result file",
		Sniff: bfcl.Sniff, ReadWith: func(r io.Reader, to envelope.Sink, o Options) error { return bfcl.ReadIn(r, to, o.beside()) }},
	{Name: "deepeval", Family: Evals, Doc: "DeepEval test runs: the latest, the full one and those of its results folder",
		Sniff: flat.DeepEval.Sniff, Read: flat.DeepEval.Read, Copies: true},
	{Name: "swe-bench", Family: Evals, Doc: "SWE-bench run report with the trajectories of SWE-agent or mini-swe-agent beside it, or report.json of an instance",
		Sniff: swebench.Sniff, Folders: swebench.Folders, ReadWith: below(swebench.ReadIn)},
	{Name: "webarena-verified", Family: Evals, Doc: "WebArena-Verified eval_result.json of a task",
		Sniff: flat.WebArena.Sniff, Read: flat.WebArena.Read},
	{Name: "gaia", Family: Evals, Doc: "answers to GAIA in the form of Open Deep Research, scored with is_correct",
		Sniff: flat.GAIA.Sniff, Read: flat.GAIA.Read},
	{Name: "openhands-index", Family: Evals, Doc: "instance_results of the OpenHands Index, of SWE-bench, SWT-bench, Commit0, GAIA and others",
		Sniff: flat.OpenHands.Sniff, Read: flat.OpenHands.Read},
	{Name: "mcptest", Family: Runners, Doc: "mcptest rows named `name #k`, and `mcptest run --json`",
		Sniff: mcptest.Sniff, Read: mcptest.Read},
	{Name: "cerberus", Family: Evals, Doc: "runs of cerberus, `.cerberus/runs/*.json`",
		Sniff: flat.Cerberus.Sniff, Read: flat.Cerberus.Read},
	{Name: "mocha", Family: Runners, Doc: "Mocha JSON and mochawesome, as Cypress writes them too, with retries",
		Sniff: mocha.Sniff, Read: mocha.Read},
	{Name: "jmeter", Family: Runners, Doc: "results of Apache JMeter, .jtl in CSV or XML, and of Taurus",
		Sniff: jmeter.Sniff, Read: jmeter.Read, Writer: jmeter.Writer, Again: jmeter.Again},
	{Name: "k6", Family: Runners, Doc: "k6 of Grafana: samples of --out json, or a summary of --summary-export or handleSummary",
		Sniff: k6.Sniff, Read: k6.Read},
	{Name: "newman", Family: Runners, Doc: "JSON of Newman, with iterations",
		Sniff: newman.Sniff, Read: newman.Read},
	{Name: "nightwatch", Family: Runners, Doc: "JSON of Nightwatch, tests_output/*.json; its JUnit is `junit`",
		Sniff: nightwatch.Sniff, Read: nightwatch.Read, Beside: []string{"junit"}},
	{Name: "trx", Family: Runners, Doc: "TRX of Visual Studio and dotnet test",
		Sniff: trx.Sniff, Read: trx.Read, Spare: trx.OfNoTest, Own: startsWithin(`runUser="tribunal`)},
	{Name: "nunit", Family: Runners, Doc: "NUnit 3 and NUnit 2 XML, as Unity and Pester write it too",
		Sniff: nunit.Sniff, Read: nunit.Read},
	{Name: "xunit", Family: Runners, Doc: "xUnit.net XML of v1, v2 and v3",
		Sniff: xunit.Sniff, Read: xunit.Read},
	{Name: "allure", Family: Exchange, Doc: "results folder of Allure 2 and 3, one of its result files, or the report that Allure generated",
		Sniff: allure.Sniff, Read: allure.Read, Own: startsWithin(`{"name":"framework","value":"tribunal"}`)},
	{Name: "allure1", Family: Exchange, Doc: "suites of Allure 1, NAME-testsuite.xml",
		Sniff: allure.SniffSuite, Read: allure.ReadSuite},
	{Name: "rspec", Family: Runners, Doc: "RSpec JSON",
		Sniff: rspec.Sniff, Read: rspec.Read},
	{Name: "robot", Family: Runners, Doc: "output.xml of Robot Framework 3 to 7",
		Sniff: robot.Sniff, Read: robot.Read},
	{Name: "gtest", Family: Runners, Doc: "GoogleTest JSON; its XML is `junit`",
		Sniff: gtest.Sniff, Read: gtest.Read},
	{Name: "ctest", Family: Runners, Doc: "Test.xml of CTest; what --output-junit writes is `junit`",
		Sniff: ctest.Sniff, Read: ctest.Read},
	{Name: "meson", Family: Runners, Doc: "testlog.json of Meson, which says more than its JUnit",
		Sniff: flat.Meson.Sniff, Read: flat.Meson.Read},
	{Name: "catch2", Family: Runners, Doc: "Catch2 XML of versions 2 and 3; its JUnit is `junit`",
		Sniff: catch2.Sniff, Read: catch2.Read},
	{Name: "dart", Family: Runners, Doc: "JSON of the test runner of Dart and Flutter",
		Sniff: dart.Sniff, Read: dart.Read},
	{Name: "bazel-bep", Family: Runners, Doc: "Build Event Protocol of Bazel, --build_event_json_file",
		Sniff: bep.Sniff, Read: bep.Read},
	{Name: "karate", Family: Runners, Doc: "results of a feature of Karate, karate-reports/*.karate-json.txt",
		Sniff: karate.Sniff, Read: karate.Read, Beside: []string{"junit", "cucumber-json"}},
	{Name: "serenity", Family: Runners, Doc: "outcomes of tests of Serenity BDD and Serenity/JS, target/site/serenity/*.json",
		Sniff: serenity.Sniff, Read: serenity.Read, Beside: []string{"surefire", "cucumber-json", "cucumber"}},
	{Name: "playwright-blob", Family: Runners, Doc: "Playwright blob report of a shard, report.zip or the events in it",
		Sniff: playwright.SniffBlob, Read: playwright.ReadBlob},
	{Name: "playwright-html", Family: Runners, Doc: "HTML report of Playwright, index.html, which it writes by default",
		Sniff: playwright.SniffHTML, Read: playwright.ReadHTML},
	{Name: "every-eval-ever", Family: Evals, Doc: "samples of Every Eval Ever, *_samples.jsonl",
		Sniff: flat.EveryEvalEver.Sniff, Read: flat.EveryEvalEver.Read},
	{Name: "helm", Family: Evals, Doc: "HELM per_instance_stats.json",
		Sniff: flat.HELM.Sniff, Read: flat.HELM.Read},
	{Name: "evalplus", Family: Evals, Doc: "EvalPlus eval_results.json of HumanEval+ and MBPP+",
		Sniff: flat.EvalPlus.Sniff, Read: flat.EvalPlus.Read},
	{Name: "garak", Family: Evals, Doc: "report of garak, garak.*.report.jsonl: which attacks a model withstood",
		Sniff: garak.Sniff, Read: garak.Read},
	{Name: "livecodebench", Family: Evals, Doc: "LiveCodeBench *_eval_all.json, with n samples per problem",
		Sniff: flat.LiveCodeBench.Sniff, Read: flat.LiveCodeBench.Read},
	{Name: "xcresult", Family: Runners, Doc: "tests of Xcode, as xcrun xcresulttool get test-results tests prints them",
		Sniff: xcresult.Sniff, Read: xcresult.Read},
	{Name: "test-unit", Family: Runners, Doc: "XML of Ruby's test-unit, --runner=xml; what minitest-reporters writes is `junit`",
		Sniff: testunit.Sniff, Read: testunit.Read},
	{Name: "sonar", Family: Exchange, Doc: "generic test execution XML of SonarQube, as jest-sonar-reporter and others write it",
		Sniff: sonar.Sniff, Read: sonar.Read},
	{Name: "testng", Family: Runners, Doc: "testng-results.xml of TestNG; its JUnit files are `junit`",
		Sniff: testng.Sniff, Read: testng.Read, Again: testng.Again},
	{Name: "otlp", Family: Exchange, Doc: "traces of OpenTelemetry in OTLP/JSON: of tests (`test.case.name`), or of agents and models (`gen_ai.*`), each a trial",
		Sniff: otlp.Sniff, Read: otlp.Read, Own: startsWithin(`"key":"telemetry.distro.name","value":{"stringValue":"tribunal"}`)},
	{Name: "teamcity", Family: Exchange, Doc: "log with TeamCity's service messages of tests, as PHPUnit --teamcity and the reporters of many runners write them",
		Sniff: teamcity.Sniff, Read: teamcity.Read, Own: teamcity.Own},
	{Name: "tap", Family: Exchange, Doc: "Test Anything Protocol 13 and 14, and KTAP of the Linux kernel",
		Sniff: tap.Sniff, Read: tap.Read, Own: endsAsOurTAP},
})

// losses has a line per format: name, Kept and Lost.
//
//go:embed losses.tsv
var losses string

// withLosses sets Kept and Lost of each format, and Read where there is only ReadWith.
func withLosses(formats []Format) []Format {
	for line := range strings.Lines(losses) {
		name, texts, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		at := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
		f := &formats[at]
		if f.Kept, f.Lost, _ = strings.Cut(texts, "\t"); f.Read == nil {
			with := f.ReadWith
			f.Read = func(r io.Reader, to envelope.Sink) error { return with(r, to, Options{}) }
		}
	}
	return formats
}

// Options are choices for the formats that have any.
type Options struct {
	As     *Format // the format to read as; nil detects it
	Others *Format // the format of all inputs except our envelopes; nil detects it
	Scorer string  // which of several scores decides
	// Roots are the paths of the repository on the machines that ran the tests, see
	// [Roots]. Names in our own formats do not change.
	Roots []string
	// Neighbours are the files around an input, nil when it has none.
	Neighbours Neighbours
	// Below opens a file that a trial names, decompressed. The path is relative to the
	// folder of the input and cannot leave it. It is nil if there is no folder.
	Below func(path string) (io.ReadCloser, error)
	// Above is Below for an input in a hidden folder ([Format.Hidden]), with paths from
	// the folder of the run. It is nil for all others.
	Above func(path string) (io.ReadCloser, error)
	// Labels are given to all trials of the input, see [count.Input.Label].
	Labels []envelope.Label
	// Name is the name of the input, set by StreamAs.
	Name string
	// At is the input, not decompressed, if it is a file that allows random access. It
	// may be nil.
	At io.ReaderAt
}

// Neighbours are the files around an input. Paths are relative to its folder, with
// slashes.
type Neighbours interface {
	// Name returns the name of a neighbour for reports.
	Name(path string) string
	// Open opens a neighbour, decompressed.
	Open(path string) (io.ReadCloser, error)
	// Counted reports whether a neighbour was read before and had a trial.
	Counted(path string) bool
	// CountedIn reports the same for any file of a folder.
	CountedIn(folder string) bool
	// Parts reports whether files of this folder are read as [Format.Parts].
	Parts(folder string) bool
}

// below reads a format whose trials name files below the folder of the input.
func below[F ~func(path string) (io.ReadCloser, error)](read func(io.Reader, envelope.Sink, F) error) func(io.Reader, envelope.Sink, Options) error {
	return func(r io.Reader, to envelope.Sink, o Options) error { return read(r, to, o.Below) }
}

// beside opens files in the folder of the input. It is nil if there is none.
func (o Options) beside() func(path string) (io.ReadCloser, error) {
	if o.Neighbours == nil {
		return nil
	}
	return o.Neighbours.Open
}

func readAgentV(r io.Reader, to envelope.Sink, o Options) error {
	if o.Above != nil {
		return agentv.ReadIn(r, to, o.Above)
	}
	return agentv.ReadIn(r, to, o.Below)
}

func readTau2(r io.Reader, to envelope.Sink, o Options) error {
	folder := tau2.Folder{}
	if n := o.Neighbours; n != nil {
		folder.Results = func() (io.ReadCloser, error) { return n.Open(tau2.Whole) }
		if n.Parts(tau2.Parts) {
			folder.Counted, folder.Any = n.Counted, func() bool { return n.CountedIn(tau2.Parts) }
		}
	}
	return tau2.ReadIn(r, to, folder)
}

// Mapped is the format of records that a mapping of the user reads (see package
// read/mapped). The mapping is fields with paths, or @NAME of one from the configuration
// or for a platform. It is not in Formats, because no content identifies it.
func Mapped(spec, records string, own map[string]mapped.Named) (Format, error) {
	m, err := mapped.ParseWith(spec, records, own)
	return Format{Name: "mapped", Doc: "records read by a mapping", ReadWith: func(r io.Reader, to envelope.Sink, o Options) error {
		m.Scorer = o.Scorer
		return m.Read(r, to)
	}}, err
}

// byName is the format of records whose field names leave no doubt what they are. Known
// formats are detected before.
func byName(head []byte, whole bool) (Format, bool) {
	g, are := mapped.GuessBy(head, whole)
	if !are || !g.Certain {
		return Format{}, false
	}
	m, err := g.Mapping()
	severity, says := envelope.SeverityInfo, g.String()
	if g.Lone {
		severity, says = envelope.SeverityWarning, "one object alone, "+says+"; if it is no trial, leave it out"
	}
	return Format{Name: "mapped", Doc: "records read by the names of their fields", Read: func(r io.Reader, to envelope.Sink) error {
		to.Problem(envelope.Problem{Severity: severity, Code: envelope.CodeByName, Line: 1, Message: says})
		return m.Read(r, to)
	}}, err == nil
}

const byteOrderMark = "\uFEFF"

// Detect finds the format of an input by its first bytes. An empty or blank input is a
// trial stream without trials.
func Detect(head []byte) (Format, bool) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if len(bytes.TrimSpace(head)) == 0 {
		return trialStream, true
	}
	if isTar(head) {
		return Format{}, false
	}
	for _, f := range Formats {
		if f.Sniff(head) {
			return f, true
		}
	}
	return Format{}, false
}

// ByName finds a format by its name. The error suggests similar names, or lists all.
func ByName(name string) (Format, error) {
	return suggest.Find("input format", words.Head(name, 60), Formats, nameOf)
}

// Names are the names of the formats in the order of the table.
func Names() []string { return each.Of(Formats, nameOf) }

func nameOf(f Format) string { return f.Name }
