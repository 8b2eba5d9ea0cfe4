package envelope

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// wireEnvelope is everything of an envelope but its tests, which are read one
// at a time.
type wireEnvelope struct {
	Schema   string    `json:"schema"`
	Type     string    `json:"type"`
	Run      RunHeader `json:"run"`
	Policy   Policy    `json:"policy"`
	Summary  Summary   `json:"summary"`
	Metrics  []Metric  `json:"metrics"`
	Suites   []Suite   `json:"suites"`
	Gate     Gate      `json:"gate"`
	Problems []Problem `json:"problems"`
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
func Decode(r io.Reader) (*Recorded, error) {
	dec := json.NewDecoder(bufio.NewReaderSize(r, 1<<16))
	env := &Envelope{}
	lines, err := decodeFirst(dec, env)
	if err == nil && lines {
		err = decodeLines(dec, env)
	}
	if err == nil {
		err = atEnd(dec)
	}
	if err == nil {
		err = check(env)
	}
	if err != nil {
		return nil, decodeError(dec, err)
	}
	return &Recorded{Run: counted(env), Envelope: env}, nil
}

func decodeError(dec *json.Decoder, err error) error {
	offset := dec.InputOffset()
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		offset = max(syntax.Offset, offset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the envelope ends too early: its summary is missing")
	}
	return &DecodeError{Offset: offset, Err: err}
}

// decodeFirst reads the first object: the whole document, or the header line,
// in which case lines is true.
func decodeFirst(dec *json.Decoder, env *Envelope) (lines bool, err error) {
	if err := expect(dec, '{'); err != nil {
		return false, err
	}
	wire := wireEnvelope{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return false, err
		}
		if err := decodeField(dec, key, &wire, env); err != nil {
			return false, err
		}
	}
	if err := expect(dec, '}'); err != nil {
		return false, err
	}
	if wire.Schema != Schema {
		return false, fmt.Errorf("schema is %q; this version reads %q", wire.Schema, Schema)
	}
	env.Run, env.Policy = wire.Run, wire.Policy
	env.summarise(&wire)
	return wire.Type == lineHeader, nil
}

func (e *Envelope) summarise(w *wireEnvelope) {
	e.Summary, e.Metrics, e.Suites, e.Gate, e.Problems = w.Summary, w.Metrics, w.Suites, w.Gate, w.Problems
}

func decodeField(dec *json.Decoder, key json.Token, wire *wireEnvelope, env *Envelope) error {
	fields := map[string]any{"schema": &wire.Schema, "type": &wire.Type, "run": &wire.Run, "policy": &wire.Policy, "summary": &wire.Summary,
		"metrics": &wire.Metrics, "suites": &wire.Suites, "gate": &wire.Gate, "problems": &wire.Problems}
	name, _ := key.(string)
	if name == "tests" {
		return decodeTests(dec, env)
	}
	into, known := fields[name]
	if !known {
		into = new(json.RawMessage) // a key of a later version
	}
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func decodeTests(dec *json.Decoder, env *Envelope) error {
	if err := expect(dec, '['); err != nil {
		return fmt.Errorf("tests: %w", err)
	}
	for dec.More() {
		if err := decodeTest(dec, env); err != nil {
			return err
		}
	}
	return expect(dec, ']')
}

func decodeTest(dec *json.Decoder, env *Envelope) error {
	var t Test
	if err := dec.Decode(&t); err != nil {
		return fmt.Errorf("tests[%d]: %w", len(env.Tests), err)
	}
	if t.Key.Test == "" {
		return fmt.Errorf("tests[%d]: the test has no name", len(env.Tests))
	}
	env.Tests = append(env.Tests, t)
	return nil
}

// decodeLines reads the lines after the header, up to the summary line.
func decodeLines(dec *json.Decoder, env *Envelope) error {
	for {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		var line wireEnvelope
		if err := json.Unmarshal(raw, &struct {
			Type *string `json:"type"`
		}{&line.Type}); err != nil {
			return err
		}
		switch line.Type {
		case lineTest:
			if err := decodeTest(json.NewDecoder(bytes.NewReader(raw)), env); err != nil {
				return err
			}
		case lineSummary:
			if err := json.Unmarshal(raw, &line); err != nil {
				return fmt.Errorf("summary: %w", err)
			}
			env.summarise(&line)
			return nil
		default:
			return fmt.Errorf("a line of type %q between header and summary; known: %s, %s", line.Type, lineTest, lineSummary)
		}
	}
}

func expect(dec *json.Decoder, want json.Delim) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("found %.60q where %v is expected", fmt.Sprint(token), want)
	}
	return nil
}

func atEnd(dec *json.Decoder) error {
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the end of the envelope")
	}
	return nil
}

// check looks at what no JSON type can say: that indexes lie in their lists.
func check(env *Envelope) error {
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
		for _, s := range t.Rows.Source.Values() {
			if s < 0 || int(s) >= max(1, sources+len(shared)) {
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
func counted(env *Envelope) *Run {
	run := &Run{Header: env.Run, Policies: []Policy{env.Policy}, Tests: make([]Tally, len(env.Tests))}
	for i := range env.Tests {
		t := &env.Tests[i]
		run.Tests[i] = Tally{Key: t.Key, File: t.File, Line: t.Line, Labels: t.Labels, Varies: t.Varies, Rows: t.Rows, Details: t.Details}
	}
	run.Problems = slices.DeleteFunc(slices.Clone(env.Problems), func(p Problem) bool { return p.Stage != "" })
	return run
}
