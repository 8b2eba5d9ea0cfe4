package markdown

import (
	"cmp"
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// problems lists them, errors before warnings before notes.
func problems(all []envelope.Problem) *part {
	rank := func(p envelope.Problem) int {
		switch p.Severity {
		case envelope.SeverityError:
			return 0
		case envelope.SeverityWarning:
			return 1
		}
		return 2
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b envelope.Problem) int { return cmp.Compare(rank(a), rank(b)) })
	words := [...]string{"error", "warning", "note"}
	return &part{rank: rankProblems, n: len(all), open: "### Problems\n\n", close: "\n", noun: always("problem", "problems"),
		item: func(i int) string { return problem(words[rank(all[i])], all[i]) }}
}

func problem(word string, p envelope.Problem) string {
	s := "- " + word + ": "
	if at := code(p.Position(), nameLimit); at != "" {
		s += at + " "
	}
	s += codeOr(p.Message, lineLimit, "no words")
	if p.Count > 1 {
		s += fmt.Sprintf(" (%d times)", p.Count)
	}
	return s + "\n"
}

// metrics is the table of the metrics of the run.
func metrics(all []envelope.Metric) string {
	if len(all) == 0 {
		return ""
	}
	s := table("Metric", "Value", "Mean", "Interval", "Tests", "Note")
	for i := range all {
		s += metricRow(&all[i])
	}
	return s + "\n"
}

func metricRow(m *envelope.Metric) string {
	between := ""
	if m.Lo.OK && m.Hi.OK {
		between = words.Decimal(m.Lo.V) + " to " + words.Decimal(m.Hi.V)
	}
	return row(code(standing.MetricName(m), nameLimit), optional(m.Value), optional(m.Mu), between,
		fmt.Sprintf("%d/%d", m.TestsUsed, m.TestsTotal), code(m.Note, lineLimit))
}

func optional(v envelope.Opt[float64]) string {
	if !v.OK {
		return ""
	}
	return words.Decimal(v.V)
}
