package html

import (
	"cmp"
	"slices"

	"tribunal/envelope"
)

// The drawing of suites: a bar for each, as many as fit.
const (
	suiteBars  = 10
	suiteLeft  = 118
	suiteRight = 244
	suiteRow   = 20
	suiteName  = 18 // runes
)

// suitePicture draws the verdicts of each suite, those with most to look at
// first; nil for a run of one suite.
func suitePicture(suites []envelope.Suite) *picture {
	if len(suites) < 2 {
		return nil
	}
	order := make([]*envelope.Suite, len(suites))
	for i := range suites {
		order[i] = &suites[i]
	}
	slices.SortStableFunc(order, func(a, b *envelope.Suite) int {
		return cmp.Or(cmp.Compare(troubled(b, true), troubled(a, true)), cmp.Compare(troubled(b, false), troubled(a, false)))
	})
	shown := order[:min(len(order), suiteBars)]
	p := &picture{Title: "Verdicts by suite", Data: suiteTable(suites), Note: "Share of the tests of each suite: failed, errored, inconclusive, passed, skipped, in this order."}
	if rest := len(order) - len(shown); rest > 0 {
		p.Note += " The " + count(int64(len(shown))) + " with most to look at; " + count(int64(rest)) + " more in the data."
	}
	p.Chart = &chart{Title: "Verdicts by suite", Width: pictureWidth, Height: suiteRow*len(shown) + 24}
	for i, s := range shown {
		p.Chart.suiteBar(s, float64(i)*suiteRow+2)
	}
	bottom := float64(suiteRow*len(shown)) + 16
	p.Chart.text(suiteLeft, bottom, "start", "0")
	p.Chart.text(suiteRight, bottom, "end", "100"+nbsp+"% of tests")
	return p
}

// troubled is the share of a suite's tests that failed or errored, or that are
// inconclusive.
func troubled(s *envelope.Suite, failed bool) float64 {
	if s.Tests <= 0 {
		return 0
	}
	n := s.Inconclusive
	if failed {
		n = s.Fail + s.Error
	}
	return float64(n) / float64(s.Tests)
}

func (c *chart) suiteBar(s *envelope.Suite, top float64) {
	title := name(s.Name, "no suite")
	c.text(suiteLeft-8, top+13, "end", shorten(title, suiteName))
	c.text(suiteRight+8, top+13, "start", suiteCounts(s))
	c.say(shorten(title, scatterTitle) + ": " + statusCounts(s.Counts))
	total := 0
	for _, status := range barOrder {
		total += max(s.Of(status), 0)
	}
	done := 0
	x := scale{lo: 0, hi: float64(total), from: suiteLeft, to: suiteRight}
	for _, status := range barOrder {
		if n := s.Of(status); n > 0 {
			from, to := x.at(float64(done)), x.at(float64(done+n))
			c.mark("column", string(status), "", "M"+tenth(from)+" "+whole(top+3)+"H"+tenth(to)+"v13H"+tenth(from)+"z")
			done += n
		}
	}
}

// suiteCounts is what is worst of a suite in few letters, or what there is.
func suiteCounts(s *envelope.Suite) string {
	words := ""
	for _, part := range []struct {
		n    int
		word string
	}{{s.Fail, "fail"}, {s.Error, "error"}, {s.Inconclusive, "inc"}} {
		if part.n > 0 && len(words) < 10 {
			words = join(words, count(int64(part.n))+" "+part.word)
		}
	}
	switch {
	case words != "":
		return words
	case s.Pass > 0:
		return count(int64(s.Pass)) + " pass"
	case s.Skip > 0:
		return count(int64(s.Skip)) + " skip"
	}
	return "0 tests"
}
