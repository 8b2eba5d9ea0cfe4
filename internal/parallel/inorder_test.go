package parallel

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// onCores runs a test with one core and with several: both ways through the
// package must be the same.
func onCores(t *testing.T, test func(t *testing.T)) {
	for _, n := range []int{1, 2, 7} {
		before := runtime.GOMAXPROCS(n)
		test(t)
		runtime.GOMAXPROCS(before)
	}
}

func TestResultsComeInOrder(t *testing.T) {
	onCores(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 100} {
			var got, want []int
			square := func(i int) int {
				for range (n - i) % 5 {
					runtime.Gosched() // later parts overtake earlier ones
				}
				return i * i
			}
			err := do(n, square, func(r int) error { got = append(got, r); return nil })
			for i := range n {
				want = append(want, i*i)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d parts: %v, error %v", n, got, err)
			}
		}
	})
}

func TestSeqEndsEarly(t *testing.T) {
	onCores(t, func(t *testing.T) {
		var got []int
		for r := range Seq(1000, func(i int) int { return 2 * i }) {
			if got = append(got, r); len(got) == 3 {
				break
			}
		}
		if !slices.Equal(got, []int{0, 2, 4}) {
			t.Errorf("the first three results are %v", got)
		}
	})
}

func TestErrorStops(t *testing.T) {
	onCores(t, func(t *testing.T) {
		full := errors.New("the disk is full")
		var under atomic.Int64
		asked, taken := 0, 0
		next := func() (int, bool) { asked++; return asked, asked < 1000 }
		work := func(i int) int { under.Add(1); defer under.Add(-1); runtime.Gosched(); return i }
		err := Stream(next, work, func(i int) error {
			if taken++; taken == 3 {
				return full
			}
			return nil
		})
		if !errors.Is(err, full) || taken != 3 {
			t.Errorf("error %v after %d results", err, taken)
		}
		if most := 3 + ahead*runtime.GOMAXPROCS(0) + 1; asked > most {
			t.Errorf("%d parts were asked for, at most %d may be under way", asked, most)
		}
		if under.Load() != 0 {
			t.Error("work goes on after the end")
		}
	})
}

func TestSpansCoverEverythingOnce(t *testing.T) {
	onCores(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 9, 10, 11, 100} {
			seen := make([]int, n)
			Spans(n, 10, func(from, to int) {
				for i := from; i < to; i++ {
					seen[i]++
				}
			})
			Spans(n, 0, func(from, to int) { seen[from] += to - from - 1 }) // stretches of one
			if slices.ContainsFunc(seen, func(times int) bool { return times != 1 }) {
				t.Errorf("%d: %v", n, seen)
			}
		}
	})
}

func TestNoParts(t *testing.T) {
	onCores(t, func(t *testing.T) {
		if got := All(-1, func(i int) int { return i }); len(got) != 0 {
			t.Errorf("-1 parts: %v", got)
		}
		Spans(-1, -1, func(from, to int) { t.Errorf("-1 numbers: %d to %d", from, to) })
	})
}
