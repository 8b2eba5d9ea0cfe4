package wire

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
)

// fill gives every field of a value something that is not zero, at random.
func fill(v reflect.Value, r *rand.Rand) {
	texts := []string{"a", "é", "<&>\u2028", "\x00\x1f\"\\/\b\f\n\r\t\x7f", "\xff", "\U0001f600", strings.Repeat("long ", 20)}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{1, -1, 7, math.MaxInt32, -12345}[r.IntN(5)])
	case reflect.Float64:
		v.SetFloat([]float64{0.1, -2.5, 1e-9, 1e21, 1.0 / 3, 123456.789, math.MaxFloat64, 5e-324, 1e15 + 0.5, -1e-7}[r.IntN(10)])
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 3 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, r)
			fill(value, r)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[envelope.Rows]() {
			v.Set(reflect.ValueOf(someRows(r)))
			return
		}
		if v.Type() == reflect.TypeFor[envelope.Transcript]() {
			v.Set(reflect.ValueOf(someTranscript(r)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	}
}

// open makes every pointer, list and map of a value lead to zeros.
func open(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		open(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		open(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != reflect.TypeFor[envelope.Rows]() && v.Type() != reflect.TypeFor[envelope.Transcript]() {
				open(v.Field(i))
			}
		}
	}
}

// someTranscript has turns of which each field is there or not.
func someTranscript(r *rand.Rand) envelope.Transcript {
	var turns []envelope.Turn
	for range r.IntN(4) {
		var t envelope.Turn
		for i := range reflect.TypeFor[envelope.Turn]().NumField() {
			if f := reflect.TypeFor[envelope.Turn]().Field(i); f.IsExported() && r.IntN(2) > 0 {
				fill(reflect.ValueOf(&t).Elem().Field(i), r)
			}
		}
		for i := range t.ToolCalls {
			t.ToolCalls[i].Arguments = []string{"", "said", `{"b":[1.0,{"a":null}],"a":"é"}`}[r.IntN(3)]
		}
		turns = append(turns, t)
	}
	return envelope.NewTranscript(r.IntN(3), turns)
}

// someRows are rows of which each column is there or not, with cells that are
// there or not.
func someRows(r *rand.Rand) envelope.Rows {
	var rows envelope.Columns
	var outcome envelope.Outcomes
	d := envelope.NewDictionary()
	outcomes, given := []envelope.Outcome{envelope.Passed, envelope.Failed, envelope.Errored, envelope.Excluded, envelope.Skipped}, []envelope.Given{'P', 'F', 'E', 'S', envelope.Undecided}
	used := r.Uint32()
	maybe := func(bit int) bool { return used&(1<<bit) != 0 && r.IntN(4) > 0 }
	for n := range r.IntN(12) {
		w := envelope.Row{Given: given[r.IntN(5)]}
		outcome = append(outcome, outcomes[r.IntN(5)])
		for i, at := range []*envelope.Opt[float64]{&w.Score, &w.DurationMS, &w.SetupMS, &w.CostUSD, &w.SetupCost} {
			fill(reflect.ValueOf(at).Elem(), r)
			at.OK = maybe(i)
		}
		for i, at := range []*envelope.Opt[int64]{&w.Tokens, &w.Digest} {
			fill(reflect.ValueOf(at).Elem(), r)
			at.OK = maybe(5 + i)
		}
		for i, at := range []*envelope.Opt[int32]{&w.Attempt, &w.Category, &w.ToolCalls} {
			fill(reflect.ValueOf(at).Elem(), r)
			at.OK = maybe(7 + i)
		}
		for i, at := range []*string{&w.Run, &w.RawStatus, &w.ErrorClass} {
			if maybe(10 + i) {
				fill(reflect.ValueOf(at).Elem(), r)
			}
		}
		w.StartedAt = envelope.Opt[int64]{V: r.Int64(), OK: maybe(13)}
		w.Retry, w.Source = maybe(14), 0
		if maybe(19) {
			w.Truth = []envelope.Given{'P', 'F'}[r.IntN(2)]
		}
		if maybe(15) {
			w.Source = int32(r.IntN(3))
		}
		rows.Append(&w, d)
		if maybe(16) {
			rows.Steps.Set(n, []uint32{0, 2, 1}[:r.IntN(4)])
		}
		if maybe(17) {
			rows.StepsTotal.Set(n, r.Int32())
		}
		for _, name := range []string{"a check", "b", "\x00é"} {
			if maybe(18) {
				rows.Checks.Set(n, name, checked(r, given[r.IntN(5)]))
			}
		}
	}
	out := rows.Rows()
	out.Outcome = outcome
	out.ClassifyChecks(envelope.CountingRules{ScoreThreshold: 0.5})
	return *out
}

// TestWritesAsTagsSay holds what is written against encoding/json:
// every field alone, all of them, and none.
func TestWritesAsTagsSay(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(what string, v *envelope.Test) {
		want, err := codec.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		w := &codec.Writer{}
		if codec.WriteObject(w, reflect.ValueOf(v).Elem(), testFields()); w.Err != nil || string(w.B) != string(want) {
			t.Fatalf("%s: error %v\n got %s\nwant %s", what, w.Err, w.B, want)
		}
		got, back := envelope.Test{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}, envelope.Test{}
		p := newTestParser(want, new(envelope.DecodeState))
		codec.ReadObject(p, reflect.ValueOf(&got).Elem(), testFields())
		if err := json.Unmarshal(want, &back); err != nil {
			t.Fatal(err)
		}
		if !p.Odd && !sameTest(&got, &back) {
			t.Fatalf("%s: read as\n%+v, want\n%+v", what, got, back)
		}
		if p.Odd && !bytes.ContainsAny(want, `n`) { // null and escaped halves need another look
			t.Errorf("%s: nothing is odd in %s", what, want)
		}
	}
	check("nothing", &envelope.Test{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)})
	var zeros envelope.Test
	open(reflect.ValueOf(&zeros).Elem())
	check("zeros", &zeros)
	for i := range reflect.TypeFor[envelope.Test]().NumField() {
		v := envelope.Test{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}
		fill(reflect.ValueOf(&v).Elem().Field(i), r)
		check(reflect.TypeFor[envelope.Test]().Field(i).Name, &v)
	}
	for range 500 {
		var v envelope.Test
		fill(reflect.ValueOf(&v).Elem(), r)
		check("everything", &v)
	}
}

// sameTest compares what two tests hold; strings of columns may come from
// different dictionaries.
func sameTest(a, b *envelope.Test) bool {
	x, y := *a, *b
	for _, w := range [][2]envelope.Words{{x.Rows.Run(), y.Rows.Run()}, {x.Rows.RawStatus(), y.Rows.RawStatus()}, {x.Rows.ErrorClass(), y.Rows.ErrorClass()}} {
		if len(w[0].IDs) != len(w[1].IDs) || w[0].Used() != w[1].Used() {
			return false
		}
		for i := range w[0].IDs {
			if w[0].At(i) != w[1].At(i) {
				return false
			}
		}
	}
	wordless := func(c *envelope.Columns) {
		c.Run, c.RawStatus, c.ErrorClass = envelope.Words{}, envelope.Words{}, envelope.Words{}
	}
	x.Rows, y.Rows = x.Rows.Changed(wordless), y.Rows.Changed(wordless)
	return samePlain(reflect.ValueOf(x), reflect.ValueOf(y))
}

// samePlain is reflect.DeepEqual for which absent cells, which are no number,
// are equal.
func samePlain(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return samePlain(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !samePlain(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if !samePlain(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
	return a.Equal(b)
}

// oddTests are elements of a list of tests that are unusual or wrong.
var oddTests = []string{
	`{"test":"a","rows":{"outcome":"P"}}`, `{"TEST":"a"}`, `{"test":"a","test":"b"}`, `{"test":"a","Status":"pass"}`, `{"test":"a","ſtatus":"pass"}`,
	`{"test":null}`, `{"test":"a","line":1e0}`, `{"test":"a","line":1.0}`, `{"test":"a","line":01}`, `{"test":"a","line":-0}`, `{"test":"a","line":9223372036854775808}`,
	`{"test":"a","flaky":"true"}`, `{"test":"a","flaky":tru}`, `{"test":"a","cost_usd":.5}`, `{"test":"a","cost_usd":1.}`, `{"test":"a","cost_usd":1e}`,
	`{"test":"a","cost_usd":-0}`, `{"test":"a","cost_usd":1e999}`, `{"test":"a","cost_usd":1E5}`, `{"test":"a","cost_usd":123456789012345678901234567890.5}`,
	`{"test":"a","cost_usd":0.1234567890123456789}`, `{"test":"a","cost_usd":null}`, `{"test":"a","cost_usd":"1"}`, `{"test":"a","cost_usd":+1}`, `{"test":"a","cost_usd":-}`,
	`{"test":"\u00e9\ud83d\ude00"}`, `{"test":"\ud83d"}`, `{"test":"\ud83d\u0041"}`, `{"test":"\x"}`, `{"test":"\u12g4"}`, `{"test":"\u12"}`, "{\"test\":\"a\nb\"}", "{\"test\":\"\xff\"}", "{\"test\":\"a\x7f\"}",
	`{"test":"a","later":{"x":[1,2.5e3,"s",null,true,{"y":[]}]}}`, `{"test":"a","later":{"x":[1,2.5e3,"s",nul]}}`, `{"test":"a","later":[1,]}`, `{"test":"a","later":"\q"}`,
	`{"test":"a","labels":{"k":"v","k":"w"}}`, `{"test":"a","labels":{"k":1}}`, `{"test":"a","labels":null}`, `{"test":"a","labels":{}}`, `{"test":"a","labels_varying":[]}`,
	`{"test":"a","score":null}`, `{"test":"a","score":{}}`, `{"test":"a","details":[]}`, `{"test":"a","details":[{"trial":0}]}`, `{"test":"a","details":null}`,
	`{"test":"a","rows":{"outcome":"PQ"}}`, `{"test":"a","rows":{"outcome":"P\u0046"}}`, `{"test":"a","rows":{"outcome":"PF","score":[]}}`, `{"test":"a","rows":{"outcome":"PF","score":[null,null]}}`,
	`{"test":"a","rows":{"outcome":"PF","score":[null,0.5]}}`, `{"test":"a","rows":{"score":[1,2],"outcome":"PF"}}`, `{"test":"a","rows":{"outcome":"P","score":[1,2]}}`, `{"test":"a","rows":{"outcome":"P","score":[null,null]}}`,
	`{"test":"a","rows":{"outcome":"P","attempt":[-2147483648]}}`, `{"test":"a","rows":{"outcome":"P","attempt":[2147483648]}}`, `{"test":"a","rows":{"outcome":"P","tokens":[-9223372036854775808]}}`,
	`{"test":"a","rows":{"outcome":"PF","retry":[false,false]}}`, `{"test":"a","rows":{"outcome":"PF","retry":[true,null]}}`, `{"test":"a","rows":{"outcome":"PF","retry":[]}}`,
	`{"test":"a","rows":{"outcome":"PFE","run":["","x","x"]}}`, `{"test":"a","rows":{"outcome":"PFE","run":["","","x]"]}}`, `{"test":"a","rows":{"outcome":"PFE","run":["\u0061","a",null]}}`, `{"test":"a","rows":{"outcome":"PFE","run":["",""]}}`,
	`{"test":"a","rows":{"outcome":"PF","status":["","none"]}}`, `{"test":"a","rows":{"outcome":"PF","status":["fail","what"]}}`,
	`{"test":"a","rows":{"outcome":"PF","started_at":[null,"2026-01-02T03:04:05.678Z"]}}`, `{"test":"a","rows":{"outcome":"P","started_at":["2026-01-02T03:04:05+02:00"]}}`,
	`{"test":"a","rows":{"outcome":"P","started_at":["yesterday"]}}`, `{"test":"a","rows":{"outcome":"P","started_at":["1500-01-02T03:04:05Z"]}}`, `{"test":"a","rows":{"outcome":"P","started_at":["2026-01-02T03:04:05\u005a"]}}`,
	`{"test":"a","rows":{"later":1}}`, `{"test":"a","rows":{"later":1,"started_at":["1500-01-02T03:04:05Z"]}}`, `{"test":"a","rows":{"started_at":[null]}}`, `{"test":"a","rows":{}}`, "\x00", "{\"test\":\"a\"\x00}", `{"test":"a","rows":null}`, `{"test":"a","rows":[]}`, `{"test":"a",}`, `{"test":"a"`, `{,"test":"a"}`, `{"test" "a"}`, `{test:"a"}`, `{}`, `[]`, `null`, `1`, `"a"`, ``, `{"test":""}`,
	" \t\r\n{ \"test\" : \"a\" , \"rows\" : { \"outcome\" : \"P\" , \"score\" : [ 1 ] } } \n", "{\"test\":\"a\",\"rows\":{\"outcome\":\"P\",\"score\":[                  1]}}", "\v{}", `{"test":"a"}x`,
	strings.Repeat(`{"test":"a","x":`, 3), `{"test":"a","x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
}

// FuzzTestIsReadAlike: what the parser reads, it reads as encoding/json does.
func FuzzTestIsReadAlike(f *testing.F) {
	for _, s := range oddTests {
		f.Add([]byte(s))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var v envelope.Test
		fill(reflect.ValueOf(&v).Elem(), r)
		text, err := codec.Marshal(&v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := newTestParser(text, new(envelope.DecodeState))
		got, want := envelope.Test{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}, envelope.Test{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}
		if codec.ReadObject(p, reflect.ValueOf(&got).Elem(), testFields()); p.Odd || !p.Ended() {
			return
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%v in %q, which the parser takes", err, text)
		}
		if !sameTest(&got, &want) {
			t.Fatalf("%q is read as\n%+v, encoding/json reads\n%+v", text, got, want)
		}
	})
}

// TestNilIsWrittenAsWhatItIs: an envelope that nobody sealed may have no rows and no
// verdicts.
func TestNilIsWrittenAsWhatItIs(t *testing.T) {
	for name, encode := range map[string]func(io.Writer, *envelope.Envelope) error{"json": EncodeJSON, "ndjson": EncodeNDJSON} {
		if err := encode(io.Discard, nil); err == nil {
			t.Errorf("%s: no envelope at all is written", name)
		}
		var out bytes.Buffer
		if err := encode(&out, &envelope.Envelope{Tests: []envelope.Test{{Key: envelope.Key{Test: "t"}}}}); err != nil || !strings.Contains(out.String(), `"rows":{"outcome":""}`) || !strings.Contains(out.String(), `"verdict":{"rule":"","n":0,"passed":0,"reason":""}`) {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}

func checked(r *rand.Rand, given envelope.Given) envelope.Checked {
	c := envelope.Checked{Given: given, Score: envelope.Opt[float64]{V: r.Float64(), OK: r.IntN(2) > 0}}
	if r.IntN(2) > 0 {
		c.Votes, c.VotesPassed = envelope.Some(r.Int32N(5)), envelope.Some[int32](0)
		c.VotesPassed.V = r.Int32N(c.Votes.V + 1)
	}
	return c
}
