package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// garbageShare is the garbage that is allowed before a collection, in percent of
	// the live heap.
	garbageShare = 34
	// garbageFloor is the garbage that is allowed however small the live heap is, in
	// bytes. While a run is read there is nearly none, and collecting again and again
	// as the heap grows takes a fifth of the time.
	garbageFloor = 33 << 20
)

// Spare sets GOGC of the process by the size of the live heap: high while it is
// small, low when it is large. It sets it anew after each collection.
func Spare() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(garbagePercent(live[0].Value.Uint64()))
	const alone = 64 // bytes: the smallest objects share memory, and outlive each other
	runtime.AddCleanup(new([alone]byte), func(struct{}) { Spare() }, struct{}{})
}

// garbagePercent is GOGC for a live heap of so many bytes.
func garbagePercent(live uint64) int {
	const smallest = 4 << 20 // the runtime collects no smaller heap
	return max(garbageShare, int(100*garbageFloor/max(live, smallest)))
}
