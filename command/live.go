package command

import (
	"cmp"
	"fmt"
	"time"

	"tribunal/envelope"
	"tribunal/internal/run/driver"
	"tribunal/internal/run/runner"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/pretty"
)

// live tells people how a run goes, on standard error: a line for each test that
// ends, with -v for each trial, and on a terminal below them the open tests, drawn
// again as they go on.
type live struct {
	verbose   bool
	quiet     bool
	watched   driver.Watch
	began     time.Time
	limit     envelope.Opt[float64]
	timed     bool                             // trials have a time limit
	look      pretty.Live                      // colours
	pairs     bool                             // tests end under two variants together
	halves    map[envelope.Key]runner.Progress // of these, the first that ended; of the goroutine that drives
	reminders map[int]reminder                 // by slot; of the goroutine that follows
	*drawing
}

// reminder is a trial that somebody who sees no view may be told of.
type reminder struct {
	since time.Time
	next  time.Duration // its age when it is named again
}

func newLive(env Env, verbose, quiet bool, r *driver.Run) *live {
	l := &live{drawing: newDrawing(env), verbose: verbose, quiet: quiet, began: time.Now(), limit: r.Plan.Limits.MaxCostUSD,
		timed: r.Timeout > 0, pairs: r.Plan.Pairs != nil}
	l.watched.Trial, l.watched.Test, l.watched.Say, l.watched.Advise = l.trial, l.test, l.message, l.advise
	l.reminders, l.halves = map[int]reminder{}, map[envelope.Key]runner.Progress{}
	switch {
	case l.size != nil:
		env.StdoutWidth, _ = env.StderrSize()
		color, err := colored(env, "auto")
		l.look = pretty.Live{Color: err == nil && color, ASCII: !unicodeLocale(env)}
		const redrawRun = 200 * time.Millisecond
		l.keepLooking(time.Tick(redrawRun), l.draw)
	case !quiet:
		const lookForSlow = 5 * time.Second // the time between two looks at what runs where no view is drawn
		l.keepLooking(time.Tick(lookForSlow), func(now time.Time) { l.remind(now, l.watched.Snapshot(0).Running) })
	}
	return l
}

// liveSize is the size in which a live view is drawn, looked up whenever it is: the
// window may have another one meanwhile. It is nil where nobody looks, in CI, and on
// terminals that cannot go back.
func liveSize(env Env) func() (columns, rows int) {
	if ci := env.Getenv("CI"); ci != "" && ci != "false" || env.Getenv("TERM") == "dumb" || env.StderrSize == nil {
		return nil
	}
	said := columns(env)
	return func() (int, int) {
		columns, rows := env.StderrSize()
		if said > 0 {
			columns = min(columns, said)
		}
		return columns, rows
	}
}

// remind names the trials that run for long, in a log where nothing else tells that they
// do: after a minute, and whenever that has doubled.
func (l *live) remind(now time.Time, running []driver.Running) {
	for _, r := range running {
		s := l.reminders[r.Slot]
		if !s.since.Equal(r.Since) {
			s = reminder{since: r.Since, next: pretty.SlowTrial}
		}
		if age := now.Sub(r.Since); age >= s.next {
			hint := words.If(s.next == pretty.SlowTrial && !l.timed, "; --timeout DURATION stops such a trial")
			for s.next <= age {
				s.next *= 2
			}
			l.line(fmt.Sprintf("%-6s %s  running for %s%s", "SLOW", text.Line(nameOf(r)),
				words.Duration(float64(age.Milliseconds())), hint))
		}
		l.reminders[r.Slot] = s
	}
}

func nameOf(r driver.Running) string {
	switch {
	case r.Tests == 1:
		return r.Key.RunnerName()
	case r.Tests == 0:
		return "the first start"
	case r.Key.Suite != "":
		suite, _ := r.Key.RunnerSuite()
		return fmt.Sprintf("%s (%d tests)", suite, r.Tests)
	}
	return fmt.Sprintf("all %d tests", r.Tests)
}

func (l *live) draw(now time.Time) {
	lines := l.picture(now).Lines()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.screen.draw(append(lines, "")...) // the cursor stands below, where what is typed breaks no line
}

func (l *live) picture(now time.Time) pretty.Live {
	p := l.look
	p.Width, p.Height = l.size()
	seen := l.watched.Snapshot(max(1, p.Height))
	p.Ended, p.All, p.Trials, p.Running = seen.Totals.Ended, seen.Totals.Tests, seen.Totals.Counted, len(seen.Running)
	p.Left = max(0, seen.Totals.Planned-seen.Totals.Saved-seen.Totals.Counted)
	p.SpentUSD, p.LimitUSD, p.Elapsed = seen.Totals.SpentUSD, l.limit, now.Sub(l.began)
	for _, o := range seen.Open {
		p.Tests = append(p.Tests, pretty.LiveTest{Name: o.Key.RunnerName(), Strip: o.Strip, Passed: o.Passed, Counted: o.Counted,
			InFlight: o.Running, Passes: o.Passes, Failures: o.Failures, Certain: o.Certain, Left: max(0, o.Trials-o.Counted), SpentUSD: o.SpentUSD})
	}
	if len(seen.Running) > 0 {
		p.Slowest, p.SlowestRuns = nameOf(seen.Running[0]), now.Sub(seen.Running[0].Since)
	}
	return p
}

func (l *live) message(words string) { l.line("tribunal: " + text.Line(words)) }

// advise says what somebody who asked for quiet has no need to know.
func (l *live) advise(words string) {
	if !l.quiet {
		l.message(words)
	}
}

func (l *live) line(s string) { l.say("%s\n", s) }

func (l *live) trial(p runner.Progress, t *envelope.Trial) {
	if !l.verbose {
		return
	}
	l.line(fmt.Sprintf("  %-5s %s #%d", t.Status, text.Line(p.Key.RunnerName()), t.Attempt.V+1) +
		words.If(t.DurationMS.OK, "  "+words.Duration(t.DurationMS.V)) + words.If(t.ErrorClass != "", "  "+text.Line(t.ErrorClass)))
}

func (l *live) test(p runner.Progress, e runner.End) {
	if l.quiet {
		return
	}
	if l.pairs {
		l.half(p, e)
		return
	}
	rate := words.If(p.Counted > 0, fmt.Sprintf("%d/%d passed, ", p.Passed, p.Counted))
	cost := words.If(p.SpentUSD > 0, "  "+words.Dollars(p.SpentUSD))
	end := cmp.Or(words.If(e.Status == envelope.Skip, "skipped"), how[e.How])
	mark := pretty.Mark(e.Status)
	if p.Counted+p.Excluded+p.Skipped == 0 && (e.How == runner.CutShort || e.How == runner.Time || e.How == runner.Cost) {
		mark = "NOT RUN"
	}
	l.line(fmt.Sprintf("%-6s %s  %s%s%s", mark, text.Line(p.Key.RunnerName()), rate, end, cost))
}

// half tells the end of a test under two variants, when it has ended under the second.
func (l *live) half(p runner.Progress, e runner.End) {
	test := p.Key
	test.Variant = ""
	first, there := l.halves[test]
	if !there {
		l.halves[test] = p
		return
	}
	delete(l.halves, test)
	line := "PAIRS  " + text.Line(test.RunnerName()) + " "
	for _, side := range []runner.Progress{first, p} {
		line += fmt.Sprintf(" %s %d/%d passed,", text.Line(side.Key.Variant), side.Passed, side.Counted)
	}
	spent := first.SpentUSD + p.SpentUSD
	l.line(line + " " + how[e.How] + words.If(spent > 0, "  "+words.Dollars(spent)))
}

var how = map[runner.How]string{
	runner.Decided: "decided", runner.Early: "no further trial can change it", runner.Full: "all its trials",
	runner.Cost: "the cost limit was reached", runner.Time: "the time limit was reached",
	runner.Infrastructure: "too many trials failed for infrastructure reasons", runner.NoSetup: "the setup of the run failed",
	runner.CheckFailed: "its command or check failed, or printed no trial of it; see the report", runner.CutShort: "the run was stopped",
}
