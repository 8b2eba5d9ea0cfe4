package input

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	_ "tribunal/read/formats"
)

// TestNamesOf: what an input is called says which one it is, and not on which machine it lies.
func TestNamesOf(t *testing.T) {
	for _, c := range []struct {
		paths, roots string
		want         string
		reason       string
	}{
		{"a.json ../b/c.json ./d.json -", "", "a.json ../b/c.json ./d.json -", "what is not from the root of the machine stays as it was given"},
		{"/w/shop/out/a.json", "/w/shop", "out/a.json", "below a root from there on"},
		{"/w/shopping/a.json", "/w/shop", "a.json", "a folder that only begins like a root is none"},
		{"/tmp/x/a.json", "/w", "a.json", "elsewhere by its end"},
		{"/tmp/x/a.json /tmp/y/a.json /tmp/y/b.json", "/w", "x/a.json y/a.json b.json", "by as much of it as is needed"},
		{"/tmp/a.json /tmp/tmp/a.json", "/w", "/tmp/a.json tmp/tmp/a.json", "where one path is the end of another"},
		{"a.json /tmp/a.json", "/w", "a.json tmp/a.json", "and of what is named relatively"},
		{"/v/a.json /w/a.json", "/v /w", "a.json w/a.json", "the same below two roots"},
		{"/tmp/a.json /tmp/a.json", "/w", "a.json a.json", "one file named twice is one input"},
	} {
		var files []File
		for _, path := range strings.Fields(c.paths) {
			files = append(files, File{Name: filepath.FromSlash(path)})
		}
		names := NamesOf(files, strings.Fields(c.roots))
		var got []string
		for _, f := range files {
			got = append(got, filepath.ToSlash(names.Of(f.Name)))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %q are named %q, want %q", c.reason, c.paths, got, c.want)
		}
	}
}

// A file named from the working directory and from the root of the machine is one
// input: under two names its trials would be those of two runs.
func TestNamesOfOneFileNamedTwoWays(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(here, "names.go")
	names := NamesOf([]File{{Name: whole}, {Name: "names.go"}}, read.Roots(here))
	if a, b := names.Of(whole), names.Of("names.go"); a != "names.go" || b != "names.go" {
		t.Errorf("named %q and %q", a, b)
	}
}

// A run of which only parts are read has a name from where its whole would lie.
func TestNamesOfWhatIsNotRead(t *testing.T) {
	names := NamesOf([]File{{Name: "/w/run/simulations/1.json"}}, []string{"/w"})
	if got := names.Of("/w/run/results.json"); got != "run/results.json" {
		t.Errorf("named %q", got)
	}
}

// TestWhatARunnerLeftThatDied tells it from what others wrote whole, even where that is not quite of its ending.
func TestWhatARunnerLeftThatDied(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(`{"name":"my-app","version":"1.0.0"}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a.json", "", "empty"}, {"a.csv", "", "empty"}, {"a.xml", "\n \n", "empty"}, {"a.json", "\uFEFF", "empty"},
		{"a.json", `{"a":[1,2`, "cut off"}, {"a.json", `{"a":"b`, "cut off"}, {"a.json", `{"a":`, "cut off"}, {"a.json", `[{"a":1},`, "cut off"},
		{"a.ndjson", "{\"a\":1}\n{\"b\":", "cut off"}, {"a.json", "\uFEFF{", "cut off"},
		{"a.json", "Segmentation fault", "not JSON"}, {"a.jsonl", "[error] core dumped", "not JSON"}, {"a.JSON", "Killed", "not JSON"},
		{"a.json", `{"a":1}`, ""}, {"a.json", "\uFEFF[1]", ""}, {"a.json", "true", ""}, {"a.ndjson", "{\"a\":1}\n{\"b\":2}\n", ""},
		{"a.json", "// of the editor\n{}", ""}, {"a.json", "{\n// of the editor\n\"a\": 1,\n}", ""}, {"a.json", "[ // of the editor\n]", ""},
		{"a.json", "{a: 'b',}", ""},
		{"a.xml", "Segmentation fault", "not XML"}, {"a.xml", "<?xml version=\"1.0\"?>\n", "cut off"}, {"a.xml", "<a><b/>", "cut off"},
		{"a.xml", `<a b="c`, "cut off"}, {"a.trx", "<a>text", "cut off"}, {"a.xml", "<!-- begin", "cut off"},
		{"a.xml", "<a><b/></a>\n", ""}, {"a.xml", "\uFEFF<?xml version=\"1.0\" encoding=\"windows-1252\"?><a>\xe4</a>", ""},
		{"a.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", ""},
		{"a.tap", "Segmentation fault", "not TAP"}, {"a.txt", "Segmentation fault", ""}, {"a.csv", "Killed", ""},
		{"a.json.gz", packed.String(), ""}, {"a.json.gz", packed.String()[:20], "cut off"}, {"a.json.gz", packed.String()[:5], "cut off"},
	} {
		dir := folder(t, map[string]string{c.name: c.text})
		if got := deadBy(filepath.Join(dir, c.name)); got != c.want {
			t.Errorf("%s with %q is %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// TestCopies: of files with the same bytes one counts where a clock says that they are of
// one run. Without times every run of a suite that passes writes the same, and all count.
func TestCopies(t *testing.T) {
	const (
		timed   = `<testsuite name="s"><testcase classname="C" name="a" time="12.345"/><testcase classname="C" name="b" time="7.891"/></testsuite>`
		later   = `<testsuite name="s"><testcase classname="C" name="a" time="12.346"/><testcase classname="C" name="b" time="7.891"/></testsuite>`
		untimed = `<testsuite name="s"><testcase classname="C" name="a"/></testsuite>`
		quick   = `<testsuite name="s" timestamp="2026-01-01T12:00:00"><testcase classname="C" name="a" time="0.002"/></testsuite>`
		stamped = `<testsuite name="s" timestamp="2026-01-01T12:00:00.123"><testcase classname="C" name="a" time="0.002"/></testsuite>`
		zoned   = `<testsuites timestamp="2026-01-01T12:00:00Z"><testsuite name="s"><testcase classname="C" name="a"/></testsuite></testsuites>`
		named   = `<testsuites id="com.example.AllTests"><testsuite name="s"><testcase classname="C" name="a"/></testsuite></testsuites>`
		ofRun   = `{"evalId":"eval-18g-2026-11-21T10:34:18","results":{"version":3,"results":[{"testIdx":0,"promptIdx":0,"success":true,"vars":{"q":1}}]}}`
		ofShard = `{"type":"run","id":"pipeline-1234567890"}` + "\n" + `{"test":"a","status":"pass"}`
		sample  = `{"doc_id":1,"doc":{},"target":"a","resps":[["a"]],"filter":"none","metrics":["acc"],"acc":1.0}`
		allure  = `{"uuid":"u","historyId":"h","fullName":"x#a","name":"a","status":"passed","labels":[],"start":1795374464544,"stop":1795374464566}`
		report  = `{"schema":"tribunal/envelope/v1","run":{},"policy":{},"summary":{},"tests":[]}`
	)
	const counts, odd, passed = "info same-bytes", "warning same-input", "info passed-over"
	for reason, c := range map[string]struct {
		files map[string]string
		read  string
		told  string
	}{
		"latest beside its date":        {map[string]string{"2026-01-01.xml": timed, "latest.xml": timed}, "2026-01-01.xml", passed},
		"in another folder":             {map[string]string{"a.xml": timed, "old/b.xml": timed, "old/c.xml": timed}, "a.xml", passed},
		"times of their own":            {map[string]string{"a.xml": timed, "b.xml": later}, "a.xml b.xml", ""},
		"no times":                      {map[string]string{"a.xml": untimed, "b.xml": untimed}, "a.xml b.xml", counts},
		"two shards in one second":      {map[string]string{"a.xml": quick, "b.xml": quick}, "a.xml b.xml", counts},
		"and with a zone":               {map[string]string{"a.xml": zoned, "b.xml": zoned}, "a.xml b.xml", counts},
		"one suite by its id":           {map[string]string{"a.xml": named, "b.xml": named}, "a.xml b.xml", counts},
		"made in one thousandth of one": {map[string]string{"a.xml": stamped, "b.xml": stamped}, "a.xml", passed},
		"of one run by its id":          {map[string]string{"a.json": ofRun, "b.json": ofRun}, "a.json", passed},
		"shards of one pipeline":        {map[string]string{"a.ndjson": ofShard, "b.ndjson": ofShard}, "a.ndjson b.ndjson", counts},
		"an eval without times":         {map[string]string{"a.jsonl": sample, "b.jsonl": sample}, "a.jsonl b.jsonl", odd},
		"folders that are one input":    {map[string]string{"a/11111111-result.json": allure, "b/11111111-result.json": allure}, "a", passed},
		"envelopes":                     {map[string]string{"a.json": report, "b.json": report}, "a.json b.json", ""},
		"nothing that is read":          {map[string]string{"a.txt": "hello", "b.txt": "hello"}, "a.txt b.txt", ""},
	} {
		dir := folder(t, c.files)
		files, err := Files([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		if read, told := without(dir, files); read != c.read || told != c.told {
			t.Errorf("%s: %q are read, %q is told, want %q, %q", reason, read, told, c.read, c.told)
		}
	}
	dir := folder(t, map[string]string{"a.xml": untimed})
	name := filepath.Join(dir, "a.xml")
	if read, told := without(dir, []File{{Name: name}, {Name: name}}); read != "a.xml" || told != odd {
		t.Errorf("the very file: %q are read, %q is told", read, told)
	}
}

// without is what is read of files without their copies, and the problem that is told.
func without(dir string, files []File) (kept, told string) {
	b, c := count.NewBuilder(0, 0), CopiesAmong(files)
	var names []string
	for i, f := range files {
		if !c.Cover(i, NamesOf(files, nil), read.Options{}) {
			path, _ := filepath.Rel(dir, f.Name)
			names = append(names, filepath.ToSlash(path))
		}
	}
	c.AddProblems(b)
	var problems []string
	for _, p := range b.Run(envelope.ConflictExtend, 0).Problems {
		problems = append(problems, string(p.Severity)+" "+p.Code)
	}
	slices.Sort(names)
	return strings.Join(names, " "), strings.Join(problems, ", ")
}
