package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// results writes everything as a page of Markdown and tells how many targets
// were not met.
func results(w io.Writer, o outcome, all []target, order []string) (missed int) {
	fmt.Fprintf(w, "# Results\n\nWritten by `./bench/run` on %s.\nMachine: %s.\nPeers: DuckDB (@duckdb/node-api %s, 2 threads), go-junit-report %s, gotestsum %s.\n\n",
		time.Now().UTC().Format("2 January 2006"), machine(), duckdbVersion, goJUnitReportVersion, gotestsumVersion)
	fmt.Fprint(w, "## Targets\n\nMedians of whole processes, in turns on the same files. A ratio is ours to the other's.\n\n| target | measured | promised | |\n| --- | ---: | ---: | --- |\n")
	for _, t := range all {
		met, ok := t.met(o)
		if !ok {
			fmt.Fprintf(w, "| %s | not measured | %s | |\n", t.what, t)
			continue
		}
		word := "met"
		if !met {
			word = "**not met**"
			missed++
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", t.what, number(t.value(o)), t, word)
	}
	fmt.Fprint(w, "\n## Everything measured\n\nThroughput as a share of that of `wc -l` on the same file, which does nothing but find line ends.\n\n| job | runs | wall | spread | cpu | memory | of wc |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, name := range order {
		fmt.Fprintln(w, row(o, name))
	}
	fmt.Fprintln(w)
	return missed
}

// row is the line of one job.
func row(o outcome, name string) string {
	samples := o.board[name]
	first, last := samples[0].wall, samples[0].wall
	for _, s := range samples {
		first, last = min(first, s.wall), max(last, s.wall)
	}
	share := ""
	stream, _, _ := strings.Cut(name, ":")
	if limit := stream + ": wc -l"; len(o.board[limit]) > 0 {
		share = fmt.Sprintf("%.1f %%", 100*o.of(limit, wall)/o.of(name, wall))
	}
	return fmt.Sprintf("| %s | %d | %.3f s | %.3f – %.3f s | %.3f s | %s | %s |", name, len(samples),
		o.of(name, wall), first.Seconds(), last.Seconds(), o.of(name, cpu), megabytes(int64(o.of(name, memory))), share)
}

// names are the jobs in the order in which they were first measured.
func names(jobs []job) []string {
	var all []string
	for _, j := range jobs {
		if !slices.Contains(all, j.name) {
			all = append(all, j.name)
		}
	}
	return all
}

// machine says on what was measured, as far as the system tells.
func machine() string {
	words := []string{fmt.Sprintf("%d cores", runtime.NumCPU()), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if model := field("/proc/cpuinfo", "model name"); model != "" {
		words = slices.Insert(words, 0, model)
	}
	if total := field("/proc/meminfo", "MemTotal"); total != "" {
		words = append(words, total+" of memory")
	}
	if out, err := exec.Command("node", "--version").Output(); err == nil {
		words = append(words, "Node "+strings.TrimSpace(string(out)))
	}
	if !math.IsNaN(busy) {
		words = append(words, fmt.Sprintf("load average at the start %.1f", busy))
	}
	return strings.Join(words, ", ")
}

// field is the first value of a name in a file of Linux' /proc.
func field(path, name string) string {
	text, _ := os.ReadFile(path) // other systems have none
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// busy is the load average when the program began: what was measured on a busy
// machine says little.
var busy = loadAverage()

func loadAverage() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return math.NaN()
	}
	return load
}
