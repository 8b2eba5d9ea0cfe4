package standing_test

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/render/internal/standing"
)

// TestMisjudged: a trial says what a person found and what the judge said; a test lists
// where they differ, of the trials that count, numbered from 1.
func TestMisjudged(t *testing.T) {
	columns := envelope.Columns{Given: []envelope.Given("PPFFEESP")}
	for i, label := range []envelope.Status{"pass", "fail", "pass", "fail", "pass", "fail", "pass"} {
		columns.Truth.Set(i, label)
	}
	rows := columns.Rows()
	rows.Outcome = envelope.Outcomes("PPFFEXSP")
	for trial, want := range map[int]string{
		0: "labelled pass", 1: "labelled fail, judged pass", 2: "labelled pass, judged fail", 3: "labelled fail",
		4: "labelled pass, judged error", 5: "labelled fail, judged excluded", 6: "labelled pass, judged skip", 7: "", 8: "", -1: "",
	} {
		if got := standing.Labelled(rows, trial); got != want {
			t.Errorf("trial %d: %q, want %q", trial, got, want)
		}
	}
	if got, want := standing.Misjudged(&envelope.Test{Rows: rows}), "labelled fail and judged pass: trial 2; labelled pass and judged not: trials 3, 5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	passing := envelope.Columns{Given: []envelope.Given(strings.Repeat("P", 13))}
	for i := range passing.Given {
		passing.Truth.Set(i, envelope.Fail)
	}
	many := passing.Rows()
	many.Outcome = envelope.Outcomes(strings.Repeat("P", 13))
	if got, want := standing.Misjudged(&envelope.Test{Rows: many}), "labelled fail and judged pass: trials 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3 others"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := standing.Misjudged(&envelope.Test{Rows: &envelope.Rows{Outcome: envelope.Outcomes("PF")}}); got != "" {
		t.Errorf("without labels: %q", got)
	}
}
