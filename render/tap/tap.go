// Package tap writes an envelope in the Test Anything Protocol, with a point per test.
//
// It uses only what prove, node-tap and the TAP plugin of Jenkins all read: the plan first,
// points without subtests, and quoted scalars of one line in YAML blocks, so that no text of
// a test looks like a line of the protocol.
//
// # and \ in names and reasons are escaped with a backslash, which version 14 requires and
// parsers of version 13 accept. Otherwise a test named "C# SKIP nothing" is skipped. Parsers
// without escapes, such as tappy, read a directive after the first #. So a directive in a
// name gets another backslash (\# \SKIP), and no name excuses a failure. These parsers ignore
// our own directive after such a name.
//
// An inconclusive test is `ok N - name # TODO inconclusive`, an excused failure
// `# TODO quarantined`. Some readers count a TODO that passed as a failure: see
// Options.Inconclusive. A failed gate is the last point, because all others may be ok.
package tap

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/render/internal/standing"
)

// Options of the format. The zero value is version 13 and todo.
type Options struct {
	Version      int    // 13 or 14; 0 is 13, which older parsers need
	Inconclusive string // todo: ok # TODO; todo-not-ok: not ok # TODO; skip: ok # SKIP; "" is todo
}

// The ways to write an inconclusive test.
const (
	Todo      = "todo"
	TodoNotOK = "todo-not-ok"
	SkipIt    = "skip"
)

func (o Options) check() (Options, error) {
	switch o.Version {
	case 0:
		o.Version = 13
	case 13, 14:
	default:
		return o, fmt.Errorf("tap version %d: use 13 or 14", o.Version)
	}
	switch o.Inconclusive {
	case "":
		o.Inconclusive = Todo
	case Todo, TodoNotOK, SkipIt:
	default:
		return o, fmt.Errorf("tap inconclusive %q: use one of %s, %s, %s", o.Inconclusive, Todo, TodoNotOK, SkipIt)
	}
	return o, nil
}

// Write writes the envelope as a TAP stream. Its error is that of w, or names an unknown
// option.
func Write(w io.Writer, e *envelope.Envelope, o Options) error {
	o, err := o.check()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error for Flush
	fmt.Fprintf(out, "TAP version %d\n", o.Version)
	out.WriteString(plan(e))
	for i := range e.Tests {
		point(out, i+1, e, &e.Tests[i], o)
	}
	if says := standing.Unheld(&e.Gate); says != "" {
		fmt.Fprintf(out, "not ok %d - (the gate)\n  ---\n  verdict: \"gate\"\n  message: %s\n  ...\n", len(e.Tests)+1, quote(says))
	}
	for _, line := range remarks(e) {
		fmt.Fprintf(out, "# %s\n", line)
	}
	if as := e.Policy.TreatAs; as != "" && as != policy.TreatNeutral { // how inconclusive tests affect the exit code
		fmt.Fprintf(out, "# treat_as: %s\n", as)
	}
	if sum := e.TrialsSum().String(); sum != "" {
		fmt.Fprintf(out, "# trials sum %s\n", sum)
	}
	if s := e.Summary; s.Tests > 0 {
		fmt.Fprintf(out, "# %d of %d counted trials passed over %d tests\n", s.Trials.Passed, s.Trials.Counted, s.Tests)
	}
	if says := standing.Broken(e); says != "" {
		fmt.Fprintf(out, "Bail out! %s\n", escape(says))
	}
	return out.Flush()
}

// plan is the line with the number of points. A run without tests is skipped. If it is broken,
// the plan announces a point that never comes, because node-tap ignores Bail out! after 1..0.
func plan(e *envelope.Envelope) string {
	points := len(e.Tests)
	if standing.Unheld(&e.Gate) != "" {
		points++
	}
	switch {
	case points > 0:
		return fmt.Sprintf("1..%d\n", points)
	case standing.Broken(e) != "":
		return "1..1\n"
	}
	return "1..0 # SKIP no tests\n"
}

func point(out *bufio.Writer, n int, e *envelope.Envelope, t *envelope.Test, o Options) {
	ok, directive := result(e, t, o)
	line := fmt.Sprintf("%s %d", ok, n) + words.Around(" - ", escape(t.Key.String()), words.If(standing.LooksVaried(t.Key), " []"))
	out.WriteString(strings.TrimRight(line+directive, " ") + "\n")
	if t.Status != envelope.Pass && t.Status != envelope.Skip {
		block(out, t)
	}
}

func result(e *envelope.Envelope, t *envelope.Test, o Options) (ok, directive string) {
	if standing.Spared(e, t) {
		return undecided(o, standing.Unsettled(t))
	}
	switch t.Status {
	case envelope.Pass:
		return "ok", ""
	case envelope.Skip:
		return "ok", " # SKIP " + escape(cmp.Or(standing.FirstMessage(t, text.Line), t.Verdict.Reason))
	case envelope.Inconclusive:
		return undecided(o, "inconclusive")
	}
	return "not ok", ""
}

// undecided is a point that neither passed nor failed, in the form of the options.
func undecided(o Options, why string) (ok, directive string) {
	switch o.Inconclusive {
	case TodoNotOK:
		return "not ok", " # TODO " + why
	case SkipIt:
		return "ok", " # SKIP " + why
	}
	return "ok", " # TODO " + why
}

const (
	nameLimit = 1000    // bytes of a description
	textLimit = 4 << 10 // bytes of a scalar
)

var escaper = strings.NewReplacer(`\`, `\\`, `#`, `\#`)

// directive is what a reader that knows no escapes takes for a directive: it looks behind the
// first # and any blanks for the word alone, in any case, as far as Python folds it.
var directive = regex.Of(`(?i)(#[\s\v\x1c-\x1f\x85\p{Z}]*)(TODO|SK[Iİı]P)`)

// escape cuts, then escapes, so that no cut parts a backslash from its character. A
// backslash before the word breaks a directive for readers without escapes; no
// other single backslash stands before a letter.
func escape(s string) string {
	return directive().ReplaceAllString(escaper.Replace(text.CutLine(text.Line(s), nameLimit)), `$1\$2`)
}

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
	excluded := words.ByName(t.Trials.Excluded, func(class string, n int) string { return fmt.Sprintf("%s %d", class, n) })
	scalar("excluded", quote(excluded))
	scalar("trials", quote(t.Rows.Outcome.String()))
	scalar("planned", t.Trials.Planned.Text("", func(n int64) string { return strconv.FormatInt(n, 10) }))
	scalar("ended", quote(string(t.Ended)))
	if r := t.Rate.PerProtocol; r != nil {
		scalar("rate", formatNumber(r.Value))
		scalar("rate_interval", interval(r.Lo, r.Hi, r.Method))
	}
	if r := t.Rate.IntentToTreat; r != nil {
		scalar("rate_intent_to_treat", formatNumber(r.Value))
	}
	scalar("rule", quote(t.Verdict.Rule))
	scalar("threshold", t.Verdict.Threshold.Text("", formatNumber))
	scalar("min_coverage", t.Verdict.MinCoverage.Text("", formatNumber))
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
	s = text.CutLine(text.Line(s), textLimit)
	return words.If(s != "", standing.Quote(s))
}

func interval(lo, hi float64, method string) string {
	s := fmt.Sprintf("%s to %s", strconv.FormatFloat(lo, 'f', 3, 64), strconv.FormatFloat(hi, 'f', 3, 64))
	s += words.Around(" (", method, ")")
	return quote(s)
}

func formatNumber(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
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
