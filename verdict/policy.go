package verdict

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/internal/suggest"
	"tribunal/verdict/rule"
)

// What an inconclusive test does to the exit code.
const (
	TreatNeutral = "neutral" // nothing: it is shown, and never reddens
	TreatFail    = "fail"    // the same as a failure
	TreatExit3   = "exit3"   // exit code 3 when nothing failed
)

// The families of tests to adjust over.
const (
	FamilyRun   = "run"
	FamilySuite = "suite"
)

// InconclusiveRule is what `inconclusive: {on: true}` alone selects.
const InconclusiveRule = "wald"

const defaultMinTrials = 5

// Layer puts policies on top of each other: what a later one says replaces what
// an earlier one said. A layer that changes the rule drops the retry rule and
// the minimum of trials that came with the earlier rule. What Resolve derived
// for an earlier one is left to be derived anew, so that judging again gives
// what judging the trials under all layers gives.
func Layer(layers ...envelope.Policy) envelope.Policy {
	var out envelope.Policy
	for _, layer := range layers {
		if layer.Rule == rule.UnlessNamed && namesRule(out) {
			layer.Rule = ""
		}
		if isResolved(out) {
			takeBack(&out)
		}
		if layer.Rule != "" && layer.Rule != out.Rule {
			out.RetryRule, out.MinTrials = "", envelope.Opt[int]{}
		} else if layer.Rule != "" {
			out.RetryRule = ""
		}
		set(&out, layer)
	}
	return out
}

// namesRule reports whether somebody chose the rule: the default one that
// Resolve filled in comes with a retry rule.
func namesRule(p envelope.Policy) bool {
	return p.Rule != "" && !(isResolved(p) && p.Rule == "all" && p.RetryRule == "any")
}

// isResolved reports a policy that went through Resolve: what a layer says for
// itself is never all of this.
func isResolved(p envelope.Policy) bool {
	return p.Confidence.OK && p.ScoreThreshold.OK && p.MinCoverage.OK && p.Adjust != "" && p.Family != "" && p.OnConflict != ""
}

// takeBack drops the parameters that are what their rule derives anyway.
func takeBack(p *envelope.Policy) {
	rule, err := rule.ByName(p.Rule)
	if err != nil || rule.Fill == nil {
		return
	}
	parameters := func(p *envelope.Policy) []*envelope.Opt[float64] {
		return []*envelope.Opt[float64]{&p.Threshold, &p.Alpha, &p.Beta, &p.Gap}
	}
	derived := *p
	for _, v := range parameters(&derived) {
		*v = envelope.Opt[float64]{}
	}
	rule.Fill(&derived)
	for i, v := range parameters(p) {
		if *v == *parameters(&derived)[i] {
			*v = envelope.Opt[float64]{}
		}
	}
}

// Fill is the policy with the gaps filled by another.
func Fill(p, gaps envelope.Policy) envelope.Policy {
	set(&gaps, p)
	return gaps
}

// set copies every field that layer says.
func set(p *envelope.Policy, layer envelope.Policy) {
	to, from := reflect.ValueOf(p).Elem(), reflect.ValueOf(layer)
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// Resolve makes a layered policy effective: it fills in the defaults of its
// rule and checks every value. The error lists everything that is wrong, with
// the valid ranges.
func Resolve(p envelope.Policy) (envelope.Policy, error) {
	p, rule, err := resolveAlone(p)
	if rule.Name == "" {
		return p, err
	}
	return p, errors.Join(err, checkAdjust(p, rule), checkOverrides(p))
}

// resolveAlone is Resolve without a look at the overrides and at the tests they
// leave for the policy. The rule has no name when it, or the retry rule, is
// unknown.
func resolveAlone(p envelope.Policy) (envelope.Policy, rule.Rule, error) {
	if p.Rule == "" {
		p.Rule = "all"
		if p.RetryRule == "" {
			p.RetryRule = "any"
		}
	}
	by, err := rule.ByName(p.Rule)
	if err != nil {
		return p, by, err
	}
	p.Rule = by.Name
	if p.RetryRule != "" {
		retry, err := rule.ByName(p.RetryRule)
		if err != nil {
			return p, rule.Rule{}, fmt.Errorf("retry_rule: %w", err)
		}
		p.RetryRule = retry.Name
	}
	p.K = ascending(p.K)
	fill(&p, by)
	return p, by, errors.Join(CheckValues(p), by.Check(p))
}

// CheckValues checks each value that a layer says on its own: known words and
// ranges that hold for every rule.
func CheckValues(p envelope.Policy) error {
	return errors.Join(checkRules(p), checkWords(p), checkNumbers(p), checkMetrics(p), checkGates(p), checkRedact(p), checkQuarantine(p))
}

func checkRules(p envelope.Policy) error {
	var errs []error
	for _, name := range []string{p.Rule, p.RetryRule} {
		if name != "" {
			_, err := rule.ByName(name)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func fill(p *envelope.Policy, rule rule.Rule) {
	defaults := envelope.Policy{
		ScoreThreshold: envelope.Some(0.5), Confidence: envelope.Some(0.95), TreatAs: TreatNeutral, Adjust: "none", Family: FamilyRun,
		MinCoverage: envelope.Some(0.0), OnConflict: envelope.ConflictExtend, KeepDetails: "5", Metrics: MetricsDefault,
	}
	*p = Fill(*p, defaults)
	if rule.Fill != nil {
		rule.Fill(p)
	}
	if rule.ThreeWay && !p.MinTrials.OK {
		p.MinTrials = envelope.Some(rule.MinTrials())
	}
}

func checkWords(p envelope.Policy) error {
	return errors.Join(
		oneOf("treat_as", p.TreatAs, TreatNeutral, TreatFail, TreatExit3),
		oneOf("adjust", p.Adjust, adjustments()...),
		oneOf("family", p.Family, FamilyRun, FamilySuite),
		oneOf("on_conflict", p.OnConflict, envelope.ConflictExtend, envelope.ConflictReplace, envelope.ConflictError),
		checkKeep(p.KeepDetails),
	)
}

// oneOf accepts a known word, and none.
func oneOf(name, word string, known ...string) error {
	if word == "" || slices.Contains(known, word) {
		return nil
	}
	return suggest.Unknown(name, word, known)
}

func checkKeep(word string) error {
	if word == "" {
		return nil
	}
	_, err := KeepDetails(word)
	return err
}

// KeepDetails is how many details a test keeps: a number, "all" or "none".
func KeepDetails(word string) (int, error) {
	switch word {
	case "all":
		return count.KeepAll, nil
	case "none":
		return 0, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("keep_details %q: give a number of trials per test, all or none", word)
	}
	return n, nil
}

func checkNumbers(p envelope.Policy) error {
	return errors.Join(
		within("confidence", p.Confidence, 0.80, 0.999, "80 to 99.9 percent"),
		finiteNumber("threshold", p.Threshold),
		finiteNumber("score_threshold", p.ScoreThreshold),
		between0And1("alpha", p.Alpha),
		between0And1("beta", p.Beta),
		between0And1("gap", p.Gap),
		within("min_coverage", p.MinCoverage, 0, 1, "0 to 1"),
		checkMinTrials(p.MinTrials),
		checkExpected("expect_trials", p.ExpectTrials),
		checkExpected("expect_tests", p.ExpectTests),
		atLeast("cost_limit_usd", p.CostLimitUSD),
		atLeast("run_cost_limit_usd", p.RunCostLimitUSD),
	)
}

func checkMinTrials(n envelope.Opt[int]) error {
	if n.OK && n.V < 1 {
		return fmt.Errorf("min_trials %d: give 1 or more", n.V)
	}
	return nil
}

func checkExpected(name string, n envelope.Opt[int64]) error {
	if n.OK && n.V < 1 {
		return fmt.Errorf("%s %d: give 1 or more", name, n.V)
	}
	return nil
}

func atLeast(name string, v envelope.Opt[float64]) error {
	if v.OK && !(v.V >= 0 && envelope.Finite(v.V).OK) {
		return fmt.Errorf("%s %s is out of range: give 0 or more dollars, a finite number", name, number(v.V))
	}
	return nil
}

func finiteNumber(name string, v envelope.Opt[float64]) error {
	if !v.OK || envelope.Finite(v.V).OK {
		return nil
	}
	return fmt.Errorf("%s %s is out of range: give a finite number", name, number(v.V))
}

func between0And1(name string, v envelope.Opt[float64]) error {
	if !v.OK || v.V > 0 && v.V < 1 {
		return nil
	}
	return fmt.Errorf("%s %s is out of range: it must be above 0 and below 1", name, number(v.V))
}

func within(name string, v envelope.Opt[float64], lo, hi float64, says string) error {
	if !v.OK || v.V >= lo && v.V <= hi {
		return nil
	}
	return fmt.Errorf("%s %s is out of range: give %s", name, number(v.V), says)
}

// Fraction reads a confidence level given as a fraction or as a percentage:
// 0.95 and 95 are the same level.
func Fraction(level float64) float64 {
	const digits = 1e12 // 99.9 percent is 0.999, not 0.9990000000000001
	if level > 1 {
		return math.Round(level/100*digits) / digits
	}
	return level
}

// number is a number in words, in the 15 digits that every decimal survives: what
// was 0.8 - 0.1 is 0.7, not 0.7000000000000001.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 15, 64) }

// checkAdjust asks for a rule whose failures can be adjusted. Tests under other
// rules stay outside the family, but some must be in it.
func checkAdjust(p envelope.Policy, by rule.Rule) error {
	if p.Adjust == "none" || by.PValue != nil {
		return nil
	}
	for _, o := range p.Overrides {
		if over, err := rule.ByName(o.Policy.Rule); err == nil && over.PValue != nil {
			return nil
		}
	}
	if by.Sequential {
		return fmt.Errorf("adjust %s does not go with rule %s: a sequential test stops each test at a different number of trials, so its decisions have no p-values that could be adjusted; use anytime, whose e-values can", p.Adjust, by.Name)
	}
	return fmt.Errorf("adjust %s does not go with rule %s, which makes no statement with an error rate: use one of %s", p.Adjust, by.Name, strings.Join(rule.Adjustable(), ", "))
}

func checkOverrides(p envelope.Policy) error {
	var errs []error
	for i, o := range p.Overrides {
		if o.Match == "" && len(o.Labels) == 0 {
			errs = append(errs, fmt.Errorf("override %d matches no test: give it a match or labels", i+1))
		}
		if _, _, err := resolveAlone(override(p, o)); err != nil {
			errs = append(errs, fmt.Errorf("override %d (%s): %w", i+1, describe(o), err))
		}
	}
	return errors.Join(errs...)
}

func describe(o envelope.Override) string {
	if o.Match != "" {
		return o.Match
	}
	return fmt.Sprint(o.Labels)
}

// override is the policy with one override on top.
func override(p envelope.Policy, o envelope.Override) envelope.Policy {
	p.Overrides, p.Gates, p.RedactPatterns, p.RedactFields = nil, nil, nil, nil
	p.Quarantine, p.QuarantineCap = nil, envelope.Opt[int]{}
	return Layer(p, o.Policy)
}
