package markdown

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/block"
	"tribunal/internal/each"
	"tribunal/internal/text"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// WriteDocument writes a document as headings, sentences, lists and tables; charts are
// left out. The error is that of the writer, or says that the limit is negative.
func WriteDocument(w io.Writer, d *block.Document, o Options) error {
	var page []*part
	gate, title := envelope.Status(""), headingOf(d.Title, d.Named)
	if g := d.Gate; g != nil {
		gate = g.Status
		page = append(page, one(rankTitle, fmt.Sprintf("## %s (exit %d): %s\n\n", standing.Mark(gate), g.Exit, title), "title", "titles"),
			&part{rank: rankReasons, n: len(g.Reasons), close: "\n", noun: always("reason", "reasons"),
				item: func(i int) string { return "- " + codeOr(g.Reasons[i], lineLimit, "no words") + "\n" }})
	}
	if d.Next != "" {
		page = append(page, one(rankReasons, "Next: "+code(d.Next, lineLimit)+"\n\n", "command", "commands"))
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		if heading := headingOf(p.Title, d.Named); gate == "" || heading != title {
			page = append(page, documentHead(p, heading)...)
		}
		page = append(page, documentPart(p)...)
	}
	if len(d.Problems) > 0 {
		page = append(page, problems(d.Problems))
	}
	last := page[len(page)-1]
	last.close = strings.TrimSuffix(last.close, "\n")
	return write(w, page, gate, o)
}

// headingOf is a title; names that somebody chose stand in code.
func headingOf(title string, named bool) string {
	if named {
		return codeOr(title, titleLimit, "no title")
	}
	return escape(text.Line(title))
}

func documentHead(p *block.Part, heading string) []*part {
	if p.Folded {
		return nil
	}
	head := "## " + heading + "\n\n"
	if p.Remark != "" {
		head += escape(text.Line(strings.ToUpper(p.Remark[:1])+p.Remark[1:])) + ".\n\n"
	}
	return []*part{one(rankTitle, head, "heading", "headings")}
}

func documentPart(p *block.Part) (page []*part) {
	if facts := factLines(p.Summary); facts != "" {
		page = append(page, one(rankCounts, facts+"\n\n", "summary", "summaries"))
	}
	for _, b := range p.Blocks {
		switch b := b.(type) {
		case block.Text:
			if b.Detail {
				continue
			}
			p := one(rankCounts, sentence(b)+"\n", "sentence", "sentences")
			p.close = "\n"
			page = append(page, p)
		case *block.List:
			page = append(page, behindClick(b.Title, fmt.Sprint(len(b.Items)), listPart(b)))
		case *block.Table:
			page = append(page, tablePart(b))
		case *block.Bars:
			page = append(page, tablePart(barTable(b)))
		}
	}
	if p.Folded {
		for _, b := range page {
			behindClick(p.Title, p.Remark, b)
		}
	}
	if about := factLines(p.About); about != "" {
		last := one(rankMethod, "<sub>"+about+"</sub>\n", "note", "notes")
		last.close = "\n"
		page = append(page, last)
	}
	return page
}

func behindClick(title, remark string, p *part) *part {
	if title != "" {
		p.rank, p.open, p.close = rankDetails, "<details><summary>"+escape(text.Line(title))+": "+escape(text.Line(remark))+"</summary>\n\n"+
			p.open, p.close+"</details>\n\n"
	}
	return p
}

func factLines(facts []block.Fact) string {
	var lines []string
	for _, f := range facts {
		if f.Words == "" {
			continue
		}
		line := escape(text.Line(f.Words))
		for _, name := range slices.Backward(f.Names) {
			if name = code(name, titleLimit); name != "" {
				line = name + " · " + line
			}
		}
		if f.Label != "" {
			line = "**" + strings.TrimSpace(f.Label+" "+f.Mark) + "**: " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "<br>\n")
}

func sentence(t block.Text) string {
	s := code(t.Name, nameLimit) + t.Gap() + escape(text.Line(t.Words))
	for i, other := range t.Others {
		s += map[bool]string{true: " ", false: ", "}[i == 0] + codeOr(other, nameLimit, "(no name)")
	}
	if t.Mark != "" {
		return standing.Mark(t.Mark) + s
	}
	return s
}

func listPart(l *block.List) *part {
	return rowsPart(len(l.Items), 0, "", "", l.Noun, func(i int) string {
		s := "- " + sentence(l.Items[i]) + "\n"
		for _, under := range l.Items[i].Under {
			s += "  - " + escape(text.Line(under)) + "\n"
		}
		return s
	})
}

func rowsPart(n, more int, open, legend string, of block.Noun, item func(int) string) *part {
	if of.One == "" {
		of = block.Noun{One: "row", Many: "rows"}
	}
	const mostRows = 500
	shown := min(n, mostRows)
	if more += n - shown; more > 0 {
		legend = strings.TrimSpace(legend + " And " + words.Plural(more, "more "+of.One, "more "+of.Many) + ".")
	}
	p := &part{rank: rankAttention, n: shown, open: open, close: "\n", noun: always(of.One, of.Many), item: item}
	p.close += words.If(legend != "", "<sub>"+escape(text.Line(legend))+"</sub>\n\n")
	return p
}

func tablePart(t *block.Table) *part {
	var columns []int
	var titles, legend []string
	line := "|"
	for i, c := range t.Columns {
		if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[i] != "" }) {
			continue
		}
		columns, titles, line = append(columns, i), append(titles, escape(text.Line(c.Title))),
			line+map[bool]string{true: " --- |", false: " ---: |"}[c.Left]
		if c.Legend != "" {
			legend = append(legend, c.Legend)
		}
	}
	if t.Legend != "" {
		legend = append(legend, t.Legend)
	}
	return rowsPart(len(t.Rows), t.More, row(titles...)+line+"\n", strings.Join(legend, " "), t.Noun, func(i int) string {
		var cells []string
		for _, at := range columns {
			if cell := t.Rows[i][at]; !t.Columns[at].Name {
				cells = append(cells, escape(text.Line(cell)))
			} else {
				cells = append(cells, codeOr(cell, nameLimit, map[bool]string{true: "(no name)"}[at == 0]))
			}
		}
		return row(cells...)
	})
}

func barTable(b *block.Bars) *block.Table {
	return &block.Table{Columns: block.Columns(b.Of, "Power"), Rows: each.Of(b.Bars, func(bar block.Bar) []string {
		return []string{words.Count(bar.Number) + words.If(bar.Planned, " (planned)"), words.Percent(bar.Share) + " %"}
	})}
}

func problems(all []envelope.Problem) *part {
	rank := func(p envelope.Problem) int {
		return slices.Index([]string{"error", "warning", "note"}, p.Severity.Word())
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b envelope.Problem) int { return cmp.Compare(rank(a), rank(b)) })
	return &part{rank: rankProblems, n: len(all), open: "### Problems\n\n", close: "\n", noun: always("problem", "problems"),
		item: func(i int) string { return problem(all[i]) }}
}

func problem(p envelope.Problem) string {
	return "- " + p.Severity.Word() + ": " + words.Around("", code(p.Position(), nameLimit), " ") +
		codeOr(p.Message, lineLimit, "no words") + words.If(standing.Times(&p) > 1, fmt.Sprintf(" (%d times)", p.Count)) + "\n"
}

func metrics(all []envelope.Metric) string {
	if len(all) == 0 {
		return ""
	}
	s := table("Metric", "Value", "Mean", "Interval", "Tests", "Note")
	for i := range all {
		s += metricRow(&all[i])
	}
	return s + "\n<sub>Value: the estimate from these trials. Mean and Interval: the posterior (Bayesian); its prior pulls it, so the value " +
		"may be outside</sub>\n\n"
}

func metricRow(m *envelope.Metric) string {
	between := words.If(m.Lo.OK && m.Hi.OK, words.Decimal(m.Lo.V)+" to "+words.Decimal(m.Hi.V))
	return row(code(standing.MetricName(m), nameLimit), optional(m.Value), optional(m.Mu), between,
		fmt.Sprintf("%d/%d", m.TestsUsed, m.TestsTotal), code(m.Note, lineLimit))
}

func optional(v envelope.Opt[float64]) string { return v.Text("", words.Decimal) }

var nouns = [standing.Groups]noun{
	{"failed test", "failed tests"}, {"errored test", "errored tests"}, {"undecided test", "undecided tests"},
	{"quarantined test", "quarantined tests"}, {"flaky test", "flaky tests"}, {"passed test", "passed tests"},
	{"skipped test", "skipped tests"},
}

func sorted(tests []envelope.Test) (found [standing.Groups][]*envelope.Test) {
	for i := range tests {
		g := standing.GroupOf(&tests[i])
		found[g] = append(found[g], &tests[i])
	}
	standing.WorstFirst(found[standing.Failed])
	return found
}

func between(found [standing.Groups][]*envelope.Test, first, last standing.Group) []*envelope.Test {
	return slices.Concat(found[first : last+1]...)
}

func attention(e *envelope.Envelope, tests []*envelope.Test) *part {
	p := testTable(e, tests)
	p.rank = rankAttention
	return p
}

func folded(e *envelope.Envelope, found [standing.Groups][]*envelope.Test) *part {
	p := testTable(e, between(found, standing.Passed, standing.Skipped))
	p.rank = rankFolded
	counts := words.Some([]standing.Group{standing.Passed, standing.Skipped}, func(g standing.Group) string {
		return words.If(len(found[g]) > 0, words.Plural(len(found[g]), nouns[g].one, nouns[g].many))
	})
	p.open = "<details><summary>" + counts + "</summary>\n\n" + p.open
	p.close += "</details>\n\n"
	return p
}

func testTable(e *envelope.Envelope, tests []*envelope.Test) *part {
	further := standing.Further(e)
	return &part{n: len(tests), close: "\n<sub>Trials: " + standing.Letters + "</sub>\n\n",
		open: table("Verdict", "Test", "Passed", "Rate", "Interval", "Trials", "Reason"),
		item: func(i int) string { return testRow(e, tests[i], further) },
		noun: func(i int) noun { return nouns[standing.GroupOf(tests[i])] }}
}

func testRow(e *envelope.Envelope, t *envelope.Test, further func(*envelope.Test) string) string {
	rate, between := "", ""
	if r := t.Rate.PerProtocol; t.ByScore() {
		rate, between = standing.Judged(t)
	} else if r != nil {
		rate, between = percent(r.Value)+" %", interval(r.Lo, r.Hi)
	}
	why := code(cmp.Or(further(t), reason(e, t)), lineLimit)
	return row(verdict(e, t), name(t), passedOf(t), rate, between, strip(t.Rows.Outcome), why)
}

func verdict(e *envelope.Envelope, t *envelope.Test) string {
	s := standing.MarkOf(e, t)
	for _, flag := range []struct {
		on   bool
		word string
	}{{t.Flaky && t.KindOf() != envelope.KindLowScore, "flaky"}, {t.CostLimited, "cost limit"}, {t.Quarantined, "quarantined"}} {
		s += words.If(flag.on, ", "+flag.word)
	}
	return s
}

func name(t *envelope.Test) string { return codeOr(t.Key.RunnerName(), nameLimit, "(no name)") }

func passedOf(t *envelope.Test) string {
	return fmt.Sprintf("%d/%d", t.Trials.Passed, t.Trials.Counted)
}

const mostSigns = 40

func strip(all envelope.Outcomes) string {
	if len(all) <= mostSigns {
		return code(all.String(), mostSigns)
	}
	return code(all[:mostSigns/2].String(), mostSigns) + " … " + code(all[len(all)-mostSigns/2:].String(), mostSigns)
}

// reason is the most frequent one of its failing trials, and for a test without a
// decision, or when none said anything, what the rule said.
func reason(e *envelope.Envelope, t *envelope.Test) string {
	if t.Status == envelope.Inconclusive || t.Status == envelope.Pass {
		return standing.Reason(t)
	}
	whys := why.Spoken(e, t)
	switch {
	case len(whys) == 0 || text.Line(whys[0].Text()) == "":
		return standing.Reason(t)
	case t.Trials.Total == 1 || t.Status == envelope.Skip:
		return whys[0].Text()
	}
	return fmt.Sprintf("%d× %s", whys[0].Trials, whys[0].Text())
}
