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
		out = append(out, fmt.Sprintf("%d of these policies differ in what counts as a pass or is excluded (score_threshold, detect_empty_runs or cost limits): the counts themselves are not quite comparable", n))
	}
	undated := 0
	for _, r := range runs {
		if r.StartedAt == "" {
			undated++
		}
	}
	if undated > 0 && undated < len(runs) {
		out = append(out, fmt.Sprintf("%d of %d runs have no started_at: each stands after the run that was added before it", undated, len(runs)))
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
