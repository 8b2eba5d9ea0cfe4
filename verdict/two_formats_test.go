package verdict

import (
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// TestARunInTwoFormats: one run by two reporters counts twice, and that is told; runs of
// one format are repeats, and reports that differ in a test or in how one ended are of
// different runs.
func TestARunInTwoFormats(t *testing.T) {
	type report struct{ name, format, trials string } // a word a trial: NAME=STATUS
	const says, two = "where both are reports of one run", "cart.spec.ts › cart › Adds=pass cart.spec.ts › cart › Adds(2)=fail cart.spec.ts › cart › Pays=skip"
	junit := report{"junit.xml", "junit", "adds=pass adds=error pays[chromium]=skip"}
	for _, c := range []struct {
		reason  string
		reports []report
		input   string // of which it is told
		count   int
	}{
		{"the same run", []report{junit, {"results.json", "playwright", two}}, "results.json", 3},
		{"and another", []report{junit, {"results.json", "playwright", two}, {"ctrf.json", "ctrf", two}}, "junit.xml", 6}, // inputs are in the order of their names
		{"repeats", []report{junit, {"again.xml", "junit", junit.trials}}, "", 0},
		{"another outcome", []report{junit, {"results.json", "playwright", strings.Replace(two, "fail", "pass", 1)}}, "", 0},
		{"another test", []report{junit, {"results.json", "playwright", strings.Replace(two, "Pays", "Ships", 1)}}, "", 0},
		{"too few to say", []report{{"a.xml", "junit", "a=pass b=pass"}, {"a.json", "jest", "a=pass b=pass"}}, "", 0},
	} {
		b := count.NewBuilder(0, 0.5)
		for _, r := range c.reports {
			in := b.Input(r.name, r.format)
			for i, word := range strings.Split(strings.ReplaceAll(r.trials, " › ", "~"), " ") {
				name, status, _ := strings.Cut(strings.ReplaceAll(word, "~", " › "), "=")
				in.Trial(&envelope.Trial{Key: envelope.Key{Suite: r.format, Test: name}, Attempt: envelope.Some(int32(i)), Status: envelope.Status(status)})
			}
			in.Close()
		}
		input, n := "", 0
		for _, p := range sealBuilt(t, b, envelope.Policy{}).Problems {
			if p.Code == envelope.CodeSameInput && strings.Contains(p.Message, says) {
				input, n = p.Input, p.Count
			}
		}
		if input != c.input || n != c.count {
			t.Errorf("%s: told of %q, %d trials; want %q, %d", c.reason, input, n, c.input, c.count)
		}
	}
}
