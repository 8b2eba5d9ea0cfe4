package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// closing is where the string ends for encoding/json whose content begins at p, -1 where it is none.
func closing(text []byte, p int) int {
	d := json.NewDecoder(bytes.NewReader(append([]byte{'"'}, text[p:]...)))
	if d.Decode(new(string)) != nil {
		return -1
	}
	return p + int(d.InputOffset()) - 2
}

// TestEveryByte: every byte, at every place around the border of a word, plain and behind a backslash, among all kinds of neighbours.
func TestEveryByte(t *testing.T) {
	for _, around := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xff} {
		for _, before := range []string{"", `\`, `\\`, `\\\`, `\u`, `\u0`, `\u12`, `\u123`, `\u1F3`, `\u12aB`} {
			for c := range 256 {
				for at := range 18 {
					text := bytes.Repeat([]byte{around}, 40)
					copy(text[at:], before+string([]byte{byte(c)}))
					text[39] = '\n'
					check(t, text, 0)
				}
			}
		}
	}
}

// check holds the end of the string that begins at p against closing.
func check(t *testing.T, text []byte, p int) {
	t.Helper()
	if got, want := closingOf(text, p), closing(text, p); got != want {
		t.Fatalf("the string in %q from %d ends at %d, want %d", text, p, got, want)
	}
}

// closingOf is where the string ends whose content begins at p, -1 where it is none.
func closingOf(text []byte, p int) int { return max(-1, (&Part{B: text}).String(p-1)-1) }

// TestLikeEncodingJSON: what is taken for a string is one for encoding/json,
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
		end := closingOf(text, begin)
		if end < 0 {
			continue
		}
		var want string
		_ = json.Unmarshal(text[begin-1:end+1], &want)
		if got := strings.ToValidUTF8(string(Append([]byte("x"), text[begin:end])), "\uFFFD"); got != "x"+strings.ToValidUTF8(want, "\uFFFD") && !bytes.Contains(text, []byte{0xff}) {
			t.Fatalf("%q says %q, want %q", text, got, want)
		}
	}
}

// TestPlain holds the search by eights against the search by ones, with every
// byte at every place of a word and beside every kind of neighbour.
func TestPlain(t *testing.T) {
	for _, around := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xdc} {
		for c := range 256 {
			for at := range 17 {
				text := bytes.Repeat([]byte{around}, 19)
				text[at], text[at+1] = byte(c), byte(c)+1
				for from := range len(text) + 1 {
					want := from
					for want < len(text) && text[want] >= ' ' && text[want] != '"' && text[want] != '\\' {
						want++
					}
					if got := Plain(text, from); got != want {
						t.Fatalf("Plain(%q, %d) = %d, want %d", text, from, got, want)
					}
				}
			}
		}
	}
}

func BenchmarkPlain(b *testing.B) {
	for name, said := range map[string]string{
		"prose":        strings.Repeat("All of it stands in one line that means nothing. ", 200),
		"JSON in JSON": strings.Repeat(`{\"flight_number\": \"HAT131\", \"date\": \"2024-05-16\", \"price\": 389}, `, 120),
	} {
		b.Run(name, func(b *testing.B) {
			text := []byte(said)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for i := 0; i < len(text); i++ {
					i = Plain(text, i)
				}
			}
		})
	}
}

// stringCases are JSON strings without their quotes, valid and not.
// encoding/json is the judge of both.
var stringCases = []string{
	``, `plain`, `\"\\\/\b\f\n\r\t`, `\u0041\u00e9\u20AC\uFFFF`, `a\\`, `\\\\"`, `\\"tail`, `\x`, `\u12`, `\u12g4`, `\U0041`, `\`, `\u`,
	`\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83d\ud83d\ude00`, `\ud83d\u0041`, `\ud83dx`, `\ud83d\n`, `\ud83d\\ude00`, `\ude00\ud83d`,
	"\xff", "\xc3\\u00e9", "\xc3\\n\xa9", "\xed\xa0\x80", "\xf0\x9f\x98", "caf\u00e9 \u65e5\u672c \U0001F600", "a\x01b", "\t", "\x7f",
}

// checkString: the end is found of valid strings only, and what Append
// and Repair say is what encoding/json says.
func checkString(t *testing.T, raw []byte) {
	text, whole := append(bytes.Clone(raw), "\"\n"...), append(append([]byte{'"'}, raw...), '"')
	want := ""
	valid := json.Unmarshal(whole, &want) == nil
	end := closingOf(text, 0)
	if closes := (&Part{B: whole}).String(0) == len(whole); closes != valid {
		t.Errorf("%q: a string by its bytes, encoding/json says valid: %v", raw, valid)
	}
	if valid != (end == len(raw)) {
		t.Errorf("%q: closed at %d of %d, encoding/json says valid: %v", raw, end, len(raw), valid)
		return
	}
	if !valid {
		return
	}
	if got := Repair(Append([]byte("before"), text[:end]), len("before")); string(got) != "before"+want {
		t.Errorf("%q says %q, want %q", raw, got[len("before"):], want)
	}
	long := slices.Concat(bytes.Repeat([]byte("x "), 130), text[:end], []byte(`\n `), text[:end])
	if all, first := (&Said{}).Copy(long), (&Said{}).FirstLine(long); !strings.HasPrefix(all, first) || !strings.Contains(first, "\n") {
		t.Errorf("%q begins with %q", all, first)
	}
}

func TestStrings(t *testing.T) {
	for _, raw := range stringCases {
		checkString(t, []byte(raw))
		checkString(t, append(bytes.Repeat([]byte("x"), 6), raw...)) // over the edge of a word
	}
}

func FuzzStrings(f *testing.F) {
	for _, raw := range stringCases {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if bytes.IndexByte(raw, '\n') < 0 {
			checkString(t, raw)
		}
	})
}

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

// TestKeysTwice: a key that an object has twice is found at its second place, and no other is.
func TestKeysTwice(t *testing.T) {
	many, keys := "{", &Keys{}
	for i := range 200 {
		many += fmt.Sprintf(`"key%d":{"key%d":[{}]},`, i, i)
	}
	for _, text := range []string{`[{},{"a":1},{"a":2}]`, `{"a":{"a":1},"b":{"a":1}}`, `{"":1," ":2}`, `{"\\":1,"\"":2}`, many + `"key":0}`, `{"a":1,^"a":2}`,
		`[{"b":{"c":0}},{"b":{},"x":{"a":1,"b":[{"a":2}],^"a":3}}]`, `{"":1,^"":2}`, `{"a":1,^"\u0061":2}`, many + `^"key77":0}`, many + `"x":{"ab":1,"ba":2,^"ab":3}}`} {
		valid, want := strings.ReplaceAll(text, "^", ""), strings.Index(text, "^")
		s := Part{B: []byte(valid), Keys: keys}
		if end := s.Valid(0); !Valid(s.B) || (end < 0) != (want >= 0) || end < 0 && s.Wrong != want || len(keys.met) != 0 {
			t.Errorf("%.80s: ends at %d, wrong at %d (%s), want %d", text, end, s.Wrong, s.Reason, want)
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
			if got := Valid([]byte(text)); got != c.want || json.Valid([]byte(text)) != c.want {
				t.Errorf("%s of depth %d: got %v, want %v as of encoding/json", brackets, c.depth, got, c.want)
			}
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Valid([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	})
}
