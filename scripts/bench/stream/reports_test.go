package stream_test

import (
	"bytes"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read"
	_ "tribunal/read/formats"
	"tribunal/scripts/bench/stream"
)

// TestReportsAreRead holds every generated report to what it claims to be: the program
// tells its format and counts in it what was made up, without an error.
func TestReportsAreRead(t *testing.T) {
	o := stream.Options{Seed: 1, Trials: 1200, Output: 300}
	for _, r := range stream.Reports {
		t.Run(r.String(), func(t *testing.T) {
			b := count.NewBuilder(0, 0.5)
			if format := read.Stream(b, "report", bytes.NewReader(made(t, r.Write, o)), ""); format != r.Name {
				t.Errorf("read as %s", format)
			}
			run := b.Run(envelope.ConflictExtend, 0)
			got := stream.Tally{Tests: len(run.Tests)}
			for _, each := range run.Tests {
				for _, given := range each.Rows.Given {
					got.Trials++
					switch given {
					case envelope.GivenOf(envelope.Pass):
						got.Passed++
					case envelope.GivenOf(envelope.Skip):
						got.Skipped++
					}
				}
			}
			if want := r.Tally(o); got != want {
				t.Errorf("counted %+v, want %+v", got, want)
			}
			for _, p := range run.Problems {
				if p.Severity == envelope.SeverityError {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

// nobody is a sink that counts trials and nothing else.
type nobody struct {
	envelope.Sink
	trials int
}

func (n *nobody) Trial(*envelope.Trial)                   { n.trials++ }
func (*nobody) Header(envelope.Header, *envelope.Carried) {}
func (*nobody) Problem(envelope.Problem)                  {}

// BenchmarkReaders is each reader alone, from memory.
func BenchmarkReaders(b *testing.B) {
	for _, r := range stream.Reports {
		b.Run(r.String(), func(b *testing.B) {
			var text bytes.Buffer
			o := stream.Options{Seed: 1, Trials: r.Trials / 10, Output: 800}
			if err := r.Write(&text, o); err != nil {
				b.Fatal(err)
			}
			f, err := read.ByName(r.Name)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			sink := nobody{}
			for b.Loop() {
				if err := f.Read(bytes.NewReader(text.Bytes()), &sink); err != nil {
					b.Fatal(err)
				}
			}
			if sink.trials != b.N*o.Trials {
				b.Errorf("%d trials, want %d", sink.trials, b.N*o.Trials)
			}
		})
	}
}
