// Package failure tells why a test failed: the short reason out of a long text,
// and the class of the failure where words that only runners write give it away.
//
// It exists because runners give a whole stack trace where a report shows one
// line, and because the words of one runner come in several formats: those of
// node's test runner and of Mocha as TAP and JUnit, those of Jest and Vitest as
// JSON as well. It leaves out what a format says in fields of its own and words
// that anybody may write. It drops nothing from the text itself, which goes to
// the output of the trial; control characters are the business of who renders
// it.
package failure
