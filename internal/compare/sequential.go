package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/stats"
)

// oneRunEach refuses sides of several runs, of which a pair is no pair of trials.
func oneRunEach(sides ...Input) error {
	for _, in := range sides {
		if len(in.Runs) > 1 || len(in.Past) > 0 {
			return fmt.Errorf("cannot compare %s: --sequential needs one run on each side; leave out other runs and --history, or --sequential "+
				"and compare once, at the end", in.Name)
		}
	}
	return nil
}

// somePairs refuses a comparison that would never say anything, however many trials
// come.
func somePairs(matches []match) error {
	waits := true
	for i := range matches {
		if len(matches[i].sequence) > 0 {
			return nil
		}
		waits = waits && (matches[i].base.N == 0 || matches[i].candidate.N == 0)
	}
	if waits {
		return nil
	}
	return errors.New("--sequential needs pairs, but no attempt number is on both sides. Number the trials (attempt, equal for " +
		"equal seeds, and run if a side repeats numbers), or leave out --sequential and compare once, at the end")
}

// findInPairs is the difference of the pass rates as the pairs show it one after
// another. That most trials have a partner is not asked: the side that is still
// running has fewer.
func (m *match) findInPairs(o Options) Finding {
	partners := partners(&m.base, &m.candidate, m.order.base, m.order.candidate)
	if len(partners) == 0 {
		return Finding{}
	}
	for i := range partners {
		m.sequence = append(m.sequence, countPairs(&m.base, &m.candidate, partners[i:i+1]))
	}
	if n := m.order.fewest; len(partners) >= n {
		base, ok := m.base.test.Rows.StartedAt().At(partners[n-1][0])
		candidate, also := m.candidate.test.Rows.StartedAt().At(partners[n-1][1])
		m.decidable = envelope.Opt[int64]{V: max(base, candidate), OK: ok && also}
	}
	return inTurn(m.sequence, o)
}

// findLate marks the tests that joined the base when others could be decided already, and
// returns how many tests the base has without them, and how many candidates came in time: of
// a late one all tests are late. A test that a run lists from its beginning is not late, and
// of one that does not say when it began nobody knows.
func findLate(base *envelope.Envelope, candidates []Input, contrasts []Contrast, matches []match, ends []int) (members, inTime int) {
	decidable, from := int64(math.MaxInt64), 0
	for i := range matches {
		decidable = min(decidable, matches[i].decidable.Or(decidable))
	}
	late := func(t *envelope.Test) bool {
		began := t.Rows.StartedAt().Values()
		return len(began) > 0 && slices.Min(began) > decidable && t.Ended == "" && !t.Trials.Planned.OK
	}
	for i := range candidates {
		tests := candidates[i].Envelope.Tests
		joined := len(tests) > 0 && !envelope.AnyTest(tests, func(t *envelope.Test) bool { return !late(t) })
		if contrasts[i].joined = joined; !joined {
			inTime++
		}
		for m := from; m < ends[i]; m++ {
			matches[m].late = joined || late(matches[m].base.test)
		}
		from = ends[i]
	}
	members = each.Count(each.Pointers(base.Tests), func(t *envelope.Test) bool { return !late(t) })
	return members, inTime
}

// roundsOf are the runs of a sequential comparison as rounds of a pair of every test.
// Rounds that lack a pair of some test are left out: which tests went on may depend
// on what was seen, and so would the mean over them. Late tests have no part in them.
func roundsOf(matches []match) []Pairs {
	var rounds []Pairs
	first := true
	for i := range matches {
		s := matches[i].sequence
		switch {
		case len(s) == 0 || matches[i].late:
			continue
		case first:
			rounds = make([]Pairs, len(s))
		case len(s) < len(rounds):
			rounds = rounds[:len(s)]
		}
		first = false
		for k := range rounds {
			rounds[k].add(s[k])
		}
	}
	return rounds
}

// pairTest is a test of rounds of pairs that holds no matter how often you look.
type pairTest interface {
	PValue() float64
	// Decided is the number of rounds after which the p-value was at most level, and which
	// way: 1 for better, -1 for worse, 0 when it never was.
	Decided(level float64) (rounds, direction int)
	// Within is the number of rounds after which the difference was within the margin.
	Within(margin, alpha float64) (rounds int, ok bool)
}

func (o Options) pairTest(rounds []Pairs) (pairTest, string) {
	if s := sequenceOf(rounds); o.SequentialTest != TestGSPRT {
		return s, MethodBetting
	}
	return stats.PairedGSPRT{Rounds: sequenceOf(rounds), Margin: o.Margin}, MethodGSPRT
}

// inTurn is what rounds of pairs say one after another. The interval is that of bets
// under either test: a ratio of two differences has none. That of a difference that did
// not stay the same may have lost the mean, and is made to hold it.
func inTurn(rounds []Pairs, o Options) Finding {
	f := countedInTurn(rounds, o)
	lo, hi := sequenceOf(rounds).Interval(o.alpha())
	value := f.Difference.Value
	f.Difference = &Difference{Value: value, Lo: math.Min(lo, value), Hi: math.Max(hi, value), Method: IntervalBetting}
	f.NonInferior = lo > -o.Margin
	return f
}

// countedInTurn is what of a finding decides its state: all but the interval, which takes
// most of the time.
func countedInTurn(rounds []Pairs, o Options) Finding {
	var all Pairs
	for _, r := range rounds {
		all.add(r)
	}
	test, method := o.pairTest(rounds)
	value := float64(all.Candidate-all.Base) / float64(all.N())
	return Finding{Difference: &Difference{Value: value}, Pairs: &all, Method: method, PValue: envelope.Some(test.PValue())}
}

func sequenceOf(rounds []Pairs) stats.PairedSequence {
	return each.Of(rounds, func(r Pairs) stats.PairedRound {
		return stats.PairedRound{Candidate: r.Candidate, Base: r.Base, Alike: r.Both + r.Neither}
	})
}

// settleInTurn returns the state that rounds of pairs came to, at the level that the
// adjustment left for their p-value, and notes after how many rounds it was. The
// evidence says which way a change was: the difference may have turned since.
func (f *Finding) settleInTurn(rounds []Pairs, adjusted envelope.Opt[float64], o Options) State {
	if f.Difference == nil {
		return Unresolved
	}
	test, _ := o.pairTest(rounds)
	if after, ok := test.Within(o.Margin, o.alpha()); ok && math.Abs(f.Difference.Value) < o.Margin {
		f.DecidedAfter, f.NonInferior = after, true
		return Equivalent
	}
	if !adjusted.OK || adjusted.V > o.alpha() {
		return Unresolved
	}
	const rounding = 1e-9 // of the level, which is a quotient
	after, direction := test.Decided(o.alpha() * f.PValue.V / adjusted.V * (1 + rounding))
	f.DecidedAfter = after
	if direction < 0 {
		return Regressed
	}
	return Improved
}

// turned says that the pairs since a change was found point the other way.
func (f *Finding) turned(s State) string {
	return words.If(s == Regressed && f.Difference.Value >= 0 || s == Improved && f.Difference.Value <= 0,
		"; the pairs since then undid it: the difference did not stay the same")
}

func (f *Finding) decidedWords(one, more string) string {
	return words.If(f.DecidedAfter != 0, "; decided after "+words.Plural(f.DecidedAfter, one, more))
}

// Course is a sequential comparison of a run in progress: it reports which tests are decided
// and need no more trials. It tests as Runs does, so a test that is decided here is not
// Unresolved there.
//
// Tests without a pair have p-values of 1. Later pairs never raise an adjusted p-value, so
// a decided test stays decided.
type Course struct {
	o     Options
	tests [][]Pairs // of each test a pair each, in their order
	found []soonest // of each test, the last that was asked for
}

// soonest is what Soonest found of a test with so many pairs, of at most so many.
type soonest struct{ pairs, most, at int }

// NewCourse is the course of so many tests that have no pair yet.
func NewCourse(tests int, o Options) (*Course, error) {
	if !o.Sequential || o.SequentialTest == TestGSPRT {
		return nil, errors.New("a run in progress can be compared only sequentially, by betting")
	}
	return &Course{o: o, tests: make([][]Pairs, tests), found: make([]soonest, tests)}, o.Check()
}

// Add adds the next pair of a test, of which both trials count: who passed.
func (c *Course) Add(test int, base, candidate bool) {
	c.tests[test] = append(c.tests[test], pairOf(base, candidate))
}

// Decided reports of each test whether it is decided when so many pairs of each are
// looked at, or all that it has where they are fewer.
func (c *Course) Decided(pairs int) []bool {
	seen := make([][]Pairs, len(c.tests))
	found := make([]Finding, len(c.tests))
	p := make([]float64, len(c.tests))
	for i, all := range c.tests {
		p[i] = 1
		seen[i] = all[:min(pairs, len(all))]
		if len(seen[i]) > 0 {
			found[i] = countedInTurn(seen[i], c.o)
			p[i] = found[i].PValue.V
		}
	}
	decided := make([]bool, len(c.tests))
	for i, q := range c.o.adjust(p) {
		decided[i] = found[i].settleInTurn(seen[i], envelope.Some(q), c.o) != Unresolved
	}
	return decided
}

// Soonest is a number of pairs of a test before which it is not decided, whatever its
// next pairs and those of the others are: more than after, and at most most.
func (c *Course) Soonest(test, after, most int) int {
	known, pairs := &c.found[test], len(c.tests[test])
	if known.at == 0 || known.pairs != pairs || known.most != most {
		*known = soonest{pairs, most, sequenceOf(c.tests[test]).Soonest(c.o.Margin, c.o.alpha(), most)}
	}
	return min(max(known.at, after+1), most)
}

// turns is which run of its side a trial is of, from 0 in the order in which they
// began, by the name of the run. Pairs of a sequential comparison are looked at run
// after run: one that a later look puts between two others would change what was
// said before.
type turns struct {
	base, candidate func(run string) string
	fewest          int // pairs with which a test could be decided
}

// mostPairs are as many as decide a test at any confidence, where all of them differ.
const mostPairs = 100

// span is when the trials of a run began, the first and the last.
type span struct {
	run         string
	first, last envelope.Opt[int64]
}

func (s *span) add(at int64) {
	s.first, s.last = envelope.Some(min(at, s.first.Or(at))), envelope.Some(max(at, s.last.Or(at)))
}

func turnsOfSide(in Input) (turn func(run string) string, err error) {
	spans := spansOf(in.Envelope)
	if len(spans) > 1 {
		for _, s := range spans {
			if !s.first.OK {
				return nil, refused(in, fmt.Sprintf("run %q has no start time", s.run), "add started_at to its header or its trials")
			}
		}
		slices.SortFunc(spans, func(a, b *span) int { return cmp.Compare(a.first.V, b.first.V) })
		for i := 1; i < len(spans); i++ {
			if before := spans[i-1]; before.last.V >= spans[i].first.V {
				return nil, refused(in, fmt.Sprintf("run %q had not ended when run %q began", before.run, spans[i].run),
					"start one run after the other, or give trials of parallel runs one run name and their own numbers")
			}
		}
	}
	names := make(map[string]string, len(spans))
	for i, s := range spans {
		names[s.run] = fmt.Sprintf("%09d", i)
	}
	return func(run string) string { return names[run] }, nil
}

func refused(in Input, why, cure string) error {
	return fmt.Errorf("cannot compare %s: --sequential needs runs one after the other, but %s; %s, or leave out --sequential "+
		"and compare once, at the end", in.Name, why, cure)
}

// spansOf are the runs of an envelope by name. A run whose trials do not say when they
// began began when its header says.
func spansOf(e *envelope.Envelope) []*span {
	byName := map[string]*span{}
	var all []*span
	for i := range e.Tests {
		rows := e.Tests[i].Rows
		for row := range rows.Len() {
			name := rows.Run().At(row)
			s := byName[name]
			if s == nil {
				s = &span{run: name}
				byName[name], all = s, append(all, s)
			}
			if at, ok := rows.StartedAt().At(row); ok {
				s.add(at)
			}
		}
	}
	for _, h := range append([]envelope.Header{e.Run.Header}, e.Run.Headers...) {
		at, err := time.Parse(time.RFC3339Nano, h.StartedAt)
		if s := byName[h.ID]; s != nil && !s.first.OK && err == nil {
			s.add(at.UnixNano())
		}
	}
	return all
}
