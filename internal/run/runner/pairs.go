package runner

import (
	"errors"
	"fmt"

	"tribunal/envelope"
)

// DefaultPairs is the most pairs of a test where nobody says it: to tell that two variants
// are the same takes more than DefaultTrials.
const DefaultPairs = 200

// Pairs makes a run one of two variants: attempt k of a test under the base and attempt k
// under the candidate, of the same seed, are a pair. A test goes on under both until the
// comparison decides it, or all its pairs count.
//
// A pair counts when both its trials do. Where one of them is excluded, the pair is replaced
// as a whole, and where one was skipped, it takes one of the pairs away. The trials of a pair
// come into the stream together, and pairs in their order.
//
// As the comparison may ask all tests together, decisions fall in rounds: after n pairs of
// every test that is open, and of the others those that they have, up to n. So they do not
// depend on what runs at once. A test that could be decided where it is waits for the others;
// else it goes on ahead of them, as far as it can without being decided.
type Pairs struct {
	Base, Candidate string // variants
	// Compare begins the comparison of so many tests.
	Compare func(tests int) (Comparison, error)
}

// Comparison decides tests by their pairs. It is asked for nothing but what it was told.
type Comparison interface {
	// Add tells the next pair of a test that counts.
	Add(test int, base, candidate bool)
	// Decided reports of each test whether it is decided when so many pairs of each are
	// looked at, or all that it has where they are fewer.
	Decided(pairs int) []bool
	// Soonest is a number of pairs of a test before which it is not decided: more than
	// after, and at most most.
	Soonest(test, after, most int) int
}

type pair struct {
	number   int    // of the comparison
	sides    [2]int // its tests: base and candidate
	pairs    int    // that count at most
	complete int    // attempts of which both trials are in the stream
	counted  int    // of these, those that count
	skipped  int
	replaced int // for infrastructure
	empty    int // for empty runs
	alone    [2][]looked
	how      How
}

// looked is a trial in the stream whose partner is not there yet.
type looked struct {
	outcome envelope.Outcome
	class   string
}

func (p Plan) checkPairs() error {
	var errs []error
	refuse := func(is bool, why string) {
		if is {
			errs = append(errs, errors.New("rule paired "+why))
		}
	}
	_, value := p.Order.(*byValue)
	refuse(p.Pairs.Base == p.Pairs.Candidate, fmt.Sprintf("compares two variants, and both are called %q", p.Pairs.Base))
	refuse(p.Form == Sweep, "needs a start for each pair; put {test} or {tests} in the command, and name the tests by --test, --list or "+
		"run.tests")
	refuse(value, "cannot use --order value; leave it out")
	refuse(p.Early, "stops each test at its verdict; leave out --stop early, which is for a fixed number of trials")
	refuse(p.FailFast, "judges tests together, so none fails first; leave out --fail-fast")
	refuse(p.Limits.MaxCostPerTestUSD.OK, "has no cost limit for each test, which could end one half of a pair; use --max-cost for the run")
	return errors.Join(errs...)
}

func (s *Scheduler) findPairs() error {
	if s.plan.Pairs == nil {
		return nil
	}
	var errs []error
	for id, t := range s.tests {
		key := t.key
		switch key.Variant {
		case s.plan.Pairs.Candidate:
			key.Variant = s.plan.Pairs.Base
		case s.plan.Pairs.Base:
			key.Variant = s.plan.Pairs.Candidate
		default:
			errs = append(errs, fmt.Errorf("%s has another variant than the two that are compared, %q and %q", t.key, s.plan.Pairs.Base,
				s.plan.Pairs.Candidate))
			continue
		}
		other, there := s.ids[key]
		switch {
		case !there:
			errs = append(errs, fmt.Errorf("%s is missing; a pair needs the test under both variants", key))
		case t.key.Variant == s.plan.Pairs.Base:
			p := &pair{number: len(s.pairs), sides: [2]int{id, other}, pairs: min(t.stop.trials, s.tests[other].stop.trials)}
			t.pair, s.tests[other].pair = p, p
			s.pairs = append(s.pairs, p)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	var err error
	s.comparison, err = s.plan.Pairs.Compare(len(s.pairs))
	return err
}

// partner is the number of the same test under the other variant.
func (p *pair) partner(id int) int {
	if p.sides[0] == id {
		return p.sides[1]
	}
	return p.sides[0]
}

func (t *test) has(number int) bool {
	a := t.window.at(number)
	return number < t.window.base || a != nil && a.state == ended
}

// ready reports whether an attempt of a test that has ended takes its place in the stream:
// those before it have, and its partner has ended as well.
func (s *Scheduler) ready(id, number int) bool {
	p := s.tests[id].pair
	if p == nil {
		return number == s.tests[id].window.base
	}
	return number == p.complete && s.tests[p.partner(id)].has(number)
}

// lookAtPairs takes pairs of a test in the order of their attempts, as far as both trials
// have ended, until it cannot go on.
func (s *Scheduler) lookAtPairs(p *pair) {
	base, candidate := s.tests[p.sides[0]], s.tests[p.sides[1]]
	for p.how == Open && base.has(p.complete) && candidate.has(p.complete) {
		number := p.complete
		for _, id := range p.sides {
			if t := s.tests[id]; t.window.base == number {
				a := t.window.pop()
				s.do(Record{id, a.trial})
				s.count(t, a.trial)
			}
		}
	}
	if p.how != Open {
		s.endPair(p)
	}
}

// addToPair takes a trial in the stream, and counts a pair when it is the second of it.
func (s *Scheduler) addToPair(p *pair, t *test, l looked) {
	side := 0
	if s.tests[p.sides[1]] == t {
		side = 1
	}
	p.alone[side] = append(p.alone[side], l)
	if len(p.alone[0]) == 0 || len(p.alone[1]) == 0 {
		return
	}
	base, candidate := p.alone[0][0], p.alone[1][0]
	p.alone[0], p.alone[1] = p.alone[0][1:], p.alone[1][1:]
	p.complete++
	either := func(is func(looked) bool) bool { return is(base) || is(candidate) }
	const emptyRuns = 1 // that are replaced
	switch {
	case base.outcome.Counted() && candidate.outcome.Counted():
		p.counted++
		s.comparison.Add(p.number, base.outcome == envelope.Passed, candidate.outcome == envelope.Passed)
	case either(func(l looked) bool {
		return l.class == envelope.ClassPreValidation || l.class == envelope.ClassErrorRate
	}):
		p.how = CheckFailed
	case either(func(l looked) bool { return l.outcome == envelope.Skipped }):
		p.skipped++
		if p.counted == 0 && p.skipped >= s.soonest(p, 0) {
			p.how = Full
		}
	case either(func(l looked) bool { return l.class == envelope.ClassEmptyRun }):
		if p.empty++; p.empty > emptyRuns {
			p.how = Infrastructure
		}
	default:
		if p.replaced++; p.replaced > s.plan.InfraRetries {
			p.how = Infrastructure
		}
	}
}

func (s *Scheduler) soonest(p *pair, after int) int {
	return s.comparison.Soonest(p.number, after, max(0, p.pairs-p.skipped))
}

func (s *Scheduler) roomOfPairs(p *pair, t *test) int {
	room := s.soonest(p, s.rounds) - p.counted
	if p.counted == 0 && p.skipped > 0 {
		room = min(room, s.soonest(p, 0)-p.skipped)
	}
	return room - (t.window.base - p.complete)
}

// advance looks at rounds of pairs as far as all open tests have them, and reports whether
// it has looked at any.
func (s *Scheduler) advance() (advanced bool) {
	for {
		open, most := 0, 0
		for _, p := range s.pairs {
			if p.how == Open && p.counted <= s.rounds && p.counted+p.skipped >= p.pairs {
				p.how = Full
			}
			if p.how != Open {
				continue
			}
			if open++; open == 1 || p.counted < most {
				most = p.counted
			}
		}
		if open == 0 || most <= s.rounds {
			return advanced
		}
		s.rounds++
		advanced = true
		decided := s.comparison.Decided(s.rounds)
		for i, p := range s.pairs {
			if p.how == Open && decided[i] {
				p.how = Decided
			}
		}
	}
}

// lookAtRounds ends the tests that rounds of pairs decide, and lets the others go on.
func (s *Scheduler) lookAtRounds() {
	advanced := s.advance()
	for _, p := range s.pairs {
		switch {
		case p.how != Open:
			s.endPair(p)
		case advanced:
			s.refresh(p.sides[0])
		}
	}
}

func (s *Scheduler) endPair(p *pair) {
	for _, id := range p.sides {
		if s.tests[id].how == Open {
			s.end(id, p.how)
			s.refresh(id)
		}
	}
}

// recoverPairs finds where the pairs of a journal stand, once all of it was told.
func (s *Scheduler) recoverPairs() {
	for _, p := range s.pairs {
		for _, id := range p.sides {
			if t := s.tests[id]; t.recorded == Infrastructure || t.recorded == CheckFailed {
				p.how = t.recorded // whatever may be replaced now: what came behind is no trial
			}
		}
	}
	s.advance()
}

// statusOfPairs is the status of an ended test of a run of pairs. Of what the trials of one
// variant say alone nothing was asked.
func (t *test) statusOfPairs() envelope.Status {
	switch {
	case t.counted > 0:
		return envelope.Inconclusive
	case t.skipped > 0 && t.excluded == 0:
		return envelope.Skip
	}
	return envelope.Error
}
