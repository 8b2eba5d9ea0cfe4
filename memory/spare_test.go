package memory

import "testing"

// TestGarbagePercent: 48 MiB may be thrown away as long as that is more than
// two fifths of what is in use.
func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 1200, 4 << 20: 1200, 24 << 20: 200, 48 << 20: 100, 96 << 20: 50, 120 << 20: 40, 1 << 30: 40, 1 << 40: 40} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", live, got, want)
		}
	}
}
