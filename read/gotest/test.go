package gotest

import (
	"cmp"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

type test struct {
	name     string
	root     *test // the one at the top, itself or not
	running  *running
	attempts int32 // trials that were sent, but for those of a variant
	// Of one at the top: the last block that had it, counted from 1, whether it
	// failed there, and whether it failed in the one that had it before.
	block          int
	failed, before bool
}

// running is a test that began and has not ended.
type running struct {
	*test
	place       int // among the open ones of the package
	born        int
	parent      *running
	above       bool // of others
	childFailed bool
	passed      bool
	paused      bool
	twins       int // more tests of its name that began while it waited for its turn
	started     time.Time
	output      capture
	attributes  []envelope.Label
	held        []*envelope.Trial // failed subtests without a reason of their own
}

func (rd *reader) testEvent(p *pack) {
	e := rd.event
	p.active = true
	t := p.running(e.Test)
	switch e.Action {
	case "run":
		switch {
		case t == nil:
			rd.start(p)
		case t.paused: // a package and its package of external tests may both have a parallel one
			t.twins++
		default:
			rd.diedOf(p, t, again, nil)
			rd.start(p)
		}
	case "pause", "cont":
		if t != nil {
			t.paused = e.Action == "pause"
		}
	case "output":
		if t == nil { // after its end
			p.output.add(e.Output)
			return
		}
		t.output.add(e.Output)
	case "attr":
		const maxAttributes = 1000 // how many attributes of one test are kept
		if t != nil && len(t.attributes) < maxAttributes {
			t.attributes = append(t.attributes, envelope.Label{Name: strings.Clone(e.Key), Value: strings.Clone(e.Value)})
		}
	case "pass", "bench", "fail", "skip":
		if t == nil { // Go before 1.20 ends tests that it never began
			t = rd.start(p)
		}
		twins := t.twins
		if rd.end(p, t); twins > 0 {
			rd.start(p).twins = twins - 1
		}
	}
}

func (rd *reader) start(p *pack) *running {
	test := testOf(p, rd.event.Test)
	p.born++
	t := rd.memory.test()
	t.test, t.place, t.born, t.parent, t.started = test, len(p.open), p.born, p.parentOf(test.name), rd.event.at()
	p.open, test.running = append(p.open, t), t
	p.any = true
	if t.parent != nil {
		t.parent.above = true
	} else if p.undecided && !test.root.failedBefore(p.block+1) && p.block > 0 {
		rd.release(p, false)
	}
	return t
}

// running is the open test of that name, nil when there is none.
func (p *pack) running(name string) *running {
	if p.recent == nil || p.recent.name != name {
		p.recent = p.tests[name]
	}
	if p.recent == nil {
		return nil
	}
	return p.recent.running
}

// testOf finds or makes the test of that name. Most events are of the test of the event before.
func testOf(p *pack, name string) *test {
	if p.recent != nil && p.recent.name == name {
		return p.recent
	}
	t := p.tests[name]
	if t == nil {
		t = p.room()
		t.name, t.root = strings.Clone(name), t
		if root, _, below := strings.Cut(t.name, "/"); below {
			t.root = testOf(p, root)
		}
		p.tests[t.name] = t
	}
	p.recent = t
	return t
}

// room is room for one more test, taken from room for some: there may be very many.
func (p *pack) room() *test {
	const some = 64
	if len(p.spare) == 0 {
		p.spare = make([]test, min(some, 1+len(p.tests)))
	}
	t := &p.spare[0]
	p.spare = p.spare[1:]
	return t
}

func (p *pack) close(t *running) {
	last := p.open[len(p.open)-1]
	p.open[t.place], last.place = last, t.place
	p.open = p.open[:len(p.open)-1]
	t.running = nil
}

// end notes how a test at the top, or one below it, ended in a block.
func (t *test) end(block int, bad bool) {
	if t.block != block {
		t.block, t.before, t.failed = block, t.failed, false
	}
	t.failed = t.failed || bad
}

// failedBefore reports whether the test failed in the last block that had it before this one.
func (t *test) failedBefore(block int) bool {
	if t.block == block {
		return t.before
	}
	return t.failed
}

// parentOf is the open test with the longest name that has the name below it:
// the names of subtests may have slashes themselves.
func (p *pack) parentOf(name string) *running {
	for {
		slash := strings.LastIndexByte(name, '/')
		if slash < 0 {
			return nil
		}
		name = name[:slash]
		if t := p.tests[name]; t != nil && t.running != nil {
			return t.running
		}
	}
}

func (rd *reader) end(p *pack, t *running) {
	p.close(t)
	status := envelope.Pass
	switch rd.event.Action {
	case "fail":
		status = envelope.Fail
	case "skip":
		status = envelope.Skip
	}
	trial := rd.trial(t, status)
	trial.DurationMS = trialfields.Elapsed(rd.event.Elapsed, 1000)
	t.passed = status == envelope.Pass
	if t.output.panicked != "" {
		p.crash = &t.output
		p.known = status == envelope.Fail && !t.output.timedOut && t.output.has("\ngoroutine ")
	}
	if status == envelope.Fail {
		p.failed = true
		p.toldFailed = p.toldFailed || strings.Contains(trial.Output, "\nFAIL\t"+p.name+"\t")
		if t.output.timedOut {
			trial.ErrorClass = envelope.ClassTimeout
		}
	}
	if strings.HasPrefix(t.name, "[") {
		earlier := failure.TriesOfGinkgo(trial, t.output.text())
		for i := range earlier {
			rd.emitOrHold(p, &earlier[i])
		}
	}
	rd.ended(p, t, trial)
	if p.crash != &t.output {
		rd.memory.take(t)
	}
}

// trial is what is known of a test when it ends. It is valid until the next one ends.
func (rd *reader) trial(t *running, status envelope.Status) *envelope.Trial {
	trial := &rd.ending
	*trial = envelope.Trial{Key: envelope.Key{Test: t.name}, Status: status, StartedAt: t.started}
	if status != envelope.Pass {
		trial.Output = t.output.text()
		r := t.output.reason(trial.Output)
		trial.Message, trial.File, trial.Line = r.text, r.file, r.line
	}
	for _, a := range t.attributes {
		trialfields.Set(trial, a.Name, a.Value)
	}
	return trial
}

func (rd *reader) ended(p *pack, t *running, trial *envelope.Trial) {
	bad := trial.Status == envelope.Fail || trial.Status == envelope.Error
	t.root.end(p.block+1, bad)
	if bad && t.parent != nil {
		t.parent.childFailed = true
	}
	silent := trial.Message == ""
	switch {
	case bad && t.childFailed:
		trial.Message = cmp.Or(trial.Message, "a subtest failed")
	case bad:
		trial.Message = cmp.Or(trial.Message, "failed without a message")
	}
	if rd.releaseHeld(p, t); silent && bad && t.parent.runs() && !t.childFailed {
		t.parent.held = append(t.parent.held, own(trial))
	} else {
		rd.emitOrHold(p, trial)
	}
}

func (t *running) runs() bool { return t != nil && t.running == t }

func own(trial *envelope.Trial) *envelope.Trial {
	t := *trial
	t.File, t.Output = strings.Clone(t.File), strings.Clone(t.Output)
	return &t
}

// releaseHeld delivers failed subtests that gave no reason. The text of a panic
// comes after their end and stands with the test above.
func (rd *reader) releaseHeld(p *pack, t *running) {
	for _, held := range t.held {
		switch {
		case t.output.panicked != "":
			held.Message, held.Output = t.output.panicked, t.output.text()
		case t.parent.runs():
			t.parent.held = append(t.parent.held, held)
			continue
		}
		rd.emitOrHold(p, held)
	}
	t.held = nil
}

// emitOrHold sends a trial on, or lets it wait until it is clear whether its block is a rerun.
func (rd *reader) emitOrHold(p *pack, trial *envelope.Trial) {
	if p.undecided && p.block > 0 {
		p.waiting = append(p.waiting, *own(trial))
		return
	}
	rd.send(p, trial, false)
}

// release sends what waited. From here on the block is no rerun.
func (rd *reader) release(p *pack, rerun bool) {
	for i := range p.waiting {
		rd.send(p, &p.waiting[i], rerun)
	}
	p.waiting, p.undecided = nil, false
}

func (rd *reader) send(p *pack, trial *envelope.Trial, retry bool) {
	trial.Suite = p.name
	attempts := rd.attempts(p, trial)
	trial.Attempt, trial.Retry = envelope.Some(*attempts), retry || trial.Retry
	*attempts++
	rd.to.Trial(trial)
}

func (rd *reader) attempts(p *pack, trial *envelope.Trial) *int32 {
	if trial.Variant == "" {
		return &testOf(p, trial.Test).attempts
	}
	n := rd.variants[trial.Key]
	if n == nil {
		n = new(int32)
		rd.variants[trial.Key] = n
	}
	return n
}
