package input

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
)

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
	c.Tell(b)
	var problems []string
	for _, p := range b.Run(envelope.ConflictExtend, 0).Problems {
		problems = append(problems, string(p.Severity)+" "+p.Code)
	}
	slices.Sort(names)
	return strings.Join(names, " "), strings.Join(problems, ", ")
}
