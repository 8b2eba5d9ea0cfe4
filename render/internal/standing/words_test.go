package standing

import (
	"testing"

	"tribunal/envelope"
)

func TestCounts(t *testing.T) {
	cases := []struct {
		summary envelope.Summary
		want    string
		reason  string
	}{
		{envelope.Summary{}, "0 passed, 0 failed", "passed and failed are always told"},
		{envelope.Summary{Counts: envelope.Counts{Tests: 10, Pass: 3, Fail: 1, Error: 1, Skip: 2, Inconclusive: 3}, Flaky: 4},
			"3 passed, 1 failed, 1 error, 2 skipped, 3 inconclusive; 4 of them flaky", "everything, one error"},
		{envelope.Summary{Counts: envelope.Counts{Error: 2}}, "0 passed, 0 failed, 2 errors", "errors have a plural"},
	}
	for _, c := range cases {
		if got := Counts(&c.summary); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestMark(t *testing.T) {
	for status, want := range map[envelope.Status]string{envelope.Pass: "PASS", envelope.Fail: "FAIL", envelope.Inconclusive: "INCONC",
		envelope.Error: "ERROR", envelope.Skip: "SKIP", "of tomorrow": "ERROR"} {
		if got := Mark(status); got != want {
			t.Errorf("%q is %s, want %s", status, got, want)
		}
	}
}
