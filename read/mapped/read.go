package mapped

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/read/internal/position"
)

// MaxLine is the longest line of an NDJSON input; longer ones are skipped whole.
const MaxLine = 64 << 20

// Read reads records by the mapping: CSV unless the input starts with { or [.
// What is wrong with a record is a problem in the sink; the error is that of r.
func (m Mapping) Read(r io.Reader, to envelope.Sink) error {
	in := bufio.NewReaderSize(r, 1<<16)
	first, err := firstByte(in)
	if err != nil {
		return err
	}
	s := &session{m: m, to: to, missed: make([]int, len(m.parts))}
	switch {
	case first == 0:
	case first == '[' || m.Records != "":
		err = s.document(in)
	case first == '{':
		err = s.lines(in)
	default:
		err = s.table(in)
	}
	s.close()
	return err
}

// firstByte is the first byte that is no blank, 0 for an empty input.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(b)) {
			return b, in.UnreadByte()
		}
	}
}

// session is one input on its way through a mapping.
type session struct {
	m       Mapping
	to      envelope.Sink
	records int
	missed  []int // line of the first record without the part's path, by part; -1 once it was met
}

func (s *session) problem(severity envelope.Severity, code string, line, column int, format string, args ...any) {
	s.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

// lines reads NDJSON.
func (s *session) lines(in *bufio.Reader) error {
	for line := 1; ; line++ {
		text, long, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		switch record := bytes.TrimSpace(text); {
		case long:
			s.problem(envelope.SeverityError, envelope.CodeLineTooLong, line, 1, "the line has more than %d bytes and is skipped whole", MaxLine)
		case len(record) == 0:
		case !gjson.ValidBytes(record) && errors.Is(err, io.EOF):
			s.problem(envelope.SeverityError, envelope.CodeTruncated, line, 1, "the last line ends in the middle of a record")
		case !gjson.ValidBytes(record):
			s.problem(envelope.SeverityError, envelope.CodeMalformed, line, 1, "the line is no JSON; a document over several lines needs --records .path (or a lone . for one array)")
		default:
			s.json(string(record), line, 1)
		}
		if err != nil {
			return nil
		}
	}
}

// readLine reads a line of any length and keeps at most MaxLine bytes of it.
func readLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		chunk, err := in.ReadSlice('\n')
		if long = long || len(line)+len(chunk) > MaxLine; !long {
			line = append(line, chunk...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// document reads the records of one JSON document, one at a time.
func (s *session) document(in io.Reader) error {
	places := position.NewReader(in)
	dec := json.NewDecoder(places)
	broken := func(err error) error {
		if places.Err() != nil {
			return places.Err()
		}
		line, column := places.At(dec.InputOffset())
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the document cannot be read further: %v", err)
		return nil
	}
	if err := descend(dec, s.m.Records); err != nil {
		return broken(err)
	}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return broken(err)
		}
		line, column := places.At(dec.InputOffset() - int64(len(raw)))
		s.json(string(raw), line, column)
	}
	if _, err := dec.Token(); err != nil {
		return broken(err)
	}
	return nil
}

// descend goes to the array at a dotted path and into it.
func descend(dec *json.Decoder, path string) error {
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		if err := enter(dec, name); err != nil {
			return fmt.Errorf("records at .%s: %w", path, err)
		}
	}
	token, err := dec.Token()
	if err == nil && token != json.Delim('[') {
		err = fmt.Errorf("an array of records is expected at .%s, found %.40q", path, fmt.Sprint(token))
	}
	return err
}

// enter goes to the value of a key of the object that comes next.
func enter(dec *json.Decoder, name string) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("there is no object with a key %q", name)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if key == name {
			return nil
		}
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return err
		}
	}
	return fmt.Errorf("there is no key %q", name)
}

// json maps one record of JSON.
func (s *session) json(record string, line, column int) {
	s.record(line, column, func(p part) (string, bool) {
		found := gjson.Get(record, p.path)
		return found.String(), found.Exists() && found.Type != gjson.Null
	})
}

// table reads CSV with a header.
func (s *session) table(in io.Reader) error {
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	header, err := r.Read()
	for err == nil {
		var row []string
		if row, err = r.Read(); err != nil {
			break
		}
		line, column := r.FieldPos(0)
		s.record(line, column, func(p part) (string, bool) {
			i := slices.Index(header, p.path)
			return at(row, i), at(row, i) != ""
		})
	}
	var syntax *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &syntax):
		s.problem(envelope.SeverityError, envelope.CodeMalformed, syntax.Line, syntax.Column, "the table cannot be read further: %v", syntax.Err)
		return nil
	}
	return err
}

func at(row []string, i int) string {
	if i < 0 || i >= len(row) {
		return ""
	}
	return row[i]
}

// record makes a trial of one record. A field that cannot be read is a problem;
// without a required one the record does not count.
func (s *session) record(line, column int, find func(part) (string, bool)) {
	s.records++
	var t envelope.Trial
	whole := true
	for i, p := range s.m.parts {
		text, ok := p.path, true
		if !p.literal {
			if text, ok = find(p); ok {
				s.missed[i] = -1
			} else if s.missed[i] == 0 {
				s.missed[i] = line
			}
		}
		if !ok {
			if p.field == "test" && !p.label {
				s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: nothing stands at %s, which is mapped to test", shown(p))
				whole = false
			}
			continue
		}
		whole = s.set(&t, p, value{text, p.scale}, line, column) && whole
	}
	if whole && t.Status == "" && !t.Score.OK && !t.Category.OK {
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: it has neither status nor score nor category at the paths given")
		whole = false
	}
	if whole {
		s.to.Trial(&t)
	}
}

func (s *session) set(t *envelope.Trial, p part, v value, line, column int) bool {
	if p.label {
		t.Labels = append(t.Labels, envelope.Label{Name: p.field, Value: v.text})
		return true
	}
	err := setters[p.field](t, v)
	if err == nil && p.field == "test" && v.text == "" {
		err = errors.New("a test needs a name")
	}
	switch {
	case err == nil:
		return true
	case required[p.field]:
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: %s at %s: %v", p.field, shown(p), err)
		return false
	}
	s.problem(envelope.SeverityError, envelope.CodeField, line, column, "the trial counts without %s: at %s, %v", p.field, shown(p), err)
	return true
}

func shown(p part) string { return "." + p.path }

// close says which paths matched nothing at all.
func (s *session) close() {
	for i, p := range s.m.parts {
		if s.records > 0 && s.missed[i] > 0 {
			s.problem(envelope.SeverityWarning, "unmatched-path", s.missed[i], 0, "nothing stands at %s (mapped to %s) in any of %d records, first missed on this line", shown(p), p.name(), s.records)
		}
	}
}
