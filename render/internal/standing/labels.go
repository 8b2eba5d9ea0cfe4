package standing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Judge is what people's labels say of the judge that decided the trials, in a line;
// empty where there are none.
func Judge(s *envelope.Summary) string {
	l := s.Labels
	if l == nil {
		return ""
	}
	says := words.Of(l.Labelled, l.Trials, "trial", "trials") + " labelled"
	for _, part := range []struct {
		name string
		rate *envelope.Rate
		n    int
		of   string
	}{{"sensitivity", l.Sensitivity, l.BothPass + l.LabelOnly, "that pass by label"}, {"specificity", l.Specificity, l.JudgeOnly + l.Neither, "that fail by label"}} {
		if part.rate != nil {
			says += fmt.Sprintf("; %s %s %% %s of %s %s", part.name, words.Percent(part.rate.Value), interval(part.rate), words.Count(part.n), part.of)
		}
	}
	if l.Categories > 0 {
		says += fmt.Sprintf(" in %d categories, equal or not (nominal); the judge's is the same on %s", l.Categories, words.Count(l.Agree))
	}
	if k := l.Kappa; k != nil {
		says += fmt.Sprintf("; kappa %.2f [%.2f, %.2f]", k.Value, k.Lo, k.Hi)
	}
	if l.Uncounted > 0 {
		says += "; " + words.Plural(l.Uncounted, "label is", "labels are") + " of trials that do not count"
	}
	return says
}

// Corrected is the pass rate behind the errors of the judge beside the judge's own, in
// a line, with why a correction is missing; empty without labels.
func Corrected(s *envelope.Summary) string {
	l := s.Labels
	if l == nil {
		return ""
	}
	verdicts := envelope.RateVerdicts{}
	if l.Verdicts != nil {
		verdicts = *l.Verdicts
	}
	var parts []string
	for _, part := range []struct {
		rate   *envelope.Rate
		status envelope.Status
		by     string
	}{
		{s.Rate.PerProtocol, verdicts.Raw, "the judge's own"}, {l.RoganGladen, verdicts.RoganGladen, "by sensitivity and specificity (Rogan-Gladen)"},
		{l.Powered, verdicts.Powered, "prediction-powered"}, {l.Truth, verdicts.Labels, "labels alone"},
	} {
		if part.rate == nil {
			continue
		}
		says := words.Percent(part.rate.Value) + " % " + interval(part.rate) + " " + part.by
		if part.status != "" {
			says += ", " + Mark(part.status)
		}
		parts = append(parts, says)
	}
	if l.Verdicts != nil {
		parts = append(parts, "against "+words.Percent(l.Threshold.V)+" %")
	}
	return strings.Join(append(parts, l.Notes...), "; ")
}

// Votes says how the judgements of a check vary, in a line.
func Votes(v envelope.VoteParts) string {
	says := words.Count(v.Votes) + " votes on " + words.Plural(v.Trials, "trial", "trials")
	part := func(e *envelope.Estimate) string { return fmt.Sprintf("%.3f [%.3f, %.3f]", e.Value, e.Lo, e.Hi) }
	if v.Alpha.OK {
		says += fmt.Sprintf("; agreement beyond chance (alpha) %.2f", v.Alpha.V)
	}
	if v.Graded > 0 {
		says += "; " + words.Plural(v.Graded, "trial has", "trials have") + " votes between pass and fail, counted as one of both"
	}
	if v.Judge != nil {
		says += "; judging again varies by " + part(v.Judge)
	}
	if v.Agent != nil {
		says += ", trying again by " + part(v.Agent)
	}
	if e := v.Share; e != nil {
		says += fmt.Sprintf("; %s %% [%s, %s] of both is the judge", words.Percent(e.Value), words.Percent(e.Lo), words.Percent(e.Hi))
	}
	return says
}

// Labelled is what a person said of a trial beside what the judge said; empty for a
// trial without a label.
func Labelled(rows *envelope.Rows, trial int) string {
	if trial < 0 || trial >= len(rows.Outcome) || rows.Truth().At(trial) == "" {
		return ""
	}
	label := rows.Truth().At(trial)
	says := "labelled " + string(label)
	outcome := rows.Outcome[trial]
	if rows.Truth().Categories() && outcome.Counted() {
		return fmt.Sprintf("%s, judged %d", says, rows.JudgedCategory(trial))
	}
	if (outcome == envelope.Passed) != (label == envelope.Pass) || !outcome.Counted() {
		says += ", judged " + cmp.Or(string(outcome.Status()), "excluded")
	}
	return says
}

// Misjudged are the counted trials of a test of which a person said other than the judge, in
// a line, the trials from 1 on; empty where there are none.
func Misjudged(t *envelope.Test) string {
	const most = 10 // trials named of a kind
	var trials [3][]string
	for i, o := range t.Rows.Outcome {
		label := t.Rows.Truth().At(i)
		agree, kind := (o == envelope.Passed) == (label == envelope.Pass), 0
		if label == envelope.Pass {
			kind = 1
		}
		if t.Rows.Truth().Categories() {
			category, _ := t.Rows.Truth().Category(i)
			agree, kind = int(t.Rows.JudgedCategory(i)) == category, 2
		}
		if label == "" || !o.Counted() || agree {
			continue
		}
		trials[kind] = append(trials[kind], words.Count(i+1))
	}
	var says []string
	for kind, what := range []string{"labelled fail and judged pass", "labelled pass and judged not", "labelled as another category"} {
		named := trials[kind]
		if len(named) == 0 {
			continue
		}
		of := "trials "
		if len(named) == 1 {
			of = "trial "
		}
		if more := len(named) - most; more > 0 {
			named = append(slices.Clip(named[:most]), words.Plural(more, "other", "others"))
		}
		says = append(says, what+": "+of+strings.Join(named, ", "))
	}
	return strings.Join(says, "; ")
}
