package gotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope/count"
	"tribunal/internal/jsontext"
)

// quickly finds the fields of a line in the quick way.
func quickly(line []byte) (f fields, m jsontext.Text, ok bool) {
	m.Mark(append(bytes.Clone(line), '\n'))
	ok = f.read(&m, 0) == len(line) && !m.Torn()
	return f, m, ok
}

// differ says how the quick way and encoding/json differ on a line that the
// quick way reads.
func differ(line []byte) string {
	f, m, ok := quickly(line)
	if !ok {
		return ""
	}
	s := strict{}
	if err := json.Unmarshal(line, &s); err != nil {
		return err.Error()
	}
	for member, want := range []string{s.Time, s.ImportPath, s.Action, s.Package, s.Test, "", s.Output, s.FailedBuild, s.Key, s.Value} {
		if got := jsontext.Repair(jsontext.Append(nil, f.texts[member].of(&m)), 0); string(got) != want {
			return fmt.Sprintf("%s: %q is not %q", members[member], got, want)
		}
	}
	if f.timed != (s.Elapsed != nil) || f.timed && f.elapsed != *s.Elapsed {
		return fmt.Sprintf("Elapsed %v %v", f.elapsed, s.Elapsed)
	}
	return ""
}

// lineCases are lines and whether quick reads them.
var lineCases = []struct {
	line   string
	quick  bool
	reason string
}{
	{`{"Action":"pass","Package":"p","Test":"T","Elapsed":0.01}`, true, "as Go writes it"},
	{`{"Action":"output","Output":"a\tb\n\"\\\u003c\u00e9é"}`, true, "escapes"},
	{`{"Action":"a","Action":"b"}`, true, "the last one counts in both"},
	{`{"Output":"\ud83d\ude00"}`, true, "surrogates"},
	{`{"Output":"\ud83d"}`, true, "half a pair"},
	{`{"Output":"\ude00\ud83d\u0041\ud83d\ud83d\ude00\ud83dx"}`, true, "halves beside each other"},
	{"{\"Output\":\"\xc3\\u00e9\xff\xfe\xed\xa0\x80\"}", true, "bytes that are no UTF-8, each for itself"},
	{`{"Output":"\u00g0"}`, false, "no digit"},
	{`{"Output":"\x"}`, false, "no escape"},
	{"{\"Output\":\"a\x01\"}", false, "a control character"},
	{`{"Action": "pass"}`, false, "a blank"},
	{`{}`, false, "nothing in it"},
	{`{"Elapsed":01}`, false, "no number in JSON"},
	{`{"Elapsed":1.}`, false, "no number in JSON"},
	{`{"Elapsed":1.2.3}`, false, "no number"},
	{`{"Elapsed":1e3}`, false, "a number for the other one"},
	{`{"Action":null}`, false, "null"},
	{`{"Other":"x"}`, false, "an unknown field"},
	{`{"Action":"pass"`, false, "cut"},
	{`{"Action":"pass"}x`, false, "something behind it"},
	{`{"Action":"pass",}`, false, "a comma too much"},
	{`{"Action"`, false, "cut"},
	{`{`, false, "cut"},
}

func TestQuickReadsWhatEncodingJSONReads(t *testing.T) {
	for _, c := range lineCases {
		if _, _, got := quickly([]byte(c.line)); got != c.quick {
			t.Errorf("%s: %s is read quickly: %v", c.reason, c.line, got)
		}
		if why := differ([]byte(c.line)); why != "" {
			t.Errorf("%s: %s: %s", c.reason, c.line, why)
		}
	}
}

func FuzzQuick(f *testing.F) {
	for _, c := range lineCases {
		f.Add([]byte(c.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if why := differ(line); why != "" {
			t.Errorf("%q: %s", line, why)
		}
	})
}

// stream is a run of n tests with ten lines of output each.
func stream(n int) []byte {
	var b bytes.Buffer
	text := strings.Repeat("step: asked the tool and waited ", 3)
	for i := range n {
		head := fmt.Sprintf(`{"Time":"2026-11-21T10:32:47.%09dZ","Action":"%%s","Package":"example.test/flaky","Test":"TestAnswers/question_%d"`, i, i%100)
		fmt.Fprintf(&b, head+"}\n", "run")
		for range 10 {
			fmt.Fprintf(&b, head+`,"Output":"    flaky_test.go:5: %s\n"}`+"\n", "output", text)
		}
		fmt.Fprintf(&b, head+`,"Elapsed":0.25}`+"\n", "pass")
	}
	return append(b.Bytes(), `{"Action":"pass","Package":"example.test/flaky","Elapsed":1}`+"\n"...)
}

func BenchmarkRead(b *testing.B) {
	text := stream(20000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		builder := count.NewBuilder(5, 0.5)
		if err := Read(bytes.NewReader(text), builder.Input("bench", "gotest")); err != nil || builder.Trials() != 20000 {
			b.Fatal(err, builder.Trials())
		}
	}
}
