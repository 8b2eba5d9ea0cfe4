package jsonwalk

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"tribunal/read/internal/readtest"
)

// everything is a type with all that reports are decoded into.
type everything struct {
	base
	Name, File string
	Number     float64
	Part       *float64
	Line       int
	Small      int32
	Byte       uint8
	Flag       bool
	Flags      []bool
	At         time.Time
	Raw        json.RawMessage
	Digits     json.Number
	Any        any
	Map        map[string]any
	Pairs      [2]int
	Bytes      []byte
	Words      []string
	Table      [][]any
	Named      word `json:"the-name"`
	Odd        oddly
	Any2       anything
	Children   []everything
	Parent     *everything
	Quoted     int `json:",string"`
	Ignore     string
	Never      string `json:"-"`
}

// plain is everything without what makes encoding/json have all of it.
type plain struct {
	base
	Name     string
	Number   float64
	Part     *float64
	Line     int
	Small    int32
	Byte     uint8
	Flags    []bool
	At       time.Time
	Raw      json.RawMessage
	Digits   json.Number
	Map      map[string]any
	Words    []string
	Named    word `json:"the-name"`
	Odd      oddly
	Any2     anything
	Children []plain
	Parent   *plain
	hidden   string
	Never    string `json:"-"`
}

type base struct{ ID, Kind string }

type word string

// anything keeps what there is, of any kind.
type anything struct{ kind, text string }

func (a *anything) Take(v Value) { a.kind, a.text = v.Kind(), v.String() }

func (a *anything) UnmarshalJSON(b []byte) error { return Unmarshal(b, a) }

// oddly takes what begins with a letter of its own.
type oddly struct{ text string }

func (o *oddly) UnmarshalJSON(b []byte) error {
	if o.text = string(b); strings.HasPrefix(o.text, `"no`) {
		return fmt.Errorf("refused: %s", b)
	}
	return nil
}

// Texts that are JSON, and what is wrong by one character. What each of them is says
// encoding/json.
var texts = []string{
	``, ` `, `{}`, `[]`, ` [ ] `, `{ }`, `[1]`, `[1,]`, `[,1]`, `[1 2]`, `{"a":1}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":}`, `{"a"}`, `{"a":1 "b":2}`, `{"a":1,"b":[{},{"c":null}]}`,
	`[}`, `{]`, `[1}`, `{"a":1]`, `]`, `}`, `[[]`, `[]]`, `{}{}`, `1 2`, `,`, `:`, `[:]`, `{"a":1:2}`,
	`0`, `-0`, `00`, `01`, `-`, `-1`, `1.`, `.5`, `1.5`, `1e`, `1e5`, `1E+5`, `1e-05`, `1e+`, `1.5e3.2`, `+1`, `0x1`, `1_0`, `-a`, `[0123]`, `[-]`,
	`true`, `tru`, `truer`, `True`, `false`, `fals`, `null`, `nul`, `nulll`, `NaN`, `Infinity`, `undefined`,
	`""`, `"`, `"a`, `"a"b`, `"\"`, `"\\"`, `"\\\"`, `"\""`, `"\/\b\f\n\r\t"`, `"\a"`, `"\u00e9"`, `"\u00E9"`, `"\u00g9"`, `"\u00"`, `"\u"`, `"\ud800"`, "\"\t\"", "\"\n\"", "\"\x00\"", "\"\x7f\"", "\"\xff\xfe\"", "\"\u2028\"",
	"\"1234567\"", "\"12345678\"", "\"123456789\\\"0\"", "\"1234567\x1f9\"", "\"éééééééé\\n\x80\"", "\xef\xbb\xbf{}", "{\"a\":1}\x00", "\v1", "\u00a01", "[1]\f",
}

// decodedTexts are texts for those types.
var decodedTexts = []string{
	`{"name":"a","NAME":"b","Id":"i","KIND":"k","number":-1.5e3,"part":0.25,"line":12,"small":-3,"byte":7,"flags":[true,false,null],"at":"2026-01-02T03:04:05Z","raw":{"a": [1 ]},` +
		`"digits":12.50,"map":{"k":[1,"x"]},"words":["a","b\n","\u00e9\ud83d\ude00","` + strings.Repeat("long", 500) + `",""],"the-name":"w","odd":{"x":1},"children":[{"name":"c","children":[]}],"parent":{"parent":null},"left":{"out":[1,{}]},"never":"x","hidden":"y"}`,
	`{"name":null,"number":null,"part":null,"line":null,"flags":null,"at":null,"raw":null,"digits":null,"map":null,"words":null,"odd":null,"children":null,"parent":null}`,
	`{"children":[{},{}]}`, `{"words":["b"],"parent":{"name":"d"},"children":[{"part":null}]}`,
	`{"any2":null}`, `{"any2":[1, {"x":"\n"}]}`, `{"any2":"\u00e9"}`, `{"any2":12.5,"name":"a"}`, `{"any2":tru}`, `{"any2":{"a":1},"line":"x"}`,
	`{"part":1,"Part":null}`, `{"words":["a"],"Words":null}`, `{"words":["a","b"],"Words":["c"]}`, `{"children":[{"name":"a"}],"Children":[{"id":"b"}]}`, `{"parent":{"name":"a"},"Parent":{"id":"b"}}`, `{"map":{"a":1},"Map":{"b":2}}`,
	`{"name":1}`, `{"name":"a","line":"1","file":"b"}`, `{"line":1.0}`, `{"line":1e3}`, `{"line":99999999999999999999}`, `{"small":3000000000}`, `{"number":1e999}`, `{"byte":256}`, `{"flags":[1]}`, `{"words":{}}`, `{"children":{}}`, `{"parent":[]}`,
	`{"digits":"12"}`, `{"digits":"x"}`, `{"digits":true}`, `{"at":"x"}`, `{"at":1}`, `{"odd":"no"}`, `{"odd":"no","name":"a"}`, `{"the-name":"a","the_name":"b"}`, `{"pairs":[1,2,3]}`, `{"bytes":"YQ=="}`, `{"quoted":"1"}`, `{"any":[1]}`, `{"table":[[1,"a"],[]]}`,
	`{"\u006eame":"a"}`, `{"ſmall":1}`, `{"Kind":"Kelvin"}`, "{\"n\xe9me\":\"a\"}", "{\"name\":\"\xff\"}", `{"name":"\ud800"}`, `{"name":"` + strings.Repeat("\xff", 600) + `"}`,
	`{"words":[]}`, `{"words":[ ]}`, `{"words":["a",]}`, `{"words":[,]}`, `{"words":["a" "b"]}`, `{"words":["a"}`, `{"name":"a",}`, `{"name" "a"}`, `{"name":"a"}}`, `{"name":"a"} x`, `{"name":"a"`, `{"name":"a","left":`, `{"name":tru}`, `{"line":-}`, `{"line":01}`, `null`, ` {} `,
	strings.Repeat(`{"parent":`, 2000) + "null" + strings.Repeat("}", 2000),
}

// same holds what is decoded against encoding/json, for a type.
func same[T any](t *testing.T, text string) {
	t.Helper()
	var want T
	wantErr, syntax := json.Unmarshal([]byte(text), &want), (*json.SyntaxError)(nil)
	m, got := memory{}, *new(T)
	err := m.unmarshal([]byte(text), &got)
	if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) && (err == nil || !errors.As(wantErr, &syntax)) {
		t.Errorf("%.300q:\ngot  %+.300v, %v\nwant %+.300v, %v", text, got, err, want, wantErr)
	}
}

func TestDecodeIsThatOfEncodingJSON(t *testing.T) {
	for _, text := range append(decodedTexts, texts...) {
		same[plain](t, text)
		same[everything](t, text)
		same[[]plain](t, "["+text+"]")
		same[string](t, text)
		same[*float64](t, text)
		same[int](t, text)
		same[bool](t, text)
		same[json.RawMessage](t, text)
	}
}

// What is usual is not left to encoding/json.
func TestDecodeTakesTheUsual(t *testing.T) {
	for _, text := range decodedTexts[:2] {
		var m memory
		if v := (plain{}); !m.valueOf([]byte(text), nil).into(reflect.ValueOf(&v).Elem()) || v.hidden != "" {
			t.Errorf("%.200s was not decoded, or into %q, which is not to be", text, v.hidden)
		}
	}
}

// What was decoded stays when more is.
func TestDecodedTextsStay(t *testing.T) {
	var m memory
	var all []plain
	for i := range 1000 {
		var v plain
		if err := m.unmarshal(fmt.Appendf(nil, `{"name":"%d","words":["\u0061%d","%s"]}`, i, i, strings.Repeat("x", i)), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	for i, v := range all {
		if want := fmt.Sprint(i); v.Name != want || v.Words[0] != "a"+want || v.Words[1] != strings.Repeat("x", i) {
			t.Fatalf("the %d. is %+v", i, v)
		}
	}
}

// A value is decoded alike where it is all there, comes byte by byte, is longer than
// what is looked at where it lies, or follows a value that cannot be decoded.
func TestDecodeInPlace(t *testing.T) {
	for _, text := range decodedTexts {
		for _, long := range []string{"", strings.Repeat(" ", mostInPlace)} {
			doc := "[" + long + text + ", {\"name\":1},\n " + text + "]"
			var want []plain
			if json.Unmarshal([]byte("["+text+"]"), &want) != nil {
				continue
			}
			doc = strings.Replace(doc, `{`, `{`+long, 1)
			got := decodedFrom(t, strings.NewReader(doc))
			slow := decodedFrom(t, iotest.OneByteReader(strings.NewReader(doc)))
			if len(got) != 3 || !reflect.DeepEqual(got, slow) || !reflect.DeepEqual(got[2], want[0]) {
				t.Errorf("%.200q: got %+.300v, byte by byte %+.300v, want %+.300v", text, got, slow, want)
			}
		}
	}
}

// decodedFrom decodes the elements of an array.
func decodedFrom(t *testing.T, r io.Reader) (all []plain) {
	t.Helper()
	err := Strict(r, &readtest.Sink{}, func(d *Text) error {
		return d.Array(func() error {
			v := plain{}
			err := d.Decode(&v)
			all = append(all, v)
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func FuzzDecode(f *testing.F) {
	for _, text := range append(decodedTexts, texts...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		same[plain](t, text)
		same[[]everything](t, text)
	})
}
