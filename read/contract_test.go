package read_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/rogpeppe/go-internal/txtar"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	_ "tribunal/read/formats"
)

// chosen are samples of our own formats, and of those with samples of several kinds.
var chosen = map[string]sample{
	"native":    {file: "../testdata/streams/problems.ndjson", trials: 3},
	"envelope":  {text: envelopeText, trials: 3},
	"tau-bench": {text: taubenchText, trials: 3},
	"promptfoo": {file: "promptfoo/testdata/gen_repeat6.jsonl", trials: 30},
	"allure":    {file: "allure/testdata/gen_one-result.json", trials: 1},
}

// samples has one whole input for every row of the table, small enough to be cut at many
// places: the smallest of its samples with three trials, or with the most.
var samples = sync.OnceValue(func() map[string]sample {
	all := maps.Clone(chosen)
	wants, _ := filepath.Glob("*/testdata/" + wantFile)
	inside, _ := filepath.Glob("*/testdata/*/" + wantFile)
	for _, want := range append(wants, inside...) {
		a, err := txtar.ParseFile(want)
		if err != nil {
			panic(err)
		}
		for _, section := range a.Files {
			by, name, _ := strings.Cut(section.Name, " ")
			s := sample{file: filepath.Join(filepath.Dir(want), name), trials: strings.Count("\n"+string(section.Data), "\ntrial ")}
			text, err := os.ReadFile(s.file)
			if err != nil || bytes.HasPrefix(text, []byte("PK")) || strings.Contains(string(section.Data), "\nerror ") {
				continue // packed, or broken
			}
			s.size = len(text)
			if best, have := all[by]; chosen[by].trials == 0 && (!have || s.enough() > best.enough() || s.enough() == best.enough() && s.size < best.size) {
				all[by] = s
			}
		}
	}
	return all
})

func (s sample) enough() int { return min(s.trials, 3) }

// sample is a file or a text, and the trials in it.
type sample struct {
	file, text   string
	trials, size int
}

const (
	envelopeText = `{"schema":"tribunal/envelope/v1","type":"header","run":{"name":"n","sources":[]},"policy":{"rule":"all"}}
{"type":"test","suite":"s","test":"t","status":"fail","rows":{"outcome":"PPF","attempt":[0,1,2]},"details":[{"trial":2,"attempt":2,"status":"fail","message":"m"}]}
{"type":"summary","summary":{"tests":1,"fail":1,"trials":{"total":3}},"metrics":[],"suites":[],"gate":{"status":"fail","exit_code":1,"reasons":[]},"problems":[]}
`
	taubenchText = `[
 {"task_id": 0, "reward": 1.0, "info": {"task": {"user_id": "x"}}, "traj": [{"role": "assistant", "tool_calls": [{"id": "1"}]}], "trial": 0},
 {"task_id": 0, "reward": 0.0, "info": {"task": {"user_id": "x"}}, "traj": [], "trial": 1},
 {"task_id": 1, "reward": 0.0, "info": {"error": "e", "traceback": "t"}, "traj": [], "trial": 0}
]
`
)

func firstBytes(t testing.TB, s sample) []byte {
	t.Helper()
	if s.file == "" {
		return []byte(s.text)
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// result is what came of reading one input.
type result struct {
	format   string
	trials   int
	problems []envelope.Problem
}

func readStream(r io.Reader, from string) result {
	b := count.NewBuilder(5, 0.5)
	format := read.Stream(b, "input", r, from)
	trials := b.Trials()
	return result{format, trials, b.Run(envelope.ConflictExtend, 5).Problems}
}

// checkProblems: every error has its input, and its line once reading began.
func checkProblems(t *testing.T, what string, got result) {
	t.Helper()
	for _, p := range got.problems {
		if strings.HasPrefix(p.Message, "reports list only ") || p.Stage != "" {
			continue // the builder's, for problems with places of their own
		}
		if p.Input != "input" || p.Line < 1 || p.Message == "" || p.Severity == "" || p.Code == "" {
			t.Errorf("%s: %+v", what, p)
		}
	}
}

func eachRow(t *testing.T, check func(t *testing.T, f read.Format, text []byte, trials int)) {
	for _, f := range read.Formats {
		s, ok := samples()[f.Name]
		if !ok {
			t.Errorf("no sample for %s", f.Name)
			continue
		}
		t.Run(f.Name, func(t *testing.T) { check(t, f, firstBytes(t, s), s.trials) })
	}
}

func TestRowsAreComplete(t *testing.T) {
	eachRow(t, func(t *testing.T, f read.Format, text []byte, trials int) {
		if f.Name == "" || f.Doc == "" || strings.ToLower(f.Name) != f.Name || f.Sniff == nil || f.Read == nil || !slices.Contains(read.Families, f.Family) {
			t.Errorf("%+v", f)
		}
		befores := []string{"", "\uFEFF", strings.Repeat("\n ", 9)}
		if f.Name == "tap" {
			befores = befores[:2] // blanks before a point make it a subtest's
		}
		for _, before := range befores {
			for _, from := range []string{"", f.Name} {
				got := readStream(iotest.OneByteReader(strings.NewReader(before+string(text))), from)
				if got.format != f.Name || got.trials != trials {
					t.Errorf("behind %q read as %q, %d trials, want %d", before, got.format, got.trials, trials)
				}
				checkProblems(t, "whole", got)
			}
		}
	})
}

func TestOnlyOneRowClaimsAFile(t *testing.T) {
	eachRow(t, func(t *testing.T, f read.Format, text []byte, _ int) {
		for _, other := range read.Formats {
			if got := other.Sniff(text); got != (other.Name == f.Name) {
				t.Errorf("%s says %v of a sample of %s", other.Name, got, f.Name)
			}
		}
	})
}

// TestBytesComeAsTheyLike: the result does not depend on how the input is cut
// into reads.
func TestBytesComeAsTheyLike(t *testing.T) {
	eachRow(t, func(t *testing.T, f read.Format, text []byte, _ int) {
		want := readStream(bytes.NewReader(text), "")
		for _, way := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			if got := readStream(way(bytes.NewReader(text)), ""); got.trials != want.trials || !slices.Equal(got.problems, want.problems) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		}
	})
}

// saysSo are the trials that stand for what is missing of an input that was cut: a broken
// plan, a scan without its end.
var saysSo = map[string]int{"tap": 1, "garak": 1}

func TestCutFiles(t *testing.T) {
	eachRow(t, func(t *testing.T, f read.Format, text []byte, trials int) {
		cuts := 100
		if testing.Short() {
			cuts = 10
		}
		for cut := 0; cut < len(text); cut += max(97, len(text)/cuts) {
			for _, from := range []string{"", f.Name} {
				got := readStream(bytes.NewReader(text[:cut]), from)
				checkProblems(t, "cut", got)
				if most := trials + saysSo[f.Name]; got.trials > most {
					t.Errorf("%d trials of %d bytes", got.trials, cut)
				}
			}
		}
	})
}

func TestGarbage(t *testing.T) {
	inputs := map[string]string{
		"text":     "hello\nworld\n",
		"binary":   "\x00\xff\xfe\x01\n\n\x80",
		"brackets": strings.Repeat("[{", 50000),
		"quotes":   strings.Repeat(`"`, 50000),
		"braces":   strings.Repeat("{\n", 50000),
		"other":    `{"a":[1,2,{"b":null}]}`,
		"zip":      "PK\x03\x04rest",
	}
	eachRow(t, func(t *testing.T, f read.Format, text []byte, _ int) {
		for what, input := range inputs {
			got := readStream(strings.NewReader(input), f.Name)
			silent := len(got.problems) == 0 && what != "other" && f.Name != "tap" // a document without trials, or a log without points
			if got.trials != 0 || silent || got.format != f.Name {
				t.Errorf("%s: %+v", what, got)
			}
			checkProblems(t, what, got)
		}
		flipped := bytes.Clone(text)
		places := 150
		if testing.Short() {
			places = 15
		}
		for i := 0; i < len(flipped); i += 1 + len(flipped)/places {
			flipped[i] ^= 0x15
			checkProblems(t, "flipped", readStream(bytes.NewReader(flipped), f.Name))
			flipped[i] ^= 0x15
		}
	})
}

func TestEmpty(t *testing.T) {
	eachRow(t, func(t *testing.T, f read.Format, _ []byte, _ int) {
		for _, text := range []string{"", "\n", "\uFEFF"} {
			got := readStream(strings.NewReader(text), f.Name)
			if got.trials != 0 || got.format != f.Name {
				t.Errorf("%+v", got)
			}
			checkProblems(t, "empty", got)
		}
	})
}

// whole are formats of which nothing is read unless all of it is there.
var whole = []string{"envelope", "bfcl", "playwright-html"}

// TestReadErrors: an error in the middle is told, with what came before kept.
func TestReadErrors(t *testing.T) {
	broken := errors.New("the cable is broken")
	eachRow(t, func(t *testing.T, f read.Format, text []byte, trials int) {
		for _, at := range []int{0, 1, len(text) / 2, len(text) - 1, len(text)} {
			got := readStream(io.MultiReader(bytes.NewReader(text[:at]), iotest.ErrReader(broken)), f.Name)
			checkProblems(t, "broken", got)
			if !slices.ContainsFunc(got.problems, func(p envelope.Problem) bool {
				return p.Severity == envelope.SeverityError && p.Code == envelope.CodeUnreadable && strings.Contains(p.Message, broken.Error())
			}) {
				t.Errorf("broken at %d: %+v", at, got.problems)
			}
			if at == len(text) && got.trials < trials && !slices.Contains(whole, f.Name) {
				t.Errorf("%d of %d trials are left", got.trials, trials)
			}
		}
		if got := readStream(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(text))), f.Name); len(got.problems) == 0 || got.trials != 0 {
			t.Errorf("an error that does not come again is lost: %+v", got)
		}
	})
}
