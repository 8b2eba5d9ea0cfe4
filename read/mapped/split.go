package mapped

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/position"
)

// isSplit reports whether a document is a table as pandas writes it with orient="split",
// and MLflow its tables: the names of the columns, and behind them the rows.
func isSplit(in *bufio.Reader, records string) bool {
	head, _ := in.Peek(1 << 16) // what there is
	keys, _ := jsonwalk.Keys(head)
	return keys.Has("columns", "data") && (records == "" || records == "data")
}

// split reads the rows of such a document, one at a time.
func (s *session) split(in *bufio.Reader) error {
	places := position.NewReader(in)
	dec := json.NewDecoder(places)
	err := s.splitRows(dec, places)
	if places.Err() != nil {
		return places.Err()
	}
	if err != nil {
		line, column := places.At(dec.InputOffset())
		s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the document cannot be read further: %s", inWords(err))
	}
	return nil
}

func (s *session) splitRows(dec *json.Decoder, places *position.Reader) error {
	if err := enter(dec, "columns"); err != nil {
		return err
	}
	var names []string
	if err := dec.Decode(&names); err != nil {
		return fmt.Errorf("columns are not a list of names: %w", err)
	}
	if !s.oneColumnEach(names) {
		return nil
	}
	if err := behind(dec, "data"); err != nil {
		return err
	}
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return fmt.Errorf("data is not a list of rows but %s", words.Quote(fmt.Sprint(token), 40))
	}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		line, column := places.At(dec.InputOffset() - int64(len(raw)))
		list := gjson.ParseBytes(raw)
		if !list.IsArray() {
			s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: it is not a list of cells")
			continue
		}
		var row []string
		list.ForEach(func(_, cell gjson.Result) bool {
			row = append(row, cell.String())
			return true
		})
		if len(row) != len(names) {
			s.problem(envelope.SeverityError, envelope.CodeMalformed, line, column, "the record is not counted: it has %d cells and there are %d columns", len(row), len(names))
			continue
		}
		s.row(names, row, line, column)
	}
	_, err := dec.Token()
	return err
}
