package read

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"tribunal/read/internal/readtest"
)

var update = flag.Bool("update", false, "write what is read of samples and cases as what is expected; read each change")

// A folder of samples has them beside want.txtar, which has for each of them "FORMAT FILE" and
// all that is read of it. In cases.txtar each case is "FORMAT: reason" with its text and, behind
// it, what is read of it, or "head: reason" with the beginning of an input and which format
// claims it. The last line end is not part of a text; one that is "(quoted)" is so as in Go.
const (
	wantFile  = "want.txtar"
	casesFile = "cases.txtar"
)

// sampleFolders are the folders of samples. Those of our own formats have tests of their own.
func sampleFolders(t testing.TB) []string {
	t.Helper()
	all, _ := filepath.Glob("*/testdata")
	all = slices.DeleteFunc(all, func(name string) bool { // flat has a folder a format
		return slices.Contains([]string{"mapped", "native", "envelope", "flat"}, filepath.Dir(name))
	})
	inside, _ := filepath.Glob("*/testdata/*/" + wantFile)
	for _, name := range inside {
		all = append(all, filepath.Dir(name))
	}
	if len(all) < 60 {
		t.Fatalf("%d folders of samples", len(all))
	}
	return all
}

// samplesIn are the files of a folder but for what is said of them.
func samplesIn(t testing.TB, folder string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if ext := filepath.Ext(f.Name()); !f.IsDir() && ext != ".md" && ext != ".txtar" {
			names = append(names, f.Name())
		}
	}
	return names
}

func archive(t testing.TB, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		if *update {
			return &txtar.Archive{}
		}
		t.Fatal(err)
	}
	return a
}

func format(t testing.TB, name string) Format {
	t.Helper()
	f, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// check compares a section with what is read, or writes it there.
func check(t *testing.T, section *txtar.File, got string) {
	t.Helper()
	if *update {
		section.Data = []byte(got)
	} else if diff := cmp.Diff(string(section.Data), got); diff != "" {
		t.Errorf("write it with -run 'Samples|Cases' -update, and read what is new (-want +got):\n%s", diff)
	}
}

func written(t *testing.T, name string, a *txtar.Archive) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// TestSamples: of every sample all is read that its want says, and its format alone claims it.
func TestSamples(t *testing.T) {
	for _, folder := range sampleFolders(t) {
		t.Run(filepath.ToSlash(folder), func(t *testing.T) {
			want := archive(t, filepath.Join(folder, wantFile))
			var named []string
			for i := range want.Files {
				section := &want.Files[i]
				by, name, _ := strings.Cut(section.Name, " ")
				named = append(named, name)
				t.Run(name, func(t *testing.T) {
					f, text := format(t, by), readtest.Bytes(t, filepath.Join(folder, name))
					check(t, section, described(readtest.Text(t, f.Read, string(text))))
					if who := claims(text); who != "claimed by "+f.Name+"\n" {
						t.Errorf("it is %s", who)
					}
				})
			}
			if names := samplesIn(t, folder); !slices.Equal(names, named) {
				t.Errorf("expected is something of %q, and there are %q", named, names)
			}
			written(t, filepath.Join(folder, wantFile), want)
		})
	}
}

// claims says which formats an input is of by its first bytes.
func claims(text []byte) string {
	const headSize = 64 << 10
	var names []string
	for _, f := range Formats {
		if f.Sniff(text[:min(len(text), headSize)]) {
			names = append(names, f.Name)
		}
	}
	if names == nil {
		return "claimed by nobody\n"
	}
	return "claimed by " + strings.Join(names, ", ") + "\n"
}

// eachCase calls one for every case.
func eachCase(t testing.TB, one func(folder, by, reason, text string, want *txtar.File)) {
	names, _ := filepath.Glob("*/testdata/" + casesFile)
	inside, _ := filepath.Glob("*/testdata/*/" + casesFile)
	for _, name := range append(names, inside...) {
		a := archive(t, name)
		for i := 0; i+1 < len(a.Files); i += 2 {
			by, reason, _ := strings.Cut(a.Files[i].Name, ": ")
			text := strings.TrimSuffix(string(a.Files[i].Data), "\n")
			if strings.HasSuffix(reason, " (quoted)") {
				whole, err := strconv.Unquote(text)
				if err != nil {
					t.Fatalf("%s: %s: %v", name, reason, err)
				}
				text = whole
			}
			one(strings.Replace(filepath.ToSlash(filepath.Dir(name)), "/testdata", "", 1), by, reason, text, &a.Files[i+1])
		}
		if t, is := t.(*testing.T); is {
			written(t, name, a)
		}
	}
}

// TestCases: of odd and broken texts all is read that is expected.
func TestCases(t *testing.T) {
	eachCase(t, func(folder, by, reason, text string, want *txtar.File) {
		t.Run(folder+"/"+reason, func(t *testing.T) {
			if by == "head" {
				check(t, want, claims([]byte(text)))
				return
			}
			check(t, want, described(readtest.Text(t, format(t, by).Read, text)))
		})
	})
}
