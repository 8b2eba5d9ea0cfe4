// Package compare says what changed between two judged runs, test by test and
// as a whole: a pure function of envelopes, which makes one document, the
// [Comparison].
//
// It exists because "the rate fell from 80 % to 50 %" is no answer: with ten
// trials a side that happens by chance. It pairs tests by (suite, test, variant)
// and trials by number, tests the difference, adjusts for the number of tests
// asked, and gives each test one of four states.
//
// # The states
//
// With the difference d of pass rates, or of mean scores where these decide, candidate
// minus base, its interval
// [lo, hi] at the confidence level, alpha = 1 - confidence, the margin M and the
// adjusted two-sided p-value:
//
//	EQUIVALENT   -M < lo and hi < M: whatever changed is smaller than what matters
//	REGRESSED    otherwise, p <= alpha and d < 0
//	IMPROVED     otherwise, p <= alpha and d > 0
//	UNRESOLVED   otherwise: the trials do not say
//
// The run as a whole has a state by the same definition, of the pooled p-value
// and the interval clustered by test, which for REGRESSED and IMPROVED must also
// exclude 0: where some tests rose and others fell, it is UNRESOLVED.
//
// Beside the state, NonInferior says that lo > -M: worse than base by the margin
// is ruled out, whatever else is.
//
// # What is compared
//
// Counted trials, as the envelope counted them. Retries are left out, for a
// trial that ran only because another failed would count that one twice.
//
// So are the checks of trials and the tools they called, within tests, each a
// family of its own; and of a test that changed the step at which two trials part.
//
// It leaves out reading, judging and drawing, verdicts (two runs may be judged
// under two policies; counts are what they share), and setup, which is never
// mixed into what a trial took.
package compare
