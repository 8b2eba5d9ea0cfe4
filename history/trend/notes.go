package trend

import (
	"encoding/json"
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/policy"
)

// notes says what a reader of the trend must know of its runs.
func notes(runs []Run, policies []envelope.Effective) []string {
	var out []string
	if n := distinct(policies, everything); n > 1 {
		out = append(out, fmt.Sprintf("the runs were judged under %d different policies: statuses follow each run's own; rates, states and drift are computed on counts", n))
	}
	if n := distinct(policies, policy.Outcomes); n > 1 {
		out = append(out, fmt.Sprintf("%d of these policies count trials differently (score_threshold, detect_empty_runs or cost limits), so even the counts are not comparable", n))
	}
	undated := 0
	for _, r := range runs {
		if r.StartedAt == "" {
			undated++
		}
	}
	if undated > 0 && undated < len(runs) {
		out = append(out, fmt.Sprintf("%d of %d runs have no started_at: each is placed after the run added before it", undated, len(runs)))
	}
	return out
}

// everything is the whole policy.
func everything(p envelope.Effective) envelope.Policy { return p.Policy }

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
	return []string{fmt.Sprintf("%d of the runs have no scores of some tests with scores; they do not count for the states of these tests", len(without))}
}
