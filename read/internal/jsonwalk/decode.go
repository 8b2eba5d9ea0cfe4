package jsonwalk

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"tribunal/internal/jsontext"
)

// decoding is JSON on its way into Go types, checked as it goes. Only what is usual
// is decoded: of anything else, a text that is no JSON and a number where a string is
// expected alike, nothing is taken, and encoding/json, which says what is wrong, does it
// again. Of reports it takes a quarter of the time of encoding/json (BenchmarkDecode).
type decoding struct {
	jsontext.Part
	*memory
	rec   record // of what Loose types take
	depth int    // of Go values
}

// decoder decodes the value that begins at i into what p points to, which is zero. It
// returns where the value ends, -1 where encoding/json must have it.
type decoder func(d *decoding, i int, p unsafe.Pointer) (end int)

// decode decodes the value that a part of a marked text begins with into what v points
// to. It returns where the value ends, -1 where encoding/json must have it; v is as it
// was then.
func (k *memory) decode(text []byte, m *jsontext.Text, v any) (end int) {
	into := reflect.ValueOf(v).Elem()
	if !into.IsZero() || m.Torn() {
		return -1
	}
	k.now = decoding{jsontext.PartOf(text, m), k, record{marks: m, texts: k, names: k.known()}, 0}
	if end = decoderOf(into.Type())(&k.now, jsontext.Blanks(text, 0), into.Addr().UnsafePointer()); end < 0 {
		into.SetZero()
	}
	return end
}

// unmarshal is json.Unmarshal.
func (k *memory) unmarshal(text []byte, v any) error {
	k.own.Mark(text)
	end := k.decode(text, &k.own, v)
	if end >= 0 && jsontext.Blanks(text, end) == len(text) {
		return nil
	}
	if end >= 0 {
		reflect.ValueOf(v).Elem().SetZero()
	}
	return json.Unmarshal(text, v)
}

var decoders sync.Map

func decoderOf(t reflect.Type) decoder {
	if known, ok := decoders.Load(t); ok {
		return known.(decoder)
	}
	// A type may be part of itself.
	var made decoder
	var once sync.WaitGroup
	once.Add(1)
	first, loaded := decoders.LoadOrStore(t, decoder(func(d *decoding, i int, p unsafe.Pointer) int {
		once.Wait()
		return made(d, i, p)
	}))
	if loaded {
		return first.(decoder)
	}
	made = newDecoder(t)
	once.Done()
	decoders.Store(t, made)
	return made
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	loose           = reflect.TypeFor[Loose]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	rawMessage      = reflect.TypeFor[json.RawMessage]()
	jsonNumber      = reflect.TypeFor[json.Number]()
)

func newDecoder(t reflect.Type) decoder {
	switch {
	case t == rawMessage:
		return decodeRaw
	case t == jsonNumber:
		return orNull(decodeDigits)
	case reflect.PointerTo(t).Implements(loose):
		return decodeLoose(t)
	case reflect.PointerTo(t).Implements(unmarshaler), reflect.PointerTo(t).Implements(textUnmarshaler):
		return unmarshal(t)
	}
	switch t.Kind() {
	case reflect.String:
		return orNull(decodeText)
	case reflect.Bool:
		return orNull(decodeBool)
	case reflect.Float64:
		return orNull(decodeFloat)
	case reflect.Int, reflect.Int32, reflect.Int64:
		return orNull(decodeInt(t))
	case reflect.Pointer:
		return decodePointer(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return decodeSlice(t)
		}
	case reflect.Struct:
		if fields, ok := fieldsOf(t); ok {
			return orNull(fields.decode)
		}
	}
	return unmarshal(t)
}

// orNull is a decoder that leaves the zero value where there is null.
func orNull(decode decoder) decoder {
	return func(d *decoding, i int, p unsafe.Pointer) int {
		if i < len(d.B) && d.B[i] == 'n' {
			return jsontext.Word(d.B, i, "null")
		}
		return decode(d, i, p)
	}
}

// unmarshal leaves a value to encoding/json.
func unmarshal(t reflect.Type) decoder {
	return func(d *decoding, i int, p unsafe.Pointer) int {
		end := d.Valid(i)
		if end < 0 || json.Unmarshal(d.B[i:end], reflect.NewAt(t, p).Interface()) != nil {
			return -1
		}
		return end
	}
}

// Loose is a type that takes a value of any kind where it is decoded, and keeps nothing
// of it but its texts. What does not fit is told to nobody. Its UnmarshalJSON must be
// Unmarshal.
type Loose interface{ Take(v Value) }

// Unmarshal gives JSON to a type that takes any.
func Unmarshal(text []byte, into Loose) error {
	into.Take(Detached("", text))
	return nil
}

func decodeLoose(t reflect.Type) decoder {
	return func(d *decoding, i int, p unsafe.Pointer) int {
		end := d.Valid(i)
		if end >= 0 {
			d.rec.faults = nil
			reflect.NewAt(t, p).Interface().(Loose).Take(Value{raw: d.B[i:end], rec: &d.rec})
		}
		return end
	}
}

func decodeRaw(d *decoding, i int, p unsafe.Pointer) int {
	end := d.Valid(i)
	if end < 0 {
		return -1
	}
	*(*json.RawMessage)(p) = bytes.Clone(d.B[i:end])
	return end
}

// decodeDigits decodes a json.Number that is no string.
func decodeDigits(d *decoding, i int, p unsafe.Pointer) int {
	text, end := d.number(i)
	if end < 0 {
		return -1
	}
	*(*string)(p) = d.copied(text)
	return end
}

func decodeText(d *decoding, i int, p unsafe.Pointer) int {
	if i >= len(d.B) || d.B[i] != '"' {
		return -1
	}
	end := d.String(i)
	if end < 0 {
		return -1
	}
	*(*string)(p) = d.said(d.B[i+1 : end-1])
	return end
}

func decodeBool(d *decoding, i int, p unsafe.Pointer) int {
	if i < len(d.B) && d.B[i] == 't' {
		*(*bool)(p) = true
		return jsontext.Word(d.B, i, "true")
	}
	return jsontext.Word(d.B, min(i, len(d.B)), "false")
}

// number is a number that is not the last thing there: more of it could follow.
func (d *decoding) number(i int) (text string, end int) {
	if i >= len(d.B) {
		return "", -1
	}
	if end = jsontext.Number(d.B, i); end < 0 || end == len(d.B) {
		return "", -1
	}
	return unsafe.String(&d.B[i], end-i), end
}

func decodeFloat(d *decoding, i int, p unsafe.Pointer) int {
	text, end := d.number(i)
	if end < 0 {
		return -1
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1
	}
	*(*float64)(p) = f
	return end
}

func decodeInt(t reflect.Type) decoder {
	size := t.Size()
	return func(d *decoding, i int, p unsafe.Pointer) int {
		text, end := d.number(i)
		if end < 0 {
			return -1
		}
		n, err := strconv.ParseInt(text, 10, int(size)*8)
		if err != nil {
			return -1
		}
		if size == 4 {
			*(*int32)(p) = int32(n)
		} else {
			*(*int64)(p) = n
		}
		return end
	}
}

func decodePointer(elem reflect.Type) decoder {
	decode := decoderOf(elem)
	return func(d *decoding, i int, p unsafe.Pointer) int {
		if *(*unsafe.Pointer)(p) != nil {
			return -1 // a member given twice
		}
		if i < len(d.B) && d.B[i] == 'n' {
			return jsontext.Word(d.B, i, "null")
		}
		to := reflect.New(elem).UnsafePointer()
		*(*unsafe.Pointer)(p) = to
		return decode(d, i, to)
	}
}

func decodeSlice(t reflect.Type) decoder {
	const first = 4 // elements there is room for
	decode, size, none := decoderOf(t.Elem()), t.Elem().Size(), reflect.MakeSlice(t, 0, 0)
	return func(d *decoding, i int, p unsafe.Pointer) int {
		to := reflect.NewAt(t, p).Elem()
		switch {
		case i >= len(d.B) || !to.IsNil(): // a member given twice
			return -1
		case d.B[i] == 'n':
			return jsontext.Word(d.B, i, "null")
		case d.B[i] != '[' || !d.enter():
			return -1
		}
		to.Set(none)
		for i = jsontext.Blanks(d.B, i+1); i < len(d.B) && (d.B[i] != ']' || to.Len() > 0); i = jsontext.Blanks(d.B, i+1) {
			n := to.Len()
			if n == to.Cap() {
				to.Grow(max(n, first))
			}
			to.SetLen(n + 1)
			if i = decode(d, i, unsafe.Add(to.UnsafePointer(), uintptr(n)*size)); i < 0 {
				return -1
			}
			if i = jsontext.Blanks(d.B, i); i >= len(d.B) || d.B[i] != ',' {
				break
			}
		}
		if i >= len(d.B) || d.B[i] != ']' {
			return -1
		}
		d.depth--
		return i + 1
	}
}

// enter goes into an object or array, as deep as is looked.
func (d *decoding) enter() bool {
	d.depth++
	return d.depth < jsontext.Deepest
}

// memory holds what is decoded. Short texts share a piece of it.
type memory struct {
	piece   []byte
	names   names
	now     decoding
	own     jsontext.Text     // of what is not decoded where it lies
	members []jsontext.Member // of the record that was read last
}

// Bounds of them. A piece is kept as long as one of its texts is.
const (
	pieceSize   = 4 << 10
	shortText   = 512
	keptMembers = 1 << 10 // room for so many members of a record is used again
)

// room is memory for a text of that size at most beside others, nil where it gets its own.
func (k *memory) room(size int) *[]byte {
	if size > shortText {
		return nil
	}
	if cap(k.piece)-len(k.piece) < size {
		k.piece = make([]byte, 0, pieceSize)
	}
	return &k.piece
}

// said is what a string says that has this between its quotes.
func (k *memory) said(inside []byte) string {
	var own []byte
	to := k.room(len(inside))
	if to == nil {
		to = &own
	}
	mark := len(*to)
	*to = jsontext.Repair(jsontext.Append(*to, inside), mark)
	return jsontext.InPlace((*to)[mark:])
}

// copied is a text in memory of its own.
func (k *memory) copied(text string) string {
	to := k.room(len(text))
	if to == nil {
		return strings.Clone(text)
	}
	mark := len(*to)
	*to = append(*to, text...)
	return jsontext.InPlace((*to)[mark:])
}

// known are the names of members met so far.
func (k *memory) known() names {
	if k.names == nil {
		k.names = names{}
	}
	return k.names
}
