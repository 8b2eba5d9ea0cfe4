package envelope_test

import (
	"fmt"

	"tribunal/envelope"
)

// What a runner does not say stays absent, which is not zero: a trial that cost
// nothing is not one of which nobody knows the cost.
func ExampleOpt() {
	free := envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass, CostUSD: envelope.Some(0.0)}
	unknown := envelope.Trial{Key: envelope.Key{Test: "t"}, Status: envelope.Pass}
	fmt.Println(free.CostUSD.OK, unknown.CostUSD.OK)
	// Output:
	// true false
}

// Runners have many words for four statuses.
func ExampleParseStatus() {
	for _, word := range []string{"passed", "errored", "pending", "perhaps"} {
		status, ok := envelope.ParseStatus(word)
		fmt.Println(word, status, ok)
	}
	// Output:
	// passed pass true
	// errored error true
	// pending skip true
	// perhaps  false
}
