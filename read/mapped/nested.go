package mapped

import (
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

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
