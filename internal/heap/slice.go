package heap

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"

	"tribunal/internal/crash"
)

// pageSize is what the kernel hands out at once, on nearly all machines. Where
// pages are larger, some writes are needless.
const pageSize = 4 << 10

// worth is from how many bytes on it is worth to ask for the pages of a slice.
const worth = 64 << 10

// Slice is make for a slice that is about to be filled: it gets its pages at once,
// where others get each when they first write to it, which takes ten times as
// long.
//
// A page that is read before it was written to takes even longer. It is handed
// out as zeros for all, and again as one of its own when it is written to, for
// which every core that has seen the first must be stopped. The collector reads
// what has pointers, so that this happens to most of a slice that is filled while
// it is at work.
func Slice[T any](n int) []T {
	size := n * int(unsafe.Sizeof(*new(T)))
	if size >= large && owned.Load() {
		debug.FreeOSMemory()
	}
	if size >= huge && owned.Load() {
		defer uncollected()()
	}
	s := make([]T, n)
	if size >= worth {
		prepare(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size))
	}
	return s
}

// huge is from how many bytes on the collector waits until a slice has its pages:
// to be asked for so much is what it begins on.
const huge = 16 << 20

// large is from how many bytes on garbage is collected first and its pages are given
// back: a slice that fits nowhere between what is alive would get its pages beside those
// of the garbage, and the most memory of a run of many tests is what it needs then.
const large = 256 << 20

var collector sync.Mutex // of whoever has stopped it

// uncollected keeps the collector from beginning until the function that it
// returns is called.
func uncollected() (end func()) {
	collector.Lock()
	percent := debug.SetGCPercent(-1)
	return func() {
		debug.SetGCPercent(percent)
		collector.Unlock()
	}
}

// share is how many bytes a core asks for at a time: the kernel has to clear them,
// which several cores do sooner.
const share = 4 << 20

// prepare gets the pages of memory that begins at one.
func prepare(bytes []byte) {
	var others sync.WaitGroup
	var taken atomic.Int64
	work := func() {
		defer crash.Exit()
		for at := int(taken.Add(share)) - share; at < len(bytes); at = int(taken.Add(share)) - share {
			if part := bytes[at:min(at+share, len(bytes))]; !populate(part) {
				touch(part)
			}
		}
	}
	for range min(runtime.GOMAXPROCS(0), (len(bytes)+share-1)/share) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// touch writes to every page.
func touch(bytes []byte) {
	for i := 0; i < len(bytes); i += pageSize {
		bytes[i] = 0
	}
}
