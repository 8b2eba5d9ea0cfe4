// Package read is the door for everything that comes in: a table of input
// formats, sniffing, and decompression.
//
// It exists so that a new format is one folder and one row: help, errors,
// --from and tests are made from the table. A reader knows its format and
// envelope.Sink and nothing else. It leaves out files, globs and progress,
// which belong to package command, and what trials mean, which belongs to
// package envelope.
package read

import (
	"bytes"
	"io"

	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/read/agentv"
	"tribunal/read/allure"
	"tribunal/read/bep"
	"tribunal/read/bfcl"
	"tribunal/read/catch2"
	"tribunal/read/cerberus"
	"tribunal/read/ctest"
	"tribunal/read/ctrf"
	"tribunal/read/cucumber"
	"tribunal/read/cucumberjson"
	"tribunal/read/dart"
	"tribunal/read/deepeval"
	envelopejson "tribunal/read/envelope"
	"tribunal/read/evalplus"
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
	"tribunal/read/livecodebench"
	"tribunal/read/lmeval"
	"tribunal/read/mapped"
	"tribunal/read/mcptest"
	"tribunal/read/mocha"
	"tribunal/read/native"
	"tribunal/read/newman"
	"tribunal/read/nightwatch"
	"tribunal/read/nunit"
	"tribunal/read/oaiapi"
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
	"tribunal/read/terminalbench"
	"tribunal/read/testng"
	"tribunal/read/testunit"
	"tribunal/read/trx"
	"tribunal/read/xcresult"
	"tribunal/read/xunit"
)

// Format is one input format.
type Format struct {
	Name string // for --from
	Doc  string // one line for people
	// Family is what kind of program writes the format, one of [Families].
	Family string
	Kept   string // what of the format's data becomes part of a trial
	Lost   string // what does not, or what to know
	// Sniff reports whether an input that starts with head is of this format. Head
	// may be cut anywhere.
	Sniff func(head []byte) bool
	// Read puts what it finds into the sink, problems with their places
	// included. Its error is that of r and nothing else.
	Read func(r io.Reader, to envelope.Sink) error
	// NamesRuns says that the format has runs of its own. An input of any other
	// format is one run, named after the input.
	NamesRuns bool
	// Spare, where a format has such files, reports whether an input has no trials but
	// those of others: it lists some that have files of their own, or has none.
	Spare func(head []byte) bool
	// Writer, where several programs write the format, is which of them wrote an input,
	// by its name and its first bytes, "" for most. That of any other format is its name.
	Writer func(name string, head []byte) string
	// Again, where a program writes a run several times, is the writer whose reports
	// have the trials of those that this writer wrote, and the path from them to its
	// folder; "" where there is none.
	Again func(writer string) (by, folder string)
	// Stamp, where a report says when it was made and its trials do not, is how many digits
	// of a clock say so, by its first bytes.
	Stamp func(head []byte) int
	// Beside are the formats beside which an input that is found in a directory does not
	// count, but for our reports: its runner mostly leaves the same trials in one of them, by
	// other names.
	Beside []string
	// Own, where we write the format as well, reports whether an input is a report
	// of ours by its first and last bytes.
	Own func(head, tail []byte) bool
	// Repeats, where a format has such files, reports whether an input holds trials
	// that may have files of their own: then it is no news that they come twice.
	Repeats func(head []byte) bool
	// Copies says that the runner writes a run into several files which do not say of
	// which run they are: an input with the trials of another is warned of.
	Copies bool
	// Folders are the folders beside an input that hold what its trials left
	// behind: nothing in them is a trial of the run.
	Folders []string
	// Hidden is the folder in that of a run in which the runner keeps its results though
	// the name starts with a dot, "" when the format has none.
	Hidden string
	// Parts is the folder beside an input with files of its single trials, "" when the
	// format has none. They are read before the input, which learns by
	// [Neighbours] what they held.
	Parts string
	// PartOf, where there are such files, is the path from one to the input it
	// belongs to, and "" of any other. They are of the same run.
	PartOf func(head []byte) string
	// TryOf, where a runner writes every try of a run into a file of its own below the
	// folder Parts, tells such a file by its name: the number of the try, 0-based, and
	// the path from it to the file of the last one.
	TryOf func(name string) (try int32, last string, is bool)
	// TellsPlaces says that an error of Read is a *position.Error: nobody needs to
	// count lines beside it.
	TellsPlaces bool
	// With is Read under options, for a format that has any.
	With func(Options) func(r io.Reader, to envelope.Sink) error
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

// Envelope is the format of our own reports. Its inputs may be named twice:
// merging an envelope with itself changes nothing.
const Envelope = "envelope"

// trialStream is what an input without anything in it is read as.
var trialStream = Format{Name: "native", Family: Own, Doc: "trial stream, one JSON object a line (" + envelope.TrialSchema + ")",
	Kept: "everything", Lost: "texts of trials beyond `--keep-details` and `--keep-transcripts`",
	Sniff: native.Sniff, Read: native.Read, NamesRuns: true, TellsPlaces: true, With: below(native.ReadIn)}

// Formats are the input formats in the order they are sniffed: what is told by
// a word nobody else uses comes before what is told by its shape. An envelope
// comes before a trial stream, for the lines of its tests look like trials.
var Formats = []Format{
	{Name: Envelope, Family: Own, Doc: "report of tribunal itself, json or ndjson (" + envelope.Schema + ")",
		Kept: "everything", Lost: "nothing; derived numbers are computed again, differences reported",
		Sniff: envelopejson.Sniff, Read: envelopejson.Read, NamesRuns: true, Own: func([]byte, []byte) bool { return true }},
	trialStream,
	{Name: "junit", Family: Exchange, Doc: "JUnit XML of any runner, with the reruns of Surefire, nextest, Gradle, pytest, Playwright, Vitest, gdUnit4, gotestsum",
		Kept: "reruns of Surefire, nextest, Gradle, pytest, Playwright, Vitest, gdUnit4, gotestsum, Flank as retries; repeats as attempts; testcases without a name as `(unnamed N)`; in a folder `testlogs` of Bazel the files of attempts as retries, those of runs as repeats; our own reports with all their trials", Lost: "times of single tries where the runner adds them up; texts of passing trials; risky tests of PHPUnit 9 are errors and those with warnings pass, with a warning each: its file does not say whether `failOnRisky` and `failOnWarning` made its run fail for them",
		Parts: junit.BazelTries, TryOf: junit.TryOf,
		Sniff: junit.Sniff, Read: junit.Read, Spare: junit.OfNoTest, Writer: junit.Writer, Again: junit.Again, Stamp: junit.Stamp, Own: startsWithin(`<property name="tribunal.schema" value="tribunal/`)},
	{Name: "go-test", Family: Runners, Doc: "go test -json, with -count and the reruns of gotestsum",
		Kept: "`-count`, gotestsum reruns, hung tests, tests in which the process died as errors of class `crash`, build and package failures, attributes as cost, score, labels", Lost: "benchmarks; cached results are marked; packages without tests are counted in a note",
		Sniff: gotest.Sniff, Read: gotest.Read, TellsPlaces: true},
	{Name: "promptfoo", Family: Evals, Doc: "promptfoo results, JSON, JSONL, YAML, XML or CSV, with --repeat",
		Kept: "repeats, score, cost, tokens, variant by provider and prompt; attacks by their strategy; of test cases with one description the first of the configuration has it alone as its name, others with their vars; of CSV scores to two digits and named scores", Lost: "attempt numbers are by order; JSONL has rows as they were before `select-best` and `max-score` compared them; CSV has no times, costs, tokens and prompts, and newer ones do not say why there was no answer; errors that only a service or the way to it makes (rates, quotas, keys, connections that break, 5xx but an agent's 500) are left out, all others count; YAML over 64 MiB, or 8 MiB where its rows are not in the blocks that promptfoo writes",
		Sniff: promptfoo.Sniff, Read: promptfoo.Read},
	{Name: "inspect", Family: Evals, Doc: "Inspect logs, .eval or .json, with epochs",
		Kept: "epochs, scores, limits, tokens, cost; `--scorer NAME` chooses among several; samples that were invalidated are errors of class `pre-validation`; of scores above 1, or of a scorer whose mean is, `--score-threshold` says which passes; a log that is there twice, or with what was retried of it, counts once", Lost: "reductions; archives over 256 MiB",
		Sniff: inspect.Sniff, Read: inspect.Read, With: inspectWith},
	{Name: "tau-bench", Family: Evals, Doc: "tau-bench results, a JSON array",
		Kept: "reward and what it was made of, tool calls, attempt, conversation", Lost: "suite and model are only in its file name",
		Sniff: taubench.Sniff, Read: taubench.Read},
	{Name: "tau2-bench", Family: Evals, Doc: "tau2-bench results.json, and the folder of one with simulations/",
		Kept: "reward, cost, duration, attempt, tokens and tool calls, conversation; a folder is one run: the files of simulations/ take domain and model from results.json, which counts for those that give no trial", Lost: "runs discarded in hallucination_discarded/",
		Sniff: tau2.Sniff, Read: tau2.Read, With: tau2With, Parts: tau2.Parts, PartOf: tau2.PartOf, Folders: []string{tau2.Discarded}},
	{Name: "terminal-bench", Family: Evals, Doc: "Terminal-Bench results.json of a run or a trial",
		Kept: "attempts, timeouts (also on a pass), tokens", Lost: "null verdicts are errors, which count unless the agent could not be installed; the file of a job and those of its trials are the same trials",
		Sniff: terminalbench.Sniff, Read: terminalbench.Read, Repeats: terminalbench.Repeats},
	{Name: "harbor", Family: Evals, Doc: "Harbor result.json of a trial or a job",
		Kept: "reward, exceptions, cost, tokens", Lost: "a job file has its trials as statistics only; the tests of a verifier are not those of the run; of several rewards of which none is called `reward`, which decides: a trial passes where all are 1, with a warning",
		Sniff: harbor.Sniff, Read: harbor.Read, Spare: harbor.Summarises, Folders: harbor.Folders, With: below(harbor.ReadIn)},
	{Name: "agentv", Family: Evals, Doc: "AgentV index.jsonl and summary.json",
		Kept: "samples of version 5 with their conversations, also where a folder is named, and legacy attempts", Lost: "rows of 4.42 are aggregated: one trial, labelled",
		Sniff: agentv.Sniff, Read: agentv.Read, Spare: agentv.Summarises, Hidden: agentv.Internal, With: agentvWith},
	{Name: "playwright", Family: Runners, Doc: "Playwright JSON, with retries and projects",
		Kept: "every try, project as variant, files and lines", Lost: "nothing",
		Sniff: playwright.Sniff, Read: playwright.Read},
	{Name: "cucumber", Family: Runners, Doc: "Cucumber Messages, with retries",
		Kept: "attempts, retries, scenarios in which the process died as errors of class `crash`", Lost: "nothing",
		Sniff: cucumber.Sniff, Read: cucumber.Read},
	{Name: "cucumber-json", Family: Runners, Doc: "Cucumber's older JSON, and behave's",
		Kept: "scenarios, retries of behave", Lost: "retries of Cucumber, and whether its run was strict: a pending scenario is an error of class `pre-validation`, as cucumber-js and cucumber-jvm fail for it, and `cucumber` says what the run made of it",
		Sniff: cucumberjson.Sniff, Read: cucumberjson.Read},
	{Name: "pytest-reportlog", Family: Runners, Doc: "pytest-reportlog, with reruns",
		Kept: "reruns, phases, properties; a failed subtest fails its test", Lost: "time stamps are not in the file",
		Sniff: reportlog.Sniff, Read: reportlog.Read},
	{Name: "pytest-json-report", Family: Runners, Doc: "pytest-json-report; reruns are lost",
		Kept: "outcomes, phases", Lost: "reruns",
		Sniff: pytestjson.Sniff, Read: pytestjson.Read},
	{Name: "pytest-html", Family: Runners, Doc: "page of pytest-html, versions 2 to 4",
		Kept: "outcomes, reruns as retries, times, logs; a run that did not end as an error", Lost: "when tests began, what was attached, columns that hooks add; times are as the page shows them; pages over 256 MiB",
		Sniff: pytesthtml.Sniff, Read: pytesthtml.Read, Beside: []string{"junit", "pytest-json-report", "pytest-reportlog", "allure", "ctrf"}},
	{Name: "ctrf", Family: Exchange, Doc: "Common Test Report Format, with retries",
		Kept: "retry attempts; units are repaired; our own reports whole", Lost: "what is not in the file",
		Sniff: ctrf.Sniff, Read: ctrf.Read, Own: startsWithin(`"generatedBy":"tribunal"`)},
	{Name: "libtest", Family: Runners, Doc: "libtest JSON of Rust, and nextest's",
		Kept: "outcomes, stress runs, tests in which the process died as errors of class `crash`", Lost: "tries before the last",
		Sniff: libtest.Sniff, Read: libtest.Read},
	{Name: "jest", Family: Runners, Doc: "Jest and Vitest JSON",
		Kept: "failed tries before the last", Lost: "their times",
		Sniff: jest.Sniff, Read: jest.Read},
	{Name: "lm-eval", Family: Evals, Doc: "lm-eval samples",
		Kept: "scores, filters as variants; a test is a `doc_id` with the beginnings of `doc_hash` and `target_hash`", Lost: "several responses share one score; what passes of a metric of which less is better, as the `results_*.json` beside it says, or which is above 1: such a row is not scored; task and model are only in its file name, so runs of two models, and two tasks that ask the same of the same documents, are read apart or pooled",
		Sniff: lmeval.Sniff, Read: lmeval.Read, With: lmevalWith},
	{Name: "openai-evals", Family: Evals, Doc: "event log of OpenAI evals",
		Kept: "matches, or metrics where there is no match; errors", Lost: "durations",
		Sniff: oaieval.Sniff, Read: oaieval.Read},
	{Name: "openai-evals-api", Family: Evals, Doc: "output items of runs of OpenAI's Evals API: pages, or the items alone",
		Kept: "status, graders as checks, tokens, conversation, model as variant; a row of the data source again as an attempt", Lost: "a test is `item N`, by the number of its row; durations; pages that are not there, of which the one before warns",
		Sniff: oaiapi.Sniff, Read: oaiapi.Read},
	{Name: "bfcl", Family: Evals, Doc: "score file of the Berkeley Function Calling Leaderboard with its result file",
		Kept: "category as suite, model as variant, durations, tokens, calls, why a test failed; the result file is taken from its place in result/, or from behind the score file in the same input", Lost: "a score file without its result file is refused, unless no test passed: it does not say which did",
		Sniff: bfcl.Sniff, Read: bfcl.Read, With: bfclWith},
	{Name: "deepeval", Family: Evals, Doc: "DeepEval test runs: the latest, the full one and those of its results folder",
		Kept: "metrics, cost, duration; a metric that could not be measured makes an error of its test case where no other failed, and an empty answer fails", Lost: "one trial a file; a run is in several files, and of two with the same trials the second is warned of",
		Sniff: deepeval.Sniff, Read: deepeval.Read, Copies: true},
	{Name: "swe-bench", Family: Evals, Doc: "SWE-bench run report with the trajectories of SWE-agent or mini-swe-agent beside it, or report.json of an instance",
		Kept: "resolved, unresolved, errors; of `ID/ID.traj`, `ID/ID.traj.json` or `ID.traj` in the folder of the run report, or below `--root`, the conversation, cost, tokens and the agent's exit status; of report.json the tests that decide as checks", Lost: "one trial a file; durations; model and run are only in file names; a trajectory alone has no verdict; a run report and the report.json of its instances, both named, count twice: in a folder those in `logs` and `run_evaluation` beside the run report are passed over",
		Sniff: swebench.Sniff, Read: swebench.Read, Folders: swebench.Folders, With: below(swebench.ReadIn)},
	{Name: "webarena-verified", Family: Evals, Doc: "WebArena-Verified eval_result.json of a task",
		Kept: "status, score, evaluators as checks with the assertions that did not hold, sites as suite", Lost: "one trial a file; durations; the model is only in folder names; the original WebArena says who passed in a log for people alone",
		Sniff: flat.WebArena.Sniff, Read: flat.WebArena.Read},
	{Name: "gaia", Family: Evals, Doc: "answers to GAIA in the form of Open Deep Research, scored with is_correct",
		Kept: "is_correct, near misses as a check, errors of the agent, durations, tokens, levels as labels, model as variant", Lost: "the steps of the agent, of which each version has a form of its own; answers that nobody scored are errors of class `pre-validation`, and what is handed in to the leaderboard has no verdict",
		Sniff: flat.GAIA.Sniff, Read: flat.GAIA.Read},
	{Name: "openhands-index", Family: Evals, Doc: "instance_results of the OpenHands Index, of SWE-bench, SWT-bench, Commit0, GAIA and others",
		Kept: "resolved or not, cost", Lost: "one trial a file; why an instance was not resolved, also where it broke; model and benchmark are only in names of folder and file, and SWE-bench and SWT-bench have the same instances: name one of them",
		Sniff: flat.OpenHands.Sniff, Read: flat.OpenHands.Read},
	{Name: "mcptest", Family: Runners, Doc: "mcptest rows named `name #k`, and `mcptest run --json`",
		Kept: "attempts, variant in brackets", Lost: "",
		Sniff: mcptest.Sniff, Read: mcptest.Read},
	{Name: "cerberus", Family: Evals, Doc: "runs of cerberus, `.cerberus/runs/*.json`",
		Kept: "studies as suites, contracts as tests; their trials, made of counts; a study that was aborted as errors of class `max-error-rate`", Lost: "the order of trials, which is not in it: sequential rules see passes and failures spread evenly; durations; a contract that gates nothing there has the label `gating=false`",
		Sniff: cerberus.Sniff, Read: cerberus.Read},
	{Name: "mocha", Family: Runners, Doc: "Mocha JSON and mochawesome, as Cypress writes them too, with retries",
		Kept: "`currentRetry` as failed tries before the last, hooks that failed as errors, timeouts, files", Lost: "times and reasons of failed tries before the last; mochawesome does not say that there were any",
		Sniff: mocha.Sniff, Read: mocha.Read},
	{Name: "jmeter", Family: Runners, Doc: "results of Apache JMeter, .jtl in CSV or XML, and of Taurus",
		Kept: "labels as tests and thread groups as suites, times, codes and messages; of XML assertions and embedded samples as checks; a request without an answer as an error; error.jtl of Taurus beside its kpi.jtl is passed over", Lost: "a transaction whose samples are in the file, unless it failed alone; sizes, latencies, variables, threads of what passed; CSV without a header is not read; times that are no milliseconds have no zone",
		Sniff: jmeter.Sniff, Read: jmeter.Read, Writer: jmeter.Writer, Again: jmeter.Again},
	{Name: "k6", Family: Runners, Doc: "k6 of Grafana: samples of --out json, or a summary of --summary-export or handleSummary",
		Kept: "checks as tests and their groups as suites, each sample a trial with its time; of a summary trials made of its counts, and each threshold as a test", Lost: "samples do not say whether thresholds were kept, nor does the summary for machines: heed the exit code of k6; all other metrics",
		Sniff: k6.Sniff, Read: k6.Read},
	{Name: "newman", Family: Runners, Doc: "JSON of Newman, with iterations",
		Kept: "a request is a test, with its folders as suite and its assertions as checks; iterations as attempts, response times, requests that were not answered and scripts that broke as errors", Lost: "what was sent and answered",
		Sniff: newman.Sniff, Read: newman.Read},
	{Name: "nightwatch", Family: Runners, Doc: "JSON of Nightwatch, tests_output/*.json; its JUnit is `junit`",
		Kept: "modules as suites, assertions as checks, times, environments as variants, tries before the last as retries, what failed around the tests as an error", Lost: "times and reasons of tries before the last, commands; minimal_report.json has no tests",
		Sniff: nightwatch.Sniff, Read: nightwatch.Read, Beside: []string{"junit"}},
	{Name: "trx", Family: Runners, Doc: "TRX of Visual Studio and dotnet test",
		Kept: "classes as suites, rows of data as tests, repeats as attempts, times, outputs; a run that was aborted, or that failed though none of its results did, as an error", Lost: "attached files; a retry that Microsoft writes into a file of its own is a trial of that file",
		Sniff: trx.Sniff, Read: trx.Read, Spare: trx.OfNoTest, Own: startsWithin(`runUser="tribunal`)},
	{Name: "nunit", Family: Runners, Doc: "NUnit 3 and NUnit 2 XML, as Unity and Pester write it too",
		Kept: "classes as suites, times, outputs, properties as cost, score, labels; an inconclusive test as skipped", Lost: "runs of Repeat and Retry before the last, which NUnit does not write; attached files",
		Sniff: nunit.Sniff, Read: nunit.Read},
	{Name: "xunit", Family: Runners, Doc: "xUnit.net XML of v1, v2 and v3",
		Kept: "types as suites, files and lines of v3, times, outputs, traits as labels, failed clean-ups as errors", Lost: "attached files",
		Sniff: xunit.Sniff, Read: xunit.Read},
	{Name: "allure", Family: Exchange, Doc: "results folder of Allure 2 and 3, one of its result files, or the report that Allure generated",
		Kept: "tries by historyId, also under titles of their own: as retries where each began after a failed one had ended and another test has fewer, else as repeats; times, parameters, labels; a fixture that failed though its tests did not as an error; a folder is one run; of a generated report data/test-cases (Allure 2) or data/test-results (3), with the tries it hides", Lost: "steps, other fixtures, what attachments hold",
		Sniff: allure.Sniff, Read: allure.Read, Own: startsWithin(`{"name":"framework","value":"tribunal"}`)},
	{Name: "allure1", Family: Exchange, Doc: "suites of Allure 1, NAME-testsuite.xml",
		Kept: "class as suite, below suite and test of TestNG; arguments, times, labels, titles as one; tests of one name as attempts, as retries where TestNG tried again, or where they have one `historyId`, each began after a failed one had ended and another test has fewer; runs of `invocationCount` as attempts; canceled and pending as skipped", Lost: "other retries, of which Allure 1 does not say that they are any: all tries have to pass; that a set-up failed where its adaptor only cancels the tests; steps, what attachments hold. Files of a run before are in the folder until somebody empties it",
		Sniff: allure.SniffSuite, Read: allure.ReadSuite},
	{Name: "rspec", Family: Runners, Doc: "RSpec JSON",
		Kept: "files and lines, pending examples as skipped, files that do not load as an error", Lost: "tries of rspec-retry before the last",
		Sniff: rspec.Sniff, Read: rspec.Read},
	{Name: "robot", Family: Runners, Doc: "output.xml of Robot Framework 3 to 7",
		Kept: "long names of suites, files and lines, tags, timeouts, failed set-ups of suites as errors, failed teardowns as failures of the tests in them, messages of what failed", Lost: "keywords; when tests began, for the times have no zone",
		Sniff: robot.Sniff, Read: robot.Read},
	{Name: "gtest", Family: Runners, Doc: "GoogleTest JSON; its XML is `junit`",
		Kept: "files and lines, parameters, disabled and skipped tests, RecordProperty as cost, score, labels", Lost: "rounds of --gtest_repeat before the last, which are written over",
		Sniff: gtest.Sniff, Read: gtest.Read},
	{Name: "ctest", Family: Runners, Doc: "Test.xml of CTest; what --output-junit writes is `junit`",
		Kept: "folders as suites, timeouts, crashes, missing programs as errors, disabled tests", Lost: "tries of --repeat before the last; compressed outputs",
		Sniff: ctest.Sniff, Read: ctest.Read},
	{Name: "meson", Family: Runners, Doc: "testlog.json of Meson, which says more than its JUnit",
		Kept: "suites, times, outputs, tests that took too long, that passed though they were to fail, and whose output broke off, as Meson counts them", Lost: "points of TAP in a program, which its JUnit has: name one of the two",
		Sniff: flat.Meson.Sniff, Read: flat.Meson.Read},
	{Name: "catch2", Family: Runners, Doc: "Catch2 XML of versions 2 and 3; its JUnit is `junit`",
		Kept: "files and lines, tags, failed assertions with their sections, a test in which the program ended as an error of class `crash`", Lost: "sections as tests of their own",
		Sniff: catch2.Sniff, Read: catch2.Read},
	{Name: "dart", Family: Runners, Doc: "JSON of the test runner of Dart and Flutter",
		Kept: "tries, which the runner prints, as retries; files and lines, timeouts, files that do not load as errors", Lost: "when a run began",
		Sniff: dart.Sniff, Read: dart.Read},
	{Name: "bazel-bep", Family: Runners, Doc: "Build Event Protocol of Bazel, --build_event_json_file",
		Kept: "targets as tests, attempts as retries, runs as repeats, shards, configurations as variants, logs as attachments, targets that were not built or run as errors", Lost: "the cases in a target, which `test.xml` has: `junit`",
		Sniff: bep.Sniff, Read: bep.Read},
	{Name: "karate", Family: Runners, Doc: "results of a feature of Karate, karate-reports/*.karate-json.txt",
		Kept: "scenarios, rows of outlines, steps as checks, times, lines, tags", Lost: "what called features did, what was sent and answered; karate-summary-json.txt has sums alone and is not read; under JUnit 5 the files of Surefire or Gradle have the scenarios as well; karate-reports_N, which Karate keeps of runs before, count where a folder above them is named",
		Sniff: karate.Sniff, Read: karate.Read, Beside: []string{"junit", "cucumber-json"}},
	{Name: "serenity", Family: Runners, Doc: "outcomes of tests of Serenity BDD and Serenity/JS, target/site/serenity/*.json",
		Kept: "classes or features as suites, rows of tables as tests, steps as checks, retries as retries, times, tags; a compromised test is an error, which counts", Lost: "tries before the last of a test that failed each time; screenshots, what was sent and answered; the files of Thucydides; a step of Cucumber that nobody wrote is an error of class `pre-validation`, as it fails the run; SERENITY-JUNIT-*.xml beside these files are passed over",
		Sniff: serenity.Sniff, Read: serenity.Read, Beside: []string{"surefire", "cucumber-json", "cucumber"}},
	{Name: "playwright-blob", Family: Runners, Doc: "Playwright blob report of a shard, report.zip or the events in it",
		Kept: "as playwright: every try, project as variant, the shard as the run; tests that did not end as errors", Lost: "what was attached, but for its names; archives over 256 MiB",
		Sniff: playwright.SniffBlob, Read: playwright.ReadBlob},
	{Name: "playwright-html", Family: Runners, Doc: "HTML report of Playwright, index.html, which it writes by default",
		Kept: "as playwright: every try, project as variant, errors outside of tests", Lost: "steps; pages over 341 MiB",
		Sniff: playwright.SniffHTML, Read: playwright.ReadHTML},
	{Name: "every-eval-ever", Family: Evals, Doc: "samples of Every Eval Ever, *_samples.jsonl",
		Kept: "scores, what is correct, errors, tokens, durations, tool calls, conversation; the model as variant", Lost: "how answers were found",
		Sniff: flat.EveryEvalEver.Sniff, Read: flat.EveryEvalEver.Read},
	{Name: "helm", Family: Evals, Doc: "HELM per_instance_stats.json",
		Kept: "the first metric of which 1 is right as the score, tokens, durations, perturbations as variants, train trials as attempts", Lost: "scenario and model are only in the name of its folder; other metrics",
		Sniff: flat.HELM.Sniff, Read: flat.HELM.Read},
	{Name: "evalplus", Family: Evals, Doc: "EvalPlus eval_results.json of HumanEval+ and MBPP+",
		Kept: "samples as attempts; the tests of the dataset and those that EvalPlus added as checks, both of which decide; timeouts; solutions that failed", Lost: "model and temperature are only in the name of the file or its folder",
		Sniff: evalplus.Sniff, Read: evalplus.Read},
	{Name: "garak", Family: Evals, Doc: "report of garak, garak.*.report.jsonl: which attacks a model withstood",
		Kept: "probes as suites, prompts as tests, answers as trials and detectors as variants, each judged by the threshold of the scan; goals, model, conversations; a scan that was cut off, or failures that it counts and does not have, as an error", Lost: "answers that no detector judged are left out, as in garak's own rates; confidence intervals and comparisons with other models; the hit log has the same answers",
		Sniff: garak.Sniff, Read: garak.Read},
	{Name: "livecodebench", Family: Evals, Doc: "LiveCodeBench *_eval_all.json, with n samples a problem",
		Kept: "samples as attempts, why one failed, difficulty and platform as labels", Lost: "model and scenario are only in the path of the file; its statements and the outputs around the code",
		Sniff: livecodebench.Sniff, Read: livecodebench.Read},
	{Name: "xcresult", Family: Runners, Doc: "tests of Xcode, as xcrun xcresulttool get test-results tests prints them",
		Kept: "repetitions as attempts, retries, rows of arguments as tests, devices as variants, files and lines, durations", Lost: "attachments, activities",
		Sniff: xcresult.Sniff, Read: xcresult.Read},
	{Name: "test-unit", Family: Runners, Doc: "XML of Ruby's test-unit, --runner=xml; what minitest-reporters writes is `junit`",
		Kept: "classes as suites, rows of data as tests, files and lines of what failed, times, a test that did not end as an error", Lost: "names of rows, which are not in it; notifications",
		Sniff: testunit.Sniff, Read: testunit.Read},
	{Name: "sonar", Family: Exchange, Doc: "generic test execution XML of SonarQube, as jest-sonar-reporter and others write it",
		Kept: "files as suites, times, messages, tests of one name as attempts", Lost: "retries; when tests began. What tribunal writes in it has no trials and is not read",
		Sniff: sonar.Sniff, Read: sonar.Read},
	{Name: "testng", Family: Runners, Doc: "testng-results.xml of TestNG; its JUnit files are `junit`",
		Kept: "retried tries as retries, parameters and named instances as tests, times, failed set-ups and teardowns as errors", Lost: "groups, attached output",
		Sniff: testng.Sniff, Read: testng.Read, Again: testng.Again},
	{Name: "otlp", Family: Exchange, Doc: "traces of OpenTelemetry in OTLP/JSON: of tests (`test.case.name`), or of agents and models (`gen_ai.*`), a trace a trial",
		Kept: "status, duration, tokens, cost, tool calls, evaluations as checks, messages, model as variant; a run of tests that was aborted, timed out, or failed though none of its tests did, as an error (`test.suite.run.status`); the trials of our own reports", Lost: "traces of anything else; attempts are by order; a trace whose first span is missing is an error",
		Sniff: otlp.Sniff, Read: otlp.Read, Own: startsWithin(`"key":"telemetry.distro.name","value":{"stringValue":"tribunal"}`)},
	{Name: "teamcity", Family: Exchange, Doc: "log with TeamCity's service messages of tests, as PHPUnit --teamcity and the reporters of many runners write them",
		Kept: "suites by flow, times, outputs, what was expected, files and classes of PHPUnit, metadata as cost, score, labels; repeats as attempts, and as retries where the log says `testRetrySupport`; a test that did not end as an error, and a problem that fails the build (`buildProblem`, `buildStatus`)", Lost: "what else is in the log; PHPUnit says failed of errors and of risky tests",
		Sniff: teamcity.Sniff, Read: teamcity.Read, Own: teamcity.Own},
	{Name: "tap", Family: Exchange, Doc: "Test Anything Protocol 13 and 14, and KTAP of the Linux kernel",
		Kept: "points, subtests, the headings of tape, directives, times in YAML; several streams in one file, each with its version; a plan that was not kept, and numbers that are not those of the plan, as errors", Lost: "attempts are not in the format",
		Sniff: tap.Sniff, Read: tap.Read, Own: endsAsOurTAP},
}

// Options are choices for the formats that have any.
type Options struct {
	As     *Format // the format to read as; nil tells it by the content
	Others *Format // the format of everything but our own envelopes; nil tells it by the content
	Scorer string  // which of several scores decides
	// Roots are where the repository stands on the machines that ran the tests, see
	// [Roots]. Our own formats keep their names.
	Roots []string
	// Neighbours are the files around an input, nil when it has none.
	Neighbours Neighbours
	// Below opens a file that a trial names by its path from the folder of the input:
	// below that folder and nowhere else, unpacked. It is nil where there is none.
	Below func(path string) (io.ReadCloser, error)
	// Above does so for an input in a folder that its runner hides in that of a run
	// ([Format.Hidden]): below the folder of the run and nowhere else. It is nil for
	// all others.
	Above func(path string) (io.ReadCloser, error)
	// Labels are given to all trials of the input, see [count.Input.Label].
	Labels []envelope.Label
	// Name is that of the input, which StreamAs is told.
	Name string
	// At is the input itself, packed as it is, where it can be read anywhere: a file. It
	// may be nil.
	At io.ReaderAt
}

// Neighbours are the files around an input. Paths go from its folder and have
// slashes.
type Neighbours interface {
	// Name is what a neighbour is called in reports.
	Name(path string) string
	// Open opens a neighbour, unpacked.
	Open(path string) (io.ReadCloser, error)
	// Counted reports whether a neighbour was read before and had a trial in it.
	Counted(path string) bool
	// CountedIn reports whether any file of a folder was read before and had a trial.
	CountedIn(folder string) bool
	// Parts reports whether the files of a folder are read, as far as there are any.
	Parts(folder string) bool
}

// below is a reader of a format whose trials name files below the folder of the input.
func below[F ~func(path string) (io.ReadCloser, error)](read func(io.Reader, envelope.Sink, F) error) func(Options) func(io.Reader, envelope.Sink) error {
	return func(o Options) func(io.Reader, envelope.Sink) error {
		return func(r io.Reader, to envelope.Sink) error { return read(r, to, o.Below) }
	}
}

func agentvWith(o Options) func(io.Reader, envelope.Sink) error {
	return func(r io.Reader, to envelope.Sink) error {
		if o.Above != nil {
			return agentv.ReadIn(r, to, o.Above)
		}
		return agentv.ReadIn(r, to, o.Below)
	}
}

func bfclWith(o Options) func(io.Reader, envelope.Sink) error {
	return func(r io.Reader, to envelope.Sink) error {
		if o.Neighbours == nil {
			return bfcl.Read(r, to)
		}
		return bfcl.ReadIn(r, to, o.Neighbours.Open)
	}
}

func lmevalWith(o Options) func(io.Reader, envelope.Sink) error {
	return func(r io.Reader, to envelope.Sink) error {
		if o.Neighbours == nil {
			return lmeval.Read(r, to)
		}
		return lmeval.ReadIn(r, to, o.Name, o.Neighbours.Open)
	}
}

func tau2With(o Options) func(io.Reader, envelope.Sink) error {
	return func(r io.Reader, to envelope.Sink) error {
		folder := tau2.Folder{}
		if n := o.Neighbours; n != nil {
			folder.Results = func() (io.ReadCloser, error) { return n.Open(tau2.Whole) }
			if n.Parts(tau2.Parts) {
				folder.Counted, folder.Any = n.Counted, func() bool { return n.CountedIn(tau2.Parts) }
			}
		}
		return tau2.ReadIn(r, to, folder)
	}
}

func inspectWith(o Options) func(io.Reader, envelope.Sink) error {
	return func(r io.Reader, to envelope.Sink) error {
		return inspect.ReadWith(r, to, inspect.Options{Scorer: o.Scorer, At: o.At})
	}
}

// Mapped is the format of records that the user's mapping reads (see package
// read/mapped): fields and paths, or @name of a named one, of the user's own or of a
// platform. It is in no table, for nothing tells it but the mapping.
func Mapped(spec, records string, own map[string]mapped.Named) (Format, error) {
	m, err := mapped.ParseWith(spec, records, own)
	return Format{Name: "mapped", Doc: "records read by a mapping", Read: m.Read, With: func(o Options) func(io.Reader, envelope.Sink) error {
		m.Scorer = o.Scorer
		return m.Read
	}}, err
}

// byName is the format of records whose fields say by their names what they are, where
// that is certain. An input of any known format never comes here.
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

// Detect finds the format of an input by its first bytes. Blanks and an empty
// input are a trial stream without trials.
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

// ByName finds a format by its name. The error names the near ones, or all.
func ByName(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, suggest.Unknown("input format", words.Head(name, 60), Names())
}

// Names are the names of the formats in the order of the table.
func Names() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}
