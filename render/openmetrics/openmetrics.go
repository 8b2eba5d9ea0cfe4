// Package openmetrics writes the numbers of an envelope in the OpenMetrics text format, version 1.0, in the strict form of
// its reference parser. The same file is a GitLab metrics report, which compares the values of a merge request with those
// of its target branch, and can be pushed to Prometheus.
//
// GitLab shows every series that is new, gone or different, so there are few: gauges of the run, and of each suite (200 of
// them at most; one gauge says how many more there are), none of a single test or trial. All are gauges, as a run is no
// counter, and each has a fixed number of decimals, for GitLab compares the values as text. What is unknown has no sample.
//
// GitLab's parser cuts every line at a # and fails on the quote it leaves open. So # and everything else that one of the
// parsers trips over is _ in label values, and a name that was changed ends in a hash of itself: no two suites ever share a
// series.
//
// The package leaves out timestamps, exemplars and the header of the run: a commit in a label would make every series new.
package openmetrics

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/gauges"
)

// Write writes the envelope as one OpenMetrics exposition. The error is that of the writer.
func Write(w io.Writer, e *envelope.Envelope) error {
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error for Flush
	for _, g := range gauges.Of(e) {
		writeGauge(out, &g)
	}
	out.WriteString("# EOF\n")
	return out.Flush()
}

func writeGauge(out *bufio.Writer, g *gauges.Gauge) {
	if len(g.Samples) == 0 {
		return
	}
	name := strings.ReplaceAll(g.Name, ".", "_") + words.Around("_", g.Unit)
	out.WriteString("# TYPE " + name + " gauge\n")
	if g.Unit != "" {
		out.WriteString("# UNIT " + name + " " + g.Unit + "\n")
	}
	out.WriteString("# HELP " + name + " " + g.Help + "\n")
	for _, s := range g.Samples {
		out.WriteString(name)
		writeLabels(out, s.Labels)
		out.WriteString(" " + strconv.FormatFloat(s.Value, 'f', g.Decimals, 64) + "\n")
	}
}

func writeLabels(out *bufio.Writer, labels []gauges.Label) {
	if len(labels) == 0 {
		return
	}
	separator := "{"
	for _, l := range labels {
		value := l.Value
		if l.Name == gauges.SuiteLabel {
			value = suiteLabel(value)
		}
		out.WriteString(separator + l.Name + `="` + value + `"`)
		separator = ","
	}
	out.WriteString("}")
}

const (
	labelLimit = 120 // bytes
	noSuite    = "(no suite)"
)

// tripped are the characters that end something for one of the parsers: the comment of GitLab's, the value itself, and the
// labels in GitLab's names, from which it takes the quotes away.
var tripped = strings.NewReplacer("#", "_", `"`, "_", `\`, "_")

var marked = regex.Of(`~[0-9a-f]{12}$`)

// suiteLabel is the name of a suite as a label value. Two suites never share one: a name that cannot be written as it is,
// or that looks like one made here, ends in its hash. An empty value would mean that there is no label.
func suiteLabel(suite string) string {
	if suite == "" {
		return noSuite
	}
	shown := text.CutLine(tripped.Replace(text.Line(suite)), labelLimit)
	if shown == suite && suite != noSuite && !marked().MatchString(suite) {
		return shown
	}
	sum := sha256.Sum256([]byte(suite))
	return strings.TrimLeft(shown+" ~"+hex.EncodeToString(sum[:6]), " ")
}
