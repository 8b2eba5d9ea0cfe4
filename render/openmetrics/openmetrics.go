// Package openmetrics writes the numbers of an envelope in the OpenMetrics text
// format, version 1.0, in the strict form of its reference parser. The same file
// is a GitLab metrics report, which compares the values of a merge request with
// those of its target branch, and can be pushed to Prometheus.
//
// GitLab shows every series that is new, gone or different, so there are few:
// gauges of the run, and of each suite (200 of them at most; one gauge says how
// many more there are), none of a single test or trial. All are gauges, as a run
// is no counter, and each has a fixed number of decimals, for GitLab compares
// the values as text. What is unknown has no sample.
//
// GitLab's parser cuts every line at a # and fails on the quote it leaves open.
// So # and everything else that one of the parsers trips over is _ in label
// values, and a name that was changed ends in a hash of itself: no two suites
// ever share a series.
//
// The package leaves out timestamps, exemplars and the header of the run: a
// commit in a label would make every series new.
package openmetrics

import (
	"bufio"
	"io"
	"math"
	"strconv"

	"tribunal/envelope"
)

// Options of the format; it has none.
type Options struct{}

const suiteLimit = 200 // suites with series of their own

// family is a metric and its samples.
type family struct {
	name, unit, help string
	decimals         int
	samples          []sample
}

// sample is one series; labels are written as they are.
type sample struct {
	labels []label
	value  float64
}

type label struct{ name, value string }

// Write writes the envelope as one OpenMetrics exposition. The error is that of
// the writer.
func Write(w io.Writer, e *envelope.Envelope, _ Options) error {
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error for Flush
	for _, f := range families(e) {
		f.write(out)
	}
	out.WriteString("# EOF\n")
	return out.Flush()
}

// write writes the family, or nothing when it has no sample.
func (f *family) write(out *bufio.Writer) {
	if len(f.samples) == 0 {
		return
	}
	out.WriteString("# TYPE " + f.name + " gauge\n")
	if f.unit != "" {
		out.WriteString("# UNIT " + f.name + " " + f.unit + "\n")
	}
	out.WriteString("# HELP " + f.name + " " + f.help + "\n")
	for _, s := range f.samples {
		out.WriteString(f.name)
		writeLabels(out, s.labels)
		out.WriteString(" " + strconv.FormatFloat(s.value, 'f', f.decimals, 64) + "\n")
	}
}

func writeLabels(out *bufio.Writer, labels []label) {
	if len(labels) == 0 {
		return
	}
	separator := "{"
	for _, l := range labels {
		out.WriteString(separator + l.name + `="` + l.value + `"`)
		separator = ","
	}
	out.WriteString("}")
}

// add adds a sample, unless the value is no number.
func (f *family) add(v float64, labels ...label) {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		f.samples = append(f.samples, sample{labels, v + 0}) // + 0 makes -0 a 0
	}
}

func (f *family) optional(v envelope.Opt[float64], factor float64, labels ...label) {
	if v.OK {
		f.add(v.V*factor, labels...)
	}
}
