package pretty

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/internal/plan"
	"tribunal/internal/verdict/parting"
)

// conversation is a view of one or two trials with these turns.
func conversation(turns ...[]envelope.Turn) *parting.Shown {
	e := &envelope.Envelope{Tests: []envelope.Test{{Key: envelope.Key{Test: "t"}, Status: envelope.Fail, Rows: &envelope.Rows{}, Verdict: new(envelope.Verdict)}}}
	test := &e.Tests[0]
	for row, of := range turns {
		test.Rows.Outcome, test.Rows.Given = append(test.Rows.Outcome, envelope.Failed), append(test.Rows.Given, envelope.Given(envelope.Failed))
		test.Transcripts = append(test.Transcripts, envelope.NewTranscript(row, of))
	}
	v, err := parting.NewView(e, test, 0, len(turns) > 1, len(turns)-1)
	if err != nil {
		panic(err)
	}
	return &parting.Shown{Envelope: e, View: v}
}

func shownIn(t *testing.T, s *parting.Shown, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteShow(&b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func called(name, arguments, answer string) []envelope.Turn {
	return []envelope.Turn{{Role: "assistant", Text: "let me see", ToolCalls: []envelope.ToolCall{{Name: name, Arguments: arguments}}}, {Role: "tool", Text: answer, Error: answer == "no"}}
}

// TestShowLabels: a person's label stands beside how the trial ended, and the head lists where both differ.
func TestShowLabels(t *testing.T) {
	s := conversation(called("look", "{}", "yes"), called("look", "{}", "no"))
	s.View.Test.Rows = s.View.Test.Rows.Changed(func(c *envelope.Columns) {
		c.Truth.Set(0, envelope.Pass)
		c.Truth.Set(1, envelope.Fail)
	})
	text := shownIn(t, s, Options{Width: 120})
	for _, want := range []string{"trial 1  FAIL  labelled pass, judged fail  1 call", "trial 2  FAIL  labelled fail  1 call", "labelled pass and not judged pass: trial 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}

// TestShowCaller: of a turn that calls and says nothing it is told whose it is and what it
// took: below the answer of a tool, its call looked like one of the tool.
func TestShowCaller(t *testing.T) {
	talk := []envelope.Turn{{Role: "user", Text: "go"}, {Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: "1", Name: "look", Arguments: `{"id":1}`}}},
		{Role: "tool", ToolCallID: "1", Text: "found"}, {Role: "assistant", Tokens: envelope.Some[int64](7), ToolCalls: []envelope.ToolCall{{Name: "take", Arguments: "{}"}}}}
	text := shownIn(t, conversation(talk, nil), Options{Width: 80})
	for _, want := range []string{"  1 user      go\n  2 assistant → look(id: 1)\n  3 tool      found\n", "\n  4 assistant → take()\n              [7 tokens]\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}

// TestShowWidths: no line is wider than the terminal, at any width; two trials stand
// beside each other from 110 columns on, and their calls stand level.
func TestShowWidths(t *testing.T) {
	long := strings.Repeat("word ", 300) + strings.Repeat("x", 500)
	first := append(called("look", `{"id":1}`, "yes"), called("cancel", `{"id":"A","why":"`+long+`"}`, long)...)
	second := append(called("look", `{"id":1}`, "yes"), append([]envelope.Turn{{Role: "user", Text: long}}, called("refund", `{"id":"B"}`, "no")...)...)
	s := conversation(first, second)
	for _, width := range []int{40, 80, 109, 110, 140, 300} {
		text := shownIn(t, s, Options{Width: width})
		for line := range strings.Lines(text) {
			if got := len([]rune(strings.TrimSuffix(line, "\n"))); got > width {
				t.Errorf("width %d: a line of %d: %q", width, got, line)
			}
		}
		level := regexp.MustCompile(`(?m)→ cancel\(.*│ +→ refund\(`).MatchString(text)
		if level != (width >= sideBySide) {
			t.Errorf("width %d: the calls beside each other: %v\n%s", width, level, text)
		}
		if !strings.Contains(text, "= 1 equal step: look") || !strings.Contains(text, "Difference 1: cancel against refund") {
			t.Errorf("width %d:\n%s", width, text)
		}
	}
}

// TestShowWhole: a pipe gets every word, without colour; a terminal is told how much is folded.
func TestShowWhole(t *testing.T) {
	prompt := strings.Repeat("a rule\n", 50) + "the last rule"
	s := conversation([]envelope.Turn{{Role: "system", Text: prompt}, {Role: "assistant", Reasoning: "hm", Text: "hello", Tokens: envelope.Some[int64](12)}})
	piped := shownIn(t, s, Options{})
	if strings.Count(piped, "a rule") != 50 || strings.Contains(piped, "more lines") || strings.Contains(piped, "\x1b") {
		t.Errorf("piped:\n%s", piped)
	}
	for _, want := range []string{"1 system", "2 thought", "2 assistant hello", "[12 tokens]"} {
		if !strings.Contains(piped, want) {
			t.Errorf("%q is missing:\n%s", want, piped)
		}
	}
	if folded := shownIn(t, s, Options{Width: 80}); !strings.Contains(folded, "… 48 more lines") || !strings.Contains(folded, "the last rule") {
		t.Errorf("in a terminal:\n%s", folded)
	}
}

// TestShowHostile: nothing that a model, a user or a tool says reaches the terminal or a build server as a command.
func TestShowHostile(t *testing.T) {
	bad := "\x1b[31mred\x1b]0;title\x07 \u202e\n::error::x\n##[error]y\r\x00"
	turns := append(called(bad, `{"`+"k\u009b"+`":"`+"::set-output name=x::"+`"}`, bad), envelope.Turn{Role: bad, Text: bad, Name: bad}, envelope.Turn{Role: "user", Text: bad})
	for _, s := range []*parting.Shown{conversation(turns), conversation(turns, called(bad, bad, bad))} {
		for _, width := range []int{0, 40, 120} {
			text := shownIn(t, s, Options{Width: width})
			if at := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e }); at >= 0 {
				t.Errorf("width %d: %q", width, text[at:min(len(text), at+20)])
			}
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); strings.HasPrefix(line, "::") || strings.HasPrefix(line, "##[") {
					t.Errorf("width %d: a command: %q", width, line)
				}
			}
		}
	}
}

// Letters that a tool escaped in its JSON are read as letters.
func TestShowReadsEscapedAnswers(t *testing.T) {
	if text := shownIn(t, conversation(called("look", "{}", `{"city":"\u6771\u4eac"}`)), Options{Width: 120}); !strings.Contains(text, `{"city":"東京"}`) {
		t.Errorf("the answer is not readable:\n%s", text)
	}
}

// Two trials without calls have no last step.
func TestShowOfTalkAlone(t *testing.T) {
	say := func(text string) []envelope.Turn { return []envelope.Turn{{Role: "assistant", Text: text}} }
	text := shownIn(t, conversation(say("yes"), say("no")), Options{Width: 120})
	if !strings.Contains(text, "Neither calls a tool\n") || strings.Contains(text, "step") {
		t.Errorf("steps are told where there are none:\n%s", text)
	}
}

// TestShowSaysWhy: above the conversation of a trial stand its message and the checks
// that it failed, once each, and not those that it passed.
func TestShowSaysWhy(t *testing.T) {
	s := conversation(called("look", "{}", "yes"), called("look", "{}", "no"))
	test := s.View.Test
	test.Details = []envelope.Detail{{Trial: 1, Message: "reward 0: wrong seat", Reasons: map[string]string{"seat": "wrong seat", "polite": "says please", "date": "a day late"}}}
	inside := test.Rows.Inside()
	for name, given := range map[string]envelope.Outcome{"seat": envelope.Failed, "polite": envelope.Passed, "date": envelope.Errored} {
		inside.Checks.Set(1, name, envelope.Checked{Given: envelope.Given(given)})
	}
	test.Rows.SetInside(inside)
	test.Rows.ClassifyChecks(envelope.CountingRules{})
	test.Checks = map[string]envelope.CheckRate{"seat": {N: 1}, "polite": {N: 1, Passed: 1}, "date": {N: 1}}
	const want = "trial 2  FAIL  1 call\n\x00reward 0: wrong seat\n\x00date: a day late\n\n"
	if got, want := shownIn(t, s, Options{Width: 80}), strings.ReplaceAll(want, "\x00", "trial 2: "); !strings.Contains(got, want) {
		t.Errorf("of two trials:\n%s\nwant\n%s", got, want)
	}
	s.View.Sides = s.View.Sides[1:]
	if got, want := shownIn(t, s, Options{Width: 80}), strings.ReplaceAll(want, "\x00", ""); !strings.Contains(got, want) {
		t.Errorf("of one:\n%s\nwant\n%s", got, want)
	}
}

func planText(t *testing.T, s *plan.Settling, o Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := WriteDocument(&out, (&plan.Plan{Power: 0.8, Settling: s}).Document(), o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestPlanIsWholeWhenNarrow: what has no column is said below the table, and nothing is explained that is not there.
func TestPlanIsWholeWhenNarrow(t *testing.T) {
	u := plan.Unsettled{Key: envelope.Key{Test: "picnic"}, Trials: 10, Passed: 9, Passes: envelope.Some(11), Failures: envelope.Some(5),
		More: &plan.Effort{Trials: 45, CostUSD: envelope.Some(0.58)}, Pass: envelope.Some(0.98), Fail: envelope.Some(0.01)}
	s := &plan.Settling{Tests: []plan.Unsettled{u}, Inconclusive: 1, Total: 2}
	for _, c := range []struct {
		width  int
		column bool
	}{{0, true}, {100, true}, {60, false}, {40, false}} {
		out := planText(t, s, Options{Width: c.width})
		if n := strings.Count(strings.Join(strings.Fields(out), " "), "11 passes or 5 failures"); n != 1 {
			t.Errorf("width %d says %d times what settles the test at once:\n%s", c.width, n, out)
		}
		if strings.Contains(out, "At the earliest") != c.column {
			t.Errorf("width %d: the column is there %v:\n%s", c.width, !c.column, out)
		}
	}
	s.Tests[0].Passes, s.Tests[0].Failures = envelope.Opt[int]{}, envelope.Opt[int]{}
	if out := planText(t, s, Options{}); strings.Contains(strings.ToLower(out), "at once by") {
		t.Errorf("nothing settles it at once:\n%s", out)
	}
}

// TestPlanUsesTheWidth: a name is cut only where it has no room beside the numbers.
func TestPlanUsesTheWidth(t *testing.T) {
	long := "agent/" + strings.Repeat("a name of ninety columns ", 4)[:84]
	s := &plan.Settling{Tests: []plan.Unsettled{{Key: envelope.Key{Test: long}, Trials: 10, Passed: 9, More: &plan.Effort{Trials: 45}}}, Inconclusive: 1, Total: 1}
	for width, whole := range map[int]bool{80: false, 120: true, 200: true} {
		if out := planText(t, s, Options{Width: width}); strings.Contains(out, long) != whole {
			t.Errorf("%d columns: the name is whole %v, want %v:\n%s", width, !whole, whole, out)
		}
	}
}

// TestPlanOfNothing: a run without tests, perhaps because it could not be read, has no verdicts to speak of.
func TestPlanOfNothing(t *testing.T) {
	if out := planText(t, &plan.Settling{}, Options{}); strings.Contains(out, "verdict") || !strings.Contains(out, "no test") {
		t.Error(out)
	}
	if out := planText(t, &plan.Settling{Total: 1}, Options{}); !strings.Contains(out, "every test has a verdict") {
		t.Error(out)
	}
}
