package reliability_test

import (
	"fmt"
	"log"

	"tribunal/reliability"
)

// The metrics of a run come from two numbers a test: trials, and passes of these.
func ExampleLookup() {
	sample, err := reliability.NewSample([]reliability.Counts{{Passed: 8, N: 8}, {Passed: 4, N: 8}, {Passed: 0, N: 8}})
	if err != nil {
		log.Fatal(err)
	}
	params := reliability.DefaultParams()
	params.K = 2
	for _, name := range []string{"pass_at_k", "pass_hat_k"} {
		metric, _ := reliability.Lookup(name)
		estimate, err := metric.Evaluate(sample, params)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %.3f, %.3f to %.3f\n", name, estimate.Value, estimate.Lo, estimate.Hi)
	}
	// Output:
	// pass_at_k: 0.595, 0.488 to 0.773
	// pass_hat_k: 0.405, 0.227 to 0.512
}
