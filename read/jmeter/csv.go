package jmeter

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"tribunal/read/internal/tablerows"
)

// headerOf is what parts the cells of a table whose first line is this, if it is one of
// JMeter: which columns it has is a setting.
func headerOf(line string) (comma rune, is bool) {
	at := strings.IndexFunc(line, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') })
	if at <= 0 || len(line) > 4<<10 {
		return 0, false
	}
	comma, _ = utf8.DecodeRuneInString(line[at:])
	names := strings.Split(line, string(comma))
	for _, own := range []string{"elapsed", "label", "success"} {
		if !slices.Contains(names, own) {
			return 0, false
		}
	}
	others := 0
	for _, own := range []string{"timeStamp", "responseCode", "responseMessage", "threadName", "allThreads", "grpThreads", "Latency", "failureMessage"} {
		if slices.Contains(names, own) {
			others++
		}
	}
	return comma, others >= 2 && comma != '"' && comma != '\r' && comma != utf8.RuneError
}

// csv reads a table whose header is this.
func (rd *reader) csv(in io.Reader, header string) error {
	comma, is := headerOf(header)
	if !is && header != "" {
		rd.problem(1, 1, "the table is not read: its first line is not a header of JMeter, which names elapsed, label, success and more (jmeter.save.saveservice.print_field_names=true)")
		_, err := io.Copy(io.Discard, in)
		return err
	}
	if !is {
		comma = ','
	}
	rows := tablerows.Of(in, comma)
	names, err := headerRow(rows)
	for err == nil {
		var row []string
		if row, err = rows.Next(); err != nil {
			break
		}
		line, column := rows.Place()
		switch {
		case slices.Equal(row, names): // another run behind the first
		case len(row) != len(names):
			rd.problem(line, column, fmt.Sprintf("a sample is not counted: it has %d cells and the header has %d", len(row), len(names)))
		default:
			rd.row(names, row, line, column)
		}
	}
	return tablerows.End(err, rd.to)
}

// headerRow is the first row that is not blank, as firstLine has it.
func headerRow(rows *tablerows.Rows) (names []string, err error) {
	for {
		names, err = rows.Next()
		if err != nil {
			return nil, err
		}
		names[0] = strings.TrimLeft(names[0], " ")
		if len(names) > 1 || names[0] != "" {
			return names, nil
		}
	}
}

// row reads a sample of a table, in which each transaction comes behind its samples.
func (rd *reader) row(header, row []string, line, column int) {
	cell := func(name string) string {
		if i := slices.Index(header, name); i >= 0 {
			return row[i]
		}
		return ""
	}
	s := sample{line: line, column: column, stamp: cell("timeStamp"), elapsed: cell("elapsed"), label: cell("label"), code: cell("responseCode"),
		message: cell("responseMessage"), thread: cell("threadName"), success: cell("success"), failures: cell("failureMessage")}
	rd.take(&s)
}

// take counts a sample, unless it is the sum of others.
func (rd *reader) take(s *sample) {
	switch why := s.wrong(); {
	case why != "":
		rd.problem(s.line, s.column, why)
	case rd.sums.holds(s):
		rd.sums.pass(s)
	default:
		rd.sums.add(s)
		rd.deliver(s)
	}
}
