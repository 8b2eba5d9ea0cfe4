package jsonwalk

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/read/internal/readtest"
)

// Measured with files of 100 to 200 MB on two shared cores, user and system time
// of three interleaved runs each, before and after Strict took the place of a
// walker over json.Decoder: a Jest report 2.5 s and 2.0 s, a promptfoo file 1.9 s
// and 1.9 s. Run `go test ./read/internal/jsonwalk -run xxx -bench .` to see the same here.

// array is a document with an array of that many rows, indented as by hand.
func array(length int) string {
	var b strings.Builder
	b.WriteString(`{"left":[`)
	for i := range length {
		fmt.Fprintf(&b, "%.*s\n  {\"id\": \"a%d\", \"n\": %d.5, \"output\": %q}", min(i, 1), ",", i, i, strings.Repeat("said\n", 80))
	}
	return b.String() + `]}`
}

func BenchmarkWalk(b *testing.B) {
	skipped := array(10000)
	taken := strings.Replace(skipped, "left", "rows", 1)
	var saw []string
	look := rows(&saw)
	decode := func(r io.Reader, to envelope.Sink) error {
		return Strict(r, to, func(t *Text) error {
			return t.Object(func(key string) error {
				if key != "rows" {
					return nil
				}
				return t.Array(func() error {
					v := struct {
						ID string
						N  float64
					}{}
					return t.Decode(&v)
				})
			})
		})
	}
	for _, c := range []struct {
		name string
		read readtest.Reader
		text string
	}{{"looked at", look, taken}, {"decoded", decode, taken}, {"passed over", look, skipped}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				saw = saw[:0]
				readtest.Text(b, c.read, c.text)
			}
		})
	}
}

// BenchmarkDecode decodes what a report says of a test, beside encoding/json.
func BenchmarkDecode(b *testing.B) {
	type test struct {
		Name, Status, Suite string
		Duration            *float64
		Tags                []string
		Steps               []struct{ Title, Error string }
	}
	text := []byte(`{"name": "books the flight", "status": "failed", "suite": "flights", "rawStatus": "timedOut", "duration": 1203.5, "tags": ["slow", "net"],
		"steps": [{"title": "open", "category": "hook"}, {"title": "pay", "error": "` + strings.Repeat(`expected \"paid\"\n`, 40) + `"}], "extra": {"left": [1, 2, {"out": null}]}}`)
	var m memory
	for name, decode := range map[string]func([]byte, any) error{"here": m.unmarshal, "encoding/json": json.Unmarshal} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := decode(text, &test{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkValid is the check of conversations beside that of encoding/json: what
// tools answer is JSON in a string.
func BenchmarkValid(b *testing.B) {
	text := []byte("[" + strings.Repeat(`{"role":"user","content":"Please change the flight of Sofia to the one at noon.\nShe has the number \u2116 7."},`+
		`{"role":"tool","tool_call_id":"call_I3WHVqSB8","name":"search","content":"{\"flight_number\": \"HAT131\", \"date\": \"2024-05-16\", \"price\": 389}"},`, 100) + "null]")
	for name, check := range map[string]func([]byte) bool{"here": jsontext.Valid, "encoding/json": json.Valid} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !check(text) {
					b.Fatal("it is JSON")
				}
			}
		})
	}
}
