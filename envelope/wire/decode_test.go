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

	"tribunal/envelope"
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
	env.Summary.Tests = len(env.Tests)
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
		{"nothing", "", "ends too early"},
		{"another schema", `{"schema":"tribunal/envelope/v9"}`, "this version reads"},
		{"cut in the middle", `{"schema":"tribunal/envelope/v1","tests":[{"test":"a"`, "ends too early"},
		{"a header without its summary", `{"schema":"tribunal/envelope/v1","type":"header","run":{"sources":[]},"policy":{}}`, "ends too early"},
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
