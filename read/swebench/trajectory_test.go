package swebench

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/readtest"
)

// within reads a report in a folder.
func within(folder string) readtest.Reader {
	return func(r io.Reader, to envelope.Sink) error {
		return ReadIn(r, to, func(name string) (io.ReadCloser, error) { return os.Open(filepath.Join(folder, name)) })
	}
}

// TestMiniRun: a run of mini-swe-agent with two of its fifty trajectories. The counts are
// those that the report gives of itself.
func TestMiniRun(t *testing.T) {
	s := readtest.File(t, within("testdata/mini_2.0_run"), "testdata/mini_2.0_run/eval-results.json")
	ended := map[envelope.Status]int{}
	for _, trial := range s.Trials {
		ended[trial.Status]++
	}
	if !maps.Equal(ended, map[envelope.Status]int{envelope.Pass: 21, envelope.Fail: 27, envelope.Error: 2}) || len(s.Problems) > 0 {
		t.Fatalf("%v %v", ended, s.Problems)
	}
	const id = "scikit-learn__scikit-learn-15100"
	solved := of(t, s, id)
	if turns := readtest.Turns(solved); len(turns) != 7 || turns[2] != `assistant:  call_5sQtd1DnupHenw7MwcpcYaan=bash({"command":"ls -la"})` || !strings.HasPrefix(turns[3], "tool bash=call_5sQtd1DnupHenw7MwcpcYaan: <returncode>0") || !strings.HasPrefix(turns[6], "exit: diff --git") {
		t.Errorf("%q", turns)
	}
	first := solved.Transcript[2]
	if first.Tokens != envelope.Some[int64](2127) || first.AtMS != envelope.Some(0.0) || !first.CostUSD.OK || solved.Transcript[3].AtMS.V < 266 || solved.Transcript[3].AtMS.V > 267 {
		t.Errorf("%+v", solved.Transcript[2:4])
	}
	if solved.Status != envelope.Pass || solved.CostUSD != envelope.Some(0.0144584) || solved.Tokens != envelope.Some[int64](2127+3019) || solved.TranscriptFile != id+"/"+id+".traj.json" || !slices.Equal(solved.Labels, []envelope.Label{{Name: "exit_status", Value: "Submitted"}}) {
		t.Errorf("%+v", solved)
	}
	// the agent says that it handed something in, and what it handed in is empty
	if gave := of(t, s, "django__django-11066"); gave.RawStatus != "empty_patch" || len(gave.Transcript) != 5 || len(gave.Labels) != 1 {
		t.Errorf("%+v", gave)
	}
}

func of(t *testing.T, s *readtest.Sink, test string) envelope.Trial {
	t.Helper()
	at := slices.IndexFunc(s.Trials, func(trial envelope.Trial) bool { return trial.Test == test })
	if at < 0 {
		t.Fatalf("no trial of %q among %q", test, s.Lines())
	}
	return s.Trials[at]
}

// TestTrajectories: the files of other versions, beside a report of their instance.
func TestTrajectories(t *testing.T) {
	for _, c := range []struct {
		run, id, file string
		turns         []string // how they begin
		tokens        envelope.Opt[int64]
		cost          float64
		exit          string
	}{
		{"mini_1.15_run", "django__django-16255", "django__django-16255/django__django-16255.traj.json", []string{"system: You are", "user: <pr_description>", "assistant: THOUGHT: I need", "user: <returncode>0", "assistant: THOUGHT: I'm now ready", "user: diff --git"}, envelope.Some[int64](2005 + 5092), 0.08934840000000001, "Submitted"},
		{"sweagent_0.7_run", "pydicom__pydicom-1458", "pydicom__pydicom-1458.traj", []string{"system of primary: SETTING", "user of primary: Here is a demonstration", "user of primary: We're currently", "assistant of primary: First, I'll", "user of primary: [File: "}, envelope.Some[int64](122612 + 1369), 1.26719, "submitted"},
		{"sweagent_1.0_run", "marshmallow-code__marshmallow-1867", "marshmallow-code__marshmallow-1867/marshmallow-code__marshmallow-1867.traj", []string{"system of main: SETTING", "user of main: We're currently", "assistant of main: Let's list", "tool of main bash=call_9diWc1DYm4RLmPfHgIaP2wd: AUTHORS.rst", "assistant of main: We see", "tool of main open=call_m6a0mcd6137L21vgVmR0DQaU: [File: setup.py"}, envelope.Some[int64](0), 0, "submitted"},
	} {
		s := readtest.Text(t, within("testdata/"+c.run), `{"resolved_ids":[],"submitted_ids":["`+c.id+`"],"unresolved_ids":["`+c.id+`"],"incomplete_ids":["x"]}`)
		if len(s.Trials) != 2 || len(s.Problems) > 0 {
			t.Fatalf("%s: %v %v", c.run, s.Lines(), s.Problems)
		}
		trial := of(t, s, c.id)
		got := readtest.Turns(trial)
		if len(got) != len(c.turns) || !slices.EqualFunc(got, c.turns, strings.HasPrefix) {
			t.Errorf("%s: %q", c.run, got)
		}
		if trial.TranscriptFile != c.file || trial.Tokens != c.tokens || trial.CostUSD != envelope.Some(c.cost) || trial.Labels[0].Value != c.exit {
			t.Errorf("%s: %s %v %v %v", c.run, trial.TranscriptFile, trial.Tokens, trial.CostUSD, trial.Labels)
		}
	}
}

const one = `{"resolved_ids":["a"],"submitted_ids":["a"]}`

// holding reads a report with one trajectory in its folder.
func holding(text string) readtest.Reader {
	return func(r io.Reader, to envelope.Sink) error {
		return ReadIn(r, to, func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil })
	}
}

// TestBrokenTrajectories: whatever stands in its file, the trial counts, and it is told
// what of the conversation is missing.
func TestBrokenTrajectories(t *testing.T) {
	for _, c := range []struct {
		text             string
		turns            int
		reported, reason string
	}{
		{``, 0, "a/a.traj is not read", "an empty file"},
		{`{"info":{},"messages":[{"role":"user","content":"h`, 0, "without its conversation", "cut off in a message"},
		{`{"history":[{"role":"user","content":"hi"}],"info":{"exit_st`, 1, "a/a.traj is read without its end", "cut off behind the messages"},
		{`{"info":{"exit_status":"submitted"}}`, 0, "neither a history nor messages", "no conversation"},
		{`{"messages":7}`, 0, "neither a history nor messages", "messages that are none"},
		{`{"messages":[7,{"role":"user","content":"hi"}]}`, 1, "a/a.traj is read without ", "a message that is none"},
		{`[]`, 0, "without its conversation", "no object"},
		{`{"messages":[],"info":7}`, 0, "", "no messages, and an info that is none"},
		{`{"messages":[{"role":"tool","tool_call_ids":7,"extra":[{}]}],"info":{"model_stats":{"instance_cost":-1,"tokens_sent":"x"}}}`, 1, "", "odd values"},
	} {
		s := readtest.Text(t, holding(c.text), one)
		if len(s.Trials) != 1 || s.Trials[0].Status != envelope.Pass || len(s.Trials[0].Transcript) != c.turns || len(s.Problems) > 0 != (c.reported != "") {
			t.Errorf("%s: %v %v %q", c.reason, s.Lines(), s.Problems, readtest.Turns(s.Trials[0]))
		} else if c.reported != "" && (!strings.Contains(s.Problems[0].Message, c.reported) || s.Reported()[0] != envelope.CodeField+" 1:17") {
			t.Errorf("%s: %v", c.reason, s.Problems)
		}
	}
}

// FuzzTrajectory: whatever stands in the file of a conversation, the trial counts.
func FuzzTrajectory(f *testing.F) {
	files, _ := filepath.Glob("testdata/*_run/*/*.traj*")
	for _, name := range files {
		f.Add(readtest.Bytes(f, name))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s := readtest.Text(t, holding(string(text)), one)
		if readtest.Check(t, "fuzz", s); len(s.Trials) != 1 {
			t.Errorf("%v", s.Problems)
		}
	})
}
