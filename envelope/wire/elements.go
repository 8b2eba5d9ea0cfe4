package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"tribunal/envelope"
	"tribunal/envelope/internal/codec"
	"tribunal/internal/parallel"
)

// few is how many tests the parser must have read at a stretch to be asked again
// right after the one it did not want.
const few = 16

func (d *decoding) tests() error {
	if err := d.expect('['); err != nil {
		return fmt.Errorf("tests: %w", err)
	}
	d.taken()
	d.before = len(d.env.Tests)
	return d.inTurns(parseElements, d.element)
}

// atFirst reports that no test of the list was read yet.
func (d *decoding) atFirst() bool { return len(d.env.Tests) == d.before }

// lines reads the lines after the header, up to the summary line.
func (d *decoding) lines() error {
	d.taken()
	return d.inTurns(parseLines, d.line)
}

// inTurns lets the parser read tests until it meets something it does not want,
// and encoding/json the next, which may be the end of all tests. The less the
// parser gets done, the longer it is not asked again.
func (d *decoding) inTurns(parse parseTests, plain func() (done bool, err error)) error {
	for turns := 1; ; turns *= 2 {
		had := len(d.env.Tests)
		d.quickly(parse)
		if len(d.env.Tests)-had >= few {
			turns = 1
		}
		for range turns {
			if done, err := plain(); done || err != nil {
				return err
			}
			d.taken()
		}
	}
}

// element reads one test by encoding/json, or finds the end of the list.
func (d *decoding) element() (done bool, err error) {
	if err := d.withinTests(); err != nil {
		return false, err
	}
	if !d.dec.More() {
		return true, d.expect(']')
	}
	var raw json.RawMessage
	if err := d.decode(&raw); err != nil {
		return false, fmt.Errorf("tests[%d]: %w", len(d.env.Tests), err)
	}
	return false, d.test(raw)
}

// withinTests brings encoding/json to where it is asked for the next test.
func (d *decoding) withinTests() error {
	if d.atFirst() {
		d.plainly(`{"tests":[`)
	} else {
		d.plainly(`{"tests":[{}`)
	}
	for range 3 {
		if _, err := d.dec.Token(); err != nil {
			return err
		}
	}
	if d.atFirst() {
		return nil
	}
	return d.dec.Decode(new(json.RawMessage))
}

// test reads a test of which it is known that it is JSON.
func (d *decoding) test(raw []byte) error {
	t := envelope.Test{Rows: new(envelope.Rows), Verdict: new(envelope.Verdict)}
	p := newTestParser(raw, new(envelope.DecodeState))
	if codec.ReadObject(p, reflect.ValueOf(&t).Elem(), testFields()); p.Odd {
		t = envelope.Test{}
		if err := json.Unmarshal(raw, &t); err != nil {
			return fmt.Errorf("tests[%d]: %w", len(d.env.Tests), err)
		}
		if t.Rows == nil {
			t.Rows = new(envelope.Rows)
		}
		t.Verdict = cmp.Or(t.Verdict, new(envelope.Verdict))
	}
	if t.Key.Test == "" {
		return fmt.Errorf("tests[%d]: the test has no name", len(d.env.Tests))
	}
	d.env.Tests = append(d.env.Tests, t)
	return nil
}

// line reads one line by encoding/json: a test, or the summary, which is the last.
func (d *decoding) line() (done bool, err error) {
	d.plainly("")
	var raw json.RawMessage
	if err := d.decode(&raw); err != nil {
		return false, err
	}
	var line wireEnvelope
	if err := json.Unmarshal(raw, &struct {
		Type *string `json:"type"`
	}{&line.Type}); err != nil {
		return false, err
	}
	switch line.Type {
	case lineTest:
		return false, d.test(raw)
	case lineSummary:
		if err := json.Unmarshal(raw, &line); err != nil {
			return false, fmt.Errorf("summary: %w", err)
		}
		summarise(d.env, &line)
		return true, nil
	}
	return false, fmt.Errorf("a line of type %q is neither %s nor %s", line.Type, lineTest, lineSummary)
}

// parseTests reads tests as long as there is nothing unusual and says behind
// which byte it stopped. first says that no test stands before the text.
type parseTests func(text []byte, first bool) (tests []envelope.Test, end int)

func parseElements(text []byte, first bool) (tests []envelope.Test, end int) {
	return parse(text, testFields(), func(p *codec.Parser) bool {
		if !first {
			p.Expect(',')
		}
		first = false
		return p.Peek() == '{'
	})
}

// lineStart is how the line of a test starts. In any other form it is read by encoding/json.
const lineStart = `{"type":"` + lineTest + `",`

var lineFields = sync.OnceValue(func() []codec.Member[reflect.Value] {
	return append([]codec.Member[reflect.Value]{{
		Key: `"type":`, Read: func(p *codec.Parser, _ reflect.Value) { p.Odd = p.Term() != lineTest || p.Odd },
	}}, testFields()...)
})

func parseLines(text []byte, _ bool) (tests []envelope.Test, end int) {
	return parse(text, lineFields(), func(p *codec.Parser) bool {
		p.Peek()
		return bytes.HasPrefix(p.B[p.At:], []byte(lineStart))
	})
}

func parse(text []byte, fields []codec.Member[reflect.Value], another func(*codec.Parser) bool) (tests []envelope.Test, end int) {
	shared := decodeStates.Get().(*envelope.DecodeState)
	defer decodeStates.Put(shared)
	p := newTestParser(text, shared)
	tests = (*partOfTests.Get().(*[]envelope.Test))[:0]
	var verdict envelope.Verdict
	for !p.Ended() {
		if !another(p) || p.Odd {
			return tests, end
		}
		verdict = envelope.Verdict{}
		tests = append(tests, envelope.Test{Rows: new(envelope.Rows), Verdict: &verdict})
		t := &tests[len(tests)-1]
		if codec.ReadObject(p, reflect.ValueOf(t).Elem(), fields); p.Odd || t.Key.Test == "" {
			return tests[:len(tests)-1], end
		}
		t.Verdict = shared.Verdicts.Own(&verdict)
		end = p.At
	}
	return tests, len(text)
}

var partOfTests = sync.Pool{New: func() any { return new([]envelope.Test) }}

// decodeStates are what the tests of a part share, one part after the other.
var decodeStates = sync.Pool{New: func() any { return new(envelope.DecodeState) }}

// errUnusual ends a stretch of tests that the parser read.
var errUnusual = errors.New("something that the parser does not want to judge")

// quickly reads tests in parts, several at a time, until one is not read to its
// end; what follows is left in the window.
func (d *decoding) quickly(parse parseTests) {
	type part struct {
		text  []byte
		first bool
	}
	type result struct {
		tests []envelope.Test
		end   int
	}
	var under [][]byte // the parts that are read, in order
	first := d.atFirst()
	next := func() (part, bool) {
		text := d.in.lines()
		if len(text) == 0 {
			return part{}, false
		}
		under = append(under, text)
		p := part{text, first}
		first = false
		return p, true
	}
	work := func(p part) (r result) {
		r.tests, r.end = parse(p.text, p.first)
		return r
	}
	_ = parallel.Stream(next, work, func(r result) error {
		text := under[0]
		d.add(r.tests)
		if r.end < len(text) {
			under[0] = text[r.end:]
			return errUnusual
		}
		under = under[1:]
		d.in.free(text)
		return nil
	})
	for _, text := range slices.Backward(under) {
		d.in.restore(text)
	}
}

// add keeps tests. The list grows twofold, or to what the summary says where it comes before the
// tests. It may say anything, so it is believed up to some times what is there.
func (d *decoding) add(tests []envelope.Test) {
	all := &d.env.Tests
	if need := len(*all) + len(tests); need > cap(*all) {
		const some, times = 1 << 12, 8
		room := max(need, 2*cap(*all), some)
		if said := d.wire.Summary.Tests; said >= need && said <= max(room, times*need) {
			room = said
		}
		*all = append(make([]envelope.Test, 0, room), *all...)
	}
	*all = append(*all, tests...)
	clear(tests)
	partOfTests.Put(&tests)
}

// lines cuts a part of whole lines, the last of which may lack its comma: that is the beginning of
// the next part. Without line ends it is cut anywhere. It is empty at the end of the input.
func (w *window) lines() []byte {
	for searched := 0; ; searched = len(w.b) {
		for len(w.b) < searched+readSize && w.more() {
		}
		const longestLine = 1 << 24 // how far a line end is looked for
		if w.err != nil || searched > longestLine {
			return w.cut(len(w.b))
		}
		end := bytes.LastIndexByte(w.b[searched:], '\n') + searched
		if end > searched && w.b[end-1] == ',' {
			end--
		}
		if end > searched {
			return w.cut(end)
		}
	}
}
