package pytest

import (
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/trialfields"
	"tribunal/read/internal/wholerun"
)

// Tests numbers the trials of each test and takes the suffixes of pytest-repeat
// off their names: [2-5], or -2-5 behind other parameters. Parameters of the
// test itself may look the same. They are told apart by the marks of the test,
// and where these say nothing, by whether all of 1 to N are there: until then
// the trials wait.
type Tests struct {
	to       *wholerun.Watch
	broken   bool // a file could not be collected
	attempts trialfields.Attempts
	trial    envelope.Trial          // the one that is delivered
	waiting  map[envelope.Key]*group // by the name without the suffix
	order    []envelope.Key
}

// group are trials that may be repeats of one test.
type group struct {
	of     int // N
	trials []envelope.Trial
	whole  []string // their names as they are
	seen   map[int]bool
}

// maxRepeats is the largest N that is taken for a number of repeats.
const maxRepeats = 1_000_000

// NewTests returns Tests that deliver to a sink.
func NewTests(to envelope.Sink) *Tests {
	return &Tests{to: &wholerun.Watch{Sink: to}, waiting: map[envelope.Key]*group{}}
}

// Trial numbers a trial and delivers it, now or later. Marks says whether the
// test has a mark.
func (ts *Tests) Trial(t envelope.Trial, marks func(name string) bool) {
	ts.broken = ts.broken || t.Test == fileTest && t.Status == envelope.Error
	stem, i, n, ok := repeat(t.Test)
	if !ok {
		ts.deliver(t)
		return
	}
	whole := t.Test
	t.Test = stem
	if marks("repeat") || !marks("parametrize") {
		ts.deliver(t)
		return
	}
	g := ts.waiting[t.Key]
	if g == nil || g.of != n {
		ts.release(t.Key, false)
		g = &group{of: n, seen: map[int]bool{}}
		ts.waiting[t.Key] = g
		ts.order = append(ts.order, t.Key)
	}
	if t.Status == envelope.Pass {
		t.Output = "" // nobody asks for it, and many may wait
	}
	t.Output = strings.Clone(t.Output) // without what lies beside it
	g.trials, g.whole = append(g.trials, t), append(g.whole, whole)
	if g.seen[i] = true; len(g.seen) == n && t.RawStatus != "rerun" {
		ts.release(t.Key, true)
	}
}

// Finish delivers what waits, under the names as they are.
func (ts *Tests) Finish() {
	for _, key := range ts.order {
		ts.release(key, false)
	}
	ts.order = nil
}

func (ts *Tests) release(key envelope.Key, repeats bool) {
	g := ts.waiting[key]
	if g == nil {
		return
	}
	delete(ts.waiting, key)
	for i := range g.trials {
		if !repeats {
			g.trials[i].Test = g.whole[i]
		}
		ts.deliver(g.trials[i])
	}
}

func (ts *Tests) deliver(t envelope.Trial) {
	ts.trial = t
	ts.trial.Attempt = ts.attempts.Next(t.Key)
	ts.to.Trial(&ts.trial)
}

// repeat splits name[i-n] and name[p-i-n] with i from 1 to n, n at least 2.
func repeat(name string) (stem string, i, n int, ok bool) {
	head, found := strings.CutSuffix(name, "]")
	open := strings.IndexByte(head, '[')
	if !found || open < 1 {
		return "", 0, 0, false
	}
	head, last, found := cutLast(head, '-')
	if !found || len(head) <= open {
		return "", 0, 0, false
	}
	from := strings.LastIndexAny(head[open:], "[-") + open
	i, n = number(head[from+1:]), number(last)
	if i < 1 || n < 2 || i > n || n > maxRepeats {
		return "", 0, 0, false
	}
	if from == open {
		return head[:open], i, n, true
	}
	return head[:from] + "]", i, n, true
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	at := strings.LastIndexByte(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+1:], true
}

// number is a decimal number as pytest-repeat writes it, -1 for anything else.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s {
		return -1
	}
	return n
}
