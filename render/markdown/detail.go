package markdown

import (
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

const mostWhys = 3 // different reasons of a test

// details are what is known of each test that did not simply pass, each behind
// a click.
func details(e *envelope.Envelope, tests []*envelope.Test) *part {
	tests = slices.DeleteFunc(slices.Clone(tests), func(t *envelope.Test) bool {
		return len(standing.Spoken(e, t)) == 0 && len(standing.Inside(t)) == 0 && t.Owners == nil
	})
	return &part{rank: rankDetails, n: len(tests), open: "### Details\n\n", noun: always("detail", "details"),
		item: func(i int) string { return detail(e, tests[i]) }}
}

func detail(e *envelope.Envelope, t *envelope.Test) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s %s</summary>\n\n", standing.Mark(t.Status), name(t))
	about := []string{code(standing.DefinedAt(t), nameLimit), code(standing.Owners(t), nameLimit), code(t.Verdict.Reason, lineLimit)}
	for _, s := range standing.Inside(t) {
		about = append(about, code(s, lineLimit))
	}
	for _, s := range about {
		if s != "" {
			b.WriteString(s + "\n\n")
		}
	}
	whys := standing.Spoken(e, t)
	for _, w := range whys[:min(len(whys), mostWhys)] {
		message, output := fence(w.Whole(), outputLimit), ""
		if w.Detail != nil {
			output = fence(w.Detail.Output, outputLimit)
		}
		if message == "" {
			message = "No message.\n\n"
		}
		b.WriteString(who(t, &w) + ":\n\n" + message)
		if output != "" {
			b.WriteString("Output:\n\n" + output)
		}
	}
	if more := len(whys) - mostWhys; more > 0 {
		b.WriteString("And " + words.Plural(more, "other reason", "other reasons") + ".\n\n")
	}
	b.WriteString("</details>\n\n")
	return b.String()
}

// who says how many trials have a reason, as in `2 trials, such as trial 3 (shard-1, timeout)`.
func who(t *envelope.Test, w *standing.Why) string {
	s, run := words.Plural(w.Trials, "trial", "trials"), ""
	if w.Detail != nil {
		if s += fmt.Sprintf(", such as trial %d", w.Detail.Trial+1); w.Trials == 1 {
			s = fmt.Sprintf("Trial %d", w.Detail.Trial+1)
		}
		if t.SeveralRuns() {
			run = w.Detail.Run
		}
	}
	about := slices.DeleteFunc([]string{code(run, nameLimit), code(w.Class, nameLimit)}, func(s string) bool { return s == "" })
	if len(about) > 0 {
		s += " (" + strings.Join(about, ", ") + ")"
	}
	return s
}
