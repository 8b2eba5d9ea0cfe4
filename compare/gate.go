package compare

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/verdict/gate"
)

// gateOf turns the comparison into an exit code: what the options fail on wins
// over input that could not be used.
func gateOf(c *Comparison, base Input, candidates []Input, o Options) Gate {
	g := Gate{Status: envelope.Pass, Reasons: []string{}}
	for i := range c.Contrasts {
		contrast := &c.Contrasts[i]
		of := ""
		if len(c.Contrasts) > 1 {
			of = contrast.Candidate.Name + ": "
		}
		for _, reason := range contrast.fails(o) {
			g.raise(envelope.Fail, gate.ExitFailed, of+reason)
		}
	}
	broken := gate.Broken(base.Envelope.Problems, base.Envelope.Policy.Policy) + gate.Broken(c.own, base.Envelope.Policy.Policy)
	for _, candidate := range candidates {
		broken += gate.Broken(candidate.Envelope.Problems, candidate.Envelope.Policy.Policy)
	}
	if broken > 0 {
		g.raise(envelope.Error, gate.ExitUnusable, words.Plural(broken, "error", "errors")+" in the input")
	}
	return g
}

func (g *Gate) raise(status envelope.Status, code int, reason string) {
	g.Reasons = append(g.Reasons, reason)
	if g.ExitCode == gate.ExitOK {
		g.Status, g.ExitCode = status, code
	}
}

// fails lists what the options fail on.
func (c *Contrast) fails(o Options) []string {
	var reasons []string
	on := func(word string, n int, what string) {
		if n > 0 && slices.Contains(o.FailOn, word) {
			reasons = append(reasons, words.Plural(n, "test ", "tests ")+what)
		}
	}
	if c.Run.State == Regressed && slices.Contains(o.FailOn, OnRegressed) {
		reasons = append(reasons, "the run as a whole regressed")
	}
	s := c.Summary
	on(OnRegressed, s.Regressed, "regressed")
	on(OnUnresolved, s.Unresolved, "unresolved")
	on(OnGone, s.Gone, "gone")
	on(OnNewlyFlaky, s.NewlyFlaky, "newly flaky")
	on(OnNewlyBroken, s.NewlyBroken, "newly broken")
	return reasons
}

// FailsUnseen says why a comparison fails the build though nothing regressed, which
// reports of what regressed do not show; "" where it does not.
func (c *Comparison) FailsUnseen() string {
	regressed := func(x Contrast) bool { return x.Run.State == Regressed || x.Summary.Regressed > 0 }
	if c.Gate.Status != envelope.Fail || slices.ContainsFunc(c.Contrasts, regressed) {
		return ""
	}
	return strings.Join(c.Gate.Reasons, "; ")
}
