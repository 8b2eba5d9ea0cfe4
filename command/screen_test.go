package command

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/run/driver"
	"tribunal/render/pretty"
)

// glass is a terminal that somebody resizes. It keeps lines as they were written;
// where they break is a matter of its columns of now. One that cuts forgets what a
// smaller window has no room for, as xterm does.
type glass struct {
	columns, rows int
	cuts          bool
	lines         [][]string // characters
	line, at      int        // of the cursor
}

// breaks are where the rows of a line begin: a character that has no room left goes to
// the next one.
func (w *glass) breaks(line []string) []int {
	begins, used := []int{0}, 0
	for i, c := range line {
		wide := displaywidth.String(c)
		if used += wide; used > w.columns {
			begins, used = append(begins, i), wide
		}
	}
	return begins
}

func (w *glass) row() (begins []int, row int) {
	begins = w.breaks(w.lines[w.line])
	for row+1 < len(begins) && begins[row+1] <= w.at {
		row++
	}
	return begins, row
}

func (w *glass) up() {
	above := 0 // rows, until the cursor
	for _, line := range w.lines[:w.line] {
		above += len(w.breaks(line))
	}
	all := above
	for _, line := range w.lines[w.line:] {
		all += len(w.breaks(line))
	}
	begins, row := w.row()
	switch {
	case above+row <= all-w.rows: // the first row that is seen
	case row > 0:
		w.at = begins[row-1]
	default:
		w.line--
		begins = w.breaks(w.lines[w.line])
		w.at = begins[len(begins)-1]
	}
}

var sequence = regexp.MustCompile(`^\x1b\[([0-9;]*)([A-Za-z])`)

func (w *glass) Write(b []byte) (int, error) {
	if w.lines == nil {
		w.lines = [][]string{nil}
	}
	for s := string(b); s != ""; {
		if m := sequence.FindStringSubmatch(s); m != nil {
			s = s[len(m[0]):]
			switch n, _ := strconv.Atoi(m[1]); m[2] {
			case "A":
				for range n {
					w.up()
				}
			case "J":
				w.lines = w.lines[:w.line+1]
				w.lines[w.line] = w.lines[w.line][:w.at]
			case "m":
			default:
				return 0, fmt.Errorf("the terminal does not know %q", m[0])
			}
			continue
		}
		g := displaywidth.StringGraphemes(s)
		g.Next()
		s = s[len(g.Value()):]
		switch g.Value() {
		case "\r":
			begins, row := w.row()
			w.at = begins[row]
		case "\n":
			w.line, w.at = w.line+1, 0
			if w.line == len(w.lines) {
				w.lines = append(w.lines, nil)
			}
		default:
			w.lines[w.line] = append(w.lines[w.line][:w.at], g.Value())
			w.at++
		}
	}
	return len(b), nil
}

func (w *glass) resize(columns, rows int) {
	w.columns, w.rows = columns, rows
	for i, line := range w.lines {
		if begins := w.breaks(line); w.cuts && len(begins) > 1 {
			w.lines[i] = line[:begins[1]]
		}
	}
	w.at = min(w.at, len(w.lines[w.line]))
}

func (w *glass) text() string {
	var all []string
	for _, line := range w.lines {
		all = append(all, strings.Join(line, ""))
	}
	return strings.Join(all, "\n")
}

func (w *glass) env(variables ...string) Env {
	return Env{Stderr: w, StderrSize: func() (int, int) { return w.columns, w.rows }, Getenv: func(name string) string {
		if slices.Contains(variables, name) {
			return "set"
		}
		return ""
	}}
}

// TestAViewIsDrawnOverInAnotherSize: whatever somebody does to the window, what was said
// above the view stays, and of the view there is one.
func TestAViewIsDrawnOverInAnotherSize(t *testing.T) {
	for _, c := range []struct {
		name, variable string
		cuts           bool
	}{{"a terminal that wraps", "", false}, {"xterm", "XTERM_VERSION", true}, {"GNU screen", "STY", true}} {
		t.Run(c.name, func(t *testing.T) {
			w := &glass{columns: 140, rows: 200, cuts: c.cuts}
			s := newScreen(w.env(c.variable))
			view := pretty.Live{Height: 30, Ended: 1, All: 61, Trials: 12, Elapsed: time.Minute}
			for i := range 60 {
				view.Tests = append(view.Tests, pretty.LiveTest{Name: fmt.Sprintf("agent/%d 返金を求めるお客様 and a name as long as names are", i), Passed: i, Counted: i + 3, Passes: 9, Failures: 2,
					Strip: slices.Repeat([]envelope.Outcome{envelope.Passed}, i%20)})
			}
			said := ""
			for i, columns := range []int{140, 60, 140, 33, 41, 80, 200, 40, 61} {
				line := fmt.Sprintf("said %d\n", i)
				if i > 0 {
					w.resize(columns, 200)
				}
				view.Width = columns
				lines := view.Lines()
				s.draw(append(lines, "")...)
				if got, want := w.text(), said+strings.Join(lines, "\n")+"\n"; got != want {
					t.Fatalf("%d columns:\n%s\nwant\n%s", columns, got, want)
				}
				s.above("%s", line)
				said += line
				s.draw(append(lines, "")...)
			}
			s.erase()
			if got := w.text(); got != said {
				t.Errorf("at the end:\n%s\nwant\n%s", got, said)
			}
		})
	}
}

// TestATerminalInAnother: what a terminal of today runs in says nothing of how it wraps.
func TestATerminalInAnother(t *testing.T) {
	if w := (&glass{}); newScreen(w.env("TMUX", "XTERM_VERSION")).cuts {
		t.Error("tmux in an xterm is taken for an xterm")
	}
}

// TestTheLineOfAReportInASmallerWindow: it is drawn in the columns of now, over all that it takes there.
func TestTheLineOfAReportInASmallerWindow(t *testing.T) {
	w := &glass{columns: 140, rows: 24}
	b := count.NewBuilder(5, 0.5)
	env := w.env()
	p := &progress{drawing: newDrawing(env), builder: b, start: time.Unix(0, 0)}
	p.keepLooking(nil, p.draw)
	p.bytes.Add(5)
	p.draw(time.Unix(1, 0))
	if got, want := w.text(), "0 trials, 0/s | 0 tests so far: 0 pass, 0 fail, 0 mixed | 1s | 5 B"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	w.resize(20, 24)
	p.draw(time.Unix(1, 0))
	if got, want := w.text(), "0 trials, 0/s | 0 t"; got != want {
		t.Errorf("20 columns: %q, want %q", got, want)
	}
	p.done()
	if got := w.text(); got != "" {
		t.Errorf("%q is left", got)
	}
}

// TestTheViewOfARunFollowsTheWindow: its size is looked up at each drawing.
func TestTheViewOfARunFollowsTheWindow(t *testing.T) {
	w := &glass{columns: 140, rows: 24}
	env := w.env()
	l := &live{drawing: newDrawing(env), began: time.Unix(0, 0)}
	for columns, want := range map[int]string{140: "waiting for the first output · 0 trials · 0 running · 1.0 s\n", 40: "waiting for the first output · 0 trials\n", 12: "waiting fo…\n"} {
		if w.lines != nil {
			w.resize(columns, 24)
		}
		w.columns = columns
		l.draw(time.Unix(1, 0))
		if got := w.text(); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
	l.line("a verdict")
	l.draw(time.Unix(1, 0))
	l.screen.erase()
	if got, want := w.text(), "a verdict\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSlowTrialsAreNamedInALog: a trial that hangs is named after a minute, and again
// when its age has doubled; the next one in its slot begins anew.
func TestSlowTrialsAreNamedInALog(t *testing.T) {
	var log strings.Builder
	l := &live{drawing: &drawing{screen: screen{w: &log}}, reminders: map[int]reminder{}}
	began := time.Unix(0, 0)
	hangs := driver.Running{Key: envelope.Key{Suite: "agent", Test: "refund"}, Tests: 1, Slot: 2, Since: began}
	for s := 0; s <= 300; s += 5 {
		l.remind(began.Add(time.Duration(s)*time.Second), []driver.Running{hangs})
	}
	next := began.Add(400 * time.Second)
	for i, r := range []driver.Running{{Key: envelope.Key{Suite: "cart"}, Tests: 3}, {Tests: 7}, {}} {
		r.Slot, r.Since = 2+i, next
		l.remind(next.Add(59*time.Second), []driver.Running{r})
		l.remind(next.Add(61*time.Second), []driver.Running{r})
	}
	if got, want := log.String(), `SLOW   agent/refund  running for 1m00s; --timeout DURATION stops such a trial
SLOW   agent/refund  running for 2m00s
SLOW   agent/refund  running for 4m00s
SLOW   cart (3 tests)  running for 1m01s; --timeout DURATION stops such a trial
SLOW   all 7 tests  running for 1m01s; --timeout DURATION stops such a trial
SLOW   the first start  running for 1m01s; --timeout DURATION stops such a trial
`; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}
