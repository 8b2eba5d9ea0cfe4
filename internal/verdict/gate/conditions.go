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
	"tribunal/internal/each"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/policy"
)

// RunnerExit is the name of the gate about the exit code of the runner.
const RunnerExit = "runner exit code"

// unexplained is for a runner whose exit code reports failed tests, although its report has none.
const unexplained = "the runner exited with a failure, but its report has no failed trial: read the runner's log"

// Named returns a gate. Without a name, the expression is its name.
func Named(name, expr string) envelope.GateExpr {
	name = cmp.Or(name, strings.TrimSpace(expr))
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
			errs = append(errs, fmt.Errorf("gate %q: %w", words.Shortened(g.Name), err))
		}
	}
	return errors.Join(errs...)
}

// AskTests reports whether a gate is about each test.
func AskTests(gates []envelope.GateExpr) bool {
	return slices.ContainsFunc(gates, func(g envelope.GateExpr) bool {
		e, err := compile(g.Expr)
		return err == nil && e.perTest
	})
}

// evaluate evaluates all gates of the policy. A gate about the run fails if its values are unknown.
// A gate about each test ignores tests without its values.
func evaluate(env *envelope.Envelope) []envelope.GateResult {
	var results []envelope.GateResult
	if r := env.Summary.Rate.IntentToTreat; env.Policy.RunnerFailed.V && (r == nil || r.Value >= 1) {
		results = append(results, envelope.GateResult{Name: RunnerExit, Status: envelope.Fail, Saw: unexplained})
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
				result.Saw += "; it is biased, because " + why + ": use a fixed -n without --stop early, or judge the tests, such as --threshold 0.9"
			}
			if result.Status == envelope.Skip { // unknown values fail a gate about the run
				result.Status = envelope.Fail
			}
		}
		results = append(results, result)
	}
	return results
}

// needsFixed reports whether the gate is about a rate or metric of the run. Those are biased
// if outcomes decided how many trials each test has.
func (e *expression) needsFixed() bool {
	return slices.ContainsFunc(e.paths, func(p path) bool {
		names := p.names()
		return names[0] == "metrics" || slices.ContainsFunc([]string{"rate", "like", "clusters"},
			func(of string) bool { return begins(names, []string{"summary", of}) })
	})
}

// ask evaluates the gate once, on the values of its paths. It compares short decimals, so that three tests at $0.10 are not above $0.30.
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
		says += words.If(strings.Contains(says, "metrics."), "; ask for it with --metric or -k, or run more trials")
		return envelope.Skip, says
	}
	switch holds, err := e.holds(values); {
	case err != nil:
		return envelope.Fail, err.Error()
	case holds:
		return envelope.Pass, strings.Join(saw, ", ")
	}
	return envelope.Fail, strings.Join(saw, ", ")
}

// inFewDigits formats a value with just enough digits to compare it with the numbers in the gate.
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
		return envelope.Fail, "no test has " + strings.Join(each.Of(e.paths, path.String), " and ")
	case len(failed) == 0:
		return envelope.Pass, "true in all " + words.Plural(asked, "test", "tests") + " that have the value" +
			words.If(excused > 0, " except "+words.Plural(excused, "flaky one", "flaky ones")+" in quarantine")
	}
	const gateNames = 3 // the most tests that the outcome of a failed gate names
	return envelope.Fail, "false in " + words.Of(len(failed), asked, "test", "tests") + ": " + words.First(failed, gateNames, strings.Clone)
}

// everyTrial are prefixes of dot paths whose values need all trials. They change if a test stops as soon as its verdict is certain.
var everyTrial = [][]string{
	{"metrics"}, {"rate"}, {"summary", "rate"}, {"summary", "like"}, {"summary", "clusters"}, {"summary", "labels"}, {"summary", "votes"},
	{"score"}, {"reliability"}, {"checks"},
	{"verdict", "statistic"}, {"verdict", "interval"}, {"verdict", "p_value"}, {"verdict", "p_adjusted"},
}

// CheckEarly rejects gates on values that need all trials.
func CheckEarly(gates []envelope.GateExpr) error {
	var errs []error
	for _, g := range gates {
		e, err := compile(g.Expr)
		if err != nil {
			errs = append(errs, fmt.Errorf("gate %q: %w", words.Shortened(g.Name), err))
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

// notices are warnings next to the status of the gate, for instance that no test passed. They do not change the exit code.
func notices(env *envelope.Envelope, cannotPass, undecided string) []envelope.GateNotice {
	var out []envelope.GateNotice
	say := func(says, format string, args ...any) {
		out = append(out, envelope.GateNotice{Says: says, Why: fmt.Sprintf(format, args...)})
	}
	c := &env.Summary.Counts
	if c.Tests > 0 && c.Skip == c.Tests {
		say(nothingJudged, "every test was skipped")
	}
	switch {
	case c.Pass == 0 && c.Inconclusive > 0:
		say(nothingProved, "no test passed, and %s undecided", words.Plural(c.Inconclusive, "is", "are"))
	case c.Pass == 0 && env.Summary.Excused > 0:
		say(nothingProved, "no test passed, and %s excused", words.Plural(env.Summary.Excused, "is", "are"))
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

// doubtfulNotices are the notices that make the input unusable under a strict policy, because the gate then proves nothing.
var doubtfulNotices = map[string]bool{nothingJudged: true, nothingCanPass: true, limitReached: true}

// whole judges the run if the policy has a threshold for it. It compares the interval of the pass rate, on these tests or on tests like
// these. If tests stopped at a verdict, the result is inconclusive: failing tests then have fewer trials, which biases the rate.
func whole(env *envelope.Envelope) (result envelope.GateResult, asked bool) {
	p := &env.Policy
	if !p.RunThreshold.OK {
		return result, false
	}
	rate, of := env.Summary.Rate.PerProtocol, "these tests"
	if p.RunScope == policy.ScopeLike {
		rate, of = nil, "similar tests"
		if like := env.Summary.Like; like != nil {
			rate = like.Rate
		}
	}
	const wholeRun = "run" // the name of the gate that judges the run as a whole
	result = envelope.GateResult{Name: wholeRun, Expr: "pass rate on " + of + " at least " + words.Level(p.RunThreshold.V),
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
		result.Saw += "; this rate is biased, because " + why + ": use a fixed -n without --stop early, or judge tests, such as --threshold 0.9"
		return result, true
	}
	result.Status = OfRate(rate, p.RunThreshold.V)
	if p.RunScope != policy.ScopeLike {
		eachVariant(env, &result)
	}
	return result, true
}

// eachVariant judges each variant of a run, and all must pass. A good variant does not make up for a bad one.
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

// biased returns why the pass rate of all trials is biased, or "".
func biased(env *envelope.Envelope) string {
	switch s := env.Summary.Stopped; {
	case s == nil:
		return ""
	case s.P.OK:
		return "tests that failed have more or fewer trials than the rest"
	default:
		return words.Plural(s.Tests, "test", "tests") + " stopped at a verdict"
	}
}

// OfRate returns pass if the interval of a rate is above the threshold, fail if it is below, and otherwise inconclusive.
func OfRate(rate *envelope.Rate, threshold float64) envelope.Status {
	switch {
	case rate.Lo > threshold:
		return envelope.Pass
	case rate.Hi < threshold:
		return envelope.Fail
	}
	return envelope.Inconclusive
}
