// Package github writes an envelope for a job of GitHub Actions: annotations on
// its log, and a summary on its page.
//
// It exists because both have limits that GitHub enforces in silence: of each
// kind of annotation it keeps the first ten of a step, and of a summary of more
// than 1 MiB it shows nothing. So the worst come first, what is left out is
// counted, and the summary stays below the limit whatever is in the file already.
//
//	fail, error, gate that does not hold, error in the input    ::error; ::warning where the
//	                                                            gate passes all the same
//	inconclusive tests as a whole where they fail the build     ::error
//	flaky pass, quarantined test, warning on the input          ::warning
//	what the gate says beside its status                        ::warning, ::error of a broken run
//	inconclusive                                                ::notice
//	pass, skip                                                  nothing
//
// The runner obeys lines of a job's log. Nothing that a test wrote comes to the
// start of a line here, and package text takes the commands out of it that are
// obeyed elsewhere in a line.
//
// The page itself is made by package markdown. Finding the file of the summary
// and appending to it is left to the caller: this package knows no environment.
package github

import (
	"bufio"
	"fmt"
	"io"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/markdown"
)

// summaryBudget is how many bytes the file of the summary may come to hold. It
// stays well below GitHub's limit of 1 MiB, which counts what the runner makes
// of the file when it masks secrets.
const summaryBudget = 900 << 10

// leastPage is fewer bytes than any page worth reading has.
const leastPage = 512

// Options of the format. The zero value is a step without a summary so far.
type Options struct {
	Existing  int64 // bytes that are in the file of the summary already
	NoSummary bool  // there is no file for one, so that the log must not point to it
}

// room is what the summary starts with and how many bytes may follow, 0 when
// the file is as good as full.
func (o Options) room() (start string, room int, err error) {
	if o.Existing < 0 {
		return "", 0, fmt.Errorf("github: a summary of %d bytes", o.Existing)
	}
	if o.Existing > 0 {
		start = "\n\n" // ends a line, a table or an element of another program
	}
	room = int(max(summaryBudget-o.Existing-int64(len(start)), 0))
	if room < leastPage {
		room = 0
	}
	return start, room, nil
}

// WriteSummary writes what is to be appended to the file of the step's summary, nothing when
// there is no room left. The error is that of the writer, or says that Existing is negative.
func WriteSummary(w io.Writer, e *envelope.Envelope, o Options) error {
	return summarise(w, o, func(w io.Writer, page markdown.Options) error { return markdown.Write(w, e, page) })
}

func summarise(w io.Writer, o Options, page func(io.Writer, markdown.Options) error) error {
	start, room, err := o.room()
	if err != nil || room == 0 {
		return err
	}
	out := bufio.NewWriter(w)
	out.WriteString(start)
	if err := page(out, markdown.Options{Limit: room, Bytes: true}); err != nil {
		return err
	}
	return out.Flush()
}

const mostAnnotations = 10

// Write writes a line on the run and its annotations, for the standard output of
// the step. The error is that of the writer, or says that Existing is negative.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	return annotate(w, headline(e), annotations(e), o)
}

func annotate(w io.Writer, headline string, found [kinds][]annotation, o Options) error {
	where, err := o.summary()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w) // keeps the first error for Flush
	out.WriteString(headline + "\n")
	left := [kinds]int{}
	for kind, all := range found {
		shown := min(len(all), mostAnnotations)
		left[kind] = len(all) - shown
		for _, a := range all[:shown] {
			out.WriteString(a.command(commands[kind]) + "\n")
		}
	}
	out.WriteString(more(left, where))
	if where == summaryFull {
		out.WriteString("tribunal: the step summary is full; nothing was added to it\n")
	}
	return out.Flush()
}

// WriteComparisonSummary writes what is to be appended to the file of the step's
// summary, nothing when there is no room left.
func WriteComparisonSummary(w io.Writer, c *compare.Comparison, o Options) error {
	return summarise(w, o, func(w io.Writer, page markdown.Options) error { return markdown.WriteDocument(w, c.Document(), page) })
}

// WriteComparison writes a line on a comparison and its annotations:
//
//	regressed run or test, or whatever
//	else the build is to fail on         ::error
//	newly broken, newly flaky            ::warning
//	gone                                 ::notice
//	anything else                        nothing
func WriteComparison(w io.Writer, c *compare.Comparison, o Options) error {
	return annotate(w, comparisonHeadline(c), comparisonAnnotations(c), o)
}

func comparisonHeadline(c *compare.Comparison) string {
	var all compare.Summary
	for i := range c.Contrasts {
		s := c.Contrasts[i].Summary
		all.Tests += s.Tests
		all.Regressed += s.Regressed
		all.Improved += s.Improved
		all.Unresolved += s.Unresolved
		all.Equivalent += s.Equivalent
	}
	return fmt.Sprintf("tribunal: %s compared: %d regressed, %d improved, %d unresolved, %d equivalent; exit %d",
		words.Plural(all.Tests, "test", "tests"), all.Regressed, all.Improved, all.Unresolved, all.Equivalent, c.Gate.ExitCode)
}

func comparisonAnnotations(c *compare.Comparison) (all [kinds][]annotation) {
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		of := words.If(c.By != "", " ("+c.Title(x)+")")
		if x.Run.State == compare.Regressed {
			all[isError] = append(all[isError], annotation{title: "REGRESSED: the run as a whole" + of, message: x.Run.Reason})
		}
		for _, t := range x.Ranked() {
			if kind, word, listed := worse(t); listed {
				all[kind] = append(all[kind], annotation{t.File, t.Line, word + " " + t.Key.RunnerName() + of, t.Explained()})
			}
		}
		for _, t := range x.Gone {
			all[isNotice] = append(all[isNotice], annotation{title: "GONE " + t.Key.RunnerName() + of, message: "only base has this test"})
		}
	}
	if says := c.FailsUnseen(); says != "" {
		all[isError] = append(all[isError], annotation{title: "the comparison fails", message: says})
	}
	addProblems(&all, c.Problems, isError)
	return all
}

func worse(t *compare.Test) (kind, string, bool) {
	switch {
	case t.State == compare.Regressed:
		return isError, "REGRESSED", true
	case t.Newly == compare.Broken:
		return isWarning, "NEWLY BROKEN", true
	case t.Newly == compare.Flaky:
		return isWarning, "NEWLY FLAKY", true
	}
	return 0, "", false
}
