package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tribunal/envelope/internal/codec"
	"tribunal/envelope/internal/compress"
)

// Transcript is the conversation of one trial. It is kept compressed; Envelope.Turns
// has it as turns.
type Transcript struct {
	Trial      int           // its row, 0-based
	compressed compress.Text // the turns as JSON, without texts that stand beside them
	refs       ref           // the last of the texts of the run that it refers to
	long       []long        // its own texts that may be shared, in their order
}

// NewTranscript packs the turns of a trial.
func NewTranscript(trial int, turns []Turn) Transcript {
	return (*Repeated)(nil).Transcript(trial, turns)
}

// Transcript is NewTranscript, which keeps long texts that came before once.
func (r *Repeated) Transcript(trial int, turns []Turn) Transcript {
	turns = validTurns(turns)
	w := writers.Get().(*turnWriter)
	defer writers.Put(w)
	w.B, w.long, w.repeated = w.B[:0], w.long[:0], r
	writeTurns(&w.Writer, turns)
	t := Transcript{Trial: trial, compressed: r.encoder().Encode(w.B), long: slices.Clone(w.long)}
	for i := range turns {
		for _, s := range turns[i].said() {
			t.refs = max(t.refs, *s.ref)
		}
	}
	return t
}

func writeTurns(w *codec.Writer, turns []Turn) {
	w.B = append(w.B, '[')
	for i := range turns {
		if i > 0 {
			w.B = append(w.B, ',')
		}
		codec.WriteObject(w, &turns[i], turnFields)
	}
	w.B = append(w.B, ']')
}

// Turns are the turns, with the texts that stand among those of the run.
func (t *Transcript) Turns(texts []string) []Turn {
	text := t.appendTurns(nil, true)
	p := codec.NewParser(text)
	var turns []Turn
	if codec.ListsOf(codec.Object(turnFields)).Read(p, &turns); p.Odd {
		_ = json.Unmarshal(text, &turns) // it was written here
	}
	if t.refs > 0 {
		for i := range turns {
			turns[i].resolve(texts)
		}
	}
	return turns
}

// Resolved is the transcript with the texts that stand among those of its run.
func (t *Transcript) Resolved(texts []string) Transcript {
	if t.refs == 0 {
		return *t
	}
	return NewTranscript(t.Trial, t.Turns(texts))
}

// Compare orders transcripts by what they say, in no order that means anything.
func (t *Transcript) Compare(o *Transcript) int {
	return bytes.Compare(t.appendTurns(nil, false), o.appendTurns(nil, false))
}

// resolve puts texts of the run in the places of their references. One that leads
// nowhere, which reading does not let pass, is not a text.
func (t *Turn) resolve(texts []string) {
	for _, s := range t.said() {
		if at := int(*s.ref) - 1; at >= 0 && at < len(texts) {
			*s.text = texts[at]
		}
		*s.ref = 0
	}
}

// MostRef is one more than the highest place among the texts of the run that the
// transcript uses; 0 when it uses none.
func (t *Transcript) MostRef() int { return int(t.refs) }

// AppendJSON appends the transcript as it stands in an envelope.
func (t *Transcript) AppendJSON(to []byte) []byte {
	to = append(strconv.AppendInt(append(to, `{"trial":`...), int64(t.Trial), 10), `,"turns":`...)
	if t.compressed.IsNothing() {
		return append(to, "[]}"...)
	}
	return append(t.appendTurns(to, true), '}')
}

// appendTurns appends the turns as JSON, with references to those of their texts that
// are shared, or with all texts.
func (t *Transcript) appendTurns(to []byte, refs bool) []byte {
	if len(t.long) == 0 {
		return t.compressed.AppendTo(to)
	}
	w := writers.Get().(*turnWriter)
	defer writers.Put(w)
	w.B = t.compressed.AppendTo(w.B[:0])
	from := uint32(0)
	for i := range t.long {
		l := &t.long[i]
		to = append(to, w.B[from:l.from]...)
		if from = l.to; refs && l.ref > 0 {
			to = ref(l.ref).appendTo(to)
		} else {
			to = l.appendTo(to, w.B)
		}
	}
	return append(to, w.B[from:]...)
}

// transcriptForm is the wire form of a transcript.
type transcriptForm struct {
	Trial int    `json:"trial"`
	Turns []Turn `json:"turns"`
}

var transcriptFields = []codec.Member[*transcriptForm]{
	codec.Always("trial", codec.Wholes[int](), func(t *transcriptForm) *int { return &t.Trial }),
	codec.Always("turns", codec.ListsOf(codec.Object(turnFields)), func(t *transcriptForm) *[]Turn { return &t.Turns }),
}

// TranscriptKind is how transcripts are written and read.
var TranscriptKind = codec.Kind[Transcript]{
	Write: func(w *codec.Writer, t *Transcript) { w.B = t.AppendJSON(w.B) },
	Read: func(p *codec.Parser, t *Transcript) {
		var form transcriptForm
		if codec.ReadObject(p, &form, transcriptFields); !p.Odd {
			*t = NewTranscript(form.Trial, form.Turns)
		}
	},
	None: func(*Transcript) bool { return false },
}

// MarshalJSON writes the transcript as AppendJSON does.
func (t Transcript) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Transcript) UnmarshalJSON(b []byte) error {
	var form transcriptForm
	if err := json.Unmarshal(b, &form); err != nil {
		return fmt.Errorf("transcripts: %w", err)
	}
	*t = NewTranscript(form.Trial, form.Turns)
	return nil
}

// Repeated keeps long texts once that come again in other transcripts, such as the prompts of a
// run: most of a conversation may be its prompt. Several goroutines may use it.
type Repeated struct {
	mu   sync.Mutex
	by   map[TextSum]*longText
	rest compress.Encoder // of what is kept of each
}

// mostRepeated is how many texts are remembered.
const mostRepeated = 1 << 14

// of is what is kept of the text, and whether it came before.
func (r *Repeated) of(text string) (t *longText, again bool) {
	sum := sumOf(text)
	if r == nil {
		return &longText{sum: sum}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t = r.by[sum]; t != nil {
		if t.said.Load() == nil {
			said := strings.Clone(text)
			t.said.Store(&said)
		}
		return t, true
	}
	if r.by == nil || len(r.by) == mostRepeated {
		r.by = map[TextSum]*longText{}
	}
	t = &longText{sum: sum}
	r.by[sum] = t
	return t, false
}

// encoder compresses transcripts.
func (r *Repeated) encoder() *compress.Encoder {
	if r == nil {
		return nil
	}
	return &r.rest
}

// turnWriter writes turns, and notes which of their texts are long.
type turnWriter struct {
	codec.Writer
	long     []long
	repeated *Repeated
}

// writers have memory to write turns in, which are compressed then.
var writers = sync.Pool{New: func() any {
	w := &turnWriter{}
	w.Long = w.say
	return w
}}

// say writes a long text, where it did not come before.
func (w *turnWriter) say(text string) {
	from := uint32(len(w.B))
	t, again := w.repeated.of(text)
	if !again {
		w.B = codec.AppendString(w.B, text)
	}
	w.long = append(w.long, long{longText: t, from: from, to: uint32(len(w.B))})
}
