package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/scripts/bench/record"
)

// results writes everything as a page of Markdown and tells how many targets
// were not met. Only names the flags of a measurement of parts.
func results(w io.Writer, only string, o outcome, all []target, order []string) (missed int) {
	rest := ""
	if only != "" {
		rest = ", the rows of other parts before"
	}
	fmt.Fprintf(w, "# Results\n\nWritten by `./scripts/bench/run%s` on %s%s.\nMachine: %s.\nPeers: DuckDB (@duckdb/node-api %s, 2 threads), go-junit-report %s, gotestsum %s, junit2json %s, tap-parser %s.\n\n",
		only, record.Today(), rest, record.Machine(), duckdbVersion, goJUnitReportVersion, gotestsumVersion, junit2jsonVersion, tapParserVersion)
	fmt.Fprint(w, "## Targets\n\nMedians of whole processes, in turns on the same files. A ratio is ours to the other's.\n\n")
	promises := make([]record.Promise, len(all))
	for i, t := range all {
		promises[i] = t.promise(o)
	}
	missed = record.Promises(w, promises)
	fmt.Fprint(w, "\n"+everything+"\nThroughput as a share of that of `wc -l` on the same file, which does nothing but find line ends.\n\n| job | runs | wall | spread | cpu | memory | written | of wc | read, MB a second of cpu |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
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
	written := ""
	if n := o.of(name, size); n > 0 {
		written = fmt.Sprintf("%.2f MB", n/1e6)
	}
	rate := ""
	if o.of(name, read) > 0 {
		rate = fmt.Sprintf("%.0f", speed(name)(o))
	}
	return fmt.Sprintf("| %s | %d | %.3f s | %.3f – %.3f s | %.3f s | %s | %s | %s | %s |", name, len(samples),
		o.of(name, wall), first.Seconds(), last.Seconds(), o.of(name, cpu), megabytes(int64(o.of(name, memory))), written, share, rate)
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
