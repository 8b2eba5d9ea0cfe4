package heap

import "testing"

// TestGarbagePercent: 33 MiB of garbage are allowed as long as that is more than
// 34 % of what is in use, and 4 MiB and 8 % in a process that waits.
func TestGarbagePercent(t *testing.T) {
	t.Cleanup(func() { lean.Store(false) })
	for live, want := range map[uint64]int{0: 825, 4 << 20: 825, 20 << 20: 165, 33 << 20: 100, 66 << 20: 50, 90 << 20: 36, 100 << 20: 34, 1 << 30: 34, 1 << 40: 34} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", live, got, want)
		}
	}
	lean.Store(true)
	for live, want := range map[uint64]int{0: 100, 4 << 20: 100, 8 << 20: 50, 16 << 20: 25, 32 << 20: 12, 50 << 20: 8, 1 << 30: 8} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes in use of a process that waits: %d %%, want %d", live, got, want)
		}
	}
}

// TestMemoryLimit: the limit leaves room for the garbage that is allowed, and no more
// than a twentieth and 1 MiB beside it, or the runtime collects for the limit alone.
func TestMemoryLimit(t *testing.T) {
	for _, c := range []struct {
		live     uint64
		percent  int
		overhead uint64
		want     int64
	}{
		{0, 100, 0, 9856614},                     // 8 MiB of the smallest heap, 0.4, and 1
		{100e6, 8, 5e6, 108e6 + 5.4e6 + 6048576}, // 5e6 of the runtime's and 1 MiB
	} {
		if got := memoryLimit(c.live, c.percent, c.overhead); got < c.want-200 || got > c.want+200 { // rounded to a percent
			t.Errorf("%d bytes in use, %d %% of garbage, %d of the runtime: %d, want %d", c.live, c.percent, c.overhead, got, c.want)
		}
	}
}
