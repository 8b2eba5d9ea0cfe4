// Package duplicates finds trials that count twice: runs that are equal, one run that two
// reporters wrote, and a report that was merged from others beside it. It warns and leaves
// nothing out, because equal trials may be repeats.
package duplicates

import (
	"math"

	"tribunal/envelope"
)

// Find returns a warning for each way in which the trials of a run count twice.
func Find(env *envelope.Envelope) []envelope.Problem {
	return append(append(sameRuns(env), sameReports(env)...), mergedReport(env)...)
}

// comparableTrials is how many timed trials are more than chance when they are equal. Fewer
// need times of many digits.
const comparableTrials = 3

func warning(input string, trials int, message string) envelope.Problem {
	return envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Stage: envelope.StageJudge, Input: input, Count: trials, Message: message}
}

// numbersOf are the outcome, time, score and cost of a trial. Absent ones are NaN.
func numbersOf(rows *envelope.Rows, row int) [4]uint64 {
	bitsOf := func(c envelope.Column[float64]) uint64 {
		if v, ok := c.At(row); ok {
			return math.Float64bits(v)
		}
		return math.Float64bits(math.NaN())
	}
	return [4]uint64{uint64(rows.Outcome[row]), bitsOf(rows.DurationMS()), bitsOf(rows.Score()), bitsOf(rows.CostUSD())}
}
