package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

func one(rank int, s string, one, many string) *part {
	return &part{rank: rank, n: 1, item: func(int) string { return s }, noun: always(one, many)}
}

// title is the gate and what was run.
func title(e *envelope.Envelope) *part {
	s := fmt.Sprintf("## %s (exit %d)", standing.Mark(e.Gate.Status), e.Gate.ExitCode)
	if says := standing.GateWords(e); says != "" {
		s += ", " + says
	}
	name := code(e.Run.Name, titleLimit)
	if name == "" {
		name = code(e.Run.ID, titleLimit)
	}
	if name != "" {
		s += ": " + name
	}
	if commit := code(e.Run.Commit, titleLimit); commit != "" {
		s += " at " + commit
	}
	return one(rankTitle, s+"\n\n", "title", "titles")
}

// counts is the run in numbers.
func counts(e *envelope.Envelope) *part {
	s := &e.Summary
	lines := []string{countOfTests(s), countOfTrials(&s.Trials)}
	if words := spent(&e.Run.Header, s); words != "" {
		lines = append(lines, words)
	}
	if judge := standing.Judge(s); judge != "" {
		lines = append(lines, "Judge: "+judge, "Corrected: "+standing.Corrected(s))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Votes)) {
		lines = append(lines, "Votes on "+codeOr(name, nameLimit, "a check")+": "+standing.Votes(s.Votes[name]))
	}
	if tools := code(standing.StepsUsed(s), lineLimit); tools != "" {
		lines = append(lines, "Tools: "+tools)
	}
	for _, saved := range []struct{ word, words string }{{"Saved", standing.Saved(s, plainCount, usd)},
		{"Beyond", standing.Beyond(s, plainCount, usd)}, {"Unneeded", standing.EarlySaves(s, plainCount, usd)}} {
		if saved.words != "" {
			lines = append(lines, saved.word+": "+saved.words)
		}
	}
	return one(rankCounts, strings.Join(lines, "<br>\n")+"\n\n", "summary", "summaries")
}

// countOfTests is the number of tests by status. Passed and failed are always
// told, the others when there are any.
func countOfTests(s *envelope.Summary) string {
	line := fmt.Sprintf("**%s**: %s", words.Plural(s.Tests, "test", "tests"), standing.Counts(s))
	return line
}

// mostClasses is how many classes of excluded trials are told apart.
const mostClasses = 8

func countOfTrials(t *envelope.TrialCounts) string {
	line := words.Plural(t.Total, "trial", "trials")
	if t.Planned.OK && t.Planned.V != int64(t.Total) {
		line += fmt.Sprintf(" of %d planned", t.Planned.V)
	}
	line += fmt.Sprintf(", %d counted, %d passed", t.Counted, t.Passed)
	var parts []string
	for i, class := range slices.Sorted(maps.Keys(t.Excluded)) {
		if i == mostClasses {
			parts = append(parts, words.Plural(len(t.Excluded)-mostClasses, "other class", "other classes"))
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", t.Excluded[class], codeOr(class, titleLimit, "without a class")))
	}
	if len(parts) > 0 {
		line += "; not counted: " + strings.Join(parts, ", ")
	}
	return line
}

// spent lists time, money and tokens as far as they are known. Two dollar signs
// in a line would be a formula.
func spent(h *envelope.Header, s *envelope.Summary) string {
	var parts []string
	if s.DurationMS.OK {
		parts = append(parts, tenths(s.DurationMS.V))
	}
	if s.CostUSD.OK {
		parts = append(parts, usd(s.CostUSD.V))
	}
	if s.Tokens.OK {
		parts = append(parts, fmt.Sprintf("%d tokens", s.Tokens.V))
	}
	if setup := standing.RunSetup(h, tenths, usd); setup != "" {
		parts = append(parts, setup)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Spent: " + strings.Join(parts, ", ")
}

func tenths(ms float64) string { return fmt.Sprintf("%.1f s", ms/1000) }

func usd(v float64) string { return fmt.Sprintf("%.4f USD", v) }

func plainCount(n int64) string { return strconv.FormatInt(n, 10) }

// reasons say why the gate is what it is.
func reasons(g *envelope.Gate) *part {
	all := g.Words()
	return &part{rank: rankReasons, n: len(all), close: "\n", noun: always("reason", "reasons"),
		item: func(i int) string { return "- " + codeOr(all[i], lineLimit, "no words") + "\n" }}
}

func gates(g *envelope.Gate) *part {
	return &part{rank: rankGates, n: len(g.Gates), close: "\n", noun: always("gate", "gates"),
		open: table("Gate", "Name", "Expression", "Saw"),
		item: func(i int) string {
			r := &g.Gates[i]
			return row(standing.Mark(r.Status), code(r.Name, nameLimit), code(r.Expr, nameLimit), code(r.Saw, nameLimit))
		}}
}

// rates are the pass rates of the run.
func rates(s *envelope.Summary) *part {
	var rows []string
	add := func(r *envelope.Rate, of string) {
		if r != nil {
			rows = append(rows, row(percent(r.Value)+" %", interval(r.Lo, r.Hi), of+", "+codeOr(r.Method, titleLimit, "interval")+" "+words.Level(r.Confidence)))
		}
	}
	if s.Like != nil && s.Like.Rate != nil {
		add(s.Rate.PerProtocol, "these tests: trials that counted (per protocol)")
		of := "tests like these"
		if weigh := standing.Weigh(s); weigh != "" {
			of += ": " + weigh
		}
		add(s.Like.Rate, of)
	} else {
		add(s.Rate.PerProtocol, "trials that counted (per protocol)")
	}
	add(s.Rate.IntentToTreat, "with those that were excluded as failed (intent to treat)")
	if b := s.Rate.Bracket; b != nil && b.Lo != b.Hi {
		rows = append(rows, row("", interval(b.Lo, b.Hi), "had all that were excluded failed, or passed (bracket)"))
	}
	if c := s.Clusters; c != nil {
		add(c.Rate, "clustered by "+codeOr(c.By, titleLimit, "nothing"))
	}
	return &part{rank: rankRates, n: len(rows), open: table("Pass rate", "Interval", "Of"), close: "\n",
		item: func(i int) string { return rows[i] }, noun: always("pass rate", "pass rates")}
}

// table is the head of a table.
func table(titles ...string) string {
	return row(titles...) + strings.Repeat("| --- ", len(titles)) + "|\n"
}

// row is a row of cells that are escaped already.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
