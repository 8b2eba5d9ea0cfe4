package heap

import "testing"

// TestGarbagePercent: 33 MiB of garbage are allowed as long as that is more than
// 34 % of what is in use, and 4 MiB and 12 % in a process that waits.
func TestGarbagePercent(t *testing.T) {
	t.Cleanup(func() { lean.Store(false) })
	for live, want := range map[uint64]int{0: 825, 4 << 20: 825, 20 << 20: 165, 33 << 20: 100, 66 << 20: 50, 90 << 20: 36, 100 << 20: 34, 1 << 30: 34, 1 << 40: 34} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", live, got, want)
		}
	}
	lean.Store(true)
	for live, want := range map[uint64]int{0: 100, 4 << 20: 100, 8 << 20: 50, 16 << 20: 25, 32 << 20: 12, 1 << 30: 12} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes in use of a process that waits: %d %%, want %d", live, got, want)
		}
	}
}
