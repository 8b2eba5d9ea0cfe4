package count_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/envelope/wire"
	"tribunal/verdict"
)

// input is a named stream of trials.
type input struct {
	name   string
	trials []envelope.Trial
}

// report counts and judges inputs under the default policy.
func report(t *testing.T, fill func(*count.Builder)) []byte {
	t.Helper()
	b := count.NewBuilder(3, 0.5)
	fill(b)
	policy, err := verdict.Resolve(envelope.Policy{KeepDetails: "3"})
	if err != nil {
		t.Fatal(err)
	}
	env, err := verdict.Seal(b.Run(policy.OnConflict, 3), policy)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	if err := wire.EncodeJSON(&buf, env); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func streams(inputs ...input) func(*count.Builder) {
	return func(b *count.Builder) {
		for _, in := range inputs {
			door := b.Input(in.name, "native")
			for i := range in.trials {
				door.Trial(&in.trials[i])
			}
			door.Close()
		}
	}
}

func envelopes(t *testing.T, texts ...[]byte) func(*count.Builder) {
	return func(b *count.Builder) {
		for i, text := range texts {
			rec, err := wire.Decode(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			door := b.Input(fmt.Sprintf("%d.json", i), "envelope")
			door.Recorded(rec)
			door.Close()
		}
	}
}

// someTrials makes attempt-numbered trials: several tests, runs, every outcome
// and optional field, now and then the same (run, attempt) with other content.
func someTrials(r *rand.Rand, n int) []envelope.Trial {
	var out []envelope.Trial
	timed := r.IntN(9) // of eight trials, those that say when they began
	for i := range n {
		t := envelope.Trial{
			Key:     envelope.Key{Suite: pick(r, "", "a", "b"), Test: pick(r, "x", "y", "z"), Variant: pick(r, "", "", "m")},
			Attempt: envelope.Some(int32(r.IntN(8))), Run: pick(r, "", "r1", "r2"),
			Status: pick(r, envelope.Pass, envelope.Pass, envelope.Fail, envelope.Error, envelope.Skip),
		}
		if r.IntN(3) == 0 {
			t.ErrorClass = pick(r, "timeout", "infrastructure", "own")
			t.ToolCalls = envelope.Some(int32(r.IntN(2)))
		}
		if r.IntN(2) == 0 {
			t.CostUSD, t.DurationMS = envelope.Some(r.Float64()), envelope.Some(r.Float64()*1000)
		}
		if r.IntN(2) == 0 {
			t.Message = fmt.Sprintf("message %d", i%5)
			t.Labels = []envelope.Label{{Name: "seed", Value: pick(r, "1", "2")}, {Name: "tier", Value: "gold"}}
		}
		if r.IntN(4) == 0 {
			t.Status, t.Score = "", envelope.Some(r.Float64())
		}
		if r.IntN(8) < timed {
			t.StartedAt = time.Date(2026, 1, 1, 0, 0, r.IntN(60), 0, time.UTC)
		}
		if r.IntN(4) == 0 {
			t.File, t.Line = pick(r, "a.py", "b.py"), r.IntN(3)
		}
		out = append(out, t)
	}
	return out
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// shard deals trials to inputs; now and then one is delivered to two.
func shard(r *rand.Rand, trials []envelope.Trial, names ...string) []input {
	inputs := make([]input, len(names))
	for i, name := range names {
		inputs[i].name = name
	}
	for _, t := range trials {
		for range 1 + r.IntN(10)/9 {
			in := &inputs[r.IntN(len(inputs))]
			in.trials = append(in.trials, t)
		}
	}
	return inputs
}

func TestMergingIsReporting(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		in := shard(r, someTrials(r, 10+r.IntN(150)), "one.ndjson", "two.ndjson", "three.ndjson")
		whole := report(t, streams(in...))
		parts := [][]byte{report(t, streams(in[0])), report(t, streams(in[1])), report(t, streams(in[2]))}
		pair := report(t, envelopes(t, parts[1], parts[2]))
		for _, c := range []struct {
			reason string
			got    []byte
		}{
			{"the order of the inputs does not matter", report(t, streams(in[2], in[0], in[1]))},
			{"envelopes merge to what their streams report", report(t, envelopes(t, parts[0], parts[1], parts[2]))},
			{"merging is commutative", report(t, envelopes(t, parts[2], parts[1], parts[0]))},
			{"merging is associative", report(t, envelopes(t, pair, parts[0]))},
			{"reading back changes nothing", report(t, envelopes(t, whole))},
			{"merging with itself changes nothing", report(t, envelopes(t, whole, whole))},
		} {
			if diff := cmp.Diff(lines(whole), lines(c.got)); diff != "" {
				t.Fatalf("seed %d: %s:\n%s", seed, c.reason, diff)
			}
		}
	}
}

// TestMemoryOfARecordedTest: one that is read back shares columns with others.
func TestMemoryOfARecordedTest(t *testing.T) {
	trials := someTrials(rand.New(rand.NewPCG(1, 2)), 20_000)
	for i := range trials {
		trials[i].Test = fmt.Sprint(i)
	}
	text := report(t, streams(input{"a", trials}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := count.NewBuilder(1, 0.5)
	envelopes(t, text)(b)
	tests := uint64(len(b.Run(envelope.ConflictExtend, 1).Tests))
	if runtime.ReadMemStats(&after); (after.TotalAlloc-before.TotalAlloc)/tests > 4500 { // 3,600 are measured
		t.Errorf("%d bytes a test, of %d", (after.TotalAlloc-before.TotalAlloc)/tests, tests)
	}
}

func lines(b []byte) []string { return strings.Split(string(b), "\n") }

// TestShardingDoesNotMatter: however trials are dealt to inputs of one name,
// the bytes are the same.
func TestShardingDoesNotMatter(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		trials := someTrials(r, 120)
		whole := report(t, streams(input{"all", trials}))
		shuffled := slices.Clone(trials)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		cut := r.IntN(len(shuffled))
		got := report(t, streams(input{"all", shuffled[:cut]}, input{"all", shuffled[cut:]}))
		if diff := cmp.Diff(lines(whole), lines(got)); diff != "" {
			t.Fatalf("seed %d:\n%s", seed, diff)
		}
	}
}

func TestUnnumberedEnvelopeMergedWithItself(t *testing.T) {
	trials := []envelope.Trial{
		{Key: envelope.Key{Test: "x"}, Status: envelope.Pass},
		{Key: envelope.Key{Test: "x"}, Status: envelope.Fail, Message: "no"},
		{Key: envelope.Key{Test: "x"}, Status: envelope.Pass},
	}
	whole := report(t, streams(input{"-", trials}))
	if got := report(t, envelopes(t, whole, whole)); !bytes.Equal(whole, got) {
		t.Errorf("counted twice:\n%s", cmp.Diff(lines(whole), lines(got)))
	}
}

func TestNDJSONIsTheSameEnvelope(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	rec, err := wire.Decode(bytes.NewReader(report(t, streams(shard(r, someTrials(r, 100), "a", "b")...))))
	if err != nil {
		t.Fatal(err)
	}
	var first, second, third bytes.Buffer
	for _, err := range []error{wire.EncodeJSON(&first, rec.Envelope), wire.EncodeNDJSON(&second, rec.Envelope)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again, err := wire.Decode(&second)
	if err != nil {
		t.Fatal(err)
	}
	if err := wire.EncodeJSON(&third, again.Envelope); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lines(first.Bytes()), lines(third.Bytes())); diff != "" {
		t.Error(diff)
	}
}

// TestPolicyThatIsBothAskedForAndHeld: a stream that asks for what an envelope was
// judged under asks for no other policy, in either order.
func TestPolicyThatIsBothAskedForAndHeld(t *testing.T) {
	held, err := verdict.Resolve(envelope.Policy{Rule: "wilson", Threshold: envelope.Some(0.9)})
	if err != nil {
		t.Fatal(err)
	}
	asked := held.Policy
	for _, order := range [][]envelope.Carried{{{Held: &held}, {Asked: &asked}}, {{Asked: &asked}, {Held: &held}}} {
		b := count.NewBuilder(0, 0.5)
		in := b.Input("a", "native")
		for i := range order {
			in.Header(envelope.Header{}, &order[i])
		}
		if got := b.Policies(); len(got) != 1 || got[0].Held == nil {
			t.Errorf("%+v", got)
		}
	}
}

// TestOneZero: -0 is 0 from the moment a trial is counted, however it comes: it
// is written as 0, and a report read back must not differ from itself.
func TestOneZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	b := count.NewBuilder(5, 0.5)
	in := b.Input("trials", "native")
	in.Trial(&envelope.Trial{Key: envelope.Key{Test: "t"}, Score: envelope.Some(minus), DurationMS: envelope.Some(minus)})
	batch := in.Batch()
	test, _ := batch.Test(envelope.Key{Test: "t"})
	batch.Rows.Score.Set(batch.Add(test, envelope.Undecided), minus)
	in.Count(batch)
	in.Close()
	rows := b.Run(envelope.ConflictExtend, 5).Tests[0].Rows
	const text = `{"schema":"tribunal/envelope/v1","run":{},"tests":[{"test":"t","rows":{"outcome":"FFF","score":[-0,-0.0,-0e5]}}]}`
	read, err := wire.Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, values := range [][]float64{rows.Score().Values(), rows.DurationMS().Values(), read.Envelope.Tests[0].Rows.Score().Values()} {
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

// TestRepairedNames: tests whose names differ in broken bytes alone become one,
// and a problem says so; names that are text are none.
func TestRepairedNames(t *testing.T) {
	for names, want := range map[[2]string]string{
		{"a\xff", "a\xfe"}: `(1 in all, first "a�/t")`, {"b\ufffd", "c\xc0"}: `(2 in all, first "b�/t")`, {"ä", "日本"}: "",
	} {
		b := count.NewBuilder(5, 0.5)
		in := b.Input("trials", "native")
		for _, suite := range names {
			in.Trial(&envelope.Trial{Key: envelope.Key{Suite: suite, Test: "t"}, Status: envelope.Pass})
		}
		in.Close()
		var said []string
		for _, p := range b.Run(envelope.ConflictExtend, 5).Problems {
			if p.Code == envelope.CodeRepaired {
				said = append(said, p.Message)
			}
		}
		if got := strings.Join(said, "\n"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: %q, want %q in it", names, got, want)
		}
	}
}
