// Package readtest reads for tests and says what was read.
//
// It exists so that the tests of all readers say it in the same words. It knows no
// format, and nothing but tests imports it.
package readtest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// Reader is the door of a format.
type Reader func(r io.Reader, to envelope.Sink) error

// Sink keeps everything it is given, as copies.
type Sink struct {
	Trials   []envelope.Trial
	Headers  []envelope.Header
	Policies []*envelope.Carried // of the headers
	Problems []envelope.Problem
	Reports  int // of ours
}

func (s *Sink) Trial(t *envelope.Trial) {
	c := *t
	for _, text := range []*string{&c.Suite, &c.Test, &c.Variant, &c.Run, &c.RawStatus, &c.ErrorClass, &c.Message, &c.Output, &c.File} {
		*text = strings.Clone(*text)
	}
	c.Labels = nil
	for _, l := range t.Labels {
		c.Labels = append(c.Labels, envelope.Label{Name: strings.Clone(l.Name), Value: strings.Clone(l.Value)})
	}
	c.Checks, c.Transcript = slices.Clone(t.Checks), envelope.CloneTurns(t.Transcript)
	s.Trials = append(s.Trials, c)
}

func (s *Sink) Header(h envelope.Header, p *envelope.Carried) {
	s.Headers, s.Policies = append(s.Headers, h), append(s.Policies, p)
}

func (s *Sink) Recorded(*envelope.Recorded) { s.Reports++ }

func (s *Sink) Problem(p envelope.Problem) { s.Problems = append(s.Problems, p) }

// Reported lists the problems as code and place.
func (s *Sink) Reported() (out []string) {
	for _, p := range s.Problems {
		out = append(out, fmt.Sprintf("%s %d:%d", p.Code, p.Line, p.Column))
	}
	return out
}

// Lines lists the trials as suite/test [variant] #attempt status, then raw status, error class and retry.
func (s *Sink) Lines() (out []string) {
	for _, t := range s.Trials {
		head := fmt.Sprintf("%s #%d %s", t.Key, t.Attempt.Or(-1), t.Status)
		out = append(out, words.Join(" ", head, t.RawStatus, t.ErrorClass, words.If(t.Retry, "retry")))
	}
	return out
}

// Strips is a letter a trial of each test, retries in lower case, and ? for one that is not numbered in its order.
func (s *Sink) Strips() map[string]string {
	out := map[string]string{}
	for _, t := range s.Trials {
		name := t.Key.String()
		letter := strings.ToUpper(string(t.Status[:1]))
		if t.Retry {
			letter = strings.ToLower(letter)
		}
		if int(t.Attempt.V) != len(out[name]) || !t.Attempt.OK {
			letter = "?"
		}
		out[name] += letter
	}
	return out
}

// Checks is the checks of a trial in short: name, status, score, reason.
func Checks(t envelope.Trial) (out []string) {
	for _, c := range t.Checks {
		score := words.If(c.Score.OK, fmt.Sprintf(" %v", c.Score.V))
		out = append(out, c.Name+": "+string(c.Status)+score+words.Around(" (", c.Reason, ")"))
	}
	return out
}

// Turns is the conversation of a trial in short, a turn each: role, agent, text, calls, what they answer.
func Turns(t envelope.Trial) (out []string) {
	for _, turn := range t.Transcript {
		line := turn.Role + words.Around(" of ", turn.Agent) +
			words.If(turn.ToolCallID != "" || turn.Name != "", " "+turn.Name+"="+turn.ToolCallID) + words.If(turn.Error, " failed") +
			": " + turn.Text + words.Around(" <", turn.Reasoning, ">")
		for _, c := range turn.ToolCalls {
			line += fmt.Sprintf(" %s=%s(%s)", c.ID, c.Name, c.Arguments)
		}
		out = append(out, line)
	}
	return out
}

// Text reads a text. Memory does not fail.
func Text(t testing.TB, read Reader, text string) *Sink {
	t.Helper()
	s := &Sink{}
	if err := read(strings.NewReader(text), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// File reads a file.
func File(t testing.TB, read Reader, name string) *Sink {
	t.Helper()
	return Text(t, read, string(Bytes(t, name)))
}

// Bytes is a file.
func Bytes(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Samples are the files of testdata, without fuzzing's own and the README.
func Samples(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || info.IsDir() || strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".txtar")
	})
	if len(names) == 0 {
		t.Fatal("no samples")
	}
	return names
}

// Check holds what is true of every input: problems have words and, but for warnings, places, trials have names, a
// status, a score or checks, and an attempt, and so have checks but for the attempt.
func Check(t testing.TB, what string, s *Sink) {
	t.Helper()
	for _, p := range s.Problems {
		if placed := p.Line > 0 && p.Column > 0; !placed && p.Severity == envelope.SeverityError || p.Message == "" || p.Code == "" ||
			p.Severity == "" {
			t.Errorf("%s: %+v", what, p)
		}
	}
	for _, trial := range s.Trials {
		if trial.Test == "" || trial.Status == "" && !trial.Score.OK && len(trial.Checks) == 0 || !trial.Attempt.OK || trial.Attempt.V < 0 ||
			trial.DurationMS.V < 0 || trial.Line < 0 {
			t.Errorf("%s: %+v", what, trial)
		}
		for _, c := range trial.Checks {
			if c.Name == "" || c.Status == "" && !c.Score.OK {
				t.Errorf("%s: check %+v of %+v", what, c, trial)
			}
		}
	}
}
