package count

import (
	"fmt"
	"testing"

	"tribunal/envelope"
)

// TestSumsGoOn: sums that were asked for in between are those of all at the end, over
// the end of a chunk as well, and of an input they are its own. A numbered trial that
// came twice counts once in all, and twice in those of its inputs; one without a number
// counts as often as it came.
func TestSumsGoOn(t *testing.T) {
	b := NewBuilder(0, 0)
	var asked Sums
	var of []envelope.TrialsSum
	each := []int{3, chunkRows, 5} // trials of the inputs
	for n, trials := range each {
		in := b.Input(fmt.Sprint("input ", n), "native")
		for i := range trials {
			in.Trial(&envelope.Trial{Key: envelope.Key{Test: fmt.Sprint("t", i%7)}, Status: envelope.Pass, Attempt: envelope.Some(int32(i)), DurationMS: envelope.Some(float64(n*trials + i))})
		}
		of = append(of, b.Sum(&asked)...)
	}
	for range 2 {
		b.Input("again", "native").Trial(&envelope.Trial{Key: envelope.Key{Test: "t0"}, Status: envelope.Pass, Attempt: envelope.Some[int32](0), DurationMS: envelope.Some(0.0)})
		b.Input("unnumbered", "native").Trial(&envelope.Trial{Key: envelope.Key{Test: "t0"}, Status: envelope.Pass})
	}
	b.Sum(&asked)
	var once Sums
	inputs := b.Sum(&once)
	if asked.All != once.All || once.All.Trials != 3+chunkRows+5+2 {
		t.Errorf("asked in between %v, at once %v, want %d trials", asked.All, once.All, 3+chunkRows+5+2)
	}
	if len(of) != len(each) || len(inputs) != len(each)+2 {
		t.Fatalf("sums of %d and %d inputs", len(of), len(inputs))
	}
	for n, sum := range of {
		if sum.Trials != each[n] {
			t.Errorf("input %d: %d trials, want %d", n, sum.Trials, each[n])
		}
	}
	if more := b.Sum(&asked); len(more) != 0 {
		t.Errorf("nothing came, and yet %v", more)
	}
}
