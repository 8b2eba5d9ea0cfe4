package agentv

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/readtest"
)

// said is the conversation that the made-up agent had, in both of its files.
var said = []string{"user: Refund order 7.", `assistant: I look it up. <Look first.> c1=find_order({"order":7}) c2=refund({"order":7})`, `tool find_order=c1: {"item":"cake","price":12.5}`, "tool refund=c2 failed: out of cakes", "assistant: I could not refund it."}

// reading reads an index with the files of its run.
func reading(run func(string) (io.ReadCloser, error)) func(io.Reader, envelope.Sink) error {
	return func(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, run) }
}

// within opens the files of a folder.
func within(folder string) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, name)) }
}

func TestRunFolder(t *testing.T) {
	for run, trials := range map[string]int{"run": 1, "repeated": 2} {
		folder := "testdata/5.3.1_" + run
		s := readtest.File(t, reading(within(folder)), folder+"/.internal/index.jsonl")
		if len(s.Trials) != trials || len(s.Problems) > 0 {
			t.Fatalf("%s: %v %v", run, s.Lines(), s.Problems)
		}
		for _, trial := range s.Trials {
			turns := trial.Transcript
			if !slices.Equal(readtest.Turns(trial), said) || !strings.HasSuffix(trial.TranscriptFile, "/transcript.json") {
				t.Fatalf("%s: %q of %s", run, readtest.Turns(trial), trial.TranscriptFile)
			}
			if turns[1].Reasoning != "Look first." || turns[1].AtMS != envelope.Some(1500.0) || turns[1].Tokens != envelope.Some[int64](150) || turns[2].DurationMS != envelope.Some(40.0) || turns[2].Error || !turns[3].Error {
				t.Errorf("%s: %+v", run, turns)
			}
		}
	}
}

// TestRawFile: of a run without its transcript.json the other file is read, which is
// said.
func TestRawFile(t *testing.T) {
	without := func(name string) (io.ReadCloser, error) {
		if filepath.Base(name) == "transcript.json" {
			return nil, fs.ErrNotExist
		}
		return within("testdata/5.3.1_run")(name)
	}
	s := readtest.File(t, reading(without), "testdata/5.3.1_run/.internal/index.jsonl")
	trial := s.Trials[0]
	if !slices.Equal(readtest.Turns(trial), said) || trial.Transcript[1].AtMS != envelope.Some(1500.0) || !trial.Transcript[3].Error || trial.Transcript[1].Reasoning != "Look first." {
		t.Errorf("%q %+v", readtest.Turns(trial), trial.Transcript)
	}
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].Message, "transcript-raw.jsonl, because ") || !strings.Contains(s.Problems[0].Message, "transcript.json is not read") {
		t.Errorf("%v", s.Problems)
	}
	repeated := readtest.File(t, reading(func(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }), "testdata/5.3.1_repeated/.internal/index.jsonl")
	if len(repeated.Trials) != 2 || repeated.Trials[0].Transcript != nil || len(repeated.Problems) > 0 {
		t.Errorf("samples do not say that there is a conversation: %v %v", repeated.Lines(), repeated.Problems)
	}
}

func TestSidecars(t *testing.T) {
	holds := func(text string) func(string) (io.ReadCloser, error) {
		return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	const whole = `{"schema_version":"agentv.normalized_transcript.v1","turns":`
	for _, c := range []struct {
		path             string
		run              func(string) (io.ReadCloser, error)
		want             []string
		reported, reason string
	}{
		{"a/transcript.json", nil, nil, "", "standard input has no folder"},
		{"a/transcript.json", holds(""), nil, "the file is empty", "an empty file"},
		{"a/transcript.json", holds(whole + `[{"type":"user"`), nil, "cut off at line 1, column 75", "cut off"},
		{"a/transcript.json", holds("{\n  \"schema_version\": \"agentv.normalized_transcript.v1\",\n  \"turns\": [\n    {\n"), nil, "line 4, column 5", "cut off between lines"},
		{"a/transcript.json", holds(whole + `7}`), nil, "no list of turns", "no list"},
		{"a/transcript.json", holds(whole + `[]}`), nil, "", "no turns"},
		{"a/transcript.json", holds(whole + `[{"type":"user","content":[7,{"type":"text","text":{}},{"type":"tool_use"},{"type":"tool_use","name":"f","result":7},{"type":"image","source":"a.png"}]},7,{"type":"robot"}]}`), []string{`user: {} =() =f()`, "robot: "}, "", "odd blocks"},
		{"a/transcript.jsonl", holds(`{"v":1,"type":"user","content":[{"type":"text","text":"hi"}]}` + "\n" + `{"v":1,"ty`), []string{"user: hi"}, "line 2, which is not JSON", "a turn a line, cut off"},
		{"a/transcript-raw.jsonl", holds(`{"timestamp":"2026","type":"response_item","payload":{}}` + "\n{}\n"), nil, "the agent's own format", "a copy of what an agent keeps for itself"},
		{"a/transcript.json", holds(strings.Repeat(" ", conversation.MostBytes+1)), nil, "more than 64 MiB", "too large"},
		{"../../etc/passwd", holds("x"), nil, "only files named", "another file"},
		{"a/id_rsa", holds("x"), nil, "only files named", "another file in the folder"},
	} {
		row := `{"test_id":"t","target":"m","score":1,"execution_status":"ok","transcript_path":"` + c.path + `"}` + "\n"
		s := readtest.Text(t, reading(c.run), row)
		if len(s.Trials) != 1 || s.Trials[0].Status != envelope.Pass || !slices.Equal(readtest.Turns(s.Trials[0]), c.want) || (len(s.Problems) > 0) != (c.reported != "") {
			t.Errorf("%s: %v %v %q", c.reason, s.Lines(), s.Problems, readtest.Turns(s.Trials[0]))
			continue
		}
		if c.reported != "" && !strings.Contains(s.Problems[0].Message, c.reported) {
			t.Errorf("%s: %s", c.reason, s.Problems[0].Message)
		}
	}
}

// FuzzSidecar: whatever stands in the file of a conversation, the trial counts.
func FuzzSidecar(f *testing.F) {
	for _, name := range []string{names[0], names[2]} {
		f.Add(readtest.Bytes(f, "testdata/5.3.1_run/refunds-a-cake--fc975badaf78/sample-1/"+name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		run := func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(text))), nil }
		s := readtest.Text(t, reading(run), `{"test_id":"t","target":"m","score":1,"execution_status":"ok","transcript_path":"transcript.json"}`+"\n")
		if readtest.Check(t, "fuzz", s); len(s.Trials) != 1 {
			t.Errorf("%v", s.Problems)
		}
	})
}

// TestCutIndex: the summary beside an index, which AgentV 5 writes when all is done, says how
// many samples there are. Its 20 are those of the whole index.
func TestCutIndex(t *testing.T) {
	summary, index := readtest.Bytes(t, "testdata/5.3.1_repeat5.summary.json"), string(readtest.Bytes(t, "testdata/5.3.1_repeat5.index.jsonl"))
	beside := reading(func(path string) (io.ReadCloser, error) {
		if path == "summary.json" {
			return io.NopCloser(bytes.NewReader(summary)), nil
		}
		return nil, fs.ErrNotExist
	})
	first, _, _ := strings.Cut(index, "\n")
	for text, want := range map[string][]string{index: nil, first + "\n": {"truncated-line 1:1"}} {
		if s := readtest.Text(t, beside, text); !slices.Equal(s.Reported(), want) {
			t.Errorf("%d trials: %q, want %q", len(s.Trials), s.Problems, want)
		}
	}
}
