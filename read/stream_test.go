package read_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
)

const trial = `{"test":"a","status":"pass"}` + "\n"

const headSize, sniffLimit = 64 << 10, 16 << 20 // as in stream.go

func gz(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zst(t testing.TB, text string, options ...zstd.EOption) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, options...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPacked(t *testing.T) {
	const skippable = "\x52\x2a\x4d\x18\x03\x00\x00\x00abc" // RFC 8878, section 3.1.2
	cases := []struct {
		text   string
		trials int
		reason string
	}{
		{trial + trial, 2, "not packed"},
		{gz(t, trial), 1, "gzip"},
		{gz(t, trial) + gz(t, trial+trial), 3, "gzip members one after the other, as cat makes them"},
		{gz(t, "\uFEFF"+trial), 1, "a byte order mark inside"},
		{gz(t, ""), 0, "nothing, packed"},
		{zst(t, trial), 1, "zstd"},
		{zst(t, trial) + zst(t, trial), 2, "zstd frames one after the other"},
		{skippable + zst(t, trial), 1, "a skippable frame first, as pzstd makes it"},
		{zst(t, strings.Repeat(trial, 100000)), 100000, "more than a block"},
	}
	for _, c := range cases {
		for _, way := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			if got := readStream(way(strings.NewReader(c.text)), ""); got.trials != c.trials || len(got.problems) != 0 || got.format != "native" {
				t.Errorf("%s: %+v", c.reason, got)
			}
		}
	}
}

func TestTauBenchSample(t *testing.T) {
	file, err := os.Open("../testdata/streams/tau-bench-gpt-4o-airline.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := readStream(file, ""); got.format != "tau-bench" || got.trials != 200 || len(got.problems) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestUnreadable: whatever cannot be read is one error that says what was being
// done and what to do.
func TestUnreadable(t *testing.T) {
	many := strings.Repeat(trial, 50000)
	packed, packedZstd := gz(t, many), zst(t, many)
	broken := []byte(packed)
	broken[len(broken)-6] ^= 1
	cases := []struct {
		text, from   string
		trials       bool
		part, reason string
	}{
		{packed[:len(packed)/2], "", true, "the data is cut off", "gzip, cut in the middle"},
		{packed[:len(packed)-3], "", true, "the data is cut off", "gzip, cut in its last bytes"},
		{string(broken), "", true, "checksum", "gzip, a bit of the checksum flipped"},
		{packed + "garbage behind it", "", true, "invalid header", "gzip, and something else behind it"},
		{packed[:5], "", false, "cannot unpack gzip: the data is cut off", "gzip, cut in its header"},
		{"\x1f\x8bhello, hello", "", false, "cannot unpack gzip", "no gzip behind the first bytes"},
		{packedZstd[:len(packedZstd)/2], "", true, "the data is cut off", "zstd, cut in the middle"},
		{packedZstd[:4] + "hello, hello", "", false, "get a whole copy", "no zstd behind the first bytes"},
		{zst(t, many, zstd.WithWindowSize(256<<20), zstd.WithSingleSegment(false)), "", false, "window", "zstd with a window larger than is allowed"},
		{"hello \x1b[31m\u202e world, this is a text of some length", "", false, `starts with "hello \x1b[31m\u202e world, this is a text`, "an unknown format shows its first bytes, made harmless"},
		{"hello", "", false, "with --from ('tribunal formats' lists them)", "an unknown format says where the known ones are listed"},
		{"<!DOCTYPE html>\n<html dir=\"ltr\"><head>\n<meta charset=\"utf-8\">\n<title>Allure Report</title>", "", false, "name the folder around it", "index.html of Allure 2.30"},
		{"<!DOCTYPE html>\n<html lang=\"en\">\n  <head>\n    <title>Cucumber</title>", "", false, "--format message:report.ndjson", "the page of @cucumber/html-formatter"},
		{"<!DOCTYPE html>\n<html>\n  <head>\n    <meta charset=\"utf-8\"/>\n    <title id=\"head-title\">report.html</title>", "", false, "--junit-xml report.xml", "a page of pytest-html 4"},
		{"<!DOCTYPE html>\n<html><body>Sign in</body></html>", "", false, "an HTML page, perhaps a login page", "a page to sign in, saved as an artifact"},
		{"\x7fELF\x02\x01\x00\x00", "", false, "it is not a text", "a program"},
		{"// mine\n[\n {\"test\":\"a\"}\n]", "", false, "JSON with comments", "JSON5"},
		{"{'test': 'a', 'passed': True}\n", "", false, "json.dumps", "a dict that Python printed"},
		{"- test: a\n  status: pass\n", "", false, "it is YAML", "YAML"},
		{`{"environment": "swe_main", "trajectory": [ {"action": "ls`, "", false, "trajectory of SWE-agent", "SWE-agent 0.7 alone"},
		{`{"trajectory": [{"response": "I`, "", false, "name the run report", "SWE-agent 1 alone"},
		{`{"info": {"exit_status": "Submitted", "submission"`, "", false, "not whether that was right", "mini-swe-agent alone"},
		{`{"a__a-1": {"model_name_or_path": "m", "instance_id": "a__a-1", "model_patch": ""}}`, "", false, "predictions for SWE-bench", "preds.json"},
		{`{"model_name_or_path": "m", "instance_id": "a__a-1", "model_patch": ""}` + "\n", "", false, "predictions for SWE-bench", "all_preds.jsonl"},
		{`{"no_generation": ["a"], "no_logs": [], "resolved": ["b"]}`, "", false, "not those that failed", "results.json of a submission"},
		{`{"timestamp": "2026-03-08T10:00:00Z", "webarena_verified_version": "1.2.3", "summary": {}}`, "", false, "each task has an eval_result.json", "eval_results.json of WebArena-Verified"},
		{`{"task_id": "a-1", "model_answer": "\"24\" legs"}` + "\n", "", false, "leaderboard of GAIA", "a submission to GAIA"},
		{`{"task_id": "a-1", "model_answer": "24", "reasoning_trace": "eight each"}` + "\n", "", false, "have no verdict", "a submission to GAIA with its reasons"},
		{`{"patch_is_None": false, "resolved": true}`, "", false, "without its id", "report.json of a submission"},
		{`<?xml version="1.0" encoding="UTF-8"?>` + "\n<tests>\n" + `  <test className="ListTest" methodName="testA" status="0"/></tests>`, "", false, "--log-junit", "PHPUnit's testdox, beside which PHPUnit writes JUnit"},
		{`<?xml version="1.0" encoding="ISO-8859-1" standalone="yes" ?>` + "\n<TestRun>\n  <FailedTests></FailedTests>\n  <SuccessfulTests><Test id=\"2\"><Name>a</Name></Test></SuccessfulTests>", "", false, "CppUnit's XML", "CppUnit, whose root is that of TRX"},
		{`<?xml version="1.0"?>` + "\n<testsuites xmlns=\"http://check.sourceforge.net/ns\">\n  <suite><title>S</title>", "", false, "CK_TAP_LOG_FILE_NAME", "Check for C, whose root is that of JUnit"},
		{`<?xml version="1.0"?>` + "\n" + `<?xml-stylesheet type="text/xsl" href="http://check.sourceforge.net/xml/check_unittest.xslt"?>` + "\n<testsuites xmlns=\"http://check.sourceforge.net/ns\">", "", false, "the XML of Check for C", "as it writes its file (srunner_log.c, xml_lfun)"},
		{`<TestLog><TestSuite name="m"><TestCase name="a">`, "", false, "--logger=JUNIT,all,report.xml", "the log of Boost.Test"},
		{`<TestResult><TestSuite name="m" result="failed"`, "", false, "the XML of Boost.Test", "the result of Boost.Test"},
		{`<?xml version="1.0" encoding="UTF-8"?>` + "\n<TestCase name=\"T\">\n  <Environment>\n", "", false, "-o report.xml,junitxml", "Qt Test"},
		{"| test | status |\n|---|---|\n| a | pass |\n", "", false, "a table in Markdown", "a table of a comment"},
		{"=== RUN   TestPay\n    pay_test.go:3: no answer\n--- FAIL: TestPay (0.00s)\n", "", false, "go test -json -count 20 ./...", "go test -v for people"},
		{"ok  \texample.org/pay\t0.002s\n", "", false, "what go test prints for people", "go test of what passed"},
		{"?   \texample.org/pay\t[no test files]\n", "", false, "what go test prints for people", "go test without tests"},
		{"\n============================= test session starts ==============================\nplatform linux\n", "", false, "pytest --junit-xml", "pytest"},
		{"..F.                                     [100%]\n", "", false, "tribunal run -n 20 -- pytest", "pytest -q"},
		{"..\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nOK\n", "", false, "Python's unittest", "unittest"},
		{"\nRunning 4 tests using 2 workers\n", "", false, "npx playwright test --reporter json", "Playwright"},
		{"> shop@1.0.0 test\n> vitest run\n\n\n RUN  v3.2.4 /app\n", "", false, "what Vitest prints", "Vitest, by npm"},
		{"PASS src/pay.test.ts\n  pay\n", "", false, "npx jest --json", "Jest"},
		{"   Compiling pay v0.1.0\n    Finished test profile\n     Running unittests src/lib.rs\n\nrunning 2 tests\n", "", false, "cargo nextest", "cargo test"},
		{"Test project /app/build\n    Start 1: pay\n1/1 Test #1: pay .............   Passed    0.04 sec\n", "", false, "ctest --output-junit report.xml", "CTest"},
		{"UpdateCTestConfiguration  from :/app/build/DartConfiguration.tcl\nTest project /app/build\n", "", false, "what CTest prints", "ctest -V"},
		{"t/pay.t .. ok\nAll tests successful.\n", "", false, "PERL_TEST_HARNESS_DUMP_TAP=tap prove", "prove"},
		{"t/pay.t .. \nok 1 - pays\n1..1\nok\n", "", false, "what prove prints", "prove -v"},
		{`["start",{"total":1}]` + "\n" + `["pass",{"title":"pays"}]` + "\n", "", false, "npx mocha --reporter json", "Mocha's json-stream"},
		{"\n\n  shop\n    ✔ pays\n    1) refunds\n\n\n  1 passing (5ms)\n  1 failing\n", "", false, "what Mocha prints", "Mocha"},
		{"▶ shop\n  ✔ pays (0.5ms)\n", "", false, "node --test --test-reporter tap", "node --test"},
		{"PHPUnit 11.5.2 by Sebastian Bergmann and contributors.\n", "", false, "phpunit --log-junit", "PHPUnit"},
		{"  Determining projects to restore...\n", "", false, "dotnet test --logger trx", "dotnet test"},
		{"[INFO] Scanning for projects...\n", "", false, "target/surefire-reports/", "Maven"},
		{"> Task :compileJava UP-TO-DATE\n", "", false, "build/test-results/", "Gradle"},
		{"..F\n\nFailures:\n\n  1) pay\n", "", false, "rspec --format json", "RSpec"},
		{"Run options: include {:focus=>true}\n\n..\n", "", false, "what RSpec prints", "RSpec with a filter"},
		{"Run options: --seed 4763\n\n# Running:\n\n..\n", "", false, "what Minitest prints", "Minitest 5, which is no RSpec"},
		{"PASS: the agent answered\n", "", false, "the format of this input is unknown", "a log of nobody's"},
		{"hello ghp_" + strings.Repeat("k7Q2", 9) + " world\n", "", false, `"hello "…`, "a secret where the quotation is cut"},
		{"test,status\n", "", false, "the header of a table without any row", "a table whose runner died"},
		{`{"login":"pass"}`, "", false, "one JSON object; trials are objects with a test and a status each", "names as keys, which are no records"},
		{`{"login":"pass"`, "", false, "not valid JSON; line 1: ", "a document that is cut off"},
		{"PK\x03\x04", "", false, "a zip archive", "an archive"},
		{tarred(t, "a.ndjson", trial+trial), "", false, "a tar archive: unpack it first", "an archive in which the first trial stands behind its header"},
		{gz(t, tarred(t, "a.ndjson", trial+trial)), "", false, "a tar archive: unpack it first", "the same, packed"},
		{"hello,world\n1,2\n", "", false, "--map", "an unknown format may be mapped"},
		{`{"schema":"tribunal/envelope/v2","run":{}}`, "", false, "schema tribunal/envelope/v2, but this program reads only tribunal/envelope/v1", "a report of a later version"},
		{`{"schema":"tribunal/envelope/v2","type":"header"}` + "\n", "", false, "schema tribunal/envelope/v2", "the same as lines"},
		{`{"schema":"tribunal/comparison/v1","settings":{}}`, "", false, `a document of tribunal ("comparison"), which holds no trials`, "what compare writes"},
		{"{\"schema\":\"tribunal/\u202e\\u001b[31m" + strings.Repeat("x", 1000) + "\"}", "", false, "document of tribunal", "a hostile schema is cut and harmless"},
		{`{"schema":"other/v1"}`, "", false, "the format of this input is unknown", "the schema of somebody else"},
		{trial, "nativ", false, "did you mean native?", "a name that is none"},
	}
	for _, c := range cases {
		got := readStream(strings.NewReader(c.text), c.from)
		var unreadable []envelope.Problem
		for _, p := range got.problems {
			if p.Code == envelope.CodeUnreadable && p.Severity == envelope.SeverityError && p.Input == "input" {
				unreadable = append(unreadable, p)
			}
		}
		if len(unreadable) != 1 || !strings.Contains(unreadable[0].Message, c.part) || strings.ContainsAny(unreadable[0].Message, "\x1b\u202e\n") {
			t.Errorf("%s: %+v does not say %q", c.reason, got.problems, c.part)
		}
		if c.trials != (got.trials > 0) {
			t.Errorf("%s: %d trials", c.reason, got.trials)
		}
		if c.from == "" && len(unreadable) > 0 && unreadable[0].Line < 1 {
			t.Errorf("%s: no line: %+v", c.reason, unreadable[0])
		}
	}
}

// TestUTF16IsRead: the > of Windows PowerShell writes UTF-16, Excel's "Unicode Text" as
// well, and the code units are those of the Unicode Standard, section 3.10.
func TestUTF16IsRead(t *testing.T) {
	for _, c := range []struct{ reason, text string }{
		{"trials, little end first", "\xff\xfe" + wide(`{"test":"ä","status":"pass"}`+"\r\n", 0)},
		{"trials, big end first", "\xfe\xff" + wide(`{"test":"ä","status":"pass"}`+"\r\n", 1)},
		{"a table of a spreadsheet", "\xff\xfe" + wide("test\tstatus\r\nä\tpass\r\n", 0)},
		{"XML that says so itself", "\xff\xfe" + wide(`<?xml version="1.0" encoding="utf-16"?><testsuite name="s"><testcase name="ä"/></testsuite>`, 0)},
	} {
		b := count.NewBuilder(5, 0.5)
		read.Stream(b, "input", strings.NewReader(c.text), "")
		run := b.Run(envelope.ConflictExtend, 5)
		if len(run.Tests) != 1 || run.Tests[0].Key.Test != "ä" || run.Tests[0].Rows.Len() != 1 {
			t.Errorf("%s: %+v, %+v", c.reason, run.Tests, run.Problems)
		}
	}
}

// wide writes Latin-1 as code units of two bytes, the byte that says something at the
// given place.
func wide(s string, at int) string {
	var out strings.Builder
	for _, r := range s {
		unit := [2]byte{}
		unit[at] = byte(r)
		out.Write(unit[:])
	}
	return out.String()
}

// tarred is an archive of one file.
func tarred(t *testing.T, name, text string) string {
	t.Helper()
	var out strings.Builder
	w := tar.NewWriter(&out)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestReadErrorHasItsPlace(t *testing.T) {
	broken := errors.New("the cable is broken")
	got := readStream(io.MultiReader(strings.NewReader(trial+trial+`{"te`), iotest.ErrReader(broken)), "")
	for _, p := range got.problems {
		if p.Code == envelope.CodeUnreadable && (p.Line != 3 || p.Column != 5) {
			t.Errorf("at %d:%d, want 3:5", p.Line, p.Column)
		}
	}
	if got.trials != 2 || len(got.problems) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestSourcesAreListed: an input that is empty, or has only blanks, or cannot be read
// has no format, and is listed too. Blanks that go on beyond what is looked at are read.
func TestSourcesAreListed(t *testing.T) {
	b := count.NewBuilder(5, 0.5)
	blanks := strings.Repeat("\n", headSize+1)
	inputs := []string{trial, "", "hello", "\x1f\x8b", "\n \t\n", "\uFEFF\n", blanks + trial}
	for i, text := range inputs {
		read.Stream(b, fmt.Sprint(i), strings.NewReader(text), "")
	}
	sources := b.Run(envelope.ConflictExtend, 5).Header.Sources
	if len(sources) != len(inputs) {
		t.Fatalf("%+v", sources)
	}
	for i, s := range sources {
		if isTrial := strings.HasSuffix(inputs[i], trial); (s.Format == "native") != isTrial || (s.Trials == 1) != isTrial || !isTrial && s.Format != "" {
			t.Errorf("%.20q: %+v", inputs[i], s)
		}
	}
}

// TestFollowsASlowPipe: trials are counted when their lines are there, although
// far less than the head is.
func TestFollowsASlowPipe(t *testing.T) {
	for _, first := range []string{"", "starting...\n", "\n\n", "\uFEFF"} {
		r, w := io.Pipe()
		b := count.NewBuilder(5, 0.5)
		reads := make(chan int)
		done := make(chan string)
		go func() { done <- read.Stream(b, "pipe", &counting{r: r, before: func() { reads <- b.Trials() }}, "") }()
		<-reads
		if first != "" {
			io.WriteString(w, first)
			<-reads
		}
		for n := 1; n <= 3; n++ {
			io.WriteString(w, trial)
			if got := <-reads; got != n {
				t.Errorf("after %q: %d trials are counted when the next line is asked for, want %d", first, got, n)
			}
		}
		w.Close()
		if format := <-done; format != "native" {
			t.Errorf("read as %q", format)
		}
	}
}

// counting calls before ahead of every read but those behind the end.
type counting struct {
	r      io.Reader
	before func()
	ended  bool
}

func (c *counting) Read(p []byte) (int, error) {
	if !c.ended {
		c.before()
	}
	n, err := c.r.Read(p)
	c.ended = c.ended || err != nil
	return n, err
}

// TestBehindDownloads: a report is known behind all that was printed before it in the first MiB.
func TestBehindDownloads(t *testing.T) {
	const event = `{"Action":"run","Package":"p","Test":"A"}` + "\n" + `{"Action":"pass","Package":"p","Test":"A"}` + "\n" + `{"Action":"pass","Package":"p"}` + "\n"
	for _, lines := range []int{69, 2000, 20000} {
		got := readStream(strings.NewReader(strings.Repeat("go: downloading example.org/pay v1.2.3\n", lines)+event), "")
		if got.format != "go-test" || got.trials != 1 {
			t.Errorf("behind %d lines: %q %q", lines, got.format, got.problems)
		}
	}
}

// TestCrumbs: an input in crumbs that never looks like a format is given up in
// time. Looking at all of it again with every line takes half a minute.
func TestCrumbs(t *testing.T) {
	text := strings.Repeat("x\n", headSize)
	looked := 0
	known := read.Formats
	defer func() { read.Formats = known }()
	read.Formats = append(slices.Clone(known), read.Format{Name: "counter", Sniff: func(head []byte) bool {
		looked += len(head)
		return false
	}})
	if got := readStream(iotest.OneByteReader(strings.NewReader(text)), ""); got.format != "" || len(got.problems) != 1 {
		t.Errorf("%+v", got)
	}
	if looked > sniffLimit+4*headSize {
		t.Errorf("%d bytes were looked at to find no format, the limit is %d", looked, sniffLimit)
	}
}

// TestReportBehindALog: a report is found behind any number of records that only begin like it.
func TestReportBehindALog(t *testing.T) {
	log := strings.Repeat(`{"type":"debug","n":1}`+"\n", 1500) + `{"type":"suite","event":"started","test_count":1}` + "\n"
	got := readStream(strings.NewReader("ok 1 - a\n1..1\n"+log), "")
	if !slices.ContainsFunc(got.problems, func(p envelope.Problem) bool { return p.Line == 1503 && p.Severity == envelope.SeverityError }) {
		t.Errorf("%+v", got)
	}
}

// TestLongFirstLine: a trial whose keys are sorted is known for one although its
// messages stand before its test and are longer than what is looked at else, and no byte
// of it is lost to whoever reads it; a format that tells places itself is known, too.
func TestLongFirstLine(t *testing.T) {
	messages := strings.Repeat(`{"content":"`+strings.Repeat("x", 1000)+`","role":"user"},`, 200)
	long := `{"messages":[` + messages + `{"content":"end","role":"assistant"}],"status":"pass","test":"a"}` + "\n"
	for _, text := range []string{long, long + long, "\uFEFF" + long, strings.TrimSuffix(long, "\n")} {
		got := readStream(strings.NewReader(text), "")
		if trials := strings.Count(text, `"test"`); got.format != "native" || got.trials != trials || len(got.problems) > 0 {
			t.Errorf("%d bytes: %s, %d trials, %v", len(text), got.format, got.trials, got.problems)
		}
		if k := read.Recognise("", strings.NewReader(text)); k.Format != "native" {
			t.Errorf("%d bytes are recognised as %q", len(text), k.Format)
		}
	}
	event := `{"Output":"` + strings.Repeat("x", 2*headSize) + `\n","Action":"output","Package":"p","Test":"T","Time":"2026-01-01T00:00:00Z"}` + "\n"
	got := readStream(strings.NewReader(event+`{"Action":"pass","Package":"p","Test":"T","Time":"2026-01-01T00:00:01Z","Elapsed":1}`+"\n"), "")
	if got.format != "go-test" || got.trials != 1 {
		t.Errorf("%+v", got)
	}
}
