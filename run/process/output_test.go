package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExcerptsKeepHeadAndTail(t *testing.T) {
	lines := strings.Repeat("0123456\n", 1000) // 8 bytes a line
	for _, c := range []struct {
		reason, text string
		limit        int
		head, tail   string
		omitted      int64
	}{
		{"nothing written", "", 10, "", "", 0},
		{"exactly the limit", "0123456789", 10, "0123456789", "", 0},
		{"one byte more, no lines: halves", "0123456789A", 10, "01234", "6789A", 1},
		{"an odd limit is not passed", "0123456789A", 9, "0123", "789A", 3},
		{"cuts are where lines end", lines, 40, "0123456\n0123456\n", "0123456\n0123456\n0123456\n"[8:], 8000 - 32},
		{"characters stay whole", "aä" + strings.Repeat("x", 20) + "äz", 4, "a", "z", 24},
		{"a last line alone is kept with what is before it", "aaaaaaaaaaaaaaaaaaaaa\n", 8, "aaaa", "aaa\n", 14},
	} {
		name := filepath.Join(t.TempDir(), "out")
		succeed(t, os.WriteFile(name, []byte(c.text), 0o600))
		got := must(ReadExcerpt(name, c.limit))(t)
		if string(got.Head) != c.head || string(got.Tail) != c.tail || got.Omitted != c.omitted {
			t.Errorf("%s: head %q, tail %q, %d left out; want %q, %q, %d", c.reason, got.Head, got.Tail, got.Omitted, c.head, c.tail, c.omitted)
		}
	}
}

// A secret in a line that the cut goes through is not left in half.
func TestExcerptsCutNoSecretInTwo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	text := strings.Repeat("x\n", 30) + "TOKEN=abcdefgh\n" + strings.Repeat("y\n", 100)
	succeed(t, os.WriteFile(name, []byte(text), 0o600))
	for limit := 2; limit < len(text); limit++ {
		got := must(ReadExcerpt(name, limit))(t)
		whole := string(got.Bytes())
		if limit > 4 && strings.Contains(whole, "TOK") != strings.Contains(whole, "TOKEN=abcdefgh") {
			t.Fatalf("of %d bytes a part of the secret is kept: %q", limit, whole)
		}
	}
}

func TestExcerptSaysWhatIsLeftOut(t *testing.T) {
	e := Excerpt{Head: []byte("one\n"), Tail: []byte("nine\n"), Omitted: 1234}
	if got, want := string(e.Bytes()), "one\n[1234 bytes left out]\nnine\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
