package audit

import (
	"maps"
	"slices"

	"tribunal/envelope"
	"tribunal/stats"
)

// Conflict is a test whose checks contradict its verdicts, or each other.
type Conflict struct {
	envelope.Key
	Kind   string   `json:"kind"`
	Checks []string `json:"checks"`
	// Trials are those that contradict, Of those that could.
	Trials int    `json:"trials"`
	Of     int    `json:"of"`
	Seen   []Seen `json:"evidence"`
}

// The kinds of conflicts.
const (
	ChecksPass = "checks pass, trial fails"
	ChecksFail = "checks fail, trial passes"
	Opposite   = "never pass together" // so no trial can have both
)

type judgedTrial struct {
	seen   Seen
	passed bool
	checks map[string]bool
}

func (b *benchmark) conflicts(confidence float64) []Conflict {
	var out []Conflict
	for _, k := range b.keys {
		var trials []judgedTrial
		for v := range b.of {
			trials = append(trials, trialsOf(b.of[v].Name, b.samples[v].Test(k))...)
		}
		for _, kind := range []string{ChecksPass, ChecksFail} {
			c := Conflict{Key: k, Kind: kind}
			for _, t := range trials {
				all := kind == ChecksPass
				if slices.Contains(slices.Collect(maps.Values(t.checks)), !all) {
					continue
				}
				if c.Of++; t.passed != all {
					c.add(t)
				}
			}
			if c.Trials > 0 {
				c.Checks = namesOf(trials)
				out = append(out, c)
			}
		}
		out = append(out, opposites(k, trials, confidence)...)
	}
	return out
}

func (c *Conflict) add(t judgedTrial) {
	if c.Trials++; len(c.Seen) < mostSeen {
		c.Seen = append(c.Seen, t.seen)
	}
}

// trialsOf are the trials of a test that passed or failed and have checks; an error says nothing of these.
func trialsOf(variant string, t *envelope.Test) (out []judgedTrial) {
	columns := t.Rows.Checks()
	for row, outcome := range t.Rows.Outcome {
		if outcome != envelope.Passed && outcome != envelope.Failed {
			continue
		}
		one := judgedTrial{Seen{variant, row, outcome.Status()}, outcome == envelope.Passed, map[string]bool{}}
		for i := range columns {
			if c := &columns[i]; row < len(c.Outcome) && c.Outcome[row].Counted() {
				one.checks[c.Name] = c.Outcome[row] == envelope.Passed
			}
		}
		if len(one.checks) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// opposites are pairs of checks that never pass together, though each passes so often that
// chance does not explain it, among all pairs of the test.
func opposites(k envelope.Key, trials []judgedTrial, confidence float64) (out []Conflict) {
	names := namesOf(trials)
	pairs := float64(len(names) * (len(names) - 1) / 2)
	for i, first := range names {
		for _, second := range names[i+1:] {
			c := Conflict{Key: k, Kind: Opposite, Checks: []string{first, second}}
			n := map[[2]bool]int{}
			for _, t := range trials {
				one, has := t.checks[first]
				other, too := t.checks[second]
				if !has || !too {
					continue
				}
				c.Of++
				n[[2]bool{one, other}]++
				if one != other {
					c.add(t)
				}
			}
			both, alone, other := n[[2]bool{true, true}], n[[2]bool{true, false}], n[[2]bool{false, true}]
			if both == 0 && alone > 0 && other > 0 && stats.FisherExact(0, alone, other, c.Of-alone) <= (1-confidence)/pairs {
				out = append(out, c)
			}
		}
	}
	return out
}

func namesOf(trials []judgedTrial) (names []string) {
	for _, t := range trials {
		names = slices.AppendSeq(names, maps.Keys(t.checks))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
