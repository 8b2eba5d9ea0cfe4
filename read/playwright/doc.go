// Package playwright reads the reports of Playwright's JSON reporter.
//
// It exists because this report, unlike Playwright's JUnit one, has every result
// of every test: retries, repeats (--repeat-each) and timeouts. A result is a
// trial; the project (browser) is the variant, the file is the suite, and the
// titles around a test belong to its name. Passing is ending as expected, so a
// test marked to fail passes by failing.
//
// It leaves out attachments and steps.
package playwright
