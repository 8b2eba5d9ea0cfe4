package memory

import "testing"

// TestGarbagePercent: 40 MiB may be thrown away as long as that is more than
// 36 % of what is in use.
func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 1000, 4 << 20: 1000, 20 << 20: 200, 40 << 20: 100, 80 << 20: 50, 100 << 20: 40, 120 << 20: 36, 1 << 30: 36, 1 << 40: 36} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", live, got, want)
		}
	}
}
