// Package readtest holds what every reader of a format must hold, for the tests
// of their folders.
//
// It exists so that each reader is put to the same proof: cut files, garbage,
// flipped bytes, failing and slow inputs, files of other formats. It knows no
// format, and nothing but tests imports it.
package readtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"tribunal/envelope"
)

// Reader is the door of a format.
type Reader func(r io.Reader, to envelope.Sink) error

// Sink keeps everything it is given, as copies.
type Sink struct {
	Trials   []envelope.Trial
	Headers  []envelope.Header
	Policies []*envelope.Carried // of the headers
	Problems []envelope.Problem
}

// Trial implements envelope.Sink.
func (s *Sink) Trial(t *envelope.Trial) {
	c := *t
	for _, text := range []*string{&c.Suite, &c.Test, &c.Variant, &c.Run, &c.RawStatus, &c.ErrorClass, &c.Message, &c.Output, &c.File} {
		*text = strings.Clone(*text)
	}
	c.Labels = nil
	for _, l := range t.Labels {
		c.Labels = append(c.Labels, envelope.Label{Name: strings.Clone(l.Name), Value: strings.Clone(l.Value)})
	}
	c.Transcript = envelope.CloneTurns(t.Transcript)
	s.Trials = append(s.Trials, c)
}

// Header implements envelope.Sink.
func (s *Sink) Header(h envelope.Header, p *envelope.Carried) {
	s.Headers, s.Policies = append(s.Headers, h), append(s.Policies, p)
}

// Recorded implements envelope.Sink.
func (s *Sink) Recorded(*envelope.Recorded) { panic("runners write no envelopes") }

// Problem implements envelope.Sink.
func (s *Sink) Problem(p envelope.Problem) { s.Problems = append(s.Problems, p) }

// Told is the problems in short: code and place.
func (s *Sink) Told() (out []string) {
	for _, p := range s.Problems {
		out = append(out, fmt.Sprintf("%s %d:%d", p.Code, p.Line, p.Column))
	}
	return out
}

// Lines is the trials in short: suite/test [variant] #attempt status, and what
// else is said of how it ended.
func (s *Sink) Lines() (out []string) {
	for _, t := range s.Trials {
		line := fmt.Sprintf("%s #%d %s", t.Key, t.Attempt.Or(-1), t.Status)
		for _, more := range []string{t.RawStatus, t.ErrorClass} {
			if more != "" {
				line += " " + more
			}
		}
		if t.Retry {
			line += " retry"
		}
		out = append(out, line)
	}
	return out
}

// Strips is a letter a trial of each test, retries in lower case, and ? for one
// that is not numbered in its order.
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

// Counts is how many trials there are of each status, and how many retries.
func (s *Sink) Counts() string {
	n := map[envelope.Status]int{}
	tests, retries := map[envelope.Key]bool{}, 0
	for _, t := range s.Trials {
		n[t.Status]++
		tests[t.Key] = true
		if t.Retry {
			retries++
		}
	}
	return fmt.Sprintf("%d tests, %d trials: %d pass, %d fail, %d error, %d skip, %d retries",
		len(tests), len(s.Trials), n[envelope.Pass], n[envelope.Fail], n[envelope.Error], n[envelope.Skip], retries)
}

// Checks is the checks of a trial in short: name, status, score, reason.
func Checks(t envelope.Trial) (out []string) {
	for _, c := range t.Checks {
		line := c.Name + ": " + string(c.Status)
		if c.Score.OK {
			line += fmt.Sprintf(" %v", c.Score.V)
		}
		if c.Reason != "" {
			line += " (" + c.Reason + ")"
		}
		out = append(out, line)
	}
	return out
}

// Turns is the conversation of a trial in short, a turn each: role, agent, text,
// calls, what they answer.
func Turns(t envelope.Trial) (out []string) {
	for _, turn := range t.Transcript {
		line := turn.Role
		if turn.Agent != "" {
			line += " of " + turn.Agent
		}
		if turn.ToolCallID != "" || turn.Name != "" {
			line += " " + turn.Name + "=" + turn.ToolCallID
		}
		if turn.Error {
			line += " failed"
		}
		line += ": " + turn.Text
		if turn.Reasoning != "" {
			line += " <" + turn.Reasoning + ">"
		}
		for _, c := range turn.ToolCalls {
			line += fmt.Sprintf(" %s=%s(%s)", c.ID, c.Name, c.Arguments)
		}
		out = append(out, line)
	}
	return out
}

// Outside is trials without what is inside of them: for tests of how they ended.
func Outside(trials ...envelope.Trial) []envelope.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		trials[i].Checks, trials[i].Transcript, trials[i].Attachments = nil, nil, nil
	}
	return trials
}

// Find returns the trial of a test, by name and attempt.
func (s *Sink) Find(t testing.TB, test string, attempt int32) envelope.Trial {
	t.Helper()
	for _, trial := range s.Trials {
		if trial.Test == test && trial.Attempt == envelope.Some(attempt) {
			return trial
		}
	}
	t.Fatalf("no trial %d of %q among %q", attempt, test, s.Lines())
	return envelope.Trial{}
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
		return err != nil || info.IsDir() || strings.HasSuffix(name, ".md")
	})
	if len(names) == 0 {
		t.Fatal("no samples")
	}
	return names
}

// Hold puts a reader to the proof with the samples of its folder.
func Hold(t *testing.T, sniff func([]byte) bool, read Reader) {
	for _, name := range Samples(t) {
		text := Bytes(t, name)
		t.Run(filepath.Base(name), func(t *testing.T) {
			cutAnywhere(t, sniff, read, text)
			flipped(t, read, text)
			slow(t, read, text)
			broken(t, read, text)
		})
	}
	garbage(t, read)
	Sniffed(t, sniff)
}

// Check holds what is true of every input: problems have places and words,
// trials have names, a status, a score or checks, and an attempt, and so have checks
// but for the attempt.
func Check(t testing.TB, what string, s *Sink) {
	t.Helper()
	for _, p := range s.Problems {
		if p.Line < 1 || p.Column < 1 || p.Message == "" || p.Code == "" || p.Severity == "" {
			t.Errorf("%s: %+v", what, p)
		}
	}
	for _, trial := range s.Trials {
		if trial.Test == "" || trial.Status == "" && !trial.Score.OK && len(trial.Checks) == 0 || !trial.Attempt.OK || trial.Attempt.V < 0 || trial.DurationMS.V < 0 || trial.Line < 0 {
			t.Errorf("%s: %+v", what, trial)
		}
		for _, c := range trial.Checks {
			if c.Name == "" || c.Status == "" && !c.Score.OK {
				t.Errorf("%s: check %+v of %+v", what, c, trial)
			}
		}
	}
}

func cutAnywhere(t *testing.T, sniff func([]byte) bool, read Reader, text []byte) {
	const step = 97
	for cut := 0; cut < len(text); cut += step {
		sniff(text[:cut])
		Check(t, fmt.Sprintf("cut at %d", cut), Text(t, read, string(text[:cut])))
	}
}

func flipped(t *testing.T, read Reader, text []byte) {
	text = bytes.Clone(text)
	for at := 0; at < len(text); at += 1 + len(text)/200 {
		text[at] ^= 0x15
		Check(t, fmt.Sprintf("flipped at %d", at), Text(t, read, string(text)))
		text[at] ^= 0x15
	}
}

// slow: the result does not depend on how the input is cut into reads.
func slow(t *testing.T, read Reader, text []byte) {
	want, got := Text(t, read, string(text)), &Sink{}
	if err := read(iotest.OneByteReader(bytes.NewReader(text)), got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("a byte at a time: %v, %q %q", err, got.Lines(), got.Told())
	}
}

func broken(t *testing.T, read Reader, text []byte) {
	cable := errors.New("the cable is broken")
	for _, at := range []int{0, 1, len(text) / 2, len(text)} {
		s := &Sink{}
		if err := read(io.MultiReader(bytes.NewReader(text[:at]), iotest.ErrReader(cable)), s); !errors.Is(err, cable) {
			t.Errorf("broken at %d: %v", at, err)
		}
		Check(t, "broken", s)
	}
}

func garbage(t *testing.T, read Reader) {
	for _, text := range []string{
		"", "\n", "\uFEFF", "hello\nworld\n", "\x00\xff\xfe\x01\n\n\x80", "{}", "[]", "[{}]", "null", "5", `"a"`, "{\n", "[",
		strings.Repeat("[{", 50000), strings.Repeat("[", 200000), strings.Repeat(`{"a":`, 50000), strings.Repeat(`"`, 50000), strings.Repeat("{\n", 50000),
		`{"a":[1,2,{"b":null}]}`, `{"a":1}{"b":2}`, "[1,2]\n[3]", "<a/>", "1..2\nok 1\n",
	} {
		s := Text(t, read, text)
		Check(t, text[:min(len(text), 40)], s)
		if len(s.Trials) > 0 {
			t.Errorf("%.40q has trials: %q", text, s.Lines())
		}
	}
}

// Sniffed: all samples of this folder are claimed, none of any other, and no beginning of one.
func Sniffed(t *testing.T, sniff func([]byte) bool) {
	const headSize = 64 << 10
	own, _ := filepath.Abs("testdata")
	files, _ := filepath.Glob("../*/testdata/*")
	streams, _ := filepath.Glob("../../testdata/streams/*")
	for _, name := range append(files, streams...) {
		text, err := os.ReadFile(name)
		if err != nil || strings.HasSuffix(name, ".md") {
			continue // a folder
		}
		path, _ := filepath.Abs(filepath.Dir(name))
		if got := sniff(text[:min(len(text), headSize)]); got != (path == own) {
			t.Errorf("Sniff says %v of %s", got, name)
		}
		for n := 0; path != own && n < min(len(text), 8<<10); n += 97 {
			if sniff(text[:n]) {
				t.Errorf("%s, cut to %d bytes, is claimed", name, n)
			}
		}
	}
}

// Fuzz fuzzes a reader, seeded with its samples and some texts.
func Fuzz(f *testing.F, sniff func([]byte) bool, read Reader, texts ...string) {
	for _, name := range Samples(f) {
		f.Add(Bytes(f, name))
	}
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sniff(text)
		Check(t, "fuzz", Text(t, read, string(text)))
	})
}
