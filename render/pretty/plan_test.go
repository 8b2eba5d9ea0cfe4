package pretty

import (
	"bytes"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/plan"
)

func planText(t *testing.T, s *plan.Settling, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteDocument(&out, (&plan.Plan{Power: 0.8, Settling: s}).Document(), o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPlanIsWholeWhenNarrow: what has no column is said below the table, and
// nothing is explained that is not there.
func TestPlanIsWholeWhenNarrow(t *testing.T) {
	u := plan.Unsettled{Key: envelope.Key{Test: "picnic"}, Trials: 10, Passed: 9, Passes: envelope.Some(11), Failures: envelope.Some(5),
		More: &plan.Effort{Trials: 45, CostUSD: envelope.Some(0.58)}, Pass: envelope.Some(0.98), Fail: envelope.Some(0.01)}
	s := &plan.Settling{Tests: []plan.Unsettled{u}, Inconclusive: 1, Total: 2}
	for _, c := range []struct {
		width  int
		column bool
	}{{0, true}, {100, true}, {60, false}, {40, false}} {
		out := planText(t, s, Options{Width: c.width})
		if n := strings.Count(strings.Join(strings.Fields(out), " "), "11 passes or 5 failures"); n != 1 {
			t.Errorf("width %d says %d times what settles the test at once:\n%s", c.width, n, out)
		}
		if strings.Contains(out, "At once by") != c.column {
			t.Errorf("width %d: the column is there %v:\n%s", c.width, !c.column, out)
		}
	}
	s.Tests[0].Passes, s.Tests[0].Failures = envelope.Opt[int]{}, envelope.Opt[int]{}
	if out := planText(t, s, Options{}); strings.Contains(strings.ToLower(out), "at once by") {
		t.Errorf("nothing settles it at once:\n%s", out)
	}
}

// TestPlanUsesTheWidth: a name is cut only where it has no room beside the numbers.
func TestPlanUsesTheWidth(t *testing.T) {
	long := "agent/" + strings.Repeat("a name of ninety columns ", 4)[:84]
	s := &plan.Settling{Tests: []plan.Unsettled{{Key: envelope.Key{Test: long}, Trials: 10, Passed: 9, More: &plan.Effort{Trials: 45}}}, Inconclusive: 1, Total: 1}
	for width, whole := range map[int]bool{80: false, 120: true, 200: true} {
		if out := planText(t, s, Options{Width: width}); strings.Contains(out, long) != whole {
			t.Errorf("%d columns: the name is whole %v, want %v:\n%s", width, !whole, whole, out)
		}
	}
}

// TestPlanOfNothing: a run without tests, perhaps because it could not be read, has
// no verdicts to speak of.
func TestPlanOfNothing(t *testing.T) {
	if out := planText(t, &plan.Settling{}, Options{}); strings.Contains(out, "verdict") || !strings.Contains(out, "no test") {
		t.Error(out)
	}
	if out := planText(t, &plan.Settling{Total: 1}, Options{}); !strings.Contains(out, "every test has a verdict") {
		t.Error(out)
	}
}
