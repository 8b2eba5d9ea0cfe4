package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

// What an inconclusive test does to the exit code.
const (
	TreatNeutral = "neutral" // nothing: it is shown, and never fails the run
	TreatFail    = "fail"    // the same as a failure
	TreatExit3   = "exit3"   // exit code 3 when nothing failed
)

// What the pass rate of a run is of.
const (
	ScopeThese = "these" // the tests of the run, tried again
	ScopeLike  = "like"  // tests like them
)

// The families of tests to adjust over.
const (
	FamilyRun   = "run"
	FamilySuite = "suite"
)

// The sets of metrics.
const (
	MetricsDefault = "default"
	MetricsAll     = "all"
	MetricsNone    = "none"
)

// callPattern is how a metric with parameters looks.
const callPattern = `^ *[a-z_]{3,} *(\(.*\))? *$`

// Keys is the table, in the order of help and of the details of a page. Adding a
// key is a field of envelope.Policy and a row.
var Keys = []Key{
	{Name: "config", Title: "configuration", Doc: "file that said a part of the policy", Flag: noFlag, YAML: noPath},
	{Name: "rule", Title: "rule", Doc: "rule that judges a test", OfRules: true,
		Absent: "anytime with a threshold alone, else all; for retries: any", PerTest: true, Compared: true},
	{Name: "retry_rule", Title: "rule after retries", Doc: "rule for tests whose extra trials are retries", OfRules: true,
		Absent: "the rule, if it or a threshold is set, else any", PerTest: true, Compared: true},
	{Name: "threshold", Title: "threshold", Doc: "pass rate to reach, 0.9 or 90%; anytime passes above threshold - gap", LookedAt: ByThresholdRules,
		PerTest: true, Compared: true, written: []fragment{{Type: "number"}, {Type: "string", Pattern: `^[0-9.]+ ?%$`}}},
	{Name: "confidence", Title: "confidence", Doc: "confidence level, 95, 95% or 0.95",
		Range: Range{min: &bound{at: 0.8}, max: &bound{at: 0.999}, says: "80 to 99.9 percent"}, Unit: Share, Percent: true,
		Default: 0.95, PerTest: true, Compared: true,
		written: []fragment{between(0.8, 0.999).schema("number"), between(80, 99.9).schema("number"), {Type: "string", Pattern: `^[0-9.]+ ?%$`}}},
	{Name: "min_trials", Title: "minimum trials", Doc: "fewer counted trials: undecided (except all, any, majority, mean)",
		Range: atLeast(1, ""), LookedAt: ByThreeWayRules, PerTest: true, Compared: true},
	{Name: "min_coverage", Title: "minimum coverage", Doc: "share of the unskipped trials that must count, else undecided",
		Range: between(0, 1), Unit: Share, Default: 0.0, PerTest: true, Compared: true},
	{Name: "treat_as", Title: "undecided is treated as", Doc: "what an undecided test or run does to the exit code",
		Words: []string{TreatNeutral, TreatFail, TreatExit3}, Default: TreatNeutral},
	{Name: "run_threshold", Title: "threshold of the run", Doc: "pass rate that the run as a whole must reach, 0.9, 90 or 90%",
		Range: inside(0, 1), Unit: Share, Rate: true, Absent: "the run is not judged",
		written: []fragment{inside(0, 1).schema("number"), between(10, 99.999).schema("number"), {Type: "string", Pattern: `^[0-9.]+ ?%$`}}},
	{Name: "run_scope", Title: "scope of the run", Doc: "pass rate of the run on: these (the same tests), like (similar tests)",
		Words: []string{ScopeThese, ScopeLike}, Absent: ScopeThese},
	{Name: "rule_named", Title: "rules that were named", Doc: "rules all and any were named, so that tests count beside run_threshold",
		Flag: noFlag, YAML: noPath},
	{Name: "alpha", Title: "alpha", Doc: "chance to fail a test at the threshold (sequential rules)", Range: inside(0, 1),
		LookedAt: BySequentialRules, PerTest: true, Compared: true},
	{Name: "beta", Title: "beta", Doc: "chance to pass a test at threshold - gap (sequential rules)", Range: inside(0, 1),
		LookedAt: BySequentialRules, PerTest: true, Compared: true},
	{Name: "gap", Title: "gap", Doc: "PASS shows a rate above threshold - gap (sequential rules)", Range: inside(0, 1),
		LookedAt: BySequentialRules, PerTest: true, Compared: true},
	{Name: "adjust", Title: "adjusted by", Doc: "fail fewer tests by chance", Words: []string{"none", "bonferroni", "holm", "bh", "by"},
		Default: "none", Compared: true},
	{Name: "family", Title: "family", Doc: "tests to adjust over", Words: []string{FamilyRun, FamilySuite}, Default: FamilyRun},
	{Name: "quarantine", Title: "quarantine", Doc: "known flaky tests whose failures are excused for a time", Flag: noFlag,
		YAML: "quarantine.tests"},
	{Name: "quarantine_cap", Title: "most tests in quarantine", Doc: "maximum tests in quarantine whose failures are excused; 0 excuses none",
		YAML: "quarantine.cap", Range: atLeast(0, " tests"), Absent: "no limit"},
	{Name: "gates", Title: "gates", Doc: "conditions on the run or on each test, such as summary.fail == 0", Flag: "gate",
		Help: "condition that must hold, as 'summary.fail == 0'; may be repeated"},
	{Name: "score_threshold", Title: "score threshold", Doc: "lowest score at which a trial without a status passes", Default: 0.5,
		PerTest: true, Counting: true, Outcomes: true, Compared: true},
	{Name: "score_range", Title: "range of scores", Doc: "lowest and highest score, such as 1..5 (rule bounded-mean)",
		LookedAt: ByRangedRules, Absent: "0..1", pattern: `^ *-?[0-9.]+ *\.\. *-?[0-9.]+ *$`, PerTest: true, Compared: true,
		check: func(p envelope.Policy) error { _, _, err := ScoreRange(p.ScoreRange); return err }},
	{Name: "detect_empty_runs", Title: "detect empty runs", Doc: "exclude failed trials with no tool call and no error class",
		PerTest: true, Counting: true, Outcomes: true, Compared: true},
	{Name: "cost_limit_usd", Title: "cost limit per test", Doc: "do not count trials of a test after it cost this much",
		Range: atLeast(0, " dollars, a finite number"), Unit: Dollars, Absent: "no limit", PerTest: true, Outcomes: true, Compared: true},
	{Name: "run_cost_limit_usd", Title: "cost limit of the run", Doc: "count trials in order of test name until they cost this much",
		Range: atLeast(0, " dollars, a finite number"), Unit: Dollars, Absent: "no limit", Outcomes: true, Compared: true},
	{Name: "on_conflict", Title: "conflicting trials", Doc: "trials of one attempt: extend (keep both), replace (keep last), error",
		Words: []string{envelope.ConflictExtend, envelope.ConflictReplace, envelope.ConflictError}, Default: envelope.ConflictExtend,
		Counting: true},
	{Name: "keep_details", Title: "details kept per test", Doc: "messages and outputs of failed trials per test: a number, all, none",
		Default: "5", pattern: "^([0-9]+|all|none)$",
		check:   func(p envelope.Policy) error { _, err := KeepDetails(p.KeepDetails); return err },
		written: []fragment{atLeast(0, "").schema("integer"), {Type: "string", Pattern: "^[0-9]+$"}, {Enum: []string{"all", "none"}}}},
	{Name: "keep_transcripts", Title: "conversations kept per test",
		Doc: "conversations of failed trials to keep per test: a number, all, none", Absent: "3",
		check:   func(p envelope.Policy) error { _, err := KeepTranscripts(p.KeepTranscripts); return err },
		pattern: "^([0-9]+|all|none)$", written: []fragment{atLeast(0, "").schema("integer"), {Type: "string", Pattern: "^[0-9]+$"},
			{Enum: []string{"all", "none"}}}},
	{Name: "lenient", Title: "lenient", Doc: "accept malformed records and missing trials; otherwise exit with 2", Counting: true},
	{Name: "strict", Title: "strict", Doc: "exit with 2 if a warning puts the run in doubt, such as duplicates", Counting: true},
	{Name: "runner_failed", Title: "runner failed", Doc: "your runner failed: fail if the report has no failed trial", YAML: noPath},
	{Name: "allow_empty", Title: "allow empty", Doc: "accept an input without trials", Counting: true},
	{Name: "expect_trials", Title: "trials expected", Doc: "exit with 2 if there are fewer trials in all", Range: atLeast(1, ""),
		Absent: "only planned_trials of the input"},
	{Name: "expect_tests", Title: "tests expected", Doc: "exit with 2 if there are fewer tests", Range: atLeast(1, ""), Absent: "any number"},
	{Name: "redact", Title: "secrets redacted", Doc: "false leaves secrets in names, messages and outputs as they are", Flag: "no-redact",
		Off: true, Help: "leave secrets in names, messages and outputs as they are", YAML: "redact.on", Counting: true, Absent: "true"},
	{Name: "redact_patterns", Title: "patterns redacted", Doc: "expressions (RE2); the first group, or the whole match, is hidden",
		Flag: noFlag, YAML: "redact.patterns"},
	{Name: "redact_fields", Title: "fields redacted", Doc: "names whose values are hidden, in texts and labels", Flag: noFlag,
		YAML: "redact.fields"},
	{Name: "metrics", Title: "metrics", Doc: "metrics of the run", Words: []string{MetricsDefault, MetricsAll, MetricsNone},
		Default: MetricsDefault,
		written: []fragment{{Enum: []string{MetricsDefault, MetricsAll, MetricsNone}},
			{Type: "array", Items: &fragment{Type: "string", Pattern: callPattern}}}},
	{Name: "metric", Title: "metrics with parameters", Doc: "metrics with parameters of their own, instead of the set", Flag: "metric",
		YAML: "metrics",
		Help: "metric with parameters, such as 'pass_at_k(k=3)'; may be repeated"},
	{Name: "k", Title: "k", Doc: "values of k in the metrics of the run", Help: "values of k in pass@k and similar metrics, such as 1,5,10",
		Range: atLeast(1, ""), check: checkDepths, Absent: "1, 2, 4, … as far as every test has trials"},
	{Name: "tau", Title: "tau", Doc: "share of k trials that must pass, g_pass_at_k_tau", Flag: noFlag, Range: between(0, 1), Absent: "0.5"},
	{Name: "lambda", Title: "lambda", Doc: "exponent of pass@k, geo_spectrum", Flag: noFlag, Range: between(0, 1), Absent: "0.5"},
	{Name: "category_weights", Title: "category weights", Doc: "reward of each category, that of category 0 first", Flag: noFlag,
		check: checkWeights, least: 2},
	{Name: "prior_alpha", Title: "prior alpha", Doc: "first parameter of the Beta prior of each pass rate", Flag: noFlag, Range: above(0),
		Absent: "1"},
	{Name: "prior_beta", Title: "prior beta", Doc: "second parameter of the Beta prior of each pass rate", Flag: noFlag, Range: above(0),
		Absent: "1"},
	{Name: "cluster_by", Title: "clusters by", Doc: "what groups correlated trials: test, suite, variant or a label"},
	{Name: "ignore_steps", Title: "steps ignored", Doc: "tools without effect, such as think, to ignore in conversations",
		Flag: "ignore-step", Help: "tool without effect, such as think, to ignore; may be repeated", check: checkIgnored},
	{Name: "overrides", Doc: "policies for some tests; later ones win", Flag: noFlag, YAML: "tests", Compared: true},
}

func checkIgnored(p envelope.Policy) error {
	if slices.Contains(p.IgnoreSteps, "") {
		return &KeyError{Key: "ignore_steps", Text: "has an empty name: give the names of tools"}
	}
	return nil
}

// maxDepths is how many values of k a policy may ask for.
const maxDepths = 100

func checkDepths(p envelope.Policy) error {
	if len(p.K) > maxDepths {
		return &KeyError{Key: "k", Text: fmt.Sprintf("has %d values: give at most %d", len(p.K), maxDepths)}
	}
	for _, k := range p.K {
		if k < 1 {
			return &KeyError{Key: "k", Text: fmt.Sprintf("%d is out of range: give 1 or more", k)}
		}
	}
	return nil
}

// maxWeight is the size of a weight whose square is a number.
const maxWeight = 1e150

func checkWeights(p envelope.Policy) error {
	if len(p.CategoryWeights) == 1 {
		return &KeyError{Key: "category_weights", Text: "has 1 weight: give one for every category, 0 first"}
	}
	outside := func(w float64) bool { return !(math.Abs(w) <= maxWeight) }
	if i := slices.IndexFunc(p.CategoryWeights, outside); i >= 0 {
		return &KeyError{Key: "category_weights", Text: fmt.Sprintf("has the weight %s of category %d: give a finite number of at most %s "+
			"in size", words.Number(p.CategoryWeights[i]), i, words.Number(maxWeight))}
	}
	return nil
}

// Check holds each value that a layer says against its row: known words and ranges that hold for
// every rule. The error lists everything that is wrong, in the order of the table.
func Check(p envelope.Policy) error {
	var errs []error
	for i := range Keys {
		if k := &Keys[i]; k.IsSet(&p) {
			errs = append(errs, k.Check(p))
		}
	}
	return errors.Join(errs...)
}

// Check holds the value of the key in a policy that says it against its row.
func (k *Key) Check(p envelope.Policy) error {
	if k.check != nil {
		return k.check(p)
	}
	switch field := k.In(&p).(type) {
	case *string:
		if len(k.Words) > 0 && !slices.Contains(k.Words, *field) {
			return suggest.Unknown(k.Name, *field, k.Words)
		}
	case *envelope.Opt[float64]:
		return k.Range.check(k.Name, field.V)
	case *envelope.Opt[int]:
		return k.Range.check(k.Name, float64(field.V))
	case *envelope.Opt[int64]:
		return k.Range.check(k.Name, float64(field.V))
	}
	return nil
}

// ScoreRange reads the range of scores, LOW..HIGH; "" is 0 to 1.
func ScoreRange(word string) (lo, hi float64, err error) {
	if word == "" {
		return 0, 1, nil
	}
	from, to, _ := strings.Cut(word, "..")
	lo, errLo := strconv.ParseFloat(strings.TrimSpace(from), 64)
	hi, errHi := strconv.ParseFloat(strings.TrimSpace(to), 64)
	if width := hi - lo; errLo != nil || errHi != nil || !(width > 0) || math.IsInf(width, 0) {
		return 0, 0, fmt.Errorf("score_range %q: give the lowest and the highest score, such as 0..1 or 1..5", word)
	}
	return lo, hi, nil
}
