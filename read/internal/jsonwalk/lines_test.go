package jsonwalk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/read/internal/readtest"
)

type named struct {
	Name string
	N    int
}

// decoded is what a reader of records would see.
func decoded(t *testing.T, r io.Reader) (names []string, s *readtest.Sink, err error) {
	t.Helper()
	s = &readtest.Sink{}
	err = StrictLines(r, s, func(l *Line) {
		v := named{}
		if l.Decode(&v) {
			names = append(names, fmt.Sprintf("%d:%s", l.Number, v.Name))
		}
	})
	return names, s, err
}

func TestStrictLines(t *testing.T) {
	cases := []struct {
		text   string
		names  []string
		told   []string
		reason string
	}{
		{"", nil, nil, "nothing"},
		{`{"name":"a"}`, []string{"1:a"}, nil, "no line end is needed"},
		{"\uFEFF{\"name\":\"a\"}\r\n\n \t{\"name\":\"b\"}\n", []string{"1:a", "3:b"}, nil, "a mark, line ends of Windows, blanks"},
		{"hello\n{\"name\":\"a\"}\n[1]\n", []string{"2:a"}, []string{"noise 1:1"}, "lines that are no objects, told once"},
		{"{\"name\":\"a\"}\n  {\"name\":x}\n{\"name\":\"b\"}\n", []string{"1:a", "3:b"}, []string{"malformed-record 2:11"}, "a broken line; columns count its blanks"},
		{"{\"name\":\"a\"}\n{\"name\":\"b", []string{"1:a"}, []string{"truncated-line 2:10"}, "the last line is cut"},
		{"{\"name\":x", nil, []string{"truncated-line 1:9"}, "the last line, whatever it would have been"},
		{"{\"name\":x,\"n\":1", nil, []string{"malformed-record 1:9"}, "the last line is broken before its end"},
		{"{\"n\":\"x\",\"name\":\"a\"}\n", []string{"1:a"}, []string{"ignored-field 1:8"}, "a member of the wrong kind"},
		{"{\"a\":" + strings.Repeat("[", 20000) + "\n", nil, []string{"malformed-record 1:10005"}, "nested too deep"},
	}
	for _, c := range cases {
		names, s, err := decoded(t, iotest.HalfReader(strings.NewReader(c.text)))
		if err != nil || !slices.Equal(names, c.names) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: got %q %q %v, want %q %q", c.reason, names, s.Told(), err, c.names, c.told)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := bytes.Repeat([]byte("x"), MaxRecord)
	names, s, err := decoded(t, io.MultiReader(strings.NewReader("{\"name\":\""), bytes.NewReader(long), strings.NewReader("\"}\n{\"name\":\"b\"}\n")))
	if err != nil || !slices.Equal(names, []string{"2:b"}) || !slices.Equal(s.Told(), []string{"line-too-long 1:1"}) {
		t.Errorf("got %d names, %q, %v", len(names), s.Told(), err)
	}
}

func TestErrorsKeepWhatCameBefore(t *testing.T) {
	broken := errors.New("the cable is broken")
	names, _, err := decoded(t, io.MultiReader(strings.NewReader("{\"name\":\"a\"}\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || !slices.Equal(names, []string{"1:a"}) {
		t.Errorf("got %q, %v", names, err)
	}
}

func TestFirstLineKeys(t *testing.T) {
	cases := []struct {
		head   string
		want   map[string]string
		reason string
	}{
		{"noise\n\n{\"a\":\"b\"}\n{\"c\":1}", map[string]string{"a": "b"}, "the first object"},
		{"\uFEFF{\"a\":\"b\",\"c", map[string]string{"a": "b"}, "cut"},
		{strings.Repeat("noise\n", 100) + "{\"a\":\"b\"}", map[string]string{"a": "b"}, "behind much noise"},
		{"[1]", nil, "no object"},
	}
	for _, c := range cases {
		if got := FirstLineKeys([]byte(c.head)); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}
