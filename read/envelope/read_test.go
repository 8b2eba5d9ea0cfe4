package envelopejson

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/envelope/count"
)

// document and lines are one envelope in both forms, written by hand.
const (
	document = `{"schema":"tribunal/envelope/v1",
 "run":{"name":"n","sources":[{"input":"a.ndjson","format":"native","trials":3}]},
 "policy":{"rule":"all"},
 "summary":{"tests":1,"fail":1,"trials":{"total":3}},
 "tests":[
  {"suite":"s","test":"t","status":"fail","verdict":{"rule":"all","n":3,"passed":2,"reason":"one failed"},"trials":{"total":3,"counted":3,"passed":2,"excluded":{}},
   "rows":{"outcome":"PPF","attempt":[0,1,2]},"details":[{"trial":2,"attempt":2,"status":"fail","message":"m"}]}],
 "gate":{"status":"fail","exit_code":1,"reasons":[]},"problems":[]}
`
	lines = `{"schema":"tribunal/envelope/v1","type":"header","run":{"name":"n","sources":[{"input":"a.ndjson","format":"native","trials":3}]},"policy":{"rule":"all"}}
{"type":"test","suite":"s","test":"t","status":"fail","verdict":{"rule":"all","n":3,"passed":2,"reason":"one failed"},"trials":{"total":3,"counted":3,"passed":2,"excluded":{}},"rows":{"outcome":"PPF","attempt":[0,1,2]},"details":[{"trial":2,"attempt":2,"status":"fail","message":"m"}]}
{"type":"summary","summary":{"tests":1,"fail":1,"trials":{"total":3}},"metrics":[],"suites":[],"gate":{"status":"fail","exit_code":1,"reasons":[]},"problems":[]}
`
)

type sink struct {
	recorded []*envelope.Recorded
	problems []envelope.Problem
}

func (s *sink) Trial(*envelope.Trial)                     { panic("an envelope is delivered whole") }
func (s *sink) Header(envelope.Header, *envelope.Carried) { panic("an envelope is delivered whole") }
func (s *sink) Recorded(r *envelope.Recorded)             { s.recorded = append(s.recorded, r) }
func (s *sink) Problem(p envelope.Problem)                { s.problems = append(s.problems, p) }

func readText(t *testing.T, text string) *sink {
	t.Helper()
	s := &sink{}
	if err := Read(strings.NewReader(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBothForms(t *testing.T) {
	for _, text := range []string{document, lines} {
		s := readText(t, text)
		if len(s.problems) != 0 || len(s.recorded) != 1 {
			t.Fatalf("%d envelopes, %v", len(s.recorded), s.problems)
		}
		test := s.recorded[0].Envelope.Tests[0]
		if test.Key != (envelope.Key{Suite: "s", Test: "t"}) || test.Rows.Outcome.String() != "PPF" || len(test.Details) != 1 {
			t.Errorf("%+v", test)
		}
	}
}

func TestErrorsHavePlaces(t *testing.T) {
	cases := []struct {
		text         string
		line, column int // 0: only that it is there
		part, reason string
	}{
		{"", 1, 1, "ends in the middle of the report", "nothing"},
		{document[:strings.Index(document, `,"fail":1`)], 4, 0, "ends in the middle of the report", "cut off in line 4"},
		{strings.Replace(document, `"policy":{`, `"policy":{,`, 1), 3, 0, "invalid character ','", "broken in line 3"},
		{strings.Replace(document, `"PPF"`, `"PPQ"`, 1), 7, 0, "is not one of P, F, E, X, S", "a value nobody knows, in the test that ends in line 7"},
		{strings.Replace(lines, `"rule":"all"}}`, `"rule":1}}`, 1), 1, 0, "policy", "a wrong type in the header line"},
		{strings.Replace(lines, `"type":"test"`, `"type":"tset"`, 1), 2, 0, "tset", "an unknown line"},
		{strings.Replace(document, "v1", "v2", 1), 0, 0, `"tribunal/envelope/v2"`, "a later version"},
		{document + "x", 9, 0, "follows the end", "something behind it"},
		{`"` + strings.Repeat("\u202e\\u001b", 1<<20) + `"`, 1, 0, "found", "a hostile text of some MB in place of an object"},
		{"[]", 1, 0, "{ is expected", "no object"},
		{document[:strings.Index(document, ",\n \"gate\"")] + "}", 7, 0, `the key "gate" is missing`, "cut out behind the tests"},
		{strings.Replace(document, `"trials":{"total":3}},`, `"x":{}},`, 1), 9, 0, "counts no tests or no trials", "more than it counts"},
	}
	for _, c := range cases {
		s := readText(t, c.text)
		if len(s.recorded) != 0 || len(s.problems) != 1 {
			t.Errorf("%s: %d envelopes, %v", c.reason, len(s.recorded), s.problems)
			continue
		}
		p := s.problems[0]
		if p.Severity != envelope.SeverityError || p.Code != envelope.CodeUnreadable || p.Line < 1 || p.Column < 1 || !strings.Contains(p.Message, c.part) {
			t.Errorf("%s: %+v does not say %q", c.reason, p, c.part)
		}
		if len(p.Message) > 1000 || strings.ContainsAny(p.Message, "\x1b\u202e\n") {
			t.Errorf("%s: %d bytes: %.300q", c.reason, len(p.Message), p.Message)
		}
		if c.line > 0 && p.Line != c.line || c.column > 0 && p.Column != c.column {
			t.Errorf("%s: at %d:%d, want %d:%d", c.reason, p.Line, p.Column, c.line, c.column)
		}
	}
}

func TestReadErrorIsReturned(t *testing.T) {
	broken := errors.New("the cable is broken")
	s := &sink{}
	err := Read(io.MultiReader(strings.NewReader(document[:100]), iotest.ErrReader(broken)), s)
	if !errors.Is(err, broken) || len(s.recorded) != 0 || len(s.problems) != 0 {
		t.Errorf("error %v, %+v", err, s)
	}
}

func TestSniff(t *testing.T) {
	cases := []struct {
		head   string
		ours   bool
		reason string
	}{
		{document, true, "the document"},
		{lines, true, "the lines"},
		{document[:40], true, "cut behind the schema"},
		{document[:30], false, "cut in the schema"},
		{"{\n  \"run\": {},\n  \"schema\": \"tribunal/envelope/v1\"", true, "put in another order by a tool"},
		{`{"schema":"tribunal/trials/v1"}`, false, "a trial stream"},
		{`[{"schema":"tribunal/envelope/v1"}]`, false, "a list of envelopes"},
		{`{"x":{"schema":"tribunal/envelope/v1"}}`, false, "an envelope inside something else"},
		{``, false, "nothing"},
	}
	for _, c := range cases {
		if got := Sniff([]byte(c.head)); got != c.ours {
			t.Errorf("Sniff(%q) = %v: %s", c.head, got, c.reason)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(document))
	f.Add([]byte(lines))
	for cut := 0; cut < len(document); cut += 50 {
		f.Add([]byte(document[:cut]))
		f.Add([]byte(document[:cut] + "}" + document[cut:]))
	}
	for cut := 0; cut < len(lines); cut += 50 {
		f.Add([]byte(lines[:cut]))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		Sniff(text)
		b := count.NewBuilder(5, 0.5)
		in := b.Input("fuzz", "envelope")
		s := &sink{}
		if err := Read(strings.NewReader(string(text)), s); err != nil {
			t.Fatal(err)
		}
		if len(s.recorded)+len(s.problems) != 1 {
			t.Errorf("%d envelopes, %v", len(s.recorded), s.problems)
		}
		for _, p := range s.problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		for _, r := range s.recorded { // what is accepted can be counted
			in.Recorded(r)
		}
		in.Close()
		b.Run(envelope.ConflictExtend, 5)
	})
}
