package input

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestJoined: the results of Allure in a folder are one input, and what lies beside
// them belongs to them; files of others with such names are left as they are.
func TestJoined(t *testing.T) {
	result := func(uuid string) string {
		return `{"uuid":"` + uuid + `","name":"a","historyId":"h","stage":"finished","status":"passed"}`
	}
	dir := folder(t, map[string]string{
		"r/00000001-a-result.json": result("1"), "r/00000002-a-result.json": result("2"), "r/00000003-a-container.json": `{"uuid":"3","children":[]}`,
		"r/00000004-a-attachment.json": `{"test":"x","status":"fail"}`, "r/trials.ndjson": `{"test":"x","status":"fail"}`,
		"other/00000001-b-result.json": `{"test":"y","status":"pass"}`,
	})
	files, err := Files([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, f := range files {
		name, _ := filepath.Rel(dir, f.Name)
		got[filepath.ToSlash(name)] = f.beside
	}
	want := map[string]bool{"r": false, "r/00000003-a-container.json": true, "r/00000004-a-attachment.json": true, "r/trials.ndjson": false, "other/00000001-b-result.json": false}
	for name, beside := range want {
		if is, there := got[name]; !there || is != beside || len(got) != len(want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	for _, f := range files {
		if filepath.Base(f.Name) != "r" {
			continue
		}
		text, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(text)
		if want := "\x1e" + result("1") + "\x1e" + result("2"); string(all) != want || err != nil {
			t.Errorf("%q %v", all, err)
		}
	}
}

// TestBesideSuites: what tests left in a folder of Allure 1 is none of its inputs, even where
// it is of a format.
func TestBesideSuites(t *testing.T) {
	const suite = `<ns2:test-suite xmlns:ns2="urn:model.allure.qatools.yandex.ru"/>`
	for _, c := range []struct {
		suite, beside string
		want          bool
	}{
		{suite, "00000002-a-attachment.txt", true},
		{suite, "trials.ndjson", false},
		{`<testsuite name="another runner's"/>`, "00000002-a-attachment.txt", false},
	} {
		dir := folder(t, map[string]string{"00000001-a-testsuite.xml": c.suite, c.beside: `{"test":"x","status":"fail"}`})
		files, err := Files([]string{dir})
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			if is := filepath.Base(f.Name) == c.beside; f.beside != (is && c.want) {
				t.Errorf("%+v: %s is beside them: %v", c, f.Name, f.beside)
			}
		}
	}
}

// TestAFolderThatIsNamedTwice: each of its tries is in the input once.
func TestAFolderThatIsNamedTwice(t *testing.T) {
	const name = "00000001-a-result.json"
	dir := folder(t, map[string]string{"r/" + name: `{"uuid":"1","name":"a","historyId":"h","stage":"finished","status":"passed"}`,
		"report/data/test-cases/0000000a.json": `{"uid":"0000000a","name":"a","historyId":"h","fullName":"a","flaky":false,"status":"passed","time":{"start":1,"stop":2}}`})
	for _, args := range [][]string{{"r", "r"}, {"r", "r/" + name}, {"report", "report"}, {"report/data", "report"}} {
		for i := range args {
			args[i] = filepath.Join(dir, args[i])
		}
		files, err := Files(args)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if len(f.parts) != 1 || f.again {
				t.Errorf("%v: %+v", args, f)
			}
		}
	}
}

// TestPackagesOfOthers: what npm installed below a folder is none of its results, unless
// somebody names it.
func TestPackagesOfOthers(t *testing.T) {
	dir := folder(t, map[string]string{"a.ndjson": "{}", "web/node_modules/p/b.ndjson": "{}", "web/node_modules.ndjson": "{}"})
	for name, want := range map[string][]string{".": {"a.ndjson", "web/node_modules.ndjson"}, "web/node_modules": {"web/node_modules/p/b.ndjson"}} {
		files, err := Files([]string{filepath.Join(dir, name)})
		var got []string
		for _, f := range files {
			path, _ := filepath.Rel(dir, f.Name)
			got = append(got, filepath.ToSlash(path))
		}
		if !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: got %q %v, want %q", name, got, err, want)
		}
	}
}

// folder is a folder with these files, by their paths in it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
