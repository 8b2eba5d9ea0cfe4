package native

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

func TestInside(t *testing.T) {
	files := map[string]string{"a.json": `[{"role":"user","text":"hi"}]`, "lines.ndjson": "{\"role\":\"user\",\"content\":\"hi\"}\nno\n{\"role\":\"model\",\"parts\":[{\"text\":\"ho\"}]}\n", "broken.json": "[{\"role\":\n}", "empty": ""}
	folder := func(path string) (io.ReadCloser, error) {
		text, ok := files[path]
		if !ok {
			return nil, errors.New("cannot open: no such file")
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	hi, ho := envelope.Turn{Role: "user", Text: "hi"}, envelope.Turn{Role: "assistant", Text: "ho"}
	for _, c := range []struct {
		fields     string
		checks     []envelope.Check
		transcript []envelope.Turn
		told       []string
		says       string
		reason     string
	}{
		{`"checks":[{"name":"a","status":"passed"},{"name":"b","score":0.5,"reason":"r","vote":1}]`, []envelope.Check{{Name: "a", Status: envelope.Pass}, {Name: "b", Score: envelope.Some(0.5), Reason: "r", Vote: envelope.Some[int32](1)}}, nil, nil, "", "checks"},
		{`"checks":[{"status":"pass"},{"name":"a"},{"name":"a","status":"no such word"},7]`, nil, nil, []string{"ignored-field 1:38"}, "checks [0], which has no name, checks [1], which has neither a status nor a score, checks [2], whose status \"no such word\" is unknown, checks [3], which has no name", "checks that are none"},
		{`"checks":{}`, nil, nil, []string{"ignored-field 1:38"}, "checks is not an array of checks but an object", "no array"},
		{`"transcript":[{"role":"user","text":"hi"}]`, nil, []envelope.Turn{hi}, nil, "", "turns"},
		{`"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"ho"}]}]`, nil, []envelope.Turn{hi, ho}, nil, "", "messages"},
		{`"messages":[{"role":"x","content":"y"}],"transcript":[{"role":"user","text":"hi"}]`, nil, []envelope.Turn{hi}, nil, "", "our own form wins"},
		{`"transcript":7`, nil, nil, []string{"ignored-field 1:42"}, "transcript is not an array of messages but a number", "a transcript that is no array"},
		{`"transcript":"x"`, nil, nil, []string{"ignored-field 1:42"}, "a string stands where an array is expected", "a transcript that is a text"},
		{`"transcript":["x",{"role":"user","text":"hi"}]`, nil, []envelope.Turn{hi}, []string{"ignored-field 1:42"}, "transcript [0], which is not a message but a string", "a turn that is no object"},
		{`"transcript_file":"a.json"`, nil, []envelope.Turn{hi}, nil, "", "a file with an array"},
		{`"transcript_file":"lines.ndjson"`, nil, []envelope.Turn{hi, ho}, []string{"ignored-field 1:47"}, "line 2, which is no JSON", "a turn a line"},
		{`"transcript_file":"broken.json"`, nil, nil, []string{"ignored-field 1:47"}, "line 2, column 1: invalid character '}'", "a file that is no JSON"},
		{`"transcript_file":"empty"`, nil, nil, []string{"ignored-field 1:47"}, "the file is empty", "an empty file"},
		{`"transcript_file":"gone"`, nil, nil, []string{"ignored-field 1:47"}, "no such file", "no file"},
		{`"transcript_file":5`, nil, nil, []string{"ignored-field 1:47"}, "a number stands where a string is expected", "no path"},
		{`"transcript_file":"gone","transcript":[{"role":"user","text":"hi"}]`, nil, []envelope.Turn{hi}, nil, "", "what is there needs no file"},
		{`"checks":null,"transcript":null,"transcript_file":null,"attachments":null`, nil, nil, nil, "", "null is absent"},
	} {
		s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, folder) }, `{"test":"a","status":"pass",`+c.fields+"}\n")
		if len(s.Trials) != 1 || !reflect.DeepEqual(s.Trials[0].Checks, c.checks) || !reflect.DeepEqual(s.Trials[0].Transcript, c.transcript) || !slices.Equal(s.Told(), c.told) {
			t.Errorf("%s: %+v, %q %v", c.reason, s.Trials, s.Told(), s.Problems)
		}
		if len(s.Problems) > 0 && !strings.Contains(s.Problems[0].Message, c.says) {
			t.Errorf("%s: %q does not say %q", c.reason, s.Problems[0].Message, c.says)
		}
	}
}

// TestFileWithoutFolder: standard input has no folder, and whoever reads it is told
// what to do.
func TestFileWithoutFolder(t *testing.T) {
	s := readtest.Text(t, Read, `{"test":"a","status":"pass","transcript_file":"a.json"}`+"\n")
	if len(s.Trials) != 1 || !strings.Contains(s.Problems[0].Message, "--root FOLDER") {
		t.Errorf("%v", s.Problems)
	}
}
