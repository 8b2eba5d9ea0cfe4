package driver

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"tribunal/envelope"
	"tribunal/run/runner"
)

// Watch is who looks at a run: what is not nil is called as it happens, by the one
// goroutine that drives. Snapshot may be called by another.
type Watch struct {
	// Trial tells a trial that took its place in the stream.
	Trial func(runner.Progress, *envelope.Trial)
	// Test tells a test that has ended.
	Test func(runner.Progress, runner.End)
	// Say tells something that somebody should know, in a sentence.
	Say func(string)
	// Advise tells how a run could tell more, in a sentence.
	Advise func(string)

	drive *execution
}

func (w *Watch) of(d *execution) { w.drive = d }

func (w *Watch) say(format string, args ...any) {
	if w.Say != nil {
		w.Say(fmt.Sprintf(format, args...))
	}
}

func (w *Watch) advise(format string, args ...any) {
	if w.Advise != nil {
		w.Advise(fmt.Sprintf(format, args...))
	}
}

func (w *Watch) trial(d *execution, a runner.Record) {
	if w.Trial != nil {
		w.Trial(d.scheduler.Progress(a.Test), a.Trial)
	}
}

func (w *Watch) test(d *execution, a runner.End) {
	if w.Test != nil {
		w.Test(d.scheduler.Progress(a.Test), a)
	}
}

// Open is a test that has not ended.
type Open struct {
	runner.Progress
	// Strip are the outcomes of its last trials, a letter each: those of
	// [envelope.Outcome].
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
	d := w.drive
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
	d.watched.mu.Lock()
	defer d.watched.mu.Unlock()
	for i := range s.Open {
		o := &s.Open[i]
		if id, ok := d.scheduler.Find(o.Key); ok {
			o.Strip = slices.Clone(d.watched.strips[id])
			o.Passes, o.Failures = d.scheduler.Needs(id)
		}
	}
	for _, r := range d.watched.running {
		s.Running = append(s.Running, r)
	}
	slices.SortFunc(s.Running, func(a, b Running) int { return a.Since.Compare(b.Since) })
	return s
}

// watched is what is remembered of a run for those who look at it.
type watched struct {
	mu      sync.Mutex
	strips  [][]envelope.Outcome // of each test, the last ones
	running map[int]Running      // by slot
}

// stripLength is how many outcomes of a test are remembered.
const stripLength = 40

func newWatched(tests int) *watched {
	return &watched{strips: make([][]envelope.Outcome, tests), running: map[int]Running{}}
}

func (w *watched) grow(tests int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.strips = append(w.strips, make([][]envelope.Outcome, tests-len(w.strips))...)
}

func (w *watched) record(test int, t *envelope.Trial) {
	outcome, _ := t.Classify(envelope.CountingRules{})
	w.mu.Lock()
	defer w.mu.Unlock()
	strip := w.strips[test]
	if len(strip) == stripLength {
		copy(strip, strip[1:])
		strip = strip[:stripLength-1]
	}
	w.strips[test] = append(strip, outcome)
}

func (w *watched) begin(s *start) {
	r := Running{Key: s.Group, Tests: len(s.keys), Slot: s.Slot, Since: s.at}
	if len(s.keys) == 1 {
		r.Key = s.keys[0]
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[s.Slot] = r
}

func (w *watched) finish(s *start) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running, s.Slot)
}
