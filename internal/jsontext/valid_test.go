package jsontext

import (
	"encoding/json"
	"strings"
	"testing"
)

// Texts that are JSON, and what is wrong by one character. What each of them is says
// encoding/json.
var texts = []string{
	``, ` `, `{}`, `[]`, ` [ ] `, `{ }`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":}`, `{"a"}`, `{"a":1 "b":2}`, `{"a":1,"b":[{},{"c":null}]}`,
	`[}`, `{]`, `[1}`, `{"a":1]`, `]`, `}`, `[[]`, `[]]`, `{}{}`, `1 2`, `,`, `:`, `[:]`, `{"a":1:2}`,
	`0`, `-0`, `00`, `01`, `-`, `-1`, `1.`, `.5`, `1.5`, `1e`, `1e5`, `1E+5`, `1e-05`, `1e+`, `1.5e3.2`, `+1`, `0x1`, `1_0`, `-a`, `[0123]`, `[-]`,
	`true`, `tru`, `truer`, `True`, `false`, `fals`, `null`, `nul`, `nulll`, `NaN`, `Infinity`, `undefined`,
	`""`, `"`, `"a`, `"a"b`, `"\"`, `"\\"`, `"\\\"`, `"\""`, `"\/\b\f\n\r\t"`, `"\a"`, `"\u00e9"`, `"\u00E9"`, `"\u00g9"`, `"\u00"`, `"\u"`, `"\ud800"`, "\"\t\"", "\"\n\"", "\"\x00\"", "\"\x7f\"", "\"\xff\xfe\"", "\"\u2028\"",
	"\"1234567\"", "\"12345678\"", "\"123456789\\\"0\"", "\"1234567\x1f9\"", "\"éééééééé\\n\x80\"", "\xef\xbb\xbf{}", "{\"a\":1}\x00", "\v1", "\u00a01", "[1]\f",
}

func TestValid(t *testing.T) {
	for _, text := range texts {
		if want := json.Valid([]byte(text)); Valid([]byte(text)) != want {
			t.Errorf("%q: got %v, want %v", text, !want, want)
		}
	}
}

// Every byte at every place of a string of two words of eight bytes.
func TestValidSeesEveryByte(t *testing.T) {
	for at := range 17 {
		for c := range 256 {
			text := []byte(`"` + strings.Repeat("a", 17) + `n"`)
			text[1+at] = byte(c)
			if want := json.Valid(text); Valid(text) != want {
				t.Errorf("%q: got %v, want %v", text, !want, want)
			}
		}
	}
}

func TestValidLooksSoDeep(t *testing.T) {
	for _, c := range []struct {
		depth int
		want  bool
	}{{Deepest, true}, {Deepest + 1, false}} {
		for _, brackets := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			text := strings.Repeat(brackets[0], c.depth) + "1" + strings.Repeat(brackets[1], c.depth)
			if got := Valid([]byte(text)); got != c.want || !json.Valid([]byte(text)) {
				t.Errorf("%s of depth %d: got %v, want %v, and both are JSON", brackets, c.depth, got, c.want)
			}
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Valid([]byte(text)), json.Valid([]byte(text)); got != want && (got || strings.Count(text, "[")+strings.Count(text, "{") <= Deepest && len(text) <= LongestNumber) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	})
}
