package pretty

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// Live is a run that starts its trials, at a moment: what somebody sees of it who waits.
type Live struct {
	Tests         []LiveTest // open ones, nearest to their verdict first
	Ended, All    int        // tests
	Trials, Left  int        // trials that count, and the most that are still to come
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
	// Passes and Failures are the fewest further ones after which it is decided, 0 where there is no such number.
	Passes, Failures int
	// Certain is a verdict that the Left trials do not change. It is failed where passes do
	// not count any more, and passed where failures do not.
	Certain  bool
	Left     int
	SpentUSD float64
}

// SlowTrial is how long a trial runs before it is called slow.
const SlowTrial = time.Minute

// Columns of a line of an open test.
const (
	liveGap        = 2
	liveStrip      = 20 // outcomes at most
	leastLiveStrip = 4  // below that, none
	liveName       = 24 // of a longer name, before the strip has all of its own
	leastLiveName  = 8
)

type liveColumns struct {
	name, strip, rate, needs, cost int
	wording                        wording
}

// wording is how much is said of what a test needs.
type wording int

const (
	inWords wording = iota
	inShort
	unsaid
)

// Lines draws the run: a line for each open test, as many as the height has room for, and one of totals at the end.
func (l Live) Lines() []string {
	k, s := newInks(l.Color), unicodeSigns
	if l.ASCII {
		s = asciiSigns
	}
	room := max(0, l.Height-2) // one for the totals, one for the cursor
	tests, left := l.Tests, 0
	const narrowest = 40 // the width below which the totals alone are drawn: a line that is wrapped cannot be drawn over
	switch {
	case room == 0 || l.Width < narrowest:
		tests = nil
	case len(tests) > room:
		tests, left = tests[:max(0, room-1)], len(tests)-max(0, room-1)
	}
	columns := columnsOf(tests, l.Width-1)
	var lines []string
	names := liveNames(tests, columns.name, s.ellipsis)
	for i, t := range tests {
		lines = append(lines, t.line(names[i], columns, k, s))
	}
	if left > 0 {
		lines = append(lines, k.faint.Render(fmt.Sprintf("  and %d more open", left)))
	}
	return append(lines, l.totals(k, s))
}

// columnsOf shares the width among the columns. What a test still needs says more than
// what it has done: where there is no room for all, the strip gives way first, then the
// name, then the words are fewer, and the cost is the last.
func columnsOf(tests []LiveTest, width int) liveColumns {
	name := 0
	for _, t := range tests {
		name = max(name, Width(t.Name))
	}
	var c liveColumns
	for _, less := range []struct {
		wording wording
		cost    bool
	}{{inWords, true}, {inShort, true}, {inShort, false}, {unsaid, false}} {
		c = liveColumns{wording: less.wording}
		room := width - liveGap // before the name
		for _, t := range tests {
			c.rate, c.needs = max(c.rate, len(t.rate())), max(c.needs, len(t.needed(less.wording)))
			if less.cost {
				c.cost = max(c.cost, len(t.cost()))
			}
		}
		for _, taken := range []int{c.rate, c.needs, c.cost} {
			if taken > 0 {
				room -= taken + liveGap
			}
		}
		strip := min(liveStrip, room-min(name, liveName)-liveGap)
		if strip >= leastLiveStrip && less.wording == inWords {
			c.strip = strip
			room -= strip + liveGap
		}
		c.name = min(name, room)
		if room >= min(name, leastLiveName) {
			break
		}
	}
	return c
}

// liveNames are the names of tests in n columns. Where what is left of them is the same, what they all begin with is left out as well.
func liveNames(tests []LiveTest, n int, ellipsis string) []string {
	cutFrom := func(from int, mark string) (names []string, different int) {
		seen := map[string]bool{}
		for _, t := range tests {
			name := text.Line(t.Name)
			if width(name) > n {
				name = mark + cutMiddle(name[from:], n-width(mark), ellipsis)
			}
			names = append(names, name)
			seen[name] = true
		}
		return names, len(seen)
	}
	names, different := cutFrom(0, "")
	if different == len(tests) {
		return names
	}
	if begun, more := cutFrom(sharedBeginning(tests), ellipsis); more > different {
		return begun
	}
	return names
}

func sharedBeginning(tests []LiveTest) (n int) {
	first := text.Line(tests[0].Name)
	for g := terminal.StringGraphemes(first); g.Next(); n += len(g.Value()) {
		if slices.ContainsFunc(tests, func(t LiveTest) bool { return !strings.HasPrefix(text.Line(t.Name), first[:n+len(g.Value())]) }) {
			break
		}
	}
	return n
}

func (t *LiveTest) line(name string, c liveColumns, k inks, s signs) string {
	gap := strings.Repeat(" ", liveGap)
	line := gap + pad(name, c.name, false)
	if c.strip > 0 {
		line += gap + pad(t.strip(c.strip, k, s), c.strip, false)
	}
	line += gap + pad(t.rate(), c.rate, true)
	if c.needs > 0 {
		line += gap + k.faint.Render(pad(t.needed(c.wording), c.needs, false))
	}
	if c.cost > 0 {
		line += gap + pad(t.cost(), c.cost, true)
	}
	return strings.TrimRight(line, " ")
}

func (t *LiveTest) rate() string { return fmt.Sprintf("%d/%d", t.Passed, t.Counted) }

func (t *LiveTest) cost() string { return words.If(t.SpentUSD != 0, words.Dollars(t.SpentUSD)) }

func (t *LiveTest) strip(room int, k inks, s signs) string {
	running := min(t.InFlight, 4)
	of := t.Strip
	if most := room - running; len(of) > most {
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

func (t *LiveTest) needed(w wording) string {
	switch {
	case w == unsaid:
	case t.Certain && t.Passes > 0:
		return "passed, " + strconv.Itoa(t.Left) + " left"
	case t.Certain && t.Failures > 0 && t.Left == 0:
		return "failed" // only a limit ends its trials
	case t.Certain && t.Failures > 0:
		return "failed, " + strconv.Itoa(t.Left) + " left"
	case t.Certain:
		return "undecided, " + strconv.Itoa(t.Left) + " left"
	case w == inShort:
		return words.Join("/", words.If(t.Passes > 0, fmt.Sprintf("%d pass", t.Passes)), words.If(t.Failures > 0, fmt.Sprintf("%d fail", t.Failures)))
	case t.Passes > 0 && t.Failures > 0:
		return words.Plural(t.Passes, "more pass", "more passes") + " or " + words.Plural(t.Failures, "failure", "failures")
	case t.Passes > 0:
		return words.Plural(t.Passes, "more pass", "more passes")
	case t.Failures > 0:
		return words.Plural(t.Failures, "more failure", "more failures")
	}
	return ""
}

func (l Live) totals(k inks, s signs) string {
	parts := []string{fmt.Sprintf("%d/%d tests done", l.Ended, l.All)}
	if l.All == 0 {
		parts = []string{"waiting for the first output"}
	}
	parts = append(parts, words.Plural(l.Trials, "trial", "trials"))
	if l.Left > 0 && l.Trials > 0 {
		left := float64(l.Elapsed.Milliseconds()) * float64(l.Left) / float64(l.Trials)
		parts = append(parts, fmt.Sprintf("at most %d more in %s", l.Left, words.Duration(left)))
	}
	switch {
	case l.SpentUSD.OK && l.LimitUSD.OK:
		parts = append(parts, words.Dollars(l.SpentUSD.V)+" of "+words.Dollars(l.LimitUSD.V))
	case l.SpentUSD.OK:
		parts = append(parts, words.Dollars(l.SpentUSD.V))
	}
	parts = append(parts, fmt.Sprintf("%d running", l.Running), words.Duration(float64(l.Elapsed.Milliseconds())))
	slow, room := "", l.Width-1
	if l.SlowestRuns >= SlowTrial {
		slow = "SLOW " + words.Duration(float64(l.SlowestRuns.Milliseconds())) + " " + text.Line(l.Slowest)
		room -= width(s.dot) + min(width(slow), len("SLOW 99m59s ")+leastLiveName)
	}
	said := strings.Join(parts, s.dot)
	for len(parts) > 1 && width(said) > room {
		parts = parts[:len(parts)-1]
		said = strings.Join(parts, s.dot)
	}
	line := k.strong.Render(cut(said, max(1, l.Width-1), s.ellipsis))
	if left := l.Width - 1 - width(said) - width(s.dot); slow != "" && left >= len("SLOW 99m59s") {
		line += s.dot + k.flag.Render(cut(slow, left, s.ellipsis))
	}
	return line
}
