// Package ndjson writes the two lossless reports: json, one document, and
// ndjson, a line per test between a header and a summary line.
//
// It exists so that the lossless forms are rows of the table of formats like
// every other report. The codec itself belongs to package wire, which must
// read back what it writes.
package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/compare"
	"tribunal/internal/each"
	"tribunal/internal/history/trend"
	"tribunal/internal/run/next"
	"tribunal/internal/verdict/parting"
)

// WriteDocument writes any other document, such as a plan, as indented JSON.
func WriteDocument[D any](w io.Writer, document *D) error { return writeValues(w, "  ", document) }

// writeValues writes JSON values, each on lines of its own. It escapes no HTML.
func writeValues[V any](w io.Writer, indent string, values ...V) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	for i := range values {
		if err := enc.Encode(values[i]); err != nil {
			return err
		}
	}
	_, err := w.Write(wire.DisarmJSON(text.Bytes()))
	return err
}

// Write writes the envelope as NDJSON.
func Write(w io.Writer, e *envelope.Envelope) error { return wire.EncodeNDJSON(w, e) }

// WriteJSON writes the envelope as one JSON document.
func WriteJSON(w io.Writer, e *envelope.Envelope) error { return wire.EncodeJSON(w, e) }

// WriteTrend writes a trend, which may be too large to be indented: its codec
// writes a line per run and per test.
func WriteTrend(w io.Writer, t *trend.Trend) error { return t.EncodeJSON(w) }

// WriteNext writes a line for each trial to run.
func WriteNext(w io.Writer, p *next.Plan) error { return writeValues(w, "", p.Trials...) }

// WriteArgs writes the words of the command of each trial, with a NUL behind each.
func WriteArgs(w io.Writer, p *next.Plan) error {
	var text bytes.Buffer
	for i := range p.Trials {
		if len(p.Trials[i].Argv) == 0 {
			return errors.New("args: the command is missing; put it after --, as in: " +
				"tribunal next run.json -f args -- ./agent-test {test} {run} {attempt}")
		}
		for _, word := range p.Trials[i].Argv {
			text.WriteString(word)
			text.WriteByte(0)
		}
	}
	_, err := w.Write(text.Bytes())
	return err
}

// WriteMatrix writes the include list of a GitHub matrix on one line, as an output
// of a step holds it.
func WriteMatrix(w io.Writer, p *next.Plan) error {
	const mostInMatrix = 256 // how many jobs GitHub makes of one matrix
	if len(p.Trials) > mostInMatrix {
		return errors.New("GitHub allows 256 jobs; give --batch 256 or less")
	}
	return writeValues(w, "", struct {
		Include []next.Trial `json:"include"`
	}{p.Trials})
}

type shownTest struct {
	envelope.Key
	Status  envelope.Status   `json:"status"`
	Counted int               `json:"counted"`
	Passed  int               `json:"passed"`
	Kept    []int             `json:"kept"` // trials with conversations
	Parting *envelope.Parting `json:"parting,omitempty"`
	Trials  []shownTrial      `json:"trials,omitempty"`
	Pairs   []shownPair       `json:"pairs,omitempty"`
}

type shownTrial struct {
	Trial   int             `json:"trial"` // row, 0-based
	Outcome string          `json:"outcome"`
	Truth   envelope.Status `json:"truth,omitempty"` // a person's label
	Turns   []envelope.Turn `json:"turns,omitempty"`
	Steps   []envelope.Step `json:"steps,omitempty"`
}

// shownPair is the place of a step among those of each trial; null where only the
// other made it.
type shownPair struct {
	First  *int `json:"first"`
	Second *int `json:"second"`
	Equal  bool `json:"equal,omitempty"`
}

// WriteShow writes what is to be read of a run as one JSON document: a test with
// the turns of its trials, or the list of tests.
func WriteShow(w io.Writer, s *parting.Shown) error {
	var document any
	if s.View != nil {
		document = shown(s.View)
	} else {
		list := struct {
			Tests []shownTest `json:"tests"`
		}{[]shownTest{}}
		for i := range s.Tests {
			list.Tests = append(list.Tests, about(&s.Tests[i]))
		}
		document = list
	}
	text, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(wire.DisarmJSON(append(text, '\n')))
	return err
}

func about(t *envelope.Test) shownTest {
	out := shownTest{Key: t.Key, Status: t.Status, Counted: t.Trials.Counted, Passed: t.Trials.Passed, Kept: []int{}, Parting: t.Parting}
	out.Kept = append(out.Kept, each.Of(t.Transcripts, func(kept envelope.Transcript) int { return kept.Trial })...)
	return out
}

func shown(v *parting.View) shownTest {
	out := about(v.Test)
	for i := range v.Sides {
		s := &v.Sides[i]
		trial := shownTrial{Trial: s.Trial, Outcome: string(rune(s.Outcome)), Truth: v.Test.Rows.Truth().At(s.Trial), Turns: s.Turns}
		if !s.Kept {
			trial.Steps = s.Steps()
		}
		out.Trials = append(out.Trials, trial)
	}
	out.Pairs = each.Of(v.Pairs, func(p parting.Pair) shownPair { return shownPair{place(p.First), place(p.Second), v.Equal(p)} })
	return out
}

func place(step int) *int {
	if step < 0 {
		return nil
	}
	return &step
}

// WriteComparison writes a comparison as one JSON document with a line per test
// (tribunal/comparison/v1).
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	out := wire.NewWriter(w, false)
	out.Text("{\"schema\":\"" + compare.Schema + "\"")
	out.Field(",\n ", "settings", c.Settings)
	if c.By != "" {
		out.Field(",\n ", "by", c.By)
	}
	out.Field(",\n ", "base", c.Base)
	out.Text(",\n \"contrasts\":[")
	for i := range c.Contrasts {
		out.Next(i, "")
		writeContrast(out, &c.Contrasts[i])
	}
	out.Text("]")
	out.Field(",\n ", "gate", c.Gate)
	writeList(out, "problems", c.Problems)
	out.Text("}\n")
	return out.Close()
}

func writeContrast(out *wire.Writer, c *compare.Contrast) {
	out.Field("\n {", "candidate", c.Candidate)
	out.Field(",\n ", "summary", c.Summary)
	out.Field(",\n ", "run", c.Run)
	writeList(out, "tests", c.Tests)
	writeList(out, "new", c.New)
	writeList(out, "gone", c.Gone)
	if len(c.Checks) > 0 {
		writeList(out, "checks", c.Checks)
	}
	if len(c.Tools) > 0 {
		writeList(out, "tools", c.Tools)
	}
	out.Text("}")
}

func writeList[T any](out *wire.Writer, name string, list []T) {
	out.Text(",\n \"" + name + "\":")
	wire.WriteList(out, "\n  ", list)
}
