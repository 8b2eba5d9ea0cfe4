package contract_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/stats"
	"tribunal/verdict"
)

// TestStatisticsTables computes every table of the manual again: what it says of
// error rates and powers is what the rules do.
func TestStatisticsTables(t *testing.T) {
	for _, c := range []struct {
		page, header string
		rows         [][]string
	}{
		{"../docs/statistics/rules.md", "threshold | `wilson` FAILs", sizes(t)},
		{"../docs/statistics/posterior.md", "threshold | least PASS", priorTable(t)},
	} {
		text, err := os.ReadFile(c.page)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tableBelow(string(text), c.header), tableOf(c.rows); got != want {
			t.Errorf("%s, table %q says\n%sbut it is\n%s", c.page, c.header, got, want)
		}
	}
}

// tableBelow is the rows of the table of a page whose header starts like this.
func tableBelow(page, header string) string {
	_, rest, _ := strings.Cut(page, "\n| "+header)
	_, rest, _ = strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(rest, "\n") // the line below the header
	rows, _, _ := strings.Cut(rest, "\n\n")
	return rows + "\n"
}

func tableOf(rows [][]string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return b.String()
}

func manualPolicy(t *testing.T, rule string, threshold float64) envelope.Effective {
	t.Helper()
	p, err := verdict.Resolve(envelope.Policy{Rule: rule, Threshold: envelope.Some(threshold)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var manualThresholds = []float64{0.5, 0.8, 0.9, 0.95, 0.99}

// sizes are the largest chances, over 5 to 1000 trials, with which a rule fails and
// passes a test that is exactly at the threshold.
func sizes(t *testing.T) (rows [][]string) {
	for _, threshold := range manualThresholds {
		row := []string{fmt.Sprint(threshold)}
		for _, rule := range []string{"wilson", "wald"} {
			boundary := stats.NewBoundary(verdict.DecideFor(manualPolicy(t, rule, threshold)))
			var most stats.Chances
			for n := 5; n <= 1000; n++ {
				c := boundary.Once(threshold, n)
				most.Fail, most.Pass = max(most.Fail, c.Fail), max(most.Pass, c.Pass)
			}
			row = append(row, digits3(most.Fail), digits3(most.Pass))
		}
		rows = append(rows, row)
	}
	return rows
}

// priorTable is what the rule bayes can decide at all.
func priorTable(t *testing.T) (rows [][]string) {
	for _, threshold := range manualThresholds {
		decide := verdict.DecideFor(manualPolicy(t, "bayes", threshold))
		least := func(failed int) string { // the fewest trials that pass, of which so many failed
			n, _ := stats.SmallestPass(func(passed, _ int) stats.Decision { return decide(passed, failed) }, 100_000)
			return fmt.Sprint(n + failed)
		}
		at := stats.NewBoundary(decide).At(20)
		pass := fmt.Sprint(at.Pass)
		if at.Pass > 20 {
			pass = "none"
		}
		rows = append(rows, []string{fmt.Sprint(threshold), least(0), least(1), fmt.Sprint(at.Fail), pass})
	}
	return rows
}

func digits3(v float64) string { return fmt.Sprintf("%.3f", v) }
