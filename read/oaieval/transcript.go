package oaieval

import (
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// maxHeld is how many bytes of conversations wait for their samples to be judged. A
// log may judge none before its end.
const maxHeld = 64 << 20

// converse adds what a model was asked and answered to the conversation of a sample.
// A prompt that begins with all that was said is the same conversation going on;
// any other, as that of a model that grades, follows it.
func (rd *reader) converse(s *sample, data jsonwalk.Value) {
	turns := conversation.Prompt(data.Get("prompt"))
	if answer := answer(data.Get("sampled")); answer != "" {
		turns = append(turns, conversation.Say(envelope.RoleAssistant, answer))
	}
	if n := len(s.turns); n <= len(turns) && slices.EqualFunc(s.turns, turns[:n], same) {
		turns = turns[n:]
	}
	more := size(turns)
	if rd.held+more > rd.room || len(s.turns)+len(turns) > conversation.MostTurns {
		if !rd.full {
			rd.full = true
			data.Warn("conversations-left-out", fmt.Sprintf("conversations from here on are left out: %d MiB of them wait for their samples to be judged", rd.held>>20))
		}
		return
	}
	rd.held += more
	s.turns = append(s.turns, turns...)
}

func same(a, b envelope.Turn) bool { return a.Role == b.Role && a.Text == b.Text }

func size(turns []envelope.Turn) (bytes int) {
	const each = 256 // of a turn that says nothing
	for i := range turns {
		t := &turns[i]
		bytes += each + len(t.Text) + len(t.Reasoning)
		for _, c := range t.ToolCalls {
			bytes += each + len(c.Arguments)
		}
		for _, a := range t.Attachments {
			bytes += each + len(a.URL)
		}
	}
	return bytes
}

// answer is what was sampled: the one text, or all of it.
func answer(sampled jsonwalk.Value) string {
	n, only := 0, jsonwalk.Value{}
	for each := range sampled.Items() {
		n, only = n+1, each
	}
	if n == 1 {
		return only.String()
	}
	return sampled.String()
}
