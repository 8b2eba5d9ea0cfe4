package pretty

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render/internal/standing"
)

// summary writes the run in numbers.
func (r *report) summary() {
	s := &r.e.Summary
	r.line("")
	r.text("", "  ", r.countOfTests(s), 4)
	r.text("", "  ", r.countOfTrials(&s.Trials), 6)
	r.rates(s)
	if len(r.e.Policy.Metric) == 0 && r.e.Policy.Metrics != policy.MetricsAll { // else the headline has them
		r.labelled("Metrics", r.metricsInOne())
	}
	r.labelled("Spent", spent(&r.e.Run.Header, s))
	r.labelled("Cost", costs(s))
	r.labelled("Tools", r.field(standing.StepsUsed(s)))
	r.labelled("Unneeded", standing.EarlySaves(s, words.Count, words.Dollars))
}

// labelled writes a line of numbers behind its word, and nothing without them.
func (r *canvas) labelled(word, numbers string) {
	if numbers != "" {
		label := pad(word, rateLabel, false)
		r.text(label, spaces(label), numbers, 4)
	}
}

// countOfTests is the number of tests by status. Passed and failed are always
// told, the others when there are any.
func (r *report) countOfTests(s *envelope.Summary) string {
	parts := []string{r.ink.pass.Render(words.Count(s.Pass) + " passed")}
	failed := words.Count(s.Fail) + " failed"
	if s.Fail > 0 {
		failed = r.ink.fail.Render(failed)
	}
	parts = append(parts, failed)
	if s.Error > 0 {
		parts = append(parts, r.ink.err.Render(words.Plural(s.Error, "error", "errors")))
	}
	if s.Skip > 0 {
		parts = append(parts, words.Count(s.Skip)+" skipped")
	}
	if s.Inconclusive > 0 {
		parts = append(parts, r.ink.inconclusive.Render(words.Count(s.Inconclusive)+" inconclusive"))
	}
	line := r.ink.strong.Render(words.Plural(s.Tests, "test", "tests")+":") + " " + strings.Join(parts, ", ")
	if s.Flaky > 0 { // in words that nobody adds to the numbers before
		line += "; " + r.ink.flag.Render(words.Count(s.Flaky)+" of them flaky")
	}
	if words := s.QuarantineWords(); words != "" {
		line += "; " + r.ink.flag.Render(words)
	}
	return line
}

// countOfTrials is what became of the trials; those left out are listed by class.
func (r *report) countOfTrials(t *envelope.TrialCounts) string {
	line := words.Plural(t.Total, "trial", "trials")
	if t.Planned.OK && t.Planned.V != int64(t.Total) {
		line += " of " + words.Count(t.Planned.V) + " planned"
	}
	line += ", " + words.Count(t.Counted) + " counted, " + words.Count(t.Passed) + " passed"
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(t.Excluded)) {
		parts = append(parts, words.Count(t.Excluded[class])+" "+r.field(class))
	}
	if len(parts) > 0 {
		line += "; excluded: " + strings.Join(parts, ", ")
	}
	return line
}

// rateLabel is the width of the words before a rate.
const rateLabel = 11

// rates writes both pass rates, when trials were excluded the bracket, and when
// trials hang together in clusters the rate that allows for it.
func (r *report) rates(s *envelope.Summary) {
	rates := &s.Rate
	label := pad("Pass rate", rateLabel, false)
	write := func(value, meaning string) {
		r.text(label, spaces(label)+"  ", value+"  "+r.ink.faint.Render(meaning), 4)
		label = spaces(label)
	}
	rate := func(rate *envelope.Rate, meaning string) {
		if rate != nil {
			value, between := rateAndInterval(rate.Value, rate.Lo, rate.Hi)
			write(r.ink.strong.Render(pad(value+" %", 5, true))+"  "+between,
				fmt.Sprintf("%s, %s %s", meaning, r.field(rate.Method), words.Level(rate.Confidence)))
		}
	}
	rate(rates.PerProtocol, "of counted trials (per protocol)")
	if s.Like != nil {
		rate(s.Like.Rate, "of tests like these: "+standing.SimilarTo(s.Like))
	}
	if b := rates.Bracket; b != nil && (b.Lo != b.Hi || r.e.Policy.Metrics == policy.MetricsAll) {
		rate(rates.IntentToTreat, "with excluded trials counted as failed (intent to treat)")
		write(pad(words.Percent(b.Lo)+" %", 5, true)+" to "+words.Percent(b.Hi)+" %", "if all excluded trials had failed, or passed (bracket)")
	}
}

// clusters says how far the trials of a cluster pass and fail together.
func (r *report) clusters(c *envelope.Clusters) string {
	if c == nil {
		return ""
	}
	s := "by " + r.field(c.By)
	if c.Count > 0 {
		s = words.Count(c.Count) + " " + s
	}
	s += number(", ICC ", c.ICC, words.Short) + number(", design effect ", c.DesignEffect, words.Short) + number(", effective n ", c.EffectiveN, words.Short)
	if note := r.field(c.Note); note != "" {
		s += ": " + note
	}
	return s
}

// costs are what a result cost, which spending alone does not say.
func costs(s *envelope.Summary) string {
	return strings.TrimPrefix(number(", ", s.CostPerSuccess, func(v float64) string { return words.Dollars(v) + " per passed trial" })+
		number(", ", s.CostToVerdict, func(v float64) string { return words.Dollars(v) + " up to the verdicts" }), ", ")
}

// spent lists time, money and tokens as far as they are known.
func spent(h *envelope.Header, s *envelope.Summary) string {
	parts := []string{
		number("", s.DurationMS, words.Duration), number("setup ", s.SetupMS, words.Duration),
		number("", s.CostUSD, words.Dollars), number("setup ", s.SetupCostUSD, words.Dollars),
		standing.RunSetup(h, words.Duration, words.Dollars),
	}
	if s.Tokens.OK {
		parts = append(parts, words.Count(s.Tokens.V)+" tokens")
	}
	if s.ToolCalls.OK {
		parts = append(parts, words.Count(s.ToolCalls.V)+" tool calls")
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}
