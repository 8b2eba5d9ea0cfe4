package pretty

import (
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// voice is what one or more trials of a test said in the same words.
type voice struct {
	trials  []int  // 0-based
	run     string // where there are several
	class   string
	message string
	output  string // of the first of the trials
}

// voices gathers the kept texts of trials that did not pass, equal ones in one.
func voices(t *envelope.Test) []voice {
	var all []voice
	several := t.SeveralRuns()
	for i := range t.Details {
		d := &t.Details[i]
		if o := outcome(t, d); o == envelope.Passed || o == envelope.Skipped || d.Message == "" && d.Output == "" && d.ErrorClass == "" {
			continue
		}
		same := func(v voice) bool {
			return v.message == d.Message && v.class == d.ErrorClass && (v.run == d.Run || !several)
		}
		if at := indexLast(all, same); at >= 0 {
			all[at].trials = append(all[at].trials, d.Trial)
		} else {
			v := voice{trials: []int{d.Trial}, class: d.ErrorClass, message: d.Message, output: d.Output}
			if several {
				v.run = d.Run
			}
			all = append(all, v)
		}
	}
	return all
}

// indexLast looks among the last few voices only: thousands of kept texts must
// not be compared with each other.
func indexLast(all []voice, same func(voice) bool) int {
	const few = 16
	for i := len(all) - 1; i >= 0 && i >= len(all)-few; i-- {
		if same(all[i]) {
			return i
		}
	}
	return -1
}

func (r *report) voice(bar string, v voice) {
	who := r.who(v)
	lines := firstLines(v.message, messageLines+1)
	if len(lines) == 0 {
		r.text(bar, bar+"  ", r.ink.strong.Render(who), wrappedLines)
	}
	for i, line := range lines[:min(len(lines), messageLines)] {
		if i == 0 {
			r.text(bar, bar+"  ", r.ink.strong.Render(who+":")+" "+strings.TrimLeft(line, " "), wrappedLines)
		} else {
			r.text(bar+"  ", bar+"  ", line, wrappedLines)
		}
	}
	if len(lines) > messageLines {
		r.line(bar + "  " + r.sign.ellipsis)
	}
	r.output(bar, v.output)
}

func (r *report) who(v voice) string {
	const few = 8
	var named []string
	for i, trial := range v.trials {
		if i == few {
			named = append(named, r.sign.ellipsis)
			break
		}
		named = append(named, strconv.Itoa(trial+1))
	}
	s := "trial "
	if len(v.trials) > 1 {
		s = "trials "
	}
	return s + strings.Join(named, ", ") + words.Around(" (", words.Join(", ", r.field(v.run), r.field(v.class)), ")")
}

// output writes the last lines: what a program says before it dies tells most.
func (r *report) output(bar, s string) {
	lines, more := lastLines(s, outputLines)
	inset := bar + "    "
	if more {
		r.line(inset + r.ink.faint.Render(r.sign.ellipsis))
	}
	for _, line := range lines {
		room := max(r.limit-width(inset), minWidth/2)
		r.line(inset + r.ink.faint.Render(cut(line, room, r.sign.ellipsis)))
	}
}
