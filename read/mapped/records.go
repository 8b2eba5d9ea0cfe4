package mapped

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
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

// linesOf are the objects of NDJSON, or those of the only array of objects in a
// document.
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

// documentOf are the records of a document that has one array of objects, also within
// objects of it.
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

// areRecords is an array of objects.
func areRecords(v gjson.Result) bool { return v.IsArray() && v.Get("0").IsObject() }

// holdsRecords reports whether a record has records of its own: it may be a document
// about them and no trial.
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
		text, err := json.Marshal(cells)
		if err != nil {
			break
		}
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
	return jsonwalk.Document(in, s.to, func(t *jsonwalk.Text) error { return t.Objects(each) })
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
