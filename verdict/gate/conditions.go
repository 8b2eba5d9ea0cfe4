package gate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/verdict/rule"
)

// gateNames is how many tests that do not hold a gate are named in its outcome.
const gateNames = 3

// Of a runner whose exit code said that tests failed.
const (
	anyFailed   = "summary.rate.intent_to_treat.value < 1"
	unexplained = "the runner said that tests failed, and its report has no failed trial"
)

// Named is a gate with its name, or named after what it asks.
func Named(name, expr string) envelope.GateExpr {
	if name == "" {
		name = strings.TrimSpace(expr)
	}
	return envelope.GateExpr{Name: name, Expr: strings.TrimSpace(expr)}
}

// Valid checks the expression of a gate: see Check.
func Valid(expr string) error {
	_, err := compile(expr)
	return err
}

// Check compiles every gate of a policy.
func Check(p envelope.Policy) error {
	var errs []error
	for _, g := range p.Gates {
		if _, err := compile(g.Expr); err != nil {
			errs = append(errs, fmt.Errorf("gate %q: %w", g.Name, err))
		}
	}
	return errors.Join(errs...)
}

// AskTests reports whether any of some gates is about each test.
func AskTests(gates []envelope.GateExpr) bool {
	return slices.ContainsFunc(gates, func(g envelope.GateExpr) bool {
		e, err := compile(g.Expr)
		return err == nil && e.perTest
	})
}

// evaluate asks every gate of the policy. A gate about the run holds when it can be shown to hold;
// a gate about each test is asked of the tests that have the values it looks at.
func evaluate(env *envelope.Envelope) []envelope.GateResult {
	var results []envelope.GateResult
	if r := env.Summary.Rate.IntentToTreat; env.Policy.RunnerFailed.V && (r == nil || r.Value >= 1) {
		results = append(results, envelope.GateResult{Name: "runner exit code", Expr: anyFailed, Status: envelope.Fail, Saw: unexplained})
	}
	for _, g := range env.Policy.Gates {
		result := envelope.GateResult{Name: g.Name, Expr: g.Expr, Status: envelope.Fail}
		e, err := compile(g.Expr)
		switch {
		case err != nil: // Resolve checked it
			result.Saw = err.Error()
		case e.perTest:
			result.Status, result.Saw = e.overTests(env)
		default:
			result.Status, result.Saw = e.ask(func(p path) (any, bool) { return runValue(env, p) })
			if why := biased(env); why != "" && e.needsFixed() {
				result.Status = envelope.Inconclusive
				result.Saw += "; it is not a number of these tests, because " + why
			}
			if result.Status == envelope.Skip { // what is not known cannot be shown to hold
				result.Status = envelope.Fail
			}
		}
		results = append(results, result)
	}
	return results
}

// needsFixed reports a gate on a rate or a metric of the run, which are not those of its
// tests where outcomes said how many trials each has.
func (e *expression) needsFixed() bool {
	return slices.ContainsFunc(e.paths, func(p path) bool {
		names := p.names()
		return names[0] == "metrics" || slices.ContainsFunc([]string{"rate", "like", "clusters"},
			func(of string) bool { return begins(names, []string{"summary", of}) })
	})
}

// ask evaluates the gate once, on the values of its paths. Numbers are decimals to
// it, as the one it holds them against: three tests at $0.10 are not above $0.30.
func (e *expression) ask(find func(path) (any, bool)) (envelope.Status, string) {
	var values []value
	var saw, missing []string
	for _, p := range e.paths {
		v, ok := find(p)
		if !ok {
			missing = append(missing, p.String())
			continue
		}
		shown := fmt.Sprint(v)
		if number, isReal := v.(float64); isReal {
			number = rule.ShortDecimal(number)
			v, shown = number, e.inFewDigits(number)
		}
		values = append(values, value{p, v})
		saw = append(saw, p.String()+" = "+shown)
	}
	if len(missing) > 0 {
		says := strings.Join(missing, ", ") + " is not known"
		if strings.Contains(says, "metrics.") {
			says += "; --metric asks for a metric"
		}
		return envelope.Skip, says
	}
	holds, err := e.holds(values)
	if err != nil {
		return envelope.Fail, err.Error()
	}
	if holds {
		return envelope.Pass, strings.Join(saw, ", ")
	}
	return envelope.Fail, strings.Join(saw, ", ")
}

// inFewDigits writes a value of the gate in as few digits as show on which side of the
// numbers in the gate it lies.
func (e *expression) inFewDigits(v float64) string {
	var asked []float64
	for _, constant := range e.program.Constants {
		switch number := constant.(type) {
		case float64:
			asked = append(asked, number)
		case int:
			asked = append(asked, float64(number))
		}
	}
	if math.Abs(v) < 1000 {
		return words.Distinct(v, 'g', 4, asked...)
	}
	return strings.TrimSuffix(words.Distinct(v, 'f', 1, asked...), ".0")
}

// overTests asks the gate of every test.
func (e *expression) overTests(env *envelope.Envelope) (envelope.Status, string) {
	asked, excused, failed := 0, 0, []string{}
	for i := range env.Tests {
		t := &env.Tests[i]
		status, saw := e.ask(func(p path) (any, bool) { return walk(reflect.ValueOf(*t), p.names()) })
		if status == envelope.Skip {
			continue
		}
		asked++
		if status == envelope.Fail && t.Quarantined && t.Flaky {
			excused++
		} else if status == envelope.Fail {
			failed = append(failed, fmt.Sprintf("%s (%s)", t.Key, saw))
		}
	}
	switch {
	case asked == 0 && env.Summary.Tests == env.Summary.Skip:
		return envelope.Skip, "no test ran"
	case asked == 0:
		return envelope.Fail, "no test has " + e.looksAt()
	case len(failed) == 0 && excused > 0:
		return envelope.Pass, "holds for all " + words.Plural(asked, "test", "tests") + " that have the value but " +
			words.Plural(excused, "flaky one", "flaky ones") + " in quarantine"
	case len(failed) == 0:
		return envelope.Pass, "holds for all " + words.Plural(asked, "test", "tests") + " that have the value"
	}
	saw := fmt.Sprintf("%s: %s", words.Of(len(failed), asked, "test", "tests"), strings.Join(failed[:min(gateNames, len(failed))], ", "))
	if more := len(failed) - gateNames; more > 0 {
		saw += fmt.Sprintf(" and %d more", more)
	}
	return envelope.Fail, saw
}

// looksAt names the paths of the gate.
func (e *expression) looksAt() string {
	words := make([]string, len(e.paths))
	for i, p := range e.paths {
		words[i] = p.String()
	}
	return strings.Join(words, " and ")
}

// everyTrial are the beginnings of dot paths whose values a test has only from
// all its trials: they are others when it stops as soon as its verdict is certain.
var everyTrial = [][]string{
	{"metrics"}, {"rate"}, {"summary", "rate"}, {"summary", "like"}, {"summary", "clusters"}, {"summary", "labels"}, {"summary", "votes"},
	{"score"}, {"reliability"}, {"checks"},
	{"verdict", "statistic"}, {"verdict", "interval"}, {"verdict", "p_value"}, {"verdict", "p_adjusted"},
}

// CheckEarly reports the gates that look at what a test has only from all its trials.
func CheckEarly(gates []envelope.GateExpr) error {
	var errs []error
	for _, g := range gates {
		e, err := compile(g.Expr)
		if err != nil {
			errs = append(errs, fmt.Errorf("gate %q: %w", g.Name, err))
			continue
		}
		for _, path := range e.paths {
			if slices.ContainsFunc(everyTrial, func(root []string) bool { return begins(path.names(), root) }) {
				errs = append(errs, fmt.Errorf("gate %q looks at %s, which needs all trials", g.Name, path))
			}
		}
	}
	return errors.Join(errs...)
}

func begins(names, with []string) bool {
	return len(names) >= len(with) && slices.Equal(names[:len(with)], with)
}

// The words of the gate line.
const (
	nothingJudged  = "NOTHING JUDGED"
	nothingProved  = "NOTHING PROVED"
	nothingCanPass = "NOTHING CAN PASS"
	runUndecided   = "RUN INCONCLUSIVE"
	limitReached   = "LIMIT REACHED"
)

// notices are what the gate line says beside the status: that a gate which is not red is not green
// for any test that passed. They change no exit code by themselves.
func notices(env *envelope.Envelope, cannotPass, undecided string) []envelope.GateNotice {
	var out []envelope.GateNotice
	say := func(says, format string, args ...any) {
		out = append(out, envelope.GateNotice{Says: says, Why: fmt.Sprintf(format, args...)})
	}
	c := &env.Summary.Counts
	if c.Tests > 0 && c.Skip == c.Tests {
		say(nothingJudged, "%s", everyTest(c.Tests, "was skipped", "were skipped"))
	}
	if c.Pass == 0 && c.Inconclusive > 0 {
		say(nothingProved, "no test passed, and %s inconclusive", words.Plural(c.Inconclusive, "is", "are"))
	}
	if run, asked := whole(env); asked && run.Status == envelope.Inconclusive {
		say(runUndecided, "%s: %s", run.Expr, run.Saw)
	}
	if cannotPass != "" {
		say(nothingCanPass, "%s", cannotPass)
	}
	if undecided != "" {
		say(limitReached, "%s", undecided)
	}
	return out
}

func everyTest(n int, one, many string) string {
	if n == 1 {
		return "the only test " + one
	}
	return fmt.Sprintf("all %d tests %s", n, many)
}

// doubtfulNotices are those that are unusable input under a strict policy: whoever
// asks for strictness wants to know of a gate that holds nothing.
var doubtfulNotices = map[string]bool{nothingJudged: true, nothingCanPass: true, limitReached: true}

// wholeRun is the name of the gate that judges the run as a whole.
const wholeRun = "run"

// whole judges the run as a whole, where the policy has a threshold for it: three-way,
// by the interval of its pass rate on these tests or on tests like these. Where tests
// ended at a verdict it is inconclusive: those that fail have then fewer trials than
// those that pass, and the rate of all trials is not that of the tests.
func whole(env *envelope.Envelope) (result envelope.GateResult, asked bool) {
	p := &env.Policy
	if !p.RunThreshold.OK {
		return result, false
	}
	rate, of := env.Summary.Rate.PerProtocol, "these tests"
	if p.RunScope == policy.ScopeLike {
		rate, of = nil, "tests like these"
		if like := env.Summary.Like; like != nil {
			rate = like.Rate
		}
	}
	result = envelope.GateResult{Name: wholeRun, Expr: "pass rate on " + of + " above " + words.Percent(p.RunThreshold.V) + " %",
		Status: envelope.Inconclusive}
	if rate == nil {
		result.Saw = "no rate: fewer than two tests have trials that count"
		if p.RunScope != policy.ScopeLike {
			result.Saw = "no rate: no trial counts"
		} else if c := env.Summary.Clusters; c != nil {
			result.Saw = "no rate by " + c.By + ": " + c.Note
		}
		return result, true
	}
	result.Saw = words.Percent(rate.Value) + " %, " + words.Level(rate.Confidence) + " interval " +
		words.PercentFromTo(rate.Lo, rate.Hi, p.RunThreshold.V)
	if why := biased(env); why != "" {
		result.Saw += "; it is no rate of these tests, because " + why + ": run a fixed number of all, without --stop early"
		return result, true
	}
	result.Status = OfRate(rate, p.RunThreshold.V)
	if p.RunScope != policy.ScopeLike {
		eachVariant(env, &result)
	}
	return result, true
}

// eachVariant judges a run of several variants by each of them, and all must hold: a good
// one does not make up for a bad one.
func eachVariant(env *envelope.Envelope, result *envelope.GateResult) {
	var saw []string
	var states []envelope.Status
	threshold := env.Policy.RunThreshold.V
	for _, v := range env.Summary.Variants {
		if v.Skip == v.Tests {
			continue
		}
		status, says := envelope.Inconclusive, "no trial counts"
		if r := v.Rate; r != nil {
			status = OfRate(r, threshold)
			says = words.Percent(r.Value) + " %, " + words.Level(r.Confidence) + " interval " + words.PercentFromTo(r.Lo, r.Hi, threshold)
		}
		states = append(states, status)
		saw = append(saw, cmp.Or(v.Name, "(no variant)")+" "+says)
	}
	if len(states) < 2 {
		return
	}
	result.Saw = strings.Join(saw, "; ")
	result.Status = envelope.Pass
	for _, status := range []envelope.Status{envelope.Inconclusive, envelope.Fail} {
		if slices.Contains(states, status) {
			result.Status = status
		}
	}
}

// biased says why the pass rate of all trials is none of the tests; empty where it is.
func biased(env *envelope.Envelope) string {
	switch s := env.Summary.Stopped; {
	case s == nil:
		return ""
	case s.P.OK:
		return "tests that failed have more or fewer trials than others beyond chance"
	default:
		return "the trials of " + words.Plural(s.Tests, "test", "tests") + " ended at a verdict"
	}
}

// OfRate judges a pass rate three-way by its interval.
func OfRate(rate *envelope.Rate, threshold float64) envelope.Status {
	switch {
	case rate.Lo > threshold:
		return envelope.Pass
	case rate.Hi < threshold:
		return envelope.Fail
	}
	return envelope.Inconclusive
}
