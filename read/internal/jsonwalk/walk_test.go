package jsonwalk

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// rows reads {"rows":[…]} and tells what it saw of each.
func rows(saw *[]string) readtest.Reader {
	return func(r io.Reader, to envelope.Sink) error {
		return Document(r, to, func(t *Text) error {
			return t.Object(func(key string) error {
				if key != "rows" {
					return nil
				}
				return t.Objects(func(v Value) { *saw = append(*saw, describe(v)) })
			})
		})
	}
}

func describe(v Value) string {
	return fmt.Sprintf("%s %v", v.Get("id").Text(), v.Get("n").Number())
}

func TestDocument(t *testing.T) {
	cases := []struct {
		text          string
		saw, reported []string
		reason        string
	}{
		{`{"rows":[{"id":"a","n":1}]}`, []string{"a {1 true}"}, nil, "plain"},
		{"\uFEFF {\"x\":{\"rows\":[{}]},\"rows\":[{\"id\":7}],\"y\":[1,\"]\\\"\",null]} \n", []string{"7 {0 false}"}, nil, "a mark, members nobody takes, an id that is a number"},
		{`{"rows":[{"id":"a","n":NaN},{"id":"b","n":-Infinity}],"x":NaN}`, []string{"a {0 false}", "b {0 false}"}, nil, "what Python writes for numbers that are none"},
		{`{"rows":[{"id":"a","n":"1"}]}`, []string{"a {0 false}"}, []string{"ignored-field 1:10"}, "a number that is a text is not a number"},
		{`{"rows":[{"x":{"y":[{"z":1,"z":1}]}},{"id":"a"}]}`, []string{"a {0 false}"}, []string{"malformed-record 1:10"}, "either of two members may count"},
		{`{"rows":[{"\u0069d":"\ud83d\ude00"}]}`, []string{"😀 {0 false}"}, nil, "escapes in keys and texts"},
		{"{\"rows\":[1,\n[2 3],\n{\"id\":x2},{\"id\":\"a\"}]}", nil, []string{"malformed-record 1:10", "malformed-record 2:1", "unreadable-input 3:7"}, "a word of no language ends the reading"},
		{"{\"rows\":[{\"id\":\"a\" 1},\n{\"n\":1 2},{\"id\":\"b\"}]}", []string{"b {0 false}"}, []string{"malformed-record 1:10", "malformed-record 2:1"}, "commas that are missing"},
		{`{"rows":[{"id":"a"}`, []string{"a {0 false}"}, []string{"truncated-line 1:20"}, "cut behind an element"},
		{`{"rows":[{"id":"a"},{"id":"b`, []string{"a {0 false}"}, []string{"truncated-line 1:29"}, "cut in a text"},
		{`{"rows":[{"id":"a"]`, nil, []string{"unreadable-input 1:19"}, "the wrong bracket"},
		{`{"rows":null}{`, nil, []string{"unreadable-input 1:14"}, "something behind the document"},
		{`[{"rows":[]}]`, nil, []string{"malformed-record 1:1"}, "no object"},
		{``, nil, []string{"unreadable-input 1:1"}, "nothing"},
		{`{"rows":` + strings.Repeat("[", 20000), nil, []string{"malformed-record 1:10", "unreadable-input 1:10009"}, "too deep"},
		{`{"rows":[{"n":` + strings.Repeat("1", 2000) + `}]}`, nil, []string{"unreadable-input 1:15"}, "a number of 2000 digits"},
		{`{"rows":[{"n":1e999},{"n":-1}]}`, []string{" {0 false}", " {-1 true}"}, []string{"ignored-field 1:10"}, "a number out of range"},
	}
	for _, c := range cases {
		for _, way := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			var saw []string
			s := &readtest.Sink{}
			if err := rows(&saw)(way(strings.NewReader(c.text)), s); err != nil || !slices.Equal(saw, c.saw) || len(c.text) < 20000 && !slices.Equal(s.Reported(), c.reported) {
				t.Errorf("%s: saw %q, told %q %v, %v, want %q, %q", c.reason, saw, s.Reported(), s.Problems, err, c.saw, c.reported)
			}
		}
	}
}

func TestLines(t *testing.T) {
	cases := []struct {
		text          string
		saw, reported []string
		reason        string
	}{
		{"{\"id\":1}\r\n\n {\"id\":2}", []string{"1 {0 false}", "2 {0 false}"}, nil, "line ends of both kinds, blanks, none at the end"},
		{"\uFEFF{\"id\":1}\n{\"id\":2,\"n\":NaN}\n", []string{"1 {0 false}", "2 {0 false}"}, nil, "a mark and NaN"},
		{"{\"id\":1}\n{\"id\":NaN,}\n{\"id\":\"NaN\" NaN}\n{\"id\":3}", []string{"1 {0 false}", "3 {0 false}"}, []string{"malformed-record 2:7", "malformed-record 3:13"}, "NaN does not make JSON of what is none"},
		{"[warn] x\n{\"id\":1}\nx", []string{"1 {0 false}"}, []string{"noise 1:1"}, "lines of another program"},
		{"{\"id\":1}\n  {\"id\":", []string{"1 {0 false}"}, []string{"truncated-line 2:9"}, "cut off"},
		{"{\"id\":1,\"n\":NaN,\"id\":2}\n{\"id\":2,\"n\":0,\"n\":0}\n{\"id\":3}", []string{"3 {0 false}"}, []string{"malformed-record 1:13", "malformed-record 2:15"}, "a key twice"},
		{"{\"id\":1}{\"id\":2}\n{\"id\":3}", []string{"3 {0 false}"}, []string{"malformed-record 1:9"}, "two on a line"},
	}
	for _, c := range cases {
		var saw []string
		s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error {
			return Lines(r, to, func(v Value) { saw = append(saw, describe(v)) })
		}, c.text)
		if !slices.Equal(saw, c.saw) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: saw %q, told %q %v, want %q, %q", c.reason, saw, s.Reported(), s.Problems, c.saw, c.reported)
		}
	}
}

// filler is n bytes of x.
func filler(n int64) io.Reader { return io.LimitReader(endless{}, n) }

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

func TestTooLong(t *testing.T) {
	text := func(between string) io.Reader {
		return io.MultiReader(strings.NewReader(`{"rows":[{"id":"`), filler(MaxRecord), strings.NewReader(`"}`+between+`{"id":"b"}]}`))
	}
	var saw []string
	s := &readtest.Sink{}
	if err := rows(&saw)(text(","), s); err != nil || !slices.Equal(saw, []string{"b {0 false}"}) || !slices.Equal(s.Reported(), []string{"line-too-long 1:10"}) {
		t.Errorf("saw %d, told %v, %v", len(saw), s.Problems, err)
	}
	s = &readtest.Sink{}
	err := Lines(io.MultiReader(strings.NewReader(`{"id":"`), filler(MaxRecord), strings.NewReader("\"}\n{\"id\":1}\n")), s, func(v Value) { saw = append(saw, describe(v)) })
	if err != nil || saw[len(saw)-1] != "1 {0 false}" || !slices.Equal(s.Reported(), []string{"line-too-long 1:1"}) {
		t.Errorf("told %v, %v", s.Problems, err)
	}
}

// TestMillionsOfMembers: what is looked at of a record is bounded.
func TestMillionsOfMembers(t *testing.T) {
	var saw []string
	many := fmt.Appendf(nil, `{"rows":[{"id":"a"`)
	for i := range maxMembers {
		many = fmt.Appendf(many, `,"%d":0`, i)
	}
	s := readtest.Text(t, rows(&saw), string(many)+`,"n":1},{"id":"b","n":2}]}`)
	if !slices.Equal(saw, []string{"a {0 false}", "b {2 true}"}) || !slices.Equal(s.Reported(), []string{"ignored-field 1:10"}) {
		t.Errorf("saw %q, told %v", saw, s.Problems)
	}
}

func TestValues(t *testing.T) {
	const text = `{"t":"x","n":1.5,"neg":-1,"i":3,"big":9e15,"f":true,"null":null,"o":{"a":{"b":[1, "}" ,{"c":2}]}},"at":"2026-11-21T10:00:00+01:00","naive":"2026-11-21T10:00:00.5"}` + "\n"
	var got []string
	s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error {
		return Lines(r, to, func(v Value) {
			say := func(x any) { got = append(got, fmt.Sprint(x)) }
			say(v.Get("n").Text() + v.Get("null").Text() + v.Get("none", "at", "all").Text())
			say(v.Get("i").Count())
			say(v.Get("i").Millis(1000))
			say(v.Get("f").Bool())
			say(v.Get("o", "a", "b").String())
			for item := range v.Get("o", "a", "b").Items() {
				say(item.Get("c").Index())
			}
			say(v.Get("at").Time().UTC().Format(time.RFC3339))
			say(v.Get("naive").Time().IsZero())
			say(Between(v.Get("naive"), v.Get("naive")))
			say(Between(v.Get("at"), v.Get("naive")))
			say([]any{v.Get("neg").Amount(), v.Get("n").Count(), v.Get("big").Index(), v.Get("t").Bool(), v.Get("o").Text(), v.Get("t").Number()})
		})
	}, text)
	want := []string{"1.5", "{3 true}", "{3000 true}", "{true true}", `[1,"}",{"c":2}]`, "{0 false}", "{0 false}", "{2 true}", "2026-11-21T09:00:00Z", "true", "{0 true}", "{0 false}",
		"[{0 false} {0 false} {0 false} {false false}  {0 false}]"}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	const reported = "values ignored: neg is negative, n is not an integer of 0 or more, big is out of range, t is neither true nor false, o is neither a string nor a number and 1 more"
	if len(s.Problems) != 1 || s.Problems[0].Message != reported {
		t.Errorf("%v", s.Problems)
	}
}

func FuzzWalk(f *testing.F) {
	f.Add(`{"rows":[{"id":"a","n":NaN,"x":{"y":[1,{},[]]}},{"id":"\u0061\ud800"}],"z":[{}]}`)
	f.Add(`{"rows":[{"a" 1},{"b":[}]`)
	f.Fuzz(func(t *testing.T, text string) {
		var saw []string
		readtest.Check(t, text, readtest.Text(t, rows(&saw), text))
		readtest.Check(t, text, readtest.Text(t, func(r io.Reader, to envelope.Sink) error {
			return Lines(r, to, func(v Value) {
				for name, value := range v.Members() {
					saw = append(saw, name, value.String(), v.Get(name, "x").String())
				}
			})
		}, text))
	})
}

// TestNamesAreShared: objects with more names than are shared, and with one longer than
// those, have all of them.
func TestNamesAreShared(t *testing.T) {
	var text strings.Builder
	for i := range mostNames + 50 {
		fmt.Fprintf(&text, `{"in":{"k%d":%d,"%s":1}}`, i, i, strings.Repeat("n", longestName+i%2))
	}
	seen := map[string]bool{}
	if err := Documents(strings.NewReader(text.String()), &readtest.Sink{}, func(v Value) {
		for name := range v.Get("in").Members() {
			seen[name] = true
		}
	}); err != nil || len(seen) != mostNames+52 {
		t.Errorf("%d names, want %d; %v", len(seen), mostNames+52, err)
	}
}

// passed reads records by Passing, and what their names say outside of it.
func passed(t *testing.T, text string) (names, texts []string) {
	t.Helper()
	err := Documents(strings.NewReader(text), &readtest.Sink{}, func(v Value) {
		before := v.Get("name").Text()
		v.Passing(func() { texts = append(texts, strings.Clone(v.Get("text").Text())) })
		names = append(names, before, v.Get("name").Text())
	})
	if err != nil {
		t.Error(err)
	}
	return names, texts
}

// TestPassing: what is said in passing is what stands there, and names that were asked for
// before and behind it stay when the next records are read: those that lie in the buffer
// and those that are longer.
func TestPassing(t *testing.T) {
	for _, size := range []int{1, shortText, mostInPlace} {
		var text strings.Builder
		var names, texts []string
		for n := range 5 {
			name, long := fmt.Sprint("name ", n), strings.Repeat(string(rune('a'+n)), size)
			fmt.Fprintf(&text, `{"name":"name\u0020%d","text":"%s"}`, n, long)
			names, texts = append(names, name, name), append(texts, long)
		}
		gotNames, gotTexts := passed(t, text.String())
		if !slices.Equal(gotNames, names) || !slices.Equal(gotTexts, texts) {
			t.Errorf("texts of %d: %q", size, gotNames)
		}
	}
}

// TestPassingUsesMemoryAgain: what is said in passing lies where that of the record before
// lay, whether they lie in the buffer or are longer.
func TestPassingUsesMemoryAgain(t *testing.T) {
	for _, size := range []int{shortText + 1, mostInPlace} {
		record := fmt.Sprintf(`{"text":"%s"}`, strings.Repeat("x", size))
		places := map[*byte]bool{}
		err := Documents(strings.NewReader(strings.Repeat(record, 20)), &readtest.Sink{}, func(v Value) {
			v.Passing(func() { places[unsafe.StringData(v.Get("text").Text())] = true })
		})
		if err != nil || len(places) != 1 {
			t.Errorf("texts of %d bytes: %d places, %v", size, len(places), err)
		}
	}
}

// TestDocumentsInTheSameMemory: a document that is cut off inside of a value leaves nothing
// behind for the next one, which begins at line 1.
func TestDocumentsInTheSameMemory(t *testing.T) {
	var walk Sequence
	var said []string
	s := &readtest.Sink{}
	for _, text := range []string{`{"a":"one","b":[{"c":`, "\n{\"a\":\"two\",\n\"b\":5}", `{"a":"three"} {}`} {
		err := walk.Document(strings.NewReader(text), s, func(t *Text) error {
			return t.Object(func(key string) error {
				v, err := t.Value()
				said = append(said, key, v.String())
				return err
			})
		})
		if err != nil {
			t.Error(err)
		}
	}
	if want := []string{"a", "one", "b", "", "a", "two", "b", "5", "a", "three"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
	if got, want := s.Reported(), []string{"truncated-line 1:22", "unreadable-input 1:15"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestKeys(t *testing.T) {
	cases := []struct {
		head    string
		keys    map[string]string
		inArray bool
		reason  string
	}{
		{``, nil, false, "nothing"},
		{`hello`, nil, false, "no JSON"},
		{`"a"`, nil, false, "no object"},
		{`[`, nil, true, "an array, nothing known of it"},
		{`[1,{"a":1}]`, nil, true, "only the first element counts"},
		{`{}`, map[string]string{}, false, "an object without keys"},
		{` {"a":"x","b":{"c":1},"d":[{"e":2}],"f":null} {"g":1}`, map[string]string{"a": "x", "b": "", "d": "", "f": ""}, false, "keys of the top level of the first object"},
		{`[ {"a":1, "b":"y"}`, map[string]string{"a": "", "b": "y"}, true, "the first element"},
		{`{"a":"x","b":{"c":`, map[string]string{"a": "x", "b": ""}, false, "cut in a value: its key is known"},
		{`{"a":"x","b`, map[string]string{"a": "x"}, false, "cut in a key"},
		{`{"a":"x" "b":1}`, map[string]string{"a": "x"}, false, "broken behind a key"},
	}
	for _, c := range cases {
		keys, inArray := Keys([]byte(c.head))
		if !maps.Equal(keys, c.keys) || (keys == nil) != (c.keys == nil) || inArray != c.inArray {
			t.Errorf("Keys(%q) = %v, %v, want %v, %v: %s", c.head, keys, inArray, c.keys, c.inArray, c.reason)
		}
	}
}
