package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tribunal/envelope"
	"tribunal/run/runner"
)

// TestByTimeIsBalanced: no shard takes 5 % more than its share of the time, or than the
// longest test where that takes more, and every test is in one.
func TestByTimeIsBalanced(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 48))
	for _, of := range []int{1, 2, 3, 8, 20} {
		var tests []runner.Test
		took, total, longest := map[envelope.Key]time.Duration{}, time.Duration(0), time.Duration(0)
		for i := range 400 {
			k := envelope.Key{Suite: "s", Test: fmt.Sprint(i)}
			d := time.Duration(math.Exp(1.5*random.NormFloat64()) * float64(time.Second))
			tests, took[k] = append(tests, runner.Test{Key: k}), d
			total, longest = total+d, max(longest, d)
		}
		shards, loads := byTime(tests, took, of)
		sums := make([]time.Duration, of)
		for k, shard := range shards {
			sums[shard-1] += took[k]
		}
		share := max(total/time.Duration(of), longest)
		if len(shards) != len(tests) || !slices.Equal(sums, loads) || slices.Max(loads) > share*105/100 {
			t.Errorf("%d shards: %v, want at most %v", of, loads, share)
		}
		slices.Reverse(tests) // a machine may list them in another order
		again, _ := byTime(tests, took, of)
		for k, shard := range shards {
			if again[k] != shard {
				t.Fatalf("%s is in shard %d or %d", k, shard, again[k])
			}
		}
	}
}

// TestByTimeOfUnknown: a test without a time takes the median, and tests without any are
// dealt out.
func TestByTimeOfUnknown(t *testing.T) {
	var tests []runner.Test
	for _, name := range []string{"a", "b", "c", "new"} {
		tests = append(tests, runner.Test{Key: envelope.Key{Test: name}})
	}
	key := func(name string) envelope.Key { return envelope.Key{Test: name} }
	shards, loads := byTime(tests, map[envelope.Key]time.Duration{key("a"): 9, key("b"): 4, key("c"): 1}, 2)
	if loads[0] != 9 || loads[1] != 4+4+1 || shards[key("new")] != 2 {
		t.Errorf("%v, %v", shards, loads)
	}
	if shards, _ := byTime(tests, map[envelope.Key]time.Duration{key("gone"): 1}, 4); len(shards) != 4 || shards[key("a")]+shards[key("b")]+shards[key("c")]+shards[key("new")] != 1+2+3+4 {
		t.Errorf("%v", shards)
	}
}
