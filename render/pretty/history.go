package pretty

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/history/trend"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// runSigns are the signs of a run by its mark; one of which some trials passed is drawn by its rate where that is known.
func (r *canvas) runSigns() map[byte]string {
	if r.ascii() {
		return map[byte]string{trend.MarkPassed: "P", trend.MarkMixed: "M", trend.MarkFailed: "F", trend.MarkNone: "x", trend.MarkSkipped: "-",
			trend.MarkAbsent: "."}
	}
	return map[byte]string{trend.MarkPassed: "█", trend.MarkMixed: "◐", trend.MarkFailed: "○", trend.MarkNone: "✗", trend.MarkSkipped: "-",
		trend.MarkAbsent: "·"}
}

func (r *canvas) paintRun(mark byte, sign string) string {
	switch mark {
	case trend.MarkPassed:
		return r.ink.pass.UnsetBold().Render(sign)
	case trend.MarkMixed:
		return r.ink.flag.Render(sign)
	case trend.MarkFailed:
		return r.ink.fail.UnsetBold().Render(sign)
	case trend.MarkNone:
		return r.ink.err.UnsetBold().Render(sign)
	}
	return r.ink.faint.Render(sign)
}

func (r *canvas) markLegend(strips []string, mixed string) string {
	var parts []string
	for _, m := range []struct {
		mark byte
		word string
	}{{trend.MarkPassed, "all passed"}, {trend.MarkMixed, "some passed"}, {trend.MarkFailed, "none passed"},
		{trend.MarkNone, "no trial counted"}, {trend.MarkSkipped, "skipped"}, {trend.MarkAbsent, "not in the run"}} {
		sign := r.runSigns()[m.mark]
		if m.mark == trend.MarkMixed {
			sign = mixed
		}
		if slices.ContainsFunc(strips, func(s string) bool { return strings.IndexByte(s, m.mark) >= 0 }) {
			parts = append(parts, r.paintRun(m.mark, sign)+r.ink.faint.Render(" "+m.word))
		}
	}
	return strings.Join(parts, "  ")
}

func (r *canvas) painted(row []string, marks string) string {
	var b strings.Builder
	for from, to := range standing.EqualRuns([]byte(marks[:len(row)])) {
		b.WriteString(r.paintRun(marks[from], strings.Join(row[from:to], "")))
	}
	return b.String()
}

// changed reports whether the history says more of a test than that it is stable or flaky, which its own trials say as well.
func changed(t *envelope.Test) bool {
	switch state := trend.State(pastState(t)); state {
	case trend.Broken, trend.NewFlaky, trend.DriftingDown, trend.DriftingUp, trend.Fixed:
		return true
	}
	return false
}

func pastState(t *envelope.Test) string {
	if t.History == nil {
		return ""
	}
	return t.History.State
}

func (r *report) pastWords(t *envelope.Test) string {
	if !changed(t) && pastState(t) != string(trend.New) {
		return ""
	}
	return t.History.State + " over " + words.Plural(t.History.StateRuns, "run", "runs") + ": " + r.field(t.History.Evidence)
}

func marks(t *envelope.Test, room int) string {
	if t.History == nil {
		return ""
	}
	return t.History.Strip[len(t.History.Strip)-min(room, len(t.History.Strip)):]
}

func pastCell(r *report, t *envelope.Test, room int) string {
	var b strings.Builder
	for _, mark := range []byte(marks(t, room)) {
		sign, known := r.runSigns()[mark]
		if !known {
			sign = "?"
		}
		b.WriteString(sign)
	}
	return b.String()
}

func pastPaint(r *report, t *envelope.Test, cell string) string {
	shown := marks(t, width(cell))
	return r.painted(strings.Split(cell, "")[:len(shown)], shown)
}

// states counts the tests of each state. It names those that drift down, which may stand under Passes.
func (r *report) states() string {
	return words.Some(trend.States, func(state trend.State) string {
		of := standing.Where(r.e.Tests, func(t *envelope.Test) bool { return pastState(t) == string(state) })
		named := words.First(of, 3, func(t *envelope.Test) string { return r.field(t.Key.RunnerName()) })
		return words.If(len(of) > 0, words.Count(len(of))+" "+string(state)+words.If(state == trend.DriftingDown, ": "+named))
	})
}
