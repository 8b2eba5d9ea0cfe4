package pretty

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render/internal/standing"
)

// Limits of the report. -v and the json report have more.
const (
	mostOpen     = 30 // most failing tests that are listed
	mostClosed   = 20 // if more tests passed or were skipped, none is listed
	mostWhys     = 3  // most reasons of a test
	outputsUntil = 3  // most failing tests for which output is shown
	mostNamed    = 10 // most trials of a reason that are named
)

func (r *report) answer() error {
	r.banner()
	byKind := map[envelope.Kind][]*envelope.Test{}
	open := 0
	for i := range r.e.Tests {
		t := &r.e.Tests[i]
		kind := standing.KindIn(r.e, t)
		byKind[kind] = append(byKind[kind], t)
		if kind.Red() {
			open++
		}
	}
	r.causes()
	left, closed := mostOpen, mostClosed
	if r.options.Detailed || r.rows != DefaultRows { // the user asked for it
		left, closed = r.rows, r.rows
	}
	var groups []group
	var listed []*envelope.Test
	titles := standing.KindTitles(r.e)
	for i, k := range standing.Kinds {
		tests, title := byKind[k.Kind], titles[i]
		switch {
		case len(tests) == 0:
		case k.Kind.Red() || k.Kind == envelope.KindNotRun || k.Kind == envelope.KindUndecided:
			groups = append(groups, group{title, tests[:min(len(tests), left)], len(tests), open <= outputsUntil})
			left -= min(len(tests), left)
		case len(tests) <= closed:
			groups = append(groups, group{title, tests, len(tests), false})
		}
	}
	for _, g := range groups {
		listed = append(listed, g.tests...)
	}
	columns := r.answerColumns(listed)
	for _, g := range groups {
		r.group(columns, g)
	}
	r.legends(columns, listed)
	r.problems(r.e.Problems)
	if err := r.metrics(); err != nil {
		return err
	}
	if r.options.Detailed {
		r.summary()
	}
	r.headline()
	return nil
}

type group struct {
	title   string
	tests   []*envelope.Test
	all     int
	outputs bool // show the output of a trial
}

func (r *report) banner() {
	h := &r.e.Run
	name := r.field(standing.RunName(r.e))
	if name == r.field(r.suite) {
		name = r.printed
	}
	left := []string{r.ink.strong.Render(name)}
	parts := words.Present(r.printed, r.field(r.variant), words.Commit(r.field(h.Commit)))
	left = append(left, each.Where(parts, func(part string) bool { return part != name })...)
	r.atRight("", strings.Join(left, r.sign.dot), r.policy())
}

func (r *report) atRight(indent, left, right string) {
	room, rest := r.limit-width(indent)-width(left)-width(right), spaces(indent)+"  "
	if right == "" {
		r.text(indent, rest, left, 4)
		return
	}
	switch right = r.ink.faint.Render(right); {
	case r.width == 0:
		r.text(indent, rest, left+"  "+right, 4)
	case room >= 2:
		r.line(indent + left + strings.Repeat(" ", room) + right)
	default:
		r.text(indent, rest, left, 4)
		r.text(rest, rest, right, 4)
	}
}

func (r *report) causes() {
	title, causes, more := standing.Causes(r.e)
	if title == "" {
		return
	}
	r.line("")
	r.text("", "  ", r.ink.strong.Render(title), 3)
	for _, c := range causes {
		tests := pad(words.Plural(c.Tests, "test", "tests"), 10, true)
		r.text("  "+tests+"  ", spaces("  "+tests+"  "), r.field(standing.CauseLabel(r.e, &c)), 2)
	}
	r.more("  ", more, "more cause", true)
}

func (r *report) group(columns []placed, g group) {
	title := g.title + words.If(g.all > 1, " ("+words.Count(g.all)+")")
	r.heading(title)
	for _, t := range g.tests {
		r.test(columns, t, g.outputs)
	}
	r.more("  ", g.all-len(g.tests), "more test", true)
}

// answerColumns returns the columns for the listed tests. Without repeated trials there are two.
func (r *report) answerColumns(tests []*envelope.Test) []placed {
	wanted := []column{ // columns with a lower keep are dropped first
		{title: testTitle, cell: wholeNameCell, paint: wholeNamePaint, least: 22, most: 60},
		{title: passedTitle, right: true, cell: passedCell, keep: 6},
		{title: rateTitle, right: true, cell: rateCell, keep: 4, whole: true},
		{title: intervalColumn, cell: shortIntervalCell, paint: faintPaint, keep: 3, whole: true},
		{title: trialsTitle, cell: stripCell, paint: stripPaint, least: 10, most: 24, keep: 5},
		{title: pastTitle, cell: pastCell, paint: pastPaint, least: 8, most: 20, keep: 2, whole: true},
		{title: medianTitle, right: true, cell: medianCell, keep: 1, whole: true},
	}
	if standing.Ordinary(r.e) {
		wanted = []column{wanted[0], wanted[6]}
	}
	var chosen []placed
	for _, c := range wanted {
		if want := r.wantUntitled(c, tests); want > 0 {
			chosen = append(chosen, placed{c, want})
		}
	}
	if r.width == 0 {
		return chosen
	}
	return fit(r.uncut(chosen), r.width-2, testShares)
}

func (r *report) wantUntitled(c column, tests []*envelope.Test) int {
	c.heading = " "
	want := r.want(c, tests)
	if want == 1 {
		c.heading = ""
	}
	return want
}

func wholeNameCell(r *report, t *envelope.Test, room int) string {
	name := r.name(t).String()
	if r.kept {
		return name
	}
	return cutMiddle(name, room, r.sign.ellipsis)
}

func wholeNamePaint(r *report, t *envelope.Test, cell string) string {
	if n := r.name(t); n.String() == cell {
		return n.paint(&r.canvas)
	}
	return cell
}

func shortIntervalCell(r *report, t *envelope.Test, _ int) string {
	_, interval := standing.Judged(t)
	return r.own(interval)
}

func (r *report) test(columns []placed, t *envelope.Test, outputs bool) {
	var b strings.Builder
	b.WriteString("  ")
	for i, c := range columns {
		cell := c.cell(r, t, c.width)
		if c.paint != nil && cell != "" {
			cell = c.paint(r, t, cell)
		}
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		b.WriteString(pad(cell, c.width, c.right))
	}
	r.line(b.String())
	if t.KindOf() == envelope.KindPassed {
		return
	}
	whys := why.All(r.e, t)
	if t.Trials.Counted == 0 || t.ByScore() {
		whys = why.Spoken(r.e, t)
	}
	place, most := r.field(standing.DefinedAt(t)), mostWhys
	if r.options.Detailed {
		most = mostItems
	}
	for i, w := range whys[:min(len(whys), most)] {
		r.why(t, w, place)
		place = ""
		if (r.options.Detailed || outputs && i == 0) && w.Detail != nil && !repeats(w.Detail) {
			r.output("    ", w.Detail.Output)
		}
	}
	r.more("    ", len(whys)-most, "other reason", true)
	said := ""
	if kind := t.KindOf(); len(whys) == 0 || (kind == envelope.KindUndecided || kind == envelope.KindLowScore) && len(whys) <= mostWhys {
		said = r.unsaid(t, place, whys)
	}
	about := []string{r.field(standing.Owners(t)), words.If(t.Quarantine != nil && len(whys) > 0, r.field(t.Verdict.Reason)),
		r.pValues(t.Verdict), r.pastWords(t)}
	if r.options.Detailed && said != r.field(t.Verdict.Reason) {
		about[1] = standing.MarkOf(r.e, t) + ": " + r.field(t.Verdict.Reason)
	}
	if r.options.Detailed {
		about = append(about, each.Of(standing.Inside(t), r.field)...)
	}
	for _, says := range words.Present(about...) {
		r.text("    ", "    ", r.ink.faint.Render(says), wrappedLines)
	}
}

// repeats reports whether the output is the message, perhaps after a position.
func repeats(d *envelope.Detail) bool {
	output := strings.TrimSpace(d.Output)
	return !strings.Contains(output, "\n") && strings.HasSuffix(output, strings.TrimSpace(d.Message))
}

func (r *report) unsaid(t *envelope.Test, place string, whys []why.Reason) string {
	says := cmp.Or(r.further(t), r.reason(t))
	said := func(w why.Reason) bool { return says == w.Message }
	if place == "" && t.ByScore() && t.Verdict.Interval != nil && t.Quarantine == nil &&
		(says == r.field(t.Verdict.Reason) || slices.ContainsFunc(whys, said)) {
		return "" // the row, the heading and the reasons have all of it
	}
	r.atRight("    ", cut(says, r.limit-4, r.sign.ellipsis), place)
	return says
}

func (r *report) why(t *envelope.Test, w why.Reason, place string) {
	says, detailed := w.Text(), r.options.Detailed
	var rest []string
	if w.Detail != nil && (t.Trials.Counted == 0 || detailed) { // why there is no result is said in full
		if lines := firstLines(w.Detail.Message, messageLines); len(lines) > 1 {
			w.Message, rest = lines[0], lines[1:]
			says = w.Text()
		}
	}
	says = r.field(says)
	if w.Example != nil && detailed {
		rest = firstLines(w.Example.Message, messageLines)
		says += words.Around(" (such as trial ", words.If(len(rest) > 0, words.Count(w.Example.Trial+1)), ")")
	}
	if detailed && len(w.Rows) > 0 && len(w.Rows) < t.Trials.Total {
		said := words.First(w.Rows, mostNamed, func(row int) string { return strconv.Itoa(row + 1) })
		says += " (trial" + words.If(len(w.Rows) > 1, "s") + " " + said + ")"
	}
	indent := "    " + words.If(t.Trials.Total > 1 && t.Status != envelope.Skip, pad(strconv.Itoa(w.Trials)+r.sign.times, 3, true)+" ")
	const mostBytes = 300
	if len(says) > mostBytes {
		says = words.AtWord(says, mostBytes) + r.sign.ellipsis
	}
	room := r.limit - width(indent) - width(place) - 2
	if r.width > 0 && width(says) > room && room >= minWidth && !detailed {
		says = cut(says, room, r.sign.ellipsis)
	}
	r.atRight(indent, says, place)
	for _, line := range rest {
		r.text(spaces(indent), spaces(indent), r.field(line), wrappedLines)
	}
}

func (r *report) headline() {
	h := standing.HeadlineOf(r.e, r.field)
	for i := range h.Facts {
		h.Facts[i] = r.own(h.Facts[i])
	}
	word := r.ink.of(r.e.Gate.Status).Render(h.Word) + "  "
	indent := spaces(word)
	r.line("")
	r.text(word, indent, r.ink.strong.Render(h.Facts[0])+words.Around(r.sign.dot, strings.Join(h.Facts[1:], r.sign.dot)), 6)
	longest := 0
	for i := range h.Variants {
		v := &h.Variants[i]
		v.Name = cutMiddle(r.field(v.Name), max(r.limit/3, 12), r.sign.ellipsis)
		longest = max(longest, width(v.Name))
	}
	for _, v := range h.Variants {
		r.text(indent+pad(v.Name, longest, false)+"  ", indent+"  ", r.own(v.Says), 6)
	}
	r.more(indent, h.MoreVariants, "more variant", false)
	if below := h.Below(); below != "" {
		r.text(indent, indent, r.own(below), 6)
	}
	for _, reason := range standing.Reasons(&r.e.Gate) {
		r.text(indent, indent+"  ", r.field(reason), 4)
	}
	s := &r.e.Summary
	r.labelled("Judge", r.own(standing.Judge(s)))
	r.labelled("Corrected", r.own(standing.Corrected(s, r.options.Detailed)))
	for _, name := range slices.Sorted(maps.Keys(s.Votes)) {
		r.labelled("Votes", "\""+r.field(name)+"\": "+r.own(standing.Votes(s.Votes[name], r.options.Detailed)))
	}
	if len(r.e.Policy.Metric) > 0 || len(r.e.Policy.K) > 0 || r.e.Policy.Metrics == policy.MetricsAll {
		r.labelled("Metrics", r.metricsInOne())
	}
	if r.e.Policy.Metrics != policy.MetricsAll { // otherwise the table has them
		asked := standing.AskedMetrics(r.e)
		for _, line := range asked[:min(len(asked), mostMetrics)] {
			r.labelled("Metric", r.field(line))
		}
	}
	r.labelled("States", r.states())
	r.labelled("Clusters", r.clusters(s.Clusters))
	r.labelled("Saved", standing.Saved(s))
	r.labelled("Uncounted", standing.Beyond(s))
	for _, one := range r.e.Gate.Gates[:min(len(r.e.Gate.Gates), mostReasons)] {
		r.gateResult(&one)
	}
	r.more("  ", len(r.e.Gate.Gates)-mostReasons, "more gate", false)
	for i, command := range r.options.Next(r.e) {
		r.line(words.If(i == 0, r.ink.faint.Render("Next  ")) + words.If(i > 0, "      ") + command)
	}
}

const mostReasons = 20

func (r *canvas) reasons(reasons []string) {
	for _, reason := range reasons[:min(len(reasons), mostReasons)] {
		r.text("  "+r.sign.dash+" ", "    ", r.field(reason), 4)
	}
	r.more("  ", len(reasons)-mostReasons, "more reason", false)
}

func (r *report) gateResult(g *envelope.GateResult) {
	verdict := pad(standing.Mark(g.Status), 6, false) + "  "
	asks := words.Join(": ", r.field(g.Expr), r.field(g.Saw))
	s := words.Join(": ", words.If(g.Name != g.Expr && g.Expr != "", r.field(g.Name)), asks)
	r.text("  "+r.ink.of(g.Status).Render(verdict), "  "+spaces(verdict), s, 4)
}
