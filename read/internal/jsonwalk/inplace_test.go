package jsonwalk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/read/internal/readtest"
)

// plainly is what a Value says, as encoding/json has it with UseNumber.
func plainly(v Value) any {
	switch {
	case v.IsObject():
		all := map[string]any{}
		for name, member := range v.Members() {
			all[strings.Clone(name)] = plainly(member)
		}
		return all
	case v.IsArray():
		all := []any{}
		for item := range v.Items() {
			all = append(all, plainly(item))
		}
		return all
	case v.IsText():
		return strings.Clone(v.Text())
	case v.IsNumber():
		return json.Number(v.Text())
	case v.IsBool():
		return v.Bool().V
	}
	return nil
}

// keeps reads [A, B, "behind"] by Kept: what both say, the place behind them and what
// was told.
func keeps(t *testing.T, r io.Reader) (said []any, line, column int, reported []string) {
	t.Helper()
	s := &readtest.Sink{}
	err := Strict(r, s, func(d *Text) error {
		return d.Array(func() error {
			if d.Next() == '"' {
				line, column = d.Place()
				return nil
			}
			v, err := d.Kept()
			if err == nil {
				said = append(said, plainly(v))
			}
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Problems {
		reported = append(reported, p.Message)
	}
	return said, line, column, append(reported, s.Reported()...)
}

// A value is the same whether all of it is there, comes byte by byte, or is too long to
// be looked at where it lies. What it says, says encoding/json.
func TestKeptInPlace(t *testing.T) {
	long := strings.Repeat(`abc\"defg\\\u00e9\ud83d\ude00é\n`, 100)
	for _, c := range []struct{ reason, text string }{
		{"nothing in it", `[]`},
		{"lines", "{\n \"a\": [1, -2.50e3, true,\n false, null]\n}"},
		{"escapes at every place of a word", `["` + strings.Repeat(`\\a\"bc\n`, 50) + `", {"k\u0065y": "v", "": "` + strings.Repeat(`\"`, 99) + `"}]`},
		{"half a pair is U+FFFD", `["\ud800", "\udc00x", "\ud800\u0041"]`},
		{"bytes that are no UTF-8 are U+FFFD", "[\"a\xffb\xc3\", {\"k\xff\":1}]"},
		{"keys that only differ in case", `{"a":1,"A":2}`},
		{"objects and arrays in each other", `{"a": [{}, {"b": []} , [[1] ,{"c":{"d":"}]"}}]], "e":{} , "f":[ ]}`},
		{"as long as what is read at once", `["` + strings.Repeat("a", headSize-4) + `"]`},
		{"longer than that", `["` + long + long + `", "` + strings.Repeat("b ", headSize) + `"]`},
		{"longer than is looked at in place", "[\n\"" + strings.Repeat("c", mostInPlace) + "\"]"},
		{"deep", strings.Repeat("[", 1001) + strings.Repeat("]", 1001)},
	} {
		doc := "[" + c.text + ",\n " + c.text + ", \"behind\"]"
		var want []any
		d := json.NewDecoder(strings.NewReader(doc))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(c.reason, err)
		}
		before := doc[:strings.LastIndex(doc, `"behind"`)]
		wantLine, wantColumn := 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n")
		for way, r := range map[string]io.Reader{"at once": strings.NewReader(doc), "byte by byte": iotest.OneByteReader(strings.NewReader(doc)), "the end with the last bytes": iotest.DataErrReader(strings.NewReader(doc))} {
			said, line, column, reported := keeps(t, r)
			if !reflect.DeepEqual(said, want[:2]) || line != wantLine || column != wantColumn || reported != nil {
				t.Errorf("%s, %s: got %.200q at %d:%d, told %q; want %.200q at %d:%d", c.reason, way, said, line, column, reported, want[:2], wantLine, wantColumn)
			}
		}
	}
}

// What is no JSON is told alike, in a value that is all there and in one too long for
// that.
func TestKeptTellsTheSame(t *testing.T) {
	for _, text := range texts {
		if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") {
			text = `["a", ` + text + `]`
		}
		doc := "[" + text + ", \"behind\"]"
		_, line, column, reported := keeps(t, strings.NewReader(doc))
		blanks := strings.Repeat(" ", mostInPlace)
		_, longLine, longColumn, reportedLong := keeps(t, strings.NewReader("["+text[:1]+blanks+text[1:]+", \"behind\"]"))
		if longColumn > 0 {
			longColumn -= len(blanks)
		}
		if line != longLine || column != longColumn || len(reported) != len(reportedLong) || len(reported) > 0 && reported[0] != reportedLong[0] {
			t.Errorf("%q: behind it is %d:%d, told %q; where it is longer %d:%d, %q", text, line, column, reported, longLine, longColumn, reportedLong)
		}
	}
}

// What strings say is there until the next value is kept, whatever is read meanwhile.
// Of what is behind that, and lies where the first value lay, nothing is known.
func TestKeptStaysWhileMoreIsRead(t *testing.T) {
	before, behind := `[["first12", "se\u0063ond"], "`, `", ["fi\"st1", "se\u0064ond"]]`
	doc := before + strings.Repeat("x", mostInPlace+len(`[`)-len(before)-len(`", `)) + behind
	var said []string
	err := Strict(strings.NewReader(doc), &readtest.Sink{}, func(d *Text) error {
		return d.Array(func() error {
			if d.Next() == '"' {
				err := d.Skip()
				for i := range said {
					said[i] = strings.Clone(said[i])
				}
				return err
			}
			v, err := d.Kept()
			for item := range v.Items() {
				said = append(said, item.Text())
			}
			return err
		})
	})
	if want := []string{"first12", "second", `fi"st1`, "sedond"}; err != nil || !reflect.DeepEqual(said, want) {
		t.Errorf("got %.60q, %v, want %q", said, err, want)
	}
}

// whatever is what a value says, of any kind.
type whatever struct{ said any }

func (w *whatever) Take(v Value) { w.said = plainly(v) }

func (w *whatever) UnmarshalJSON(b []byte) error { return Unmarshal(b, w) }

// Where a value that was kept has its brackets says nothing of the next one, which lies in
// its place and is decoded.
func TestDecodeBehindKept(t *testing.T) {
	doc := `[[[1,2],{"a":3}], [[1],[2],[3,4]], [[1,2,3,{}]], [{},[5]]]`
	var want, got []any
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		t.Fatal(err)
	}
	var parts []io.Reader
	for part := range strings.SplitAfterSeq(doc, ", ") {
		parts = append(parts, strings.NewReader(part))
	}
	for _, r := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc)), io.MultiReader(parts...)} {
		got = nil
		err := Strict(r, &readtest.Sink{}, func(d *Text) error {
			return d.Array(func() error {
				if len(got)%2 == 0 {
					v, err := d.Kept()
					got = append(got, plainly(v))
					return err
				}
				var w whatever
				err := d.Decode(&w)
				got = append(got, w.said)
				return err
			})
		})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, %v, want %v", got, err, want)
		}
	}
}

type named struct {
	Name string
	N    int
}

// decoded is what a reader of records would see.
func decoded(t *testing.T, r io.Reader) (names []string, s *readtest.Sink, err error) {
	t.Helper()
	s = &readtest.Sink{}
	err = StrictLines(r, s, func(l *Line) {
		v := named{}
		if l.Decode(&v) {
			names = append(names, fmt.Sprintf("%d:%s", l.Number, v.Name))
		}
	})
	return names, s, err
}

func TestStrictLines(t *testing.T) {
	cases := []struct {
		text     string
		names    []string
		reported []string
		reason   string
	}{
		{"", nil, nil, "nothing"},
		{`{"name":"a"}`, []string{"1:a"}, nil, "no line end is needed"},
		{"\uFEFF{\"name\":\"a\"}\r\n\n \t{\"name\":\"b\"}\n", []string{"1:a", "3:b"}, nil, "a mark, line ends of Windows, blanks"},
		{"hello\n{\"name\":\"a\"}\n[1]\n", []string{"2:a"}, []string{"noise 1:1"}, "lines that are no objects, told once"},
		{"{\"name\":\"a\"}\n  {\"name\":x}\n{\"name\":\"b\"}\n", []string{"1:a", "3:b"}, []string{"malformed-record 2:11"}, "a broken line; columns count its blanks"},
		{"{\"name\":\"a\"}\n{\"name\":\"b", []string{"1:a"}, []string{"truncated-line 2:11"}, "the last line is cut"},
		{"{\"name\":x", nil, []string{"truncated-line 1:9"}, "the last line, whatever it would have been"},
		{"{\"name\":x,\"n\":1", nil, []string{"malformed-record 1:9"}, "the last line is broken before its end"},
		{"{\"n\":\"x\",\"name\":\"a\"}\n", []string{"1:a"}, []string{"ignored-field 1:8"}, "a member of the wrong kind"},
		{"{\"a\":" + strings.Repeat("[", 20000) + "\n", nil, []string{"malformed-record 1:10005"}, "nested too deep"},
	}
	for _, c := range cases {
		names, s, err := decoded(t, iotest.HalfReader(strings.NewReader(c.text)))
		if err != nil || !slices.Equal(names, c.names) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: got %q %q %v, want %q %q", c.reason, names, s.Reported(), err, c.names, c.reported)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := bytes.Repeat([]byte("x"), MaxRecord)
	names, s, err := decoded(t, io.MultiReader(strings.NewReader("{\"name\":\""), bytes.NewReader(long), strings.NewReader("\"}\n{\"name\":\"b\"}\n")))
	if err != nil || !slices.Equal(names, []string{"2:b"}) || !slices.Equal(s.Reported(), []string{"line-too-long 1:1"}) {
		t.Errorf("got %d names, %q, %v", len(names), s.Reported(), err)
	}
}

func TestErrorsKeepWhatCameBefore(t *testing.T) {
	broken := errors.New("the cable is broken")
	names, _, err := decoded(t, io.MultiReader(strings.NewReader("{\"name\":\"a\"}\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || !slices.Equal(names, []string{"1:a"}) {
		t.Errorf("got %q, %v", names, err)
	}
}

func TestFirstLineKeys(t *testing.T) {
	cases := []struct {
		head   string
		want   map[string]string
		reason string
	}{
		{"noise\n\n{\"a\":\"b\"}\n{\"c\":1}", map[string]string{"a": "b"}, "the first object"},
		{"\uFEFF{\"a\":\"b\",\"c", map[string]string{"a": "b"}, "cut"},
		{strings.Repeat("noise\n", 100) + "{\"a\":\"b\"}", map[string]string{"a": "b"}, "behind much noise"},
		{"[1]", nil, "no object"},
	}
	for _, c := range cases {
		if got := FirstLineKeys([]byte(c.head)); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}
