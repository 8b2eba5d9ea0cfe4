// Package regex holds regular expressions that are compiled when they are first
// used, and never if they are not.
//
// It exists because the readers and reports of this program have some seventy of
// them at package level, of which a command needs a few: to compile them all before
// main began took 9 ms on a busy machine, and filled the heap so far that garbage
// was collected before there was any work.
//
// A mistake in an expression is found by a test of contract, which compiles
// every one of the source, instead of by the start of the program.
package regex

import (
	"regexp"
	"sync"
)

// Of returns what compiles expression at its first call and has it from then on.
// Goroutines may share it.
func Of(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
