package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// plainDecode reads an envelope by encoding/json alone: what Decode is held
// against. It is slow, and as plain as it can be.
func plainDecode(text []byte) (*envelope.Envelope, error) {
	p := &plainReader{dec: json.NewDecoder(bytes.NewReader(text)), env: &envelope.Envelope{}}
	lines, err := p.first()
	if err == nil && lines {
		err = p.lines()
	}
	if err != nil {
		return nil, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text follows the end of the report: several reports need a file each")
	}
	return p.env, check(p.env)
}

type plainReader struct {
	dec *json.Decoder
	env *envelope.Envelope
}

func (p *plainReader) first() (lines bool, err error) {
	if err := p.expect('{'); err != nil {
		return false, err
	}
	var wire wireEnvelope
	fields := map[string]any{"schema": &wire.Schema, "type": &wire.Type, "run": &wire.Run, "policy": &wire.Policy, "summary": &wire.Summary,
		"metrics": &wire.Metrics, "suites": &wire.Suites, "steps": &wire.Steps, "texts": &wire.Texts, "gate": &wire.Gate, "problems": &wire.Problems}
	for p.dec.More() {
		key, err := p.dec.Token()
		if err != nil {
			return false, err
		}
		name, _ := key.(string)
		into, known := fields[name]
		if !known {
			into = new(json.RawMessage)
		}
		if name == "tests" {
			err = p.tests()
		} else if err = p.dec.Decode(into); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		if err != nil {
			return false, err
		}
	}
	if err := p.expect('}'); err != nil {
		return false, err
	}
	if wire.Schema != envelope.Schema {
		return false, fmt.Errorf("schema is %q; this version reads %q", wire.Schema, envelope.Schema)
	}
	p.env.Run, p.env.Policy, p.env.Steps, p.env.Texts = wire.Run, wire.Policy, wire.Steps, wire.Texts
	summarise(p.env, &wire)
	return wire.Type == lineHeader, nil
}

func (p *plainReader) tests() error {
	if err := p.expect('['); err != nil {
		return fmt.Errorf("tests: %w", err)
	}
	for p.dec.More() {
		if err := p.test(p.dec); err != nil {
			return err
		}
	}
	return p.expect(']')
}

func (p *plainReader) test(dec *json.Decoder) error {
	var t envelope.Test
	if err := dec.Decode(&t); err != nil {
		return fmt.Errorf("tests[%d]: %w", len(p.env.Tests), err)
	}
	if t.Key.Test == "" {
		return fmt.Errorf("tests[%d]: the test has no name", len(p.env.Tests))
	}
	if t.Rows == nil {
		t.Rows = new(envelope.Rows)
	}
	p.env.Tests = append(p.env.Tests, t)
	return nil
}

func (p *plainReader) lines() error {
	for {
		var raw json.RawMessage
		if err := p.dec.Decode(&raw); err != nil {
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
			if err := p.test(json.NewDecoder(bytes.NewReader(raw))); err != nil {
				return err
			}
		case lineSummary:
			if err := json.Unmarshal(raw, &line); err != nil {
				return fmt.Errorf("summary: %w", err)
			}
			summarise(p.env, &line)
			return nil
		default:
			return fmt.Errorf("a line of type %q is neither %s nor %s", line.Type, lineTest, lineSummary)
		}
	}
}

func (p *plainReader) expect(want json.Delim) error {
	token, err := p.dec.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("found %s where %v is expected", words.Quote(fmt.Sprint(token), 60), want)
	}
	return nil
}
