package gotest

import (
	"cmp"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/read/property"
)

// running is a test that began and has not ended.
type running struct {
	name        string
	born        int
	parent      *running
	childFailed bool
	paused      bool
	started     time.Time
	output      capture
	attributes  []envelope.Label
	held        []*envelope.Trial // failed subtests without a reason of their own
}

// maxAttributes is how many attributes of one test are kept.
const maxAttributes = 1000

func (rd *reader) testEvent(p *pack) {
	e := rd.event
	p.active = true
	t := p.running(e.test)
	switch e.action {
	case run:
		if t != nil {
			rd.diedOf(p, t, "the test began anew before it ended", false)
		}
		rd.start(p)
	case pause, cont:
		if t != nil {
			t.paused = e.action == pause
		}
	case output:
		if t == nil { // after its end
			rd.keep(&p.output)
			return
		}
		rd.keep(&t.output)
	case attr:
		if t != nil && len(t.attributes) < maxAttributes {
			t.attributes = append(t.attributes, envelope.Label{Name: string(e.key), Value: string(e.val)})
		}
	case pass, bench, fail, skip:
		if t == nil { // Go before 1.20 ends tests that it never began
			t = rd.start(p)
		}
		rd.end(p, t)
	}
}

// start begins a test.
func (rd *reader) start(p *pack) *running {
	name := string(rd.event.test)
	p.born++
	t := &running{name: name, born: p.born, parent: p.parentOf(name), started: rd.event.at()}
	rd.memory.lend(&t.output)
	p.open[name], p.recent = t, t
	p.any, rd.ran = true, true
	if t.parent == nil && p.undecided && !p.last[rootOf(name)] && p.block > 0 {
		rd.release(p, false)
	}
	return t
}

// running is the open test of that name, nil when there is none. Most events are
// of the test of the event before.
func (p *pack) running(name []byte) *running {
	if t := p.recent; t != nil && t.name == string(name) {
		return t
	}
	p.recent = p.open[string(name)]
	return p.recent
}

// close takes the test from the open ones.
func (p *pack) close(t *running) {
	delete(p.open, t.name)
	if p.recent == t {
		p.recent = nil
	}
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
		if t := p.open[name]; t != nil {
			return t
		}
	}
}

func rootOf(name string) string {
	root, _, _ := strings.Cut(name, "/")
	return root
}

// end ends a test as its event says.
func (rd *reader) end(p *pack, t *running) {
	p.close(t)
	status := envelope.Pass
	switch rd.event.action {
	case fail:
		status = envelope.Fail
	case skip:
		status = envelope.Skip
	}
	trial := rd.trial(t, status)
	if rd.event.timed {
		trial.DurationMS = property.Milliseconds(rd.event.elapsed, 1000)
	}
	if status == envelope.Pass && t.output.panicked != "" {
		p.crash = &t.output
	}
	if status == envelope.Fail && t.output.timedOut {
		trial.ErrorClass = envelope.ClassTimeout
	}
	rd.ended(p, t, trial)
	if p.crash != &t.output {
		rd.memory.take(&t.output)
	}
}

// trial is what is known of a test when it ends. That of a test that passed,
// which nobody keeps, is valid until the next one.
func (rd *reader) trial(t *running, status envelope.Status) *envelope.Trial {
	trial := &rd.passed
	if status != envelope.Pass {
		trial = &envelope.Trial{}
	}
	*trial = envelope.Trial{Key: envelope.Key{Test: t.name}, Status: status, StartedAt: t.started}
	if status != envelope.Pass {
		trial.Output = t.output.text()
		r := t.output.reason(trial.Output)
		trial.Message, trial.File, trial.Line = r.text, r.file, r.line
	}
	for _, a := range t.attributes {
		property.Set(trial, a.Name, a.Value)
	}
	return trial
}

// ended delivers the trial of a test.
func (rd *reader) ended(p *pack, t *running, trial *envelope.Trial) {
	bad := trial.Status == envelope.Fail || trial.Status == envelope.Error
	root := rootOf(t.name)
	p.now[root] = p.now[root] || bad
	p.failed = p.failed || bad
	if bad && t.parent != nil {
		t.parent.childFailed = true
	}
	silent := trial.Message == ""
	if bad && t.childFailed {
		trial.Message = cmp.Or(trial.Message, "a subtest failed")
	}
	trial.Message = cmp.Or(trial.Message, defaultMessage(trial.Status))
	rd.releaseHeld(p, t)
	switch {
	case silent && bad && t.parent != nil && !t.childFailed:
		t.parent.held = append(t.parent.held, trial)
	default:
		rd.deliver(p, trial)
	}
}

func defaultMessage(status envelope.Status) string {
	switch status {
	case envelope.Fail, envelope.Error:
		return "failed without a message"
	}
	return ""
}

// releaseHeld delivers failed subtests that gave no reason. The text of a panic
// comes after their end and stands with the test above.
func (rd *reader) releaseHeld(p *pack, t *running) {
	for _, held := range t.held {
		switch {
		case t.output.panicked != "":
			held.Message, held.Output = t.output.panicked, t.output.text()
		case t.parent != nil:
			t.parent.held = append(t.parent.held, held)
			continue
		}
		rd.deliver(p, held)
	}
	t.held = nil
}

// deliver sends a trial on, or lets it wait until it is clear whether its block
// is a rerun.
func (rd *reader) deliver(p *pack, trial *envelope.Trial) {
	if p.undecided && p.block > 0 {
		p.waiting = append(p.waiting, *trial)
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
	n := rd.attempts[trial.Key]
	rd.attempts[trial.Key] = n + 1
	trial.Attempt, trial.Retry = envelope.Some(n), retry
	rd.to.Trial(trial)
}
