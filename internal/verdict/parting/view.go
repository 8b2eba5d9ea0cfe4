package parting

import (
	"errors"
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/each"
)

// Shown is what there is to read of a run: one view, or where that is nil the list of its tests.
type Shown struct {
	*envelope.Envelope
	View *View
}

// View is the conversation of a trial, or those of two side by side.
type View struct {
	Test  *envelope.Test
	Sides []Side // one, or two
	Pairs []Pair // of the steps of two
}

// Side is a trial of a view.
type Side struct {
	Trial    int // its row, 0-based
	Outcome  envelope.Outcome
	Kept     bool // its conversation is known; else its steps alone
	Turns    []envelope.Turn
	Segments []Segment
}

// Segment is what was said since the last call, a call, and its answer. The last
// one of a conversation has no call, and one of a trial whose conversation was not
// kept has nothing but the step.
type Segment struct {
	Turns   []NumberedTurn
	Caller  *NumberedTurn // the turn of the call, where it says nothing else
	Step    *envelope.Step
	Call    *envelope.ToolCall // nil where only the step is known
	Answers []NumberedTurn
}

// NumberedTurn is a turn and its place in the conversation. The calls of the turn stand in
// their segments.
type NumberedTurn struct {
	envelope.Turn
	Number int // 1-based
}

// Anywhere asks NewView for the trial that says most.
const Anywhere = -1

// NewView shows a trial of a test, or two beside each other, by their rows. Anywhere as the first
// is the first trial that did not pass, else the first of all; two asks for another beside it,
// which as Anywhere is the nearest that passed, or where the first passed the first that did not.
// Trials whose conversations are kept come before others.
func NewView(e *envelope.Envelope, t *envelope.Test, first int, two bool, second int) (*View, error) {
	if first == Anywhere {
		if first = choose(t, func(o envelope.Outcome) bool { return o.Counted() && o != envelope.Passed }); first < 0 {
			first = choose(t, func(envelope.Outcome) bool { return true })
		}
	}
	if two && second == Anywhere && first >= 0 && first < t.Rows.Len() {
		if second = opposite(e, t, first); second < 0 {
			return nil, fmt.Errorf("%s: no trial with the opposite result of trial %d has a recorded conversation; leave out --against, or give "+
				"it a trial number", t.Key.RunnerName(), first+1)
		}
	}
	if two && second == first && first >= 0 {
		return nil, fmt.Errorf("%s: trial %d cannot be compared with itself; give another trial to --against", t.Key.RunnerName(), first+1)
	}
	wanted := []int{first}
	if two {
		wanted = append(wanted, second)
	}
	v := &View{Test: t}
	for _, row := range wanted {
		side, err := sideOf(e, t, row)
		if err != nil {
			return nil, err
		}
		v.Sides = append(v.Sides, side)
	}
	if two {
		v.Pairs = Align(v.Sides[0].Steps(), v.Sides[1].Steps())
	}
	return v, nil
}

// choose is the first trial of such an outcome whose conversation is kept, else the
// first of which the steps are known; -1 where there is none.
func choose(t *envelope.Test, of func(envelope.Outcome) bool) int {
	for _, tr := range t.Transcripts {
		if of(t.Rows.Outcome[tr.Trial]) {
			return tr.Trial
		}
	}
	for row, o := range t.Rows.Outcome {
		if _, known := t.Rows.Steps().At(row); known && of(o) {
			return row
		}
	}
	return -1
}

// opposite is the trial nearest to one that did not pass among those that did, or
// the first that did not pass where it did.
func opposite(e *envelope.Envelope, t *envelope.Test, row int) int {
	if row >= 0 && row < t.Rows.Len() && t.Rows.Outcome[row] == envelope.Passed {
		return choose(t, func(o envelope.Outcome) bool { return o.Counted() && o != envelope.Passed })
	}
	var rows []int
	for _, tr := range t.Transcripts {
		if t.Rows.Outcome[tr.Trial] == envelope.Passed {
			rows = append(rows, tr.Trial)
		}
	}
	for other, o := range t.Rows.Outcome {
		if _, known := t.Rows.Steps().At(other); known && len(rows) == 0 && o == envelope.Passed {
			rows = append(rows, other)
		}
	}
	among := each.Of(rows, func(other int) []envelope.Step { return StepsOf(e, t, other) })
	if at := Nearest(StepsOf(e, t, row), among); at >= 0 {
		return rows[at]
	}
	return -1
}

// StepsOf are the steps that are kept of a trial.
func StepsOf(e *envelope.Envelope, t *envelope.Test, row int) []envelope.Step {
	steps, _ := e.StepsOf(t, row)
	return slices.Collect(steps)
}

func sideOf(e *envelope.Envelope, t *envelope.Test, row int) (Side, error) {
	if row < 0 || row >= t.Rows.Len() {
		if t.Rows.Len() == 0 || row == Anywhere {
			return Side{}, fmt.Errorf("%s: %w", t.Key.RunnerName(), ErrNoConversation)
		}
		return Side{}, fmt.Errorf("%s has no trial %d: its last one is trial %d", t.Key.RunnerName(), row+1, t.Rows.Len())
	}
	s := Side{Trial: row, Outcome: t.Rows.Outcome[row]}
	turns, kept := e.Transcript(t, row)
	_, known := t.Rows.Steps().At(row)
	switch {
	case kept:
		s.Kept, s.Turns, s.Segments = true, turns, segments(turns, StepsOf(e, t, row))
	case known:
		s.Segments = each.Of(StepsOf(e, t, row), func(step envelope.Step) Segment { return Segment{Step: &step} })
	default:
		return Side{}, fmt.Errorf("trial %d of %s: %w", row+1, t.Key.RunnerName(), ErrNoConversation)
	}
	return s, nil
}

// ErrNoConversation is that of a trial of which nothing was recorded but how it ended.
var ErrNoConversation = errors.New("its conversation was not recorded")

// segments cuts a conversation at its calls. The steps are those of the calls as far
// as no turns are left out.
func segments(turns []envelope.Turn, steps []envelope.Step) (all []Segment) {
	all = []Segment{{}}
	answers := map[string]int{} // the segment of a call, by its id
	gap, number := false, 0
	for _, turn := range turns {
		number += max(1, turn.LeftOut)
		gap = gap || turn.LeftOut > 0
		last := &all[len(all)-1]
		if turn.Role == envelope.RoleTool && len(all) > 1 {
			at, named := answers[turn.ToolCallID]
			if !named || turn.ToolCallID == "" {
				at = len(all) - 2
			}
			all[at].Answers = append(all[at].Answers, NumberedTurn{turn, number})
			continue
		}
		calls := turn.ToolCalls
		turn.ToolCalls = nil
		if len(calls) == 0 || turn.Text != "" || turn.Reasoning != "" || len(turn.Attachments) > 0 {
			last.Turns = append(last.Turns, NumberedTurn{turn, number})
		} else {
			last.Caller = &NumberedTurn{turn, number}
		}
		for i := range calls {
			at := len(all) - 1
			all[at].Call, all[at].Step = &calls[i], &envelope.Step{Name: calls[i].Name, Digest: calls[i].Arguments}
			if !gap && at < len(steps) {
				all[at].Step = &steps[at]
			}
			if calls[i].ID != "" {
				answers[calls[i].ID] = at
			}
			all = append(all, Segment{})
		}
	}
	return all
}

// Steps are those of the segments that have one.
func (s *Side) Steps() (steps []envelope.Step) {
	for _, g := range s.Segments {
		if g.Step != nil {
			steps = append(steps, *g.Step)
		}
	}
	return steps
}

// End is the talk after the last call.
func (s *Side) End() []NumberedTurn {
	if n := len(s.Segments); n > 0 && s.Segments[n-1].Step == nil {
		return s.Segments[n-1].Turns
	}
	return nil
}

// Equal reports whether a pair are equal steps.
func (v *View) Equal(p Pair) bool {
	return p.First >= 0 && p.Second >= 0 && *v.Sides[0].Segments[p.First].Step == *v.Sides[1].Segments[p.Second].Step
}
