package junit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/render/text"
)

// message is why the test has its status, in one line.
func message(t *envelope.Test) string {
	if reason := line(t.Verdict.Reason); reason != "" {
		return reason
	}
	return tally(t)
}

// tally is k of n.
func tally(t *envelope.Test) string {
	return fmt.Sprintf("%d of %d trials passed", t.Trials.Passed, t.Trials.Counted)
}

// evidence says what the verdict rests on: k of n, rates, rule, interval.
func evidence(t *envelope.Test) []string {
	lines := []string{tally(t)}
	lines = append(lines, rates(t)...)
	lines = append(lines, rule(&t.Verdict))
	if iv := t.Verdict.Interval; iv != nil {
		lines = append(lines, fmt.Sprintf("interval: %s to %s%s", short(iv.Lo), short(iv.Hi), inBrackets(iv.Method)))
	}
	return lines
}

func rates(t *envelope.Test) []string {
	var lines []string
	if r := t.Rate.PerProtocol; r != nil {
		lines = append(lines, "pass rate: "+rate(r))
	}
	if r := t.Rate.IntentToTreat; r != nil {
		lines = append(lines, "intention to treat: "+rate(r))
	}
	if b := t.Rate.Bracket; b != nil && b.Lo != b.Hi {
		lines = append(lines, fmt.Sprintf("whatever the excluded trials would have done: %s to %s", short(b.Lo), short(b.Hi)))
	}
	return lines
}

func rate(r *envelope.Rate) string {
	return fmt.Sprintf("%s, %s %s %s to %s", short(r.Value), percent(r.Confidence), safe(r.Method), short(r.Lo), short(r.Hi))
}

func rule(v *envelope.Verdict) string {
	s := "rule: " + safe(v.Rule)
	if v.Threshold.OK {
		s += ", threshold " + number(v.Threshold.V)
	}
	if v.Confidence.OK {
		s += ", confidence " + percent(v.Confidence.V)
	}
	if v.StoppedAt.OK {
		s += fmt.Sprintf(", stopped at trial %d", v.StoppedAt.V)
	}
	return s
}

// excluded lists the trials left out of the verdict by class; "" when none is.
func excluded(t *envelope.Test) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(t.Trials.Excluded)) {
		parts = append(parts, fmt.Sprintf("%s %d", safe(class), t.Trials.Excluded[class]))
	}
	return strings.Join(parts, ", ")
}

// flags are the flags of a test in words; "" when it has none.
func flags(t *envelope.Test) string {
	var words []string
	for _, f := range []struct {
		set  bool
		word string
	}{{t.Flaky, "flaky"}, {t.CostLimited, "cost limited"}, {t.Quarantined, "quarantined"}} {
		if f.set {
			words = append(words, f.word)
		}
	}
	return strings.Join(words, ", ")
}

// trial is what is kept of one trial: a headline, its message and its output,
// indented so that no line of them looks like one of ours.
func trial(d *envelope.Detail, output bool) []string {
	lines := []string{headline(d)}
	if d.Message != "" {
		lines = append(lines, indent("  ", d.Message))
	}
	if d.Output != "" && output {
		lines = append(lines, "  output:", indent("    ", d.Output))
	}
	return lines
}

// headline names the trial the way people count, from 1.
func headline(d *envelope.Detail) string {
	s := fmt.Sprintf("trial %d", d.Trial+1)
	if d.Run != "" {
		s += " of run " + safe(d.Run)
	}
	if d.Attempt.OK && int(d.Attempt.V) != d.Trial {
		s += fmt.Sprintf(", attempt %d", int64(d.Attempt.V)+1)
	}
	s += ": " + safe(string(d.Status))
	if d.ErrorClass != "" {
		s += ", " + safe(d.ErrorClass)
	}
	return s
}

func indent(by, s string) string {
	return by + strings.ReplaceAll(text.Block(s), "\n", "\n"+by)
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + safe(s) + ")"
}

// short is a fraction for people, number one as exact as it is.
func short(f float64) string  { return strconv.FormatFloat(f, 'f', 3, 64) }
func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func percent(confidence float64) string {
	return strconv.FormatFloat(confidence*100, 'g', 4, 64) + " %"
}
