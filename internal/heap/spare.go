package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// garbageShare is how much of what is in use may be thrown away before memory is
	// looked through, in percent.
	garbageShare = 34
	// garbageFloor is how many bytes may be, however little is in use. While a run
	// is read nearly nothing is thrown away, and to look for it again and again as
	// the run grows takes a fifth of the time.
	garbageFloor = 33 << 20
)

// Spare has memory looked through as often as is worth it: seldom while
// little is in use, and early when much is. It says so anew after each time.
func Spare() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(garbagePercent(live[0].Value.Uint64()))
	const alone = 64 // bytes: the smallest objects share memory, and outlive each other
	runtime.AddCleanup(new([alone]byte), func(struct{}) { Spare() }, struct{}{})
}

// garbagePercent is how much may be thrown away when so many bytes are in use,
// in percent of them.
func garbagePercent(live uint64) int {
	const smallest = 4 << 20 // the runtime looks through no less
	return max(garbageShare, int(100*garbageFloor/max(live, smallest)))
}
