package command

import (
	"slices"

	"tribunal/command/input"
	"tribunal/envelope"
	"tribunal/read"
)

// source is an input of the history, and what it is of ours.
type source struct {
	input.File
	report read.Report // of no format where it is none
}

// reportsLast puts reports of ours that were found in a folder behind all other inputs,
// those first that keep all of their trials.
func reportsLast(files []input.File) []source {
	var data, whole, lossy []source
	for _, f := range files {
		of := source{File: f}
		if f.Found {
			if report, own := f.Own(); own {
				of.report = report
			}
		}
		switch {
		case of.report.Format == "":
			data = append(data, of)
		case of.report.Sum == "":
			whole = append(whole, of)
		default:
			lossy = append(lossy, of)
		}
	}
	return slices.Concat(data, whole, lossy)
}

// repeated counts the runs of a folder. Several may be alike, such as two nights in
// which everything passed: then there are as many as there are reports of one format, or
// inputs that are no reports.
type repeated struct {
	runs map[string]int    // that are added, by the sum of their trials
	told map[[2]string]int // by format and sum
}

// hold reports whether a report is on a run that is added, one that no other report of
// its format is on.
func (r *repeated) hold(of source, sum string) bool {
	key := [2]string{of.report.Format, sum}
	if of.report.Format == "" || sum == "" || r.told[key] >= r.runs[sum] {
		return false
	}
	r.told[key]++
	return true
}

// add notes that the run of an input is added.
func (r *repeated) add(of source, trials envelope.TrialsSum) {
	if r.runs == nil {
		r.runs, r.told = map[string]int{}, map[[2]string]int{}
	}
	sums := []string{trials.String(), trials.FirstVersion()}
	if of.report.Sum != "" {
		sums = []string{of.report.Sum}
	}
	for _, sum := range sums {
		r.runs[sum]++
		r.told[[2]string{of.report.Format, sum}]++
	}
}
