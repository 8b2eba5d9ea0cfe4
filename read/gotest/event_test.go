package gotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tribunal/envelope"
)

// differ says how quick and encoding/json differ on a line that quick reads.
func differ(line []byte) string {
	e, s := event{}, strict{}
	if !e.quick(bytes.Clone(line)) {
		return ""
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return err.Error()
	}
	for _, pair := range [][2]string{
		{string(e.time), s.Time}, {string(e.action), s.Action}, {string(e.pkg), s.Package}, {string(e.test), s.Test}, {string(e.output), s.Output},
		{string(e.importPath), s.ImportPath}, {string(e.failedBuild), s.FailedBuild}, {string(e.key), s.Key}, {string(e.val), s.Value},
	} {
		if pair[0] != pair[1] {
			return fmt.Sprintf("%q is not %q", pair[0], pair[1])
		}
	}
	if e.timed != (s.Elapsed != nil) || e.timed && e.elapsed != *s.Elapsed {
		return fmt.Sprintf("Elapsed %v %v", e.elapsed, s.Elapsed)
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
	{`{"Output":"\ud83d\ude00"}`, false, "surrogates"},
	{`{"Output":"\ud83d"}`, false, "half a pair"},
	{`{"Output":"\u00g0"}`, false, "no digit"},
	{`{"Output":"\x"}`, false, "no escape"},
	{"{\"Output\":\"a\x01\"}", false, "a control character"},
	{"{\"Output\":\"\xff\"}", false, "no UTF-8"},
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
		e := event{}
		if got := e.quick([]byte(c.line)); got != c.quick {
			t.Errorf("%s: quick(%s) = %v", c.reason, c.line, got)
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
		builder := envelope.NewBuilder(5, 0.5)
		if err := Read(bytes.NewReader(text), builder.Input("bench", "gotest")); err != nil || builder.Trials() != 20000 {
			b.Fatal(err, builder.Trials())
		}
	}
}
