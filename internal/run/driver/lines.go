package driver

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
)

func (d *execution) linesOf(s runner.Start, id string, at time.Time) (lines []journal.Line) {
	for _, p := range s.Trials {
		l := journal.Start{Key: d.key(p.Test), Attempt: p.Attempt, Try: p.Try, At: at, ID: id, Slot: s.Slot, Check: s.Check}
		if d.run.Plan.Form != runner.Each && !s.Check {
			l.Number = envelope.Some(s.Number)
		}
		lines = append(lines, l)
	}
	if len(s.Trials) == 0 { // the first of a sweep, which lists the tests
		lines = append(lines, journal.Start{Key: envelope.Key{Variant: s.Group.Variant}, At: at, ID: id, Slot: s.Slot,
			Number: envelope.Some(s.Number)})
	}
	return lines
}

// lineOf is an action as it stands in the journal; false for one that does not.
func (d *execution) lineOf(action runner.Action) (journal.Line, bool) {
	switch a := action.(type) {
	case runner.Hold:
		return journal.Held{Trial: a.Trial}, true
	case runner.Record:
		return journal.Trial{Trial: a.Trial}, true
	case runner.Beyond:
		return journal.Beyond{Trial: a.Trial}, true
	case runner.Cut:
		return journal.Cut{Key: d.key(a.Test), Attempt: a.Attempt, Try: a.Try, Why: string(a.Why)}, true
	case runner.End:
		return journal.Ended{Key: d.key(a.Test), How: envelope.How(a.How)}, true
	}
	return nil, false
}

// lostStart is a start of which the journal has no end.
type lostStart struct {
	journal.Start
	keys  []envelope.Key // of its trials
	open  int            // of them
	order int            // among all starts of the journal
}

// pending are the starts of a journal whose ends have not been read yet: as many as
// ran at once, however long the journal is.
type pending struct {
	byID      map[string]*lostStart
	byAttempt map[attemptKey]*lostStart
	begun     int // starts so far
}

// begin takes a line of a start: of one trial, or of none that is known.
func (p *pending) begin(l journal.Start) {
	s := p.byID[l.ID]
	if s == nil {
		s = &lostStart{Start: l, order: p.begun}
		p.byID[l.ID] = s
		p.begun++
	}
	s.open++
	if l.Test == "" { // its trials will be those of the tests that it tells
		p.byAttempt[attemptKey{l.Key, 0}] = s
		return
	}
	s.keys = append(s.keys, l.Key)
	p.byAttempt[attemptKey{l.Key, l.Attempt}] = s
}

// end takes the end of a trial, and returns its start; nil where none is pending.
func (p *pending) end(key envelope.Key, attempt int) *lostStart {
	at := attemptKey{key, attempt}
	s := p.byAttempt[at]
	if s == nil {
		return nil
	}
	delete(p.byAttempt, at)
	if s.open--; s.open == 0 {
		delete(p.byID, s.ID)
	}
	return s
}

func (p *pending) left() []*lostStart {
	return slices.SortedFunc(maps.Values(p.byID), func(a, b *lostStart) int { return a.order - b.order })
}

// recover tells the scheduler what the journal holds, and returns the starts whose
// ends are not in it: what they left may still run.
func (d *execution) recover() (left []*lostStart, err error) {
	open := pending{byID: map[string]*lostStart{}, byAttempt: map[attemptKey]*lostStart{}}
	ended := func(key envelope.Key, attempt int, trial *envelope.Trial) {
		if l := open.end(key, attempt); l != nil {
			d.remember(l.Start, trial)
		}
	}
	unseen := &similarity{differs: true} // what those trials wrote is not in the journal
	sweeps := d.run.Plan.Form == runner.Sweep
	err = d.journal.Replay(func(line journal.Line) error {
		switch l := line.(type) {
		case journal.Tests:
			for _, t := range l {
				ended(envelope.Key{Variant: t.Variant}, 0, nil) // what told it, one of its variant or of none
				ended(envelope.Key{}, 0, nil)
			}
			return d.relist(l)
		case journal.Start:
			if n, err := strconv.Atoi(l.ID[strings.LastIndexByte(l.ID, '.')+1:]); err == nil {
				d.starts = max(d.starts, n+1) // the next one has a number that none has had
			}
			open.begin(l)
			if l.Test == "" {
				return d.scheduler.Recover(runner.Start{Slot: l.Slot, Number: l.Number.Or(l.Attempt), Group: envelope.Key{Variant: l.Variant}})
			}
			group := envelope.Key{Suite: l.Suite, Variant: l.Variant}
			if sweeps || d.run.Plan.Together {
				group.Suite = ""
			}
			id, err := d.number(l.Key)
			if err != nil {
				return err
			}
			return d.scheduler.Recover(runner.Start{Slot: l.Slot, Number: l.Number.Or(l.Attempt), Group: group, Check: l.Check,
				Trials: []runner.Place{{Test: id, Attempt: l.Attempt, Try: l.Try}}})
		case journal.Note:
			d.counts[counted{l.Code, l.Key}] = l.Count
		case journal.Held:
			ended(l.Key, int(l.Attempt.V), l.Trial)
			return d.recoverTrial(l.Key, func(id int) runner.Line { return runner.Hold{Test: id, Trial: l.Trial} })
		case journal.Trial:
			ended(l.Key, int(l.Attempt.V), l.Trial)
			d.alike[l.Key] = unseen
			return d.recoverTrial(l.Key, func(id int) runner.Line {
				d.addToStrip(id, l.Trial)
				return runner.Record{Test: id, Trial: l.Trial}
			})
		case journal.Beyond:
			ended(l.Key, int(l.Attempt.V), l.Trial)
			return d.recoverTrial(l.Key, func(id int) runner.Line { return runner.Beyond{Test: id, Trial: l.Trial} })
		case journal.Cut:
			ended(l.Key, l.Attempt, nil)
			if l.Test == "" {
				return nil
			}
			return d.recoverTrial(l.Key, func(id int) runner.Line {
				return runner.Cut{Place: runner.Place{Test: id, Attempt: l.Attempt, Try: l.Try}, Why: runner.Why(l.Why)}
			})
		case journal.Ended:
			return d.recoverTrial(l.Key, func(id int) runner.Line { return runner.End{Test: id, How: runner.How(l.How)} })
		}
		return nil
	})
	left = open.left()
	for _, l := range left {
		d.remember(l.Start, nil)
	}
	return left, err
}

func (l *lostStart) words() string {
	if l.Test == "" {
		return "the first start, which lists the tests"
	}
	return fmt.Sprintf("%s, attempt %d", l.Key, l.Attempt+1)
}

// cutFirst writes down that the first start of a sweep, which has no trials yet, has no other end.
func (d *execution) cutFirst(variant string, why runner.Why) error {
	return d.journal.Append(journal.Cut{Key: envelope.Key{Variant: variant}, Why: string(why)})
}

type attemptKey struct {
	envelope.Key
	attempt int
}

func (d *execution) recoverTrial(key envelope.Key, line func(id int) runner.Line) error {
	id, err := d.number(key)
	if err != nil {
		return err
	}
	return d.scheduler.Recover(line(id))
}

func (d *execution) number(key envelope.Key) (int, error) {
	if id, ok := d.scheduler.Find(key); ok {
		return id, nil
	}
	return 0, fmt.Errorf("%s is not in the list of tests", key)
}

// relist tells the scheduler the tests of a sweep that its first output told.
func (d *execution) relist(tests journal.Tests) error {
	by := map[string][]runner.Test{}
	var variants []string
	for _, t := range tests {
		if _, known := d.scheduler.Find(t.Key); known || t.Elsewhere {
			continue
		}
		if by[t.Variant] == nil {
			variants = append(variants, t.Variant)
		}
		by[t.Variant] = append(by[t.Variant], runner.Test{Key: t.Key, Labels: t.Labels})
	}
	for _, variant := range variants {
		if err := d.list(variant, by[variant]); err != nil {
			return err
		}
	}
	return nil
}

func (d *execution) list(variant string, tests []runner.Test) error {
	if err := d.scheduler.List(variant, tests); err != nil {
		return err
	}
	d.tests = append(d.tests, tests...)
	return nil
}

func (d *execution) key(test int) envelope.Key { return d.tests[test].Key }
