package pretty

import (
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// The bounds of the parts about tests that did not pass. The json report has all
// that was kept.
const (
	mostFailures = 20 // tests of a part, unless the table lists more than usual
	mostVoices   = 3  // different messages of a test
	messageLines = 3  // lines of a message
	wrappedLines = 3  // lines one of these takes on the screen
	outputLines  = 4  // last lines of an output
)

func (r *report) part(title string, tests []*envelope.Test, more int, word string, statuses ...envelope.Status) {
	written, last, most := 0, false, mostFailures
	if r.rows > DefaultRows { // somebody asked for more
		most = r.rows
	}
	for _, t := range tests {
		if !slices.Contains(statuses, t.Status) {
			continue
		}
		switch {
		case written == most:
			more++
			continue
		case written == 0:
			r.heading(title)
		}
		written++
		r.explained[t] = true
		voices := voices(t)
		brief := saidInALine(t, voices)
		if written == 1 || !brief || !last {
			r.line("")
		}
		last = brief
		if brief {
			verdict := r.verdictOf(t)
			r.text(r.ink.of(t.Status).Render(verdict), spaces(verdict), r.name(t).paint(&r.canvas)+"  "+r.ink.faint.Render(r.reason(t)), 4)
		} else {
			r.failure(t, voices)
		}
	}
	if more > 0 && written > 0 {
		r.line("")
		r.more("", more, "more "+word+" test", false)
	}
}

func (r *report) failure(t *envelope.Test, voices []voice) {
	verdict := r.verdictOf(t)
	r.text(r.ink.of(t.Status).Render(verdict), spaces(verdict), r.name(t).paint(&r.canvas), 4)
	bar := r.ink.of(t.Status).UnsetBold().Render(r.sign.bar) + " "
	about := []string{r.field(standing.DefinedAt(t)), r.field(standing.Owners(t)), r.field(t.Verdict.Reason), r.pValues(t.Verdict), r.pastWords(t)}
	about = append(about, each.Of(standing.Inside(t), r.field)...)
	for _, s := range words.Present(about...) {
		r.text(bar, bar, r.ink.faint.Render(s), wrappedLines)
	}
	for _, v := range voices[:min(len(voices), mostVoices)] {
		r.voice(bar, v)
	}
	r.more(bar, len(voices)-mostVoices, "other message", true)
}

func (r *report) verdictOf(t *envelope.Test) string {
	return pad(standing.MarkOf(r.e, t), 6, false) + "  "
}

// saidInALine reports whether the reason of the test is enough: no text was kept, or the same few
// words of all trials.
func saidInALine(t *envelope.Test, voices []voice) bool {
	const few = 24 // bytes
	switch {
	case t.Verdict.PAdjusted.OK, t.Quarantine != nil, t.Owners != nil, changed(t), isNew(t), len(standing.Inside(t)) > 0:
		return false
	case len(voices) == 0:
		return true
	case len(voices) > 1 || t.Status == envelope.Inconclusive:
		return false
	}
	v := &voices[0]
	return t.File == "" && v.output == "" && v.run == "" && v.class == "" && len(v.message) <= few && len(firstLines(v.message, 2)) <= 1
}

func (r *report) pValues(v *envelope.Verdict) string {
	if !v.PAdjusted.OK {
		return ""
	}
	return "p " + words.Around("", standing.IfKnown("", v.PValue, words.Probability), ", ") + "adjusted " +
		words.Probability(v.PAdjusted.V) + words.Around(" (", r.field(r.e.Policy.Adjust), ")")
}

// DefaultRows is how many tests the table lists unless asked otherwise. A run of
// as many is listed whole, of a longer one the first of what is not a plain pass.
const DefaultRows = 200

var groupNames = [standing.Groups]string{"failing", "errored", "inconclusive", "quarantined", "flaky", "passing", "skipped"}

type listing struct {
	shown   []*envelope.Test
	leftOut [standing.Groups]int
}

func list(tests []envelope.Test, most int) listing {
	var found [standing.Groups][]*envelope.Test
	var l listing
	for i := range tests {
		g := standing.GroupOf(&tests[i])
		if len(found[g]) < most {
			found[g] = append(found[g], &tests[i])
		} else {
			l.leftOut[g]++
		}
	}
	for g, some := range found {
		room := most - len(l.shown)
		if len(tests) > most && (standing.Group(g) == standing.Passed || standing.Group(g) == standing.Skipped) {
			room = 0
		}
		room = min(room, len(some))
		l.shown = append(l.shown, some[:room]...)
		l.leftOut[g] += len(some) - room
	}
	return l
}

func (l listing) rest() string {
	var parts []string
	total := 0
	for g, n := range l.leftOut {
		if n > 0 {
			parts = append(parts, words.Count(n)+" "+groupNames[g])
			total += n
		}
	}
	if total == 0 {
		return ""
	}
	last := len(parts) - 1
	words := parts[last]
	if last > 0 {
		words = strings.Join(parts[:last], ", ") + " and " + words
	}
	if total == 1 {
		return "and " + words + " test not listed"
	}
	return "and " + words + " tests not listed"
}

// How many errors, how many warnings and how many notes are listed.
const (
	mostProblems = 10
	mostNotes    = 3
)

func (r *canvas) problems(list []envelope.Problem) {
	if len(list) == 0 {
		return
	}
	r.heading("Problems")
	r.listProblems(list, envelope.SeverityError, mostProblems, r.ink.err)
	r.listProblems(list, envelope.SeverityWarning, mostProblems, r.ink.flag)
	r.listProblems(list, envelope.SeverityInfo, mostNotes, r.ink.faint)
}

func (r *canvas) listProblems(list []envelope.Problem, severity envelope.Severity, most int, ink interface{ Render(...string) string }) {
	word := pad(severity.Word(), len(envelope.SeverityWarning), false) + "  "
	listed, more := 0, 0
	for _, p := range list {
		if p.Severity.Word() != severity.Word() {
			continue
		}
		if listed == most {
			more++
			continue
		}
		listed++
		s := r.field(p.Message)
		if at := r.field(p.Position()); at != "" {
			s = at + ": " + s
		}
		s += words.If(p.Count > 1, " ("+r.sign.times+words.Count(p.Count)+")")
		r.text(ink.Render(word), spaces(word), s, 4)
	}
	r.more(spaces(word), more, "more "+severity.Word(), false)
}

type voice struct {
	trials  []int  // 0-based
	run     string // where there are several
	class   string
	message string
	output  string // of the first of the trials
}

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
