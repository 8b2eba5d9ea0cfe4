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

// wireEnvelope is everything of an envelope but its tests, which are read one
// at a time.
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

// offset is where dec is in the input.
func (d *decoding) offset() int64 { return d.base + d.dec.InputOffset() }

// taken takes what dec has read.
func (d *decoding) taken() { d.in.take(d.offset() - d.in.at) }

func (d *decoding) failed(err error) error {
	offset := d.offset()
	if at := (*placed)(nil); errors.As(err, &at) {
		offset = at.offset
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the envelope ends too early: its summary is missing")
	}
	return &DecodeError{Offset: offset, Err: err}
}

// placed is an error at a place of its own.
type placed struct {
	error
	offset int64
}

// Unwrap gives the error.
func (e *placed) Unwrap() error { return e.error }

// decode reads the next value. Its error of syntax is placed where the syntax is
// broken; encoding/json says no more than how much it has read of all values.
func (d *decoding) decode(into any) error {
	before := d.offset()
	err := d.dec.Decode(into)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return &placed{err, d.brokenAt(before)}
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
