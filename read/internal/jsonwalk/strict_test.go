package jsonwalk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/internal/jsontext"
	"tribunal/read/internal/readtest"
)

// walked reads {"list":[{"n":1}, ...]} and returns the numbers.
func walked(r io.Reader) (numbers []string, s *readtest.Sink, err error) {
	s = &readtest.Sink{}
	err = Strict(r, s, func(d *Text) error {
		return d.Object(func(key string) error {
			if key != "list" {
				return nil
			}
			return d.Array(func() error {
				v := struct{ N int }{}
				if err := d.Decode(&v); err != nil {
					return err
				}
				if v.N < 0 {
					d.Problem(envelope.SeverityError, envelope.CodeMalformed, "negative")
				}
				numbers = append(numbers, fmt.Sprint(v.N))
				return nil
			})
		})
	})
	return numbers, s, err
}

func TestStrict(t *testing.T) {
	cases := []struct {
		text     string
		numbers  []string
		reported []string
		reason   string
	}{
		{`{"a":[{"b":[]}],"list":[{"n":1}, {"n":2}],"c":null}`, []string{"1", "2"}, nil, "a document"},
		{"{\"list\":[{\"n\":1},\n   {\"n\":-2},\n{\"n\":3}]}", []string{"1", "-2", "3"}, []string{"malformed-record 2:4"}, "a problem has the place of its element"},
		{"{\"list\":[\n{\"n\":\"x\"},{\"n\":3}]}", []string{"0", "3"}, []string{"ignored-field 2:8"}, "a member of the wrong kind"},
		{`{"list":null}`, nil, nil, "null is an empty array"},
		{`{"list":{"n":1}}`, nil, []string{"malformed-record 1:9"}, "no array"},
		{`[1]`, nil, []string{"malformed-record 1:1"}, "no object"},
		{`{"list":[{"n":1}]} {}`, []string{"1"}, []string{"unreadable-input 1:21"}, "something behind it"},
		{`{"list":[{"n":1},{"n"`, []string{"1"}, []string{"unreadable-input 1:18"}, "cut in an element"},
		{`{"list":[{"n":1}`, []string{"1"}, []string{"unreadable-input 1:17"}, "cut behind an element"},
		{`{"a":` + strings.Repeat("[", 20000), nil, []string{"unreadable-input 1:10007"}, "nested too deep"},
		{``, nil, []string{"unreadable-input 1:1"}, "nothing"},
		{"{\"list\":[{\"n\":1},\n\n {\"s\":\"\",\n\t\"n\":2 3}]}", []string{"1"}, []string{"unreadable-input 4:8"}, "no JSON in an element: the very byte, its blanks and lines counted"},
		{"{\"list\":[\n {\"s\":\"\",\n\n  \"n\":\"x\"},{\"n\":3}]}", []string{"0", "3"}, []string{"ignored-field 4:9"}, "a member of the wrong kind on another line than its element"},
		{`{"list":[{"n":1},{"n":NaN}]}`, []string{"1"}, []string{"unreadable-input 1:23"}, "a word of Python's"},
		{"{\"list\":[{\"n\":1},\n{\"s\":\"\\u00", []string{"1"}, []string{"unreadable-input 2:1"}, "cut in an escape is cut, no bad escape"},
		{`{"list":[{"n":1},{"n" 2`, []string{"1"}, []string{"unreadable-input 1:23"}, "broken before it is cut"},
		{`{"list":"x"}`, nil, []string{"malformed-record 1:9"}, "a text instead of an array"},
		{`{"list":[{"n":1},{"n":2,"n":3}]}`, []string{"1"}, []string{"unreadable-input 1:25"}, "either of two members may count"},
		{`{"list":[{"n":1}], "l\u0069st":[{"n":2}]}`, []string{"1"}, []string{"unreadable-input 1:20"}, "also of the document"},
		{`{"list":[{"n":1}],"x" 1}`, []string{"1"}, []string{"unreadable-input 1:23"}, "no colon"},
		{"hello", nil, []string{"unreadable-input 1:1"}, "no JSON at all is told once"},
	}
	for _, c := range cases {
		numbers, s, err := walked(iotest.HalfReader(strings.NewReader(c.text)))
		if err != nil || !slices.Equal(numbers, c.numbers) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: got %q %q %v, want %q %q", c.reason, numbers, s.Reported(), err, c.numbers, c.reported)
		}
	}
}

func TestStrictKeepsWhatCameBeforeAnError(t *testing.T) {
	broken := errors.New("the cable is broken")
	numbers, s, err := walked(io.MultiReader(strings.NewReader(`{"list":[{"n":1},`), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || !slices.Equal(numbers, []string{"1"}) || len(s.Problems) > 0 {
		t.Errorf("got %q %q %v", numbers, s.Reported(), err)
	}
}

// counting counts what is read.
type counting struct {
	io.Reader
	read int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.read += n
	return n, err
}

func TestAStrictElementIsBounded(t *testing.T) {
	e := &counting{Reader: endless{}}
	numbers, s, err := walked(io.MultiReader(strings.NewReader(`{"list":[{"n":1},{"n":"`), e))
	if err != nil || !slices.Equal(numbers, []string{"1"}) || len(s.Problems) != 1 || e.read > MaxRecord+1<<20 {
		t.Errorf("got %q %q %v after %d bytes", numbers, s.Reported(), err, e.read)
	}
}

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
