package count_test

import (
	"fmt"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// The same trial, delivered by two shards, counts once, and the run says so.
func Example() {
	builder := count.NewBuilder(5, 0.5)
	for _, shard := range []string{"shard-1.ndjson", "shard-2.ndjson"} {
		in := builder.Input(shard, "native")
		in.Trial(&envelope.Trial{Key: envelope.Key{Test: "refund"}, Run: "nightly", Attempt: envelope.Some[int32](0), Status: envelope.Pass})
		in.Close()
	}
	run := builder.Run(envelope.ConflictExtend, 5)
	fmt.Println(run.Trials(), "trial of", len(run.Header.Sources), "sources")
	for _, problem := range run.Problems {
		fmt.Println(problem)
	}
	// Output:
	// 1 trial of 2 sources
	// warning: 1 trial delivered more than once in shard-1.ndjson and shard-2.ndjson: counted once
}
