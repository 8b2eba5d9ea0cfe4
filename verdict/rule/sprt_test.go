package rule

import "testing"

// TestALongPathIsThinned: a path keeps its every third point, and the last one.
func TestALongPathIsThinned(t *testing.T) {
	if e := evidence("x", 1001, make([]float64, 1001)); e.Step != 3 || len(e.Path) != 334 {
		t.Errorf("1001 points thinned to %d of step %d, want every third and the last", len(e.Path), e.Step)
	}
}
