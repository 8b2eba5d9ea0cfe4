// Package standing has what all plain formats share about how a run ended: the
// mark of a status, the group of a test, the counts of the tests in words.
//
// So all formats use the same words. Colours, escapes and number formats belong to a format.
package standing

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// Judge is what people's labels say of the judge that decided the trials, in a line; empty where there are none.
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
	}{{"sensitivity", l.Sensitivity, l.BothPass + l.LabelOnly, "labelled pass"},
		{"specificity", l.Specificity, l.JudgeOnly + l.Neither, "labelled fail"}} {
		if part.rate != nil {
			says += fmt.Sprintf("; %s %s (%s %s)", part.name, RateWithInterval(part.rate), words.Count(part.n), part.of)
		}
	}
	if l.Categories > 0 {
		says += fmt.Sprintf(" in %d categories; judge and label agree on %s", l.Categories, words.Count(l.Agree))
	}
	if k := l.Kappa; k != nil {
		says += fmt.Sprintf("; kappa %.2f [%.2f–%.2f]", k.Value, k.Lo, k.Hi)
	}
	says += words.If(l.Uncounted > 0, "; "+words.Plural(l.Uncounted, "label is", "labels are")+" of trials that do not count")
	return says
}

// Corrected is the pass rate behind the errors of the judge beside the judge's own, in a line, with all
// corrections and why one is missing if detailed, otherwise the best one; empty without labels.
func Corrected(s *envelope.Summary, detailed bool) string {
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
		{s.Rate.PerProtocol, verdicts.Raw, "the judge's own"},
		{l.Powered, verdicts.Powered, "prediction-powered"},
		{l.RoganGladen, verdicts.RoganGladen, "by sensitivity and specificity (Rogan-Gladen)"},
		{l.Truth, verdicts.Labels, "labels alone"},
	} {
		if part.rate != nil && (detailed || len(parts) < 2) {
			parts = append(parts, RateWithInterval(part.rate)+" "+part.by+words.If(part.status != "", ", "+Mark(part.status)))
		}
	}
	parts = append(parts, words.If(detailed && l.Verdicts != nil, "against "+words.Level(l.Threshold.V)))
	if detailed || len(words.Present(parts...)) < 2 {
		parts = append(parts, l.Notes...)
	}
	if own, right := s.Rate.PerProtocol, l.Powered; own != nil && right != nil {
		advice := "the labels do not prove a bias of the judge: label more trials to narrow the intervals"
		switch {
		case own.Value > right.Hi:
			advice = "the judge passes too many trials: use the prediction-powered rate"
		case own.Value < right.Lo:
			advice = "the judge fails too many trials: use the prediction-powered rate"
		}
		parts = append(parts, advice)
	}
	return words.Join("; ", parts...)
}

// Votes says how the judgements of a check vary, in a line; if not detailed, only what is to be done about it, if that is known.
func Votes(v envelope.VoteParts, detailed bool) string {
	part := func(name string, e *envelope.Estimate) string {
		if e == nil { // no test has two judged trials
			return ""
		}
		return fmt.Sprintf("%s %.3f [%.3f–%.3f]", name, e.Value, e.Lo, e.Hi)
	}
	numbers := words.Join("; ", words.Count(v.Votes)+" votes on "+words.Plural(v.Trials, "trial", "trials"),
		words.If(v.Alpha.OK, fmt.Sprintf("agreement beyond chance (alpha) %.2f", v.Alpha.V)),
		words.If(v.Graded > 0, words.Plural(v.Graded, "trial has", "trials have")+" votes between pass and fail, counted as one of the two"))
	variances := words.Join(", ", part("variance of the judge", v.Judge), part("of the agent", v.Agent))
	e := v.Share
	if e == nil {
		return words.Join("; ", numbers, variances)
	}
	share := fmt.Sprintf("the judge causes %s %% [%s–%s] of the variance", words.Percent(e.Value), words.Percent(e.Lo), words.Percent(e.Hi))
	helps := cmp.Or(words.If(e.Lo > 0.5, "more votes on each trial help most"),
		words.If(e.Hi < 0.5, "more trials help more than more votes"), "both more votes and more trials help")
	return words.Join("; ", words.If(detailed, numbers), share, words.If(detailed, variances), "to narrow the pass rate, "+helps)
}

// Labelled is what a person said of a trial beside what the judge said; empty for a trial without a label.
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
	for kind, what := range []string{"labelled fail and judged pass", "labelled pass and not judged pass", "labelled as another category"} {
		named := trials[kind]
		says = append(says, words.Around(what+": trial"+words.If(len(named) > 1, "s")+" ", words.First(named, most, strings.Clone)))
	}
	return words.Join("; ", says...)
}

// Letters explains the letters of outcomes.
const Letters = "P passed, F failed, E errored, X excluded, S skipped"

// Mark is the word for a status; one that is not known is an error.
func Mark(s envelope.Status) string { return cmp.Or(marks[s], "ERROR") }

var marks = map[envelope.Status]string{envelope.Pass: "PASS", envelope.Fail: "FAIL", envelope.Inconclusive: undecided, envelope.Skip: "SKIP"}

// MarkOf is the word for a test: its status, or where failing trials count for the run alone, the side of the run's rate it is on.
func MarkOf(e *envelope.Envelope, t *envelope.Test) string {
	switch {
	case t.NotRun():
		return "NOT RUN"
	case !CountsForRun(t):
		return Mark(t.Status)
	case !KindIn(e, t).Red():
		return "at least " + words.Level(e.Policy.RunThreshold.V)
	}
	return "below " + words.Level(e.Policy.RunThreshold.V)
}

// CountsForRun reports a test with failed trials that only the run is judged by.
func CountsForRun(t *envelope.Test) bool {
	return strings.Contains(t.Verdict.Reason, envelope.OnlyRunJudged)
}

// FailedTests is how many tests failed; those of a run that is judged alone do not.
func FailedTests(e *envelope.Envelope, n int) string {
	return words.Count(n) + cmp.Or(words.If(e.Policy.RunJudgedAlone(), " with failed trials"), " failed")
}

// Counts is how the tests of a run ended, without a word from a test: passed and failed are always shown, the others when there are any.
func Counts(e *envelope.Envelope) string {
	s := &e.Summary
	return words.Count(s.Pass) + " passed, " + FailedTests(e, s.Fail) + words.If(s.Error > s.NotRun, ", "+words.Plural(s.Error-s.NotRun, "error", "errors")) +
		words.If(s.NotRun > 0, ", "+words.Count(s.NotRun)+" not run") + words.If(s.Skip > 0, ", "+words.Count(s.Skip)+" skipped") +
		words.If(s.Inconclusive > 0, ", "+words.Count(s.Inconclusive)+" inconclusive") +
		words.If(s.Flaky > 0, "; "+words.Count(s.Flaky)+" flaky") + words.Around("; ", s.QuarantineWords())
}

const (
	nameLimit = 1000 // bytes of a name
	noSuite   = "(no suite)"
	noName    = "(unnamed)"

	// OwnSuite is that of results which stand for no test.
	OwnSuite = "(tribunal)"
)

// SuiteName is the name of a suite in a report. Two suites never share one: a name that
// a format cannot show as it is, or that looks like one made here, is marked. clean is a
// name as the format takes it.
func SuiteName(s string, clean func(string) string) string {
	if s == "" {
		return noSuite
	}
	shown := text.CutLine(clean(s), nameLimit)
	if shown != s || s == noSuite || s == OwnSuite || looksMarked(s) {
		return mark(shown, "suite", s)
	}
	return shown
}

// TestName is the name of a test in the suite of that name: the test and [variant]. Names without a
// mark are all different; a marked one ends in the hash of its key. The mark depends on the key
// alone, so that no other test renames this one.
func TestName(suite string, k envelope.Key, clean func(string) string) string {
	full := k.Test + words.Around(" [", k.Variant, "]")
	shown := text.CutLine(clean(full), nameLimit)
	if shown == "" || shown != full || looksMarked(full) || LooksVaried(k) || straddles(suite, shown) {
		return mark(shown, k.Suite, k.Test, k.Variant)
	}
	return shown
}

const within = " › " // between a suite and its test

// FullName is the name of a test where a report has no suites: suite › test [variant].
func FullName(k envelope.Key, clean func(string) string) string {
	suite := SuiteName(k.Suite, clean)
	name := TestName(suite, k, clean)
	before := name
	if k.Suite != "" {
		before, name = suite, suite+within+name
	}
	if strings.Contains(before, within) && !looksMarked(name) { // it could be that of another suite
		name = mark(name, k.Suite, k.Test, k.Variant)
	}
	return name
}

// LooksVaried reports a key whose name could be that of a test with another
// variant: "a [b]" without a variant, or a variant with " [" inside.
func LooksVaried(k envelope.Key) bool {
	if k.Variant == "" {
		return strings.HasSuffix(k.Test, "]") && strings.Contains(k.Test, " [")
	}
	return strings.Contains(k.Variant, " [")
}

// straddles reports a name that, joined with its classname the way GitLab does
// (suite_classname_name), reads the same as a name in a longer suite: "a_x" and suite "a" is
// "x" and suite "a_a". Of two such names, the one in the shorter suite is the one marked.
func straddles(classname, name string) bool {
	if strings.IndexByte(name, '_') < 0 { // that of the longer suite's name ends in this name
		return false
	}
	key := classname + "_" + classname + "_" + name
	for n := len(classname) + 1; 2*n+1 < len(key); n++ {
		if key[n] == '_' && key[2*n+1] == '_' && key[:n] == key[n+1:2*n+1] {
			return true
		}
	}
	return false
}

var markEnd = regex.Of(`~[0-9a-f]{12}$`)

func looksMarked(s string) bool {
	const size = 13 // of the end of a mark
	return len(s) >= size && s[len(s)-size] == '~' && markEnd().MatchString(s[len(s)-size:])
}

// mark puts a hash of the original words behind a name.
func mark(shown string, words ...string) string {
	h := sha256.New()
	for _, w := range words {
		sum := sha256.Sum256([]byte(w)) // of one size, so that no word runs into the next
		h.Write(sum[:])
	}
	return cmp.Or(shown, noName) + " ~" + hex.EncodeToString(h.Sum(nil)[:6])
}

// Kinds are the kinds of tests in the order of a report, and what the tests of each have
// in common: where tests have several trials, and in an ordinary run.
var Kinds = []struct {
	Kind            envelope.Kind
	title, ordinary string
}{
	{envelope.KindRegressed, "Regressed", "Regressed"}, {envelope.KindBroken, "Never passes", "Failed"},
	{envelope.KindFlaky, "Flaky", "Flaky"}, {envelope.KindLowScore, "Score too low", "Score too low"},
	{envelope.KindErrored, "Error", "Error"}, {envelope.KindNotRun, "Not run", "Not run"}, {envelope.KindUndecided, "Undecided", "Undecided"},
	{envelope.KindExcused, "Quarantined", "Quarantined"},
	{envelope.KindUnstable, "Passes, flaky", "Passes, flaky"}, {envelope.KindSkipped, "Skipped", "Skipped"},
	{envelope.KindPassed, "Passes", "Passes"},
}

// KindTitles are the titles of the kinds in a run, by their places among Kinds.
func KindTitles(e *envelope.Envelope) []string {
	out := make([]string, len(Kinds))
	for i, k := range Kinds {
		if out[i] = k.title; Ordinary(e) {
			out[i] = k.ordinary
		}
	}
	return out
}

// Group is where a test stands in a list of all tests: what needs a person comes first.
type Group int

// Where returns the tests that is accepts.
func Where(tests []envelope.Test, is func(*envelope.Test) bool) []*envelope.Test {
	return each.Where(each.Pointers(tests), is)
}

// WorstFirst sorts tests that fail: regressed and broken ones come before flaky ones.
func WorstFirst(tests []*envelope.Test) []*envelope.Test {
	order := []envelope.Kind{envelope.KindLowScore, envelope.KindFlaky, envelope.KindBroken, envelope.KindRegressed}
	slices.SortStableFunc(tests, func(a, b *envelope.Test) int {
		return slices.Index(order, b.KindOf()) - slices.Index(order, a.KindOf())
	})
	return tests
}

// The groups, in order.
const (
	Failed Group = iota
	Errored
	Undecided
	Quarantined // did not pass, and is known for it
	Flaky       // passed, but not every time
	Passed
	Skipped
	Groups // is how many there are
)

// GroupOf is the group of a test.
func GroupOf(t *envelope.Test) Group {
	switch {
	case t.Status == envelope.Skip:
		return Skipped
	case t.Status == envelope.Pass && t.Flaky:
		return Flaky
	case t.Status == envelope.Pass:
		return Passed
	case t.Quarantined:
		return Quarantined
	case t.Status == envelope.Fail:
		return Failed
	case t.Status == envelope.Inconclusive:
		return Undecided
	}
	return Errored
}
