package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/stats"
)

// What tests can be grouped by beside their labels.
const (
	groupSuite = "suite"
	groupFile  = "file"
	groupTest  = "test"
)

// groupBy is group by what the options name.
func (s *strata) groupBy(all *Overall, o Options) error {
	names, err := GroupNames(s.tests, o.ClusterBy)
	if err != nil {
		return err
	}
	return s.group(all, names, o)
}

// group makes the difference of the run the mean over tests, each once, and its error
// that of groups which move together, by the name of the group of each test.
func (s *strata) group(all *Overall, names []string, o Options) error {
	place, groups := map[string]int{}, make([]int, len(names))
	for i, name := range names {
		at, known := place[name]
		if !known {
			at = len(place)
			place[name] = at
			all.Groups = append(all.Groups, Group{Name: name})
		}
		groups[i], s.contrasts[i].Weight = at, 1
		all.Groups[at].Tests++
		all.Groups[at].Difference += s.contrasts[i].Difference
	}
	if len(place) < 2 {
		return fmt.Errorf("--cluster-by %s: the tests of both sides are all of one group, %q: their variation is unknown; name a label with more values", o.ClusterBy, names[0])
	}
	for i := range all.Groups {
		all.Groups[i].Difference /= float64(all.Groups[i].Tests)
	}
	slices.SortFunc(all.Groups, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	if s.Basis.Scores {
		all.Finding = s.scores.finding(groups, o)
		return nil
	}
	all.Finding = s.groupedRates(groups, o)
	return nil
}

// groupedRates is the mean of the differences of rates, each test once, with the error of
// groups. Where all groups moved alike it has that of the trials.
func (s *strata) groupedRates(groups []int, o Options) Finding {
	var differences []float64
	var rated []stats.RatedTest
	n1, n2 := 0, 0
	for i, of := range s.rates {
		differences = append(differences, s.contrasts[i].Difference)
		rated = append(rated, stats.RatedTest{Of: []stats.Cluster{{Passed: of.Passed1, N: of.N1}, {Passed: of.Passed2, N: of.N2}}})
		n1, n2 = n1+of.N1, n2+of.N2
	}
	e := stats.MeanOfGroups(differences, groups, o.Confidence)
	if e.SE == 0 {
		within := stats.RateVariants(rated).Within
		e = stats.Estimate(e.Value, within[0]+within[1], e.DF, o.Confidence)
	}
	f := Finding{Method: MethodStudent, PValue: finite(e.P)}
	if s.test.Paired() {
		f.Pairs = &s.pairs
	}
	f.takeDifference(e, IntervalGroup, scale{0, 1}, min(n1, n2), o)
	f.Difference.Of = ""
	return f
}

// GroupNames is the group of each test. A test without the label is a group of its
// own; a label that no test has is an error.
func GroupNames(tests []*envelope.Test, by string) ([]string, error) {
	names, found := make([]string, len(tests)), false
	known := map[string]bool{groupSuite: true, groupFile: true, groupTest: true, envelope.VariantLabel: true}
	for i, t := range tests {
		value, has := t.Labels[by]
		switch by {
		case groupSuite:
			value, has = t.Suite, true
		case groupFile:
			value, has = t.File, t.File != ""
		case groupTest:
			value, has = t.Key.String(), true
		case envelope.VariantLabel:
			value, has = t.Variant, true
		}
		if !has {
			value = t.Key.String()
		}
		for label := range t.Labels {
			known[label] = true
		}
		names[i], found = value, found || has
	}
	if !found && by != groupFile {
		return nil, fmt.Errorf("--cluster-by: no test has it on all of its trials: %w", suggest.Unknown("label", by, slices.Sorted(maps.Keys(known))))
	}
	if !found {
		return nil, fmt.Errorf("--cluster-by %s: no test says its file: name suite or a label", by)
	}
	return names, nil
}

// mostGroups is how many groups a sentence names.
const mostGroups = 5

// groupWords names the groups, those that moved furthest first.
func (all *Overall) groupWords() string {
	if len(all.Groups) == 0 {
		return ""
	}
	groups := slices.Clone(all.Groups)
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Compare(max(b.Difference, -b.Difference), max(a.Difference, -a.Difference))
	})
	var parts []string
	for _, g := range groups[:min(len(groups), mostGroups)] {
		parts = append(parts, fmt.Sprintf("%s %s (%s)", cmp.Or(g.Name, "(no name)"), Signed(g.Difference), words.Plural(g.Tests, "test", "tests")))
	}
	s := fmt.Sprintf("; %d groups: %s", len(groups), strings.Join(parts, ", "))
	if more := len(groups) - mostGroups; more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
