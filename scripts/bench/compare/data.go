package main

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"tribunal/scripts/bench/stream"
)

// data is one stream, and what is in it where that is known beforehand.
type data struct {
	name   string
	ending string // of its file, json without one
	write  func(io.Writer, stream.Options) error
	tally  stream.Tally
	stream.Options
}

// streams are the data, divided by what makes a quick look quick.
func streams(by int) []data {
	trials := func(name string, o stream.Options) data {
		o.Seed, o.Trials = 1, o.Trials/by
		return data{name: name, write: stream.Trials, Options: o}
	}
	all := []data{
		trials("long", stream.Options{Trials: 1_000_000, Tests: 2000, Output: 660}),
		trials("short", stream.Options{Trials: 2_000_000, Tests: 20_000}),
		trials("tests", stream.Options{Trials: 2_000_000, Tests: 1_000_000 / by}),
		trials("bare", stream.Options{Trials: 10_000, Tests: 500 / by}),
		trials("stepped", stream.Options{Trials: 10_000, Tests: 500 / by, Calls: 10}),
	}
	gotest := data{name: "gotest", write: stream.GoTest, Options: stream.Options{Seed: 1, Trials: 60_000 / by, Output: 850}}
	gotest.tally = stream.Tally{Tests: gotest.Trials, Trials: gotest.Trials}
	all = append(all, gotest)
	for _, r := range stream.Reports {
		d := data{name: r.String(), ending: r.File, write: r.Write, Options: stream.Options{Seed: 1, Trials: r.Trials / by, Output: 800}}
		d.tally = r.Tally(d.Options)
		all = append(all, d)
	}
	return all
}

// file is named after all that makes the stream: its options, and a small stream of
// the same kind that changes whenever the generator does.
func (b *bench) file(d data) string {
	small, sum := d.Options, sha256.New()
	small.Trials = min(small.Trials, 100)
	if err := d.write(sum, small); err != nil {
		panic(err) // the options are ours, and a sum takes everything
	}
	fmt.Fprintf(sum, "%+v", d.Options)
	return b.path("data", fmt.Sprintf("%s-%x.%s", d.name, sum.Sum(nil)[:6], cmp.Or(d.ending, "json")))
}

// generate writes the stream unless it is there, and says whether it did. The file appears whole.
func (b *bench) generate(d data) (made bool, err error) {
	path := b.file(d)
	if _, err := os.Stat(path); err == nil {
		return false, nil
	}
	part, err := os.Create(path + ".part")
	if err != nil {
		return false, err
	}
	err = d.write(part, d.Options)
	if closing := part.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return false, fmt.Errorf("cannot generate %s: %w", path, err)
	}
	return true, os.Rename(path+".part", path)
}

// versions are the peers. Newer ones may be faster: raise them together with RESULTS.md.
var versions = []string{"@duckdb/node-api@1.5.6-r.1", "github.com/jstemmer/go-junit-report/v2@v2.1.0", "gotest.tools/gotestsum@v1.13.0",
	"junit2json@4.0.0", "tap-parser@18.3.4"}

//go:embed duckdb.mjs
var duckdb []byte

// install builds the program as it is released, and gets the peers.
func (b *bench) install() error {
	for _, folder := range []string{"bin", "data", "out"} {
		if err := os.MkdirAll(b.path(folder), 0o755); err != nil {
			return err
		}
	}
	commands := [][]string{{"go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.path("bin", "tribunal"), "tribunal"}}
	if !b.ours {
		if err := os.WriteFile(b.path("duckdb.mjs"), duckdb, 0o644); err != nil {
			return err
		}
		commands = append(commands, []string{"npm", "install", "--prefix", b.cache, "--no-audit", "--no-fund", "--ignore-scripts",
			"--loglevel=error",
			versions[0], versions[3], versions[4]}, []string{"go", "install", versions[1]}, []string{"go", "install", versions[2]})
	}
	for _, argv := range commands {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "GOBIN="+b.path("bin"))
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w\nif another tool cannot be installed, leave the others out with -ours", cmd, err)
		}
	}
	return nil
}

// jobs are the answers to one stream.
func (b *bench) jobs(d data) []job {
	file := b.file(d)
	of := func(name string, argv ...string) job {
		return job{name: d.name + ": " + name, argv: argv, reads: file, out: b.out(d, name)}
	}
	keep := "3" // the default
	if d.name == "stepped" {
		keep = "none" // its paths of calls are measured, and not the conversations in which they stand
	}
	report := func(format, input string) job {
		return of(format, b.path("bin", "tribunal"), "report", "--no-config", "--keep-transcripts", keep, input, "-f", format)
	}
	peer := func(name string) string { return b.path("node_modules", ".bin", name) }
	jobs := []job{of("wc -l", "wc", "-l", file), report("minimal", file)}
	if d.ending == "" {
		jobs = append(jobs, report("junit", file))
	}
	if d.tally.Tests == 0 { // trials
		again := report("json", b.out(d, "json"))
		again.name, again.out = d.name+": json again", b.out(d, "json again")
		jobs = append(jobs, report("json", file), again)
	}
	if b.ours {
		return jobs
	}
	switch d.name {
	case "long", "short":
		for _, question := range []string{"counts", "lists"} {
			jobs = append(jobs, of("duckdb "+question, "node", b.path("duckdb.mjs"), question, file, b.out(d, "duckdb "+question)))
		}
	case "gotest":
		jobs = append(jobs, of("go-junit-report", b.path("bin", "go-junit-report"), "-parser", "gojson", "-in", file),
			of("gotestsum", b.path("bin", "gotestsum"), "--format", "dots", "--junitfile", b.out(d, "gotestsum.xml"), "--raw-command", "--", "cat",
				file))
	case "junit":
		jobs = append(jobs, of("junit2json", peer("junit2json"), file))
	case "tap":
		jobs = append(jobs, of("tap-parser", "sh", "-c", `exec "$0" -f -j 0 < "$1"`, peer("tap-parser"), file))
	}
	return jobs
}

func (b *bench) out(d data, name string) string {
	return b.path("out", strings.ReplaceAll(d.name+"-"+name, " ", "-"))
}

// counted is what a minimal report says.
var counted = regexp.MustCompile(`^([\d,]+) tests: .*; ([\d,]+) of ([\d,]+) trials passed`)

// agree checks that we counted what was made, and that DuckDB found as many tests.
func (b *bench) agree(d data, jobs []job) error {
	line, err := os.ReadFile(b.out(d, "minimal"))
	if err != nil {
		return err
	}
	found := counted.FindSubmatch(line)
	if found == nil {
		return fmt.Errorf("the report has no counts: %q", line)
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(strings.ReplaceAll(string(found[i]), ",", ""))
		return n
	}
	if t := d.tally; t.Passed > 0 && (number(1) != t.Tests || number(2) != t.Passed || number(3) != t.Trials-t.Skipped) {
		return fmt.Errorf("the report says %q, but %+v were generated", line, t)
	}
	if b.ours || d.name != "long" && d.name != "short" {
		return nil
	}
	rows, err := os.ReadFile(filepath.Clean(b.out(d, "duckdb counts")))
	if n := strings.Count(string(rows), "\n"); err == nil && n != number(1) {
		err = fmt.Errorf("DuckDB counts %d tests, but the report says %q", n, line)
	}
	return err
}
