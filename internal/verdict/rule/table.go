package rule

import (
	"errors"
	"slices"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
)

// Table has every rule, in the order in which they are listed. Adding a rule is a file and a row.
var Table = []Rule{
	allRule, anyRule, majorityRule, meanRule,
	waldRule, wilsonRule, exactRule, boundedMeanRule, tIntervalRule, bayesRule,
	sprtRule, anytimeRule,
}

// Paired is no rule of a test: a run compares two variants of each by their pairs.
const Paired = "paired"

// ByPairs reports whether a test was stopped by its pairs: its rule does not stop it.
func ByPairs(t *envelope.Test) bool {
	return t.Ended == envelope.EndedDecided && !slices.Contains(Sequential(), t.Verdict.Rule)
}

// ByName finds a rule by its name or one of its other names.
func ByName(name string) (Rule, error) {
	for _, r := range Table {
		if r.Name == name || slices.Contains(r.Aliases, name) {
			return r, nil
		}
	}
	if name == Paired {
		return Rule{}, errors.New("rule paired compares two variants; leave it out here, use tribunal run --rule paired --variants old,new, " +
			"or tribunal compare --sequential for trials that you started")
	}
	return Rule{}, suggest.Unknown("rule", name, append(Names(), suggest.Near(name, []string{Paired})...))
}

// Names lists the names of the rules in the order of the table.
var Names = sync.OnceValue(func() []string { return That(func(Rule) bool { return true }) })

// That lists the names of the rules that are so, in the order of the table.
func That(is func(Rule) bool) []string {
	return each.Of(each.Where(Table, is), func(r Rule) string { return r.Name })
}

// Sequential lists the rules that may be looked at after every trial.
func Sequential() []string { return That(func(r Rule) bool { return r.Sequential }) }

// Adjustable lists the rules whose failures can be adjusted for many tests.
func Adjustable() []string { return That(func(r Rule) bool { return r.PValue != nil }) }

// Unreachable reports a test without scores under a rule that asks for a mean score above 1.
func Unreachable(t *envelope.Test) bool {
	r, err := ByName(t.Verdict.Rule)
	return err == nil && r.Scored && !r.Ranged && t.Score == nil && t.Trials.Counted > 0 && t.Verdict.Threshold.V > 1
}

// ScoresDecide reports whether a test is judged by the scores of its trials: by its rule,
// or because no status stands beside them.
func ScoresDecide(t *envelope.Test) bool {
	if r, err := ByName(t.Verdict.Rule); err == nil && r.Scored {
		return true
	}
	for i, outcome := range t.Rows.Outcome {
		if _, scored := t.Rows.Score().At(i); scored && outcome.Counted() && t.Rows.Given[i] != envelope.Undecided {
			return false
		}
	}
	return true
}
