// Package rule has the rules that judge a test, in one table: Table.
//
// A rule is a row and a file. It is given a Sample, the counted trials of a test
// in their order, and a policy, and returns a Judgement: a status and
// the reason for it. The row has all that the program says of the rule, so that
// nothing else keys on its name.
//
// Sample and Judgement live here and not with Seal, which makes the one and
// records the other: the rules need both, and package verdict needs the rules.
//
// It leaves out which trials count, what a policy means, and adjusting for many
// tests: package verdict does. Numerics are in package stats.
package rule
