// Package envelopejson reads the reports of Tribunal itself, tribunal/envelope/v1, in both wire forms.
//
// So reports of shards can be merged, and a report can be judged again under another policy. Package wire decodes;
// this package reports errors with their place. A report is read whole or not at all: half of one would lose trials.
package envelopejson

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/position"
)

// Sniff reports whether head starts with an object that names the schema.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return keys["schema"] == envelope.Schema && !inArray
}

// Read reads one envelope.
func Read(r io.Reader, to envelope.Sink) error {
	places := position.NewReader(r)
	recorded, err := wire.Decode(places)
	if places.Err() != nil {
		return places.Err()
	}
	if err == nil {
		err = whole(recorded)
	}
	if err != nil {
		to.Problem(problem(err, places))
		return nil
	}
	to.Recorded(recorded)
	return nil
}

// whole looks for what every report ends with, without which a test that failed may be cut out.
func whole(r *envelope.Recorded) error {
	counted, read := r.Envelope.Summary, envelope.Run{Tests: r.Envelope.Tests}
	switch {
	case r.Envelope.Gate.Status == "":
		return errors.New(`the key "gate" is missing`)
	case counted.Tests == 0 && len(read.Tests) > 0 || counted.Trials.Total == 0 && read.Trials() > 0:
		return errors.New("its summary counts no tests or no trials, but it lists some")
	}
	return nil
}

func problem(err error, places *position.Reader) envelope.Problem {
	p := envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeUnreadable}
	p.Line, p.Column = places.End()
	if at := (*wire.DecodeError)(nil); errors.As(err, &at) {
		p.Line, p.Column = places.At(at.Offset)
		err = at.Err
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		where, _, _ := strings.Cut(err.Error(), "json: ")
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:] // what is before it may be a name of Go
		err = errors.New(where + words.Around("", field, ": ") + "a JSON " + kind.Value + " does not fit here")
	}
	p.Message = "reading the report stopped here and none of it is counted: " + harmless(err.Error()) +
		words.If(!strings.Contains(err.Error(), "; "), "; write the report again") // an error may say itself what to do
	return p
}

// harmless is an error text that may quote the input: short and printable.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, words.Head(s, 200))
}
