package native

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/count"
	"tribunal/read/internal/lineblocks"
)

// stream is n trials of 100 tests with 700 bytes of output each, every tenth of
// them failing.
func stream(n int) []byte {
	var b bytes.Buffer
	output := strings.Repeat(`step: asked the tool and waited for its answer\n`, 15)[:700]
	for i := range n {
		status := "pass"
		if i%10 == 7 {
			status = "fail"
		}
		fmt.Fprintf(&b, `{"suite":"suite %d","test":"answers question %d","attempt":%d,"status":%q,"score":0.%d,"duration_ms":%d.5,"cost_usd":0.0%d,"tokens":%d,"tool_calls":3,"output":"%s"}`+"\n",
			i%10, i%100, i/100, status, i%1000, i%9000, i%500+1, i, output)
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	text := stream(50000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		builder := count.NewBuilder(5, 0.5)
		in := builder.Input("bench", "native")
		if err := Read(bytes.NewReader(text), in); err != nil || builder.Trials() != 50000 {
			b.Fatal(err, builder.Trials())
		}
		in.Close()
	}
}

// BenchmarkPlain is reading with care and without counting.
func BenchmarkPlain(b *testing.B) {
	text := stream(50000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := Read(bytes.NewReader(text), nothing{}); err != nil {
			b.Fatal(err)
		}
	}
}

type nothing struct{}

func (nothing) Trial(*envelope.Trial)                     {}
func (nothing) Header(envelope.Header, *envelope.Carried) {}
func (nothing) Recorded(*envelope.Recorded)               {}
func (nothing) Problem(envelope.Problem)                  {}

// TestNoMemoryPerTrial: the hot path takes no memory, whatever the number of
// trials.
func TestNoMemoryPerTrial(t *testing.T) {
	few, many := stream(1000), stream(5000)
	read := func(text []byte) float64 {
		return testing.AllocsPerRun(5, func() {
			if err := Read(bytes.NewReader(text), nothing{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if a, b := read(few), read(many); b > a+10 {
		t.Errorf("%v allocations for 1000 trials, %v for 5000", a, b)
	}
}

// TestNoMemoryPerCountedTrial: counting takes memory for its columns, which are
// a few large pieces, and for the details of the first failures.
func TestNoMemoryPerCountedTrial(t *testing.T) {
	few, many := stream(60000), stream(120000)
	read := func(text []byte) float64 {
		return testing.AllocsPerRun(2, func() {
			b := count.NewBuilder(5, 0.5)
			if err := readSideBySide(bytes.NewReader(text), b.Input("bench", "native"), nil, 2, lineblocks.Size, lineblocks.MaxLine); err != nil {
				t.Fatal(err)
			}
		})
	}
	if a, b := read(few), read(many); b > a+1000 {
		t.Errorf("%v allocations for 60000 trials, %v for 120000", a, b)
	}
}
