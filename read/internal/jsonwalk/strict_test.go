package jsonwalk

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
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
		text    string
		numbers []string
		told    []string
		reason  string
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
		{`{"list":"x","list":[{"n":1}]}`, []string{"1"}, []string{"malformed-record 1:9"}, "a text instead of an array"},
		{`{"list":[{"n":1}],"x" 1}`, []string{"1"}, []string{"unreadable-input 1:23"}, "no colon"},
		{"hello", nil, []string{"unreadable-input 1:1"}, "no JSON at all is told once"},
	}
	for _, c := range cases {
		numbers, s, err := walked(iotest.HalfReader(strings.NewReader(c.text)))
		if err != nil || !slices.Equal(numbers, c.numbers) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: got %q %q %v, want %q %q", c.reason, numbers, s.Told(), err, c.numbers, c.told)
		}
	}
}

func TestStrictKeepsWhatCameBeforeAnError(t *testing.T) {
	broken := errors.New("the cable is broken")
	numbers, s, err := walked(io.MultiReader(strings.NewReader(`{"list":[{"n":1},`), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || !slices.Equal(numbers, []string{"1"}) || len(s.Problems) > 0 {
		t.Errorf("got %q %q %v", numbers, s.Told(), err)
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
		t.Errorf("got %q %q %v after %d bytes", numbers, s.Told(), err, e.read)
	}
}
