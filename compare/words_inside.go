package compare

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/internal/words"
)

// How much of what trials did inside is shown.
const (
	mostParts       = 5  // checks or tools that changed
	mostPartTests   = 3  // tests that a line names
	mostTestChecks  = 5  // checks of a test
	longestPartName = 80 // characters
)

// InsideWords say what changed within the trials of the run, a line each: the checks
// that pass more or less often, the tools that are called more or less often, or of
// how many there are that none is shown to be. It is empty where nothing is known of
// either.
func (c *Contrast) InsideWords() (lines []string) {
	lines = append(lines, partWords(c.Checks, "check", "checks")...)
	return append(lines, partWords(c.Tools, "tool", "tools")...)
}

func partWords(all []Part, one, many string) (lines []string) {
	if len(all) == 0 {
		return nil
	}
	changed := 0
	for i := range all {
		if !all[i].State.shown() {
			continue
		}
		if changed++; changed <= mostParts {
			lines = append(lines, one+" "+all[i].Sentence())
		}
	}
	of := words.Plural(len(all), one, many)
	switch first := &all[0]; {
	case changed > mostParts:
		lines = append(lines, fmt.Sprintf("%d more of %s changed", changed-mostParts, of))
	case changed > 0:
	case !slices.ContainsFunc(all, func(p Part) bool { return p.PValue.OK }):
		lines = append(lines, of+": their variation is unknown, so no change is reported")
	case !first.PAdjusted.OK:
		lines = append(lines, fmt.Sprintf("none of %s could show a difference with these trials", of))
	case first.Uneven:
		lines = append(lines, fmt.Sprintf("none of %s changed beyond chance: the tests of %s, p %s and %s adjusted, changed too unevenly", of, first.name(), words.Probability(first.PValue.V), words.Probability(first.PAdjusted.V)))
	default:
		lines = append(lines, fmt.Sprintf("none of %s changed beyond chance; the smallest p is %s of %s, %s adjusted", of, words.Probability(first.PValue.V), first.name(), words.Probability(first.PAdjusted.V)))
	}
	return lines
}

// shown reports whether the state is a change.
func (s State) shown() bool { return s.changed() || s == More || s == Fewer }

func (p *Part) name() string { return shortened(p.Name) }

func shortened(name string) string {
	if letters := []rune(name); len(letters) > longestPartName {
		return string(letters[:longestPartName-1]) + "…"
	}
	return name
}

// Sentence is the part in words and numbers.
func (p *Part) Sentence() string {
	s := fmt.Sprintf("%s %s: %s before, %s now", p.name(), p.State.Word(), p.Base, p.Candidate)
	if d := p.Difference; d != nil {
		s += fmt.Sprintf(", %s within tests", d.Words())
	}
	s += p.words()
	var names []string
	for i := range p.Informing {
		if i < mostPartTests {
			names = append(names, p.Informing[i].String())
		}
	}
	if more := p.Informative - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return s + fmt.Sprintf("; %s could show it: %s", words.Plural(p.Informative, "test", "tests"), strings.Join(names, ", "))
}

// String is the share as people count it.
func (s Share) String() string { return fmt.Sprintf("%d/%d", s.Did, s.N) }

// words are the p-value and the one that decided.
func (c *Change) words() string {
	switch {
	case !c.PValue.OK:
		return ""
	case c.PAdjusted.OK:
		return fmt.Sprintf(", p %s, %s adjusted", words.Probability(c.PValue.V), words.Probability(c.PAdjusted.V))
	}
	return fmt.Sprintf(", p %s, too few trials for a small p", words.Probability(c.PValue.V))
}

// InsideWords say of a test that changed which of its checks pass more or less often,
// and where its trials part from those of the other side, a line each.
func (t *Test) InsideWords() (lines []string) {
	var checks []string
	for i := range t.Checks {
		if c := &t.Checks[i]; c.fallen() != 0 {
			checks = append(checks, fmt.Sprintf("%s %s before, %s now%s", shortened(c.Name), c.Base, c.Candidate, c.words()))
		}
	}
	if more := len(checks) - mostTestChecks; more > 0 {
		checks = append(checks[:mostTestChecks], fmt.Sprintf("%d others", more))
	}
	if len(checks) > 0 {
		lines = append(lines, "checks: "+strings.Join(checks, "; "))
	}
	if d := t.FirstDifference; d != nil {
		lines = append(lines, "first difference: "+d.Sentence())
	}
	return lines
}

// Explained is why the test has its state and what changed within its trials, a line
// each.
func (t *Test) Explained() string {
	return strings.Join(append([]string{t.Reason}, t.InsideWords()...), "\n")
}

// Sentence says where two trials part, and how many of their sides go the same ways.
func (d *FirstDifference) Sentence() string {
	trials := fmt.Sprintf("trials %d before and %d now", d.Base.Trial+1, d.Candidate.Trial+1)
	if d.Same() {
		return fmt.Sprintf("%s make the same %s, with no difference", trials, words.Plural(d.Shared, "call", "calls"))
	}
	where := "from the first call on"
	if d.Shared > 0 {
		where = "after " + words.Plural(d.Shared, "equal call", "equal calls")
	}
	return fmt.Sprintf("%s diverge %s: %s before, %s now; only an example: of the trials that got there, %d of %d did this before, and %d of %d now", trials, where,
		d.Base.words(&d.Candidate), d.Candidate.words(&d.Base), d.Base.Took, d.Base.Reached, d.Candidate.Took, d.Candidate.Reached)
}

// words are the call. Two of one tool are distinguished by what differs in their
// arguments, or by the beginning of their digests.
func (w *Way) words(other *Way) string {
	const digits = 6
	switch {
	case w.Ended:
		return "no further call"
	case w.Unknown:
		return "further calls that are not kept"
	case w.Name != other.Name:
		return w.Name
	case w.Arguments != "":
		return w.Name + "(" + w.Arguments + ")"
	}
	return w.Name + "(#" + w.Digest[:min(len(w.Digest), digits)] + ")"
}
