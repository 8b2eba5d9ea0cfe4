// Package verdict turns a counted Run into a judged Envelope.
//
// It exists so that every number and every decision of a report is made in one
// place and once: Seal is the only maker of an envelope.Envelope, and renderers
// show what it found. The package holds the policy (defaults, layers, valid
// ranges), adjusting for many tests, and the gate that becomes the exit code. The
// rules that judge a test are in verdict/rule.
//
// It leaves out counting (package envelope/count), numerics (package stats) and
// everything about bytes.
package verdict
