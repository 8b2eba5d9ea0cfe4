package promptfoo

import "strings"

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
