package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Decode reads one envelope in either wire form. Counted are its counts, which are to be judged
// again. The error is a *DecodeError.
func Decode(r io.Reader) (*envelope.Recorded, error) {
	d := &decoding{in: window{r: &bounded{r: r}}, env: &envelope.Envelope{}}
	if err := d.envelope(); err != nil {
		return nil, d.failed(err)
	}
	return &envelope.Recorded{Envelope: d.env}, nil
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
	d.env.Run, d.env.Policy, d.env.Steps, d.env.Texts, d.env.Reasons = d.wire.Run, d.wire.Policy, d.wire.Steps, d.wire.Texts, d.wire.Reasons
	summarise(d.env, &d.wire)
	return d.wire.Type == lineHeader, nil
}

func (d *decoding) field(key json.Token) error {
	w := &d.wire
	fields := map[string]any{"schema": &w.Schema, "type": &w.Type, "run": &w.Run, "policy": &w.Policy, "summary": &w.Summary,
		"metrics": &w.Metrics, "suites": &w.Suites, "steps": &w.Steps, "texts": &w.Texts, "reasons": &w.Reasons, "gate": &w.Gate,
		"problems": &w.Problems}
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

func (d *decoding) atEnd() error {
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more text follows the end of the report; if it is another report, put each into a file of its own")
	}
	return nil
}

// check looks at what no JSON type can say: that indexes lie in their lists, and that as
// much is here as the summary counts.
func check(env *envelope.Envelope) error {
	sources, shared, trials := len(env.Run.Sources), env.Run.SharedSources, 0
	for i, set := range shared {
		for _, s := range set {
			if s < 0 || s >= sources {
				return fmt.Errorf("run.shared_sources[%d]: there is no source %d", i, s)
			}
		}
	}
	for i := range env.Tests {
		t := &env.Tests[i]
		trials += t.Rows.Len()
		for row := range t.Rows.Source() {
			if s, ok := t.Rows.Source().At(row); ok && (s < 0 || int(s) >= max(1, sources+len(shared))) {
				return fmt.Errorf("tests[%d].rows.source: there is no source %d", i, s)
			}
		}
		for _, reason := range t.Rows.Reason() {
			if reason != envelope.Absent[int32]() && (reason < 0 || int(reason) >= len(env.Reasons)) {
				return fmt.Errorf("tests[%d].rows.reason: there is no reason %d", i, reason)
			}
		}
		if err := checkInside(env, t); err != nil {
			return fmt.Errorf("tests[%d].%w", i, err)
		}
		for _, d := range t.Details {
			if d.Trial < 0 || d.Trial >= t.Rows.Len() {
				return fmt.Errorf("tests[%d].details: there is no trial %d", i, d.Trial)
			}
		}
	}
	s := &env.Summary // a part of a report has none
	if s.Tests != 0 && s.Tests != len(env.Tests) || s.Trials.Total != 0 && s.Trials.Total != trials {
		return fmt.Errorf("its summary counts %s and %s, but it has %d and %d",
			words.Plural(s.Tests, "test", "tests"), words.Plural(s.Trials.Total, "trial", "trials"), len(env.Tests), trials)
	}
	return nil
}

// checkInside looks at what is inside of trials, and at the order of transcripts.
func checkInside(env *envelope.Envelope, t *envelope.Test) error {
	for _, place := range t.Rows.Steps().Places() {
		if int(place) >= len(env.Steps) {
			return fmt.Errorf("rows.steps: there is no step %d", place)
		}
	}
	last := -1
	for j := range t.Transcripts {
		tr := &t.Transcripts[j]
		if tr.Trial <= last || tr.Trial >= t.Rows.Len() {
			return fmt.Errorf("transcripts[%d]: there is no trial %d, or it is out of order", j, tr.Trial)
		}
		if last = tr.Trial; tr.MostRef() > len(env.Texts) {
			return fmt.Errorf("transcripts[%d]: there is no text %d", j, tr.MostRef()-1)
		}
	}
	return nil
}

// Counted is the part of an envelope that is not derived: what a Builder takes of it.
func Counted(env *envelope.Envelope) *envelope.Run {
	run := &envelope.Run{Header: env.Run, Steps: env.Steps, Texts: env.Texts, Reasons: env.Reasons,
		Tests: make([]envelope.Test, len(env.Tests))}
	for i := range env.Tests {
		t := &env.Tests[i]
		run.Tests[i] = envelope.Test{Key: t.Key, File: t.File, Line: t.Line, Owners: t.Owners, Labels: t.Labels, Varies: t.Varies,
			Rows: t.Rows, Details: t.Details, Transcripts: t.Transcripts,
			History: t.History, Endings: t.EndingsIn(&env.Run)}
	}
	run.Problems = slices.DeleteFunc(slices.Clone(env.Problems), func(p envelope.Problem) bool { return p.Stage != "" })
	return run
}
