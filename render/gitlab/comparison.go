package gitlab

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

// WriteComparison writes a comparison as one JSON array: what got worse, and
// nothing else.
//
//	regressed test or run   major   tribunal/regressed
//	newly broken            major   tribunal/newly-broken, unless it regressed
//	newly flaky             minor   tribunal/newly-flaky, unless it regressed
//	gone                    info    tribunal/gone
//	fails, none regressed   major   tribunal/gate
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	if c == nil {
		return errors.New("gitlab: no comparison to write")
	}
	list := array{out: bufio.NewWriterSize(w, 1<<16)}
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		about := []string{c.By, ""}
		if c.By != "" {
			about[1] = x.Candidate.Name
		}
		list.contrast(c, x, about)
	}
	if says := c.FailsUnseen(); says != "" {
		list.add(runEntry(class{"gate", "major"}, "the comparison fails: "+says, "comparison"))
	}
	if c.Gate.Status == envelope.Error {
		list.add(brokenInput(c))
	}
	return list.close()
}

// contrast adds what got worse in one candidate. about keeps the fingerprints of
// several apart.
func (a *array) contrast(c *compare.Comparison, x *compare.Contrast, about []string) {
	if x.Run.State == compare.Regressed {
		a.add(runEntry(class{"regressed", "major"}, c.Title(x)+": the run regressed: "+x.Run.Reason, append(about, "run")...))
	}
	for _, t := range x.Ranked() {
		if worse, listed := worseClass(t); listed {
			a.add(comparedEntry(c, x, worse, t.Key, t.File, t.Line, strings.ReplaceAll(t.Explained(), "\n", "; "), about))
		}
	}
	for i := range x.Gone {
		t := &x.Gone[i]
		a.add(comparedEntry(c, x, class{"gone", "info"}, t.Key, "", 0, "only base has it", about))
	}
}

func worseClass(t *compare.Test) (class, bool) {
	switch {
	case t.State == compare.Regressed:
		return class{"regressed", "major"}, true
	case t.Newly == compare.Broken:
		return class{"newly-broken", "major"}, true
	case t.Newly == compare.Flaky:
		return class{"newly-flaky", "minor"}, true
	}
	return class{}, false
}

func comparedEntry(c *compare.Comparison, x *compare.Contrast, worse class, key envelope.Key, file string, line int, reason string, about []string) entry {
	name := text.CutLine(text.Line(key.RunnerName()), descriptionLimit/2)
	description := name + ": " + worse.name + ": " + text.Line(reason)
	if c.By != "" {
		description += " (" + text.Line(c.Title(x)) + ")"
	}
	e := newEntry(worse, description, append(about, key.Suite, key.Test, key.Variant)...)
	e.Location = location{Path: relative(file), Lines: lines{Begin: max(1, line)}}
	if e.Location.Path == "" {
		e.Location = location{Path: madeUp(key.Suite, key.Test), Lines: lines{Begin: 1}}
	}
	return e
}

// brokenInput says why the comparison cannot be relied on: an empty report would
// tell GitLab that everything is resolved.
func brokenInput(c *compare.Comparison) entry {
	return runEntry(class{"run", "critical"}, "the comparison is broken: "+standing.WhyBroken(c.Gate.Reasons, c.Problems))
}
