package position

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAt(t *testing.T) {
	const text = "ab\n\ncdé\n"
	cases := []struct {
		offset       int64
		line, column int
		reason       string
	}{
		{0, 1, 1, "the first byte"},
		{1, 1, 2, "the second byte"},
		{2, 1, 3, "a line end belongs to its line"},
		{3, 2, 1, "an empty line is a line"},
		{4, 3, 1, "the first byte of a line"},
		{7, 3, 4, "columns count bytes: é has two"},
		{9, 4, 1, "behind the last line end"},
	}
	for _, way := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
		p := NewReader(way(strings.NewReader(text)))
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{p}); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if line, column := p.At(c.offset); line != c.line || column != c.column {
				t.Errorf("At(%d) = %d:%d, want %d:%d: %s", c.offset, line, column, c.line, c.column, c.reason)
			}
		}
		if line, column := p.End(); line != 4 || column != 1 {
			t.Errorf("End() = %d:%d, want 4:1", line, column)
		}
	}
}

// TestEnd: the place behind the last byte is that of a byte at that offset.
func TestEnd(t *testing.T) {
	for _, text := range []string{"", "a", "ab\n", "ab\n\ncdé\n", "ab\n\ncdé", "\n\n"} {
		for _, way := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			p := NewReader(way(strings.NewReader(text)))
			if _, err := io.Copy(io.Discard, struct{ io.Reader }{p}); err != nil {
				t.Fatal(err)
			}
			wantLine, wantColumn := p.At(int64(len(text)))
			if line, column := p.End(); line != wantLine || column != wantColumn {
				t.Errorf("%q ends at %d:%d, want %d:%d", text, line, column, wantLine, wantColumn)
			}
		}
	}
}

func TestForgetsOldLines(t *testing.T) {
	p := NewReader(strings.NewReader(strings.Repeat("\n", 5*remembered)))
	if _, err := io.Copy(io.Discard, struct{ io.Reader }{p}); err != nil {
		t.Fatal(err)
	}
	if len(p.ends) > 2*remembered {
		t.Errorf("%d line ends are kept", len(p.ends))
	}
	if line, _ := p.At(7); line != 0 {
		t.Errorf("line %d is told for an offset that is forgotten", line)
	}
	if line, column := p.End(); line != 5*remembered+1 || column != 1 {
		t.Errorf("End() = %d:%d", line, column)
	}
}

func TestErrorIsFinal(t *testing.T) {
	broken := errors.New("broken")
	p := NewReader(io.MultiReader(strings.NewReader("a"), iotest.ErrReader(broken)))
	if p.Err() != nil {
		t.Error("an error before reading")
	}
	for range 2 {
		if _, err := io.ReadAll(p); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	}
	if !errors.Is(p.Err(), broken) {
		t.Errorf("Err() = %v", p.Err())
	}
	p = NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("abc"))))
	for range 2 {
		if _, err := io.ReadAll(p); !errors.Is(err, iotest.ErrTimeout) {
			t.Errorf("error %v of a reader that would go on", err)
		}
	}
	p = NewReader(strings.NewReader(""))
	if _, err := io.ReadAll(p); err != nil || p.Err() != nil {
		t.Errorf("the end of the stream is told as an error: %v, %v", err, p.Err())
	}
}
