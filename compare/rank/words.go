package rank

import (
	"cmp"
	"fmt"
	"strings"

	"tribunal/compare"
	"tribunal/internal/words"
	"tribunal/plan"
)

// Sentence says which variant is the best, or which may be, and what would tell.
func (r *Ranking) Sentence() string {
	named := func(i int) string { return cmp.Or(r.Variants[i].Name, "(no name)") }
	switch n := len(r.Variants); {
	case n == 0:
		return "Nothing is ranked."
	case n == 1:
		return "There is " + named(0) + " alone: nothing to rank it against."
	case len(r.Best) == 1 && n == 2:
		return "Best is " + named(0) + ": " + named(1) + " is surely worse."
	case len(r.Best) == 1:
		return "Best is " + named(0) + fmt.Sprintf(": all %d others are surely worse.", n-1)
	}
	s := "Best is " + named(0)
	if len(r.Best) == 2 {
		s += ", or " + cmp.Or(r.Best[1], "(no name)")
	} else {
		s += ", or one of " + list(r.Best[1:], mostNamed)
	}
	if more := r.telling(); more != "" {
		s += ": " + more
	}
	return s + "."
}

// telling says what would tell the first variant from all others that may be the best.
func (r *Ranking) telling() string {
	most, fewTests := 0, 0
	var byTests, never, alike []string
	for i := range r.Variants[1:] {
		v := &r.Variants[i+1]
		switch t := v.Telling; {
		case v.From != 1:
		case t == nil:
			alike = append(alike, v.Name)
		case t.Trials.OK:
			most = max(most, t.Trials.V)
		case t.Tests.OK:
			byTests, fewTests = append(byTests, v.Name), max(fewTests, t.Tests.V)
		default:
			never = append(never, v.Name)
		}
	}
	var parts []string
	if most > 0 {
		s := fmt.Sprintf("%s each would separate them", words.Plural(most, "more trial", "more trials"))
		if len(byTests)+len(never)+len(alike) > 0 {
			s += " from the others"
		}
		parts = append(parts, s)
	}
	if len(byTests) > 0 {
		parts = append(parts, fmt.Sprintf("more trials of these tests cannot separate it from %s, but %s like these would", list(byTests, mostNamed), words.Plural(fewTests, "more test", "more tests")))
	}
	if len(alike) > 0 {
		parts = append(parts, list(alike, mostNamed)+r.alike())
	}
	if len(never) > 0 {
		parts = append(parts, list(never, mostNamed)+" too close to separate with a million trials or tests")
	}
	return strings.Join(parts, "; ")
}

func (r *Ranking) alike() string {
	if r.Of == compare.OfScores {
		return " scored the same so far"
	}
	return " passed as often so far"
}

// measure is what variants are ranked by.
func (r *Ranking) measure() string {
	if r.Of == compare.OfScores {
		return "Mean score"
	}
	return "Pass rate"
}

// trials are those of a variant: how many passed, or how many were scored.
func (r *Ranking) trials(v *Variant) string {
	if r.Of == compare.OfScores {
		return words.Plural(v.N, "trial", "trials")
	}
	return words.Count(v.Passed) + "/" + words.Count(v.N)
}

// tellingWords says what would tell a variant from the first, for a table.
func tellingWords(t *plan.Telling) string {
	switch {
	case t == nil:
		return ""
	case t.Trials.OK:
		return words.Plural(t.Trials.V, "more trial", "more trials")
	case t.Tests.OK:
		return words.Plural(t.Tests.V, "more test", "more tests")
	}
	return "over a million"
}

// words says how the ranking was made.
func (r *Ranking) words() string {
	s := fmt.Sprintf("%s of %s", words.Plural(r.Tests, "test", "tests"), words.Plural(len(r.Variants), "variant", "variants"))
	if r.Settings.ClusterBy != "" && r.Groups != r.Tests {
		s += fmt.Sprintf(" in %d groups by %s", r.Groups, r.Settings.ClusterBy)
	}
	if r.Of == compare.OfScores {
		s += " by mean score"
	}
	return s + ", every test once; " + words.Level(r.Settings.Confidence) + " confidence for all intervals, pairs and places at once"
}

// places are those that a variant can have: 1, or 1 to 3.
func (v *Variant) places() string {
	if v.From == v.To {
		return words.Count(v.From)
	}
	return words.Count(v.From) + " to " + words.Count(v.To)
}
