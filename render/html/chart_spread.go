package html

import (
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// The drawing of how many tests passed how many of their trials.
const (
	spreadWidth, spreadHeight = 330, 116
	spreadTop, spreadBottom   = 20, 97
	spreadMost                = 10 // trials of which each count has its own column
	spreadTests               = 20 // of fewer, the list is the picture
)

// spreadChart draws the tests by their passed trials; nil where each has one trial, or
// where they are few.
func spreadChart(e *envelope.Envelope) *chart {
	if standing.Ordinary(e) || len(e.Tests) < spreadTests {
		return nil
	}
	k := 0 // trials of every test, -1 where they differ
	for i := range e.Tests {
		if n := e.Tests[i].Trials.Counted; k == 0 {
			k = n
		} else if n > 0 && n != k {
			k = -1
		}
	}
	names := []string{"0 %", "–25", "–50", "–75", "–99", "100 %"}
	if 2 <= k && k <= spreadMost {
		names = nil
		for passed := range k + 1 {
			names = append(names, strconv.Itoa(passed)+"/"+strconv.Itoa(k))
		}
	}
	in, most := make([]int, len(names)), 0
	for i := range e.Tests {
		if t := &e.Tests[i].Trials; t.Counted > 0 {
			at := spreadColumn(t.Passed, t.Counted, len(names)-1)
			in[at]++
			most = max(most, in[at])
		}
	}
	if most == 0 {
		return nil
	}
	c := &chart{Title: "Tests by passed trials", Width: spreadWidth, Height: spreadHeight}
	step := float64(spreadWidth) / float64(len(names))
	for i, n := range in {
		class := [...]string{"fail", "inconclusive", "pass"}[min(i, 1)+i/(len(in)-1)]
		x, height := step*(float64(i)+.5), float64(spreadBottom-spreadTop)*float64(n)/float64(most)
		if n > 0 {
			wide := min(step-6, 64)
			c.mark("column", class, "", "M"+tenth(x-wide/2)+" "+whole(spreadBottom)+"v-"+tenth(max(height, 2))+"h"+tenth(wide)+"V"+whole(spreadBottom)+"z")
			c.text(x, spreadBottom-max(height, 2)-6, "middle", words.Count(n))
			c.say(plural(int64(n), "test") + " passed " + names[i])
		}
		c.text(x, spreadBottom+15, "middle", names[i])
	}
	c.mark("line", "grid", "", horizontal(spreadBottom, 0, spreadWidth))
	return c
}

// spreadColumn is the column of a test that passed so many of n trials: none and all have
// their own, and what is between is dealt among the others.
func spreadColumn(passed, n, last int) int {
	switch {
	case passed <= 0:
		return 0
	case passed >= n:
		return last
	}
	return 1 + (passed*(last-1)-1)/n
}
