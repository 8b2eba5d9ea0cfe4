package verdict

import (
	"fmt"
	"slices"
	"strconv"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/parallel"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
	"tribunal/verdict/internal/duplicates"
)

// trialProblems are inputs and runs without a trial, or with too few.
func trialProblems(env *envelope.Envelope) []envelope.Problem {
	out := slices.Concat(unknownCost(env), notCredible(env),
		Absent(env.Run.PlannedTrials, env.Policy, env.Summary.Trials.Total, envelope.Retries(env.Tests), env.Summary.Tests),
		integrity(env), duplicates.Find(env), Empty(env.Run.Sources, env.Problems, env.Policy))
	says := func(p envelope.Problem) bool { return p.Severity == envelope.SeverityError } // why nothing was read
	if len(env.Tests) == 0 && len(env.Run.Sources) == 0 && !slices.ContainsFunc(env.Problems, says) {
		out = append(out, envelope.Problem{Severity: ofEmpty(env.Policy), Code: envelope.CodeNoTrials, Stage: envelope.StageJudge,
			Message: "no trial in any input: did the runner start, and is this its report?"})
	}
	return out
}

// Empty are the inputs without a trial, beside the problems of reading them.
func Empty(sources []envelope.Source, of []envelope.Problem, policy envelope.Effective) (out []envelope.Problem) {
	for _, s := range sources {
		if s.Trials == 0 && s.Listed == 0 && !slices.ContainsFunc(of, saysNothingRead(s)) {
			message := "no trial could be read from this input"
			if !slices.ContainsFunc(of, func(p envelope.Problem) bool { return p.Input == s.Input && p.IsOfReading() }) {
				message = "no trial in this input" + formatNote(s.Format, words.If(!policy.AllowEmpty.V, "--allow-empty accepts this"))
			}
			out = append(out, envelope.Problem{Severity: ofEmpty(policy), Code: envelope.CodeNoTrials, Input: s.Input, Stage: envelope.StageJudge,
				Message: message})
		}
	}
	return out
}

func ofEmpty(policy envelope.Effective) envelope.Severity {
	if policy.AllowEmpty.V {
		return envelope.SeverityInfo
	}
	return envelope.SeverityError
}

// saysNothingRead finds the error that says why an input has no trial: it cannot be read, or a run had nothing to try.
func saysNothingRead(s envelope.Source) func(envelope.Problem) bool {
	return func(p envelope.Problem) bool {
		says := p.Code == envelope.CodeNothingToTry || p.Code == envelope.CodeUnreadable
		return says && p.Input == s.Input && p.Severity == envelope.SeverityError
	}
}

func formatNote(format, advice string) string {
	if format == "" {
		return ": it is empty; did the runner start, and does it write here?" + words.Around(" ", advice)
	}
	if format == "mapped" {
		return " (read by a mapping; check --map and --records" + words.Around("; ", advice) + ")"
	}
	return " (read as " + format + "; --from reads it as another format" + words.Around(", ", advice) + ")"
}

// Absent is one error for each number of trials or tests that somebody said there
// would be and that are not here: a runner that died midway leaves nothing else.
func Absent(planned envelope.Opt[int64], policy envelope.Effective, trials, retries, tests int) (found []envelope.Problem) {
	again := words.If(retries > 0, " and "+words.Plural(retries, "retry", "retries"))
	for _, c := range []struct {
		want             envelope.Opt[int64]
		have             int
		one, many, words string
	}{
		{planned, trials - retries, "trial was", "trials were", "%s planned, found %d" + again},
		{policy.ExpectTrials, trials - retries, "trial is", "trials are", "%s expected, found %d" + again + " (expect_trials)"},
		{policy.ExpectTests, tests, "test is", "tests are", "%s expected, found %d (expect_tests)"},
	} {
		if c.want.OK && c.want.V > int64(c.have) {
			found = append(found, envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodePlanned, Stage: envelope.StageJudge,
				Message: fmt.Sprintf(c.words, words.Plural(c.want.V, c.one, c.many), c.have) + "; did the runner crash, or is a shard missing?" +
					words.If(!policy.Lenient.V && c.have > 0, " --lenient accepts this")})
		}
	}
	return found
}

// integrity looks for signs that the trials are not what they seem: missing,
// delivered under two names, answered from a cache, or timed by a wrong clock.
func integrity(env *envelope.Envelope) []envelope.Problem {
	var found []envelope.Problem
	say := func(code, format string, args ...any) {
		found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Stage: envelope.StageJudge,
			Message: fmt.Sprintf(format, args...)})
	}
	gaps, cached, early, unscored, scaled, faster, failed := anomaliesOf(env)
	if gaps.trials > 0 {
		say(envelope.CodeGaps, "%s missing in %s, first in %s; did trials get lost, or is an input left out?",
			words.Plural(gaps.trials, "attempt number is", "attempt numbers are"), words.Plural(gaps.tests, "test", "tests"), gaps.first)
	}
	if cached.tests > 0 {
		say(envelope.CodeCached, "every trial took the same time and money or tokens in %s, first in %s; if a cache answered, turn it off",
			words.Plural(cached.tests, "test", "tests"), cached.first)
	}
	if faster.tests > 0 {
		say(envelope.CodeFasterAfter, "every trial after the first took less than 1 %% of the first one's time in %s, first in %s; if a cache "+
			"answered, turn it off", words.Plural(faster.tests, "test", "tests"), faster.first)
	}
	if unscored.trials > 0 {
		say(envelope.CodeUnscored, "%s no score, but others of the test have scores outside 0 to 1, in %s, first in %s. Without a score, a "+
			"pass counts as 1 and anything else as 0: give every trial a score",
			words.Plural(unscored.trials, "counted trial has", "counted trials have"), words.Plural(unscored.tests, "test", "tests"), unscored.first)
	}
	if scaled.trials > 0 {
		say(envelope.CodeScale, "%s above 1 and no status, in %s, first in %s; scores from %s up pass: set --score-threshold for your scale",
			words.Plural(scaled.trials, "trial has a score", "trials have scores"), words.Plural(scaled.tests, "test", "tests"), scaled.first,
			words.Short(env.Policy.ScoreThreshold.V))
	}
	if highest := env.Policy.ScoreThreshold.V; highest > 1 && unreached(env) {
		say(envelope.CodeScale, "no score reaches the score threshold %s, as all are from 0 to 1; set --score-threshold to 0.8, for instance",
			words.Number(highest))
	}
	if failed.trials > 0 {
		say(envelope.CodeByScore, "all trials failed but their scores pass, in %s, first in %s, because the rule uses scores alone. Leave "+
			"out the scores of failed trials, or use a rule for outcomes, such as wilson",
			words.Plural(failed.tests, "test", "tests"), failed.first)
	}
	if i := slices.IndexFunc(env.Tests, func(t envelope.Test) bool { return rule.Coarse(&t) }); i >= 0 {
		say(envelope.CodeCoarse, "rule t-interval is unreliable for tests with at most five distinct scores, first in %s; use --rule "+
			"bounded-mean, with --score-range for scores outside 0 to 1", strconv.Quote(env.Tests[i].Key.RunnerName()))
	}
	if i := slices.IndexFunc(env.Tests, func(t envelope.Test) bool { return rule.Unreachable(&t) }); i >= 0 {
		say(envelope.CodeScale, "no pass rate reaches the threshold %s, and test %s has no scores; give its trials scores, or set --threshold "+
			"to 0.8, for instance", words.Number(env.Tests[i].Verdict.Threshold.V), strconv.Quote(env.Tests[i].Key.RunnerName()))
	}
	if early.trials > 0 {
		say(envelope.CodeClock, "%s before the run did, first in %s; check the clocks, or the start time of the run",
			words.Plural(early.trials, "trial started", "trials started"), early.first)
	}
	return found
}

// anomaly is something odd about some trials of some tests.
type anomaly struct {
	trials, tests int
	first         string // of the tests
}

func (s *anomaly) add(odd bool, trials int, t *envelope.Test) {
	if odd && trials > 0 {
		s.join(anomaly{trials, 1, strconv.Quote(t.Key.RunnerName())})
	}
}

func (s *anomaly) join(later anomaly) {
	if s.tests == 0 {
		s.first = later.first
	}
	s.trials += later.trials
	s.tests += later.tests
}

// anomaliesOf looks at the trials of each test alone.
func anomaliesOf(env *envelope.Envelope) (gaps, cached, early, unscored, scaled, faster, failed anomaly) {
	start, known := envelope.Instant(env.Run.StartedAt)
	unsaid := unsaidThreshold(env)
	all := parallel.All((len(env.Tests)+spanTests-1)/spanTests, func(n int) (s [7]anomaly) {
		for i := n * spanTests; i < min(len(env.Tests), (n+1)*spanTests); i++ {
			t := &env.Tests[i]
			s[0].add(true, missing(t.Rows), t)
			s[1].add(isCached(t.Rows), t.Rows.Len(), t)
			s[2].add(known, each.Count(t.Rows.StartedAt().Values(), func(at int64) bool { return at < start }), t)
			s[3].add(true, unscoredBeside(t), t)
			s[4].add(unsaid, aboveOne(t), t)
			s[5].add(fasterAfterFirst(t.Rows), t.Rows.Len(), t)
			s[6].add(true, failedBesideScores(t), t)
		}
		return s
	})
	var total [7]anomaly
	for _, s := range all {
		for i := range total {
			total[i].join(s[i])
		}
	}
	return total[0], total[1], total[2], total[3], total[4], total[5], total[6]
}

// unsaidThreshold reports that trials with a score alone pass by the threshold that
// holds where nobody says one, which is meant for scores from 0 to 1.
func unsaidThreshold(env *envelope.Envelope) bool {
	const forScoresTo1 = 0.5
	return env.Policy.ScoreThreshold.V == forScoresTo1 && !slices.ContainsFunc(env.Policy.Overrides, ownScale)
}

// unreached reports scores that decide trials, and that no score of the run is outside 0 to 1.
func unreached(env *envelope.Envelope) bool {
	decides := false
	outside := envelope.AnyTest(env.Tests, func(t *envelope.Test) bool {
		decides = decides || t.Score != nil && slices.Contains(t.Rows.Given, envelope.Undecided)
		return t.Score != nil && (t.Score.Min < 0 || t.Score.Max > 1)
	})
	return decides && !outside && !slices.ContainsFunc(env.Policy.Overrides, ownScale)
}

func ownScale(o envelope.Override) bool { return o.Policy.ScoreThreshold.OK }

// aboveOne counts the trials that passed by a score above 1.
func aboveOne(t *envelope.Test) (n int) {
	if t.Score == nil || t.Score.Max <= 1 {
		return 0
	}
	for i, given := range t.Rows.Given {
		if score, scored := t.Rows.Score().At(i); scored && score > 1 && given == envelope.Undecided {
			n++
		}
	}
	return n
}

// unscoredBeside counts the counted trials without a score of a test that has scores outside 0..1.
func unscoredBeside(t *envelope.Test) (n int) {
	if t.Score == nil || t.Score.Min >= 0 && t.Score.Max <= 1 {
		return 0
	}
	for i, outcome := range t.Rows.Outcome {
		if _, scored := t.Rows.Score().At(i); outcome.Counted() && !scored {
			n++
		}
	}
	return n
}

// failedBesideScores counts the trials of a test that passes by its scores though all of them came with a status that is no pass.
func failedBesideScores(t *envelope.Test) (n int) {
	if t.Status != envelope.Pass || t.Trials.Passed > 0 {
		return 0
	}
	for i, outcome := range t.Rows.Outcome {
		switch {
		case !outcome.Counted():
		case t.Rows.Given[i] == envelope.Undecided:
			return 0
		default:
			n++
		}
	}
	return n
}

// missing counts the attempts that are missing between two of the same run.
func missing(rows *envelope.Rows) (n int) {
	for r := 1; r < rows.Len(); r++ {
		before, ok := rows.Attempt().At(r - 1)
		now, also := rows.Attempt().At(r)
		if between := int(now) - int(before) - 1; ok && also && between > 0 && rows.Run().At(r-1) == rows.Run().At(r) {
			n += between
		}
	}
	return n
}

// isCached reports that every trial reports the same time and the same tokens or cost.
func isCached(rows *envelope.Rows) bool {
	const fewest = 3 // fewer may be equal by chance
	n := rows.Len()
	return n >= fewest && constant(rows.DurationMS(), n) && (constant(rows.Tokens(), n) || constant(rows.CostUSD(), n))
}

// fasterAfterFirst reports that every trial behind the first ended as it did and took less than a hundredth of its time.
// A first trial below a second says nothing: runners report times in hundredths of it.
func fasterAfterFirst(rows *envelope.Rows) bool {
	const trials, second = 5, 1000
	first, timed := rows.DurationMS().At(0)
	if n := rows.Len(); n < trials || !timed || first < second {
		return false
	}
	for i := 1; i < rows.Len(); i++ {
		if took, timed := rows.DurationMS().At(i); !timed || took >= first/100 || rows.Outcome[i] != rows.Outcome[0] {
			return false
		}
	}
	return true
}

// constant reports a column with the same positive value in all n rows.
func constant[T envelope.Cell](c envelope.Column[T], n int) bool {
	first, ok := c.At(0)
	for i := 1; i < n && ok; i++ {
		v, present := c.At(i)
		ok = present && v == first
	}
	return ok && first > 0
}
