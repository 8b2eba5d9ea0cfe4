// Command tribunal reads streams of repeated trials and reports verdicts.
// See package tribunal/command for what it does and README.md for how to use it.
package main

import (
	"os"
	"runtime/debug"

	"tribunal/command"
	"tribunal/internal/run/process"
)

func main() {
	process.WatcherMain()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50) // a third less memory for 5 % more time
	}
	os.Exit(command.Main(os.Args, command.System()))
}
