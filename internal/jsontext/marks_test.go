package jsontext

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// closing is Closing by one byte after the other.
func closing(text []byte, p int) int {
	for ; p < len(text); p++ {
		switch c := text[p]; {
		case c == '"':
			return p
		case c < ' ':
			return -1
		case c == '\\':
			p++
			if p == len(text) || !strings.ContainsRune(`"\/bfnrtu`, rune(text[p])) {
				return -1
			}
			if text[p] != 'u' {
				continue
			}
			for range 4 {
				if p++; p == len(text) || !strings.ContainsRune("0123456789abcdefABCDEF", rune(text[p])) {
					return -1
				}
			}
		}
	}
	return -1
}

// TestEveryByte: every byte, at every place around the border of a block, plain and behind a backslash, among all kinds of neighbours.
func TestEveryByte(t *testing.T) {
	for _, around := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xff} {
		for _, before := range []string{"", `\`, `\\`, `\\\`, `\u`, `\u0`, `\u12`, `\u123`, `\u1F3`, `\u12aB`} {
			for c := range 256 {
				for at := 50; at < 72; at++ {
					text := bytes.Repeat([]byte{around}, 150)
					copy(text[at:], before+string([]byte{byte(c)}))
					text[149] = '\n'
					check(t, text, 0)
				}
			}
		}
	}
}

// check holds the end of the string that begins at p against closing.
func check(t *testing.T, text []byte, p int) {
	t.Helper()
	var m Text
	m.Mark(text)
	if got, want := m.Closing(p), closing(text, p); got != want && !(m.Torn() && want < 0) {
		t.Fatalf("the string in %q from %d ends at %d, want %d", text, p, got, want)
	}
}

// TestLikeEncodingJSON: what Closing takes for a string is one for encoding/json,
// with the same content, and nothing else is.
func TestLikeEncodingJSON(t *testing.T) {
	pieces := []string{`\`, `"`, `\u`, `\"`, `\\`, `\n`, `\/`, `\x`, "a", "0", "f", "D", "d83d", `\ud83d\ude00`, `\udc00`, `\uD800`, "ü", "…", "\t", "\xff", "some longer text without any"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		var b strings.Builder
		b.WriteString(strings.Repeat(" ", random.IntN(70)) + `"`)
		begin := b.Len()
		for range random.IntN(20) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		b.WriteString("\"\n")
		text := []byte(b.String())
		check(t, text, begin)
		var m Text
		m.Mark(text)
		end := m.Closing(begin)
		if end < 0 || m.Torn() {
			continue
		}
		var want string
		if err := json.Unmarshal(text[begin-1:end+1], &want); err != nil {
			t.Fatalf("%q is taken for a string: %v", text, err)
		}
		if got := strings.ToValidUTF8(string(Append([]byte("x"), text[begin:end])), "\uFFFD"); got != "x"+strings.ToValidUTF8(want, "\uFFFD") && !bytes.Contains(text, []byte{0xff}) {
			t.Fatalf("%q says %q, want %q", text, got, want)
		}
	}
}

func BenchmarkMark(b *testing.B) {
	text := bytes.Repeat([]byte(`{"output":"retrying after 564 ms: rate limited (429)\nexpected \u003cp\u003esecond\u003c\/p\u003e, got the same again"}`+"\n"), 2000)
	b.SetBytes(int64(len(text)))
	var m Text
	for b.Loop() {
		m.Mark(text)
	}
}
