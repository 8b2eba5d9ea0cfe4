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
	"math"
	"os"
	"path/filepath"
	"strings"

	"tribunal/scripts/bench/record"
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
	for _, d := range all {
		if !strings.Contains(d.name, b.only) {
			continue
		}
		if err := b.generate(d); err != nil {
			return err
		}
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

// target is what a job promises beside another of the same stream, or by itself.
type target struct {
	job, other string // without an other, the value is MB of text a second of processor time
	of         string
	limit      float64
	atLeast    bool
}

var targets = []target{
	{"long: junit", "long: duckdb counts", "time", 0.7, false},
	{"short: junit", "short: duckdb counts", "time", 1, false},
	{"long: json", "long: duckdb lists", "time", 0.3, false},
	{"short: json", "short: duckdb lists", "time", 0.12, false},
	{"long: json again", "long: json", "time", 0.7, false},
	{"short: json again", "short: json", "time", 0.7, false},
	{"gotest: junit", "gotest: go-junit-report", "time", 0.3, false},
	{"gotest: junit", "gotest: go-junit-report", "memory", 0.25, false},
	{"stepped: json", "bare: json", "size", 1.5, false},
	{"stepped: json again", "bare: json again", "processor time", 1.5, false},
	{job: "junit: minimal", limit: 80, atLeast: true},
	{job: "tap: minimal", limit: 25, atLeast: true},
}

// promise is the target beside what was measured of it.
func (b *bench) promise(t target) record.Promise {
	p := record.Promise{What: t.job + ", MB of text a second of processor time", Limit: t.limit, AtLeast: t.atLeast, Value: b.speed(t.job)}
	if t.other != "" {
		p.What = fmt.Sprintf("%s, %s: ratio to %s", t.job, t.of, t.other)
		p.Value = b.median(t.job, t.of) / b.median(t.other, t.of)
	}
	return p
}

// results writes the page, and returns how many targets were missed.
func (b *bench) results(w io.Writer) (missed int) {
	fmt.Fprintf(w, "# Results\n\nWritten by `./scripts/bench/run` on %s.\nMachine: %s.\nPeers: %s.\n\n", record.Today(), record.Machine(),
		strings.Join(versions, ", "))
	fmt.Fprint(w, "## Targets\n\nMedians of whole processes, in turns on the same files. A ratio is ours to the other's.\n\n")
	promises := make([]record.Promise, len(targets))
	for i, t := range targets {
		promises[i] = b.promise(t)
	}
	missed = record.Promises(w, promises)
	fmt.Fprint(w, "\n## Everything measured\n\n| job | runs | wall | spread | cpu | memory | written | read, MB a second of cpu |\n| --- | "+
		"---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, name := range b.order {
		all := b.samples[name]
		first, last := all[0].wall, all[0].wall
		for _, s := range all {
			first, last = min(first, s.wall), max(last, s.wall)
		}
		fmt.Fprintf(w, "| %s | %d | %.3f s | %.3f – %.3f s | %.3f s | %.0f MB | %.2f MB | %.0f |\n", name, len(all), b.median(name, "time"),
			first.Seconds(), last.Seconds(), b.median(name, "processor time"), b.median(name, "memory")/1e6, b.median(name, "size")/1e6,
			b.speed(name))
	}
	return missed
}

// speed is how many MB a job reads in a second of processor time.
func (b *bench) speed(name string) float64 {
	if len(b.samples[name]) == 0 {
		return math.NaN()
	}
	return float64(b.samples[name][0].read) / 1e6 / b.median(name, "processor time")
}
