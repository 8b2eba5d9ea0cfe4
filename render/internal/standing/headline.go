package standing

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/plan"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/verdict/why"
	"tribunal/internal/words"
)

// Headline is what came of a run, the same in every report.
type Headline struct {
	Word  string   // PASS, FAIL, UNDECIDED, ERROR or SKIPPED
	Facts []string // "3 of 9 tests fail: 1 never passes, 2 flaky", …
	// Variants are what came of each of the first variants, where a run has several.
	Variants     []VariantLine
	MoreVariants int
	// More are lines below: the rate on similar tests, excluded trials.
	More []string
}

// VariantLine is the line of the headline for a variant.
type VariantLine struct{ Name, Says string }

// String is the headline in one line.
func (h Headline) String() string { return h.Word + "  " + strings.Join(h.Facts, " · ") }

// Below is the line below it; empty where there is none.
func (h Headline) Below() string { return strings.Join(h.More, " · ") }

const undecided = "UNDECIDED"

// Word is the word for a run: PASS, FAIL, UNDECIDED, ERROR or SKIPPED.
func Word(e *envelope.Envelope) string {
	g, s := &e.Gate, &e.Summary
	if g.Status == envelope.Pass && s.Skip == s.Tests {
		return "SKIPPED"
	}
	if g.Status == envelope.Inconclusive || g.Status == envelope.Pass && (s.Pass == 0 && s.Inconclusive > 0 && !e.Policy.RunJudgedAlone() ||
		slices.ContainsFunc(g.Gates, func(g envelope.GateResult) bool { return g.Status == envelope.Inconclusive })) {
		return undecided
	}
	return Mark(g.Status)
}

// HeadlineOf is the headline of a run. clean makes a text of the input one that is safe in the format.
func HeadlineOf(e *envelope.Envelope, clean func(string) string) Headline {
	h, s := Headline{Word: Word(e)}, &e.Summary
	if n := e.Gate.InputErrors; n > 0 && e.Gate.Status != envelope.Pass {
		h.Facts = append(h.Facts, why.Unusable(n, e.Problems)+words.Around(": ", clean(firstError(e))))
	}
	answer, rated := answered(e, h.Word)
	h.Facts = append(h.Facts, answer)
	counts, all, own := map[string]kindCounts{}, kindCounts{}, 0
	for i := range e.Tests {
		t := &e.Tests[i]
		if counts[t.Variant] == nil {
			counts[t.Variant] = kindCounts{}
		}
		kind := KindIn(e, t)
		counts[t.Variant][kind]++
		all[kind]++
		if t.Status == envelope.Fail && !t.Excused() && !CountsForRun(t) {
			own++
		}
	}
	decides := slices.IndexFunc(e.Gate.Gates, func(g envelope.GateResult) bool { return slices.Index(e.Gate.Reasons, g.Unheld()) == 0 })
	unheld := words.If(decides > 0 || decides == 0 && answer == "", GatesUnheld(&e.Gate)) // the answer is of the first
	ruled := words.If(own > 0 && e.Policy.RunJudgedAlone(), words.Plural(own, "test fails its own rule", "tests fail their own rules"))
	h.Facts = append(h.Facts, words.Join("; ", unheld, ruled, testsInWords(e, all, len(e.Tests))))
	const mostVariants = 6
	for _, v := range s.Variants[:min(len(s.Variants), mostVariants)] {
		h.Variants = append(h.Variants, VariantLine{cmp.Or(v.Name, "(no variant)"), variantInWords(e, &v, counts[v.Name])})
	}
	h.MoreVariants = len(s.Variants) - len(h.Variants)
	mean, byScore := "", s.Score != nil && envelope.JudgesScores(e.Policy.Rule)
	if s.Score != nil {
		mean = fmt.Sprintf("mean score %.2f [%.2f–%.2f]", s.Score.Value, s.Score.Lo, s.Score.Hi)
	}
	h.Facts = append(h.Facts, words.If(byScore, mean))
	if rate := s.Rate.PerProtocol; rate != nil && !Ordinary(e) {
		passed := trialsInWords(s.Trials)
		if s.Stopped != nil && s.Stopped.Rate != nil && !s.Stopped.P.OK {
			h.Facts = append(h.Facts, passed+", "+RateWithInterval(s.Stopped.Rate)+" corrected for early stops")
		} else if rated || byScore {
			h.Facts = append(h.Facts, passed)
		} else if h.Facts = append(h.Facts, passed+", "+RateWithInterval(rate)); s.Like != nil && s.Like.Rate != nil {
			h.More = append(h.More, "on similar tests "+RateWithInterval(s.Like.Rate)+" ("+SimilarTo(s.Like)+")")
		}
	}
	h.Facts = words.Present(append(h.Facts, words.If(!byScore, mean), s.WallMS.Text("", words.Duration), s.CostUSD.Text("", words.Dollars))...)
	h.More = append(h.More, words.Present(words.If(!Ordinary(e), Excluded(s)), words.If(h.Word == undecided && e.Gate.ExitCode == 0,
		"the build stays green (exit 0); add --treat-as fail to make it red"), words.If(e.Gate.Status == envelope.Fail && e.Gate.ExitCode == 0,
		"as the runner judged: no policy applies (exit 0); tribunal report judges"), words.If(s.Tests > 0 && h.Word == "SKIPPED",
		"the build stays green (exit 0); add --strict to make it red"))...)
	return h
}

const noRate = "no rate" // with it, a gate begins to say why there is none

// answered is the answer to the question that a threshold for the run asks; empty where there
// is none. rated reports that it has the rates of the run.
func answered(e *envelope.Envelope, word string) (answer string, rated bool) {
	p, s := &e.Policy, &e.Summary
	if !p.RunThreshold.OK || len(e.Gate.Gates) == 0 { // the run's gate is the first
		return "", false
	}
	run, these, of := &e.Gate.Gates[0], s.Rate.PerProtocol, ""
	switch {
	case p.RunScope == "like":
		of = " on similar tests"
	case len(s.Variants) > 1 && run.Status == envelope.Fail:
		of, these = " of a variant", nil
	case len(s.Variants) > 1:
		of, these = " of each variant", nil
	}
	rate, least := "the pass rate"+of, "at least "+words.Level(p.RunThreshold.V)
	switch {
	case run.Status == envelope.Pass:
		answer = rate + " is " + least
	case run.Status == envelope.Fail:
		answer = rate + " is below " + words.Level(p.RunThreshold.V)
	case word == undecided:
		answer = "is " + rate + " " + least + "?"
	default:
		answer = "undecided whether " + rate + " is " + least
	}
	var says []string
	if rated = these != nil && s.Stopped == nil; rated {
		says = append(says, words.Percent(these.Value)+" % on these tests "+Bounds(these))
		if like := s.Like; like != nil && like.Rate != nil {
			says = append(says, words.Percent(like.Rate.Value)+" % on similar tests "+Bounds(like.Rate))
		}
	}
	if p.RunScope == "like" { // the rate asked for comes first
		slices.Reverse(says)
	}
	says = words.Present(strings.Join(says, ", "))
	if run.Status == envelope.Inconclusive {
		if _, why, none := strings.Cut(run.Saw, noRate); none {
			why, _, _ = strings.Cut(why, ";")
			says = append(says, noRate+why)
		}
		if tests, trials, ok := plan.Decides(e); ok {
			says = append(says, "a run of about "+words.Plural(tests, "test", "tests")+" x "+words.Plural(trials, "trial", "trials")+" would decide")
		}
	}
	between := cmp.Or(words.If(strings.HasSuffix(answer, "?"), " "), ": ")
	return words.Join(between, answer, strings.Join(says, "; ")), rated
}

// Further says of an undecided test how many more trials would decide it, or why none would.
// It is empty for other tests, and after 30, as an estimate can take 15 ms.
func Further(e *envelope.Envelope) func(*envelope.Test) string {
	further, left := plan.Further(e), 30
	return func(t *envelope.Test) string {
		if left == 0 || t.KindOf() != envelope.KindUndecided {
			return ""
		}
		left--
		return further(t)
	}
}

// RunName is what the run is called: by itself, or after its inputs.
func RunName(e *envelope.Envelope) string {
	h := &e.Run
	if h.Name == "" && len(h.Sources) > 0 {
		base := path.Base(strings.ReplaceAll(h.Sources[0].Input, "\\", "/"))
		more := len(h.Sources) - 1
		if base == "journal.ndjson" && h.ID != "" {
			return h.ID
		}
		base = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(base, "."), ".gz"), ".zst")
		if base = strings.TrimSuffix(strings.TrimSuffix(base, path.Ext(base)), ".ctrf"); base != "" && base != "-" && base != "/" {
			return base + words.If(more > 0, " and "+words.Plural(more, "more input", "more inputs"))
		}
	}
	return cmp.Or(h.Name, "Test report")
}

// Ordinary reports a run like that of an ordinary suite: each test has one trial, or none.
func Ordinary(e *envelope.Envelope) bool {
	return !envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return t.Trials.Total > 1 })
}

// RateWithInterval is a rate with its interval: 85 % [64–95].
func RateWithInterval(r *envelope.Rate) string { return words.Percent(r.Value) + " % " + Bounds(r) }

// Bounds is an interval in percent: [64–95].
func Bounds(r *envelope.Rate) string {
	return "[" + words.Percent(r.Lo) + "–" + words.Percent(r.Hi) + "]"
}

// Excluded counts the trials that do not count, by class; empty where all do. A class
// that is no plain word may be the text of a test and is not named.
func Excluded(s *envelope.Summary) string {
	const most = 8 // classes
	total, others := 0, 0
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(s.Trials.Excluded)) {
		n := s.Trials.Excluded[class]
		total += n
		if class == "skip" {
			class = "skipped"
		}
		if len(parts) == most || strings.Trim(class, "abcdefghijklmnopqrstuvwxyz-_ ") != "" || len(class) > 40 {
			others += n
			continue
		}
		parts = append(parts, words.Count(n)+" "+class)
	}
	if total == 0 {
		return ""
	}
	if others > 0 {
		parts = append(parts, words.Count(others)+" other")
	}
	return words.Plural(total, "trial", "trials") + " excluded: " + strings.Join(parts, ", ")
}

// variantInWords is the line of the headline for a variant. Where trials stopped early, it
// has no rate: outcomes decided how many trials there are.
func variantInWords(e *envelope.Envelope, v *envelope.Variant, count kindCounts) string {
	facts := []string{testsInWords(e, count, v.Tests)}
	if v.Rate != nil && !Ordinary(e) {
		passed := trialsInWords(v.Trials) + words.If(e.Summary.Stopped == nil, ", "+RateWithInterval(v.Rate))
		facts = append(facts, passed)
	}
	return words.Join(" · ", append(facts, v.CostUSD.Text("", words.Dollars))...)
}

func trialsInWords(c envelope.TrialCounts) string {
	return words.Count(c.Passed) + " of " + words.Plural(c.Counted, "trial", "trials") + " passed"
}

type kindCounts map[envelope.Kind]int

// failingKinds are those of tests that make a build red, and what one and several of them are called in the headline.
var failingKinds = []struct {
	kind      envelope.Kind
	one, many string
}{
	{envelope.KindRegressed, "regressed", "regressed"}, {envelope.KindBroken, "never passes", "never pass"},
	{envelope.KindFlaky, "flaky", "flaky"}, {envelope.KindLowScore, "score too low", "score too low"},
	{envelope.KindErrored, "error", "errors"},
}

// testsInWords says how many tests fail, and of which kinds they are. Where the run alone
// is judged, it says how many pass less often than the run has to.
func testsInWords(e *envelope.Envelope, count kindCounts, total int) string {
	alone, failing := e.Policy.RunJudgedAlone(), 0
	var kinds []string
	for _, k := range failingKinds {
		n := count[k.kind]
		if alone && k.kind == envelope.KindErrored {
			continue
		}
		failing += n
		if n > 0 && (k.kind != envelope.KindBroken || !Ordinary(e)) {
			kinds = append(kinds, words.Plural(n, k.one, k.many))
		}
	}
	var says []string
	pass, flaky, open := count[envelope.KindPassed]+count[envelope.KindUnstable], count[envelope.KindUnstable], count[envelope.KindUndecided]
	fails, below := words.Verb(failing, " fails", " fail"), " below "+words.Level(e.Policy.RunThreshold.V)
	if alone {
		fails = words.Verb(failing, " is", " are") + below
	}
	switch {
	case total == 0:
		return "no tests"
	case count[envelope.KindSkipped] == total && total == len(e.Tests):
		return "nothing was judged: " + words.Of(total, total, "test was skipped", "tests were skipped")
	case failing == 0 && alone:
		says = append(says, "no test is"+below)
	case failing == 0 && open > 0 && e.Gate.Status == envelope.Fail && e.Policy.TreatAs == "fail":
		says = append(says, words.Of(open, total, "test", "tests")+words.Verb(open, " is undecided", " are undecided"),
			words.If(pass > 0, words.Plural(pass, "passes", "pass")))
		open = 0
	case failing == 0:
		all := words.If(pass < total, words.Count(pass)+" of ") + words.Plural(total, "test", "tests")
		says = append(says, all+words.Verb(min(total, cmp.Or(pass, 2)), " passes", " pass"))
		of := cmp.Or(words.If(flaky < pass, words.Count(flaky)+" of them "), words.If(pass > 1, "all "))
		says[0] += words.If(flaky > 0, ", "+of+"flaky")
		flaky = 0
	default:
		says = append(says, words.Of(failing, total, "test", "tests")+fails)
	}
	says[0] += words.If(len(kinds) > 1 || len(kinds) == 1 && !Ordinary(e), ": "+strings.Join(kinds, ", "))
	if n := count[envelope.KindErrored]; alone && n > 0 {
		says = append(says, words.Plural(n, "error", "errors"))
	}
	some := func(n int, word string) string { return words.If(n > 0, words.Count(n)+" "+word) }
	says = append(says, some(open, "undecided"), some(count[envelope.KindExcused], "quarantined"), some(flaky, "passing but flaky"),
		some(count[envelope.KindSkipped], "skipped"), some(count[envelope.KindNotRun], "not run"))
	return words.Join("; ", says...)
}

// KindIn is the kind of a test in a report. Where the run alone is judged, a test whose
// trials failed at times is flaky below the rate of the run, and passes at that rate.
func KindIn(e *envelope.Envelope, t *envelope.Test) envelope.Kind {
	kind := t.KindOf()
	if e.Policy.RunJudgedAlone() && (kind == envelope.KindRegressed || kind == envelope.KindFlaky || kind == envelope.KindUnstable) {
		if float64(t.Trials.Passed)/float64(t.Trials.Counted) >= e.Policy.RunThreshold.V {
			return envelope.KindUnstable
		} else if kind == envelope.KindUnstable {
			return envelope.KindFlaky
		}
	}
	return kind
}

// Causes are the first causes of failing tests, how many more there are, and a title;
// none where the tests themselves are no longer to read.
func Causes(e *envelope.Envelope) (title string, first []envelope.Cause, more int) {
	const most, mostTests = 5, 30 // of more tests, the causes come first in any case
	none := slices.IndexFunc(e.Summary.Causes, func(c envelope.Cause) bool { return c.By == "class" && c.Label == "no message" })
	if len(e.Summary.Causes) == 1 && none == 0 { // that explains nothing
		return "", nil, 0
	}
	open, explained, others := 0, 0, 0 // others do not fail, as those in quarantine
	for i := range e.Tests {
		switch red, caused := e.Tests[i].KindOf().Red(), len(e.Tests[i].Causes) > 0; {
		case red && caused:
			open, explained = open+1, explained+1
		case red:
			open++
		case caused:
			others++
		}
	}
	all := len(e.Summary.Causes)
	if e.Summary.OtherCauses != nil {
		all += e.Summary.OtherCauses.Causes
	}
	if open < 4 || all*2 > explained && open <= mostTests || all == 0 {
		return "", nil, 0
	}
	first = e.Summary.Causes[:min(len(e.Summary.Causes), most)]
	failing := words.Plural(open, "failing test", "failing tests")
	if explained < open {
		failing = words.Of(explained, open, "failing test", "failing tests")
	}
	failing += words.If(others > 0, " and "+words.Plural(others, "other with failed trials", "others with failed trials"))
	return words.Plural(all, "cause explains", "causes explain") + " " + failing, first, all - len(first)
}

// CauseLabel is what a cause says; a check, whose name alone says what should be, is said to have failed.
func CauseLabel(e *envelope.Envelope, c *envelope.Cause) string {
	check := c.By == "name" && envelope.AnyTest(e.Tests, func(t *envelope.Test) bool { return why.Named(t, c.Label) != c.Label })
	return words.If(check, why.FailedCheck) + c.Label
}

func firstError(e *envelope.Envelope) string {
	const most = 100 // bytes
	at := slices.IndexFunc(e.Problems, func(p envelope.Problem) bool { return p.Severity == envelope.SeverityError })
	if at < 0 {
		return ""
	}
	says, _, _ := strings.Cut(e.Problems[at].Message, " (")
	says, _, _ = strings.Cut(says, "; ") // what to do stands under Problems
	s := text.Line(words.Join(": ", e.Problems[at].Position(), says))
	if len(s) > most {
		return words.AtWord(s, most) + "…"
	}
	return s
}

// Reasons say why the build ends as it does, as far as neither the headline nor the gates listed beside them say it.
func Reasons(g *envelope.Gate) []string {
	return slices.DeleteFunc(g.Words(), func(reason string) bool {
		if counted().MatchString(reason) {
			return true
		}
		return slices.ContainsFunc(g.Gates, func(one envelope.GateResult) bool {
			return one.Status != envelope.Pass && one.Saw != "" && strings.Contains(reason, one.Name) && strings.HasSuffix(reason, one.Saw)
		})
	})
}

var counted = regex.Of(`^(NOTHING JUDGED: |[0-9,]+ (errors?|warnings?) in the input( under --strict)?$|` +
	`[0-9,]+ tests? (failed|errored|were not run|was not run|(is|are) undecided)$|RUN INCONCLUSIVE: )`)
