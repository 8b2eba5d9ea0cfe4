// Package read is the door for everything that comes in: a table of input
// formats, sniffing, and decompression.
//
// It exists so that a new format is one folder and one row: help, errors,
// --from and tests are made from the table. A reader knows its format and
// envelope.Sink and nothing else. It leaves out files, globs and progress,
// which belong to package command, and what trials mean, which belongs to
// package envelope.
package read

import (
	"bytes"
	"io"
	"strings"

	"tribunal/envelope"
	envelopejson "tribunal/read/envelope"
	"tribunal/read/mapped"
	"tribunal/read/native"
	"tribunal/read/taubench"
	"tribunal/suggest"
)

// Format is one input format.
type Format struct {
	Name string // for --from
	Doc  string // one line for people
	// Sniff reports whether an input that starts with head is of this format. Head
	// may be cut anywhere.
	Sniff func(head []byte) bool
	// Read puts what it finds into the sink, problems with their places
	// included. Its error is that of r and nothing else.
	Read func(r io.Reader, to envelope.Sink) error
	// NamesRuns says that the format has runs of its own. An input of any other
	// format is one run, named after the input.
	NamesRuns bool
}

// trialStream is what an input without anything in it is read as.
var trialStream = Format{"native", "trial stream, one JSON object a line (" + envelope.TrialSchema + ")", native.Sniff, native.Read, true}

// Formats are the input formats in the order they are sniffed. An envelope
// comes before a trial stream, for the lines of its tests look like trials.
var Formats = []Format{
	{"envelope", "report of tribunal itself, json or ndjson (" + envelope.Schema + ")", envelopejson.Sniff, envelopejson.Read, true},
	trialStream,
	{"tau-bench", "result file of tau-bench, a JSON array of task_id, reward, trial", taubench.Sniff, taubench.Read, false},
}

// Mapped is the format of records that the user's mapping reads (see package
// read/mapped). It is in no table, for nothing tells it but the mapping.
func Mapped(spec, records string) (Format, error) {
	m, err := mapped.Parse(spec, records)
	return Format{Name: "mapped", Doc: "records read by a mapping", Read: m.Read}, err
}

// byteOrderMark may stand before any text in UTF-8.
const byteOrderMark = "\uFEFF"

// Detect finds the format of an input by its first bytes. Blanks and an empty
// input are a trial stream without trials.
func Detect(head []byte) (Format, bool) {
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if len(bytes.TrimSpace(head)) == 0 {
		return trialStream, true
	}
	for _, f := range Formats {
		if f.Sniff(head) {
			return f, true
		}
	}
	return Format{}, false
}

// ByName finds a format by its name. The error names the near ones, or all.
func ByName(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, suggest.Unknown("input format", shorten(name), Names())
}

// Names are the names of the formats in the order of the table.
func Names() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// shorten keeps the head of a text that is quoted in a message.
func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
