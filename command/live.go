package command

import (
	"fmt"
	"io"
	"sync"

	"tribunal/driver"
	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/runner"
)

// live tells people how a run goes, on standard error: a line for each test that
// ends, and with -v for each trial.
type live struct {
	verbose bool
	mu      sync.Mutex
	w       io.Writer
	watched driver.Watch
}

func newLive(env Env, verbose bool, r *driver.Run) *live {
	l := &live{w: env.Stderr, verbose: verbose}
	l.watched = driver.Watch{Trial: l.trial, Test: l.test, Say: l.say}
	return l
}

func (l *live) watch() *driver.Watch { return &l.watched }

func (l *live) say(words string) { l.line("tribunal: " + text.Line(words)) }

func (l *live) line(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, s)
}

// trial tells a trial.
func (l *live) trial(p runner.Progress, t *envelope.Trial) {
	if !l.verbose {
		return
	}
	line := fmt.Sprintf("  %-5s %s #%d", t.Status, text.Line(p.Key.String()), t.Attempt.V+1)
	if t.DurationMS.OK {
		line += "  " + words.Duration(t.DurationMS.V)
	}
	if t.ErrorClass != "" {
		line += "  " + text.Line(t.ErrorClass)
	}
	l.line(line)
}

// test tells a verdict.
func (l *live) test(p runner.Progress, e runner.End) {
	l.line(fmt.Sprintf("%-12s %s  %d/%d passed, %s", e.Status, text.Line(p.Key.String()), p.Passed, p.Counted, how[e.How]))
}

var how = map[runner.How]string{
	runner.Decided: "decided", runner.Early: "no further trial can change it", runner.Full: "all its trials",
	runner.Cost: "the cost limit was reached", runner.Time: "the time of the run was over",
	runner.Infrastructure: "the infrastructure broke too many trials", runner.CheckFailed: "it could not be tried", runner.CutShort: "the run was stopped",
}

func (l *live) done() {}
