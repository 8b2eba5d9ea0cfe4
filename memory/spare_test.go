package memory

import "testing"

// TestGarbagePercent: 36 MiB may be thrown away as long as that is more than
// a third of what is in use.
func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 900, 4 << 20: 900, 18 << 20: 200, 36 << 20: 100, 72 << 20: 50, 100 << 20: 36, 120 << 20: 33, 1 << 30: 33, 1 << 40: 33} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", live, got, want)
		}
	}
}
