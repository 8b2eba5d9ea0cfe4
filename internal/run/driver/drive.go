package driver

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tribunal/envelope"
	"tribunal/internal/crash"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
)

// Signal asks a run to end or to pause.
type Signal int

// Signals.
const (
	Finish  Signal = iota // start nothing more, and wait for running trials
	Stop                  // end running trials in order
	Kill                  // end running trials at once
	Suspend               // stop until the program continues
)

type execution struct {
	run     *Run
	id      string // prefix of the names of starts
	journal *journal.Journal
	group   *process.Group
	watch   *Watch
	redact  func(string) string
	passed  []string // the environment that is passed on

	raw, kept, dirs string // folders

	mu        sync.Mutex // of what a snapshot shows, which only the goroutine that drives changes
	scheduler *runner.Scheduler
	tests     []runner.Test
	strips    map[int][]envelope.Outcome // the last ones of each test
	slots     []*start

	starts   int // so far, in all processes of the run
	results  chan outcome
	working  int // goroutines
	random   *rand.Rand
	limiter  *rate.Limiter
	unlisted map[envelope.Key]bool // reported, and not listed
	// cutShort is true if the first start of a sweep died or hung, so that later tests are not listed.
	cutShort  bool
	counts    map[counted]int              // of notes
	alike     map[envelope.Key]*similarity // of tests all of whose trials this process has seen
	breakages map[string]*breakages        // of starts that broke, by suite
	// compiled are tests that are started without their runner, by suite. It is guarded by mu.
	compiled    map[string]*compiled
	neverNarrow bool          // a narrowed sweep omitted a test it should run, so no later one is narrowed
	sniffOnce   sync.Once     // detects a format in output that is not read
	shutdown    chan struct{} // closed when this program has to end
	ending      sync.Once     // closes shutdown
	priced      bool          // checked whether trials report their cost
	endless     error         // nothing would have ended the run
	halt        *runner.Halt  // requested before the first trial
	err         error         // why the run cannot continue
}

type noTestsReason string

func (n noTestsReason) Error() string { return string(n) }

// noTests is the end of a run whose first output has no test.
const noTests runner.RunEnd = "nothing-to-try"

// Drive runs a run whose journal is open, and returns how it ended. Resuming is true for a
// journal of an earlier process. The error is not that of a trial but, for example, of a
// journal that cannot be written or of a failed setup.
func Drive(r *Run, j *journal.Journal, resuming bool, signals <-chan Signal, watch *Watch) (runner.RunEnd, error) {
	d, err := newDrive(r, j, watch)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(d.raw)
	defer os.Remove(d.dirs) // it stays where something is in it
	var left []*lostStart
	if resuming {
		if left, err = d.recover(); err != nil {
			return "", err
		}
		if err := j.Commit(journal.Resume{At: time.Now(), Boot: Boot()}); err != nil {
			return "", err
		}
	}
	if d.group, err = process.Open(process.Options{Run: d.id, Variable: r.Environment.Cookie, LeaveBehind: r.LeaveBehind}); err != nil {
		return "", err
	}
	watch.drive.Store(d)
	end, err := d.runBetweenSetups(left, signals)
	return end, errors.Join(err, d.group.Close())
}

func newDrive(r *Run, j *journal.Journal, watch *Watch) (*execution, error) {
	d := &execution{
		run: r, id: strings.TrimSuffix(r.Header.ID+"."+r.Part, "."), journal: j, watch: watch, redact: r.Redact, passed: r.Environment.passed(),
		results: make(chan outcome), shutdown: make(chan struct{}), random: rand.New(rand.NewPCG(uint64(r.Seed), 0)),
		unlisted: map[envelope.Key]bool{}, counts: map[counted]int{}, alike: map[envelope.Key]*similarity{},
		breakages: map[string]*breakages{}, compiled: map[string]*compiled{}, strips: map[int][]envelope.Outcome{},
		tests: slices.Clone(r.Plan.Tests), slots: make([]*start, max(1, r.Plan.Places)),
	}
	if d.redact == nil {
		d.redact = func(s string) string { return s }
	}
	if r.Rate > 0 {
		d.limiter = rate.NewLimiter(r.Rate, 1)
	}
	var err error
	plan := r.Plan
	plan.Fits = d.fits
	if d.scheduler, err = runner.New(plan); err != nil {
		return nil, err
	}
	if d.raw, err = absolute(j.Raw()); err != nil {
		return nil, err
	}
	if d.kept, err = j.Out(); err != nil {
		return nil, err
	}
	if d.dirs, err = absolute(filepath.Join(j.Dir(), "dirs"), nil); err != nil {
		return nil, err
	}
	return d, os.MkdirAll(d.dirs, 0o700)
}

// absolute is a folder by a name that holds wherever a trial goes to.
func absolute(folder string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return filepath.Abs(folder)
}

// loop runs the run until nothing runs and nothing will be started.
func (d *execution) loop(signals <-chan Signal, timers *timers) (end runner.RunEnd, err error) {
	end, over := d.apply(d.step(nil), timers)
	if d.halt != nil && !over {
		end, over = d.apply(d.step(*d.halt), timers)
	}
	for !over && d.err == nil {
		d.fill(timers)
		if d.err != nil {
			break
		}
		var event runner.Event
		select {
		case out := <-d.results:
			event = d.result(out)
		case <-timers.pause.C:
			event = runner.Continue{}
		case <-timers.rate.C:
			timers.waiting = false
			continue
		case <-timers.end.C:
			event = timeIsOver
		case sig := <-signals:
			event = d.handleSignal(sig, timers)
		}
		if event == nil {
			continue
		}
		if end, over = d.apply(d.step(event), timers); !over && d.endless == nil {
			if d.endless = d.unpriced(); d.endless != nil {
				end, over = d.apply(d.step(runner.Halt{Why: runner.ByUser}), timers)
			}
		}
	}
	if d.err != nil {
		d.endAll()
	}
	return end, d.err
}

// step asks the scheduler; nil is the beginning.
func (d *execution) step(e runner.Event) []runner.Action {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e == nil {
		return d.scheduler.Begin()
	}
	return d.scheduler.Step(e)
}

func (d *execution) fill(timers *timers) {
	for !timers.waiting && d.err == nil {
		if wait := d.untilNext(); wait > 0 {
			timers.waiting = true
			timers.rate.Reset(wait)
			return
		}
		d.mu.Lock()
		next, ok := d.scheduler.Next()
		d.mu.Unlock()
		if !ok {
			return
		}
		d.launch(next)
		if d.limiter != nil {
			d.limiter.Allow()
		}
	}
}

// untilNext is how long the rate of starts lets the next one wait.
func (d *execution) untilNext() time.Duration {
	if d.limiter == nil {
		return 0
	}
	missing := 1 - d.limiter.Tokens()
	return time.Duration(math.Ceil(max(0, missing) / float64(d.limiter.Limit()) * float64(time.Second)))
}

func (d *execution) launch(next runner.Start) {
	next.Trials = slices.Clone(next.Trials)
	s := &start{Start: next, id: fmt.Sprintf("%s.%d", d.id, d.starts), at: time.Now(), timeout: d.run.Timeout}
	d.starts++
	for i, p := range next.Trials {
		key := d.key(p.Test)
		s.keys = append(s.keys, key)
		if i == 0 && d.run.Plan.Form == runner.Each || next.Check {
			s.labels, s.timeout = d.tests[p.Test].Labels, d.run.timeoutOf(key)
		}
	}
	s.narrow = d.narrowed(next)
	d.occupy(next.Slot, s)
	if d.err = d.restoreJournal(false); d.err != nil {
		return
	}
	if d.err = d.journal.Append(d.linesOf(next, s.id, s.at)...); d.err != nil {
		return
	}
	d.working++
	go func() {
		defer crash.Exit()
		d.results <- d.try(s)
	}()
}

func (d *execution) occupy(slot int, s *start) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slots[slot] = s
}

func (d *execution) result(out outcome) runner.Event {
	d.working--
	s := out.start
	d.occupy(s.Slot, nil)
	name := out.name()
	for _, words := range out.said {
		d.say("%s: %s", name, words)
	}
	if out.survived > 0 {
		d.say("%s: %s that it left could not be stopped (owned by another user, or hung); look with ps", name,
			words.Plural(out.survived, "process", "processes"))
	}
	if d.err = d.journal.Append(d.recordNotes(s, &out)...); d.err != nil {
		return nil
	}
	switch {
	case out.err != nil:
		d.err = out.err
		return nil
	case out.cut:
		if len(s.Trials) == 0 {
			d.err = d.cutFirst(s.Group.Variant, runner.Interrupted)
		}
		d.countBreakages(s.Group.Suite, s.Number, none)
		return runner.CutOff{Slot: s.Slot}
	case s.Check:
		return runner.Checked{Slot: s.Slot, Failed: out.failed}
	}
	ended := runner.Ended{Slot: s.Slot, Permanent: out.output.permanent}
	if d.run.Plan.Form != runner.Sweep {
		ended.Trials, ended.Unreached = d.reported(s, &out.output), out.output.missing
		for _, r := range ended.Trials {
			d.compare(s, &out, r.Trial)
		}
		d.giveUp(s, out.output.ended, ended.Trials)
		d.err = d.journal.Append(d.notesOf(s, &out.output, ended.Trials)...)
		return ended
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(out.output.trials)+len(s.Trials) == 0 && out.output.missing.ErrorClass == envelope.ClassInfrastructure {
		ended.Broken = true
		d.say("the first start, which lists the tests, failed for infrastructure reasons: %s",
			firstAndLastLine(strings.TrimPrefix(out.output.missing.Message, unreported)))
		d.err = d.cutFirst(s.Group.Variant, runner.Broken)
		return ended
	}
	if ended.Trials, d.err = d.recordSwept(s, &out.output); d.err != nil {
		return nil
	}
	ended.Unreached = out.output.missing
	d.err = d.journal.Append(d.notesOf(s, &out.output, ended.Trials)...)
	return ended
}

func (s *start) name() string {
	if len(s.keys) > 0 {
		return s.keys[0].String()
	}
	return "a start"
}

// notListed says once of a test that is reported, and is none of the run, why it is
// not counted, and writes down that it failed: the tests of the run may all be green.
// What was not asked for by its name is nothing to talk of.
func (d *execution) notListed(key envelope.Key, trial envelope.Trial) error {
	if len(d.run.Plan.Tests) > 0 {
		return nil
	}
	if !d.unlisted[key] {
		d.unlisted[key] = true
		d.say("test %s is not counted: the first start did not report it; name all tests by --test or --list", key)
	}
	if !d.cutShort && !d.broke(&trial) || strings.HasPrefix(key.Test, "[") { // what is of no test fails with its command
		return nil
	}
	n, did := d.count(envelope.CodeNotListed, envelope.Key{}, 1), " failed"
	if d.cutShort {
		did = " ran"
	}
	return d.journal.Append(journal.Note{Code: envelope.CodeNotListed, Count: n,
		Message: words.Plural(n, "trial", "trials") + " of tests like " + d.redact(key.String()) + did + " but did not count: the first start" +
			words.If(d.cutShort, " died and") + " did not report these tests; name all tests by --test or --list"})
}

// apply does what the scheduler asks for. Lines are written in their order, and
// are safe before the next start is.
func (d *execution) apply(actions []runner.Action, timers *timers) (end runner.RunEnd, over bool) {
	for _, action := range actions {
		if a, is := action.(runner.End); is && d.err == nil {
			d.err = d.journal.Append(d.suspicion(d.key(a.Test))...)
		}
		if line, is := d.lineOf(action); is && d.err == nil {
			d.err = d.journal.Append(line)
		}
		switch a := action.(type) {
		case runner.Record:
			d.mu.Lock()
			d.addToStrip(a.Test, a.Trial)
			d.mu.Unlock()
			d.watch.Trial(d.scheduler.Progress(a.Test), a.Trial)
		case runner.End:
			d.watch.Test(d.scheduler.Progress(a.Test), a)
		case runner.Kill:
			if s := d.slots[a.Slot]; s != nil {
				s.kill()
			}
		case runner.Pause:
			wait := time.Duration(d.random.Float64() * float64(a.Longest))
			timers.pause.Reset(wait)
			wait = max(wait, time.Second/10).Round(time.Second / 10)
			d.say("several trials in a row failed for infrastructure reasons: the next trial starts in %s", wait)
		case runner.Stop:
			return a.How, true
		}
	}
	return "", false
}

func (d *execution) handleSignal(sig Signal, timers *timers) runner.Event {
	if sig != Suspend {
		d.ending.Do(func() { close(d.shutdown) })
	}
	switch sig {
	case Finish:
		d.say("no new trials start; the reports follow when running trials end")
		d.say("interrupt again to end running trials; tribunal run --resume --journal %s continues later", words.Shell(d.journal.Dir()))
		return runner.Halt{Why: runner.ByUser}
	case Stop:
		d.say("ending running trials; interrupt again to kill them")
	case Kill:
		d.group.Kill()
	case Suspend:
		before := time.Now()
		if err := d.group.Pause(); err != nil {
			d.say("%v", err)
		}
		if !timers.due.IsZero() { // the time that it was suspended does not count
			timers.due = timers.due.Add(time.Since(before))
			timers.end.Reset(time.Until(timers.due))
		}
		return nil
	}
	return runner.Halt{Why: runner.ByUser, Now: true}
}

func (d *execution) endAll() {
	for _, s := range d.slots {
		if s != nil {
			s.kill()
		}
	}
	for ; d.working > 0; d.working-- {
		<-d.results
	}
}

type timers struct {
	pause, rate, end *time.Timer
	waiting          bool // for the rate of starts
	due              time.Time
}

func newTimers(maxTime time.Duration) *timers {
	const never = 1 << 62
	t := &timers{pause: time.NewTimer(never), rate: time.NewTimer(never), end: time.NewTimer(never)}
	if maxTime > 0 {
		t.end.Reset(maxTime)
		t.due = time.Now().Add(maxTime)
	}
	return t
}

func (t *timers) stop() {
	t.pause.Stop()
	t.rate.Stop()
	t.end.Stop()
}
