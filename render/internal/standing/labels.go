package standing

import (
	"fmt"
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
		{l.Powered, verdicts.Powered, "prediction-powered"}, {l.Truth, "", "labels alone"},
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
