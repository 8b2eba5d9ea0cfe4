package stats_test

import (
	"fmt"
	"log"

	"tribunal/stats"
)

// The arithmetic of verdicts works on plain numbers.
func Example() {
	lo, hi := stats.Wilson(18, 20, stats.Z(0.95))
	fmt.Printf("18 of 20 passed: %.3f to %.3f\n", lo, hi)

	trials, err := stats.RecommendRunsAt(0.05, stats.Z(0.95), 0.5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(trials, "trials for 5 points to either side")
	// Output:
	// 18 of 20 passed: 0.699 to 0.972
	// 385 trials for 5 points to either side
}

// A sequential test looks at trials as they come and stops as soon as they say
// enough.
func ExampleSPRT() {
	test, err := stats.NewSPRT(0.9, 0.2, 0.05, 0.2)
	if err != nil {
		log.Fatal(err)
	}
	passes := 1
	for test.Decide(passes, 0) == stats.Undecided {
		passes++
	}
	failures := 1
	for test.Decide(0, failures) == stats.Undecided {
		failures++
	}
	fmt.Println(passes, "passes or", failures, "failures in a row decide")
	// Output:
	// 7 passes or 3 failures in a row decide
}
