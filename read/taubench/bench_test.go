package taubench

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"tribunal/envelope"
)

type nothing struct{}

func (nothing) Trial(*envelope.Trial)                     {}
func (nothing) Header(envelope.Header, *envelope.Carried) {}
func (nothing) Recorded(*envelope.Recorded)               {}
func (nothing) Problem(envelope.Problem)                  {}

// The published file: 200 trials with their conversations.
func BenchmarkRead(b *testing.B) {
	file, err := os.Open(sample)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Read(bytes.NewReader(text), nothing{}); err != nil {
			b.Fatal(err)
		}
	}
}
