package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
)

// TestNoCommands: nothing that a build server obeys in a log comes to the wire,
// in any part of an envelope, and what was written reads back as it was.
func TestNoCommands(t *testing.T) {
	for _, s := range []string{"##[error]x", "a ###[group]", "##vso[task]", "##teamcity[x]", "##VSO[", "##", "#", "## Title", "a#b", "#[1]", "####[x"} {
		written := codec.AppendString(nil, s)
		if bytes.Contains(written, []byte("##[")) || bytes.Contains(bytes.ToLower(written), []byte("##vso[")) || bytes.Contains(written, []byte("##teamcity[")) {
			t.Errorf("%q is written %s", s, written)
		}
		var back string
		if err := json.Unmarshal(written, &back); err != nil || back != s {
			t.Errorf("%q is read back as %q (%v)", s, back, err)
		}
		if want, _ := json.Marshal(s); !codec.BeginsCommand(s) && !strings.Contains(s, "##[") && !bytes.Equal(written, want) {
			t.Errorf("%q is written %s for no reason", s, written)
		}
		if disarmed := codec.DisarmJSON([]byte(`{"` + s + `":1}`)); string(disarmed) != `{`+string(written)+`:1}` {
			t.Errorf("%q is disarmed to %s", s, disarmed)
		}
	}
	const bad = "##[error]"
	e := &envelope.Envelope{Run: envelope.RunHeader{Header: envelope.Header{Name: bad}}, Gate: envelope.Gate{Reasons: []string{bad}}, Problems: []envelope.Problem{{Severity: envelope.SeverityError, Message: bad}},
		Tests: []envelope.Test{{Key: envelope.Key{Test: bad}, Labels: map[string]string{bad: bad}, Rows: &envelope.Rows{}, Details: []envelope.Detail{{Message: bad, Output: bad}}}}}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"json": func(b *bytes.Buffer) error { return EncodeJSON(b, e) }, "ndjson": func(b *bytes.Buffer) error { return EncodeNDJSON(b, e) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil || strings.Contains(b.String(), "##") || strings.Count(b.String(), `\u0023#[error]`) != 8 {
			t.Errorf("%s (%v): %s", name, err, b.String())
		}
	}
}

// TestNothingObeyed: what a terminal or an editor obeys comes to the wire as an
// escape, whichever way it is written, reads back equal, and nothing else changes.
// The characters are those of Unicode's tables: C1 (Cc), Bidi_Control, U+FEFF and
// the block Tags.
func TestNothingObeyed(t *testing.T) {
	isObeyed := func(r rune) bool {
		return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || r == '\ufeff' || r >= 0xe0000 && r <= 0xe007f || r == '\u2028' || r == '\u2029'
	}
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r <= 0xdfff || r == '"' || r == '\\' {
			continue
		}
		s := "a" + string(r) + "b"
		written := codec.AppendString(nil, s)
		if escaped := bytes.Contains(written, []byte(`\u`)); escaped != isObeyed(r) {
			t.Errorf("%U is written %s", r, written)
		}
		if disarmed := codec.DisarmJSON([]byte(`"` + s + `"`)); string(disarmed) != string(written) {
			t.Errorf("%U is disarmed to %s, written %s", r, disarmed, written)
		}
		if isObeyed(r) {
			var back string
			if err := json.Unmarshal(written, &back); err != nil || back != s {
				t.Errorf("%U is read back as %q (%v)", r, back, err)
			}
		}
	}
	const bad = "\u009b31m \x7f \u202e \ufeff \U000e0041"
	rows := new(envelope.Rows)
	if err := json.Unmarshal([]byte(`{"outcome":"F"}`), rows); err != nil {
		t.Fatal(err)
	}
	e := &envelope.Envelope{Run: envelope.RunHeader{Header: envelope.Header{Name: bad}}, Tests: []envelope.Test{{Key: envelope.Key{Test: bad}, Rows: rows, Details: []envelope.Detail{{Status: envelope.Fail, Message: bad, Output: bad}}}}}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"json": func(b *bytes.Buffer) error { return EncodeJSON(b, e) }, "ndjson": func(b *bytes.Buffer) error { return EncodeNDJSON(b, e) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil || strings.ContainsFunc(b.String(), func(r rune) bool { return r != '\n' && isObeyed(r) }) {
			t.Errorf("%s (%v): %q", name, err, b.String())
		}
		back, err := Decode(&b)
		if err != nil || back.Run.Header.Name != bad || len(back.Run.Tests) != 1 || back.Run.Tests[0].Test != bad {
			t.Errorf("%s: read back as %+v (%v)", name, back, err)
		}
	}
}

func BenchmarkAppendString(b *testing.B) {
	for name, text := range map[string]string{"ascii": strings.Repeat("expected rain, got sun ", 100), "cjk": strings.Repeat("天気予報は雨です。", 100)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var out []byte
			for range b.N {
				out = codec.AppendString(out[:0], text)
			}
		})
	}
}
