package standing

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// mostWays is how many branches one line names.
const mostWays = 4

// Parting is where the trials of the test part, in a line: up to where they do the
// same, what each way does next, and how many of it passed; empty where they do not
// part. It is as the test has it, and not yet safe for any format.
func Parting(t *envelope.Test) string {
	p := t.Parting
	if p == nil {
		return ""
	}
	var ways []string
	shown := p.Branches
	if len(shown) > mostWays+1 {
		shown = shown[:mostWays]
	}
	for _, b := range shown {
		ways = append(ways, fmt.Sprintf("%s %d/%d", Way(p, &b), b.Passed, b.N))
	}
	if rest := p.Branches[len(shown):]; len(rest) > 0 {
		passed, n, others := 0, 0, 0
		for _, b := range rest {
			passed, n, others = passed+b.Passed, n+b.N, others+max(1, b.Others)
		}
		ways = append(ways, fmt.Sprintf("%d other ways %d/%d", others, passed, n))
	}
	return Place(t) + ": " + strings.Join(ways, ", ") + "; " + pOfParting(p) + "exploratory"
}

// StepsUsed is what calling tools goes with over the tests of a run, in a line;
// empty where no test says anything. It says so when nothing stands, because pooled
// over tests nearly every tool goes with something.
func StepsUsed(s *envelope.Summary) string {
	if len(s.StepsUsed) == 0 {
		return ""
	}
	const level = 0.05
	tools := words.Plural(len(s.StepsUsed), "tool", "tools")
	var stand []string
	for _, u := range s.StepsUsed {
		if u.Adjusted <= level && len(stand) < mostWays {
			stand = append(stand, fmt.Sprintf("%s %+.0f points in %s, p %s, %s adjusted", u.Name, 100*u.Difference, words.Plural(u.Tests, "test", "tests"), words.Probability(u.P), words.Probability(u.Adjusted)))
		}
	}
	if len(stand) > 0 {
		return "trials that call it pass more or less often than others of their test: " + strings.Join(stand, "; ") + " for " + tools + "; exploratory"
	}
	said := "none of " + tools + " goes with passing within tests"
	if first := &s.StepsUsed[0]; first.P < 1 {
		said += fmt.Sprintf("; the smallest p is %s of %s, %s adjusted", words.Probability(first.P), first.Name, words.Probability(first.Adjusted))
	}
	return said
}

// Place is where the trials of a test part.
func Place(t *envelope.Test) (where string) {
	p := t.Parting
	switch {
	case p.Depth == 0:
		where = "at the first step"
	case p.Level == envelope.PartNames:
		where = "after " + words.Plural(p.Depth, "step", "steps") + " with the same tools"
	default:
		where = "after " + words.Plural(p.Depth, "equal step", "equal steps")
	}
	if p.N < t.Trials.Counted {
		where += fmt.Sprintf(" of %d of %d trials", p.N, t.Trials.Counted)
	}
	return where
}

// Way is what a branch does next. Two calls of one tool are told apart by what
// differs in their arguments, or by the beginning of their digest.
func Way(p *envelope.Parting, b *envelope.Branch) string {
	const digits = 6
	switch {
	case b.Others > 0:
		return words.Plural(b.Others, "other way", "other ways")
	case b.Ended:
		return "no further step"
	case b.Unknown:
		return "further steps that are not kept"
	case b.Arguments != "":
		return b.Name + "(" + b.Arguments + ")"
	case hasTwin(p, b):
		return b.Name + "(#" + b.Digest[:min(len(b.Digest), digits)] + ")"
	}
	return b.Name
}

// hasTwin reports whether another branch calls the same tool.
func hasTwin(p *envelope.Parting, b *envelope.Branch) bool {
	return b.Digest != "" && slices.ContainsFunc(p.Branches, func(o envelope.Branch) bool { return o.Name == b.Name && o.Digest != b.Digest })
}

func pOfParting(p *envelope.Parting) string {
	if !p.P.OK {
		return ""
	}
	by := ""
	if p.Method == envelope.PPermutations {
		by = " by permutations"
	}
	return fmt.Sprintf("p %s%s, %s adjusted for %s, ", words.Probability(p.P.V), by, words.Probability(p.Adjusted.V), words.Plural(p.Nodes, "place", "places"))
}
