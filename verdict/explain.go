package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
)

// farthest is how many further trials of one kind Explain looks ahead.
const farthest = 10_000

// Explain says in plain words how a test came to its status and what would change it. The test is named as reports name
// it (suite/test [variant]) or by its name alone where that is unique. Everything is computed again from the envelope.
func Explain(e *envelope.Envelope, name string) (string, error) {
	t, err := FindTest(e, name)
	if err != nil {
		return "", err
	}
	r, err := newOverrider(e.Policy).of(t)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	status, by, change := cmp.Or(words.If(t.NotRun(), "NOT RUN"), shown(t.Status)), ruleInWords(r), changes(t, r, e.Policy.Adjust)
	if e.Policy.RunJudgedAlone() && !r.named && (t.Status == envelope.Pass || t.Status == envelope.Fail) {
		below := float64(t.Trials.Passed) < e.Policy.RunThreshold.V*float64(t.Trials.Counted)
		status = words.If(below, "below ") + words.If(!below, "at least ") + words.Level(e.Policy.RunThreshold.V)
		by, change = "only the run is judged; add --rule all to judge each test", nil
	}
	say("%s: %s%s", t.Key.RunnerName(), status, words.If(t.Excused(), ", excused by the quarantine"))
	label, lines := firstFailure(t)
	for i, line := range lines {
		say("  %-9s %s", words.If(i == 0, label), line)
	}
	say("  Why:      %s", t.Verdict.Reason)
	say("  Rule:     %s", by)
	say("  Trials:   %s in all, %d counted, %d passed%s", words.Plural(t.Trials.Total, "trial", "trials"), t.Trials.Counted, t.Trials.Passed,
		words.Around("; left out: ", classes(t.Trials.Excluded)))
	if rate := t.Rate.PerProtocol; rate != nil && !t.ByScore() {
		say("  Rate:     %.3f, Wilson interval %.3f to %.3f at %s", rate.Value, rate.Lo, rate.Hi, words.Level(rate.Confidence))
	}
	if failed := failedTrials(t); failed != "" {
		say("  Failed:   %s", failed)
	}
	if t.Verdict.PAdjusted.OK {
		say("  Adjusted: p = %.4g alone, %.4g after %s over the %s", t.Verdict.PValue.V, t.Verdict.PAdjusted.V, e.Policy.Adjust, e.Policy.Family)
	}
	if p := t.History; p != nil {
		runs := words.Plural(p.Runs, "run", "runs")
		say("  History:  %s over %s: %s (P all trials passed, M some, F none); %s", p.State, runs, p.Strip, p.Evidence)
	}
	for i, line := range change {
		say("  %-9s %s", words.If(i == 0, "Change:"), line)
	}
	return b.String(), nil
}

func shown(s envelope.Status) string {
	return cmp.Or(words.If(s == envelope.Inconclusive, "UNDECIDED"), strings.ToUpper(string(s)))
}

// firstFailure has what the first failing trial says, where its test is, and how its output ends. If no trial that counts
// failed, it is the first that was left out.
func firstFailure(t *envelope.Test) (label string, lines []string) {
	const most = 4 // lines of each
	failed := func(counted bool) int {
		return slices.IndexFunc(t.Details, func(d envelope.Detail) bool {
			o := envelope.Passed
			if d.Trial >= 0 && d.Trial < t.Rows.Len() {
				o = t.Rows.Outcome[d.Trial]
			}
			return o != envelope.Passed && o != envelope.Skipped && o.Counted() == counted
		})
	}
	label, at := "Failure:", failed(true)
	if at < 0 {
		label, at = "Left out:", failed(false)
	}
	if at < 0 {
		return "", nil
	}
	d := &t.Details[at]
	message, output := solidLines(d.Message), solidLines(d.Output)
	said := append(message[:min(len(message), most)], words.Join(":", t.File, words.If(t.File != "" && t.Line > 0, strconv.Itoa(t.Line))))
	if !slices.Equal(output, message) {
		said = append(said, output[max(len(output)-most, 0):]...)
	}
	said = words.Present(said...)
	first := fmt.Sprintf("trial %d", d.Trial+1) + words.Around(" (", d.ErrorClass, ")")
	var failing []string
	eachName(nil, false, t, d.Trial, func(check string) { failing = append(failing, check) })
	if len(message) > 0 {
		first, said = first+": "+said[0], said[1:]
	} else if len(failing) > 0 {
		first += ": failed check: " + words.First(failing, most, strings.Clone)
	}
	return label, append([]string{first}, said...)
}

func solidLines(s string) []string {
	return each.Where(strings.Split(s, "\n"), func(line string) bool { return strings.TrimSpace(line) != "" })
}

func failedTrials(t *envelope.Test) string {
	var numbers []int
	for i, outcome := range t.Rows.Outcome {
		if outcome.Counted() && outcome != envelope.Passed {
			numbers = append(numbers, i+1)
		}
	}
	return words.Around("trial"+words.If(len(numbers) > 1, "s")+" ", words.First(numbers, 20, strconv.Itoa))
}

// FindTest finds a test by the name that reports give it (suite/test [variant]), or by
// its name without suite or variant where that is unique. The error lists near names.
func FindTest(e *envelope.Envelope, name string) (*envelope.Test, error) {
	var exact, found []*envelope.Test
	var keys []string
	for i := range e.Tests {
		t := &e.Tests[i]
		if t.Key.String() == name || t.Key.RunnerName() == name {
			exact = append(exact, t)
		}
		alone, inSuite := envelope.Key{Suite: t.Suite, Test: t.Test}, envelope.Key{Test: t.Test, Variant: t.Variant}
		if t.Test == name || inSuite.String() == name || alone.String() == name || alone.RunnerName() == name {
			found = append(found, t)
		}
		keys = append(keys, t.Key.RunnerName())
	}
	switch {
	case len(exact) == 1:
		return exact[0], nil
	case len(exact) > 1:
		return nil, fmt.Errorf("%d tests are shown as %q: name one of them without its suite: %s", len(exact), name,
			words.Some(exact, func(t *envelope.Test) string {
				return strconv.Quote(envelope.Key{Test: t.Test, Variant: t.Variant}.String())
			}))
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return nil, unknownTest(e, name, keys)
	}
	return nil, fmt.Errorf("%d tests are called %q, for instance %q and %q: name one of them in full", len(found), name,
		found[0].Key.RunnerName(), found[1].Key.RunnerName())
}

// unknownTest is the error for a name that no test has: it names similar ones, and otherwise the first ones.
func unknownTest(e *envelope.Envelope, name string, keys []string) error {
	var near []string
	for i, key := range keys {
		if name != "" && strings.Contains(strings.ToLower(key), strings.ToLower(name)) ||
			len(suggest.Near(name, []string{key, e.Tests[i].Test})) > 0 {
			near = append(near, key)
		}
	}
	if len(near) > 0 {
		return fmt.Errorf("unknown test %q: did you mean %s?", name, words.First(near, 3, strconv.Quote))
	}
	if len(keys) == 0 {
		return fmt.Errorf("unknown test %q: the input has no test%s", name,
			words.Around("; ", words.First(e.Problems, 1, envelope.Problem.Text)))
	}
	const mostListed = 10
	return fmt.Errorf("unknown test %q; tests here: %s", name, words.First(keys, mostListed, strconv.Quote))
}

func ruleInWords(r *ruled) string {
	text := r.rule.Name + ", which " + r.rule.Doc
	for _, part := range []struct {
		name string
		v    envelope.Opt[float64]
	}{{"threshold", r.policy.Threshold}, {"confidence", r.policy.Confidence}, {"alpha", r.policy.Alpha}, {"beta", r.policy.Beta},
		{"gap", r.policy.Gap}} {
		text += words.If(part.v.OK && r.rule.ThreeWay, fmt.Sprintf("; %s %s", part.name, words.Number(part.v.V)))
	}
	text += words.If(r.rule.ThreeWay, fmt.Sprintf("; at least %s", words.Plural(r.policy.MinTrials.V, "trial", "trials")))
	if r.retry != nil {
		text += fmt.Sprintf("; rule %s for retries", r.retry.Name)
	}
	return text
}

// changes says how many further passes, or failures, would give another status.
func changes(t *envelope.Test, r *ruled, adjust string) []string {
	switch {
	case t.CostLimited && t.Ended != envelope.EndedCost:
		return []string{"more trials cannot change it: the cost limit was reached, so they are not counted"}
	case t.Excused():
		return []string{"the run fails when the quarantine no longer excuses it; see Why"}
	case slices.Contains([]string{"[run]", "[package]", "(plan)", "(bail out)"}, t.Test):
		return []string{"correct what failed outside the tests, and run them again"}
	case t.Status == envelope.Skip:
		return []string{"run it: every trial was skipped"}
	}
	s := rule.SampleOf(t.Rows)
	if offScale(s, r) {
		return []string{"unknown: there are scores outside 0 to 1, so the score of another pass or failure cannot be known"}
	}
	if r.rule.Name == unnamedRule && t.Status == envelope.Fail && s.Retries == 0 && t.Trials.Counted > 1 {
		return words.Present("more trials cannot change it: under this rule one failure is enough"+words.If(t.Trials.Passed > 0, ";"),
			words.If(t.Trials.Passed > 0, "to require a pass rate instead, use --threshold 0.9"))
	}
	out, retried := changesByRetry(t, s, r), r.retry != nil && s.Retries > 0
	other, others := words.If(retried, " that is not a retry"), words.If(retried, " that are not retries")
	if adjust != "" && adjust != "none" {
		raw := newWhatIf(t, s, r, true, farthest).status(0)
		out = append(out, fmt.Sprintf("without the adjustment (%s) this test is %s; also without it:", adjust, shown(raw)))
	}
	for _, next := range []struct {
		passed    bool
		before    int
		one, many string
	}{{false, t.Trials.Counted - t.Trials.Passed, "failure", "failures"}, {true, t.Trials.Passed, "pass", "passes"}} {
		of := ""
		if r.rule.Scored && (s.HasScores || r.rule.Ranged) {
			of = " with a score of " + words.Number(r.rule.Points(r.policy, next.passed))
			next.before, next.one, next.many = t.Trials.Counted, "trial", "trials"
		}
		n, status := newWhatIf(t, s, r, next.passed, farthest).firstChange()
		if n == 0 {
			if t.Status != map[bool]envelope.Status{true: envelope.Pass, false: envelope.Fail}[next.passed] { // else nobody asks
				out = append(out, "no number of further "+next.many+of+others+" changes it")
			}
			continue
		}
		more := words.If(next.before > 0, "more ")
		out = append(out, words.Plural(n, more+next.one+of+other, more+next.many+" in a row"+of+others)+" would make it "+shown(status))
	}
	return out
}

// changesByRetry says what one more retry of a failed test would do.
func changesByRetry(t *envelope.Test, s *rule.Sample, r *ruled) []string {
	if r.retry == nil || s.Retries == 0 {
		return nil
	}
	more := s.Clone()
	more.AddRetry(true)
	then := *t
	then.Trials.Total, then.Trials.Counted = then.Trials.Total+1, then.Trials.Counted+1
	_, found := decide(&then, more, r)
	if found.Status == t.Status {
		return nil
	}
	return []string{"1 more retry that passes would make it " + shown(found.Status)}
}
