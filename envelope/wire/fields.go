package wire

import (
	"cmp"
	"reflect"
	"sync"

	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
)

// testFields is the JSON form of a test, as its tags have it. A field of a new kind that
// is no text, number, list or struct gets its form here.
var testFields = sync.OnceValue(func() []codec.Member[reflect.Value] {
	f := codec.Forms{}
	codec.Set(f, envelope.OptKind(codec.Flags))
	codec.Set(f, envelope.OptKind(codec.Reals))
	codec.Set(f, envelope.OptKind(codec.Wholes[int]()))
	codec.Set(f, envelope.OptKind(codec.Wholes[int32]()))
	codec.Set(f, envelope.OptKind(codec.Wholes[int64]()))
	codec.Set(f, codec.Numbers[int]())
	codec.Set(f, codec.Numbers[float64]())
	codec.Set(f, codec.MapsOf(codec.Terms[string]()))
	codec.Set(f, codec.MapsOf(codec.Wholes[int]()))
	codec.Set(f, codec.MapsOf(codec.Tagged[envelope.CheckRate](f)))
	codec.Set(f, envelope.TranscriptKind)
	codec.Set(f, rows)
	codec.Set(f, verdicts(codec.Tagged[envelope.Verdict](f)))
	return f.Members(reflect.TypeFor[envelope.Test]())
})

// verdicts are written as those of nobody where a test was never judged.
func verdicts(k codec.Kind[envelope.Verdict]) codec.Kind[*envelope.Verdict] {
	return codec.Kind[*envelope.Verdict]{
		Write: func(w *codec.Writer, v **envelope.Verdict) { k.Write(w, cmp.Or(*v, new(envelope.Verdict))) },
		Read:  func(p *codec.Parser, v **envelope.Verdict) { k.Read(p, *v) },
		None:  func(**envelope.Verdict) bool { return false },
	}
}

var rows = codec.Kind[*envelope.Rows]{
	Write: func(w *codec.Writer, r **envelope.Rows) {
		text, err := (*r).AppendInRun(w.B)
		if err != nil {
			w.Fail(err)
			return
		}
		w.B = text
	},
	Read: func(p *codec.Parser, r **envelope.Rows) {
		if p.Odd {
			return
		}
		end := (*r).ConsumeJSON(p.B[p.At:], p.Shared.(*envelope.DecodeState))
		if p.Odd = end < 0; !p.Odd {
			p.At += end
		}
	},
	None: func(**envelope.Rows) bool { return false },
}

func newTestParser(text []byte, shared *envelope.DecodeState) *codec.Parser {
	p := codec.NewParser(text)
	p.Shared = shared
	shared.Reset()
	return p
}
