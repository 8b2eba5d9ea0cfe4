package agent

import (
	"cmp"
	"fmt"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// How much of a text is shown, in bytes before quoting.
const (
	nameLimit    = 200
	lineLimit    = 300
	insideLimit  = 500
	messageLimit = 500
	outputLimit  = 1000
	mostSigns    = 40 // trials of a strip
)

// nothing is a quoted text in which there is nothing to see.
const nothing = `""`

func quoteLine(s string, limit int) string { return standing.Quote(text.CutLine(text.Line(s), limit)) }

func quoteBlock(s string, limit int) string {
	return standing.Quote(text.Cut(strings.Trim(text.Block(s), " \t\n"), limit))
}

// verdict is what came of the run, without a word from a test.
func verdict(e *envelope.Envelope) string {
	h := standing.HeadlineOf(e)
	line := fmt.Sprintf("verdict: %s; exit %d", h, e.Gate.ExitCode)
	if says := standing.GateWords(e); says != "" {
		line += ", " + says
	}
	if below := h.Below(); below != "" {
		line += "\nalso: " + below
	}
	return line + "\n"
}

// headline is a test with its numbers, and under it why it has its verdict.
func headline(t *envelope.Test, g standing.Group) string {
	word := standing.Mark(t.Status)
	if g == standing.Flaky {
		word = "FLAKY"
	}
	s := fmt.Sprintf("%s %s %d/%d passed", word, quoteLine(t.Key.RunnerName(), nameLimit), t.Trials.Passed, t.Trials.Counted)
	if r := t.Rate.PerProtocol; r != nil {
		s += fmt.Sprintf(", rate %.3f (%.3f to %.3f)", r.Value, r.Lo, r.Hi)
	}
	if n := t.Trials.Total - t.Trials.Counted; n > 0 {
		s += fmt.Sprintf(", %d not counted", n)
	}
	if len(t.Rows.Outcome) > 0 {
		s += ", trials " + strip(t.Rows.Outcome)
	}
	if t.CostLimited {
		s += ", cost limit reached"
	}
	if t.Quarantined {
		s += ", quarantined"
	}
	if t.Excused() {
		s += " and excused"
	}
	if at := quoteLine(standing.DefinedAt(t), nameLimit); at != nothing {
		s += ", at " + at
	}
	if owners := standing.Owners(t); owners != "" {
		s += "\n  owned: " + quoteLine(owners, nameLimit)
	}
	if reason := quoteLine(t.Verdict.Reason, lineLimit); reason != nothing {
		s += "\n  reason: " + reason
	}
	return s + "\n"
}

// strip is the outcomes of the trials, of many the first and the last.
func strip(all envelope.Outcomes) string {
	if len(all) <= mostSigns {
		return all.String()
	}
	return all[:mostSigns/2].String() + "..." + all[len(all)-mostSigns/2:].String()
}

// said is what trials said in the words that are quoted already.
func said(w *standing.Why, quoted string) string {
	s := "  " + words.Plural(w.Trials, "trial", "trials")
	if w.Detail != nil {
		s = fmt.Sprintf("  trial %d", w.Detail.Trial+1)
		if w.Trials > 1 {
			s += " and " + words.Plural(w.Trials-1, "other", "others")
		}
	}
	s += " said"
	if w.Class != "" {
		s += " (class " + quoteLine(w.Class, nameLimit) + ")"
	}
	return s + ": " + quoted + "\n"
}

// problem is one that is an error or a warning.
func problem(p *envelope.Problem) string {
	s := p.Message
	if at := p.Position(); at != "" {
		s = at + ": " + s
	}
	line := fmt.Sprintf("problem %s: %s", p.Severity, quoteLine(s, lineLimit))
	if p.Count > 1 {
		line += fmt.Sprintf(", %d times", p.Count)
	}
	return line + "\n"
}

// tame are names that mean nothing to any shell between single quotes, and
// nothing to a reader but a name.
var tame = regex.Of(`^[A-Za-z0-9][A-Za-z0-9 _./:@,+()\[\]-]{0,150}$`)

// more is the command that shows more, of the first test whose name can be
// written into a command line without a thought.
func more(run string, tests []*envelope.Test) string {
	command := "more: tribunal report " + cmp.Or(run, "RUN.json")
	if len(tests) == 0 {
		return command + " -f json\n"
	}
	name := "suite/test"
	for _, t := range tests {
		if key := t.Key.RunnerName(); tame().MatchString(key) && text.Line(key) == key {
			name = key
			break
		}
	}
	return command + " --explain '" + name + "'\n"
}
