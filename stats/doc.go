// Package stats is the arithmetic behind a verdict: intervals for a pass rate, exact binomial
// tails, sequential tests, adjustments for many tests at once, comparisons of two samples, and
// corrections for trials that are not independent.
//
// Every statistic that Tribunal prints is computed here, so that it can be tested against other
// implementations. Functions take and return only numbers: counts of passes and trials, scores,
// p-values. They know nothing of tests and policies, and do not round for display.
//
// # Conventions
//
// Probabilities, pass rates and confidence levels are fractions, so 95 % is 0.95. A confidence
// level lies strictly between 0 and 1. Counts may be as large as 10^6 without loss: nothing forms a
// factorial or a power of a probability outside log space.
//
// No function panics. If arguments are outside the documented range, functions return NaN, or an
// error with the valid range.
package stats
