package chunks

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestBlocks(t *testing.T) {
	long := strings.Repeat("x", 1<<17)
	cases := []struct {
		text   string
		limit  int
		want   []string
		reason string
	}{
		{"", 100, nil, "nothing"},
		{"a\nbc\n", 100, []string{"1 ended 1", "2 ended 2"}, "two lines"},
		{"a\nbc", 100, []string{"1 ended 1", "2 open 2"}, "the last line lacks its end"},
		{"\n\n", 100, []string{"1 ended 0", "2 ended 0"}, "empty lines"},
		{long + "\nb", MaxLine, []string{"1 ended 131072", "2 open 1"}, "a line larger than the buffer"},
		{long, 1 << 17, []string{"1 open 131072"}, "exactly as long as allowed, without an end"},
		{long + "\nb", 1 << 17, []string{"1 ended 131072", "2 open 1"}, "exactly as long as allowed"},
		{long + "x\nb", 1 << 17, []string{"1 long", "2 open 1"}, "one byte too long"},
		{long + "x", 1 << 17, []string{"1 long"}, "one byte too long, without an end"},
		{long + long + long + "\n" + long, 1000, []string{"1 long", "2 long"}, "much too long, twice"},
		{"abcd\nabc\nabcd", 3, []string{"1 long", "2 ended 3", "3 long"}, "a limit below the buffer"},
	}
	for _, c := range cases {
		for _, way := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			for _, size := range []int{1, 7, 1 << 16, 1 << 20} {
				got := allLines(Cut(way(strings.NewReader(c.text)), size, c.limit))
				if !slices.Equal(got, c.want) {
					t.Errorf("%s, in blocks of %d: %q, want %q", c.reason, size, got, c.want)
				}
			}
		}
	}
}

// allLines is the lines of all blocks in short.
func allLines(in *Cutter) (out []string) {
	add := func(what string, size int) {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%d %s %d", len(out)+1, what, size), " -1"))
	}
	for b := (Block{}); !b.Last; {
		b = in.Next(b.Text)
		for text := string(b.Text); text != ""; {
			line, rest, ended := strings.Cut(text, "\n")
			switch text = rest; {
			case len(line) > in.limit:
				add("long", -1)
			case ended:
				add("ended", len(line))
			default:
				add("open", len(line))
			}
		}
		if b.TooLong {
			add("long", -1)
		}
	}
	return out
}
