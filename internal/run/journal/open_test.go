package journal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tribunal/envelope"
	"tribunal/internal/run/journal"
)

// every is a journal with a line of each type, and what it is told again as.
func every(t *testing.T, dir string) []journal.Line {
	t.Helper()
	h := header("a", "b")
	j := must(journal.Create(dir, h))(t)
	defer j.Close()
	trial := &envelope.Trial{
		Key: envelope.Key{Suite: "s", Test: "a", Variant: "v"}, Run: runID, Attempt: envelope.Some[int32](0), Status: envelope.Error, RawStatus: "exit 75",
		Score: envelope.Some(0.5), Category: envelope.Some[int32](2), DurationMS: envelope.Some(1.25), SetupMS: envelope.Some(2.0), CostUSD: envelope.Some(0.1),
		SetupCostUSD: envelope.Some(0.0), Tokens: envelope.Some[int64](1 << 40), ToolCalls: envelope.Some[int32](0), ErrorClass: "infrastructure",
		Message: "no route\nto <host> ##[x \x1b[1m", Output: "…", File: "a_test.go", Line: 3, StartedAt: began,
		Labels: []envelope.Label{{Name: "tier", Value: "slow"}},
	}
	lines := []journal.Line{
		journal.Start{Key: trial.Key, At: began, ID: "x1", Slot: 2, Number: envelope.Some(4)},
		journal.Start{Key: trial.Key, Attempt: 1, Try: 1, At: began, ID: "x2", Check: true},
		journal.Held{Trial: passed("a", 1)},
		journal.Trial{Trial: trial},
		journal.Trial{Trial: passed("a", 1)},
		journal.Beyond{Trial: passed("a", 2)},
		journal.Cut{Key: trial.Key, Attempt: 2, Try: 1, Why: "lost"},
		journal.Ended{Key: trial.Key, How: envelope.EndedCut},
		journal.End{How: "interrupted"},
		journal.Resume{At: began, Boot: "other"},
		journal.Ended{Key: trial.Key, How: envelope.EndedFull},
		journal.Note{Code: envelope.CodeLeftBehind, Key: trial.Key, Count: 3, Message: "3 processes"},
		journal.Note{Code: envelope.CodeLeftBehind, Message: "of the run"},
		journal.Setup{At: began, MS: 1234.5, CostUSD: envelope.Some(0.25)},
		journal.Setup{At: began},
		journal.End{How: journal.Finished},
	}
	succeed(t, j.Commit(lines...))
	return append([]journal.Line{h.Plan.Tests}, lines...)
}

func replay(t *testing.T, j *journal.Journal) (lines []journal.Line) {
	t.Helper()
	succeed(t, j.Replay(func(l journal.Line) error { lines = append(lines, l); return nil }))
	return lines
}

// TestToldAgain: what was written is told again, line by line, and only its owner
// may read it.
func TestToldAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), journal.Runs, runID)
	want := every(t, dir)
	j := must(journal.Open(dir))(t)
	defer j.Close()
	if diff := cmp.Diff(want, replay(t, j)); diff != "" {
		t.Error(diff)
	}
	h := header("a", "b")
	h.Plan.Command = nil // it is not written
	if diff := cmp.Diff(h, j.Header()); diff != "" {
		t.Error(diff)
	}
	if j.Ended() != journal.Finished || j.Torn() != 0 {
		t.Errorf("it ended %q with %d bytes torn", j.Ended(), j.Torn())
	}
	for path, mode := range map[string]fs.FileMode{dir: 0o700, j.Path(): 0o600} {
		if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, mode)
		}
	}
	text := must(os.ReadFile(j.Path()))(t)
	first, _, _ := strings.Cut(string(text), "\n")
	if want := `{"type":"run","schema":"tribunal/trials/v1","id":"` + runID + `","started_at":"2026-11-22T09:17:39Z","policy":{"rule":"all"},"journal":1,"plan":"sha256:`; !strings.HasPrefix(first, want) ||
		!strings.HasSuffix(first, `","seed":7,"boot":"boot","hash":"1cb6927364ac0580"}`) {
		t.Errorf("it begins with %s", first)
	}
}

// TestTornAnywhere: whatever is left of the last line, the lines before it stand,
// what is left is kept beside, and the next line is not lost with it.
func TestTornAnywhere(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	lines := every(t, whole)
	text := must(os.ReadFile(filepath.Join(whole, journal.FileName)))(t)
	last := 1 + bytes.LastIndexByte(text[:len(text)-1], '\n')
	for size := last; size < len(text); size++ {
		dir := t.TempDir()
		succeed(t, os.WriteFile(filepath.Join(dir, journal.FileName), text[:size], 0o600))
		j := must(journal.Open(dir))(t)
		succeed(t, j.Commit(journal.End{How: "time"}))
		want := append(lines[:len(lines)-1:len(lines)-1], journal.End{How: "time"})
		if diff := cmp.Diff(want, replay(t, j)); diff != "" {
			t.Fatalf("%d bytes of the last line: %s", size-last, diff)
		}
		torn, err := os.ReadFile(filepath.Join(dir, "torn"))
		if size > last && (err != nil || !bytes.Equal(torn, text[last:size])) || size == last && !errors.Is(err, fs.ErrNotExist) || j.Torn() != size-last {
			t.Errorf("%d bytes of the last line: %q, %v was kept, %d bytes were torn", size-last, torn, err, j.Torn())
		}
		j.Close()
	}
}

// TestChangedPlan: all that differs is named, and what may differ is not.
func TestChangedPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	h := header("a", "b", "c")
	h.Plan.Policy.Policy = envelope.Policy{Rule: "anytime", Threshold: envelope.Some(0.9), Confidence: envelope.Some(0.95)}
	for i := range h.Plan.Tests {
		h.Plan.Tests[i].Sequential = i > 0
	}
	j := must(journal.Create(dir, h))(t)
	j.Close()
	j = must(journal.Open(dir))(t)
	defer j.Close()
	for _, c := range []struct {
		name, want string
		change     func(p *journal.Plan)
	}{
		{"nothing", "", func(*journal.Plan) {}},
		{"more trials of a sequential rule", "", func(p *journal.Plan) { p.Tests[1].Trials = 2000 }},
		{"gates and limits", "", func(p *journal.Plan) {
			p.Policy.Gates, p.Policy.TreatAs = []envelope.GateExpr{{Name: "g", Expr: "true"}}, "fail"
		}},
		{"more trials of another rule", "changed test: s/a (1,000 planned trials before, now 2,000 planned trials)", func(p *journal.Plan) { p.Tests[0].Trials = 2000 }},
		{"command", "the command has changed, or how its output is read or compared", func(p *journal.Plan) { p.Command = []string{"./agent {test}"} }},
		{"rule", `rule was "anytime" and is "sprt"`, func(p *journal.Plan) { p.Policy.Rule = "sprt" }},
		{"a rule that has no confidence", `rule was "anytime" and is "all"; threshold was given`, func(p *journal.Plan) {
			p.Policy.Rule, p.Policy.Threshold, p.Policy.Confidence = "all", envelope.Opt[float64]{}, envelope.Opt[float64]{}
		}},
		{"threshold", "threshold was 0.9 and is 0.8", func(p *journal.Plan) { p.Policy.Threshold = envelope.Some(0.8) }},
		{"no confidence", "confidence was given", func(p *journal.Plan) { p.Policy.Confidence = envelope.Opt[float64]{} }},
		{"seed and a test", "the seed was 7 and is 8; new test: s/d; 2 missing tests, such as s/b", func(p *journal.Plan) {
			p.Seed, p.Tests = 8, append(p.Tests[:1], journal.Test{Key: envelope.Key{Suite: "s", Test: "d"}})
		}},
		{"shard", "changed test: s/c (of another shard)", func(p *journal.Plan) { p.Tests[2].Elsewhere = true }},
	} {
		now := h.Plan
		now.Tests = append(journal.Tests(nil), h.Plan.Tests...)
		c.change(&now)
		err := j.Check(now)
		var changed *journal.ChangedError
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (!errors.As(err, &changed) || strings.Join(changed.Differences, "; ") != c.want):
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestLatest: the run to go on with is the latest that has not come to its end.
func TestLatest(t *testing.T) {
	root := t.TempDir()
	runs := filepath.Join(root, journal.Runs)
	if _, err := journal.Latest(runs); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a run: %v", err)
	}
	for i, end := range []string{"", "interrupted", journal.Finished} {
		j, err := journal.Create(filepath.Join(runs, journal.NewID(began.AddDate(0, 0, i), 0x4f2a)), header("a"))
		if err == nil && end != "" {
			err = j.Commit(journal.End{How: end})
		}
		succeed(t, errors.Join(err, j.Close()))
	}
	if err := os.MkdirAll(filepath.Join(runs, "99991122T091739Z-0000"), 0o700); err != nil { // it died before its first line
		t.Fatal(err)
	}
	succeed(t, os.WriteFile(filepath.Join(runs, "README"), nil, 0o600))
	dir, err := journal.Latest(runs)
	if want := filepath.Join(runs, "20261123T091739Z-4f2a"); err != nil || dir != want {
		t.Fatalf("%s, %v, want %s", dir, err, want)
	}
	j, err := journal.Open(dir)
	if err == nil {
		err = j.Commit(journal.Resume{At: began}, journal.End{How: journal.Finished})
	}
	succeed(t, errors.Join(err, j.Close()))
	if dir, err := journal.Latest(runs); err != nil || filepath.Base(dir) != runID {
		t.Errorf("then %s, %v", dir, err)
	}
}

// TestNoJournal: what is none is told apart from what is damaged, and with the line.
func TestNoJournal(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "died before its first line",
		`{"type":"run","sche`:      "died before its first line",
		`{"test":"a"}` + "\n":      "journal.ndjson:1: a journal begins with",
		`{"type":"run"}` + "\nx\n": "journal.ndjson:1: a journal begins with",
		`{"type":"run","schema":"tribunal/trials/v1","journal":2}` + "\n":               "version 2",
		`{"type":"run","schema":"tribunal/trials/v1","journal":1}` + "\n{\n{}\n":        "journal.ndjson:2: ",
		`{"type":"run","schema":"tribunal/trials/v1","journal":1}` + "\n{\"type\":3}\n": "journal.ndjson:2: ",
	} {
		dir := t.TempDir()
		succeed(t, os.WriteFile(filepath.Join(dir, journal.FileName), []byte(text), 0o600))
		for range 2 { // the first time leaves no lock behind
			if _, err := journal.Open(dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		}
	}
	if _, err := journal.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "journal.ndjson; give the folder of a run") {
		t.Errorf("an empty directory: %v", err)
	}
}

// TestRedacted: secrets are gone before anything is written, and names stay.
func TestRedacted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	j := must(journal.Create(dir, header("hunter2")))(t)
	defer j.Close()
	j.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
	trial := passed("hunter2", 0)
	trial.Message, trial.Output, trial.RawStatus, trial.ErrorClass = "hunter2", "a hunter2", "hunter2", "hunter2"
	trial.Labels = []envelope.Label{{Name: "l", Value: "hunter2"}}
	succeed(t, j.Commit(journal.Held{Trial: trial}, journal.Trial{Trial: trial}, journal.Beyond{Trial: trial}))
	text := must(os.ReadFile(j.Path()))(t)
	if n := strings.Count(string(text), "hunter2"); n != 4 { // the test in its list and its three lines
		t.Errorf("%d times in %s", n, text)
	}
	if trial.Message != "hunter2" {
		t.Error("the caller's trial was changed")
	}
}

// TestFolders: outputs that were not read for secrets do not outlive their run.
func TestFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	j := must(journal.Create(dir, header("a")))(t)
	for _, folder := range []func() (string, error){j.Out, j.Raw} {
		path, err := folder()
		if err == nil {
			err = os.WriteFile(filepath.Join(path, "x"), nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	j.Close()
	j = must(journal.Open(dir))(t)
	defer j.Close()
	if _, err := os.Stat(filepath.Join(dir, "out", "x")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "raw")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("raw outputs are still there: %v", err)
	}
}

// must is the value of a call that has to succeed.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// succeed ends a test in which a call failed that has to succeed.
func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
