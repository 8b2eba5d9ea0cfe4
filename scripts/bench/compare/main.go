// Command compare measures Tribunal beside its peers on made-up streams.
//
//	./scripts/bench/run          # everything; writes scripts/bench/RESULTS.md
//	./scripts/bench/run -quick   # a twentieth of the data and two runs, for a look
//	./scripts/bench/run -ours    # only Tribunal, without the other tools
//	./scripts/bench/run -only short
//
// It makes the data, installs the peers, lets all of them answer in turns, checks
// that they found the same, and compares medians of whole processes. The peers are
// DuckDB, go-junit-report and gotestsum, junit2json and tap-parser, and wc as the limit
// of the machine. Data and peers are kept in a cache folder.
//
// It needs Go, npm with Node, and a Unix. The tests of this folder hold the program
// to time in proportion to its input by counting statements.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	cache, _ := os.UserCacheDir() // without one, -cache must be given
	b := bench{samples: map[string][]sample{}}
	quick := flag.Bool("quick", false, "a twentieth of the data and two runs: for a look")
	flag.BoolVar(&b.ours, "ours", false, "measure only Tribunal, not the other tools")
	flag.StringVar(&b.only, "only", "", "only the streams with this `TEXT` in their names")
	flag.StringVar(&b.cache, "cache", filepath.Join(cache, "tribunal-bench"), "`FOLDER` for data, peers and output")
	page := flag.String("write", filepath.Join("scripts", "bench", "RESULTS.md"), "the `PAGE` that a whole measurement is written to")
	flag.Parse()
	runs, by := 5, 1
	if *quick {
		runs, by = 2, 20
	}
	if err := b.measure(streams(by), runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	var text strings.Builder
	missed := b.results(io.MultiWriter(os.Stdout, &text))
	if *quick {
		return // starting a program is most of the time, and says nothing of the targets
	}
	if b.only == "" && !b.ours {
		if err := os.WriteFile(*page, []byte(text.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(2)
		}
	}
	if missed > 0 {
		os.Exit(1)
	}
}

// bench is a measurement: its flags, and what was measured.
type bench struct {
	cache, only string
	ours        bool
	order       []string // the jobs, as they were measured
	samples     map[string][]sample
}

func (b *bench) path(parts ...string) string {
	return filepath.Join(append([]string{b.cache}, parts...)...)
}

func (b *bench) measure(all []data, runs int) error {
	if err := b.install(); err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(d data) bool { return !strings.Contains(d.name, b.only) })
	grown := false
	for _, d := range all {
		made, err := b.generate(d)
		if err != nil {
			return err
		}
		grown = grown || made
	}
	if self, err := os.Executable(); err == nil && grown {
		// Linux reports the peak of a program as at least that of the process that started it.
		return syscall.Exec(self, os.Args, os.Environ())
	}
	for _, d := range all {
		jobs := b.jobs(d)
		for range runs {
			for _, j := range jobs {
				if err := b.run(j); err != nil {
					return err
				}
			}
		}
		if err := b.agree(d, jobs); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return nil
}
