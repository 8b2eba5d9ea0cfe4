package read_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"tribunal/envelope"
	"tribunal/read"
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

func format(t testing.TB, name string) read.Format {
	t.Helper()
	f, err := read.ByName(name)
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

func write(t *testing.T, name string, a *txtar.Archive) {
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
			write(t, filepath.Join(folder, wantFile), want)
		})
	}
}

// claims says which formats an input is of by its first bytes.
func claims(text []byte) string {
	const headSize = 64 << 10
	var names []string
	for _, f := range read.Formats {
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
			write(t, name, a)
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

// TestTries: a number of tries that nobody believes is cut.
func TestTries(t *testing.T) {
	for by, text := range map[string]string{
		"serenity":   `{"name":"a","testSteps":[{"result":"SUCCESS"}],"result":"SUCCESS","tags":[{"name":"Retries: 1000000000","type":"unstable test"}]}`,
		"mocha":      `{"stats":{},"tests":[{"fullTitle":"a","duration":1,"currentRetry":1000000000,"err":{}}]}`,
		"jest":       `{"numTotalTests":1,"numTotalTestSuites":1,"testResults":[{"name":"a.js","assertionResults":[{"title":"t","status":"passed","invocations":2000000000}]}]}`,
		"nightwatch": `{"report":{"completed":{"a":{"status":"pass","retries":1000000000}}}}`,
	} {
		if s := readtest.Text(t, format(t, by).Read, text); len(s.Trials) != 1000+1 {
			t.Errorf("%s: %d trials", by, len(s.Trials))
		}
	}
}

// eachSample calls one for every sample, with its format.
func eachSample(t testing.TB, one func(folder, name string, f read.Format, text []byte)) {
	for _, folder := range sampleFolders(t) {
		for _, section := range archive(t, filepath.Join(folder, wantFile)).Files {
			by, name, _ := strings.Cut(section.Name, " ")
			one(folder, name, format(t, by), readtest.Bytes(t, filepath.Join(folder, name)))
		}
	}
}

// TestHold puts the readers to the proof: cut files, flipped bytes, slow and failing inputs.
func TestHold(t *testing.T) {
	eachSample(t, func(folder, name string, f read.Format, text []byte) {
		t.Run(folder+"/"+name, func(t *testing.T) {
			t.Parallel()
			cutAnywhere(t, f.Sniff, f.Read, text)
			flipped(t, f.Read, text)
			slow(t, f.Read, text)
			broken(t, f.Read, text)
		})
	})
	for _, f := range read.Formats {
		garbage(t, f)
	}
}

// TestBeginnings: no beginning of a sample is taken for another format.
func TestBeginnings(t *testing.T) {
	eachSample(t, func(_, name string, of read.Format, text []byte) {
		for n := 0; n < min(len(text), 8<<10); n += 97 {
			for _, f := range read.Formats {
				if f.Name != of.Name && f.Sniff(text[:n]) {
					t.Errorf("%s, cut to %d bytes, is claimed by %s", name, n, f.Name)
				}
			}
		}
	})
}

func cutAnywhere(t *testing.T, sniff func([]byte) bool, read readtest.Reader, text []byte) {
	for cut := 0; cut < len(text); cut += max(97, len(text)/200) {
		sniff(text[:cut])
		readtest.Check(t, fmt.Sprintf("cut at %d", cut), readtest.Text(t, read, string(text[:cut])))
	}
}

func flipped(t *testing.T, read readtest.Reader, text []byte) {
	text = bytes.Clone(text)
	for at := 0; at < len(text); at += 1 + len(text)/200 {
		text[at] ^= 0x15
		readtest.Check(t, fmt.Sprintf("flipped at %d", at), readtest.Text(t, read, string(text)))
		text[at] ^= 0x15
	}
}

// slow: the result does not depend on how the input is cut into reads.
func slow(t *testing.T, read readtest.Reader, text []byte) {
	want, got := readtest.Text(t, read, string(text)), &readtest.Sink{}
	if err := read(iotest.OneByteReader(bytes.NewReader(text)), got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a byte at a time: %v, %q %q", err, got.Lines(), got.Reported())
	}
}

func broken(t *testing.T, read readtest.Reader, text []byte) {
	whole := readtest.Text(t, read, string(text)).Problems
	if slices.ContainsFunc(whole, func(p envelope.Problem) bool { return p.Code == envelope.CodeUnreadable }) {
		return // reading stops earlier
	}
	cable := errors.New("the cable is broken")
	for _, at := range []int{0, 1, len(text) / 2, len(text)} {
		s := &readtest.Sink{}
		if err := read(io.MultiReader(bytes.NewReader(text[:at]), iotest.ErrReader(cable)), s); !errors.Is(err, cable) {
			t.Errorf("broken at %d: %v", at, err)
		}
		readtest.Check(t, "broken", s)
	}
}

func garbage(t *testing.T, f read.Format) {
	for _, text := range []string{
		"", "\n", "\uFEFF", "hello\nworld\n", "\x00\xff\xfe\x01\n\n\x80", "{}", "[]", "[{}]", "null", "5", `"a"`, "{\n", "[",
		strings.Repeat("[", 200000), strings.Repeat(`{"a":`, 50000),
		`{"a":[1,2,{"b":null}]}`, `{"a":1}{"b":2}`, "[1,2]\n[3]", "<a/>", "1..2\nok 1\n",
	} {
		s := readtest.Text(t, f.Read, text)
		readtest.Check(t, text[:min(len(text), 40)], s)
		if len(s.Trials) > 0 && !f.Sniff([]byte(text)) {
			t.Errorf("%s: %.40q has trials: %q", f.Name, text, s.Lines())
		}
	}
}

// FuzzFormats fuzzes every reader, seeded with the samples and cases.
func FuzzFormats(f *testing.F) {
	number := map[string]uint8{}
	for i, known := range read.Formats {
		number[known.Name] = uint8(i)
	}
	eachSample(f, func(_, _ string, by read.Format, text []byte) { f.Add(number[by.Name], text) })
	eachCase(f, func(_, by, _, text string, _ *txtar.File) { f.Add(number[by], []byte(text)) })
	f.Add(number["ctrf"], readtest.Bytes(f, "../render/ctrf/testdata/plain.json")) // our own report
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		by := read.Formats[int(n)%len(read.Formats)]
		by.Sniff(text)
		readtest.Check(t, by.Name, readtest.Text(t, by.Read, string(text)))
	})
}
