package tap

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/render/internal/standing"
)

const (
	nameLimit = 1000    // bytes of a description
	textLimit = 4 << 10 // bytes of a scalar
)

var escaper = strings.NewReplacer(`\`, `\\`, `#`, `\#`)

// directive is what a reader that knows no escapes takes for a directive: it looks
// behind the first # and any blanks for the word alone, in any case, as far as
// Python folds it.
var directive = regex.Of(`(?i)(#[\s\v\x1c-\x1f\x85\p{Z}]*)(TODO|SK[Iİı]P)`)

// escape cuts, then escapes, so that no cut parts a backslash from its character. A
// backslash before the word breaks a directive for readers without escapes; no
// other single backslash stands before a letter.
func escape(s string) string {
	return directive().ReplaceAllString(escaper.Replace(text.CutLine(text.Line(s), nameLimit)), `$1\$2`)
}

func description(k envelope.Key) string { return escape(k.String()) }

// block is the diagnosis below a point: one-line scalars in JSON style, which
// is YAML that no text inside can end or break.
func block(out *bufio.Writer, t *envelope.Test) {
	out.WriteString("  ---\n")
	scalar := func(key, value string) {
		if value != "" {
			fmt.Fprintf(out, "  %s: %s\n", key, value)
		}
	}
	scalar("verdict", quote(string(t.Status)))
	scalar("passed", strconv.Itoa(t.Trials.Passed))
	scalar("counted", strconv.Itoa(t.Trials.Counted))
	scalar("excluded", excluded(t))
	scalar("trials", quote(t.Rows.Outcome.String()))
	if t.Trials.Planned.OK {
		scalar("planned", strconv.FormatInt(t.Trials.Planned.V, 10))
	}
	scalar("ended", quote(string(t.Ended)))
	if r := t.Rate.PerProtocol; r != nil {
		scalar("rate", number(r.Value))
		scalar("rate_interval", interval(r.Lo, r.Hi, r.Method))
	}
	if r := t.Rate.IntentToTreat; r != nil {
		scalar("rate_intention_to_treat", number(r.Value))
	}
	scalar("rule", quote(t.Verdict.Rule))
	if t.Verdict.Threshold.OK {
		scalar("threshold", number(t.Verdict.Threshold.V))
	}
	if t.Verdict.MinCoverage.OK {
		scalar("min_coverage", number(t.Verdict.MinCoverage.V))
	}
	if iv := t.Verdict.Interval; iv != nil {
		scalar("interval", interval(iv.Lo, iv.Hi, iv.Method))
	}
	scalar("reason", quote(t.Verdict.Reason))
	scalar("message", quote(standing.FirstMessage(t, text.Line)))
	scalar("file", quote(t.File))
	if t.Line > 0 {
		scalar("line", strconv.Itoa(t.Line))
	}
	out.WriteString("  ...\n")
}

// quote is s as one quoted scalar; "" when there is nothing to say.
func quote(s string) string {
	if s = text.CutLine(text.Line(s), textLimit); s == "" {
		return ""
	}
	return standing.Quote(s)
}

func interval(lo, hi float64, method string) string {
	s := fmt.Sprintf("%s to %s", strconv.FormatFloat(lo, 'f', 3, 64), strconv.FormatFloat(hi, 'f', 3, 64))
	if method != "" {
		s += " (" + method + ")"
	}
	return quote(s)
}

// number is a JSON number; "" for what is none.
func number(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func excluded(t *envelope.Test) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(t.Trials.Excluded)) {
		parts = append(parts, fmt.Sprintf("%s %d", class, t.Trials.Excluded[class]))
	}
	return quote(strings.Join(parts, ", "))
}

// skipReason is what the runner said, before what the verdict says of it.
func skipReason(t *envelope.Test) string {
	return cmp.Or(standing.FirstMessage(t, text.Line), t.Verdict.Reason)
}

// remarks are comments on the run as a whole: problems, errors first, a run
// that is broken, and gates that did not hold.
func remarks(e *envelope.Envelope) []string {
	var lines []string
	say := func(s string) { lines = append(lines, text.CutLine(text.Line(s), textLimit)) }
	shown, more := standing.Grave(e.Problems)
	for _, p := range shown {
		say("problem: " + string(p.Severity) + ": " + p.Text()) // the severity first, where a reader finds it
	}
	if more > 0 {
		say(fmt.Sprintf("problem: and %d more errors and warnings", more))
	}
	if file := standing.PolicyFile(e); file != "" {
		say(file)
	}
	for _, about := range standing.GateRemarks(&e.Gate, "gate: ") {
		say(about)
	}
	return lines
}
