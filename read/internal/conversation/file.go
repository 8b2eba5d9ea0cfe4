package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// MostBytes is how large a file with one conversation may be, unpacked.
const MostBytes = 64 << 20

// File reads a file that holds a conversation: an array of messages, or a message a
// line. It tells what of them could not be read. The error is that of a file of
// which nothing is known.
func File(r io.Reader) (turns []envelope.Turn, faults []string, err error) {
	text, faults, err := Whole(r)
	if err != nil {
		return nil, nil, err
	}
	if text[0] == '{' { // a line alone
		text = slices.Concat([]byte("["), text, []byte("]"))
	}
	v := jsonwalk.Detached("the file", text)
	turns = Turns(v)
	return turns, append(faults, v.Faults()...), nil
}

// Whole reads a file with one conversation, which is JSON: a document, or a record a
// line, of which it makes an array. It tells what of the lines could not be read.
func Whole(r io.Reader) (text []byte, faults []string, err error) {
	text, err = io.ReadAll(io.LimitReader(r, MostBytes+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("cannot read the file: %w", err)
	case len(text) > MostBytes:
		return nil, nil, fmt.Errorf("the file has more than %d MiB", MostBytes>>20)
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))
	if len(text) == 0 {
		return nil, nil, errors.New("the file is empty: a conversation in JSON is expected, or a turn a line")
	}
	var nothing json.RawMessage
	err = json.Unmarshal(text, &nothing)
	if err == nil {
		return text, nil, nil
	}
	if text[0] == '{' {
		if array, faults := asArray(text); bytes.HasPrefix(array, []byte("[{")) {
			return array, faults, nil
		}
	}
	return nil, nil, brokenAt(text, err)
}

// asArray makes an array of the lines that are JSON, and tells of the others.
func asArray(text []byte) (array []byte, faults []string) {
	array = append(make([]byte, 0, len(text)+2), '[')
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case !json.Valid(line):
			faults = append(faults, fmt.Sprintf("line %d, which is no JSON", number))
		default:
			if len(array) > 1 {
				array = append(array, ',')
			}
			array = append(array, line...)
		}
	}
	return append(array, ']'), faults
}

// brokenAt is an error with the line and column where the text is no JSON.
func brokenAt(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := text[:max(0, min(int(syntax.Offset)-1, len(text)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}
