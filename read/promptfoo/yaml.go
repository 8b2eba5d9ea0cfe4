package promptfoo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/yamltree"
	"tribunal/read/internal/jsonwalk"
)

// yamlStart is how a document of YAML starts; those without an evalId are older.
var yamlStart = regex.Of(`^(?:evalId: [^\n]*\n)?results:\n +version: [0-9]`)

// maxYAML is how long a document of YAML may be, and maxTree what of it is read as one tree:
// all but the rows, where they stand as promptfoo writes them. A tree takes 70 times the
// memory of its text, and a second for a few megabytes.
const maxYAML, maxTree = 64 << 20, 8 << 20

func (rd *reader) yaml(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxYAML+1))
	if len(text) > maxYAML {
		rd.tooLong(maxYAML)
		return nil
	}
	rd.rows(string(text)) // also what came before an error
	return err
}

func (rd *reader) tooLong(most int) {
	rd.unreadable(place{1, 1}, fmt.Sprintf("the YAML document is not read, because it has more than %d MiB; "+
		"let promptfoo write JSON or JSONL", most>>20))
}

func (rd *reader) unreadable(at place, message string) {
	rd.problem(envelope.SeverityError, envelope.CodeUnreadable, at, message)
}

func (rd *reader) rows(text string) {
	rest, rows := cutRows(text)
	if len(rest) > maxTree {
		rd.tooLong(maxTree)
		return
	}
	w := &writer{anchors: map[string]string{}, left: aliasRoom + mostTimes*len(text)}
	if len(rows) > 0 {
		w.from, w.more = rows[0].line, strings.Count(text, "\n")-strings.Count(rest, "\n")
	}
	body := rd.tree(w, rest)
	if body == nil {
		return
	}
	top := pairs(body)
	behind := false // the results
	for _, p := range top {
		switch key := nameOf(p); key {
		case "results":
			rd.yamlResults(w, p.Value, rows)
		default:
			behind = behind || key == "config"
			rd.describe(key, rd.record(w, key, p.Value))
		}
	}
	switch {
	case len(top) == 0:
		rd.unreadable(place{1, 1}, "the document is not a mapping with evalId and results")
	case !behind: // a document of YAML may end anywhere
		rd.problem(envelope.SeverityError, envelope.CodeTruncated, place{strings.Count(text, "\n") + 1, 1},
			"the document ends before its config, which promptfoo writes after the results: later rows may be missing; get a whole copy of the "+
				"file and repeat this command")
	}
}

// tree is what a text says, nil where it cannot be read, which is told.
func (rd *reader) tree(w *writer, text string) ast.Node {
	tree, err := yamltree.Parse(text)
	var deep *yamltree.TooDeep
	var syntax *yaml.SyntaxError
	const repair = "; get a whole copy of the file, or let promptfoo write JSON"
	switch {
	case errors.As(err, &deep):
		rd.unreadable(place{w.line(deep.Line), deep.Column}, "the YAML cannot be read: "+err.Error())
	case errors.As(err, &syntax) && syntax.Token != nil:
		at := placeOf(syntax.Token.Position.Line, syntax.Token.Position.Column)
		rd.unreadable(place{w.line(at.line), at.column}, "the YAML cannot be read: "+syntax.Message+repair)
	case err != nil:
		rd.unreadable(place{w.line(1), 1}, "the YAML cannot be read: "+err.Error()+repair)
	case len(tree.Docs) == 0 || tree.Docs[0].Body == nil:
		rd.unreadable(place{w.line(1), 1}, "the file has no value")
	default:
		return tree.Docs[0].Body
	}
	return nil
}

func (rd *reader) yamlResults(w *writer, results ast.Node, rows []textRow) {
	for _, p := range pairs(results) {
		if w.left < 0 {
			return
		}
		key := nameOf(p)
		list, is := bare(p.Value).(*ast.SequenceNode)
		switch {
		case key != "results":
			rd.describe(key, rd.record(w, key, p.Value)) // rows may stand for what is in it
		case len(rows) > 0:
			rd.textRows(w, rows)
		case is:
			rd.list(w, list)
		default:
			at := p.GetToken().Position
			rd.unreadable(place{at.Line, at.Column}, "results is not a list of rows")
		}
	}
}

// textRows reads rows that were cut out of their document.
func (rd *reader) textRows(w *writer, rows []textRow) {
	from, more := w.from, w.more
	for _, row := range rows {
		w.from, w.more = 1, row.line-1
		if list, is := rd.tree(w, row.text).(*ast.SequenceNode); is {
			rd.list(w, list)
		}
	}
	w.from, w.more = from, more
}

func (rd *reader) list(w *writer, list *ast.SequenceNode) {
	for _, row := range list.Values {
		if w.left < 0 {
			return
		}
		rd.record(w, "a row of results", row).Deliver(rd.row)
	}
}

func (rd *reader) record(w *writer, name string, n ast.Node) jsonwalk.Value {
	at := place{1, 1}
	if n != nil {
		if t := n.GetToken(); t != nil && t.Position != nil {
			at = placeOf(t.Position.Line, t.Position.Column)
			at.line = w.line(at.line)
		}
	}
	w.b.Reset()
	w.room = min(jsonwalk.MaxRecord, w.left)
	w.node(n)
	w.left -= w.b.Len()
	switch {
	case w.room < 0 && w.left < jsonwalk.MaxRecord:
		w.left = -1
		rd.unreadable(at, "the document is not read further: its aliases expand too far; let promptfoo write JSON")
	case w.room < 0:
		rd.problem(envelope.SeverityError, envelope.CodeLineTooLong, at, name+" is longer than 64 MiB and is not read")
	default:
		return jsonwalk.Record(rd.to, name, at.line, at.column, []byte(w.b.String()))
	}
	return jsonwalk.Value{}
}

// All records of a document may have as many bytes as so many documents, and some more.
const mostTimes, aliasRoom = 4, 1 << 20

// writer writes nodes as JSON. What an alias stands for is written in its place, as far as
// there is room: aliases of aliases grow without end.
type writer struct {
	b          strings.Builder
	anchors    map[string]string // what was written of them
	room       int               // for the record, below 0 where it was too little
	left       int               // for all records
	from, more int               // lines from there on stand that much further down in the input
}

// line is the line of the input of a line of what is parsed.
func (w *writer) line(n int) int {
	if n < w.from {
		return n
	}
	return n + w.more
}

func (w *writer) write(text string) {
	if w.room -= len(text); w.room >= 0 {
		w.b.WriteString(text)
	}
}

// node writes a node. An alias in itself, and before what it stands for, stands for nothing,
// and so does what JSON does not have, such as .nan.
func (w *writer) node(n ast.Node) {
	if w.room < 0 {
		return
	}
	if a, is := n.(*ast.AnchorNode); is && a.Name != nil {
		from := w.b.Len()
		w.node(a.Value)
		w.anchors[a.Name.GetToken().Value] = strings.Clone(w.b.String()[from:])
		return
	}
	comma := ""
	switch n := bare(n).(type) {
	case *ast.AliasNode:
		text := ""
		if n.Value != nil {
			text = w.anchors[n.Value.GetToken().Value]
		}
		w.write(cmp.Or(text, "null"))
	case *ast.SequenceNode:
		w.write("[")
		for _, v := range n.Values {
			w.write(comma)
			w.node(v)
			comma = ","
		}
		w.write("]")
	case *ast.MappingNode, *ast.MappingValueNode:
		w.write("{")
		for _, p := range pairs(n) {
			w.write(comma)
			w.value(nameOf(p))
			w.write(":")
			w.node(p.Value)
			comma = ","
		}
		w.write("}")
	case *ast.LiteralNode:
		w.value(n.Value.Value)
	case *ast.FloatNode:
		w.value(n.Value)
	case *ast.IntegerNode:
		w.value(n.Value)
	case *ast.BoolNode:
		w.value(n.Value)
	case *ast.StringNode:
		w.value(n.Value)
	default:
		w.write("null")
	}
}

func (w *writer) value(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte("null")
	}
	w.write(string(text))
}

// bare is a node without its anchor and tag.
func bare(n ast.Node) ast.Node {
	for {
		switch a := n.(type) {
		case *ast.AnchorNode:
			n = a.Value
		case *ast.TagNode:
			n = a.Value
		default:
			return n
		}
	}
}

func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := bare(n).(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func nameOf(p *ast.MappingValueNode) string {
	if s, is := p.Key.(*ast.StringNode); is {
		return s.Value
	}
	return p.Key.String()
}

// textRow is a row of a document of YAML, and the line at which it begins.
type textRow struct {
	text string
	line int
}

// cutRows takes the rows out of a document in the blocks that promptfoo writes: the items
// below results, in results. In YAML an item of a block ends where a line is not indented
// further than its dash, whatever stands in it. There are none where the document is
// written in another way.
func cutRows(text string) (rest string, rows []textRow) {
	begin, end, inside, dash := 0, 0, 0, -1 // of all rows; the indents of the members of results, and of dashes
	for at, line, level := 0, 1, 0; at < len(text) && level < 4; line++ {
		next := at + strings.IndexByte(text[at:], '\n') + 1
		if next == at {
			next = len(text)
		}
		says := strings.TrimRight(text[at:next], " \r\n")
		indent := len(says) - len(strings.TrimLeft(says, " "))
		switch says = says[indent:]; {
		case says == "":
		case level == 0: // before results
			if indent == 0 && says == "results:" {
				level = 1
			}
		case indent == 0:
			level = 4
		case level == 1: // before the first member of results
			inside, level = indent, 2
			fallthrough
		case level == 2: // before the rows in it
			if indent == inside && says == "results:" {
				level = 3
			}
		case indent == dash && isItem(says):
			rows = append(rows, textRow{line: line})
		case dash < 0 && indent >= inside && isItem(says):
			begin, dash = at, indent
			rows = append(rows, textRow{line: line})
		case indent <= dash || dash < 0:
			level = 4
		}
		if dash >= 0 && level == 3 {
			end = next
			row := &rows[len(rows)-1]
			row.text = text[at-len(row.text) : next] // it is one piece
		}
		at = next
	}
	return text[:begin] + text[max(begin, end):], rows
}

func isItem(says string) bool { return says == "-" || strings.HasPrefix(says, "- ") }
