package count_test

import (
	"math"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
)

// TestOneZero: -0 is 0 from the moment a trial is counted, however it comes: it
// is written as 0, and a report read back must not differ from itself.
func TestOneZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	b := count.NewBuilder(5, 0.5)
	in := b.Input("trials", "native")
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Score: envelope.Some(minus), DurationMS: envelope.Some(minus)})
	batch := in.Batch()
	batch.Rows.Score.Set(batch.Add(batch.Test(envelope.Key{Test: "t"}), envelope.Undecided), minus)
	in.Count(batch)
	in.Close()
	rows := b.Run(envelope.ConflictExtend, 5).Tests[0].Rows
	const text = `{"schema":"tribunal/envelope/v1","run":{},"tests":[{"test":"t","rows":{"outcome":"FFF","score":[-0,-0.0,-0e5]}}]}`
	read, err := wire.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range [][]float64{rows.Score().Values(), rows.DurationMS().Values(), read.Run.Tests[0].Rows.Score().Values()} {
		if len(values) == 0 {
			t.Error("no values")
		}
		for _, v := range values {
			if v != 0 || math.Signbit(v) {
				t.Errorf("%v has a sign", v)
			}
		}
	}
}
