// Package audit asks whether a gate and a benchmark are honest: how often the gate answers
// differently on identical inputs, and which tests of a benchmark say nothing or something
// wrong.
//
// It exists because only whoever has the trials, the policy and the planner in one place can
// say it. Package plan has the chances of a rule, package stats the formulas; this package
// fits what nights do to tests, and puts both together. Nothing is simulated.
//
// It leaves out reading, judging and drawing.
package audit
