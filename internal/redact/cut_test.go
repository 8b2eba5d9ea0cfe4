package redact

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNoCutSplitsASecret: wherever a text is cut, neither part shows twelve bytes of a
// secret once it is redacted.
func TestNoCutSplitsASecret(t *testing.T) {
	r := redactor(t, Rules{})
	for _, s := range samples {
		text := "é" + s.inText() + " and more"
		for at := range len(text) {
			before, after := Split(text, at)
			if before > at || after < at {
				t.Fatalf("%q cut at %d: %d to %d", text, at, before, after)
			}
			head, tail := r.Text(text[:before]), r.Text(text[after:])
			if len(s.secret) >= 12 && (survives(s.secret, head) || survives(s.secret, tail)) || !utf8.ValidString(head+tail) {
				t.Errorf("%s: %q cut at %d: %q and %q", s.kind, text, at, head, tail)
			}
		}
	}
}

// TestACutStaysWhereItSplitsNothing: between words, however long the text is.
func TestACutStaysWhereItSplitsNothing(t *testing.T) {
	text := strings.Repeat("no secret at all ", 1000)
	for _, at := range []int{0, 1, 60, 4 << 10, 16 << 10, len(text)} {
		if before, after := Split(text, at); before != at || after != at {
			t.Errorf("cut at %d: %d to %d", at, before, after)
		}
	}
	if before, after := Split("aé", 2); before != 1 || after != 3 {
		t.Errorf("inside a character: %d to %d", before, after)
	}
}
