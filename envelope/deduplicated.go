package envelope

import (
	"strings"
	"sync"

	"tribunal/envelope/internal/codec"
	"tribunal/envelope/internal/pack"
)

// Repeated keeps long texts once that come again in other transcripts, such as the
// prompts of a run: most of a conversation may be its prompt. Several goroutines may
// use it.
type Repeated struct {
	mu   sync.Mutex
	by   map[TextSum]*longText
	rest pack.Packer // of what is kept of each
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

// packer packs what is kept of each transcript.
func (r *Repeated) packer() *pack.Packer {
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

// writers have memory to write turns in, which is packed then.
var writers = sync.Pool{New: func() any {
	w := &turnWriter{}
	w.Long = w.say
	return w
}}

func (w *turnWriter) reset(r *Repeated) { w.B, w.long, w.repeated = w.B[:0], w.long[:0], r }

// say writes a long text, where it did not come before.
func (w *turnWriter) say(text string) {
	from := uint32(len(w.B))
	t, again := w.repeated.of(text)
	if !again {
		w.B = codec.AppendString(w.B, text)
	}
	w.long = append(w.long, long{longText: t, from: from, to: uint32(len(w.B))})
}
