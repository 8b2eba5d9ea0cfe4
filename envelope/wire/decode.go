package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/heap"
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
	Gate     envelope.Gate      `json:"gate"`
	Problems []envelope.Problem `json:"problems"`
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

// Decode reads one envelope in either wire form. It gives the counts, which are
// to be judged again, and what the envelope says was derived from them. The
// error is a *DecodeError.
func Decode(r io.Reader) (*envelope.Recorded, error) {
	d := &decoding{in: window{r: &bounded{r: r}}, env: &envelope.Envelope{}}
	if err := d.envelope(); err != nil {
		return nil, d.failed(err)
	}
	return &envelope.Recorded{Run: counted(d.env), Envelope: d.env}, nil
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

func (d *decoding) envelope() error {
	d.plainly("")
	lines, err := d.first()
	if err == nil && lines {
		err = d.lines()
	}
	if err == nil {
		err = d.atEnd()
	}
	if err == nil {
		err = check(d.env)
	}
	return err
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

// first reads the first object: the whole document, or the header line, in which
// case lines is true.
func (d *decoding) first() (lines bool, err error) {
	if err := d.expect('{'); err != nil {
		return false, err
	}
	for d.dec.More() {
		key, err := d.dec.Token()
		if err != nil {
			return false, err
		}
		if err := d.field(key); err != nil {
			return false, err
		}
	}
	if err := d.expect('}'); err != nil {
		return false, err
	}
	if d.wire.Schema != envelope.Schema {
		return false, fmt.Errorf("schema is %q; this version reads %q", d.wire.Schema, envelope.Schema)
	}
	d.env.Run, d.env.Policy = d.wire.Run, d.wire.Policy
	summarise(d.env, &d.wire)
	return d.wire.Type == lineHeader, nil
}

func summarise(e *envelope.Envelope, w *wireEnvelope) {
	e.Summary, e.Metrics, e.Suites, e.Gate, e.Problems = w.Summary, w.Metrics, w.Suites, w.Gate, w.Problems
}

func (d *decoding) field(key json.Token) error {
	w := &d.wire
	fields := map[string]any{"schema": &w.Schema, "type": &w.Type, "run": &w.Run, "policy": &w.Policy, "summary": &w.Summary,
		"metrics": &w.Metrics, "suites": &w.Suites, "gate": &w.Gate, "problems": &w.Problems}
	name, _ := key.(string)
	if name == "tests" {
		return d.tests()
	}
	into, known := fields[name]
	if !known {
		into = new(json.RawMessage) // a key of a later version
	}
	if err := d.decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (d *decoding) expect(want json.Delim) error {
	token, err := d.dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("found %.60q where %v is expected", fmt.Sprint(token), want)
	}
	return nil
}

func (d *decoding) atEnd() error {
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the end of the envelope")
	}
	return nil
}

// check looks at what no JSON type can say: that indexes lie in their lists.
func check(env *envelope.Envelope) error {
	sources, shared := len(env.Run.Sources), env.Run.SharedSources
	for i, set := range shared {
		for _, s := range set {
			if s < 0 || s >= sources {
				return fmt.Errorf("run.shared_sources[%d]: there is no source %d", i, s)
			}
		}
	}
	for i := range env.Tests {
		t := &env.Tests[i]
		for row := range t.Rows.Source {
			if s, ok := t.Rows.Source.At(row); ok && (s < 0 || int(s) >= max(1, sources+len(shared))) {
				return fmt.Errorf("tests[%d].rows.source: there is no source %d", i, s)
			}
		}
		for _, d := range t.Details {
			if d.Trial < 0 || d.Trial >= t.Rows.Len() {
				return fmt.Errorf("tests[%d].details: there is no trial %d", i, d.Trial)
			}
		}
	}
	return nil
}

// counted is the part of an envelope that is not derived.
func counted(env *envelope.Envelope) *envelope.Run {
	run := &envelope.Run{Header: env.Run, Tests: heap.Slice[envelope.Tally](len(env.Tests))}
	for i := range env.Tests {
		t := &env.Tests[i]
		run.Tests[i] = envelope.Tally{Key: t.Key, File: t.File, Line: t.Line, Labels: t.Labels, Varies: t.Varies, Rows: t.Rows, Details: t.Details, History: t.History,
			Endings: t.EndingsIn(&env.Run)}
	}
	run.Problems = slices.DeleteFunc(slices.Clone(env.Problems), func(p envelope.Problem) bool { return p.Stage != "" })
	return run
}
