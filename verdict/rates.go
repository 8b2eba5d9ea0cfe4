package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/stats"
)

// excluded is the number of trials that were tried and excluded: neither skipped
// nor left out because the cost limit was reached.
func excluded(c envelope.TrialCounts) int {
	return c.Total - c.Counted - c.Excluded[string(envelope.Skip)] - c.Excluded[envelope.ClassCostLimit]
}

// rates gives both pass rates with their Wilson intervals, and the bracket when
// something is excluded or counted at all.
func rates(c envelope.TrialCounts, confidence float64) (r envelope.Rates) {
	all := c.Counted + excluded(c)
	if all == 0 {
		return r
	}
	var found struct { // one allocation: there may be a million of them
		protocol, intent envelope.Rate
		bracket          envelope.Bracket
	}
	if c.Counted > 0 {
		found.protocol = rate(c.Passed, c.Counted, confidence)
		r.PerProtocol = &found.protocol
	}
	found.intent = rate(c.Passed, all, confidence)
	found.bracket = envelope.Bracket{Lo: float64(c.Passed) / float64(all), Hi: float64(c.Passed+all-c.Counted) / float64(all)}
	r.IntentToTreat, r.Bracket = &found.intent, &found.bracket
	return r
}

func rate(passed, n int, confidence float64) envelope.Rate {
	lo, hi := stats.Wilson(passed, n, stats.ConventionalZ(confidence))
	return envelope.Rate{Value: float64(passed) / float64(n), Lo: lo, Hi: hi, Method: "wilson", Confidence: confidence}
}

// classes lists excluded trials by class, for instance "2 infrastructure, 1 skip".
func classes(excluded map[string]int) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(excluded)) {
		parts = append(parts, fmt.Sprintf("%d %s", excluded[class], class))
	}
	return strings.Join(parts, ", ")
}
