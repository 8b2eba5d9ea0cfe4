package verdict

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/verdict/rule"
)

// standing is where the numbers of a test put it before its rule is asked.
type standing int

const (
	ready   standing = iota // the rule decides
	untried                 // every trial was skipped
	voided                  // every trial that was tried is excluded
	thin                    // too many trials are excluded
	few                     // a rule of three answers has not enough to decide
)

// standingOf is the standing of a test of which so many trials count and so many
// were tried and excluded.
func standingOf(by *rule.Rule, p *envelope.Effective, counted, left int) standing {
	switch {
	case counted == 0 && left == 0:
		return untried
	case counted == 0:
		return voided
	case float64(counted)/float64(counted+left) < p.MinCoverage.V:
		return thin
	case by.ThreeWay && counted < p.MinTrials.V:
		return few
	}
	return ready
}

// status is that of a test whose rule is not asked.
func (s standing) status() (status envelope.Status, known bool) {
	switch s {
	case untried:
		return envelope.Skip, true
	case voided:
		return envelope.Error, true
	case thin, few:
		return envelope.Inconclusive, true
	}
	return "", false
}

func word(status envelope.Status, format string, args ...any) rule.Judgement {
	return rule.Judgement{Status: status, Verdict: envelope.Verdict{Reason: fmt.Sprintf(format, args...)}}
}
