package read

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"tribunal/internal/jsontext"
	"tribunal/internal/redact"
	"tribunal/internal/words"
	"tribunal/read/mapped"
)

// signatures are bytes, and their offsets, of inputs given by mistake.
var signatures = []struct {
	at          int
	bytes, what string
}{
	{0, "PK\x03\x04", "a zip archive (.xlsx is one, too): unpack it first, or save the sheet as CSV"},
	{tarAt, tarMark, "a tar archive: unpack it first, and name the folder"},
	{0, "BZh", "bzip2: unpack it first, or use gzip or zstd"},
	{0, "\xfd7zXZ\x00", "xz: unpack it first, or use gzip or zstd"},
}

// mistakes are texts that people hand in by mistake, and what to do about each.
var mistakes = []struct {
	starts, what string
}{
	{page + `<title>Allure Report</title>`, "the page of an Allure report: name the folder around it, whose data is read"},
	{page + `<title>Cucumber</title>`, "Cucumber's page: have it write its messages, --format message:report.ndjson, and name that file"},
	{page + `<title id="head-title">`, "the page of pytest-html: have pytest write --junit-xml report.xml as well, and name that file"},
	{page, "an HTML page, perhaps a login page: give the runner's report, or the JSON that a page of Tribunal was made from"},
	{`^(//|/\*|#)[^\n]*\n(.*\n)*?\s*[\[{]\s*[\]}"\[{]`, "JSON with comments, which JSON does not have: take them out"},
	{`^\[?\s*\{\s*'`, "written with single quotes, as Python prints a dict: write JSON, with json.dumps"},
	{`^(---\s*\n)?- [\w"']+:\s`, "YAML: write it as JSON, for instance with yq -o json"},
	{`^(<\?xml[^>]*\?>\s*)?<tests>\s*<test className="`, "PHPUnit's list of tests in prose (testdox): have phpunit write --log-junit or --log-teamcity as well, and name that file"},
	{`(?s)^(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<TestRun>\s*<FailedTests`, "CppUnit's XML: convert it to JUnit XML, for instance with an XSL stylesheet, and name that file"},
	{`(?s)^(<\?xml[^>]*>\s*)?(<\?xml-stylesheet[^>]*>\s*)?<testsuites xmlns="http://check\.sourceforge\.net`, "the XML of Check for C: set CK_TAP_LOG_FILE_NAME=report.tap, and name that file"},
	{`^(<\?xml[^>]*>\s*)?<Test(Log|Result)>\s*<TestSuite `, "the XML of Boost.Test: run it with --logger=JUNIT,all,report.xml, and name that file"},
	{`^(<\?xml[^>]*>\s*)?<TestCase name="[^"]*">\s*<Environment>`, "the XML of Qt Test: run it with -o report.xml,junitxml, and name that file"},
	{`^\{\s*("environment"\s*:\s*"[^"]*",\s*)?"trajectory"\s*:\s*\[\s*(\{\s*"(action|response)"|\])|^\{\s*"info"\s*:\s*\{\s*"(exit_status|model_stats)"`, "a trajectory of SWE-agent or mini-swe-agent, which says what the agent did and not whether that was right: " + evaluate + ", with the trajectories in its folder or below --root"},
	{`^\[?\s*\{\s*("[^"]+"\s*:\s*\{\s*)?"(model_name_or_path|instance_id|model_patch)"\s*:\s*"[^"]*",\s*"(model_name_or_path|instance_id|model_patch)"`, "predictions for SWE-bench, which have no verdict: " + evaluate},
	{`^\{\s*"no_generation"\s*:\s*\[`, "the results of a submission to SWE-bench, which list the instances that were resolved and not those that failed: name the run report, or the folder with the reports of the instances"},
	{`^\{\s*"timestamp"\s*:\s*"[^"]*",\s*"webarena_verified_version"`, "the totals of a run of WebArena-Verified: name the folder of the run, in which each task has an eval_result.json"},
	{`^\{\s*"task_id"\s*:\s*"[^"]*",\s*"model_answer"\s*:\s*"([^"\\]|\\.)*"\s*(,\s*"reasoning_trace"\s*:\s*"|\}\s*(\n|$))`, "answers for the leaderboard of GAIA, which have no verdict: name the file in which GAIA's scorer said of each whether it is_correct"},
	{`^\{\s*"patch_is_None"\s*:`, "SWE-bench's report of an instance without its id, as submissions have it, so that nothing says which test it is of: name the run report"},
	{`^(<\?xml[^>]*>\s*)?<testExecutions[^>]*>\s*<!-- a report of tribunal -->`, "a report for SonarQube that Tribunal wrote, which has no trials: name the files it was made from"},
	{`^\|.*\|\s*\n\s*\|[\s:|-]+\|`, "a table in Markdown: write it as CSV"},
	{`^\["start",\{"total":\d+\}\]`, "what Mocha's json-stream writes: npx mocha --reporter json | tribunal report"},
}

// Print is what a runner prints in a terminal, for people: how it starts, and what gives the
// same for programs. Command is how tribunal run has each of its tests tried, where it can.
type Print struct{ starts, Runner, instead, Command string }

var prints = []Print{
	{`^(=== (RUN|PAUSE|CONT)|--- (PASS|FAIL|SKIP):) |^(ok|FAIL|\?)\s+\S+\s+(\d+\.\d+s|\(cached\)|\[)`, "go test", "go test -json -count 20 ./... | tribunal report", "go test ./..."},
	{`^=+ test session starts =+|^[.FEsxX]+\s+\[ *\d+%\]`, "pytest", "pytest --junit-xml report.xml; tribunal report report.xml", "pytest"},
	{`^([.FEsxu]+\s+)?(={70}\n(FAIL|ERROR): |-{70}\nRan \d+ tests? in )`, "Python's unittest", "pytest --junit-xml report.xml, which runs its tests as well; tribunal report report.xml", "pytest"},
	{npm + `\s*Running \d+ tests? using \d+ worker`, "Playwright", "npx playwright test --reporter json | tribunal report", "npx playwright test"},
	{npm + `\s*(RUN|DEV)\s+v\d`, "Vitest", "npx vitest run --reporter json --outputFile report.json; tribunal report report.json", "npx vitest run"},
	{npm + `(PASS|FAIL) \S+\.[cm]?[jt]sx?\b`, "Jest", "npx jest --json --outputFile report.json; tribunal report report.json", "npx jest"},
	{`^(\s*(Compiling|Finished|Running|Doc-tests) .*\n)*\s*running \d+ tests?\b`, "cargo test", "cargo nextest run --profile ci (with a JUnit report); tribunal report target/nextest/ci/junit.xml", "cargo nextest run"},
	{`^(UpdateCTestConfiguration .*\n)*Test project \S`, "CTest", "ctest --output-junit report.xml; tribunal report report.xml", "ctest --output-junit {out}"},
	{`^\S+ \.\.+ *(ok|skipped|\n)`, "prove", "PERL_TEST_HARNESS_DUMP_TAP=tap prove t/; tribunal report tap/", "env PERL_TEST_HARNESS_DUMP_TAP={out} prove t/"},
	{`^(.*\n)*?\s+\d+ passing \(\d`, "Mocha", "npx mocha --reporter json | tribunal report", "npx mocha --reporter json --reporter-option output={out}"},
	{`^[▶✔✖﹣] \S`, "the test runner of Node.js", "node --test --test-reporter tap | tribunal report", "node --test --test-reporter junit --test-reporter-destination {out}"},
	{`^PHPUnit \d`, "PHPUnit", "phpunit --log-junit report.xml; tribunal report report.xml", "phpunit --log-junit {out}"},
	{`^(Determining projects to restore|Test run for |Starting test execution)`, "dotnet test", "dotnet test --logger trx; tribunal report TestResults/", ""},
	{`^\[INFO\] Scanning for projects`, "Maven", "tribunal report target/surefire-reports/", ""},
	{`^> Task :`, "Gradle", "tribunal report build/test-results/", ""},
	{`^(Run options: --|Started with run options )`, "Minitest", "tribunal report test/reports/ (the gem minitest-ci writes them)", ""},
	{`^(Run options:\s+(in|ex)clude .*\n|Randomized with seed \d+\n|[.F*]+\n\s*(Failures|Pending|Finished in))`, "RSpec", "rspec --format json --out report.json; tribunal report report.json", "rspec --format json --out {out}"},
}

// evaluate says where a verdict on what an agent wrote for SWE-bench comes from.
const evaluate = "have SWE-bench evaluate the predictions (python -m swebench.harness.run_evaluation, or sb-cli submit), and name the run report that it writes"

const page = `(?is)^<(?:!doctype\s+html|html)[\s>].*?`

const npm = `^(> .*\n+)*`

// PrintIn finds what a runner prints for people in the first bytes of an output.
func PrintIn(head []byte) (p Print, ok bool) {
	start := bytes.TrimSpace(head)
	for _, p := range prints {
		if begins(start, p.starts) {
			return p, true
		}
	}
	return Print{}, false
}

// words say how to get the same for programs, and how to have the command started.
func (p Print) words() string {
	return "what " + p.Runner + " prints for people, which leaves much out; read its report instead: " + p.instead +
		words.Around("; or let tribunal repeat it: tribunal run -n 20 -- ", p.Command)
}

func begins(start []byte, expression string) bool {
	const mistakeRoom = 4 << 10                                                       // how many bytes a mistake is looked for in
	return regexp.MustCompile(expression).Match(start[:min(len(start), mistakeRoom)]) // seldom: not at every start of the program
}

// unknown says what an input of no known format may be, and what to do.
func unknown(head []byte, whole bool) string {
	for _, s := range signatures {
		if standsAt(head, s.at, s.bytes) {
			return "cannot read this input: it is " + s.what
		}
	}
	if words := ofTribunal(head); words != "" {
		return words
	}
	start := bytes.TrimSpace(head)
	for _, m := range mistakes {
		if begins(start, m.starts) {
			return "cannot read this input: it is " + m.what
		}
	}
	if p, is := PrintIn(start); is {
		return "cannot read this input: it is " + p.words()
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return "cannot read this input: it is not a text, but a program, an image or another binary file"
	}
	if platform := mapped.PlatformOf(head); platform != "" {
		return "this input looks like an export of " + platform + ", which a mapping reads; use --map @" + platform
	}
	if g, are := mapped.GuessBy(head, whole); are {
		return g.Ask() + " ('tribunal formats' lists the formats that are read as they are; --from FORMAT names one)"
	}
	return fmt.Sprintf("the format of this input is unknown; it starts with %s%s; name the format with --from ('tribunal formats' lists them), or map the fields of NDJSON, JSON, CSV or XML with --map", startOf(start), shapeOf(head, whole))
}

// startOf are the first bytes, made harmless.
func startOf(text []byte) string {
	const most = 40
	near := string(text[:min(len(text), most+redact.Beyond)])
	end, _ := redact.Split(near, min(len(near), most))
	return strconv.QuoteToASCII(near[:end]) + words.If(end < len(text), "…")
}

// shapeOf says what is wrong with the shape of a text that is nearly one of records.
func shapeOf(head []byte, whole bool) string {
	text := bytes.TrimSpace(head)
	switch {
	case whole && mapped.IsHeader(text):
		return " (the header of a table without any row)"
	case whole && json.Valid(text) && text[0] == '{':
		return " (one JSON object; trials are objects with a test and a status each, in lines or in an array)"
	case whole && (text[0] == '{' || text[0] == '[') && !json.Valid(text):
		head = bytes.TrimRight(head, " \t\r\n")
		text := jsontext.Part{B: head}
		for at := 0; at < len(head); {
			if at = text.Valid(at); at < 0 {
				return fmt.Sprintf(" (not valid JSON; line %d: %s%s)",
					1+bytes.Count(head[:text.Wrong], []byte("\n")), text.Reason, words.If(text.Wrong == len(head), ": is the file cut off?"))
			}
			at = jsontext.Blanks(head, at)
		}
		return " (JSON records; trials are objects with a test and a status each)"
	}
	return ""
}
