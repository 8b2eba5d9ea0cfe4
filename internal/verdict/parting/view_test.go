package parting

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tribunal/envelope"
)

// talked is an envelope of one test whose trials were told, with the conversations
// of those rows.
func talked(kept []int, ways ...string) (*envelope.Envelope, *envelope.Test) {
	steps, trials := told(ways...)
	e := &envelope.Envelope{Steps: steps, Tests: make([]envelope.Test, 1)}
	t := &e.Tests[0]
	t.Key = envelope.Key{Test: "t"}
	var rows envelope.Columns
	var outcomes envelope.Outcomes
	for row, trial := range trials {
		outcome, turns := envelope.Failed, []envelope.Turn{{Role: envelope.RoleUser, Text: "go"}}
		if trial.Passed {
			outcome = envelope.Passed
		}
		for _, place := range trial.Steps {
			turns = append(turns, envelope.Turn{Role: envelope.RoleAssistant, ToolCalls: []envelope.ToolCall{{Name: steps[place].Name, Arguments: "{}"}}},
				envelope.Turn{Role: envelope.RoleTool, Text: "answer of " + steps[place].Name})
		}
		rows.Given, outcomes = append(rows.Given, envelope.Given(outcome)), append(outcomes, outcome)
		rows.Steps.Set(row, trial.Steps)
		if slices.Contains(kept, row) {
			t.Transcripts = append(t.Transcripts, envelope.NewTranscript(row, turns))
		}
	}
	t.Rows = rows.Rows()
	t.Rows.Outcome = outcomes
	return e, t
}

// TestNewView: which trials are shown when nobody says it, or half of it.
func TestNewView(t *testing.T) {
	ways := []string{"a b +", "a c -", "a d -", "a d e +"}
	for _, c := range []struct {
		kept          []int
		first, second int
		two           bool
		want, reason  string
	}{
		{[]int{1, 3}, Anywhere, 0, false, "[1]", "the first that did not pass"},
		{[]int{2, 3}, Anywhere, 0, false, "[2]", "of which there is a conversation"},
		{nil, Anywhere, 0, false, "[1]", "or at least steps"},
		{[]int{0, 1, 2, 3}, 2, Anywhere, true, "[2 3]", "the nearest that passed: two equal steps"},
		{[]int{0, 1, 2, 3}, 3, Anywhere, true, "[3 1]", "one that passed is shown beside one that did not"},
		{[]int{1}, 1, 0, true, "[1 0]", "as was asked for, conversation or not"},
	} {
		e, test := talked(c.kept, ways...)
		v, err := NewView(e, test, c.first, c.two, c.second)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		var rows []int
		for _, s := range v.Sides {
			rows = append(rows, s.Trial)
			if s.Kept != slices.Contains(c.kept, s.Trial) {
				t.Errorf("%s: trial %d kept %v", c.reason, s.Trial, s.Kept)
			}
		}
		if fmt.Sprint(rows) != c.want {
			t.Errorf("%s: trials %v, want %s", c.reason, rows, c.want)
		}
	}
}

func TestNewViewOfNothing(t *testing.T) {
	e, test := talked(nil, "a +", "b +")
	for _, c := range []struct {
		first, second int
		two           bool
		want          string
	}{
		{5, 0, false, "t has no trial 6: its last one is trial 2"},
		{0, Anywhere, true, "t: no trial with the opposite result of trial 1 has a recorded conversation; leave out --against, or give it a trial number"},
		{0, 7, true, "t has no trial 8"},
		{1, 1, true, "t: trial 2 cannot be compared with itself; give another trial to --against"},
	} {
		if _, err := NewView(e, test, c.first, c.two, c.second); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	test.Rows.SetInside(envelope.Inside{})
	if _, err := NewView(e, test, Anywhere, false, 0); !errors.Is(err, ErrNoConversation) {
		t.Errorf("%v, want that no conversation was recorded", err)
	}
}

// TestSegments: a conversation is cut at its calls, answers go to the calls they
// name, whatever order they come in, and nothing that was said is lost.
func TestSegments(t *testing.T) {
	call := func(id, name string) envelope.ToolCall {
		return envelope.ToolCall{ID: id, Name: name, Arguments: `{"x":1}`}
	}
	turns := []envelope.Turn{
		{Role: "system", Text: "be kind"}, {Role: "user", Text: "hi"},
		{Role: "assistant", Text: "two at once", ToolCalls: []envelope.ToolCall{call("1", "a"), call("2", "b")}},
		{Role: "tool", ToolCallID: "2", Text: "of b"}, {Role: "tool", ToolCallID: "1", Text: "of a"}, {Role: "tool", ToolCallID: "9", Text: "of nobody"},
		{LeftOut: 3},
		{Role: "assistant", ToolCalls: []envelope.ToolCall{call("1", "c")}}, {Role: "tool", ToolCallID: "1", Text: "of c"},
		{Role: "assistant", Text: "bye"},
	}
	var got []string
	for _, g := range segments(turns, []envelope.Step{{Name: "a", Digest: "A"}, {Name: "b", Digest: "B"}, {Name: "not c", Digest: "?"}}) {
		for _, s := range g.Turns {
			got = append(got, fmt.Sprintf("%d %s%s", s.Number, s.Role, s.Text))
		}
		if g.Caller != nil {
			got = append(got, fmt.Sprintf("%d %s calls", g.Caller.Number, g.Caller.Role))
		}
		if g.Step != nil {
			got = append(got, g.Step.Name+g.Step.Digest)
		}
		for _, s := range g.Answers {
			got = append(got, fmt.Sprintf("%d %s", s.Number, s.Text))
		}
	}
	want := []string{"1 systembe kind", "2 userhi", "3 assistanttwo at once", "aA", "5 of a", "bB", "4 of b", "6 of nobody",
		"9 ", "10 assistant calls", `c{"x":1}`, "11 of c", "12 assistantbye"}
	if !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}
