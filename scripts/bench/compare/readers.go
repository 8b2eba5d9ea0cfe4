package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tribunal/scripts/bench/stream"
)

// reports are the files of the part readers, each of a format of other programs with the
// same made-up trials, as many as make it large, and that of go test.
func reports(by int, gotest data) []reported {
	all := []reported{{gotest, stream.Tally{Tests: gotest.Trials, Trials: gotest.Trials}}}
	for _, r := range stream.Reports {
		d := data{name: r.String(), ending: r.File, write: r.Write, Options: stream.Options{Seed: 1, Trials: r.Trials / by, Output: 800}}
		all = append(all, reported{d, r.Tally(d.Options)})
	}
	return all
}

// reported is a report and what is in it.
type reported struct {
	data
	stream.Tally
}

// job is the name of our job on the report.
func (r reported) job() string { return "readers: " + r.name }

// peer is a program that reads a report.
type peer struct {
	name   string
	argv   []string // of npm's program, FILE stands for the report; without it that is piped in
	tells  string   // what its answer has once
	a      func(t stream.Tally) int
	report string
}

var peers = []peer{
	{name: "junit2json", argv: []string{"junit2json", file}, report: "junit", tells: `"classname":`, a: func(t stream.Tally) int { return t.Tests }},
	{name: "tap-parser", argv: []string{"tap-parser", "-f", "-j", "0"}, report: "tap", tells: `["assert",`,
		a: func(t stream.Tally) int { return t.Trials + (t.Tests+99)/100 }}, // a suite is a point as well
}

const file = "FILE"

// readerJobs read each report whole, and count and judge what is in it.
func (w workshop) readerJobs(all []reported, others bool) []job {
	var jobs []job
	for _, r := range all {
		j := w.report(r.job(), w.file(r.data), "minimal")
		j.reads = w.file(unpacked(all, r))
		jobs = append(jobs, j)
		for _, p := range peers {
			if others && p.report == r.name {
				jobs = append(jobs, w.peerJob(p, r))
			}
		}
	}
	return jobs
}

// unpacked is the file whose size is what a report takes: that of an archive is packed,
// and the same text stands in the report that the archive is named after.
func unpacked(all []reported, r reported) data {
	name, _, _ := strings.Cut(r.name, ".")
	return all[slices.IndexFunc(all, func(r reported) bool { return r.name == name })].data
}

func (w workshop) peerJob(p peer, r reported) job {
	j := job{name: r.job() + ", " + p.name, pipe: w.file(r.data), reads: w.file(r.data), gate: true}
	j.out = w.out(j.name)
	for i, arg := range p.argv {
		if i == 0 {
			arg = w.path("npm", "node_modules", ".bin", arg)
		}
		if arg == file {
			arg, j.pipe = j.pipe, ""
		}
		j.argv = append(j.argv, arg)
	}
	return j
}

// agreeOnReports sees that everybody found in the reports what was made up.
func (w workshop) agreeOnReports(all []reported, others bool) error {
	for _, r := range all[1:] { // the first is that on which the part gotest agrees
		if err := agreeOn(w.out(r.job()), r.Tally); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		for _, p := range peers {
			if !others || p.report != r.name {
				continue
			}
			n, err := occurrences(w.out(r.job()+", "+p.name), p.tells)
			if err == nil && n != p.a(r.Tally) {
				err = fmt.Errorf("%s finds %d results, made up were %d", p.name, n, p.a(r.Tally))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// told is what our report of a line says.
var told = regexp.MustCompile(`^([\d,]+) tests: .*; ([\d,]+) of ([\d,]+) trials passed`)

func agreeOn(path string, want stream.Tally) error {
	line, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	all := told.FindSubmatch(line)
	if all == nil {
		return fmt.Errorf("the report is %q", line)
	}
	for i, n := range []int{want.Tests, want.Passed, want.Trials - want.Skipped} {
		if got, _ := strconv.Atoi(strings.ReplaceAll(string(all[i+1]), ",", "")); got != n {
			return fmt.Errorf("the report is %q, made up were %+v", line, want)
		}
	}
	return nil
}

// occurrences counts a text in a file that may be large.
func occurrences(path, text string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	for in := bufio.NewReaderSize(f, 1<<20); ; {
		part, err := in.ReadSlice(text[len(text)-1])
		for err == bufio.ErrBufferFull {
			part, err = in.ReadSlice(text[len(text)-1])
		}
		if bytes.HasSuffix(part, []byte(text)) {
			n++
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// readerTargets are the promises of reading.
func readerTargets(all []reported) []target {
	var targets []target
	for _, r := range all {
		targets = append(targets,
			target{what: "reading " + r.name + ": text a second of processor time", value: speed(r.job()), limit: 100, atLeast: true, unit: "MB"},
			target{what: "reading " + r.name + ": memory of 64 B a trial, 4 KiB a test and 100 MB", value: share(r.job(), allowed(r.Trials, r.Tests)), limit: 1})
	}
	return targets
}

// speed is how many MB a job reads in a second of processor time.
func speed(job string) func(outcome) float64 {
	return func(o outcome) float64 {
		if len(o.board[job]) == 0 {
			return math.NaN()
		}
		return o.of(job, read) / 1e6 / o.of(job, cpu)
	}
}

// allowed is the memory that so many trials and tests may take.
func allowed(trials, tests int) float64 { return 64*float64(trials) + 4096*float64(tests) + 100e6 }

func share(job string, of float64) func(outcome) float64 {
	return func(o outcome) float64 {
		if len(o.board[job]) == 0 {
			return math.NaN()
		}
		return o.of(job, memory) / of
	}
}
