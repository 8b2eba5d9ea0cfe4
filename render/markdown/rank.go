package markdown

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/compare/rank"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// WriteRanking writes a ranking as one page. The error is that of the writer, or says
// that the limit is negative.
func WriteRanking(w io.Writer, r *rank.Ranking, o Options) error {
	if r == nil {
		return errors.New("markdown: no ranking to write")
	}
	title := "Ranking"
	if r.By != "" {
		title += " by " + code(r.By, titleLimit)
	}
	if r.Gate.ExitCode != 0 {
		title = fmt.Sprintf("%s (exit %d): %s", standing.Mark(r.Gate.Status), r.Gate.ExitCode, title)
	}
	parts := []*part{one(rankTitle, "## "+title+"\n\n", "title", "titles"),
		one(rankCounts, "**"+escape(text.Line(r.Sentence()))+"**\n\n", "summary", "summaries"), rankedVariants(r), missingTests(r), problems(r.Problems),
		one(rankMethod, "<sub>"+escape(text.Line(r.Words()))+"</sub>\n", "note", "notes")}
	return write(w, parts, r.Gate.Status, o)
}

func rankedVariants(r *rank.Ranking) *part {
	titles := []string{"Place", "Variant", r.Measure(), "Interval", "Can be", "P(best)", "Trials", "Cost per success", "Would tell"}
	if len(r.Variants) > 0 && r.Variants[0].HeadToHead != nil {
		titles = append(titles, "Head to head")
	}
	return &part{rank: rankAttention, n: len(r.Variants), open: table(titles...), close: "\n",
		noun: always("variant", "variants"), item: func(i int) string { return variantRow(r, &r.Variants[i]) }}
}

func variantRow(r *rank.Ranking, v *rank.Variant) string {
	cost := ""
	if v.CostUSD.OK {
		cost = words.Dollars(v.CostUSD.V)
		if v.Beaten.V {
			cost += " (beaten)"
		}
	}
	cells := []string{words.Count(v.Place), codeOr(v.Name, nameLimit, "no name"), r.Value(v.Mean.Value), strings.TrimSuffix(r.Value(v.Mean.Lo), " %") + " to " + r.Value(v.Mean.Hi),
		v.Places(), escape(words.Percent(v.IsBest)) + " %", r.Trials(v), escape(cost), rank.TellingWords(v.Telling)}
	if v.HeadToHead != nil {
		cells = append(cells, v.Duels())
	}
	return row(cells...)
}

// missingTests are those that are not ranked.
func missingTests(r *rank.Ranking) *part {
	shown := r.Missing[:min(len(r.Missing), rank.MostMissing)]
	end := "\n</details>\n\n"
	if more := len(r.Missing) - len(shown); more > 0 {
		end = fmt.Sprintf("- and %d more\n", more) + end
	}
	return &part{rank: rankDetails, n: len(shown), open: fmt.Sprintf("<details><summary>Not ranked: %s</summary>\n\n", words.Plural(len(r.Missing), "test", "tests")), close: end,
		noun: always("test that is not ranked", "tests that are not ranked"),
		item: func(i int) string {
			m := &shown[i]
			var without []string
			for _, name := range m.Without {
				without = append(without, codeOr(cmp.Or(name, "(no name)"), nameLimit, "no name"))
			}
			return "- " + codeOr(m.Key.String(), nameLimit, "no name") + " not tried by " + strings.Join(without, ", ") + "\n"
		}}
}
