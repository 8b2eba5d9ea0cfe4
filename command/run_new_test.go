package command

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"tribunal/stats"
)

// TestPowerOfNewTests: the table of docs/run/new-tests.md is what the rule decides, over all
// numbers of failures, each with its probability.
func TestPowerOfNewTests(t *testing.T) {
	a, err := stats.NewAnytime(newThreshold, newGap, 0.05, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, rate := range []float64{0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1} {
		undecided := map[int]float64{0: 1} // by failures
		ended, mean := map[stats.Decision]float64{}, 0.
		for n := 1; n <= newTrials; n++ {
			next := map[int]float64{}
			for failures, weight := range undecided {
				mean += weight
				for more, chance := range []float64{rate, 1 - rate} {
					failed := failures + more
					if d := a.Decide(a.LogE(n-failed, failed)); d == stats.Undecided {
						next[failed] += weight * chance
					} else {
						ended[d] += weight * chance
					}
				}
			}
			undecided = next
		}
		fmt.Fprintf(&want, "| %g %% | %.1f %% | %.1f %% | %.0f |\n", 100*rate, 100*ended[stats.Fail], 100*ended[stats.Pass], mean)
	}
	page, err := os.ReadFile("../docs/run/new-tests.md")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(regexp.MustCompile(`(?m)^\| [0-9].*\n`).FindAllString(string(page), -1), ""); got != want.String() {
		t.Errorf("docs/run/new-tests.md has\n%s\nwant\n%s", got, want.String())
	}
}
