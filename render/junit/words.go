package junit

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/render/internal/standing"
)

// message is why the test has its status, in one line, and of one that did not pass
// what goes on inside its trials.
func message(t *envelope.Test) string {
	said := line(t.Verdict.Reason)
	if said == "" {
		said = tally(t)
	}
	if t.Status == envelope.Pass || t.Status == envelope.Skip {
		return said
	}
	for _, about := range standing.Inside(t) {
		said += "; " + line(about)
	}
	return said
}

// tally is k of n.
func tally(t *envelope.Test) string { return string(appendTally(nil, t)) }

func appendTally(b []byte, t *envelope.Test) []byte {
	b = strconv.AppendInt(b, int64(t.Trials.Passed), 10)
	b = strconv.AppendInt(append(b, " of "...), int64(t.Trials.Counted), 10)
	return append(b, " trials passed"...)
}

// appendEvidence appends what the verdict rests on, each fact on a line of its
// own: k of n, rates, rule, interval. Reports of a hundred thousand tests are
// mostly this, so it is appended and not put together of strings.
func appendEvidence(b []byte, t *envelope.Test) []byte {
	b = appendTally(append(b, '\n'), t)
	if r := t.Rate.PerProtocol; r != nil {
		b = appendRate(append(b, "\npass rate: "...), r)
	}
	if r := t.Rate.IntentToTreat; r != nil {
		b = appendRate(append(b, "\nintention to treat: "...), r)
	}
	if r := t.Rate.Bracket; r != nil && r.Lo != r.Hi {
		b = appendRange(append(b, "\nwhatever the excluded trials would have done: "...), r.Lo, r.Hi)
	}
	b = append(append(b, '\n'), rule(t.Verdict)...)
	if iv := t.Verdict.Interval; iv != nil {
		b = appendRange(append(b, "\ninterval: "...), iv.Lo, iv.Hi)
		b = append(b, inBrackets(iv.Method)...)
	}
	return b
}

func appendRate(b []byte, r *envelope.Rate) []byte {
	b = append(appendShort(b, r.Value), ", "...)
	b = append(append(b, words.Level(r.Confidence)...), ' ')
	b = append(append(b, safe(r.Method)...), ' ')
	return appendRange(b, r.Lo, r.Hi)
}

func appendRange(b []byte, lo, hi float64) []byte {
	return appendShort(append(appendShort(b, lo), " to "...), hi)
}

func rule(v *envelope.Verdict) string {
	s := "rule: " + safe(v.Rule)
	if v.Threshold.OK {
		s += ", threshold " + number(v.Threshold.V)
	}
	if v.Confidence.OK {
		s += ", confidence " + words.Level(v.Confidence.V)
	}
	if v.StoppedAt.OK {
		s += ", stopped at trial " + strconv.Itoa(v.StoppedAt.V)
	}
	return s
}

// excluded lists the trials left out of the verdict by class; "" when none is.
func excluded(t *envelope.Test) string {
	if len(t.Trials.Excluded) == 0 {
		return ""
	}
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(t.Trials.Excluded)) {
		parts = append(parts, safe(class)+" "+strconv.Itoa(t.Trials.Excluded[class]))
	}
	return strings.Join(parts, ", ")
}

// appendEndings appends how the test ended where a run started its trials: a
// profile without properties has it nowhere else.
func appendEndings(b []byte, t *envelope.Test) []byte {
	if t.Trials.Planned.OK {
		b = strconv.AppendInt(append(b, "\nplanned: "...), t.Trials.Planned.V, 10)
	}
	if t.Ended != "" {
		b = append(append(b, "\nended: "...), t.Ended...)
	}
	if elsewhere(t) {
		b = append(b, "\nelsewhere: true"...)
	}
	return b
}

// elsewhere reports a test that another shard runs.
func elsewhere(t *envelope.Test) bool { return len(t.Endings) > 0 && t.Endings[0].Elsewhere }

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

// appendTrial appends what is kept of one trial, on lines of their own: a
// headline, with its run if that is asked for, its message and its output,
// indented so that no line of them looks like one of ours.
func appendTrial(b []byte, d *envelope.Detail, output, run bool) []byte {
	b = appendHeadline(append(b, '\n'), d, run)
	if d.Message != "" {
		b = appendIndented(b, "\n  ", d.Message)
	}
	if d.Output != "" && output {
		b = appendIndented(append(b, "\n  output:"...), "\n    ", d.Output)
	}
	return b
}

// appendHeadline names the trial the way people count, from 1.
func appendHeadline(b []byte, d *envelope.Detail, run bool) []byte {
	b = strconv.AppendInt(append(b, "trial "...), int64(d.Trial)+1, 10)
	if run && d.Run != "" {
		b = append(append(b, " of run "...), safe(d.Run)...)
	}
	if d.Attempt.OK && int(d.Attempt.V) != d.Trial {
		b = strconv.AppendInt(append(b, ", attempt "...), int64(d.Attempt.V)+1, 10)
	}
	b = append(append(b, ": "...), safe(string(d.Status))...)
	if d.ErrorClass != "" {
		b = append(append(b, ", "...), safe(d.ErrorClass)...)
	}
	return b
}

// appendIndented appends every line of s behind a line end and its indent.
func appendIndented(b []byte, indent, s string) []byte {
	for line := range strings.SplitSeq(text.Block(s), "\n") {
		b = append(append(b, indent...), line...)
	}
	return b
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + safe(s) + ")"
}

// appendShort appends a fraction for people; number is one as exact as it is.
func appendShort(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'f', 3, 64) }
func number(f float64) string                { return strconv.FormatFloat(f, 'g', -1, 64) }
