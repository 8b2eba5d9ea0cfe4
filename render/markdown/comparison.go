package markdown

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/compare"
	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// How many tests of a comparison are listed before room is looked at.
const (
	mostChanged = 500
	mostMaybe   = 20
)

// WriteComparison writes a comparison as one page. The error is that of the
// writer, or says that the limit is negative.
func WriteComparison(w io.Writer, c *compare.Comparison, o Options) error {
	if c == nil {
		return errors.New("markdown: no comparison to write")
	}
	return write(w, comparisonParts(c), c.Gate.Status, o)
}

func comparisonParts(c *compare.Comparison) []*part {
	parts := []*part{comparisonTitle(c), {rank: rankReasons, n: len(c.Gate.Reasons), close: "\n", noun: always("reason", "reasons"),
		item: func(i int) string { return "- " + codeOr(c.Gate.Reasons[i], lineLimit, "no words") + "\n" }}}
	for i := range c.Contrasts {
		x := &c.Contrasts[i]
		shown, hidden := x.Shown(mostChanged, mostMaybe)
		parts = append(parts, contrastHead(c, x, compare.Hidden(hidden)), changes(c, shown), insideTests(shown), singles("Gone", x.Gone), singles("New", x.New))
	}
	return append(parts, problems(c.Problems), one(rankMethod, "<sub>"+escape(c.Settings.Words())+"</sub>\n", "note", "notes"))
}

func comparisonTitle(c *compare.Comparison) *part {
	s := fmt.Sprintf("## %s (exit %d): ", standing.Mark(c.Gate.Status), c.Gate.ExitCode)
	if c.By != "" {
		s += code(c.By, titleLimit) + " "
	}
	var names []string
	for i := range c.Contrasts {
		names = append(names, codeOr(c.Contrasts[i].Candidate.Name, titleLimit, "candidate"))
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(c.Contrasts)-most))
	}
	return one(rankTitle, s+strings.Join(names, ", ")+" against "+codeOr(c.Base.Name, titleLimit, "base")+"\n\n", "title", "titles")
}

// contrastHead is one candidate in numbers.
func contrastHead(c *compare.Comparison, x *compare.Contrast, hidden string) *part {
	var lines []string
	if len(c.Contrasts) > 1 {
		lines = append(lines, "### "+codeOr(x.Candidate.Name, titleLimit, "candidate")+"\n")
	}
	lines = append(lines, fmt.Sprintf("**%s**: %s<br>", words.Plural(x.Summary.Tests, "test", "tests"), x.Summary.Tally()))
	run := "**Run**: "
	if x.Run.Difference != nil {
		run = "**Run " + escape(strings.ToUpper(string(x.Run.State))) + "**: "
	}
	lines = append(lines, run+escape(x.Run.Sentence()))
	if scores := x.Run.ScoreWords(); scores != "" {
		lines[len(lines)-1] += "<br>"
		lines = append(lines, "**Score**: "+escape(scores))
	}
	for _, m := range []struct {
		word string
		of   *compare.Measurement
		unit func(float64) string
		test func(*compare.Test) *compare.Measurement
	}{{"Time", x.Run.DurationMS, seconds, compare.Took}, {"Cost", x.Run.CostUSD, dollars, compare.Paid}} {
		if m.of != nil {
			lines[len(lines)-1] += "<br>"
			lines = append(lines, fmt.Sprintf("**%s**: typically %s before, %s now: %s (p %s)%s", m.word, m.unit(m.of.Base), m.unit(m.of.Candidate), escape(m.of.Relative()), pValue(m.of.PValue), m.of.ApartFrom()+escape(x.SureWords(m.test))))
		}
	}
	if stands := x.StandsWords(); stands != "" {
		lines[len(lines)-1] += "<br>"
		lines = append(lines, escape(stands))
	}
	for _, line := range x.InsideWords() {
		lines[len(lines)-1] += "<br>"
		lines = append(lines, escape(line))
	}
	if hidden != "" {
		lines[len(lines)-1] += "<br>"
		lines = append(lines, "Not listed: "+hidden)
	}
	return one(rankCounts, strings.Join(lines, "\n")+"\n\n", "summary", "summaries")
}

func seconds(ms float64) string { return fmt.Sprintf("%.3g s", ms/1000) }

func dollars(usd float64) string { return fmt.Sprintf("%.3g USD", usd) }

func pValue(p envelope.Opt[float64]) string {
	if !p.OK {
		return "?"
	}
	return fmt.Sprintf("%.3g", p.V)
}

// changes is the table of tests, what matters first.
func changes(c *compare.Comparison, tests []*compare.Test) *part {
	titles := []string{"State", "Test", "Base", "Candidate", "Points", words.Level(c.Settings.Confidence) + " interval", "p", "Newly", "Time", "Cost"}
	scored := slices.ContainsFunc(tests, func(t *compare.Test) bool { return t.Scores != nil })
	if scored {
		titles = append(titles, "Score")
	}
	return &part{rank: rankAttention, n: len(tests), open: table(titles...), close: legend(c, tests),
		noun: func(i int) noun {
			state := cmp.Or(string(tests[i].State), "not run")
			return noun{state + " test", state + " tests"}
		},
		item: func(i int) string { return changeRow(tests[i], scored) }}
}

// insideTests says of tests what changed within their trials.
func insideTests(tests []*compare.Test) *part {
	told := slices.DeleteFunc(slices.Clone(tests), func(t *compare.Test) bool { return len(t.InsideWords()) == 0 })
	return &part{rank: rankDetails, n: len(told), open: "<details><summary>Inside their trials</summary>\n\n", close: "\n</details>\n\n",
		noun: always("test from inside", "tests from inside"),
		item: func(i int) string {
			s := "- " + codeOr(told[i].Key.String(), nameLimit, "no name") + "\n"
			for _, line := range told[i].InsideWords() {
				s += "  - " + escape(line) + "\n"
			}
			return s
		}}
}

// legend explains the signs in the table.
func legend(c *compare.Comparison, tests []*compare.Test) string {
	signs := compare.Legend(tests, c.Settings, true)
	if len(signs) == 0 {
		return "\n"
	}
	return "\n<sub>" + escape(strings.Join(signs, " · ")) + "</sub>\n\n"
}

func changeRow(t *compare.Test, scored bool) string {
	between := ""
	if t.Difference != nil {
		between = t.Difference.Interval()
	}
	cells := []string{t.State.Word(), t.Points(), between, t.DecidingP(), t.Newly, t.DurationMS.Relative(), t.CostUSD.Relative()}
	if scored {
		cells = append(cells, t.ScorePoints())
	}
	for i := range cells {
		cells[i] = escape(cells[i])
	}
	name := codeOr(t.Key.String(), nameLimit, "no name")
	return row(append([]string{cells[0], name, t.Compared(t.Base.Trials), t.Compared(t.Candidate.Trials)}, cells[1:]...)...)
}

// singles are tests that only one side has.
func singles(word string, tests []compare.Single) *part {
	return &part{rank: rankDetails, n: len(tests), open: fmt.Sprintf("<details><summary>%s: %d</summary>\n\n", word, len(tests)), close: "\n</details>\n\n",
		noun: always(strings.ToLower(word)+" test", strings.ToLower(word)+" tests"),
		item: func(i int) string {
			t := &tests[i]
			return fmt.Sprintf("- %s %d/%d %s\n", standing.Mark(t.Status), t.Passed, t.N, codeOr(t.Key.String(), nameLimit, "no name"))
		}}
}
