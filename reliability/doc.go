// Package reliability measures how dependable repeated trials are: of one test
// from the order of its outcomes ([Of]), and of a whole run from one pair of
// counts per test ([Metrics]).
//
// A run's metrics read sufficient statistics only, never the outcome matrix:
// how many trials a test had and how many passed, or how many fell into each
// category. Tests with equal counts are evaluated once, so that ten thousand
// tests cost as much as their distinct counts.
//
// The package judges nothing. Thresholds, gates and verdicts are elsewhere.
package reliability
