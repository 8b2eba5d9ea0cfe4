package input

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"testing"
)

// TestWhatARunnerLeftThatDied tells it from what others wrote whole, even where that is not
// quite of its ending.
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
		{"a.json", "Segmentation fault", "no JSON"}, {"a.jsonl", "[error] core dumped", "no JSON"}, {"a.JSON", "Killed", "no JSON"},
		{"a.json", `{"a":1}`, ""}, {"a.json", "\uFEFF[1]", ""}, {"a.json", "true", ""}, {"a.ndjson", "{\"a\":1}\n{\"b\":2}\n", ""},
		{"a.json", "// of the editor\n{}", ""}, {"a.json", "{\n// of the editor\n\"a\": 1,\n}", ""}, {"a.json", "[ // of the editor\n]", ""},
		{"a.json", "{a: 'b',}", ""},
		{"a.xml", "Segmentation fault", "no XML"}, {"a.xml", "<?xml version=\"1.0\"?>\n", "cut off"}, {"a.xml", "<a><b/>", "cut off"},
		{"a.xml", `<a b="c`, "cut off"}, {"a.trx", "<a>text", "cut off"}, {"a.xml", "<!-- begin", "cut off"},
		{"a.xml", "<a><b/></a>\n", ""}, {"a.xml", "\uFEFF<?xml version=\"1.0\" encoding=\"windows-1252\"?><a>\xe4</a>", ""},
		{"a.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", ""},
		{"a.tap", "Segmentation fault", "no TAP"}, {"a.txt", "Segmentation fault", ""}, {"a.csv", "Killed", ""},
		{"a.json.gz", packed.String(), ""}, {"a.json.gz", packed.String()[:20], "cut off"}, {"a.json.gz", packed.String()[:5], "cut off"},
	} {
		dir := folder(t, map[string]string{c.name: c.text})
		if got := deadBy(filepath.Join(dir, c.name)); got != c.want {
			t.Errorf("%s with %q is %q, want %q", c.name, c.text, got, c.want)
		}
	}
}
