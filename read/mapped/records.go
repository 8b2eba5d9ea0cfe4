package mapped

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/xmlwalk"
)

// recordsOf are the first records of an input as JSON objects, where they stand in a
// document, and the first of them as it is written.
func recordsOf(head []byte) (records []gjson.Result, in, first string) {
	switch {
	case len(head) == 0:
		return nil, "", ""
	case head[0] == '{':
		return linesOf(head)
	case head[0] != '[':
		return rowsOf(head)
	}
	if records = objectsIn(head, true); len(records) > 0 {
		first = records[0].Raw
	}
	return records, "", first
}

// linesOf are the objects of NDJSON, or those of the only array of objects in a document.
func linesOf(head []byte) (records []gjson.Result, in, first string) {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if !gjson.ValidBytes(line) {
		return documentOf(head)
	}
	for text := range bytes.Lines(head) {
		if r := gjson.ParseBytes(text); gjson.ValidBytes(text) && r.IsObject() && len(records) < looked {
			records = append(records, r)
		}
	}
	if len(records) == 1 {
		if inside, in, first := documentOf(head); inside != nil {
			return inside, in, first
		}
	}
	return records, "", string(line)
}

// documentOf are the records of a document that has one array of objects, also within objects of it.
func documentOf(head []byte) (records []gjson.Result, in, first string) {
	if !gjson.ValidBytes(head) {
		return nil, "", ""
	}
	const deepest = 4
	arrays := 0
	var search func(v gjson.Result, path string, depth int)
	search = func(v gjson.Result, path string, depth int) {
		v.ForEach(func(name, v gjson.Result) bool {
			if !simple().MatchString(name.Str) {
				return true
			}
			switch at := path + "." + name.Str; {
			case areRecords(v):
				arrays++
				records, in, first = v.Array(), at, v.Get("0").Raw
			case v.IsObject() && depth < deepest:
				search(v, at, depth+1)
			}
			return arrays < 2
		})
	}
	search(gjson.ParseBytes(head), "", 1)
	if arrays != 1 {
		return nil, "", ""
	}
	return records[:min(len(records), looked)], in, first
}

func areRecords(v gjson.Result) bool { return v.IsArray() && v.Get("0").IsObject() }

// holdsRecords reports whether a record has records of its own: it may be a document about them and no trial.
func holdsRecords(record gjson.Result) (holds bool) {
	record.ForEach(func(_, v gjson.Result) bool {
		holds = areRecords(v)
		return !holds
	})
	return holds
}

// objectsIn are the first objects in an array, or those that stand one behind the other, as
// far as they are there whole. There are none where anything else stands there.
func objectsIn(head []byte, inArray bool) (records []gjson.Result) {
	dec := json.NewDecoder(bytes.NewReader(head))
	if inArray {
		if _, err := dec.Token(); err != nil {
			return nil
		}
	}
	for (!inArray || dec.More()) && len(records) < looked {
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			break
		}
		r := gjson.ParseBytes(raw)
		if !r.IsObject() {
			return nil
		}
		records = append(records, r)
	}
	return records
}

// rowsOf are the rows of a table as objects of texts. A table has a header of names and
// a row of cells, both of them whole.
func rowsOf(head []byte) (records []gjson.Result, in, first string) {
	names, _, several := bytes.Cut(head, []byte("\n"))
	if !several || !bytes.ContainsAny(names, separators) {
		return nil, "", ""
	}
	r := rowsIn(bytes.NewReader(head), string(names))
	cells, err := r.Read()
	header := namesOf(cells)
	if err != nil || slices.Index(header, "") == 0 {
		return nil, "", ""
	}
	for len(records) < looked {
		row, err := r.Read()
		if err != nil { // the end, or what the reader of the table will tell
			break
		}
		cells := map[string]string{}
		for i, cell := range row {
			if cell != "" && at(header, i) != "" {
				cells[header[i]] = cell
			}
		}
		text, _ := json.Marshal(cells) // texts always have JSON
		records = append(records, gjson.ParseBytes(text))
		if first == "" {
			first = strings.Join(header, ",") + " / " + strings.Join(row, ",")
		}
	}
	return records, "", first
}

// nested reads records in arrays within others: .tasks[].runs[]. An input is one such
// document, several, or an array of them; each is held whole.
func (s *session) nested(in io.Reader, first byte) error {
	path := strings.Split(s.m.Records, "[]")
	each := func(v jsonwalk.Value) {
		d := document{session: s, text: string(v.Raw())}
		d.line, d.column = v.Place()
		d.records(gjson.Parse(d.text), path, nil)
	}
	if first != '[' {
		return jsonwalk.Documents(in, s.to, each)
	}
	if path[0] == "" {
		path = path[1:]
	}
	return jsonwalk.Read(in, s.to, jsonwalk.Objects(each))
}

// document is one that holds records, and how far in it they were found.
type document struct {
	*session
	text             string
	at, line, column int
}

// records maps what is in the array at the first part of the path, or goes on in it by the
// rest. Around is what the array is in, the nearest last.
func (d *document) records(in gjson.Result, path []string, around []gjson.Result) {
	list, name := in, cutDot(path[0])
	if name != "" {
		list = in.Get(name)
	}
	if !list.IsArray() {
		line, column := d.place(in)
		d.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "records are missing here: there is no array at .%s", name)
		return
	}
	around = append(around, in)
	list.ForEach(func(_, one gjson.Result) bool {
		if len(path) > 1 {
			d.records(one, path[1:], around)
			return true
		}
		line, column := d.place(one)
		d.json(one, line, column, around...)
		return true
	})
}

// place is where a value of the document begins; they are asked for in order.
func (d *document) place(v gjson.Result) (line, column int) {
	passed := d.text[d.at:max(d.at, v.Index)]
	d.at += len(passed)
	if end := strings.LastIndexByte(passed, '\n'); end >= 0 {
		d.line += strings.Count(passed, "\n")
		d.column = len(passed) - end
	} else {
		d.column += len(passed)
	}
	return d.line, d.column
}

// separators are what parts the cells of a table: spreadsheets write the second where
// the comma is a decimal point, and the third is what they put on the clipboard.
const separators = ",;\t"

// separatorOf is the separator of the cells of a table: the one that its first line has most often outside of quotes.
func separatorOf(line string) rune {
	best, most := ',', 0
	for _, s := range separators {
		quoted, n := false, 0
		for _, c := range line {
			switch {
			case c == '"':
				quoted = !quoted
			case c == s && !quoted:
				n++
			}
		}
		if n > most {
			best, most = s, n
		}
	}
	return best
}

func rowsIn(r io.Reader, first string) *csv.Reader {
	rows := csv.NewReader(r)
	rows.Comma = separatorOf(first)
	rows.TrimLeadingSpace = rows.Comma != '\t' // where blanks are cells
	rows.FieldsPerRecord = -1
	return rows
}

func namesOf(header []string) []string { return each.Of(header, strings.TrimSpace) }

// firstLine is the first line of in, as far as its buffer holds it. Nothing is taken
// from in, and no more is waited for than the end of the line.
func firstLine(in *bufio.Reader) string {
	for {
		_, err := in.Peek(min(in.Buffered()+1, in.Size())) // an error comes again on reading
		head, _ := in.Peek(in.Buffered())
		line, _, ended := bytes.Cut(head, []byte("\n"))
		if ended || err != nil || len(head) == in.Size() {
			return string(line)
		}
	}
}

func (s *session) table(in *bufio.Reader) error {
	r := rowsIn(in, firstLine(in))
	header, err := r.Read()
	names := namesOf(header)
	if err == nil && !s.oneColumnEach(names) {
		return nil
	}
	for err == nil {
		var row []string
		if row, err = r.Read(); err != nil {
			break
		}
		line, column := r.FieldPos(0)
		if len(row) > len(names) && strings.Join(row[len(names):], "") != "" {
			s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column,
				"the record is not counted: it has %d cells and the header has %d; quote texts that contain the separator %q", len(row),
				len(names), r.Comma)
			continue
		}
		s.row(names, row, line, column)
	}
	syntax, is := errors.AsType[*csv.ParseError](err)
	if is {
		s.problem(envelope.SeverityError, envelope.CodeMalformed, syntax.StartLine, 1, "rows from here on are not counted: "+
			"a quote is missing or out of place (seen in line %d); put the text in quotes on both sides, and write a quote in it as \"\"", syntax.Line)
	}
	if is || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (s *session) row(names, row []string, line, column int) {
	if len(s.m.where) > 0 && !s.holds("["+rowAsJSON(names, row)+"]") {
		return
	}
	s.record(line, column, func(t term) (gjson.Result, string) {
		if before, behind, is := strings.Cut(t.path, "*"); is {
			return columns(names, row, before, behind), ""
		}
		column := slices.Index(names, t.path)
		cell := at(row, column)
		switch {
		case column < 0:
			return gjson.Result{}, ""
		case cell == "":
			return gjson.Result{Raw: "null"}, ""
		}
		return gjson.Result{Type: gjson.String, Str: cell, Raw: cell}, t.path
	})
}

// oneColumnEach reports whether every path of the mapping means at most one column.
// Two of a name may disagree, and nothing says which is meant.
func (s *session) oneColumnEach(names []string) bool {
	for _, p := range s.m.parts {
		for _, t := range slices.Concat(p.sources...) {
			if first := slices.Index(names, t.path); t.path != "" && first >= 0 && slices.Contains(names[first+1:], t.path) {
				s.problem(envelope.SeverityError, envelope.CodeMalformed, 1, 1,
					"the table is not read: several columns are called %s; give each its own name", quoted(t.path))
				return false
			}
		}
	}
	return true
}

func at(row []string, i int) string {
	if i < 0 || i >= len(row) {
		return ""
	}
	return row[i]
}

// IsHeader reports whether a text is the first line of a table alone, with the names of two fields of a trial or more.
func IsHeader(text []byte) bool {
	if bytes.ContainsAny(text, "\n{[<") {
		return false
	}
	header, err := rowsIn(bytes.NewReader(text), string(text)).Read()
	known := slices.DeleteFunc(namesOf(header), func(name string) bool { return meanings[spoken(name)].field == "" })
	return err == nil && len(known) > 1
}

// markup reads XML: every element at the path of the records, or else every one in the root element, is a record. It
// becomes JSON, so that the same paths reach into it: attributes and elements are members by their names, an element
// that comes several times is a list, text beside them is the member text, and one of text alone is that text. The
// attributes of the element around a record are below ^.
func (s *session) markup(in io.Reader) error {
	names := strings.FieldsFunc(strings.ReplaceAll(s.m.Records, "[]", ""), func(r rune) bool { return r == '.' })
	if len(names) == 0 || s.m.loose {
		names = nil
	}
	return xmlwalk.Read(in, s.to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) {
		switch {
		case len(names) == 0:
			for child := range doc.Children() {
				s.element(doc, child, e)
			}
		case e.Name != names[0]:
			doc.Refuse(e, quoted(names[0])+", the first name of --records", "--records")
		case len(names) == 1:
			s.element(doc, e, nil)
		default:
			if s.below(doc, e, names[1:]); s.records+s.others == 0 {
				s.problem(envelope.SeverityWarning, envelope.CodeMalformed, e.Line, e.Column, "no element is at .%s: check --records", s.m.Records)
			}
		}
	})
}

func (s *session) below(doc *xmlwalk.Doc, e *xmlwalk.Element, names []string) {
	for child := range doc.Named(names[0]) {
		if len(names) == 1 {
			s.element(doc, child, e)
		} else {
			s.below(doc, child, names[1:])
		}
	}
}

func (s *session) element(doc *xmlwalk.Doc, e, around *xmlwalk.Element) {
	room := MaxLine
	var shape xmlwalk.Shape
	inside := shape.Object(doc, e, &room)
	if around != nil {
		var outside xmlwalk.Object
		outside.Attributes(around)
		inside.Add("^", outside.JSON())
	}
	if room < 0 {
		s.problem(envelope.SeverityError, envelope.CodeLineTooLong, e.Line, e.Column, "the element has more than %d MiB and is skipped whole: "+
			"write shorter texts into it", MaxLine>>20)
		return
	}
	s.json(gjson.Parse(inside.JSON()), e.Line, e.Column)
}

// isSplit reports whether a document is a table as pandas writes it with orient="split",
// and MLflow its tables: the names of the columns, and behind them the rows.
func isSplit(in *bufio.Reader, records string) bool {
	head, _ := in.Peek(1 << 16) // what there is
	keys, _ := jsonwalk.Keys(head)
	return keys.Has("columns", "data") && (records == "" || records == "data")
}

// split reads the rows of such a document, one at a time.
func (s *session) split(in io.Reader) error {
	var names []string
	return jsonwalk.Strict(in, s.to, func(t *jsonwalk.Text) error {
		return t.Members(jsonwalk.Members{"columns": &names, "data": func(*jsonwalk.Text) error {
			switch {
			case names == nil:
				line, column := t.Place()
				s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "no row is read: the key columns must come before data")
			case s.oneColumnEach(names):
				return t.Array(func() error { return s.splitRow(t, names) })
			}
			return nil
		}})
	})
}

func (s *session) splitRow(t *jsonwalk.Text, names []string) error {
	v, err := t.Kept()
	if !v.There() {
		return err
	}
	line, column := v.Place()
	if !v.IsArray() {
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: it is not a list of cells")
		return nil
	}
	row := each.Of(gjson.ParseBytes(v.Raw()).Array(), gjson.Result.String)
	if len(row) != len(names) {
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column,
			"the record is not counted: it has %s and the table has %s",
			words.Plural(len(row), "cell", "cells"), words.Plural(len(names), "column", "columns"))
		return nil
	}
	s.row(names, row, line, column)
	return nil
}

// columns are the cells of the columns whose names match before*behind, by the text that
// the star matches: scores that have a column each.
func columns(header, row []string, before, behind string) gjson.Result {
	var names, cells []string
	for i, name := range header {
		inside, is := strings.CutPrefix(name, before)
		inside, ends := strings.CutSuffix(inside, behind)
		if is && ends && inside != "" && at(row, i) != "" {
			names, cells = append(names, inside), append(cells, row[i])
		}
	}
	if names == nil {
		return gjson.Result{}
	}
	return gjson.Parse(rowAsJSON(names, cells))
}

func rowAsJSON(header, row []string) string {
	var b []byte
	for i, name := range header {
		if i < len(row) {
			b = append(b, ',')
			b = gjson.AppendJSONString(b, name)
			b = append(b, ':')
			b = gjson.AppendJSONString(b, row[i])
		}
	}
	if len(b) == 0 {
		return "{}"
	}
	b[0] = '{'
	return string(append(b, '}'))
}
