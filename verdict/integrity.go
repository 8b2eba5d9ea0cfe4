package verdict

import (
	"fmt"
	"strings"

	"tribunal/envelope"
)

// doubtful lists the problems that put the run itself in doubt. They are
// warnings, and errors under a strict policy.
var doubtful = map[string]bool{
	envelope.CodeDuplicate: true, envelope.CodeConflict: true, envelope.CodeReplaced: true, envelope.CodeHeaders: true,
	envelope.CodeGaps: true, envelope.CodePlanned: true, envelope.CodeSameRun: true, envelope.CodeCached: true, envelope.CodeClock: true,
}

// integrity looks for signs that the trials are not what they seem: missing,
// delivered under two names, answered from a cache, or timed by a wrong clock.
func integrity(env *envelope.Envelope) []envelope.Problem {
	var found []envelope.Problem
	say := func(code, format string, args ...any) {
		found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Stage: envelope.StageJudge, Message: fmt.Sprintf(format, args...)})
	}
	if p := env.Run.PlannedTrials; p.OK && p.V > int64(env.Summary.Trials.Total) {
		say(envelope.CodePlanned, "%d trials were planned and %d are here", p.V, env.Summary.Trials.Total)
	}
	if missing, tests, first := gaps(env); missing > 0 {
		say(envelope.CodeGaps, "%s missing between others in %s, first in %s", plural(missing, "attempt is", "attempts are"), plural(tests, "test", "tests"), first)
	}
	for _, runs := range sameRuns(env) {
		say(envelope.CodeSameRun, "runs %s hold the same trials to the last digit: is it one shard under several names?", strings.Join(runs, ", "))
	}
	if tests, first := cached(env); tests > 0 {
		say(envelope.CodeCached, "every trial took exactly the same time and money in %s, first in %s: were they answered from a cache?", plural(tests, "test", "tests"), first)
	}
	if trials, first := early(env); trials > 0 {
		say(envelope.CodeClock, "%s before the run did, first in %s: clocks disagree", plural(trials, "trial started", "trials started"), first)
	}
	return found
}

// gaps counts the attempts that are missing between two of the same test and
// run.
func gaps(env *envelope.Envelope) (missing, tests int, first string) {
	for i := range env.Tests {
		rows, here := env.Tests[i].Rows, 0
		for r := 1; r < rows.Len(); r++ {
			before, ok := rows.Attempt.At(r - 1)
			now, also := rows.Attempt.At(r)
			if ok && also && rows.Run.At(r-1) == rows.Run.At(r) && now > before {
				here += int(now - before - 1)
			}
		}
		if here == 0 {
			continue
		}
		missing += here
		if tests++; tests == 1 {
			first = env.Tests[i].Key.String()
		}
	}
	return missing, tests, first
}

// comparableTrials is how many timed trials there must be for a likeness to say
// something: fewer may be equal by chance.
const comparableTrials = 3

// cached counts tests of which every trial reports the same time and the same
// tokens or cost.
func cached(env *envelope.Envelope) (tests int, first string) {
	for i := range env.Tests {
		rows := env.Tests[i].Rows
		spent := constant(rows.Tokens, rows.Len()) || constant(rows.CostUSD, rows.Len())
		if rows.Len() < comparableTrials || !constant(rows.DurationMS, rows.Len()) || !spent {
			continue
		}
		if tests++; tests == 1 {
			first = env.Tests[i].Key.String()
		}
	}
	return tests, first
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

// early counts trials that started before the run.
func early(env *envelope.Envelope) (trials int, first string) {
	start, ok := envelope.Instant(env.Run.StartedAt)
	if !ok {
		return 0, ""
	}
	for i := range env.Tests {
		for _, at := range env.Tests[i].Rows.StartedAt.Values() {
			if at >= start {
				continue
			}
			if trials++; trials == 1 {
				first = env.Tests[i].Key.String()
			}
		}
	}
	return trials, first
}
