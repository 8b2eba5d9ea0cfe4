package driver

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"tribunal/envelope"
	"tribunal/internal/run/runner"
)

// Watch is who looks at a run: all but Snapshot, which any goroutine may call, is called
// as it happens, by the one goroutine that drives.
type Watch struct {
	// Trial tells a trial that took its place in the stream.
	Trial func(runner.Progress, *envelope.Trial)
	// Test tells a test that has ended.
	Test func(runner.Progress, runner.End)
	// Say tells something that somebody should know, in a sentence.
	Say func(string)
	// Advise tells how a run could tell more, in a sentence.
	Advise func(string)

	drive atomic.Pointer[execution] // nil before the first start
}

func (d *execution) say(format string, args ...any) { d.watch.Say(fmt.Sprintf(format, args...)) }

// Open is a test that has not ended.
type Open struct {
	runner.Progress
	// Strip are the outcomes of its last trials, a letter each: those of [envelope.Outcome].
	Strip []envelope.Outcome
	// Passes and Failures are the fewest further trials after which it passes or
	// fails; 0 where there is no such number.
	Passes, Failures int
}

// Running is a start that runs.
type Running struct {
	Key   envelope.Key // of its one test, else of its group
	Tests int          // that it tries
	Slot  int
	Since time.Time
}

// Snapshot is a run at a moment.
type Snapshot struct {
	Totals  runner.Totals
	Open    []Open // those that were started, nearest to their verdict first
	Running []Running
}

// Snapshot is the run now, with at most so many open tests.
func (w *Watch) Snapshot(most int) Snapshot {
	d := w.drive.Load()
	if d == nil {
		return Snapshot{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := Snapshot{Totals: d.scheduler.Totals()}
	for id := range d.tests {
		if p := d.scheduler.Progress(id); p.How == runner.Open && p.Started > 0 && (p.Skipped == 0 || p.Counted > 0) {
			s.Open = append(s.Open, Open{Progress: p})
		}
	}
	slices.SortStableFunc(s.Open, func(a, b Open) int {
		return cmp.Or(cmp.Compare(a.Near, b.Near), cmp.Compare(b.Counted, a.Counted), a.Key.Compare(b.Key))
	})
	s.Open = s.Open[:min(most, len(s.Open))]
	for i := range s.Open {
		o := &s.Open[i]
		if id, ok := d.scheduler.Find(o.Key); ok {
			o.Strip = slices.Clone(d.strips[id])
			o.Passes, o.Failures = d.scheduler.Needs(id)
		}
	}
	for _, one := range d.slots {
		if one == nil {
			continue
		}
		r := Running{Key: one.Group, Tests: len(one.keys), Slot: one.Slot, Since: one.at}
		if len(one.keys) == 1 {
			r.Key = one.keys[0]
		}
		s.Running = append(s.Running, r)
	}
	slices.SortFunc(s.Running, func(a, b Running) int { return a.Since.Compare(b.Since) })
	return s
}

const stripLength = 40

func (d *execution) addToStrip(test int, t *envelope.Trial) {
	outcome, _ := t.Classify(envelope.CountingRules{})
	strip := d.strips[test]
	if len(strip) == stripLength {
		copy(strip, strip[1:])
		strip = strip[:stripLength-1]
	}
	d.strips[test] = append(strip, outcome)
}
