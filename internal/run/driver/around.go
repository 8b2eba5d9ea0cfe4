package driver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tribunal/envelope"
	"tribunal/internal/crash"
	"tribunal/internal/each"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/preset"
	"tribunal/internal/run/process"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
)

// runBetweenSetups runs setup, trials and teardown. Before, it ends leftovers of an earlier
// process.
func (d *execution) runBetweenSetups(left []*lostStart, signals <-chan Signal) (end runner.RunEnd, err error) {
	timers := newTimers(d.run.MaxTime)
	defer timers.stop()
	d.endLeftovers(left, signals)
	for _, l := range left {
		if l.Test == "" && err == nil {
			err = d.cutFirst(l.Variant, runner.Lost)
		}
	}
	if err != nil {
		return "", err
	}
	if d.run.Setup != nil {
		err = d.setUp(signals, timers)
	}
	if err == nil {
		end, err = d.loop(signals, timers)
	}
	nothing := noTestsReason("")
	if errors.As(err, &nothing) {
		end, err = noTests, d.journal.Append(journal.Note{Code: envelope.CodeNothingToTry, Message: string(nothing)})
	}
	if d.run.Teardown != nil {
		_, failed := d.runCommand(d.run.Teardown, "teardown", false, signals, newTimers(0)) // it has the time that it takes
		err = errors.Join(err, d.recordFailure(envelope.CodeTeardown, failed))
	}
	if err != nil {
		return "", err
	}
	if err := d.restoreJournal(true); err != nil {
		return "", err
	}
	last := d.noteMissingCosts()
	if d.run.Unmatched != nil && d.run.Unmatched() != "" && end != noTests { // else its reason has it
		last = append(last, journal.Note{Code: envelope.CodeNothingToTry, Message: d.redact(d.run.Unmatched())})
	}
	return end, cmp.Or(d.journal.Commit(append(last, journal.End{How: string(end)})...), d.endless)
}

// restoreJournal writes the journal again if something else changed or removed it.
func (d *execution) restoreJournal(everyByte bool) error {
	damage, code, did := d.journal.Damage(everyByte), envelope.CodeJournal, "changed"
	switch damage {
	case journal.Intact:
		return nil
	case journal.Removed:
		code, did = envelope.CodeRemoved, "removed"
	}
	if err := d.journal.Restore(); err != nil {
		return err
	}
	n := d.count(code, envelope.Key{}, 1)
	return d.journal.Append(journal.Note{Code: code, Count: n,
		Message: fmt.Sprintf("a trial or another program %s the journal %s: Tribunal restored what it recorded, which this report shows; let no "+
			"trial write to %s",
			did, words.Plural(n, "time", "times"), d.journal.Dir())})
}

// endLeftovers ends processes of starts that the last process of the run lost, and runs their
// cleanup.
func (d *execution) endLeftovers(left []*lostStart, signals <-chan Signal) {
	for _, l := range left {
		if ended, _, err := process.KillByCookie(d.run.Environment.Cookie, l.ID); err != nil {
			d.say("stopping processes of a trial that a crash interrupted: %v", err)
		} else if ended > 0 {
			d.say("%s, was still running: %s ended", l.words(), words.Plural(ended, "process was", "processes were"))
		}
		if d.run.After == nil {
			continue
		}
		s := &start{Start: runner.Start{Slot: l.Slot, Number: l.Number.Or(l.Attempt), Group: envelope.Key{Suite: l.Suite, Variant: l.Variant}},
			id: l.ID, keys: l.keys}
		for _, key := range l.keys {
			if id, known := d.scheduler.Find(key); known {
				s.Trials = append(s.Trials, runner.Place{Test: id, Attempt: l.Attempt, Try: l.Try})
				s.labels = d.tests[id].Labels
			}
		}
		v := d.values(s)
		var out outcome
		folder, err := d.folders(s, &v) // {dir} is as the trial left it
		if err != nil {
			d.say("cleaning up after a lost trial: %v", err)
			continue
		}
		d.awaitOutside(s, signals, newTimers(0), func() { d.cleanUp(s, v, folder, &out) })
		_ = os.RemoveAll(folder) // what is left of it goes with the folder above, when the run ends
		d.removeFolder(v.Dir, false)
		for _, said := range out.said {
			d.say("cleaning up after %s, which was lost: %s", l.words(), said)
		}
	}
}

// setUp runs the setup, and writes down what it took, which it did also when it failed.
// That it was ended with the run is no failure of its own.
func (d *execution) setUp(signals <-chan Signal, timers *timers) error {
	end, failed := d.runCommand(d.run.Setup, setupName, true, signals, timers)
	if d.halt != nil && (end.Why == process.Stopped || errors.Is(failed, errKilled)) {
		failed = nil
	}
	took := journal.Setup{At: time.Now(), MS: float64(end.Duration.Microseconds()) / 1000}
	if end.Started.IsZero() {
		return d.recordFailure(envelope.CodeSetup, failed)
	}
	var err error
	if took.CostUSD, err = reportedCost(d.excerptOf(filepath.Join(d.raw, setupName, stdoutName))); err != nil {
		d.say("setup: %v", err)
	}
	return errors.Join(d.journal.Commit(took), d.recordFailure(envelope.CodeSetup, failed))
}

// recordFailure records a failed setup, after which nothing starts, or a failed teardown, after
// which something may be left. The error is that of the journal.
func (d *execution) recordFailure(code string, failed error) error {
	if failed == nil {
		return nil
	}
	if code == envelope.CodeSetup && d.halt == nil {
		d.halt = &runner.Halt{Why: runner.BySetup, Now: true}
	}
	if d.journal.Commit(journal.Note{Code: code, Message: d.redact(firstAndLastLine(failed.Error()))}) != nil {
		return failed
	}
	return nil
}

const setupName = "setup"

// reportedCost is cost_usd of the JSON object in the last line of an output, if there is one.
func reportedCost(stdout string) (cost envelope.Opt[float64], err error) {
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var told struct {
		CostUSD json.RawMessage `json:"cost_usd"`
	}
	if json.Unmarshal([]byte(lines[len(lines)-1]), &told) != nil || told.CostUSD == nil {
		return cost, nil
	}
	if json.Unmarshal(told.CostUSD, &cost) != nil || cost.V < 0 {
		return envelope.Opt[float64]{}, fmt.Errorf("cost_usd is %s and is not counted: print a number of dollars, 0 or more", told.CostUSD)
	}
	return cost, nil
}

func (d *execution) runCommand(t *Template, what string, keep bool, signals <-chan Signal, timers *timers) (end process.End, err error) {
	s := &start{id: d.id}
	folder := filepath.Join(d.raw, what)
	d.awaitOutside(s, signals, timers, func() {
		end, err = d.execute(s, t, Values{ID: d.id, Run: d.run.Header.ID, Seed: d.run.Seed}, folder, keep)
	})
	if err != nil {
		return end, fmt.Errorf("%s: %w", what, err)
	}
	if end.Code != 0 {
		return end, fmt.Errorf("%s: %s%s", what, inWords(end), afterColon(tail(d.excerpt(folder), messageLimit)))
	}
	return end, nil
}

// awaitOutside waits for work outside of the loop and handles signals meanwhile. A signal that
// ends trials also ends that work, and is passed on to the loop.
func (d *execution) awaitOutside(s *start, signals <-chan Signal, timers *timers, do func()) {
	done := make(chan struct{})
	go func() {
		defer crash.Exit()
		do()
		close(done)
	}()
	for {
		var event runner.Event
		select {
		case <-done:
			return
		case <-timers.end.C:
			event = timeIsOver
		case sig := <-signals:
			event = d.handleSignal(sig, timers)
		}
		if halt, is := event.(runner.Halt); is {
			d.halt = &halt
			if halt.Now {
				s.kill()
			}
		}
	}
}

var timeIsOver = runner.Halt{Why: runner.ByTime, Now: true}

// Boot identifies the current boot of the machine, or is "" if unknown, as outside of Linux.
func Boot() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

type compiled struct {
	into  string // a folder
	once  sync.Once
	by    *preset.Compilation
	start *Template // nil where they could not be compiled: their runner says why
}

// compiledFor are the compiled tests of a start, or nil to start the runner: compiling is not
// worth it for a single start.
func (d *execution) compiledFor(s *start, v Values, folder string) *compiled {
	if d.run.Recipe.Compile == nil || s.Number == 0 {
		return nil
	}
	d.mu.Lock()
	c := d.compiled[v.Suite]
	if c == nil {
		c = &compiled{into: filepath.Join(d.raw, fmt.Sprint("compiled", len(d.compiled)))}
		d.compiled[v.Suite] = c
	}
	d.mu.Unlock()
	c.once.Do(func() { c.start = c.compile(d, s, v, folder) })
	if c.start == nil {
		return nil
	}
	return c
}

func (c *compiled) compile(d *execution, s *start, v Values, folder string) *Template {
	if c.by = d.run.Recipe.Compile(v.Suite, c.into); c.by == nil || os.Mkdir(c.into, 0o700) != nil {
		return nil
	}
	defer func(timeout time.Duration) { s.timeout = timeout }(s.timeout)
	s.timeout = 0
	printed := filepath.Join(folder, "compile")
	for _, argv := range c.by.Steps {
		end, err := d.execute(s, literal(argv), v, printed, false)
		if err != nil || end.Why != process.Exited || end.Code != 0 {
			return nil
		}
	}
	dir, err := os.ReadFile(filepath.Join(printed, stdoutName))
	start, wrong := NewTemplate(c.by.Start)
	if err != nil || wrong != nil {
		return nil
	}
	start.dir = strings.TrimRight(string(dir), "\r\n")
	return start
}

func literal(argv []string) *Template {
	t := &Template{text: argv}
	t.args = append(t.args, each.Of(argv, func(arg string) []piece { return []piece{{text: arg}} })...)
	return t
}

// convert writes the report that the runner would have written, and sets its exit code, 1 for
// any failure.
func (c *compiled) convert(folder string, v Values, end *process.End) error {
	raw, err := os.Open(filepath.Join(folder, stdoutName))
	if err != nil {
		return err
	}
	defer raw.Close()
	wrote, err := os.Create(v.Out)
	if err != nil {
		return err
	}
	last := ""
	if end.Why == process.Exited {
		last = c.by.End(end.Code != 0, end.Duration)
		if end.Signal != "" || end.Code != 0 && end.StdoutSize == 0 {
			last = inWords(*end) + "\n" + last
		}
		sign := []byte{'\n'}
		if _, err := raw.ReadAt(sign, end.StdoutSize-1); err == nil && sign[0] != '\n' {
			last = "\n" + last
		}
		end.Code = min(end.Code, 1)
	}
	cmd := exec.Command(c.by.Convert[0], c.by.Convert[1:]...)
	cmd.Stdin, cmd.Stdout = io.MultiReader(raw, strings.NewReader(last)), wrote
	return cmp.Or(cmd.Run(), wrote.Close())
}
