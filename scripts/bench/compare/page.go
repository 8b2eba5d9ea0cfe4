package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"tribunal/internal/words"
)

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

// said is the target in words, and the value that was measured of it: NaN of nothing.
func (b *bench) said(t target) (what string, value float64) {
	if t.other == "" {
		return t.job + ", MB of text a second of processor time", b.speed(t.job)
	}
	return fmt.Sprintf("%s, %s: ratio to %s", t.job, t.of, t.other), b.median(t.job, t.of) / b.median(t.other, t.of)
}

// row is the target in a table of Markdown, and whether it was missed.
func (t target) row(what string, value float64) (row string, missed bool) {
	limit := "at most " + number(t.limit)
	missed = value > t.limit
	if t.atLeast {
		limit, missed = "at least "+number(t.limit), value < t.limit
	}
	switch {
	case math.IsNaN(value):
		return fmt.Sprintf("| %s | not measured | %s | |\n", what, limit), false
	case missed:
		return fmt.Sprintf("| %s | %s | %s | **not met** |\n", what, number(value), limit), true
	}
	return fmt.Sprintf("| %s | %s | %s | met |\n", what, number(value), limit), false
}

func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// results writes the page, and returns how many targets were missed.
func (b *bench) results(w io.Writer) (missed int) {
	fmt.Fprintf(w, "# Results\n\nWritten by `./scripts/bench/run` on %s.\nMachine: %s.\nPeers: %s.\n\n", time.Now().UTC().Format("2 January 2006"),
		machine(), strings.Join(versions, ", "))
	fmt.Fprint(w, "## Targets\n\nMedians of whole processes, in turns on the same files. A ratio is ours to the other's.\n\n"+
		"| target | measured | promised | |\n| --- | ---: | ---: | --- |\n")
	for _, t := range targets {
		row, late := t.row(b.said(t))
		if late {
			missed++
		}
		fmt.Fprint(w, row)
	}
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

// machine describes the machine, as far as the system tells, and how busy it was.
func machine() string {
	node, _ := exec.Command("node", "--version").Output()
	return words.Join(", ", field("/proc/cpuinfo", "model name"), fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.GOOS+"/"+runtime.GOARCH,
		runtime.Version(), words.Around("", field("/proc/meminfo", "MemTotal"), " of memory"),
		words.Around("Node ", strings.TrimSpace(string(node))), words.Around("load average at the start ", fmt.Sprintf("%.4s", atStart)))
}

var atStart, _ = os.ReadFile("/proc/loadavg") // other systems have none

// field is the first value of a name in a file of Linux' /proc.
func field(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
