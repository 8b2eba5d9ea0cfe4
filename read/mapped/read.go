package mapped

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/chunks"
	"tribunal/read/internal/jsonwalk"
)

// MaxLine is the longest line of an NDJSON input; longer ones are skipped whole.
const MaxLine = 64 << 20

// Read reads records by the mapping: CSV unless the input starts with {, [ or <.
// What is wrong with a record is a problem in the sink; the error is that of r.
func (m Mapping) Read(r io.Reader, to envelope.Sink) error {
	in := bufio.NewReaderSize(r, 1<<16)
	first, err := firstByte(in)
	if err != nil {
		return err
	}
	s := &session{m: m, to: to, missed: make([]int, len(m.parts)), scored: m.has("checks"), members: map[string]gjson.Result{}}
	for _, p := range m.parts {
		for _, t := range slices.Concat(p.sources...) {
			if t.head != "" {
				s.members[t.head] = gjson.Result{}
			}
		}
	}
	switch {
	case first == 0:
	case first == '<':
		err = s.markup(in)
	case first == '{' && isSplit(in, m.Records):
		err = s.split(in)
	case strings.Contains(m.Records, "[]") && (!m.loose || first == '{' && leadsTo(in, m.Records)):
		err = s.nested(in, first)
	case m.loose && first == '[':
		err = s.document(in, "")
	case (m.loose || m.Records == "" && strings.TrimSpace(firstLine(in)) == "{") && first == '{' && !leadsTo(in, m.Records):
		err = jsonwalk.Documents(in, s.to, func(v jsonwalk.Value) {
			line, column := v.Place()
			s.json(gjson.ParseBytes(v.Raw()), line, column)
		})
	case first == '[' || m.Records != "" && first == '{':
		err = s.document(in, m.Records)
	case first == '{':
		err = s.lines(in)
	default:
		err = s.table(in)
	}
	s.close(m.Records == "" && (first == '{' || first == '<'))
	return err
}

// firstByte is the first byte that is no blank, 0 for an empty input.
func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		case !strings.ContainsRune(" \t\r\n", rune(b)):
			return b, in.UnreadByte()
		}
	}
}

// session is one input on its way through a mapping.
type session struct {
	m       Mapping
	to      envelope.Sink
	records int
	others  int                     // records that are none by the mapping
	scored  bool                    // checks are mapped: a trial without any outcome is one that nobody scored
	members map[string]gjson.Result // of the record that is read, those that paths begin with
	missed  []int                   // line of the first record without the part's path, by part; -1 once it was met
}

func (s *session) problem(severity envelope.Severity, code string, line, column int, format string, args ...any) {
	s.to.Problem(envelope.Problem{Severity: severity, Code: code, Line: line, Column: column, Message: fmt.Sprintf(format, args...)})
}

func (s *session) lines(in io.Reader) error {
	return chunks.Lines(in, chunks.Size, MaxLine, func(l chunks.Line) {
		switch record := bytes.TrimSpace(l.Text); {
		case l.TooLong:
			s.problem(envelope.SeverityError, envelope.CodeLineTooLong, l.Number, 1,
				"the line has more than %d MiB and is skipped whole: write shorter texts into it", MaxLine>>20)
		case len(record) == 0, l.Broken:
		case gjson.ValidBytes(record):
			if err := jsonwalk.SyntaxError(record); err != nil {
				s.problem(envelope.SeverityError, envelope.CodeMalformed, l.Number, 1, "the record is not counted: %v", err)
				return
			}
			s.json(gjson.ParseBytes(record), l.Number, 1)
		case !l.Ended:
			s.problem(envelope.SeverityError, envelope.CodeTruncated, l.Number, 1, "the last line is not JSON: get the whole file, or run again")
		default:
			s.problem(envelope.SeverityError, envelope.CodeMalformed, l.Number, 1,
				"the line is not JSON; if the document has several lines, name its array with --records .path, or write it on one line (jq -c .)")
		}
	})
}

// document reads the records of JSON documents, one at a time: those in the array at a dotted path.
func (s *session) document(in io.Reader, records string) error {
	names := strings.FieldsFunc(records, func(r rune) bool { return r == '.' })
	return jsonwalk.Strict(in, s.to, func(t *jsonwalk.Text) (err error) {
		for err == nil && t.Next() != 0 {
			err = s.array(t, names)
		}
		return err
	})
}

func (s *session) array(t *jsonwalk.Text, names []string) error {
	if len(names) == 0 {
		return t.Array(func() error {
			v, err := t.Kept()
			if v.There() {
				line, column := v.Place()
				s.json(gjson.ParseBytes(v.Raw()), line, column)
			}
			return err
		})
	}
	is, found := t.Next() == '{', false
	line, column := t.Place()
	err := t.Object(func(key string) error {
		if key != names[0] || found {
			return nil
		}
		found = true
		return s.array(t, names[1:])
	})
	if err == nil && is && !found {
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column,
			"no record is read: this object has no key %q, which is in the path of the records; if it is a record, leave out --records", names[0])
	}
	return err
}

// leadsTo reports whether an object has the member that a path begins with, as far as can be seen.
func leadsTo(in *bufio.Reader, path string) bool {
	head, _ := in.Peek(1 << 16) // what there is
	name, _, _ := strings.Cut(strings.ReplaceAll(path, "[]", "."), ".")
	keys, _ := jsonwalk.Keys(head)
	return path != "" && keys.Has(name)
}

// json maps one record of JSON. Below ^ is what is around it, the nearest last.
func (s *session) json(record gjson.Result, line, column int, around ...gjson.Result) {
	if !s.holds("[" + record.Raw + "]") {
		return
	}
	for name := range s.members {
		s.members[name] = gjson.Result{}
	}
	record.ForEach(func(name, v gjson.Result) bool {
		if _, wanted := s.members[name.Str]; wanted {
			s.members[name.Str] = v
		}
		return true
	})
	s.record(line, column, func(t term) (gjson.Result, string) {
		found, path := record, t.path
		for n := len(around); n > 0 && path != "" && path[0] == '^'; n-- {
			found, path = around[n-1], cutDot(path[1:])
		}
		switch {
		case path == "":
			return found, lastName(t.path)
		case path != t.path:
			return found.Get(path), lastName(path)
		case t.head == "":
			return record.Get(path), ""
		}
		found = s.members[t.head]
		if t.rest != "" && found.Exists() {
			return found.Get(t.rest), lastName(t.path)
		}
		return found, lastName(t.path)
	})
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// holds reports whether a record is one of those that the mapping is for; it stands in an array of its own.
func (s *session) holds(listed string) bool {
	met := func(query string) bool { return gjson.Get(listed, "#("+query+")").Exists() }
	if len(s.m.where) == 0 || slices.ContainsFunc(s.m.where, met) {
		return true
	}
	s.others++
	return false
}

// finder returns the value at a path of a record and its name, and type Null if there is none.
type finder func(term) (found gjson.Result, name string)

// value is the value of the first source of a part that has one.
func (p part) value(find finder) (value, bool) {
	if p.literal {
		return value{text: p.from, scale: 1, found: gjson.Result{Type: gjson.String, Str: p.from, Raw: p.from}}, true
	}
	for _, s := range p.sources {
		of := s.value
		if p.field == "checks" && !p.label {
			of = s.all
		}
		if v, ok := of(find); ok {
			return v, true
		}
	}
	return value{}, false
}

// all is the value at the path, or an object with the values at several paths, by name: scores in members or columns
// of their own. A score that could not be measured is an error: the others alone do not show that the trial passed.
func (s source) all(find finder) (value, bool) {
	if len(s) == 1 {
		return s.value(find)
	}
	var b []byte
	some := false
	for _, t := range s {
		found, _ := find(t)
		if !found.Exists() {
			continue
		}
		b = gjson.AppendJSONString(append(b, ','), lastName(t.path))
		b = append(b, ':')
		switch {
		case isUnmeasured(found):
			b = append(b, `{"error":"not measured"}`...)
			continue
		case found.Type == gjson.String:
			b = gjson.AppendJSONString(b, found.Str)
		default:
			b = append(b, found.Raw...)
		}
		some = true
	}
	if !some {
		return value{}, false
	}
	b[0] = '{'
	text := string(append(b, '}'))
	return value{text: text, found: gjson.Parse(text), scale: 1}, true
}

// isUnmeasured reports whether a member or a column is there and says nothing, as pandas writes a number that is none.
func isUnmeasured(v gjson.Result) bool {
	return v.Type == gjson.Null || v.Type == gjson.String && (v.Str == "" || strings.EqualFold(v.Str, "nan"))
}

// value is the value at the path, or the sum of the values at several paths.
func (s source) value(find finder) (value, bool) {
	if len(s) == 1 {
		found, name := find(s[0])
		return value{text: found.String(), found: found, name: name, scale: s[0].scale}, found.Type != gjson.Null
	}
	sum, some := 0.0, false
	for _, t := range s {
		found, _ := find(t)
		if n, err := (value{text: found.String(), scale: t.scale}).parseFloat(); err == nil {
			sum, some = sum+n, true
		}
	}
	return value{text: strconv.FormatFloat(sum, 'f', -1, 64), scale: 1}, some
}

// record makes a trial of one record. A field that cannot be read is a problem;
// without a required one the record does not count.
func (s *session) record(line, column int, find finder) {
	s.records++
	var t envelope.Trial
	whole := true
	for i, p := range s.m.parts {
		v, ok := p.value(find)
		if !p.literal && ok {
			s.missed[i] = -1
		} else if !ok && s.missed[i] == 0 {
			s.missed[i] = line
		}
		if !ok {
			if p.field == "test" && !p.label {
				s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column,
					"the record is not counted: %s, which is mapped to test, has no value", p.from)
				whole = false
			}
			continue
		}
		whole = s.set(&t, p, v, line, column) && whole
	}
	if whole && s.decide(&t, line, column) {
		s.to.Trial(&t)
	}
}

func (s *session) decide(t *envelope.Trial, line, column int) bool {
	var err error
	if s.scored {
		err = decide(t, s.m.Scorer)
	} else if t.Status == "" && !t.Score.OK && !t.Category.OK {
		err = errors.New("it has neither status nor score nor category at the paths given")
	}
	if err != nil {
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: %v", err)
	}
	return err == nil
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
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: %s at %s: %v", p.field, p.from, err)
		return false
	}
	s.problem(envelope.SeverityError, envelope.CodeField, line, column, "the record is read without %s: at %s, %v", p.field, p.from, err)
	return true
}

// close says which paths matched nothing at all, and how many records were none of
// those that are trials. whole is a document without a path to records.
func (s *session) close(whole bool) {
	if s.others > 0 && !s.m.quiet {
		s.problem(envelope.SeverityInfo, codeOthers, 1, 1, "Tribunal skips %s: where=%s is not true", words.Plural(s.others, "record", "records"),
			strings.Join(s.m.where, " || "))
	} else if s.others > 0 && s.records == 0 {
		s.problem(envelope.SeverityError, codeOthers, 1, 1,
			"the mapping @%s finds no trial in %s: where=%s is never true; name the mapping of the platform that wrote this file",
			s.m.name, words.Plural(s.others, "record", "records"), strings.Join(s.m.where, " || "))
	}
	for i, p := range s.m.parts {
		if s.records > 0 && s.missed[i] > 0 && !s.m.quiet {
			s.problem(envelope.SeverityWarning, "unmatched-path", s.missed[i], 0,
				"%s (mapped to %s) has no value in any record (%s)%s", p.from, p.name(), words.Count(s.records),
				words.If(whole && s.records == 1 && p.name() == "test", ": if the document has an array of records, name it with --records .path"))
		}
	}
}

// codeOthers is the code of the note that records were skipped.
const codeOthers = "passed-over"
