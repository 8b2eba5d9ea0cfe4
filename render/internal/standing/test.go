package standing

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/jsontext"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
)

// Shown is the status of a test as reports for machines show it: a failure that does not
// make the build red is neither good nor bad.
func Shown(e *envelope.Envelope, t *envelope.Test) envelope.Status {
	if Spared(e, t) {
		return envelope.Inconclusive
	}
	return t.Status
}

// Judged is the number that a test is judged by, and its interval: its mean score under a rule on scores, else its pass rate.
func Judged(t *envelope.Test) (value, interval string) {
	if v := t.Verdict; t.ByScore() {
		if i := v.Interval; i != nil {
			interval = fmt.Sprintf("[%.2f–%.2f]", i.Lo, i.Hi)
		}
		return words.Distinct(t.Score.Mean, 'f', 2, v.Threshold.V), interval
	}
	if r := t.Rate.PerProtocol; r != nil {
		return words.Percent(r.Value) + " %", Bounds(r)
	}
	return "", ""
}

// Spared reports a failure that does not make the build red: a quarantine excuses it, or the run alone is judged
// and did not fail.
func Spared(e *envelope.Envelope, t *envelope.Test) bool {
	return t.Excused() || t.Status == envelope.Fail && CountsForRun(t) && e.Gate.ExitCode == 0
}

// Unsettled is what a machine reads of a test that is shown as inconclusive.
func Unsettled(t *envelope.Test) string {
	if t.Excused() {
		return "quarantined"
	}
	if CountsForRun(t) {
		return strings.TrimPrefix(envelope.OnlyRunJudged, "; ")
	}
	return string(envelope.Inconclusive)
}

// FirstDetails are the message and output of the first trial that has any.
func FirstDetails(t *envelope.Test) (message, output string) {
	for i := range t.Details {
		if d := &t.Details[i]; d.Message != "" || d.Output != "" {
			return d.Message, d.Output
		}
	}
	return "", ""
}

// Evidence is how a verdict came about, in a line: 8 of 20 trials passed: reason. Most
// reasons say the numbers themselves, and where no trial counted there are none.
func Evidence(t *envelope.Test) string {
	tally := words.Of(t.Trials.Passed, t.Trials.Counted, "trials", "trials") + " passed"
	reason := Reason(t)
	switch {
	case reason == "":
		return tally
	case t.Trials.Counted == 0, strings.HasPrefix(reason, tally):
		return reason
	}
	return tally + ": " + reason
}

// evidence are the numbers of sequential tests in a reason.
var evidence = regex.Of(` \((?:e-value|log-likelihood)[^)]*\)`)

// Reason is why a test has its verdict, without the numbers of a sequential test.
func Reason(t *envelope.Test) string { return evidence().ReplaceAllString(t.Verdict.Reason, "") }

// FirstMessage is what the first trial with something to say said.
func FirstMessage(t *envelope.Test, shown func(string) string) string {
	for i := range t.Details {
		if said := shown(t.Details[i].Message); said != "" {
			return said
		}
	}
	return ""
}

// Outcome is how a trial ended, and its word.
type Outcome struct {
	envelope.Outcome
	Word string
}

// Unusual are the outcomes of trials beside passed and failed, whose signs need a legend.
func Unusual(tests []*envelope.Test) []Outcome {
	all := []Outcome{{envelope.Errored, "error"}, {envelope.Excluded, "excluded"}, {envelope.Skipped, "skipped"}}
	return each.Where(all, func(o Outcome) bool {
		return slices.ContainsFunc(tests, func(t *envelope.Test) bool { return slices.Contains(t.Rows.Outcome, o.Outcome) })
	})
}

// NotKept is how many failing trials have no texts, because only those of others were kept.
func NotKept(t *envelope.Test) (n int) {
	kept := each.Set(each.Pointers(t.Details), func(d *envelope.Detail) int { return d.Trial })
	for row, o := range t.Rows.Outcome {
		_, said := t.Rows.Reason().At(row)
		if said && !kept[row] && (o == envelope.Failed || o == envelope.Errored) {
			n++
		}
	}
	return n
}

// DefinedAt is the file and the line of a test, "" where nobody knows.
func DefinedAt(t *envelope.Test) string {
	at := text.Line(t.File)
	at += words.If(at != "" && t.Line > 0, ":"+strconv.Itoa(t.Line))
	return at
}

// Quote is a safe text as a JSON string, which is always one line. It is for no page.
func Quote(s string) string {
	text, _ := jsontext.Marshal(s) // a string always encodes
	return string(text)
}

// EscapedInJSON marks bytes that readers might obey: all beyond ASCII, DEL, # and those given.
func EscapedInJSON(others string) (marked [256]bool) {
	for c := range marked {
		marked[c] = c >= 0x7f || c == '#' || strings.IndexByte(others, byte(c)) >= 0
	}
	return marked
}

// ASCII is JSON in which the characters marked, which occur in strings only, are escapes.
func ASCII(text []byte, marked *[256]bool) []byte {
	var out []byte
	start := 0
	for i := 0; i < len(text); {
		if !marked[text[i]] {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		out = append(out, text[start:i]...)
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
		i += size
		start = i
	}
	if start == 0 {
		return text
	}
	return append(out, text[start:]...)
}

// SimilarTo says what a rate on similar tests is drawn from: 11 tests, or 4 suites.
func SimilarTo(like *envelope.Clusters) string {
	switch like.By {
	case "test", "suite", "variant":
		return words.Plural(like.Count, like.By, like.By+"s")
	}
	return words.Plural(like.Count, "group", "groups")
}

// Digest is a hash of words, each with its length, so that no two lists run together into one.
func Digest(words ...string) [sha256.Size]byte {
	b := make([]byte, 0, 128) // most names fit
	for _, w := range words {
		b = append(append(strconv.AppendInt(b, int64(len(w)), 10), ':'), w...)
	}
	return sha256.Sum256(b)
}

// UUID is a UUID of a version made of 16 bytes of a hash.
func UUID(b []byte, version byte) string {
	b[6], b[8] = b[6]&0x0f|version<<4, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// Saved is what stopping at verdicts saved, behind the word saved; empty where it saved nothing.
func Saved(s *envelope.Summary) string { return savings(s.Saved, true, " by stopping at verdicts") }

// Beyond is what was paid behind verdicts, behind the word beyond; empty where that was nothing.
func Beyond(s *envelope.Summary) string {
	return savings(s.Beyond, false, ", run after the verdicts of their tests")
}

// EarlySaves is what stopping early would have saved on the very outcomes of the
// run, behind a word such as unneeded; empty where it would have saved nothing.
func EarlySaves(s *envelope.Summary) string {
	return savings(s.EarlySaves, true, ", which --stop early would not have started")
}

func savings(s *envelope.Savings, planned bool, how string) string {
	if s == nil {
		return ""
	}
	trials := words.If(planned, words.Count(s.Trials)+" of "+words.Count(s.Of)+" trials")
	return cmp.Or(trials, words.Plural(s.Trials, "trial", "trials")) +
		words.Around(" (", s.CostUSD.Text("", words.Dollars), ")") + how
}

const (
	mostChecks = 5 // failing checks that one line names
)

// Inside is what goes on inside the trials of a test, a line each: the checks that do not always pass, and where the
// trials part. Like all of a test it is not yet safe for any format.
func Inside(t *envelope.Test) []string {
	return words.Present(words.Around("checks that fail: ", FailingChecks(t)), words.Around("trials diverge ", Parting(t)))
}

// InsideBlock is Inside as lines that are safe for any terminal, each with the line break before it and of at most so many letters.
func InsideBlock(t *envelope.Test, limit int) string {
	var b strings.Builder
	for _, said := range Inside(t) {
		b.WriteString("\n" + text.CutLine(text.Line(said), limit))
	}
	return b.String()
}

// FailingChecks are the checks of a test that not all trials pass, those first that
// fewest pass, with how many do not; empty where there is none.
func FailingChecks(t *envelope.Test) string {
	var failing []string
	for _, name := range t.CheckNames() {
		if c := t.Checks[name]; c.Passed < c.N {
			failing = append(failing, words.Shortened(name)+" in "+words.Of(c.N-c.Passed, c.N, "trial", "trials"))
		}
	}
	return words.First(failing, mostChecks, strings.Clone)
}

// Broken says what is wrong with a run beside its tests: none could be judged, not all of the input could be read, so
// that tests and trials may be missing, or a strict policy takes what was judged for nothing. It is "" of a sound run.
func Broken(e *envelope.Envelope) string {
	switch {
	case len(e.Tests) == 0 && e.Gate.Status == envelope.Error:
		return "no test was judged: " + WhyBroken(e.Gate.Reasons, e.Problems)
	case e.Gate.InputErrors > 0:
		said, first := why.Unusable(e.Gate.InputErrors, e.Problems), WhyBroken(e.Gate.Reasons, e.Problems)
		return said + words.If(first != said, ": "+first)
	case e.Gate.Status == envelope.Error:
		return WhyBroken(e.Gate.Reasons, nil)
	}
	return ""
}

// Unheld says why a build is red beside its tests: gates that do not hold, and what is
// inconclusive where the policy treats that as failed. Reports of tests that leave it out
// are green of a red build. It is "" where nothing of that is so.
func Unheld(g *envelope.Gate) string {
	failed := each.Where(each.Pointers(g.Gates), func(r *envelope.GateResult) bool { return r.Status == envelope.Fail })
	says := each.Of(failed, (*envelope.GateResult).Unheld)
	return strings.Join(append(says, Treated(g)...), "; ")
}

// GatesUnheld counts the gates that do not hold; empty where all do.
func GatesUnheld(g *envelope.Gate) string {
	n := each.Count(g.Gates, func(r envelope.GateResult) bool { return r.Status == envelope.Fail })
	return words.If(n > 0, words.Plural(n, "gate does", "gates do")+" not hold")
}

// Treated says what is inconclusive where the policy treats that as failed, a line each.
func Treated(g *envelope.Gate) []string {
	return each.Where(g.Reasons, func(reason string) bool { return strings.HasSuffix(reason, envelope.TreatedAsFailed) })
}

// WhyBroken is why nothing could be judged: the first error of the input, or else the first reason of the gate.
func WhyBroken(reasons []string, problems []envelope.Problem) string {
	for _, p := range problems {
		if p.Severity == envelope.SeverityError {
			return p.String()
		}
	}
	if len(reasons) > 0 {
		return reasons[0]
	}
	return "the run is broken"
}

// Spent lists time, money, tokens and tool calls as far as they are known.
func Spent(h *envelope.Header, s *envelope.Summary) string {
	spent := words.Join(", ", s.DurationMS.Text("", words.Duration), s.SetupMS.Text("setup ", words.Duration),
		s.CostUSD.Text("", words.Dollars), s.SetupCostUSD.Text("setup ", words.Dollars),
		words.Around("", s.Tokens.Text("", words.Count[int64]), " tokens"))
	spent = words.Join("; ", spent, words.Around("setup of the run ", words.Join(", ", h.SetupMS.Text("", words.Duration),
		h.SetupCostUSD.Text("", words.Dollars))))
	if s.ToolCalls.OK && (s.ToolCalls.V > 0 || spent != "") {
		spent = words.Join(", ", spent, words.Count(s.ToolCalls.V)+" tool calls")
	}
	return spent
}

// shortMetrics are the metrics that people write with a sign before their k.
var shortMetrics = map[string]string{"pass_at_k": "pass@", "pass_hat_k": "pass^"}

// HasShortName reports whether people write the metric with a sign before its k.
func HasShortName(m *envelope.Metric) bool { return shortMetrics[m.Name] != "" }

// MetricName is the metric as people write it, as in pass@4 [gpt], or with its parameters, as in g_pass_at_k_tau(k=4, tau=0.5).
func MetricName(m *envelope.Metric) string {
	s := m.Name
	if sign, k := shortMetrics[m.Name], fmt.Sprint(m.Params["k"]); sign != "" && len(m.Params) == 1 && strings.Trim(k, "0123456789") == "" {
		s = sign + k
	} else if len(m.Params) > 0 {
		value := func(v any) string { text, _ := jsontext.Marshal(v); return strings.Trim(string(text), `"`) } // as --metric takes it
		s += "(" + words.ByName(m.Params, func(name string, v any) string { return name + "=" + value(v) }) + ")"
	}
	return s + words.Around(" [", m.Variant, "]")
}

// AskedMetrics are the metrics that the policy names, a line each, with why one has no value.
func AskedMetrics(e *envelope.Envelope) (lines []string) {
	for i := range e.Metrics {
		m := &e.Metrics[i]
		asked := slices.ContainsFunc(e.Policy.Metric, func(c envelope.MetricCall) bool { return c.Name == m.Name })
		if !asked {
			continue
		}
		posterior := words.If(m.Mu != m.Value, "; posterior mean "+words.Decimal(m.Mu.V)) +
			fmt.Sprintf(" [%s, %s]", words.Decimal(m.Lo.V), words.Decimal(m.Hi.V))
		lines = append(lines, MetricName(m)+m.Value.Text(": ", words.Decimal)+words.If(m.Mu.OK && m.Lo.OK && m.Hi.OK, posterior)+
			words.Around("; ", m.Note))
	}
	return lines
}

// frame is a place in source code as stack traces and compilers write it: file:line, file:line line, or File "file", line n.
var frame = regex.Of(`([^\s"'():]+\.(?:py|pyx|js|jsx|mjs|cjs|ts|tsx|mts|cts|vue|svelte|go|rs|java|kt|kts|scala|groovy|rb|php|pl|cs|fs|vb|c|cc|cpp|cxx|h|hpp|m|mm|swift|dart|ex|exs|erl|hs|lua|r|R|jl|sh|feature|robot))(?:", line |:line |:)([0-9]{1,7})\b`)

// foreign are folders of code that is not the project's own.
var foreign = regex.Of(`(^|/)(node_modules|site-packages|dist-packages|vendor|\.venv|venv|internal/process)/`)

// Origin is the file and line that a failure's stack trace names, in the file of the
// test where that is known. It is where the test stands when no trace says more.
func Origin(t *envelope.Test) (file string, line int) {
	file, line = text.Path(t.File), t.Line
	for i := range t.Details {
		if t.Details[i].Status == envelope.Pass {
			continue
		}
		if in, at := traced(t.Details[i].Message+"\n"+t.Details[i].Output, file); at > 0 {
			return in, at
		}
	}
	return file, line
}

// Owners says who owns the file of the test, "" where nobody does.
func Owners(t *envelope.Test) string {
	owners := strings.Join(t.Owners, ", ")
	switch len(t.Owners) {
	case 0:
		return ""
	case 1:
		return "owner " + owners
	}
	return "owners " + owners
}

// traced is the innermost frame of a trace that is in a file, or in the repository where
// the file is not known. Python writes that frame last, others write it first.
func traced(trace, file string) (in string, line int) {
	for _, m := range frame().FindAllStringSubmatch(trace, -1) {
		at := text.RootedPath(m[1])
		switch {
		case file == "" && (path.IsAbs(at) || !strings.Contains(at, "/") || strings.HasPrefix(m[1], "../") || foreign().MatchString(at)):
			continue
		case file == "":
		case at != file && !strings.HasSuffix(at, "/"+file) && at != path.Base(file):
			continue
		default:
			at = file
		}
		if line > 0 && path.Ext(at) != ".py" {
			break
		}
		in = at
		line, _ = strconv.Atoi(m[2]) // seven digits
	}
	return in, line
}
