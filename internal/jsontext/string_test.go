package jsontext

import (
	"bytes"
	"encoding/json"
	"testing"
)

// stringCases are JSON strings without their quotes, valid and not.
// encoding/json is the judge of both.
var stringCases = []string{
	``, `plain`, `\"\\\/\b\f\n\r\t`, `\u0041\u00e9\u20AC\uFFFF`, `a\\`, `\\\\"`, `\\"tail`, `\x`, `\u12`, `\u12g4`, `\U0041`, `\`, `\u`,
	`\ud83d\ude00`, `\ud83d`, `\ude00`, `\ud83d\ud83d\ude00`, `\ud83d\u0041`, `\ud83dx`, `\ud83d\n`, `\ud83d\\ude00`, `\ude00\ud83d`,
	"\xff", "\xc3\\u00e9", "\xc3\\n\xa9", "\xed\xa0\x80", "\xf0\x9f\x98", "caf\u00e9 \u65e5\u672c \U0001F600", "a\x01b", "\t", "\x7f",
}

// checkString: Closing finds the end of valid strings only, and what Append
// and Repair say is what encoding/json says.
func checkString(t *testing.T, raw []byte) {
	text, whole := append(bytes.Clone(raw), "\"\n"...), append(append([]byte{'"'}, raw...), '"')
	m, want := Text{}, ""
	m.Mark(text)
	valid := json.Unmarshal(whole, &want) == nil
	end := m.Closing(0)
	if closes := (&Part{B: whole}).String(0) == len(whole); closes != valid {
		t.Errorf("%q: a string by its bytes, encoding/json says valid: %v", raw, valid)
	}
	if valid != (end == len(raw)) && !(m.Torn() && !valid) {
		t.Errorf("%q: closed at %d of %d, encoding/json says valid: %v", raw, end, len(raw), valid)
		return
	}
	if !valid {
		return
	}
	if got := Repair(Append([]byte("before"), text[:end]), len("before")); string(got) != "before"+want {
		t.Errorf("%q says %q, want %q", raw, got[len("before"):], want)
	}
}

func TestStrings(t *testing.T) {
	for _, raw := range stringCases {
		checkString(t, []byte(raw))
		checkString(t, append(bytes.Repeat([]byte("x"), 62), raw...)) // over the edge of a mark
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
