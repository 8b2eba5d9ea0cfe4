package conversation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// MostBytes is how large a file with one conversation may be, unpacked.
const MostBytes = 64 << 20

// File reads a file that holds a conversation: an array of messages, or a message a
// line. It tells what of them could not be read. The error is that of a file of
// which nothing is known.
func File(r io.Reader) (turns []envelope.Turn, faults []string, err error) {
	text, err := io.ReadAll(io.LimitReader(r, MostBytes+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("cannot read the file: %w", err)
	case len(text) > MostBytes:
		return nil, nil, fmt.Errorf("the file has more than %d MiB", MostBytes>>20)
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))
	if len(text) == 0 {
		return nil, nil, errors.New("the file is empty: an array of turns is expected, or a turn a line")
	}
	if text[0] == '{' {
		text, faults = asArray(text)
	}
	var nothing json.RawMessage
	if err := json.Unmarshal(text, &nothing); err != nil {
		return nil, nil, brokenAt(text, err)
	}
	v := jsonwalk.Detached("the file", text)
	turns = Turns(v)
	return turns, append(faults, v.Faults()...), nil
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
