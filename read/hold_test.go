package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rogpeppe/go-internal/txtar"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// eachSample calls one for every sample, with its format.
func eachSample(t testing.TB, one func(folder, name string, f Format, text []byte)) {
	for _, folder := range sampleFolders(t) {
		for _, section := range archive(t, filepath.Join(folder, wantFile)).Files {
			by, name, _ := strings.Cut(section.Name, " ")
			one(folder, name, format(t, by), readtest.Bytes(t, filepath.Join(folder, name)))
		}
	}
}

// TestHold puts the readers to the proof: cut files, flipped bytes, slow and failing inputs.
func TestHold(t *testing.T) {
	eachSample(t, func(folder, name string, f Format, text []byte) {
		t.Run(folder+"/"+name, func(t *testing.T) {
			t.Parallel()
			cutAnywhere(t, f.Sniff, f.Read, text)
			flipped(t, f.Read, text)
			slow(t, f.Read, text)
			broken(t, f.Read, text)
		})
	})
	for _, f := range Formats {
		garbage(t, f)
	}
}

// TestBeginnings: no beginning of a sample is taken for another format.
func TestBeginnings(t *testing.T) {
	eachSample(t, func(_, name string, of Format, text []byte) {
		for n := 0; n < min(len(text), 8<<10); n += 97 {
			for _, f := range Formats {
				if f.Name != of.Name && f.Sniff(text[:n]) {
					t.Errorf("%s, cut to %d bytes, is claimed by %s", name, n, f.Name)
				}
			}
		}
	})
}

func cutAnywhere(t *testing.T, sniff func([]byte) bool, read readtest.Reader, text []byte) {
	const step = 97
	for cut := 0; cut < len(text); cut += step {
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
		t.Errorf("a byte at a time: %v, %q %q", err, got.Lines(), got.Told())
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

func garbage(t *testing.T, f Format) {
	for _, text := range []string{
		"", "\n", "\uFEFF", "hello\nworld\n", "\x00\xff\xfe\x01\n\n\x80", "{}", "[]", "[{}]", "null", "5", `"a"`, "{\n", "[",
		strings.Repeat("[{", 50000), strings.Repeat("[", 200000), strings.Repeat(`{"a":`, 50000), strings.Repeat(`"`, 50000), strings.Repeat("{\n", 50000),
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
	for i, known := range Formats {
		number[known.Name] = uint8(i)
	}
	eachSample(f, func(_, _ string, by Format, text []byte) { f.Add(number[by.Name], text) })
	eachCase(f, func(_, by, _, text string, _ *txtar.File) { f.Add(number[by], []byte(text)) })
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		by := Formats[int(n)%len(Formats)]
		by.Sniff(text)
		readtest.Check(t, by.Name, readtest.Text(t, by.Read, string(text)))
	})
}
