package verdict

import (
	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/stats"
)

// Rule is one row of the table of rules: how the counted trials of a test
// become a status.
type Rule struct {
	Name    string
	Aliases []string
	Doc     string // one line
	// ThreeWay rules can find a test inconclusive, and do so below min_trials.
	ThreeWay bool
	// Sequential rules look after every trial and stop at the first decision.
	Sequential bool
	// Reports says which score the rule reports: best, worst or mean.
	Reports string

	scored bool                        // it judges scores and not outcomes
	check  func(envelope.Policy) error // valid ranges of the parameters
	fill   func(*envelope.Policy)      // defaults of the parameters
	judge  func(*Sample, envelope.Policy) judgement
	counts func(envelope.Policy) Decide                  // what it says of counts alone; nil when scores decide
	onward func(*Sample, envelope.Policy) Decide         // what a sequential rule says of trials that come after those of the sample
	scores func(*Sample, envelope.Policy) stats.Decision // what it says of scores, without words; nil for other rules
	pValue func(*Sample, envelope.Policy) float64        // against the threshold being held; nil when there is none
}

// Rules is the table. Adding a rule is a file and a row.
var Rules = []Rule{
	allRule, anyRule, majorityRule, meanRule,
	waldRule, wilsonRule, exactRule, tIntervalRule, bayesRule,
	sprtRule, anytimeRule,
}

// judgement is what a rule found. The rule's name, n and passed are filled in
// by whoever asked.
type judgement struct {
	status  envelope.Status
	verdict envelope.Verdict
}

// RuleByName finds a rule by its name or one of its other names.
func RuleByName(name string) (Rule, error) {
	for _, r := range Rules {
		if r.Name == name {
			return r, nil
		}
		for _, alias := range r.Aliases {
			if alias == name {
				return r, nil
			}
		}
	}
	return Rule{}, suggest.Unknown("rule", name, RuleNames())
}

// RuleNames lists the names of the rules in the order of the table.
func RuleNames() []string {
	var names []string
	for _, r := range Rules {
		names = append(names, r.Name)
	}
	return names
}

// adjustable lists the rules whose failures can be adjusted for many tests.
func adjustable() []string { return rulesThat(func(r Rule) bool { return r.pValue != nil }) }

// minTrials is the default minimum: five for rules of a fixed number of trials.
// A sequential rule decides by its own error rates and needs none.
func (r Rule) minTrials() int {
	if r.Sequential {
		return 1
	}
	return defaultMinTrials
}
