package heap

import (
	"runtime/debug"
	"sync"
	"testing"
)

// TestSlice: it is make, whatever the size and the kind of the elements.
func TestSlice(t *testing.T) {
	for _, n := range []int{0, 1, worth - 1, worth, worth + 1, 1 << 20} {
		s := Slice[byte](n)
		checkSlice(t, s, n)
		checkSlice(t, Slice[struct{}](n), n)
		checkSlice(t, Slice[*int](n), n)
		for i := range s {
			s[i] = 'x'
		}
		touch(s[:0])
	}
}

func checkSlice[T comparable](t *testing.T, s []T, n int) {
	t.Helper()
	if len(s) != n || cap(s) != n {
		t.Fatalf("%d elements with room for %d, want %d", len(s), cap(s), n)
	}
	var none T
	for i := range s {
		if s[i] != none {
			t.Fatalf("element %d of %d is %v", i, n, s[i])
		}
	}
}

// TestCollectorGoesOn: whoever asks for large slices at once leaves it as it was,
// in a process of its own too.
func TestCollectorGoesOn(t *testing.T) {
	for _, own := range []bool{false, true} {
		owned.Store(own)
		defer owned.Store(false)
		defer debug.SetGCPercent(debug.SetGCPercent(123))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { checkSlice(t, Slice[byte](huge), huge) })
		}
		all.Wait()
		if got := debug.SetGCPercent(100); got != 123 {
			t.Errorf("owned %v: the collector is left at %d %%, want 123", own, got)
		}
	}
}

// TestTouch: nothing is left of what pages are touched with.
func TestTouch(t *testing.T) {
	b := make([]byte, 3*pageSize+1)
	touch(b)
	checkSlice(t, b, len(b))
}
