//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most resident memory that a process had, in bytes. The figure starts at what this
// program had when it started the other one: that is why compare keeps nothing large.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
