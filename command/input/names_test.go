package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tribunal/read"
)

// TestNamesOf: what an input is called says which one it is, and not on which
// machine it lies.
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
