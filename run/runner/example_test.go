package runner_test

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/run/runner"
	"tribunal/verdict"
)

// A driver in small: trials are goroutines, the journal is standard output. Four
// trials run at once and end in any order. What is recorded is the same as if one
// ran after the other, and no trial runs when the verdict falls.
func Example() {
	policy, err := verdict.Resolve(envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.9)})
	if err != nil {
		panic(err)
	}
	tests := []runner.Test{{Key: envelope.Key{Test: "refund"}}, {Key: envelope.Key{Test: "search"}}}
	s, err := runner.New(runner.Plan{Policy: policy, Tests: tests, Places: 4})
	if err != nil {
		panic(err)
	}

	events := make(chan runner.Event)
	try := func(start runner.Start) {
		place := start.Trials[0]
		status := envelope.Pass
		if tests[place.Test].Test == "search" && place.Attempt != 1 {
			status = envelope.Fail
		}
		trial := &envelope.Trial{Status: status, CostUSD: envelope.Some(0.25)}
		events <- runner.Ended{Slot: start.Slot, Trials: []runner.Reported{{Test: place.Test, Trial: trial}}}
	}
	recorded := make([]int, len(tests))
	perform := func(actions []runner.Action) (over bool) {
		for _, action := range actions {
			switch a := action.(type) {
			case runner.Record: // a line of the stream
				recorded[a.Test]++
			case runner.End:
				defer fmt.Printf("%s: %s, %s after %d trials\n", tests[a.Test].Test, a.Status, a.How, recorded[a.Test])
			case runner.Stop:
				return true
			}
		}
		return false
	}

	over := perform(s.Begin())
	for !over {
		for start, ok := s.Next(); ok; start, ok = s.Next() {
			go try(start) // its line is written before
		}
		over = perform(s.Step(<-events))
	}
	totals := s.Totals()
	fmt.Printf("saved %d of %d trials, $%.2f spent\n", totals.Saved, totals.Planned, totals.SpentUSD.V)

	// Unordered output:
	// refund: pass, decided after 12 trials
	// search: fail, decided after 4 trials
	// saved 184 of 200 trials, $4.00 spent
}
