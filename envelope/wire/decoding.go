package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// wireEnvelope is everything of an envelope but its tests, which are read one at a time.
type wireEnvelope struct {
	Schema   string             `json:"schema"`
	Type     string             `json:"type"`
	Run      envelope.RunHeader `json:"run"`
	Policy   envelope.Effective `json:"policy"`
	Summary  envelope.Summary   `json:"summary"`
	Metrics  []envelope.Metric  `json:"metrics"`
	Suites   []envelope.Suite   `json:"suites"`
	Steps    []envelope.Step    `json:"steps"`
	Texts    []string           `json:"texts"`
	Reasons  []envelope.Reason  `json:"reasons"`
	Gate     envelope.Gate      `json:"gate"`
	Problems []envelope.Problem `json:"problems"`
}

// decoding is one envelope while it is read. encoding/json reads it, but for the
// tests, which are nearly all of it: these are read by the parser, as long as it
// finds nothing unusual, in elements.go.
type decoding struct {
	in   window
	env  *envelope.Envelope
	wire wireEnvelope
	// before is how many tests were read before the list that is read.
	before int
	dec    *json.Decoder // of what is in the window, since it was made
	base   int64         // what to add to an offset of dec
}

// plainly starts to read by encoding/json what is not taken yet, as if it stood
// behind another text.
func (d *decoding) plainly(behind string) {
	d.dec = json.NewDecoder(io.MultiReader(strings.NewReader(behind), &view{window: &d.in}))
	d.base = d.in.at - int64(len(behind))
}

func (d *decoding) offset() int64 { return d.base + d.dec.InputOffset() }

// taken takes what dec has read.
func (d *decoding) taken() { d.in.take(d.offset() - d.in.at) }

func (d *decoding) failed(err error) error {
	offset := d.offset()
	if at := (*errorAt)(nil); errors.As(err, &at) {
		offset = at.offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends in the middle of the report")
	}
	return &DecodeError{Offset: offset, Err: err}
}

type errorAt struct {
	error
	offset int64
}

// Unwrap gives the error.
func (e *errorAt) Unwrap() error { return e.error }

// decode reads the next value. Its error of syntax is placed where the syntax is
// broken; encoding/json says no more than how much it has read of all values.
func (d *decoding) decode(into any) error {
	before := d.offset()
	err := d.dec.Decode(into)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return &errorAt{err, d.brokenAt(before)}
	}
	return err
}

// brokenAt is where the value that follows an offset is broken.
func (d *decoding) brokenAt(offset int64) int64 {
	text := d.in.b[max(0, offset-d.in.at):]
	value := bytes.TrimLeft(text, " \t\r\n")
	if len(value) > 0 && (value[0] == ',' || value[0] == ':') {
		value = value[1:]
	}
	offset += int64(len(text) - len(value))
	var raw json.RawMessage
	if syntax := (*json.SyntaxError)(nil); errors.As(json.Unmarshal(value, &raw), &syntax) {
		offset += max(0, syntax.Offset-1) // it counts the byte that is wrong
	}
	return offset
}

func summarise(e *envelope.Envelope, w *wireEnvelope) {
	e.Summary, e.Metrics, e.Suites, e.Gate, e.Problems = w.Summary, w.Metrics, w.Suites, w.Gate, w.Problems
}

func (d *decoding) expect(want json.Delim) error {
	token, err := d.dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("found %s where %v is expected", words.Quote(fmt.Sprint(token), 60), want)
	}
	return nil
}

// DecodeError says where in the input an envelope could not be read.
type DecodeError struct {
	Offset int64 // bytes from the start
	Err    error
}

// Error implements error.
func (e *DecodeError) Error() string { return fmt.Sprintf("envelope: at byte %d: %v", e.Offset, e.Err) }

// Unwrap gives the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

// window is the part of an input that was read and not taken yet. What could not
// be made sense of in one way can be looked at again in another.
type window struct {
	r     io.Reader
	b     []byte // not taken yet
	at    int64  // offset of b[0] in the input
	err   error  // that r ended with
	spare [][]byte
}

const readSize = 1 << 18

// more reads once. It reports whether there is more than before.
func (w *window) more() bool {
	had := len(w.b)
	if w.err == nil && cap(w.b)-had < readSize {
		w.b = append(w.memory(had+readSize), w.b...)
	}
	for len(w.b) == had && w.err == nil {
		var n int
		n, w.err = w.r.Read(w.b[had : had+readSize])
		w.b = w.b[:had+n]
	}
	return len(w.b) > had
}

// memory is room for n bytes and as much again.
func (w *window) memory(n int) []byte {
	if last := len(w.spare) - 1; last >= 0 && cap(w.spare[last]) >= n {
		b := w.spare[last]
		w.spare = w.spare[:last]
		return b[:0]
	}
	return make([]byte, 0, 2*n)
}

func (w *window) take(n int64) {
	w.b = w.b[n:]
	w.at += n
}

// cut takes n bytes as memory of their own, to be freed or restored.
func (w *window) cut(n int) []byte {
	part := w.b[:n]
	w.b = append(w.memory(len(w.b)-n+readSize), w.b[n:]...)
	w.at += int64(n)
	return part
}

// free takes memory to be used again.
func (w *window) free(part []byte) {
	if cap(part) <= 4*readSize {
		w.spare = append(w.spare, part)
	}
}

// restore gives back what was cut last, or the end of it.
func (w *window) restore(part []byte) {
	w.b = append(part[:len(part):len(part)], w.b...)
	w.at -= int64(len(part))
}

// view reads the window, and more of the input as it is needed, without taking anything.
type view struct {
	*window
	read int
}

// Read implements io.Reader.
func (v *view) Read(p []byte) (int, error) {
	if v.read == len(v.b) && !v.more() {
		return 0, v.err
	}
	n := copy(p, v.b[v.read:])
	v.read += n
	return n, nil
}

// longestText is how long a text of an envelope may be, as long as a line of any
// other input. Ours are cut to some KiB when they are written; without a bound, a
// small packed file asks for any amount of memory.
const longestText = 64 << 20

// longestRows is how far lists of numbers may go without any text, such as the
// durations of a hundred million trials.
const longestRows = 16 * longestText

// bounded stops reading when a text is too long. It only looks for quotes: what is between two of
// them is a text, or the numbers and brackets between two texts.
type bounded struct {
	r       io.Reader
	since   int64 // bytes behind the last quote
	escape  bool  // the last byte was a backslash that escapes the next
	letters bool  // among the bytes behind the last quote is one that no number has
	err     error
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.r.Read(p)
	b.see(p[:n])
	if most := b.most(); b.since > most {
		b.err = fmt.Errorf("a text is longer than %d MiB", most>>20)
		return n, b.err
	}
	return n, err
}

func (b *bounded) most() int64 {
	if b.letters {
		return longestText
	}
	return longestRows
}

// see looks at what was read: from its end, where the next quote is near.
func (b *bounded) see(p []byte) {
	if len(p) == 0 {
		return
	}
	rest := p
	if last := b.lastQuote(p); last >= 0 {
		rest = p[last+1:]
		b.since, b.letters = 0, false
	}
	b.since += int64(len(rest))
	b.letters = b.letters || len(bytes.Trim(rest, numberBytes)) > 0
	slashes := len(p) - len(bytes.TrimRight(p, `\`))
	b.escape = (slashes%2 == 1) != (b.escape && slashes == len(p))
}

// numberBytes are those of numbers, of what is around them, and of true, false and null.
const numberBytes = "0123456789+-.eE,:[]{} \t\r\ntruefalsn"

// lastQuote is where the last quote stands that is not escaped.
func (b *bounded) lastQuote(p []byte) int {
	for end := len(p); ; {
		at := bytes.LastIndexByte(p[:end], '"')
		if at < 0 {
			return -1
		}
		slashes := at - len(bytes.TrimRight(p[:at], `\`))
		if escaped := (slashes%2 == 1) != (b.escape && slashes == at); !escaped {
			return at
		}
		end = at
	}
}
