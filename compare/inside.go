package compare

import (
	"cmp"
	"slices"

	"tribunal/envelope"
	"tribunal/verdict/parting"
)

// inside is what the trials of one contrast did inside: their checks, and the tools
// that they called.
type inside struct {
	base, candidate *envelope.Envelope
	ignore          []string // tools without effect
	checks, tools   parts
	ofTests         [][]CheckOfTest // of each match
	tables          [2]*parting.Table
}

// look compares the checks and tool calls of the tests of both sides. Between says
// that runs are known to vary: by how much their checks do is not.
func look(base, candidate *envelope.Envelope, matches []match, between bool, o Options) *inside {
	in := &inside{base: base, candidate: candidate, ignore: candidate.Policy.IgnoreSteps, ofTests: make([][]CheckOfTest, len(matches))}
	in.tools.tools = true
	in.checks.untried, in.tools.untried = between, between
	in.tables = [2]*parting.Table{parting.NewTable(base.Steps, in.ignore), parting.NewTable(candidate.Steps, in.ignore)}
	for i := range matches {
		in.ofTests[i] = in.addChecks(&matches[i], o)
		in.addTools(&matches[i], o)
	}
	return in
}

// addChecks adds the checks that trials of both sides have.
func (in *inside) addChecks(m *match, o Options) (all []CheckOfTest) {
	before, now := m.base.test.Rows.Checks(), m.candidate.test.Rows.Checks()
	for i := range before {
		other := now.Of(before[i].Name)
		if other == nil {
			continue
		}
		found, ok := compareParts(m, m.base.part(checked(&before[i])), m.candidate.part(checked(other)), o)
		if !ok {
			continue
		}
		in.checks.add(before[i].Name, &found)
		one := CheckOfTest{Name: before[i].Name, Base: shareOf(found.base), Candidate: shareOf(found.candidate)}
		if !in.checks.untried {
			one.Change = changeOf(found.Finding)
		}
		all = append(all, one)
	}
	return all
}

// checked reports whether a trial passed a check, and whether it was put to it.
func checked(c *envelope.CheckColumn) func(row int) (did, known bool) {
	return func(row int) (did, known bool) {
		outcome := c.At(row)
		return outcome == envelope.Passed, outcome.Counted()
	}
}

// addTools adds the tools that some trial of the test calls. Of every trial the
// first envelope.MostSteps calls are looked at, which are all that is kept.
func (in *inside) addTools(m *match, o Options) {
	before, now := m.base.test.Rows, m.candidate.test.Rows
	if !before.Steps().Used() || !now.Steps().Used() {
		return
	}
	calls := [2]called{callsOf(m.base, in.tables[0]), callsOf(m.candidate, in.tables[1])}
	names := slices.Concat(calls[0].names, calls[1].names)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		found, ok := compareParts(m, m.base.part(calls[0].by(name)), m.candidate.part(calls[1].by(name)), o)
		if ok {
			in.tools.add(name, &found)
		}
	}
}

// called is the tools that the trials of a sample called.
type called struct {
	names []string
	rows  map[int][]string // of the trials of which steps are known
}

func callsOf(s sample, table *parting.Table) called {
	c := called{rows: map[int][]string{}}
	for _, row := range s.rows {
		steps, known := s.test.Rows.Steps().At(row)
		if !known {
			continue
		}
		c.rows[row] = table.Tools(steps)
		c.names = append(c.names, c.rows[row]...)
	}
	return c
}

func (c called) by(name string) func(row int) (did, known bool) {
	return func(row int) (did, known bool) {
		names, known := c.rows[row]
		return slices.Contains(names, name), known
	}
}

// adjustInside adjusts over all contrasts: the checks of runs are one family, those
// of tests another, and tools a third.
func adjustInside(all []*inside, o Options) {
	var checks, ofTests, tools []*Change
	for _, in := range all {
		in.checks.settle(o)
		in.tools.settle(o)
		checks, tools = in.checks.changes(checks), in.tools.changes(tools)
		for _, test := range in.ofTests {
			for i := range test {
				ofTests = append(ofTests, &test[i].Change)
			}
		}
	}
	for _, family := range [][]*Change{checks, ofTests, tools} {
		adjustChanges(family, o)
	}
	for _, in := range all {
		for _, p := range []*parts{&in.checks, &in.tools} {
			for _, one := range p.of {
				one.decide(p.tools, o)
			}
		}
	}
}

func (p *parts) changes(to []*Change) []*Change {
	for _, name := range p.names {
		to = append(to, &p.of[name].Change)
	}
	return to
}

// fill says of a test that is decided what its checks did, and where its trials
// part from those of the other side.
func (in *inside) fill(m *match, at int, o Options) {
	for _, c := range in.ofTests[at] {
		if m.State.changed() || c.PAdjusted.OK && c.PAdjusted.V <= o.alpha() {
			m.Checks = append(m.Checks, c)
		}
	}
	slices.SortStableFunc(m.Checks, func(a, b CheckOfTest) int {
		return cmp.Or(cmp.Compare(a.PValue.Or(2), b.PValue.Or(2)), cmp.Compare(a.fallen(), b.fallen()))
	})
	switch m.State {
	case Regressed:
		m.FirstDifference = in.firstDifference(m, false)
	case Improved:
		m.FirstDifference = in.firstDifference(m, true)
	}
}

// fallen is by how much the share changed.
func (c *CheckOfTest) fallen() float64 {
	return float64(c.Candidate.Did)/float64(c.Candidate.N) - float64(c.Base.Did)/float64(c.Base.N)
}
