package html

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"tribunal/docs"
	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

type top struct {
	Name     string
	Badge    badge
	Headline string
	Below    string
	Variants []standing.VariantLine
	More     string // variants without a line
	About    facts  // commit, time, and what else identifies the run
	Gate     string
	Reasons  []string
	Gates    *table
	Causes   causes
	Figures  []figure
	Spread   *chart
	Beside   *beside // the pages of other runs, where this one is one of a history
}

type causes struct {
	Title       string
	First, More []causeLink
	MoreWords   string
}

// causeLink leads to the first test of a cause, and with scripts to all of its tests. Share is how many of 100 pixels its bar has.
type causeLink struct{ ID, Cause, Tests, Label, Share string }

type figure struct{ Name, Value, Note string }

func newTop(e *envelope.Envelope) top {
	h := standing.HeadlineOf(e, line)
	out := top{
		Name: name(standing.RunName(e), "Test report"), Badge: badge{h.Word, newBadge(e.Gate.Status).Class}, Headline: strings.Join(h.Facts,
			" · "), Below: h.Below(),
		About: aboutRun(e), Gate: "exit code " + count(e.Gate.ExitCode), Figures: figuresOf(e), Spread: spreadChart(e),
	}
	out.Variants = each.Of(h.Variants, func(v standing.VariantLine) standing.VariantLine {
		return standing.VariantLine{Name: line(v.Name), Says: v.Says}
	})
	if h.MoreVariants > 0 {
		out.More = "… and " + plural(h.MoreVariants, "more variant")
	}
	out.Gate += words.Around(", ", standing.GateWords(e))
	out.Reasons = each.Of(standing.Reasons(&e.Gate), line)
	if len(e.Gate.Gates) > 0 {
		out.Gates = gateTable(e.Gate.Gates)
	}
	title, first, more := standing.Causes(e)
	if out.Causes.Title = title; title == "" {
		return out
	}
	for i, c := range e.Summary.Causes {
		link := causeLink{testID(c.First.Key), c.ID, plural(c.Tests, "test"), line(standing.CauseLabel(e, &c)), count(100 * c.Tests / max(first[0].Tests, 1))}
		if i < len(first) {
			out.Causes.First = append(out.Causes.First, link)
		} else {
			out.Causes.More = append(out.Causes.More, link)
		}
	}
	if more > 0 {
		out.Causes.MoreWords = plural(more, "more cause")
	}
	if named := len(out.Causes.More); named > 0 && named < more {
		out.Causes.MoreWords += ", " + count(named) + " of them named here"
	}
	return out
}

// figuresOf are the numbers that people compare runs by; none where each test has one trial.
func figuresOf(e *envelope.Envelope) []figure {
	if standing.Ordinary(e) {
		return nil
	}
	s := &e.Summary
	out := []figure{{"tests that pass", count(s.Pass), "of " + count(len(e.Tests))}}
	add := func(what string, r *envelope.Rate) {
		if r != nil {
			out = append(out, figure{what, words.Percent(r.Value) + nbsp + "%", "[" + words.Percent(r.Lo) + "–" + words.Percent(r.Hi) + "]"})
		}
	}
	add("trials that pass"+words.If(s.Stopped != nil, ", uncorrected"), s.Rate.PerProtocol)
	if s.Like != nil {
		add("on similar tests", s.Like.Rate)
	}
	for _, m := range e.Metrics {
		k, ok := depth(m.Params["k"])
		others := func(t *envelope.Test) bool { return t.Trials.Counted > 0 && t.Trials.Counted != int(k) }
		if ok && k > 1 && m.Name == "pass_hat_k" && m.Variant == "" && m.Value.OK && !envelope.AnyTest(e.Tests, others) {
			out = append(out, figure{"all " + number(k) + " trials pass", words.Percent(m.Value.V) + nbsp + "%", "pass^" + number(k)})
		}
	}
	if s.CostPerSuccess.OK {
		out = append(out, figure{"cost", dollars(s.CostPerSuccess.V), "a passed trial"})
	}
	return out
}

func aboutRun(e *envelope.Envelope) facts {
	var f facts
	h := &e.Run
	if suite := oneSuite(e.Tests); name(h.Labels["suite"], "") != suite {
		f.add("suite", suite)
	}
	f.add("commit", name(h.Commit, ""))
	f.add("started", instant(h.StartedAt))
	f.add("id", name(h.ID, ""))
	for _, label := range slices.Sorted(maps.Keys(h.Labels)) {
		f.add(name(label, "label"), name(h.Labels[label], ""))
	}
	return f
}

func instant(s string) string {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return name(s, "")
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func gateTable(gates []envelope.GateResult) *table {
	t := newTable("Gates", "", "gate", "holds", "expression", "value")
	for _, g := range gates {
		expr := line(g.Expr)
		if g.Name == g.Expr {
			expr = ""
		}
		t.row(name(g.Name, g.Expr), newBadge(g.Status).Word, expr, line(g.Saw))
	}
	return t.compact()
}

var glossary = sync.OnceValue(func() (all facts) {
	for row := range strings.Lines(docs.Glossary) {
		if cells := strings.Split(row, "|"); len(cells) == 4 && !strings.HasPrefix(cells[2], " ---") {
			all.add(strings.TrimSpace(cells[1]), strings.TrimSpace(markings().ReplaceAllString(cells[2], "")))
		}
	}
	return all[1:] // the first row is the head
})

// markings are links to other pages, which a report does not have, and signs of Markdown.
var markings = regex.Of("[;,]? \\(\\[[^)]*\\)\\)|\\[|\\]\\([^)]*\\)|[`*]")

func termsIn(texts ...string) (out facts) {
	said := plainWords(strings.Join(texts, " "))
	for _, term := range glossary() {
		for word := range strings.SplitSeq(term.Name, ", ") {
			word = strings.TrimSuffix(plainWords(word), " ")
			if strings.Contains(said, word+" ") || strings.Contains(said, word+"s ") || strings.Contains(said, word+"d ") {
				out = append(out, term)
				break
			}
		}
	}
	return out
}

func plainWords(s string) string {
	return " " + strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '^' && r != '@'
	}), " ") + " "
}

func (d *document) said() (out []string) {
	out = append(out, d.Top.Headline, d.Top.Below, d.Method.PolicyWords, d.Run.Trials.Words)
	for _, f := range d.Top.Figures {
		out = append(out, f.Name, f.Note)
	}
	for _, r := range d.Run.Trials.Rates {
		out = append(out, r.Name, r.Note, "interval")
	}
	out = append(out, each.Of(d.Tests.Kinds, func(k filter) string { return k.Word })...)
	return append(out, factWords(d.Run.Trials.Facts), factWords(d.Run.Trials.Stats), factWords(d.Method.Policy.Facts))
}
