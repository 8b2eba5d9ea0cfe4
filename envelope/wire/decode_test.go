package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"

	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
)

// manyTests is an envelope whose tests take several parts, some of them unusual.
func manyTests(t *testing.T) *envelope.Envelope {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	env := &envelope.Envelope{Run: envelope.RunHeader{Sources: []envelope.Source{{Input: "a"}, {Input: "b"}, {Input: "c"}}},
		Steps: []envelope.Step{{Name: "look", Digest: "0123456789abcdef"}, {Name: "write"}, {Name: "<&>"}}, Texts: []string{"said twice"}}
	for i := range 400 {
		rows := someRows(r)
		v := envelope.Test{Key: envelope.Key{Suite: "s", Test: fmt.Sprint("t", i)}, Rows: &rows}
		if i%200 == 0 {
			v.File = strings.Repeat("x", 300_000) // longer than a part
		}
		env.Tests = append(env.Tests, v)
	}
	env.Summary.Tests = 0 // a part of a report, to which tests are added below
	return env
}

func encoded(t *testing.T, env *envelope.Envelope, encode func(io.Writer, *envelope.Envelope) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, env); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAllShapesAreReadAlike: however an envelope is laid out and delivered, its
// tests are those that encoding/json finds.
func TestAllShapesAreReadAlike(t *testing.T) {
	env := manyTests(t)
	document, lines := encoded(t, env, EncodeJSON), encoded(t, env, EncodeNDJSON)
	var indented, minified bytes.Buffer
	if err := errors.Join(json.Indent(&indented, document, "", "  "), json.Compact(&minified, document)); err != nil {
		t.Fatal(err)
	}
	other := func(text []byte, every int) []byte { // in a form that the parser does not want
		n := 0
		return bytes.ReplaceAll(text, []byte(`"flaky":`), []byte(fmt.Sprintf(`"FLAKY":%s`, strings.Repeat(" ", n%every))))
	}
	shapes := []struct {
		reason string
		text   []byte
	}{
		{"document", document}, {"lines", lines}, {"indented", indented.Bytes()}, {"without line ends", minified.Bytes()},
		{"every test is odd", other(document, 1)}, {"every line is odd", other(lines, 1)},
		{"some are odd", bytes.ReplaceAll(document, []byte(`"test":"t7`), []byte(`"TEST":"t7`))},
		{"some lines are odd", bytes.ReplaceAll(lines, []byte(`"test":"t7`), []byte(`"TEST":"t7`))},
		{"other line ends", bytes.ReplaceAll(document, []byte("\n"), []byte("\r\n"))},
		{"comma in front", bytes.ReplaceAll(document, []byte(",\n"), []byte("\n,"))},
		{"two lists", bytes.Replace(document, []byte(`"gate":`), []byte(`"tests":[`+oddTests[0]+`,`+oddTests[0]+`],"gate":`), 1)},
	}
	for _, s := range shapes {
		want, err := plainDecode(s.text)
		if err != nil {
			t.Fatalf("%s: %v", s.reason, err)
		}
		ways := []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.HalfReader,
		}
		for _, way := range ways {
			got, err := Decode(way(bytes.NewReader(s.text)))
			if err != nil {
				t.Fatalf("%s: %v", s.reason, err)
			}
			if !bytes.Equal(encoded(t, got.Envelope, EncodeJSON), encoded(t, want, EncodeJSON)) {
				t.Errorf("%s: read otherwise than by encoding/json", s.reason)
			}
		}
	}
}

// TestErrorsAreAlike: what is wrong with an envelope is told in the words of
// encoding/json, and where it is wrong, to the byte.
func TestErrorsAreAlike(t *testing.T) {
	const before = "{\"schema\":\"" + envelope.Schema + "\",\n \"tests\":[\n  {\"test\":\"first\",\"rows\":{\"outcome\":\"P\"}},\n  "
	const after = ",\n  {\"test\":\"last\",\"rows\":{\"outcome\":\"P\"}}],\n \"gate\":{},\"problems\":[]}\n"
	for _, odd := range oddTests {
		for _, text := range []string{
			before + odd + after, before + odd, strings.ReplaceAll(before+odd+after, "\n", ""),
			`{"schema":"` + envelope.Schema + `","type":"header","run":{},"policy":{}}` + "\n" + strings.Replace(odd, "{", `{"type":"test",`, 1) + "\n" + `{"type":"summary"}`,
		} {
			want, wantErr := plainDecode([]byte(text))
			got, err := Decode(strings.NewReader(text))
			if wantErr == nil && err == nil {
				if !bytes.Equal(encoded(t, got.Envelope, EncodeJSON), encoded(t, want, EncodeJSON)) {
					t.Errorf("%q is read otherwise than by encoding/json", text)
				}
				continue
			}
			ended := errors.Is(wantErr, io.EOF) || errors.Is(wantErr, io.ErrUnexpectedEOF)
			if (err == nil) != (wantErr == nil) || !ended && errors.Unwrap(err).Error() != wantErr.Error() {
				t.Errorf("%q: error %v, want %v", text, err, wantErr)
			}
			if where := brokenAt(text, wantErr); where >= 0 && err.(*DecodeError).Offset != where {
				t.Errorf("%q: an error at byte %d, want %d", text, err.(*DecodeError).Offset, where)
			}
		}
	}
}

// brokenAt is the byte at which a document is no longer JSON, when that is what
// is wrong with it; otherwise -1.
func brokenAt(text string, err error) int64 {
	var ours, all *json.SyntaxError
	if errors.As(err, &ours) && !strings.Contains(text, lineHeader) && errors.As(json.Unmarshal([]byte(text), new(json.RawMessage)), &all) {
		return all.Offset - 1
	}
	return -1
}

// FuzzEnvelopeIsReadAlike: an envelope is read, or refused in the same words,
// as by encoding/json alone.
func FuzzEnvelopeIsReadAlike(f *testing.F) {
	for _, odd := range oddTests {
		f.Add([]byte(`{"schema":"` + envelope.Schema + "\",\"tests\":[\n" + odd + ",\n" + odd + "\n]}"))
	}
	f.Add([]byte(`{"schema":"` + envelope.Schema + `","type":"header","run":{"sources":[]},"policy":{}}` + "\n" + lineStart + `"test":"a"}` + "\n" + `{"type":"summary"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		want, wantErr := plainDecode(text)
		got, err := Decode(bytes.NewReader(text))
		switch {
		case wantErr != nil && err != nil:
			ended := errors.Is(wantErr, io.EOF) || errors.Is(wantErr, io.ErrUnexpectedEOF)
			if !ended && errors.Unwrap(err).Error() != wantErr.Error() {
				t.Errorf("error %v, want %v", err, wantErr)
			}
		case wantErr != nil || err != nil:
			t.Fatalf("error %v, want %v", err, wantErr)
		case !bytes.Equal(encoded(t, got.Envelope, EncodeJSON), encoded(t, want, EncodeJSON)):
			t.Error("read otherwise than by encoding/json")
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ reason, text, says string }{
		{"nothing", "", "ends in the middle of the report"},
		{"another schema", `{"schema":"tribunal/envelope/v9"}`, "this version reads"},
		{"cut in the middle", `{"schema":"tribunal/envelope/v1","tests":[{"test":"a"`, "ends in the middle of the report"},
		{"a header without its summary", `{"schema":"tribunal/envelope/v1","type":"header","run":{"sources":[]},"policy":{}}`, "ends in the middle of the report"},
		{"an outcome nobody knows", `{"schema":"tribunal/envelope/v1","tests":[{"test":"a","rows":{"outcome":"PQ"}}]}`, "not one of P, F, E, X, S"},
		{"a column that is too long", `{"schema":"tribunal/envelope/v1","tests":[{"test":"a","rows":{"outcome":"P","score":[1,2]}}]}`, "2 cells for 1 outcomes"},
		{"a detail of no trial", `{"schema":"tribunal/envelope/v1","tests":[{"test":"a","rows":{"outcome":"P"},"details":[{"trial":1,"status":"fail"}]}]}`, "there is no trial 1"},
		{"a source that is not listed", `{"schema":"tribunal/envelope/v1","tests":[{"test":"a","rows":{"outcome":"P","source":[4]}}]}`, "there is no source 4"},
		{"a test without a name", `{"schema":"tribunal/envelope/v1","tests":[{"rows":{"outcome":"P"}}]}`, "no name"},
		{"something behind the end", `{"schema":"tribunal/envelope/v1"} x`, "follows the end"},
		{"a number out of range", `{"schema":"tribunal/envelope/v1","tests":[{"test":"a","rows":{"outcome":"P","score":[1e999]}}]}`, "1e999"},
	} {
		_, err := Decode(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
}

// TestBounded: where a text may not go on, by what stands before it. Lists of
// numbers may be longer, for every trial has one.
func TestBounded(t *testing.T) {
	const over = longestText + 1<<20
	for _, c := range []struct {
		reason, before, unit string
		fine                 bool
	}{
		{"a text without an end", `{"run":{"name":"`, "x", false},
		{"of escaped quotes", `{"run":{"name":"`, `\"`, false},
		{"of escaped backslashes and escaped quotes", `{"run":{"name":"`, `\\\"`, false},
		{"texts that end, each behind a backslash", `{"a":[`, `"\\",`, true},
		{"numbers", `{"duration_ms":[`, `10.25,`, true},
	} {
		unit := strings.Repeat(c.unit, 1<<16/len(c.unit))
		in := io.MultiReader(strings.NewReader(c.before), &repeated{unit: unit, left: over / len(unit)})
		n, err := io.Copy(io.Discard, struct{ io.Reader }{&bounded{r: in}})
		if (err == nil) != c.fine || err != nil && !strings.Contains(err.Error(), "a text is longer than 64 MiB") {
			t.Errorf("%s: %v after %d bytes", c.reason, err, n)
		}
	}
}

// TestBoundedSeesQuotesAcrossReads: whatever the parts are that a text comes in, the
// bytes behind its last quote are the same.
func TestBoundedSeesQuotesAcrossReads(t *testing.T) {
	for text, want := range map[string]int64{`"a`: 1, `"a"`: 0, `"\"b`: 3, `"\\"b`: 1, `"\\\"b`: 5, `x\\\\"`: 0, ``: 0, `abc`: 3} {
		whole := &bounded{r: strings.NewReader(text)}
		single := &bounded{r: iotest.OneByteReader(strings.NewReader(text))}
		for _, b := range []*bounded{whole, single} {
			if _, err := io.Copy(io.Discard, struct{ io.Reader }{b}); err != nil || b.since != want {
				t.Errorf("%q: %d bytes behind the last quote, want %d (%v)", text, b.since, want, err)
			}
		}
	}
}

// TestDecodeEndsALongText: an envelope with such a text is an error and no memory
// for all of it.
func TestDecodeEndsALongText(t *testing.T) {
	unit := strings.Repeat("x", 1<<16)
	endless := &repeated{unit: unit, left: 1 << 40 / len(unit)}
	_, err := Decode(io.MultiReader(strings.NewReader(`{"schema":"`+envelope.Schema+`","run":{"name":"`), endless))
	var at *DecodeError
	if !errors.As(err, &at) || !strings.Contains(err.Error(), "a text is longer than 64 MiB") {
		t.Error(err)
	}
}

// repeated is a text many times.
type repeated struct {
	unit string
	left int
	rest string
}

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.left--
		r.rest = r.unit
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

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
		if err != nil || back.Envelope.Run.Name != bad || len(back.Envelope.Tests) != 1 || back.Envelope.Tests[0].Test != bad {
			t.Errorf("%s: read back as %+v (%v)", name, back, err)
		}
	}
}
