package markdown

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

func one(rank int, s string, one, many string) *part {
	return &part{rank: rank, n: 1, item: func(int) string { return s }, noun: always(one, many)}
}

func title(e *envelope.Envelope) *part {
	return one(rankTitle, "## "+standing.HeadlineOf(e, quoted).String()+"\n\n", "title", "titles")
}

func quoted(s string) string { return code(s, lineLimit) }

// next is the last line: the command to go on with.
func next(e *envelope.Envelope, c standing.Commands) *part {
	says := each.Of(c.Next(e), func(command string) string { return code(command, outputLimit) })
	return one(rankTitle, words.Around("Next: ", strings.Join(says, " · "), "\n"), "command", "commands")
}

func about(e *envelope.Envelope) *part {
	says, h := strings.Join(aboutLines(e), "<br>\n")+"\n\n", standing.HeadlineOf(e, quoted)
	for _, v := range h.Variants {
		says += "- " + code(v.Name, nameLimit) + ": " + v.Says + "\n"
	}
	says += words.If(h.MoreVariants > 0, "- and "+words.Plural(h.MoreVariants, "more variant", "more variants")+"\n")
	return one(rankCounts, strings.TrimRight(says, "\n")+"\n\n", "summary", "summaries")
}

func aboutLines(e *envelope.Envelope) []string {
	s := &e.Summary
	run := words.Join(" ", codeOr(e.Run.Name, titleLimit, code(e.Run.ID, titleLimit)), words.Around("at ", code(e.Run.Commit, titleLimit)))
	first := words.Join(", ", run, fmt.Sprintf("exit %d", e.Gate.ExitCode), standing.GateWords(e))
	lines := words.Present(first, standing.HeadlineOf(e, quoted).Below())
	if judge := standing.Judge(s); judge != "" {
		lines = append(lines, "Judge: "+judge, "Corrected: "+standing.Corrected(s, false))
	}
	lines = append(lines, each.Of(slices.Sorted(maps.Keys(s.Votes)), func(name string) string {
		return "Votes on " + codeOr(name, nameLimit, "a check") + ": " + standing.Votes(s.Votes[name], false)
	})...)
	return append(lines, each.Of(standing.AskedMetrics(e), func(line string) string { return "Metric: " + code(line, lineLimit) })...)
}

// method is behind a click: how the pass rate is counted, what was used and saved, metrics.
func method(e *envelope.Envelope) *part {
	s := &e.Summary
	trials := words.If(s.Trials.Planned.OK && s.Trials.Planned.V != int64(s.Trials.Total),
		fmt.Sprintf("%d of %d planned", s.Trials.Total, s.Trials.Planned.V))
	lines := words.Join("<br>\n", words.Around("Trials: ", trials), words.Around("Corrected: ", escape(standing.Corrected(s, true))),
		words.Around("Votes on ", words.ByName(s.Votes, func(name string, v envelope.VoteParts) string {
			return codeOr(name, nameLimit, "a check") + ": " + standing.Votes(v, true)
		})),
		words.Around("Spent: ", escape(standing.Spent(&e.Run.Header, s))),
		words.Around("Tools: ", code(standing.StepsUsed(s), lineLimit)), words.Around("Saved: ", escape(standing.Saved(s))),
		words.Around("Uncounted: ", escape(standing.Beyond(s))), words.Around("Unneeded: ", escape(standing.EarlySaves(s))))
	says := words.Around("", lines, "\n\n") + rates(s) + metrics(e.Metrics)
	if says == "" {
		return &part{rank: rankMethod}
	}
	return one(rankMethod, "<details><summary>Method</summary>\n\n"+says+"</details>\n\n", "part on the method", "parts on the method")
}

func causes(e *envelope.Envelope) *part {
	title, first, more := standing.Causes(e)
	p := &part{rank: rankReasons, n: len(first), open: "### " + title + "\n\n", close: "\n", noun: always("cause", "causes"),
		item: func(i int) string {
			return fmt.Sprintf("- %s: %s\n", words.Plural(first[i].Tests, "test", "tests"), code(standing.CauseLabel(e, &first[i]), lineLimit))
		}}
	if more > 0 {
		p.close = "- and " + words.Plural(more, "more cause", "more causes") + "\n\n"
	}
	return p
}

func reasons(g *envelope.Gate) *part {
	all := standing.Reasons(g)
	return &part{rank: rankReasons, n: len(all), close: "\n", noun: always("reason", "reasons"),
		item: func(i int) string { return "- " + codeOr(all[i], lineLimit, "no words") + "\n" }}
}

func gates(g *envelope.Gate) *part {
	return &part{rank: rankGates, n: len(g.Gates), close: "\n", noun: always("gate", "gates"),
		open: table("Gate", "Name", "Expression", "Saw"),
		item: func(i int) string {
			r := &g.Gates[i]
			mark := standing.Mark(r.Status)
			return row(mark, code(r.Name, nameLimit), code(r.Expr, nameLimit), code(r.Saw, nameLimit))
		}}
}

func rates(s *envelope.Summary) string {
	var rows []string
	add := func(r *envelope.Rate, of string) {
		if r != nil {
			rows = append(rows, row(percent(r.Value)+" %", interval(r.Lo, r.Hi), of+", "+codeOr(r.Method, titleLimit, "interval")+" "+
				words.Level(r.Confidence)))
		}
	}
	if s.Like != nil && s.Like.Rate != nil {
		add(s.Rate.PerProtocol, "these tests: trials that counted (per protocol)")
		add(s.Like.Rate, "similar tests: "+standing.SimilarTo(s.Like))
	} else {
		add(s.Rate.PerProtocol, "trials that counted (per protocol)")
	}
	add(s.Rate.IntentToTreat, "with excluded trials counted as failed (intent to treat)")
	if b := s.Rate.Bracket; b != nil && b.Lo != b.Hi {
		rows = append(rows, row("", interval(b.Lo, b.Hi), "if all excluded trials had failed, or passed (bracket)"))
	}
	return words.If(len(rows) > 0, table("Pass rate", "Interval", "Of")+strings.Join(rows, "")+"\n")
}

func table(titles ...string) string {
	return row(titles...) + strings.Repeat("| --- ", len(titles)) + "|\n"
}

func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

func matrix(e *envelope.Envelope) *part {
	rows := slices.DeleteFunc(standing.ByName(e.Tests), func(of []envelope.Test) bool { return len(of) < 2 })
	variants := standing.Variants(rows)
	p := &part{rank: rankMatrix, n: len(rows), close: "\n", noun: always("row of the matrix", "rows of the matrix")}
	const mostVariants = 12
	if len(variants) > mostVariants {
		s := "### Variants\n\n" + words.Plural(len(variants), "variant", "variants") + " are too many to show side by side.\n\n"
		return one(rankMatrix, s, "remark on variants", "remarks on variants")
	}
	titles := each.Of(variants, func(v string) string { return codeOr(v, titleLimit, "(no variant)") })
	p.open = "### Variants\n\n" + table(append([]string{"Test"}, titles...)...)
	p.item = func(i int) string { return matrixRow(e, rows[i], variants) }
	return p
}

func matrixRow(e *envelope.Envelope, tests []envelope.Test, variants []string) string {
	cells := make([]string, 1+len(variants))
	cells[0] = codeOr(envelope.Key{Suite: tests[0].Suite, Test: tests[0].Test}.RunnerName(), nameLimit, "(no name)")
	for i := range tests {
		t := &tests[i]
		at, _ := slices.BinarySearchFunc(variants, t.Variant, envelope.CompareNames)
		cells[1+at] = standing.MarkOf(e, t) + " " + passedOf(t)
	}
	return row(cells...)
}

const mostWhys = 3 // different reasons of a test

func details(e *envelope.Envelope, tests []*envelope.Test) *part {
	tests = slices.DeleteFunc(slices.Clone(tests), func(t *envelope.Test) bool {
		return len(why.Spoken(e, t)) == 0 && len(standing.Inside(t)) == 0 && t.Owners == nil
	})
	return &part{rank: rankDetails, n: len(tests), open: "### Details\n\n", noun: always("detail", "details"),
		item: func(i int) string { return detail(e, tests[i]) }}
}

func detail(e *envelope.Envelope, t *envelope.Test) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<details><summary>%s %s</summary>\n\n", standing.MarkOf(e, t), name(t))
	about := []string{code(standing.DefinedAt(t), nameLimit), code(standing.Owners(t), nameLimit), code(standing.Reason(t), lineLimit)}
	about = append(about, each.Of(standing.Inside(t), func(s string) string { return code(s, lineLimit) })...)
	for _, s := range words.Present(about...) {
		b.WriteString(s + "\n\n")
	}
	whys := why.Spoken(e, t)
	for _, w := range whys[:min(len(whys), mostWhys)] {
		message, output := fence(w.Whole(), outputLimit), ""
		if w.Detail != nil {
			output = fence(w.Detail.Output, outputLimit)
		}
		message = cmp.Or(message, "No message.\n\n")
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
func who(t *envelope.Test, w *why.Reason) string {
	s, run := words.Plural(w.Trials, "trial", "trials"), ""
	if w.Detail != nil {
		if s += fmt.Sprintf(", such as trial %d", w.Detail.Trial+1); w.Trials == 1 {
			s = fmt.Sprintf("Trial %d", w.Detail.Trial+1)
		}
		if t.SeveralRuns() {
			run = w.Detail.Run
		}
	}
	return s + words.Around(" (", words.Join(", ", code(run, nameLimit), code(w.Class, nameLimit)), ")")
}
