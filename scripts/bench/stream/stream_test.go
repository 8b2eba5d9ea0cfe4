package stream_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"tribunal/scripts/bench/stream"
)

type writer func(io.Writer, stream.Options) error

func made(t *testing.T, write writer, o stream.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// line has what the tests look at, of both formats.
type line struct {
	Suite, Test, Variant, Status, Message, Output string
	Attempt                                       int
	Labels                                        map[string]string
	Action, Package                               string
}

// parsed reads the lines with encoding/json and counts those that are none.
func parsed(t *testing.T, text []byte) (lines []line, broken int) {
	t.Helper()
	for in := bufio.NewScanner(bytes.NewReader(text)); in.Scan(); {
		l := line{}
		if json.Unmarshal(in.Bytes(), &l) != nil {
			broken++
			continue
		}
		lines = append(lines, l)
	}
	return lines, broken
}

func TestTrialsAreAsAskedFor(t *testing.T) {
	lines, broken := parsed(t, made(t, stream.Trials, stream.Options{Trials: 12_000, Tests: 600, Suites: 7, Output: 700, Labels: 2, Problems: 5}))
	type key struct{ suite, test, variant string }
	attempts, suites, statuses, output := map[key]int{}, map[string]bool{}, map[string]int{}, 0
	for i, l := range lines {
		k := key{l.Suite, l.Test, l.Variant}
		if l.Attempt != attempts[k] || l.Attempt != i/600 {
			t.Fatalf("trial %d of %v has attempt %d: every test runs once a round", i, k, l.Attempt)
		}
		if len(l.Labels) != 2 || l.Output == "" {
			t.Fatalf("trial %d lacks labels or output", i)
		}
		attempts[k]++
		suites[l.Suite] = true
		statuses[l.Status]++
		output += len(l.Output)
	}
	if len(lines) != 12_000 || broken != 5 || len(attempts) != 600 || len(suites) != 7 {
		t.Errorf("%d trials, %d broken lines, %d tests, %d suites", len(lines), broken, len(attempts), len(suites))
	}
	if mean := output / len(lines); mean < 600 || mean > 800 {
		t.Errorf("outputs of %d bytes in the mean, asked for 700", mean)
	}
	for _, status := range []string{"pass", "fail", "error", "skip"} {
		if statuses[status] < 50 {
			t.Errorf("%d trials are %s: too few to matter", statuses[status], status)
		}
	}
}

// TestInsideIsAsAskedFor holds conversations to those of tau-bench, of which 200 in
// its published results have 26.5 messages, 5.8 calls and 16.3 kB in the mean.
func TestInsideIsAsAskedFor(t *testing.T) {
	type message struct {
		Role, Content, Name string
		Calls               []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
		Answers string `json:"tool_call_id"`
	}
	type trial struct {
		line
		Checks             []struct{ Name, Status, Reason string }
		Messages, Unlooked []message
	}
	o := stream.Options{Trials: 2000, Tests: 100, Checks: 6, Calls: 6}
	text := made(t, stream.Trials, o)
	o.Unread = true
	unread := made(t, stream.Trials, o)
	if got := bytes.ReplaceAll(unread, []byte(`,"unlooked":[`), []byte(`,"messages":[`)); !bytes.Equal(got, text) {
		t.Error("a stream of conversations that nobody reads differs in more than the name of their field")
	}
	bare := made(t, stream.Trials, stream.Options{Trials: 2000, Tests: 100})
	without, messages, calls, failed := bytes.Split(bare, []byte("}\n")), 0, 0, 0
	for i, one := range bytes.SplitAfter(text, []byte("\n"))[:2000] {
		var tr trial
		if err := json.Unmarshal(one, &tr); err != nil || !bytes.HasPrefix(one, without[i]) {
			t.Fatalf("%s is not the trial without its inside, and more: %v", one, err)
		}
		names := map[string]bool{}
		for _, c := range tr.Checks {
			names[c.Name] = true
			if c.Status == "fail" {
				failed++
				if c.Reason == "" || tr.Status == "pass" {
					t.Fatalf("check %+v of a trial that is %s", c, tr.Status)
				}
			}
		}
		if len(names) != 6 || tr.Messages[0].Role != "system" {
			t.Fatalf("checks %v, and the first message is of %s", names, tr.Messages[0].Role)
		}
		messages += len(tr.Messages)
		for j, m := range tr.Messages {
			for _, c := range m.Calls {
				calls++
				if answer := tr.Messages[j+1]; answer.Answers != c.ID || answer.Name != c.Function.Name || !json.Valid([]byte(answer.Content)) || !json.Valid([]byte(c.Function.Arguments)) {
					t.Fatalf("call %+v is answered by %+v", c, answer)
				}
			}
		}
	}
	near := func(what string, got, want float64) {
		if got < 0.9*want || got > 1.1*want {
			t.Errorf("%s: %.4g in the mean, those of tau-bench %.4g", what, got, want)
		}
	}
	near("messages", float64(messages)/2000, 26.5)
	near("calls", float64(calls)/2000, 5.82)
	near("bytes", float64(len(text)-len(bare))/2000, 16_281)
	if failed < 500 {
		t.Errorf("%d checks fail: too few to matter", failed)
	}
	failing, broken := parsed(t, made(t, stream.Trials, stream.Options{Trials: 2000, Tests: 100, Failing: true}))
	if passes := slices.IndexFunc(failing, func(l line) bool { return l.Status == "pass" }); len(failing) != 2000 || broken != 0 || passes >= 0 {
		t.Errorf("%d trials, %d broken, and trial %d passes; none was to", len(failing), broken, passes)
	}
}

func TestGoTestIsAsAskedFor(t *testing.T) {
	lines, broken := parsed(t, made(t, stream.GoTest, stream.Options{Trials: 1003, Suites: 9, Output: 300}))
	open, ended, packages := map[string]bool{}, map[string]int{}, map[string]bool{}
	for _, l := range lines {
		name := l.Package + " " + l.Test
		switch l.Action {
		case "run":
			open[name] = true
		case "pass", "fail", "skip":
			if l.Test == "" {
				packages[l.Package] = true
				continue
			}
			if !open[name] {
				t.Fatalf("%s ends before it runs", name)
			}
			delete(open, name)
			ended[l.Action]++
		}
	}
	if n := ended["pass"] + ended["fail"] + ended["skip"]; n != 1003 || len(open) != 0 || len(packages) != 9 || broken != 0 {
		t.Errorf("%d tests ended, %d did not, %d packages, %d lines are no JSON", n, len(open), len(packages), broken)
	}
}
