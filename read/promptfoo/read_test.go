package promptfoo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

// TestNamesOfAConfiguration: promptfoo numbers test cases by testIdx and writes rows as they
// end. Whichever ended first, the first of the configuration has the plain name, and so has
// its first prompt.
func TestNamesOfAConfiguration(t *testing.T) {
	row := func(index, prompt int, testCase string) string {
		return fmt.Sprintf(`{"testIdx":%d,"promptIdx":%d,"success":true,"provider":{"id":"m"},"promptId":"p%[2]d","prompt":{"label":"l%[2]d"},"testCase":{%s}}`, index, prompt, testCase)
	}
	rows := []string{row(0, 0, `"description":"d","vars":{"q":1}`), row(0, 1, `"description":"d","vars":{"q":1}`), row(1, 0, `"description":"d","vars":{"q":2}`),
		row(2, 0, `"vars":{"q":"x"},"assert":[{"type":"contains","value":"x"}]`), row(3, 0, `"vars":{"q":"x"},"assert":[{"type":"contains","value":"y"}]`)}
	want := []string{"d (q=2) [m] #0 pass", "d [m, prompt l1 " + hash("p1") + "] #0 pass", "d [m] #0 pass", "q=x (" + hash(`[{"type":"contains","value":"y"}]`) + ") [m] #0 pass", "q=x [m] #0 pass"}
	orders := [][]int{{}}
	for i := range rows { // every order of them
		var longer [][]int
		for _, o := range orders {
			for at := range len(o) + 1 {
				longer = append(longer, slices.Insert(slices.Clone(o), at, i))
			}
		}
		orders = longer
	}
	for _, order := range orders {
		var lines []string
		for _, i := range order {
			lines = append(lines, rows[i])
		}
		for _, text := range []string{strings.Join(lines, "\n"), `{"evalId":"e","results":{"version":3,"results":[` + strings.Join(lines, ",") + `]}}`} {
			got := readtest.Text(t, Read, text).Lines()
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %q, want %q", order, got, want)
			}
		}
	}
}

// TestRowsThatWait: a run whose first row is missing keeps all others, and its texts are
// those of their rows.
func TestRowsThatWait(t *testing.T) {
	var lines []string
	const rows = 3 * mostHeld / 2
	for i := rows; i > 0; i-- {
		lines = append(lines, fmt.Sprintf(`{"testIdx":%d,"promptIdx":0,"success":false,"error":"no %[1]d","response":{"output":"said %[1]d"},"testCase":{"description":"d %[1]d"}}`, i))
	}
	s := readtest.Text(t, Read, strings.Join(lines, "\n"))
	if len(s.Trials) != rows {
		t.Fatalf("%d trials of %d rows", len(s.Trials), rows)
	}
	for _, trial := range s.Trials {
		if _, n, _ := strings.Cut(trial.Test, " "); trial.Message != "no "+n || !strings.HasPrefix(trial.Output, "said "+n) {
			t.Errorf("%#v", trial)
		}
	}
}
