// Package mcptest reads test records in the style of mcptest: rows that are
// named `name #k`, or `name [model] #k`, for run k of a test; and what the program
// of that name for agents writes with `mcptest run --json`: an object with cases, each
// with its suite, whether it passed, its error and its assertions.
//
// It exists because mcptest repeats a test by writing a row for each run, and
// only the name tells which. The exact keys of its files are not published, so
// the reader is lenient: a record a line, or a document with the records in
// tests or results; a verdict under status, verdict, outcome or result, or a
// truth under passed. A number behind a name is a run only when several rows
// share the name before it: a lone `bug #42` keeps its number.
package mcptest

import (
	"io"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// Sniff reports whether head starts records of this style.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if isRecord(keys) || !inArray && keys.Has("passed") && keys.Has("failed") && keys.Has("total") && keys.Has("cases") {
		return true
	}
	if at := firstRecord().FindSubmatchIndex(head); at != nil && !inArray {
		first, _ := jsonwalk.Keys(head[at[2]:])
		return isRecord(first)
	}
	return false
}

// isRecord: a name, a verdict, and either the rule that is tested or a run in
// the name.
func isRecord(keys jsonwalk.KeySet) bool {
	verdict := keys.Has("passed") || keys.HasAny(verdictNames...)
	return keys.Has("name") && verdict && (keys.Has("rule_id", "severity") || runName().MatchString(keys["name"]))
}

// Read reads one file. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: to, held: map[string]*held{}}
	keys, inArray := jsonwalk.Keys(head)
	var err error
	switch {
	case inArray:
		err = jsonwalk.Document(whole, to, func(t *jsonwalk.Text) error { return t.Objects(rd.record) })
	case isRecord(keys):
		err = jsonwalk.Lines(whole, to, rd.record, "passed", "rule_id")
	default:
		err = jsonwalk.Document(whole, to, rd.document)
	}
	rd.finish()
	return err
}

func (rd *reader) document(t *jsonwalk.Text) error {
	return t.Object(func(key string) error {
		switch key {
		case "tests", "results":
			return t.Objects(rd.record)
		case "cases":
			return t.Objects(rd.one)
		}
		return nil
	})
}
