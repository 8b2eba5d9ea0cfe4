// Package junit reads JUnit XML, the report nearly every test runner can write.
//
// It exists because a format without an owner has a dialect per runner, above
// all for trials: JUnit knows none. What is read as several trials of one test:
//
//   - the same suite, classname and name again: attempts in document order;
//   - flakyFailure, flakyError, rerunFailure and rerunError (Surefire, nextest,
//     Playwright with includeRetries): retries, with times of their own where
//     nextest and Playwright give them;
//   - testsuites named x@stress-N (nextest) and tests named x[i-N] (pytest-repeat);
//   - several failures in one testcase of Vitest, and of gdUnit4 where the suite
//     counts it as flaky, and the attachments of earlier tries in the output of
//     Playwright without includeRetries: retries without times of their own;
//   - testcases that gotestsum, or Gradle with the plugin test-retry, ran again,
//     told by their order.
//
// Several failures in one testcase are one trial otherwise, with what each says, and so are
// the testcases that testthat writes of one test, an expectation each. A testcase without a
// name is called (unnamed N).
//
// Verdicts come from the children of testcases. Counters of suites, and what they print,
// tell only of failures and testcases that are not there. Reports of package render/junit are read back
// through their properties: identity, trials with their columns, policy, and the texts as
// far as the bodies have them; labels that vary from trial to trial are lost.
//
// Text is repaired before it is parsed, for one ESC in an output makes a file
// that no XML parser takes. The package leaves out attachments.
package junit
