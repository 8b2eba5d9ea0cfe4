// Package stats is the arithmetic behind a verdict: intervals for a pass rate, exact binomial
// tails, sequential tests, adjustments for many tests at once, comparisons of two samples, and
// corrections for trials that are not independent.
//
// It exists so that every number Tribunal prints has one home where it can be held against
// references from outside. It works on numbers only: counts of passes and trials, slices of scores,
// slices of p-values. It does not know what a test, a suite, a policy or a report is, it applies no
// rounding for display, and it never decides what a number means for a build.
//
// # Conventions
//
// Probabilities, pass rates and confidence levels are fractions, so 95 % is 0.95. A confidence
// level lies strictly between 0 and 1. Counts may be as large as 10^6 without loss: nothing forms a
// factorial or a power of a probability outside log space.
//
// No function panics. A function returning only numbers answers NaN when its arguments are outside
// the range its comment states; a function returning an error names the valid range in it.
package stats
