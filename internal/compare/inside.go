package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/parting"
	"tribunal/internal/words"
	"tribunal/stats"
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
		one := CheckOfTest{Name: before[i].Name, Base: Share{found.base.Passed, found.base.N},
			Candidate: Share{found.candidate.Passed, found.candidate.N}}
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
	return append(to, each.Of(p.names, func(name string) *Change { return &p.of[name].Change })...)
}

// fill says of a test that is decided what its checks did, and where its trials
// part from those of the other side.
func (in *inside) fill(m *match, at int, o Options) {
	m.Checks = append(m.Checks, each.Where(in.ofTests[at], func(c CheckOfTest) bool {
		return m.State.changed() || c.PAdjusted.OK && c.PAdjusted.V <= o.alpha()
	})...)
	slices.SortStableFunc(m.Checks, func(a, b CheckOfTest) int {
		return cmp.Or(cmp.Compare(a.PValue.Or(2), b.PValue.Or(2)), cmp.Compare(a.fallen(), b.fallen()))
	})
	if m.State.changed() {
		m.FirstDifference = in.firstDifference(m, m.State == Improved)
	}
}

func (c *CheckOfTest) fallen() float64 {
	return float64(c.Candidate.Did)/float64(c.Candidate.N) - float64(c.Base.Did)/float64(c.Base.N)
}

// How much of what trials did inside is shown.
const (
	mostParts      = 5 // checks or tools that changed
	mostPartTests  = 3 // tests that a line names
	mostTestChecks = 5 // checks of a test
)

// InsideWords say what changed within the trials of the run, a line each: the checks
// that pass more or less often, the tools that are called more or less often, or of
// how many there are that none is shown to be. It is empty where nothing is known of
// either.
func (c *Contrast) InsideWords() []string {
	return slices.Concat(partWords(c.Checks, "check", "checks"), partWords(c.Tools, "tool", "tools"))
}

func partWords(all []Part, one, many string) (lines []string) {
	if len(all) == 0 {
		return nil
	}
	changed := 0
	for i := range all {
		if s := all[i].State; !s.changed() && s != More && s != Fewer {
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
		lines = append(lines, of+": too few trials differ to show a change")
	case first.Uneven:
		lines = append(lines, fmt.Sprintf("%s %s changed differently from test to test, so no change over all tests is shown "+
			"(p %s, %s adjusted)", one, first.name(), words.Probability(first.PValue.V), words.Probability(first.PAdjusted.V)))
	default:
		lines = append(lines, fmt.Sprintf("%s: no change beyond chance; %s has the smallest p, %s (%s adjusted)", of,
			first.name(), words.Probability(first.PValue.V), words.Probability(first.PAdjusted.V)))
	}
	return lines
}

func (p *Part) name() string { return words.Shortened(p.Name) }

// Sentence is the part in words and numbers.
func (p *Part) Sentence() string {
	s := fmt.Sprintf("%s %s: %s before, %s now", p.name(), p.State.Word(), p.Base, p.Candidate)
	if d := p.Difference; d != nil {
		s += fmt.Sprintf(", %s within tests", d.Words())
	}
	s += p.words()
	names := each.Of(p.Informing[:min(len(p.Informing), mostPartTests)], envelope.Key.String)
	if more := p.Informative - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return s + fmt.Sprintf("; trials differ in %s: %s", words.Plural(p.Informative, "test", "tests"), strings.Join(names, ", "))
}

// String is the share as people count it.
func (s Share) String() string { return fmt.Sprintf("%d/%d", s.Did, s.N) }

func (c *Change) words() string {
	switch {
	case !c.PValue.OK:
		return ""
	case c.PAdjusted.OK:
		return fmt.Sprintf(", p %s, %s adjusted", words.Probability(c.PValue.V), words.Probability(c.PAdjusted.V))
	}
	return fmt.Sprintf(", p %s, too few trials differ to show a change", words.Probability(c.PValue.V))
}

// InsideWords say of a test that changed which of its checks pass more or less often,
// and where its trials part from those of the other side, a line each.
func (t *Test) InsideWords() (lines []string) {
	var checks []string
	for i := range t.Checks {
		if c := &t.Checks[i]; c.fallen() != 0 {
			checks = append(checks, fmt.Sprintf("%s %s before, %s now%s", words.Shortened(c.Name), c.Base, c.Candidate, c.words()))
		}
	}
	if more := len(checks) - mostTestChecks; more > 0 {
		checks = append(checks[:mostTestChecks], fmt.Sprintf("%d others", more))
	}
	lines = words.Present(words.Around("checks: ", strings.Join(checks, "; ")))
	if d := t.FirstDifference; d != nil {
		lines = append(lines, "first difference: "+d.Sentence())
	}
	return lines
}

// Explained is why the candidate fails, why the test has its state, and what changed within
// its trials, a line each.
func (t *Test) Explained() string {
	return words.Join("\n", append([]string{t.FailureWords(), t.Reason}, t.InsideWords()...)...)
}

// Sentence says where two trials part, and how many of their sides go the same ways.
func (d *FirstDifference) Sentence() string {
	trials := fmt.Sprintf("trial %d before and trial %d now", d.Base.Trial+1, d.Candidate.Trial+1)
	if d.Base.Ended && d.Candidate.Ended {
		return fmt.Sprintf("none, %s make %s each, all equal", trials, words.Plural(d.Shared, "call", "calls"))
	}
	where := cmp.Or(words.If(d.Shared > 0, "after "+words.Plural(d.Shared, "equal call", "equal calls")+", next"), "first call")
	return fmt.Sprintf("%s: %s in %d of %d trials before, %s in %d of %d now (example: %s)", where, d.Base.words(&d.Candidate),
		d.Base.Took, d.Base.Reached, d.Candidate.words(&d.Base), d.Candidate.Took, d.Candidate.Reached, trials)
}

// words are the call with what differs in its arguments, which Took counts too. Two of one tool
// without are distinguished by the beginning of their digests.
func (w *Way) words(other *Way) string {
	const digits = 6
	switch {
	case w.Ended:
		return "no further call"
	case w.Unknown:
		return "further calls that are not kept"
	case w.Arguments != "":
		return w.Name + "(" + w.Arguments + ")"
	case w.Name != other.Name:
		return w.Name
	}
	return w.Name + "(#" + w.Digest[:min(len(w.Digest), digits)] + ")"
}

// measure compares what trials took, in order of size; nil when a side measured none.
func measure(base, candidate []float64, confidence float64) *Measurement {
	if len(base) == 0 || len(candidate) == 0 {
		return nil
	}
	_, p := stats.MannWhitney(base, candidate)
	m := &Measurement{Base: median(base), Candidate: median(candidate), NBase: len(base), NCandidate: len(candidate),
		PValue: envelope.Finite(p)}
	if lo, hi, ok := stats.MedianPlaces(len(base), confidence); ok {
		m.BaseLo, m.BaseHi = envelope.Some(base[lo]), envelope.Some(base[hi])
	}
	if lo, hi, ok := stats.MedianPlaces(len(candidate), confidence); ok {
		m.CandidateLo, m.CandidateHi = envelope.Some(candidate[lo]), envelope.Some(candidate[hi])
	}
	if m.Base > 0 && m.Candidate > 0 {
		m.Change = envelope.Finite(m.Candidate/m.Base - 1)
	}
	return m
}

// measureAll compares what the trials of all tests took, each test against
// itself: geometric means of the tests' medians, so that neither long tests nor
// tests of many trials decide alone. The values of each come in order. Tests with
// a median of 0 have no place in them, and those of which only one is are counted;
// where all have, the medians are those of all trials.
func measureAll(tests [][2][]float64) *Measurement {
	if len(tests) == 0 {
		return nil
	}
	m := &Measurement{PValue: envelope.Finite(stats.VanElteren(tests))}
	var logs [2]float64
	means, fromZero, toZero := 0., 0, 0
	for _, t := range tests {
		m.NBase += len(t[0])
		m.NCandidate += len(t[1])
		switch before, after := median(t[0]), median(t[1]); {
		case before > 0 && after > 0:
			logs[0] += math.Log(before)
			logs[1] += math.Log(after)
			means++
		case after > 0:
			fromZero++
		case before > 0:
			toZero++
		}
	}
	if means > 0 {
		m.FromZero, m.ToZero = fromZero, toZero
		m.Base, m.Candidate = math.Exp(logs[0]/means), math.Exp(logs[1]/means)
		m.Change = envelope.Finite(math.Expm1((logs[1] - logs[0]) / means))
		return m
	}
	var all [2][]float64
	for _, t := range tests {
		all[0], all[1] = append(all[0], t[0]...), append(all[1], t[1]...)
	}
	for side := range all {
		slices.Sort(all[side])
	}
	m.Base, m.Candidate = median(all[0]), median(all[1])
	return m
}

func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return sorted[(n-1)/2]/2 + sorted[n/2]/2
}
