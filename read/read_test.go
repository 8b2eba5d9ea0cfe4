package read

import (
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	for _, f := range Formats {
		if got, err := ByName(f.Name); err != nil || got.Name != f.Name {
			t.Errorf("ByName(%s) = %s, %v", f.Name, got.Name, err)
		}
	}
	cases := []struct{ name, part, reason string }{
		{"natve", "did you mean native?", "a letter is missing"},
		{"taubench", "did you mean tau-bench", "a sign is missing"},
		{"junit-xml-report", "known are ", "nothing is near"},
		{"", "known are", "no name"},
		{strings.Repeat("n", 10<<20), "known are", "a name of 10 MB"},
		{"\x1b[31m", `"\x1b[31m"`, "a hostile name"},
	}
	for _, c := range cases {
		_, err := ByName(c.name)
		if err == nil || !strings.Contains(err.Error(), c.part) || len(err.Error()) > 1000 {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

func TestDetect(t *testing.T) {
	cases := []struct {
		head, want, reason string
	}{
		{"", "native", "an empty input is a stream without trials"},
		{"\uFEFF \r\n\t", "native", "so are blanks"},
		{"\uFEFF" + `{"test":"a","status":"pass"}`, "native", "a byte order mark"},
		{`{"schema":"tribunal/envelope/v1","type":"header"}` + "\n" + `{"type":"test","test":"a","status":"pass"}`, "envelope", "the lines of an envelope look like trials"},
		{`[{"task_id":0,"reward":1,"trial":0}]`, "tau-bench", "an array"},
		{"{\"schema\":\"tribunal/envelope/v1\",\n \"tests\":[\n  {\"suite\":\"s\",\"test\":\"a\",\"status\":\"pass\"},\n", "envelope", "a document whose lines look like trials, cut"},
		{"hello", "", "a text"},
		{"<coverage/>", "", "XML of another kind"},
		{"\x00\x01\x02", "", "no text"},
	}
	for _, c := range cases {
		f, ok := Detect([]byte(c.head))
		if f.Name != c.want || ok != (c.want != "") {
			t.Errorf("Detect(%q) = %s, %v, want %s: %s", c.head, f.Name, ok, c.want, c.reason)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, s := range samples() {
		f.Add(firstBytes(f, s))
	}
	f.Add([]byte("\uFEFF[{\"task_id\":"))
	f.Fuzz(func(t *testing.T, head []byte) {
		found, ok := Detect(head)
		if ok != (found.Name != "") {
			t.Errorf("%q, %v", found.Name, ok)
		}
		claims := 0
		for _, format := range Formats {
			if format.Sniff(head) {
				claims++
			}
		}
		if claims > 1 && !strings.Contains(string(head), "tribunal/") {
			t.Errorf("%d formats claim %q", claims, head)
		}
	})
}
