package native

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
	"tribunal/read/internal/chunks"
	"tribunal/read/internal/readtest"
)

func TestTooLongLineIsNamed(t *testing.T) {
	const good = `{"test":"a","status":"pass"}` + "\n"
	huge := io.LimitReader(letters{}, 3*chunks.MaxLine)
	s := &sink{}
	before := allocated()
	if err := Read(io.MultiReader(strings.NewReader(good+`{"test":"`), huge, strings.NewReader("\"}\n"+good)), s); err != nil {
		t.Fatal(err)
	}
	if grown := allocated() - before; grown > 6*chunks.MaxLine {
		t.Errorf("%d MiB for a line of %d MiB", grown>>20, 3*chunks.MaxLine>>20)
	}
	if want := []string{"error line-too-long 2:1"}; len(s.trials) != 2 || !slices.Equal(s.reported(), want) {
		t.Errorf("%d trials, problems %q, want 2, %q", len(s.trials), s.reported(), want)
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// letters is text without end and without line ends.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestLongLineIsRead(t *testing.T) {
	const size = 20 << 20
	s := readText(`{"test":"a","status":"fail","output":"` + strings.Repeat(`\n`, size/2) + `"}` + "\n" + `{"test":"b","status":"pass"}`)
	if len(s.trials) != 2 || len(s.trials[0].Output) != size/2 || len(s.problems) != 0 {
		t.Errorf("%d trials, %v", len(s.trials), s.problems)
	}
}

func TestReadErrorKeepsWhatCameBefore(t *testing.T) {
	broken := errors.New("the cable is broken")
	s := &sink{}
	err := Read(io.MultiReader(strings.NewReader(`{"test":"a","status":"pass"}`+"\nlog\n"+`{"test":"b","st`), iotest.ErrReader(broken)), s)
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if want := []string{"warning noise 2:1 x1"}; len(s.trials) != 1 || !slices.Equal(s.reported(), want) {
		t.Errorf("%d trials, problems %q, want 1, %q", len(s.trials), s.reported(), want)
	}
}

// TestFollowsASlowPipe: a trial is delivered before the next line is there.
func TestFollowsASlowPipe(t *testing.T) {
	r, w := io.Pipe()
	arrived := make(chan string)
	go func() {
		_ = Read(r, &live{arrived: arrived}) // it ends when the pipe does
		close(arrived)
	}()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := fmt.Fprintf(w, `{"test":%q,"status":"pass"}`+"\n", name); err != nil {
			t.Fatal(err)
		}
		if got := <-arrived; got != name {
			t.Errorf("got %s, want %s", got, name)
		}
	}
	w.Close()
	<-arrived
}

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
		reported   []string
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
		{`"transcript":"x"`, nil, nil, []string{"ignored-field 1:42"}, "an array is expected, not a string", "a transcript that is a text"},
		{`"transcript":["x",{"role":"user","text":"hi"}]`, nil, []envelope.Turn{hi}, []string{"ignored-field 1:42"}, "transcript [0], which is not a message but a string", "a turn that is no object"},
		{`"transcript_file":"a.json"`, nil, []envelope.Turn{hi}, nil, "", "a file with an array"},
		{`"transcript_file":"lines.ndjson"`, nil, []envelope.Turn{hi, ho}, []string{"ignored-field 1:47"}, "the conversation \"lines.ndjson\" is read without line 2, which is not JSON", "a turn a line"},
		{`"transcript_file":"broken.json"`, nil, nil, []string{"ignored-field 1:47"}, "malformed or cut off at line 2, column 1", "a file that is no JSON"},
		{`"transcript_file":"empty"`, nil, nil, []string{"ignored-field 1:47"}, "the file is empty", "an empty file"},
		{`"transcript_file":"gone"`, nil, nil, []string{"ignored-field 1:47"}, "no such file", "no file"},
		{`"transcript_file":5`, nil, nil, []string{"ignored-field 1:47"}, "a string is expected, not a number", "no path"},
		{`"transcript_file":"gone","transcript":[{"role":"user","text":"hi"}]`, nil, []envelope.Turn{hi}, nil, "", "what is there needs no file"},
		{`"checks":null,"transcript":null,"transcript_file":null,"attachments":null`, nil, nil, nil, "", "null is absent"},
	} {
		s := readtest.Text(t, func(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, folder) }, `{"test":"a","status":"pass",`+c.fields+"}\n")
		if len(s.Trials) != 1 || !reflect.DeepEqual(s.Trials[0].Checks, c.checks) || !reflect.DeepEqual(s.Trials[0].Transcript, c.transcript) || !slices.Equal(s.Reported(), c.reported) {
			t.Errorf("%s: %+v, %q %v", c.reason, s.Trials, s.Reported(), s.Problems)
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

// sink keeps everything it is given, as copies.
type sink struct {
	trials   []envelope.Trial
	headers  []envelope.Header
	policies []*envelope.Carried
	problems []envelope.Problem
}

func (s *sink) Trial(t *envelope.Trial) {
	c := *t
	for _, text := range []*string{&c.Suite, &c.Test, &c.Variant, &c.Run, &c.RawStatus, &c.ErrorClass, &c.Message, &c.Output, &c.File} {
		*text = strings.Clone(*text)
	}
	c.Labels = nil
	for _, l := range t.Labels {
		c.Labels = append(c.Labels, envelope.Label{Name: strings.Clone(l.Name), Value: strings.Clone(l.Value)})
	}
	c.Transcript = envelope.CloneTurns(t.Transcript)
	s.trials = append(s.trials, c)
}

func (s *sink) Header(h envelope.Header, p *envelope.Carried) {
	s.headers, s.policies = append(s.headers, h), append(s.policies, p)
}

func (s *sink) Recorded(*envelope.Recorded) { panic("a trial stream holds no envelope") }

func (s *sink) Problem(p envelope.Problem) { s.problems = append(s.problems, p) }

// told is the problems in short: severity, code, line:column, count.
func (s *sink) reported() []string {
	var out []string
	for _, p := range s.problems {
		text := fmt.Sprintf("%s %s %d:%d", p.Severity, p.Code, p.Line, p.Column)
		if p.Count > 0 {
			text += fmt.Sprintf(" x%d", p.Count)
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return out
}

// readText reads a stream from memory.
func readText(text string) *sink {
	s := &sink{}
	if err := Read(strings.NewReader(text), s); err != nil {
		panic(err) // memory does not fail
	}
	return s
}
