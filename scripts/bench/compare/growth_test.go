package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/render"
	"tribunal/scripts/bench/stream"
)

// TestGrowth holds the program to time in proportion to its input. A clock
// cannot show that on a busy machine, so what is counted is statements: the
// program is built as for test coverage, which counts how often each runs; it has
// one processor each time, so that plain counters lose nothing and atomic ones,
// which cost twice, need not be had. Every case runs on next to nothing, on an
// input, and on one four times as large, and writes every format.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of processor time")
	}
	g := grower{T: t, dir: t.TempDir()}
	g.program = filepath.Join(g.dir, "tribunal")
	build := exec.Command("go", "build", "-cover", "-covermode=count", "-coverpkg=tribunal/...", "-o", g.program, ".")
	build.Dir = filepath.Join("..", "..", "..") // the program's own module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building for coverage: %v\n%s", err, out)
	}
	for _, c := range growthCases {
		t.Run(c.what, func(t *testing.T) {
			g.T = t
			nothing, one, four := g.statements(c, 0), g.statements(c, 1), g.statements(c, 4)
			total, all := [3]float64{}, slices.Sorted(maps.Keys(four))
			for _, pkg := range all {
				n := [3]float64{nothing[pkg], one[pkg], four[pkg]}
				for i := range n {
					total[i] += n[i]
				}
				if n[2] > noticed && times(n) > inPackage {
					t.Errorf("4 times the %s: %.2f times the statements of %s (%.0f, %.0f, %.0f)", c.what, times(n), pkg, n[0], n[1], n[2])
				}
			}
			t.Logf("4 times the %s: %.2f times the statements (%.0f, %.0f, %.0f)", c.what, times(total), total[0], total[1], total[2])
			if times(total) > inAll {
				t.Errorf("4 times the %s: %.2f times the statements", c.what, times(total))
			}
		})
	}
}

const (
	inAll     = 4.4 // the promise
	inPackage = 5   // one that mostly sorts takes 4 times and a logarithm
	noticed   = 1e6 // statements of a package that matter
)

// times is how much more four times the input takes, less what the program does
// without any.
func times(n [3]float64) float64 { return (n[2] - n[0]) / max(n[1]-n[0], 1) }

// growthCase is one way to grow.
type growthCase struct {
	what  string
	write func(io.Writer, stream.Options) error
	by    func(n int) stream.Options
	again bool // the envelope of the stream is merged with the stream itself
}

// The sizes are such that a loop in a loop, even one that does a fiftieth of the
// work in the smaller run, shows; and such that both runs are on the same side of
// every limit behind which something is done in another way, such as the 2000
// tests up to which a page has all its tests as HTML, or the 16 labels up to which
// a trial is read the quick way.
var growthCases = []growthCase{
	{what: "trials", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 16_000 * n, Tests: 100} }},
	{what: "tests", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 8000 * n, Tests: 4000 * n, Suites: 20} }},
	{what: "suites", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 3000 * n, Tests: 3000 * n, Suites: 3000 * n} }},
	{what: "labels", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 2000, Tests: 500, Labels: 20 * n} }},
	{what: "labels of one trial", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 4, Tests: 4, Labels: 10_000 * n} }},
	{what: "output of one trial", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 40, Tests: 40, Output: 200_000 * n} }},
	{what: "problems", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 8000 * n, Tests: 50, Problems: 8000 * n} }},
	{what: "output", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 4000, Tests: 400, Output: 500 * n} }},
	{what: "words", write: distinctWords, by: func(n int) stream.Options { return stream.Options{Trials: 3000 * n} }},
	{what: "tests of go test", write: stream.GoTest, by: func(n int) stream.Options { return stream.Options{Trials: 2500 * n, Suites: 10 * n, Output: 200} }},
	{what: "tests of one package", write: stream.GoTest, by: func(n int) stream.Options { return stream.Options{Trials: 2500 * n, Suites: 1, Output: 200} }},
	{what: "tests merged", write: stream.Trials, by: func(n int) stream.Options { return stream.Options{Trials: 3000 * n, Tests: 3000 * n} }, again: true},
}

// distinctWords writes trials that share no word: each has a test, a class and a
// status of its own.
// The numbers have the same length in each size: one more digit makes some words long
// enough to be looked at as secrets, which is a step and no growth.
func distinctWords(w io.Writer, o stream.Options) error {
	for i := range o.Trials {
		if _, err := fmt.Fprintf(w, `{"suite":"s","test":"t%05d","run":"r%05d","status":"fail","raw_status":"raw %05d","error_class":"class %05d","message":"m"}`+"\n", i, i, i, i); err != nil {
			return err
		}
	}
	return nil
}

type grower struct {
	*testing.T
	dir, program string
}

// statements runs a case at a size and returns how many statements of each
// package ran.
func (g *grower) statements(c growthCase, n int) map[string]float64 {
	g.Helper()
	var b bytes.Buffer
	o := c.by(max(n, 1))
	if n == 0 {
		o = stream.Options{Trials: 1}
	}
	if err := c.write(&b, o); err != nil {
		g.Fatal(err)
	}
	input := filepath.Join(g.dir, "input.json")
	if err := os.WriteFile(input, b.Bytes(), 0o644); err != nil {
		g.Fatal(err)
	}
	args := []string{input}
	if c.again {
		first := filepath.Join(g.dir, "first.json")
		g.run(filepath.Join(g.dir, "counters"), []string{input}, []string{"json=" + first})
		args = []string{first, input}
	}
	var outputs []string
	for _, f := range render.Formats.Names() {
		outputs = append(outputs, f+"="+filepath.Join(g.dir, "out-"+f))
	}
	return g.run(filepath.Join(g.dir, "counters"), args, outputs)
}

// run runs the program and returns its counters by package.
func (g *grower) run(counters string, inputs, outputs []string) map[string]float64 {
	g.Helper()
	if err := os.MkdirAll(counters, 0o755); err != nil {
		g.Fatal(err)
	}
	args := append([]string{"report", "--no-config"}, inputs...)
	for _, o := range outputs {
		args = append(args, "-o", o)
	}
	cmd := exec.Command(g.program, args...)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+counters, "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 2) {
		g.Fatalf("%v\n%s", err, out)
	}
	defer os.RemoveAll(counters)
	return g.counted(counters)
}

// counted reads the counters: a line is FILE:PLACE STATEMENTS TIMES.
func (g *grower) counted(counters string) map[string]float64 {
	g.Helper()
	listing := filepath.Join(g.dir, "counters.txt")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+listing).CombinedOutput(); err != nil {
		g.Fatalf("go tool covdata: %v\n%s", err, out)
	}
	file, err := os.Open(listing)
	if err != nil {
		g.Fatal(err)
	}
	defer file.Close()
	byPackage := map[string]float64{}
	for in := bufio.NewScanner(file); in.Scan(); {
		var statements, times float64
		name, rest, _ := strings.Cut(in.Text(), ":")
		if _, err := fmt.Sscanf(rest[strings.IndexByte(rest, ' ')+1:], "%g %g", &statements, &times); err == nil {
			byPackage[path.Dir(name)] += statements * times
		}
	}
	if len(byPackage) == 0 {
		g.Fatal("the program counted nothing")
	}
	return byPackage
}
