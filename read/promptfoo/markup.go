package promptfoo

import (
	"encoding/json"
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/xmlwalk"
)

// root is the root element of `-o x.xml`, which is no JUnit.
const root = "promptfoo"

// shape is how the document was before it was made XML: there all values are texts, and
// a list of one looks like its element.
var shape = xmlwalk.Shape{Leaf: leaf, List: func(name string) bool { return lists[name] }}

var (
	lists   = names("componentResults", "messages", "redteamHistory", "toolCalls", "tool_calls")
	numbers = names("failureReason", "score", "latencyMs", "cost", "total", "testIdx", "promptIdx")
	truths  = names("success", "pass", "graderError", "is_error")
)

func names(all ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range all {
		set[name] = true
	}
	return set
}

// leaf is a text as JSON. What is empty was null, or a text without anything in it.
func leaf(name, text string) string {
	switch {
	case text == "":
		return "null"
	case truths[name] && (text == "true" || text == "false"):
		return text
	case numbers[name] && (text[0] == '-' || '0' <= text[0] && text[0] <= '9') && json.Valid([]byte(text)):
		return text
	}
	quoted, _ := json.Marshal(text) // a string always has JSON
	return string(quoted)
}

// markup reads a document of XML.
func (rd *reader) markup(r io.Reader) error {
	return xmlwalk.Read(r, rd.to, func(doc *xmlwalk.Doc, e *xmlwalk.Element) error {
		if e.Name != root {
			doc.Refuse(e, root)
			return nil
		}
		return doc.Children(func(e *xmlwalk.Element) (err error) {
			switch e.Name {
			case "evalId":
				rd.header.ID, err = doc.Text(nameLimit)
			case "config":
				err = doc.Children(func(e *xmlwalk.Element) (err error) {
					if e.Name == "description" {
						rd.header.Name, err = doc.Text(nameLimit)
					}
					return err
				})
			case "results":
				err = doc.Children(func(e *xmlwalk.Element) error { return rd.resultElement(doc, e) })
			}
			return err
		})
	})
}

// nameLimit is how many bytes the name of a run may have.
const nameLimit = 4 << 10

func (rd *reader) resultElement(doc *xmlwalk.Doc, e *xmlwalk.Element) (err error) {
	switch e.Name {
	case "timestamp":
		rd.header.StartedAt, err = doc.Text(nameLimit)
	case "prompts":
		err = rd.recordElement(doc, e, rd.add)
	case "results":
		err = rd.recordElement(doc, e, rd.row)
	}
	return err
}

// recordElement reads an element as the object that it was.
func (rd *reader) recordElement(doc *xmlwalk.Doc, e *xmlwalk.Element, each func(jsonwalk.Value)) error {
	line, column, room := e.Line, e.Column, jsonwalk.MaxRecord
	row, err := shape.Object(doc, e, &room)
	if err != nil {
		return err
	}
	if room < 0 {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeLineTooLong, Line: line, Column: column,
			Message: "a row is longer than 64 MiB and is not read"})
		return nil
	}
	jsonwalk.Record(rd.to, e.Name, line, column, []byte(row.JSON())).Deliver(each)
	return nil
}
