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
	compressed compress.Text // the turns as JSON, without shared texts
	refs       ref           // the highest of its references to texts of the run
	spans      []longSpan    // its long texts, in order
}

// NewTranscript packs the turns of a trial.
func NewTranscript(trial int, turns []Turn) Transcript {
	return (*Repeated)(nil).Transcript(trial, turns)
}

// Transcript is NewTranscript, and stores long texts of earlier transcripts only once.
func (r *Repeated) Transcript(trial int, turns []Turn) Transcript {
	turns = validTurns(turns)
	w := writers.Get().(*turnWriter)
	defer writers.Put(w)
	w.B, w.spans, w.repeated = w.B[:0], w.spans[:0], r
	w.List('[', len(turns), func(i int) { codec.WriteObject(&w.Writer, &turns[i], turnFields) })
	t := Transcript{Trial: trial, compressed: r.encoder().Encode(w.B), spans: slices.Clone(w.spans)}
	for i := range turns {
		for _, s := range turns[i].sharableTexts() {
			t.refs = max(t.refs, *s.ref)
		}
	}
	return t
}

// Turns returns the turns, with the texts of the run in place of references.
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

// Resolved returns the transcript with the texts of its run in place of references.
func (t *Transcript) Resolved(texts []string) Transcript {
	if t.refs == 0 {
		return *t
	}
	return NewTranscript(t.Trial, t.Turns(texts))
}

// Compare orders transcripts by their content. The order has no meaning.
func (t *Transcript) Compare(o *Transcript) int {
	return bytes.Compare(t.appendTurns(nil, false), o.appendTurns(nil, false))
}

// resolve replaces references with texts of the run. One out of range, which reading
// rejects, leaves no text.
func (t *Turn) resolve(texts []string) {
	for _, s := range t.sharableTexts() {
		if at := int(*s.ref) - 1; at >= 0 && at < len(texts) {
			*s.text = texts[at]
		}
		*s.ref = 0
	}
}

// MostRef is one more than the highest place among the texts of the run that the
// transcript uses; 0 when it uses none.
func (t *Transcript) MostRef() int { return int(t.refs) }

// AppendJSON appends the JSON of the transcript in an envelope.
func (t *Transcript) AppendJSON(to []byte) []byte {
	to = append(strconv.AppendInt(append(to, `{"trial":`...), int64(t.Trial), 10), `,"turns":`...)
	if t.compressed.IsNothing() {
		return append(to, "[]}"...)
	}
	return append(t.appendTurns(to, true), '}')
}

// appendTurns appends the turns as JSON, with references to shared texts or with all
// texts.
func (t *Transcript) appendTurns(to []byte, refs bool) []byte {
	if len(t.spans) == 0 {
		return t.compressed.AppendTo(to)
	}
	w := writers.Get().(*turnWriter)
	defer writers.Put(w)
	w.B = t.compressed.AppendTo(w.B[:0])
	from := uint32(0)
	for i := range t.spans {
		l := &t.spans[i]
		to = append(to, w.B[from:l.from]...)
		if from = l.to; refs && l.ref > 0 {
			to = ref(l.ref).appendTo(to)
		} else {
			to = l.appendTo(to, w.B)
		}
	}
	return append(to, w.B[from:]...)
}

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

// Repeated stores long texts that several transcripts share only once, such as prompts, which
// may be most of a conversation. Several goroutines may use it.
type Repeated struct {
	mu   sync.Mutex
	by   map[TextSum]*longText
	rest compress.Encoder // of the rest of each transcript
}

// mostRepeated is how many texts are remembered.
const mostRepeated = 1 << 14

// of returns the shared text, and whether an earlier transcript has it.
func (r *Repeated) of(text string) (t *longText, again bool) {
	sum := sumOf(text)
	if r == nil {
		return &longText{sum: sum}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t = r.by[sum]; t != nil {
		if t.content.Load() == nil {
			content := strings.Clone(text)
			t.content.Store(&content)
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

func (r *Repeated) encoder() *compress.Encoder {
	if r == nil {
		return nil
	}
	return &r.rest
}

// turnWriter writes turns, and notes the places of long texts.
type turnWriter struct {
	codec.Writer
	spans    []longSpan
	repeated *Repeated
}

// writers reuses the buffers of turns that are then compressed.
var writers = sync.Pool{New: func() any {
	w := &turnWriter{}
	w.Long = w.writeLong
	return w
}}

// writeLong writes a long text, unless an earlier transcript has it.
func (w *turnWriter) writeLong(text string) {
	from := uint32(len(w.B))
	t, again := w.repeated.of(text)
	if !again {
		w.B = codec.AppendString(w.B, text)
	}
	w.spans = append(w.spans, longSpan{longText: t, from: from, to: uint32(len(w.B))})
}
