package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// garbageShare is the garbage that is allowed before a collection, in percent of
	// the live heap.
	garbageShare = 34
	// garbageFloor is the garbage that is allowed however small the live heap is, in
	// bytes. While a run is read there is nearly none, and collecting again and again
	// as the heap grows takes a fifth of the time.
	garbageFloor = 33 << 20
	// leanShare and leanFloor are the same of a process that mostly waits.
	leanShare = 8
	leanFloor = 4 << 20
	// smallest is the heap below which the runtime does not collect, in bytes.
	smallest = 4 << 20
)

// lean is whether the process mostly waits.
var lean atomic.Bool

// Lean allows less garbage in a process of its own: one that waits for others, and runs
// beside them, saves nothing by leaving the garbage where it is.
func Lean() {
	if !lean.Swap(true) && owned.Load() && os.Getenv("GOGC") == "" {
		runtime.GC() // spare is called behind it
	}
}

// owned is whether the program has said that the process is its own.
var owned atomic.Bool

// Own says that the process is this program's alone, so that garbage collection
// may be set for it. Only main may call it: a percentage of garbage holds for the
// whole process, and is none of a library's business. Without it, this package
// allocates and sets nothing.
//
// A user's GOGC stays as it is.
func Own() {
	if !owned.Swap(true) && os.Getenv("GOGC") == "" {
		spare()
	}
}

// spare sets GOGC of the process by the size of the live heap: high while it is
// small, low when it is large. It sets it anew after each collection. A process that
// mostly waits also gives back at once what that leaves free, which the runtime
// keeps otherwise until it has been idle for a while.
func spare() {
	of := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(of)
	live := of[0].Value.Uint64()
	percent := garbagePercent(live)
	debug.SetGCPercent(percent)
	if lean.Load() && os.Getenv("GOMEMLIMIT") == "" {
		overhead := of[1].Value.Uint64() - of[2].Value.Uint64() - of[3].Value.Uint64() - of[4].Value.Uint64()
		debug.SetMemoryLimit(memoryLimit(live, percent, overhead))
	}
	const alone = 64 // bytes: the smallest objects share memory, and outlive each other
	runtime.AddCleanup(new([alone]byte), func(struct{}) { spare() }, struct{}{})
}

// memoryLimit is GOMEMLIMIT for a live heap and its percentage of garbage, beside what
// the runtime needs for itself. The runtime stays some percent below it.
func memoryLimit(live uint64, percent int, overhead uint64) int64 {
	goal := max(live, smallest) / 100 * uint64(100+percent)
	const slack = 1 << 20
	return int64(overhead + goal + goal/20 + slack)
}

// garbagePercent is GOGC for a live heap of so many bytes.
func garbagePercent(live uint64) int {
	share, floor := garbageShare, uint64(garbageFloor)
	if lean.Load() {
		share, floor = leanShare, leanFloor
	}
	return max(share, int(100*floor/max(live, smallest)))
}
