// Package verdict turns a counted Run into a judged Envelope.
//
// It exists so that every number and every decision of a report is made in one
// place and once: Seal is the only maker of an envelope.Envelope, and renderers
// show what it found. The package holds the policy (defaults, layers, valid
// ranges) and adjusting for many tests. The rules that judge a test are in
// verdict/rule, the gate that becomes the exit code is in verdict/gate.
//
// It leaves out counting (package envelope/count), numerics (package stats) and
// everything about bytes.
package verdict
