package gate

import (
	"slices"
	"testing"
)

// TestPathsCanBeNamed: every path that is offered is one that a gate takes.
func TestPathsCanBeNamed(t *testing.T) {
	paths := Paths()
	for _, p := range paths {
		if err := Valid(p + " == " + p); err != nil {
			t.Errorf("%s is offered and refused: %v", p, err)
		}
	}
	for _, want := range []string{"summary.fail", "metrics.pass_hat_k[1]", "metrics.avg_lo", "rate.per_protocol.lo", "summary.trials.excluded.infrastructure", `trials.excluded["idle-timeout"]`} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is not offered", want)
		}
	}
}
