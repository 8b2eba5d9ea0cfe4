package failure

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReason(t *testing.T) {
	cases := []struct {
		text   string
		n      int
		want   string
		reason string
	}{
		{"", 1, "", "nothing"},
		{"\n \n\t\n", 2, "", "nothing but blanks"},
		{"\n  a \r\nb", 1, "a", "the first line that says something"},
		{"a\n\n  b\nc", 2, "a\nb", "two of them"},
		{"a\xffb", 1, "a\uFFFDb", "valid text comes out"},
	}
	var memory Memory
	for _, c := range cases {
		if got := memory.Reason(c.text, c.n); got != c.want {
			t.Errorf("%s: in memory: Reason(%q, %d) = %q, want %q", c.reason, c.text, c.n, got, c.want)
		}
		if got := Reason(c.text, c.n); got != c.want {
			t.Errorf("%s: Reason(%q, %d) = %q, want %q", c.reason, c.text, c.n, got, c.want)
		}
	}
}

func TestLongTextsAreCut(t *testing.T) {
	for _, text := range []string{strings.Repeat("é", 10<<20), strings.Repeat("a\n", 10<<20), strings.Repeat("\n", 10<<20) + "x"} {
		if got := Reason(text, 1000); len(got) > most+len("…") || !utf8.ValidString(got) {
			t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
	}
}

func TestEnds(t *testing.T) {
	if got := Ends("a\nb"); got != "a\nb" {
		t.Errorf("%q", got)
	}
	got := Ends("head" + strings.Repeat("é", 10<<20) + "tail")
	if len(got) > 2*side+100 || !strings.HasPrefix(got, "head") || !strings.HasSuffix(got, "tail") || !utf8.ValidString(got) || !strings.Contains(got, "bytes left out") {
		t.Errorf("%d bytes", len(got))
	}
}
