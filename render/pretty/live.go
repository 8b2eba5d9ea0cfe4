package pretty

import (
	"fmt"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// Live is a run that starts its trials, at a moment: what somebody sees of it who
// waits.
type Live struct {
	Tests         []LiveTest // open ones, nearest to their verdict first
	Decided, All  int        // tests
	Trials        int        // that count
	Running       int
	SpentUSD      envelope.Opt[float64]
	LimitUSD      envelope.Opt[float64]
	Elapsed       time.Duration
	Slowest       string // of what runs
	SlowestRuns   time.Duration
	Width, Height int
	Color, ASCII  bool
}

// LiveTest is an open test.
type LiveTest struct {
	Name                      string
	Strip                     []envelope.Outcome // its last trials
	Passed, Counted, InFlight int
	// Passes and Failures are the fewest further ones after which it is decided, 0
	// where there is no such number.
	Passes, Failures int
	SpentUSD         float64
}

// SlowTrial is how long a trial runs before it is called slow.
const SlowTrial = time.Minute

// narrowest is the width below which the totals alone are drawn: a line that is
// wrapped cannot be drawn over.
const narrowest = 40

// Columns of a line of an open test.
const (
	liveStrip  = 20 // outcomes at most
	liveNeeds  = 34 // "12 more passes or 5 failures"
	liveTotals = 9  // "123/456"
)

// Lines draws the run: a line for each open test, as many as the height has room
// for, and one of totals at the end.
func (l Live) Lines() []string {
	k, s := newInks(l.Color), unicodeSigns
	if l.ASCII {
		s = asciiSigns
	}
	room := max(0, l.Height-2) // one for the totals, one for the cursor
	tests, left := l.Tests, 0
	switch {
	case room == 0 || l.Width < narrowest:
		tests = nil
	case len(tests) > room:
		tests, left = tests[:max(0, room-1)], len(tests)-max(0, room-1)
	}
	name := 0
	for _, t := range tests {
		name = max(name, terminal.String(text.Line(t.Name)))
	}
	strip, needs := l.Width >= 48, l.Width >= 84
	fixed := 2 + liveTotals + 3
	if strip {
		fixed += liveStrip + 2
	}
	if needs {
		fixed += liveNeeds + 2 + len("$1,234.56")
	}
	name = max(4, min(name, l.Width-fixed))
	var lines []string
	for _, t := range tests {
		lines = append(lines, l.testLine(t, name, strip, needs, k, s))
	}
	if left > 0 {
		lines = append(lines, k.faint.Render(fmt.Sprintf("  and %d more open", left)))
	}
	return append(lines, l.totals(k, s))
}

func (l Live) testLine(t LiveTest, name int, strip, needs bool, k inks, s signs) string {
	line := "  " + pad(cutMiddle(text.Line(t.Name), name, s.ellipsis), name, false)
	if strip {
		line += "  " + pad(liveStripOf(t, k, s), liveStrip, false)
	}
	line += "  " + pad(fmt.Sprintf("%d/%d", t.Passed, t.Counted), liveTotals, true)
	if needs {
		line += "  " + k.faint.Render(pad(needed(t), liveNeeds, false))
		if t.SpentUSD > 0 {
			line += words.Dollars(t.SpentUSD)
		}
	}
	return strings.TrimRight(line, " ")
}

// liveStripOf draws the last trials of a test, and those that run.
func liveStripOf(t LiveTest, k inks, s signs) string {
	running := min(t.InFlight, 4)
	of := t.Strip
	if most := liveStrip - running; len(of) > most {
		of = of[len(of)-most:]
	}
	var b strings.Builder
	for _, o := range of {
		ink := k.faint
		switch o {
		case envelope.Passed:
			ink = k.pass.UnsetBold()
		case envelope.Failed:
			ink = k.fail.UnsetBold()
		case envelope.Errored:
			ink = k.err.UnsetBold()
		}
		b.WriteString(ink.Render(s.outcomes[o]))
	}
	return b.String() + k.faint.Render(strings.Repeat(s.running, running))
}

// needed says what would decide a test.
func needed(t LiveTest) string {
	switch {
	case t.Passes > 0 && t.Failures > 0:
		return fmt.Sprintf("%d more passes or %s", t.Passes, words.Plural(t.Failures, "failure", "failures"))
	case t.Passes > 0:
		return words.Plural(t.Passes, "more pass", "more passes")
	case t.Failures > 0:
		return words.Plural(t.Failures, "more failure", "more failures")
	}
	return ""
}

// totals is the last line.
func (l Live) totals(k inks, s signs) string {
	parts := []string{fmt.Sprintf("%d/%d decided", l.Decided, l.All)}
	if l.All == 0 {
		parts = []string{"waiting for the first output"}
	}
	parts = append(parts, words.Plural(l.Trials, "trial", "trials"))
	switch {
	case l.SpentUSD.OK && l.LimitUSD.OK:
		parts = append(parts, words.Dollars(l.SpentUSD.V)+" of "+words.Dollars(l.LimitUSD.V))
	case l.SpentUSD.OK:
		parts = append(parts, words.Dollars(l.SpentUSD.V))
	}
	parts = append(parts, fmt.Sprintf("%d running", l.Running), words.Duration(float64(l.Elapsed.Milliseconds())))
	said := cut(strings.Join(parts, s.dot), max(1, l.Width-1), s.ellipsis)
	line := k.strong.Render(said)
	if room := l.Width - 1 - width(said) - width(s.dot); l.SlowestRuns >= SlowTrial && room > len("SLOW 99m59s") {
		line += s.dot + k.flag.Render(cut("SLOW "+words.Duration(float64(l.SlowestRuns.Milliseconds()))+" "+text.Line(l.Slowest), room, s.ellipsis))
	}
	return line
}
