// Command generate writes a made-up stream to standard output.
//
//	go run -C scripts ./bench/generate -trials 1000000 -tests 2000 -output 700 -seed 1 > long.ndjson
//	go run -C scripts ./bench/generate -trials 10000 -tests 500 -checks 6 -calls 6 > talks.ndjson
//	go run -C scripts ./bench/generate -format go-test -trials 60000 -output 1500 > gotest.json
//	go run -C scripts ./bench/generate -format junit -trials 100000 -output 800 > junit.xml
//
// It is the command line of package stream, which says what the streams are like.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"tribunal/scripts/bench/stream"
)

func main() {
	var o stream.Options
	format := flag.String("format", "trials", "trials (the native format), go-test (go test -json) or that of another runner")
	flag.Uint64Var(&o.Seed, "seed", 1, "the same seed gives the same stream")
	flag.IntVar(&o.Trials, "trials", 1000, "number of trials; of tests with -format go-test")
	flag.IntVar(&o.Tests, "tests", 0, "number of distinct tests (default: one a trial)")
	flag.IntVar(&o.Suites, "suites", 0, "number of suites or packages (default: one per hundred tests)")
	flag.IntVar(&o.Output, "output", 0, "mean bytes of output a trial")
	flag.IntVar(&o.Labels, "labels", 0, "labels a trial")
	flag.IntVar(&o.Problems, "problems", 0, "broken lines among the trials")
	flag.IntVar(&o.Checks, "checks", 0, "checks a trial")
	flag.IntVar(&o.Calls, "calls", 0, "mean tool calls of the conversation of a trial; 0: trials have none")
	flag.BoolVar(&o.Failing, "failing", false, "no trial passes")
	flag.BoolVar(&o.Unread, "unread", false, "conversations stand in a field that no reader knows")
	flag.Parse()
	write, ok := writers()[*format]
	if !ok {
		fmt.Fprintf(os.Stderr, "generate: unknown format %q: use %s\n", *format, strings.Join(slices.Sorted(maps.Keys(writers())), ", "))
		os.Exit(2)
	}
	if err := write(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// writers are the formats by their names.
func writers() map[string]func(io.Writer, stream.Options) error {
	all := map[string]func(io.Writer, stream.Options) error{"trials": stream.Trials, "go-test": stream.GoTest}
	for _, r := range stream.Reports {
		all[r.String()] = r.Write
	}
	return all
}
