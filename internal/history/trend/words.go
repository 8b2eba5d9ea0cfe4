package trend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/policy"
)

func newWords(test *Test) string {
	says := fmt.Sprintf("%d of %s passed", test.Passed, trials(test.Counted))
	if test.ByScore {
		says = "mean score " + test.Score()
	}
	return fmt.Sprintf("%s; other states need %d runs", says, StateRuns)
}

func driftWords(test *Test, moves string) string {
	half, seen := test.Runs/2, 0
	var early, late [2]int // passed, counted
	for _, p := range test.Points {
		if p.Counted == 0 {
			continue
		}
		side := &late
		if seen < half {
			side = &early
		}
		side[0], side[1] = side[0]+int(p.Passed), side[1]+int(p.Counted)
		seen++
	}
	return fmt.Sprintf("the pass rate %s: %d of %d (%s) in the first %s, %d of %d (%s) in the last %d (trend p %s)", moves,
		early[0], early[1], percent(early[0], early[1]), runs(half), late[0], late[1],
		percent(late[0], late[1]), test.Runs-half, probability(test.Drift.PAdjusted))
}

func flakyWords(test *Test) string {
	says := fmt.Sprintf("%d of %s passed (%s) in %s", test.Passed, trials(test.Counted), percent(test.Passed, test.Counted), runs(test.Runs))
	if test.Drift == nil {
		return says
	}
	return says + fmt.Sprintf(", no steady rise or fall (p %s)", probability(test.Drift.PAdjusted))
}

const shownID = 8

// Short is the beginning of a run's id.
func (r Run) Short() string { return r.ID[:min(shownID, len(r.ID))] }

// runName is a run as evidence names it: its name and short id, and its day if known. The run a report is of has no id yet.
func (t *Trend) runName(i int32) string {
	if i < 0 || int(i) >= len(t.Runs) {
		return "the runs looked at"
	}
	return nameOf(&t.Runs[i])
}

func nameOf(r *Run) string {
	if r.ID == "" {
		return "this run"
	}
	name := "run " + r.Short()
	if called := r.Called(); called != "" {
		name = words.Head(called, mostOfName) + " (" + r.Short() + ")"
	}
	if day, _, ok := strings.Cut(r.StartedAt, "T"); ok {
		name += " of " + day
	}
	return name
}

const mostOfName = 60

// Called is what a run is called by who ran it; "" when it said nothing.
func (r Run) Called() string { return strings.TrimSpace(r.Name + " " + r.Given) }

// Title is what a trend is of: the name that its runs share, or the two that they have, and how many there are.
func (t *Trend) Title() string {
	var names []string
	for i := range t.Runs {
		if name := t.Runs[i].Name; name != "" && !slices.Contains(names, name) && len(names) < 3 {
			names = append(names, name)
		}
	}
	of := words.Plural(len(t.Tests), "test", "tests") + " over " + runs(len(t.Runs))
	if len(names) == 0 || len(names) > 2 {
		return "Trend of " + of
	}
	shown := each.Of(names, func(name string) string { return words.Head(name, mostOfName) })
	return "Trend of " + strings.Join(shown, " and ") + ": " + of
}

func trials(n int) string { return words.Plural(n, "trial", "trials") }

// every is all or none of the trials; of one trial, 1 or 0 of 1.
func every(word string, n, tried int) string {
	return words.If(tried == 1, fmt.Sprint(n, " of 1 trial")) + words.If(tried != 1, word+trials(tried))
}

func runs(n int) string { return words.Plural(n, "run", "runs") }

func percent(passed, counted int) string {
	return words.Tenths(float64(passed)/float64(max(1, counted))) + " %"
}

// probability is a p-value with two digits that mean something, behind "p".
func probability(p float64) string {
	switch {
	case p < 1e-4:
		return "below 0.0001"
	case p < 0.1:
		return "= " + strconv.FormatFloat(p, 'g', 2, 64)
	}
	return "= " + strconv.FormatFloat(p, 'f', 2, 64)
}

func notes(runs []Run, policies []envelope.Effective) []string {
	var out []string
	if n := distinct(policies, policy.Outcomes); n > 1 {
		out = append(out, fmt.Sprintf("the runs count trials in %d different ways (score_threshold, detect_empty_runs or cost limits differ); "+
			"their rates, states and drift may not be comparable", n))
	} else if n := distinct(policies, func(p envelope.Effective) envelope.Policy { return p.Policy }); n > 1 {
		out = append(out, fmt.Sprintf("the runs were judged under %d different policies: statuses use each run's own policy; rates do "+
			"not depend on them, states and drift only where scores decide", n))
	}
	undated := each.Count(runs, func(r Run) bool { return r.StartedAt == "" })
	if undated > 0 && undated < len(runs) {
		out = append(out, fmt.Sprintf("no started_at in %d of %d runs: such a run is placed after the run added before it", undated, len(runs)))
	}
	return out
}

func distinct(policies []envelope.Effective, part func(envelope.Effective) envelope.Policy) int {
	seen := map[string]bool{}
	for _, p := range policies {
		var text strings.Builder
		if err := json.NewEncoder(&text).Encode(part(p)); err != nil {
			panic("trend: a policy that does not marshal: " + err.Error()) // it was read from JSON
		}
		seen[text.String()] = true
	}
	return len(seen)
}

// noteWithoutScores says in how many runs a test that is compared by its scores has none that
// decide: they were stored by a version that kept no scores, or judged by another policy.
func noteWithoutScores(tests []Test) []string {
	without := map[int32]bool{}
	for i := range tests {
		for _, p := range tests[i].Points {
			if tests[i].ByScore && p.Counted > 0 && !p.byScore() {
				without[p.Run] = true
			}
		}
	}
	if len(without) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("in %s, scores did not decide some tests that scores decide now (another policy, or no scores kept); the "+
		"states of these tests leave out such runs", words.Plural(len(without), "run", "runs"))}
}

// Owned are the tests of an owner that need a look.
type Owned struct {
	Owner string
	Tests int // all of them
	Count map[State]int
}

// needsLook are the states of tests that need a look, the worst first.
var needsLook = []State{Broken, NewFlaky, DriftingDown, Flaky}

// ByOwner counts the tests that need a look by owner, those with the most first; a test with several owners counts for each.
func (t *Trend) ByOwner() []Owned {
	place := map[string]int{}
	var all []Owned
	for i := range t.Tests {
		for _, owner := range t.Tests[i].Owners {
			at, known := place[owner]
			if !known {
				at = len(all)
				place[owner] = at
				all = append(all, Owned{Owner: owner, Count: map[State]int{}})
			}
			all[at].Tests++
			all[at].Count[t.Tests[i].State]++
		}
	}
	slices.SortFunc(all, func(a, b Owned) int { return cmp.Or(b.Look()-a.Look(), strings.Compare(a.Owner, b.Owner)) })
	return slices.DeleteFunc(all, func(o Owned) bool { return o.Look() == 0 })
}

// Look is how many tests need a look.
func (o Owned) Look() int { return each.Sum(needsLook, func(s State) int { return o.Count[s] }) }

// Says is what they need it for: 1 broken, 2 flaky of 40 tests.
func (o Owned) Says() string {
	states := words.Some(needsLook, func(s State) string {
		return words.If(o.Count[s] > 0, words.Count(o.Count[s])+" "+strings.ToLower(string(s)))
	})
	return states + " of " + words.Plural(o.Tests, "test", "tests")
}
