// Package promptfoo reads the results of promptfoo (MIT): the JSON document of
// `-o x.json` and the rows of `-o x.jsonl`.
//
// It exists because promptfoo repeats with --repeat and then hides the repeats:
// a row has no number of its repeat, and testIdx runs on over all of them. Rows
// of the same test case, prompt and provider are the trials of one test, in the
// order they stand in the file. The table of the document, the native XML and
// the JUnit output are left out; they hold less.
package promptfoo

import (
	"io"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// oldStart is how documents without an evalId start.
var oldStart = regex.Of(`^\s*\{\s*"results"\s*:\s*\{\s*"version"\s*:\s*[0-9]`)

// rowKeys are keys of a row; a head may be cut before the last of them.
var rowKeys = []string{"failureReason", "gradingResult", "latencyMs", "namedScores", "promptId", "promptIdx", "provider", "success", "testCase", "testIdx"}

// Sniff reports whether head starts a document or a row of promptfoo.
func Sniff(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	if inArray {
		return false
	}
	return isDocument(keys) || oldStart().Match(head) || isRow(keys)
}

func isDocument(keys jsonwalk.KeySet) bool { return keys.Has("evalId", "results") }

func isRow(keys jsonwalk.KeySet) bool {
	const enough = 4
	return keys.Count(rowKeys...) >= enough && keys.HasAny("testIdx", "promptIdx")
}

// Read reads a document or rows, a row at a time. The error is that of r.
func Read(r io.Reader, to envelope.Sink) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: to, attempts: trialfields.Attempts{}, last: map[envelope.Key]int64{}, names: map[string]string{}}
	keys, _ := jsonwalk.Keys(head)
	if isRow(keys) {
		return jsonwalk.Lines(whole, to, rd.row)
	}
	err := jsonwalk.Document(whole, to, func(t *jsonwalk.Text) error {
		return t.Object(func(key string) error { return rd.member(t, key) })
	})
	to.Header(rd.header, nil)
	return err
}

type reader struct {
	to       envelope.Sink
	header   envelope.Header
	attempts trialfields.Attempts
	last     map[envelope.Key]int64 // testIdx of the last trial of a test
	disorder bool
	names    map[string]string // what stands behind a description
	prompt   string            // the first prompt
	trial    envelope.Trial
}

func (rd *reader) member(t *jsonwalk.Text, key string) error {
	switch key {
	case "results":
		return t.Object(func(key string) error { return rd.result(t, key) })
	case "evalId", "config", "metadata":
		v, err := t.Value()
		if err != nil {
			return err
		}
		rd.describe(key, v)
		v.Tell()
	}
	return nil
}

func (rd *reader) result(t *jsonwalk.Text, key string) error {
	switch key {
	case "results":
		return t.Objects(rd.row)
	case "timestamp":
		v, err := t.Value()
		rd.header.StartedAt = v.Text()
		return err
	}
	return nil
}

func (rd *reader) describe(key string, v jsonwalk.Value) {
	switch key {
	case "evalId":
		rd.header.ID = v.Text()
	case "config":
		rd.header.Name = v.Get("description").Text()
	case "metadata":
		if version := v.Get("promptfooVersion").Text(); version != "" {
			rd.header.Labels = map[string]string{"promptfoo": version}
		}
	}
}
