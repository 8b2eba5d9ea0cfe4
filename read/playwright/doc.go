// Package playwright reads the reports of Playwright's JSON reporter, and what its blob and
// HTML reporters write.
//
// It exists because this report, unlike Playwright's JUnit one, has every result
// of every test: retries, repeats (--repeat-each) and timeouts. A result is a
// trial; the project (browser) is the variant, the file is the suite, and the
// titles around a test belong to its name. Passing is ending as expected, so a
// test marked to fail passes by failing.
//
// The steps of a test are its checks, and attachments are named by their paths. It
// leaves out what attachments hold.
package playwright
