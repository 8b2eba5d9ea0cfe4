package heap

import "testing"

// TestRoom: slices from a Room are empty at first and keep what is written to them,
// whatever is taken behind them, and are no longer than was asked for.
func TestRoom(t *testing.T) {
	var r Room
	var reals [][]float64
	var small [][]int32
	var letters [][]byte
	for n := range 400 {
		reals, small, letters = append(reals, Take[float64](&r, n)), append(small, Take[int32](&r, n)), append(letters, Take[byte](&r, n))
		checkSlice(t, reals[n], n)
		checkSlice(t, small[n], n)
		checkSlice(t, letters[n], n)
		if reals[n] == nil {
			t.Fatal("a slice of no numbers is nil, others are not")
		}
		for i := range n {
			reals[n][i], small[n][i], letters[n][i] = float64(n), int32(n), byte(n)
		}
	}
	checkSlice(t, Take[int64](&r, roomSize), roomSize) // more than is taken at a time
	for n := range reals {
		for i := range n {
			if reals[n][i] != float64(n) || small[n][i] != int32(n) || letters[n][i] != byte(n) {
				t.Fatalf("cell %d of %d is %v, %d and %d", i, n, reals[n][i], small[n][i], letters[n][i])
			}
		}
	}
}
