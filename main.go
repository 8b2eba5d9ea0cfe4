// Command tribunal reads streams of repeated trials and reports verdicts.
// See package tribunal/command for what it does and README.md for how to use it.
package main

import (
	"os"
	"runtime/debug"

	"tribunal/command"
)

// gcPercent is how much may be thrown away before memory is looked through,
// compared with what is in use. Most of that are columns of numbers, which cost
// nothing to look through, so memory is saved at no price in time.
const gcPercent = 50

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(command.Main(os.Args, command.System()))
}
