package pretty

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"tribunal/compare"
	"tribunal/compare/rank"
	"tribunal/envelope"
	"tribunal/internal/words"
)

// mostDuels is how many variants are shown against each other.
const mostDuels = 10

// ranking is a ranking while it is written.
type ranking struct {
	*report
	r *rank.Ranking
}

// WriteRanking writes who is the best, the variants in their order, every two of a few
// against each other, and the tests that are not ranked.
func WriteRanking(w io.Writer, r *rank.Ranking, o Options) error {
	if r == nil {
		return errors.New("pretty: no ranking to write")
	}
	out := &ranking{report: newReport(&envelope.Envelope{}, o), r: r}
	out.head()
	if len(r.Variants) > 0 {
		out.variants()
		if r.Variants[0].ShrunkenRate.OK {
			out.text("", "  ", out.ink.faint.Render(out.field(r.Shrunken())), 2)
		}
		out.duels()
		out.headToHead()
	}
	out.missing()
	out.problems(r.Problems)
	if r.Gate.ExitCode != 0 {
		out.line("")
		out.line(out.ink.of(r.Gate.Status).Render(Mark(r.Gate.Status)) + fmt.Sprintf(" (exit %d): ", r.Gate.ExitCode) + out.field(strings.Join(r.Gate.Reasons, "; ")))
	}
	_, err := out.out.WriteTo(w)
	return err
}

func (w *ranking) head() {
	w.text("", "  ", w.ink.strong.Render(w.field(w.r.Sentence())), 6)
	w.text("", "  ", w.ink.faint.Render(w.field("Ranked by "+cmp.Or(w.r.By, "run")+": "+w.r.Words())), 4)
}

// rateAxis is how many signs the rates from 0 to 1 are drawn in.
const rateAxis = 21

// forest draws a rate and its interval.
func (w *ranking) forest(r envelope.Rate) string {
	line, point := "─", "●"
	if w.ascii() {
		line, point = "-", "o"
	}
	at := func(v float64) int { return min(rateAxis-1, max(0, int(v*rateAxis))) }
	var b strings.Builder
	for i := range rateAxis {
		switch {
		case i == at(r.Value):
			b.WriteString(point)
		case i >= at(r.Lo) && i <= at(r.Hi):
			b.WriteString(line)
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func (w *ranking) variants() {
	titles := []string{"Variant", "Place", "Can be", "P(best)", w.r.Measure(), "Interval", "Passed", "$/success", "Would tell", "0 to 100 %"}
	if w.r.Of == compare.OfScores {
		titles[6], titles[9] = "Scored", "0 to 1"
	}
	if !w.r.OnUnit() {
		titles = titles[:9]
	}
	var rows [][]string
	for i := range w.r.Variants {
		v := &w.r.Variants[i]
		cost := ""
		if v.CostUSD.OK {
			cost = words.Dollars(v.CostUSD.V)
			if v.Beaten.V {
				cost += " beaten"
			}
		}
		rows = append(rows, []string{cmp.Or(w.field(v.Name), "(no name)"), words.Count(v.Place), v.Places(), words.Percent(v.IsBest) + " %", w.r.Value(v.Mean.Value),
			"[" + bare(w.r.Value(v.Mean.Lo)) + ", " + bare(w.r.Value(v.Mean.Hi)) + "]", w.r.Trials(v), cost, rank.TellingWords(v.Telling), w.forest(v.Mean)}[:len(titles)])
	}
	w.cells(titles, rows)
}

// bare is a number without its unit.
func bare(value string) string { return strings.TrimSuffix(value, " %") }

// duels is every variant against those below it, in points.
func (w *ranking) duels() {
	n := len(w.r.Variants)
	if n < 2 || n > mostDuels {
		return
	}
	titles := []string{"Points above"}
	for i := 1; i < n; i++ {
		titles = append(titles, strconv.Itoa(i+1)+" "+shortName(w.field(w.r.Variants[i].Name)))
	}
	var rows [][]string
	for i := range n - 1 {
		row := []string{strconv.Itoa(i+1) + " " + cmp.Or(w.field(w.r.Variants[i].Name), "(no name)")}
		for j := 1; j < n; j++ {
			cell := ""
			if j > i {
				cell = w.r.Between(i, j).Points()
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	w.cells(titles, rows)
	w.text("", "", w.ink.faint.Render("~ chance may explain it, among all pairs"), 2)
}

// headToHead is how each variant did trial by trial, where that was asked.
func (w *ranking) headToHead() {
	var rows [][]string
	for i := range w.r.Variants {
		if v := &w.r.Variants[i]; v.HeadToHead != nil {
			h := v.HeadToHead
			rows = append(rows, []string{cmp.Or(w.field(v.Name), "(no name)"), words.Count(h.Won), words.Count(h.Lost), words.Count(h.Tied), fmt.Sprintf("%+.2f ± %.2f", h.Strength, h.SE)})
		}
	}
	if len(rows) > 0 {
		w.cells([]string{"Head to head", "Won", "Lost", "Tied", "Strength"}, rows)
	}
}

// shortName is as much of a name as stands over a column.
func shortName(s string) string {
	const most = 12
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

func (w *ranking) missing() {
	if len(w.r.Missing) == 0 {
		return
	}
	w.line("")
	w.line(w.ink.strong.Render("Not ranked") + " " + words.Count(len(w.r.Missing)))
	for i := range w.r.Missing[:min(len(w.r.Missing), rank.MostMissing)] {
		m := &w.r.Missing[i]
		name := w.fit(keyName(&w.sheet, m.Key), max(w.limit/2, minWidth/2))
		w.text("  ", "    ", name.paint(&w.sheet)+"  not tried by "+w.field(strings.Join(m.Without, ", ")), 2)
	}
	if more := len(w.r.Missing) - rank.MostMissing; more > 0 {
		w.line("  " + w.sign.ellipsis + " and " + words.Count(more) + " more")
	}
}
