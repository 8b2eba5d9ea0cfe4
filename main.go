// Command tribunal reads streams of repeated trials and reports verdicts.
// See package tribunal/command for what it does and README.md for how to use it.
package main

import (
	"os"

	"tribunal/command"
	"tribunal/internal/heap"
	"tribunal/run/process"
)

func main() {
	process.WatcherMain()
	heap.Own()
	os.Exit(command.Main(os.Args, command.System()))
}
