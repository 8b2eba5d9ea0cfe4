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
