package harbor

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/readtest"
)

// in reads the sample of a trial with a folder around it.
func in(t *testing.T, folder conversation.Folder) *readtest.Sink {
	t.Helper()
	return readtest.File(t, func(r io.Reader, to envelope.Sink) error { return ReadIn(r, to, folder) }, "testdata/trial.json")
}

// holds is a folder with one file.
func holds(text string) conversation.Folder {
	return func(path string) (io.ReadCloser, error) {
		if path != trajectoryFile {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

// TestTrajectory: four steps, two of them with a result each.
func TestTrajectory(t *testing.T) {
	s := in(t, func(path string) (io.ReadCloser, error) { return os.Open("testdata/" + path) })
	want := []string{"system: You are in a container.", "user: Build pmars.", `assistant: Looking. <Where is it?> c1=bash({"cmd": "ls"}) c2=read({"path": "Makefile"})`,
		"tool bash=c1: Makefile", "tool read=c2: all:", "assistant: Done."}
	got := s.Trials[0]
	for i, line := range readtest.Turns(got) {
		if strings.ReplaceAll(line, " ", "") != strings.ReplaceAll(want[i], " ", "") { // arguments are the same objects, however they are spaced
			t.Errorf("turn %d: %s, want %s", i, line, want[i])
		}
	}
	if len(got.Transcript) != len(want) || got.Status != envelope.Fail || len(s.Problems) > 0 {
		t.Fatalf("%d turns, %s, %v", len(got.Transcript), got.Status, s.Problems)
	}
	if agent := got.Transcript[2]; agent.AtMS != envelope.Some(2000.0) || agent.Tokens != envelope.Some[int64](950) || agent.CostUSD != envelope.Some(0.01) {
		t.Errorf("%+v", agent)
	}
	if picture := []envelope.Attachment{{Path: "agent/images/1.png", MediaType: "image/png"}}; !reflect.DeepEqual(got.Transcript[4].Attachments, picture) || got.Transcript[5].AtMS.OK {
		t.Errorf("%+v", got.Transcript[4:])
	}
}

func TestTrajectories(t *testing.T) {
	cases := []struct {
		folder   conversation.Folder
		turns    []string
		reported string
		reason   string
	}{
		{nil, nil, "", "standard input has no folder"},
		{func(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }, nil, "", "an agent that writes none"},
		{func(string) (io.ReadCloser, error) { return nil, errors.New("permission denied") }, nil, "permission denied", "one that cannot be opened"},
		{holds(""), nil, "the file is empty", "an empty file"},
		{holds(`{"steps":[{"source":"agent"`), nil, "cut off at line 1, column 27", "cut off"},
		{holds(`{"steps":{}}`), nil, "no list of steps", "no list"},
		{holds(`[]`), nil, "no list of steps", "no trajectory"},
		{holds(`{"steps":[]}`), []string{}, "", "no steps"},
		{holds(`{"steps":[1,{"source":"robot","message":null},{"source":7,"tool_calls":"x","observation":{"results":[{"content":"seen"}]},"metrics":{"cost_usd":-1}}]}`),
			[]string{"robot: ", "7: ", "tool: seen"}, "cost_usd is negative", "steps of another kind"},
	}
	for _, c := range cases {
		s := in(t, c.folder)
		if len(s.Trials) != 1 || s.Trials[0].Status != envelope.Fail || !slices.Equal(readtest.Turns(s.Trials[0]), c.turns) || (len(s.Problems) > 0) != (c.reported != "") {
			t.Errorf("%s: %v %v %q", c.reason, s.Lines(), s.Problems, readtest.Turns(s.Trials[0]))
			continue
		}
		if c.reported != "" && !strings.Contains(s.Problems[0].Message, c.reported) {
			t.Errorf("%s: %s", c.reason, s.Problems[0].Message)
		}
	}
}
