package github

import (
	"errors"
	"fmt"
	"io"

	"tribunal/compare"
	"tribunal/internal/words"
	"tribunal/render/markdown"
)

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
	if c == nil {
		return errors.New("github: no comparison to write")
	}
	return annotate(w, comparisonHeadline(c), comparisonAnnotations(c), o)
}

// comparisonHeadline is the comparison in one line, without a word from a test.
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
		of := ""
		if c.By != "" {
			of = " (" + c.Title(x) + ")"
		}
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

// worse is how a test that got worse is annotated.
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
