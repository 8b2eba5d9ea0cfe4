package compare

import (
	"cmp"
	"math"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/parting"
)

// What the trials say of a tool: that the candidate calls it in more of them, or in
// fewer. Neither is better.
const (
	More  State = "more"
	Fewer State = "fewer"
)

// MostInforming is how many tests a Part names.
const MostInforming = 10

// Part is a check, or a tool, over the tests of both sides that know it: of a check
// how often it passed, of a tool in how many trials it was called. It has no
// statistics where runs are known to vary, for how much it varies with them is not.
type Part struct {
	Name  string `json:"name"`
	State State  `json:"state"` // a tool is more or fewer, never equivalent
	Tests int    `json:"tests"`
	// Informative are the tests in which it may be seen to differ: of paired trials
	// some pair does, of others some did and some did not. Informing are the first.
	Informative int            `json:"informative"`
	Informing   []envelope.Key `json:"informing,omitempty"`
	Base        Share          `json:"base"`
	Candidate   Share          `json:"candidate"`
	Change
	// Uneven says that the trials together point one way, and the tests do not.
	Uneven bool `json:"uneven,omitempty"`
}

// Share is the trials that did something, of those that could.
type Share struct {
	Did int `json:"did"`
	N   int `json:"n"`
}

// Change is a difference of two shares and how sure it is.
type Change struct {
	Difference *Difference           `json:"difference,omitempty"`
	Method     string                `json:"method,omitempty"`
	PValue     envelope.Opt[float64] `json:"p_value,omitzero"`
	PAdjusted  envelope.Opt[float64] `json:"p_adjusted,omitzero"` // over its family; absent outside it
	LeastP     envelope.Opt[float64] `json:"least_p,omitzero"`
}

// CheckOfTest is a check of one test on both sides.
type CheckOfTest struct {
	Name      string `json:"name"`
	Base      Share  `json:"base"`
	Candidate Share  `json:"candidate"`
	Change
}

func changeOf(f Finding) Change {
	return Change{Difference: f.Difference, Method: f.Method, PValue: f.PValue, LeastP: f.LeastP}
}

// parts are the checks, or the tools, of one contrast while they are compared.
type parts struct {
	tools   bool
	untried bool // no statistics
	of      map[string]*partly
	names   []string // in the order they were met
}

// partly is a part while tests are added.
type partly struct {
	Part
	tests strata
}

// add adds a test in which both sides know the part.
func (p *parts) add(name string, m *match) {
	one := p.of[name]
	if one == nil {
		one = &partly{Part: Part{Name: name, State: Unresolved}}
		each.Put(&p.of, name, one)
		p.names = append(p.names, name)
	}
	one.Tests++
	one.Base = Share{one.Base.Did + m.base.Passed, one.Base.N + m.base.N}
	one.Candidate = Share{one.Candidate.Did + m.candidate.Passed, one.Candidate.N + m.candidate.N}
	one.tests.add(m)
	if m.informs() {
		if one.Informative++; one.Informative <= MostInforming {
			one.Informing = append(one.Informing, m.Key)
		}
	}
}

// informs reports whether the trials could show a difference at all.
func (m *match) informs() bool {
	if p := m.Pairs; p != nil {
		return p.discordant() > 0
	}
	did := m.base.Passed + m.candidate.Passed
	return did > 0 && did < m.base.N+m.candidate.N
}

// settle computes what is said of each part but for its state.
func (p *parts) settle(o Options) {
	if p.untried {
		return
	}
	for _, name := range p.names {
		one := p.of[name]
		all := Overall{Finding: one.tests.finding(o)}
		if one.Tests > 1 && o.ClusterBy != "" && one.tests.groupBy(&all, o) != nil {
			continue // of tests that move together as one: nothing shows how far
		}
		one.Change = changeOf(all.Finding)
	}
}

// decide gives the part its state, once its p-value is adjusted: as a run has it.
func (p *Part) decide(tool bool, o Options) {
	p.State = state(p.Difference, p.PAdjusted, o)
	if d := p.Difference; p.State.changed() && d.Lo <= 0 && d.Hi >= 0 && p.Tests > 1 {
		p.State, p.Uneven = Unresolved, true
	}
	if tool {
		p.State = cmp.Or(map[State]State{Improved: More, Regressed: Fewer}[p.State], Unresolved)
	}
}

func (p *parts) list() []Part {
	out := each.Of(p.names, func(name string) Part { return p.of[name].Part })
	slices.SortFunc(out, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.PAdjusted.Or(2), b.PAdjusted.Or(2)), cmp.Compare(a.PValue.Or(2), b.PValue.Or(2)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// adjustChanges adjusts the p-values of a family, of those that could reach alpha.
func adjustChanges(all []*Change, o Options) {
	p := make([]float64, len(all))
	for i, c := range all {
		p[i] = math.NaN()
		if c.PValue.OK && c.LeastP.V <= o.alpha() {
			p[i] = c.PValue.V
		}
	}
	for i, q := range o.adjust(p) {
		all[i].PAdjusted = envelope.Finite(q)
	}
}

// part is the trials of a sample of which something is known, by whether they did
// it.
func (s *sample) part(did func(row int) (did, known bool)) sample {
	out := sample{test: s.test, did: func(row int) bool { yes, _ := did(row); return yes }}
	for _, row := range s.rows {
		yes, known := did(row)
		if !known {
			continue
		}
		out.rows = append(out.rows, row)
		if yes {
			out.Passed++
		}
	}
	out.N = len(out.rows)
	return out
}

// compareParts compares two samples of one test that is compared; not ok where one is empty.
func compareParts(of *match, base, candidate sample, o Options) (m match, ok bool) {
	m = match{base: base, candidate: candidate, order: of.order, known: of.known, Test: &Test{Key: of.Key}}
	if base.N == 0 || candidate.N == 0 {
		return m, false
	}
	m.Finding = m.find(nil, o)
	return m, m.Difference != nil // without a pair of the part, --sequential finds none
}

// FirstDifference is where two trials of a test part, one of each side: the first
// that did not pass of the side that is worse, and of those that passed on the other
// side the nearest to it, by the longest common beginning and then by the most equal
// calls.
type FirstDifference struct {
	Shared    int `json:"shared"` // equal calls before it
	Base      Way `json:"base"`
	Candidate Way `json:"candidate"`
}

// Way is how a trial goes on: by a call, or by none.
type Way struct {
	Trial     int    `json:"trial"` // its row, 0-based
	Name      string `json:"name,omitempty"`
	Digest    string `json:"digest,omitempty"`
	Arguments string `json:"arguments,omitempty"` // in short, where those of both are kept
	Ended     bool   `json:"ended,omitempty"`     // no further call
	Unknown   bool   `json:"unknown,omitempty"`   // further calls, which are not kept
	// Reached are the trials of this side that begin with the same calls, Took those
	// of them that go on in this way.
	Reached int `json:"reached"`
	Took    int `json:"took"`
}

type walk struct {
	row   int
	steps []envelope.Step
	cut   bool // it made more
}

// firstDifference is nil where one side has no such trial whose calls are known.
func (in *inside) firstDifference(m *match, improved bool) *FirstDifference {
	before, now := in.walks(0, m.base), in.walks(1, m.candidate)
	worse, better := now, before
	if improved {
		worse, better = before, now
	}
	failed := slices.IndexFunc(worse.all, func(w walk) bool { return !worse.sample.did(w.row) })
	if failed < 0 {
		return nil
	}
	passed := each.Where(better.all, func(w walk) bool { return better.sample.did(w.row) })
	at := parting.Nearest(worse.all[failed].steps, each.Of(passed, func(w walk) []envelope.Step { return w.steps }))
	if at < 0 {
		return nil
	}
	first, second := passed[at], worse.all[failed]
	if improved {
		first, second = second, first
	}
	d := &FirstDifference{Shared: parting.CommonPrefix(first.steps, second.steps)}
	d.Base, d.Candidate = before.way(first, d.Shared), now.way(second, d.Shared)
	if d.Base.Name != "" && d.Candidate.Name != "" {
		a, known := in.arguments(in.base, m.base.test, first.row, d.Shared)
		b, also := in.arguments(in.candidate, m.candidate.test, second.row, d.Shared)
		if known && also {
			d.Base.Arguments, d.Candidate.Arguments = parting.Differing(a, b)
		}
	}
	return d
}

func (in *inside) arguments(e *envelope.Envelope, t *envelope.Test, row, step int) (string, bool) {
	return parting.ArgumentsOf(e, t, in.ignore)(parting.Trial{Row: row}, step)
}

// walks are the trials of a sample of which the calls are known.
type walks struct {
	sample sample
	all    []walk
}

func (in *inside) walks(side int, s sample) walks {
	out := walks{sample: s}
	for _, row := range s.rows {
		places, known := s.test.Rows.Steps().At(row)
		if !known {
			continue
		}
		total := int(s.test.Rows.StepsTotal().Opt(row).Or(int32(len(places))))
		out.all = append(out.all, walk{row: row, steps: in.tables[side].Steps(places), cut: total > len(places)})
	}
	return out
}

// way is how a trial goes on after the calls that it shares, and how many of its
// side do the same.
func (w walks) way(of walk, shared int) Way {
	out := Way{Trial: of.row}
	switch {
	case shared < len(of.steps):
		out.Name, out.Digest = of.steps[shared].Name, of.steps[shared].Digest
	case of.cut:
		out.Unknown = true
	default:
		out.Ended = true
	}
	for _, other := range w.all {
		if parting.CommonPrefix(of.steps[:shared], other.steps) < shared {
			continue
		}
		out.Reached++
		if more := len(other.steps) > shared; more && out.Name != "" && other.steps[shared] == of.steps[shared] ||
			!more && (other.cut && out.Unknown || !other.cut && out.Ended) {
			out.Took++
		}
	}
	return out
}
