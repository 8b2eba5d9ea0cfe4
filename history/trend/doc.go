// Package trend says what a series of runs shows of each test: how its pass rate
// went, and whether it is stable, drifting, flaky, broken or fixed, each with
// the evidence in words.
//
// It exists because a report knows one run, and the question that follows it is
// whether that is new. It works on counts (trials counted, passed, excluded), so
// that runs judged under different policies can stand side by side; that they
// were is said in a note. It knows no database and judges no run: package
// history brings the counts, package verdict made them.
//
// # States
//
// A test has exactly one state, the first of these that holds. Runs are those of
// the window in which a trial of the test was counted; p-values are two-sided
// for drift and one-sided for stretches, adjusted over all tests of the window by
// Benjamini and Hochberg, and compared with 1 - confidence.
//
//	UNKNOWN        no trial was counted
//	NEW            fewer than five runs counted a trial
//	BROKEN         no trial passed; or none did in the last runs, and did before,
//	               in an order that chance would not give
//	STABLE         every trial passed
//	FIXED          every trial passed in the last runs, not before, in an order
//	               that chance would not give
//	NEW-FLAKY      every trial passed in the first runs, not since, in an order
//	               that chance would not give, and the rate does not go on
//	               falling since (its own drift, not adjusted)
//	DRIFTING DOWN  the pass rate falls from run to run: over all orders of the
//	               runs, the statistic of Cochran and Armitage is as extreme
//	DRIFTING UP    it rises
//	FLAKY          trials passed and failed, and nothing says that this changes
//
// A test that is judged by its scores is compared by these, and has the first of these states:
//
//	NEW            fewer than five runs counted a trial
//	BROKEN         it failed in every run
//	UNKNOWN        only one run scored it
//	DRIFTING DOWN  the mean score fell once: every run before lies above every run since,
//	               and their trials lie further apart than chance would leave them; or it
//	               falls from run to run, as above
//	DRIFTING UP    it rose, or rises
//	FLAKY          it passed in some runs and failed in others
//	STABLE         nothing says that the mean score changes
//
// They are of this window, and of one look at it. What holds over any number of looks is
// [Ever].
//
// Chance would not give an order if, all orders of the test's trials being as
// likely, a stretch at least that long at that end has a small probability
// (stats.CleanStretch).
package trend
