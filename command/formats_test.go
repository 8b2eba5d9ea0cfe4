package command

import (
	"bytes"
	"strings"
	"testing"

	"tribunal/read"
)

// TestFormatsApart: a blank stands between the longest name of a format and its words.
func TestFormatsApart(t *testing.T) {
	var out bytes.Buffer
	if code := Main([]string{"tribunal", "formats"}, Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}); code != 0 {
		t.Fatalf("exit code %d: %s", code, &out)
	}
	for _, f := range read.Formats {
		if !strings.Contains(out.String(), "\n  "+f.Name+" ") {
			t.Errorf("no line says %q and then what it is", f.Name)
		}
	}
}
