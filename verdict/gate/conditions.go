package gate

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
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

// evaluate asks every gate of the policy. A gate about the run holds when it can
// be shown to hold; a gate about each test is asked of the tests that have the
// values it looks at.
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
		return names[0] == "metrics" || slices.ContainsFunc([]string{"rate", "like", "clusters"}, func(of string) bool { return begins(names, []string{"summary", of}) })
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
		if number, isReal := v.(float64); isReal {
			v = rule.ShortDecimal(number)
		}
		values = append(values, value{p, v})
		saw = append(saw, fmt.Sprintf("%s = %v", p, v))
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
		return envelope.Pass, "holds for all " + words.Plural(asked, "test", "tests") + " that have the value but " + words.Plural(excused, "flaky one", "flaky ones") + " in quarantine"
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
