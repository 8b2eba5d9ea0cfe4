// Package tablerows reads the rows of CSV for readers of formats that are written in it.
//
// A missing quote makes the rest of a file one row. The package reports that, and limits the
// memory of a row. It does not know what the columns mean.
package tablerows

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// Rows are the rows of a table.
type Rows struct {
	csv     *csv.Reader
	limited rowLimit
}

// Of are the rows of r, whose cells are parted by comma. They may have any number of cells.
func Of(r io.Reader, comma rune) *Rows {
	rows := &Rows{limited: rowLimit{r: r}}
	rows.csv = csv.NewReader(&rows.limited)
	rows.csv.Comma, rows.csv.FieldsPerRecord = comma, -1
	return rows
}

// Next is the next row. The error is io.EOF behind the last.
func (r *Rows) Next() ([]string, error) {
	r.limited.left = jsonwalk.MaxRecord
	return r.csv.Read()
}

// Place is where the row that was read last begins.
func (r *Rows) Place() (line, column int) { return r.csv.FieldPos(0) }

// End tells why the table was not read further, unless it came to its end. What it returns is the error of the input.
func End(err error, to envelope.Sink) error {
	var syntax *csv.ParseError
	problem := envelope.Problem{Severity: envelope.SeverityError, Line: 1, Column: 1}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, errLongRow):
		problem.Code, problem.Message = envelope.CodeLineTooLong,
			"a row is longer than 64 MiB: the table is not read further; is a quote missing?"
	case errors.As(err, &syntax):
		problem.Code, problem.Line = envelope.CodeMalformed, max(syntax.StartLine, 1)
		problem.Message = fmt.Sprintf("the table is not read further: a quote in line %d, column %d is missing or out of place; "+
			"write a quote inside a text in quotes as \"\"", syntax.Line, syntax.Column)
	default:
		return err
	}
	to.Problem(problem)
	return nil
}

// rowLimit is a reader of a table that ends in a row that is too long.
type rowLimit struct {
	r    io.Reader
	left int
}

var errLongRow = errors.New("a row is too long")

func (l *rowLimit) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRow
	}
	n, err := l.r.Read(b)
	l.left -= n
	return n, err
}
