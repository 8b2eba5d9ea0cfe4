package inspect

import (
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// referred begins a text that stands among the attachments of its sample, where
// Inspect keeps long ones once.
const referred = "attachment://"

// transcript is the messages of a sample, nil where they were not logged. They are valid
// until the next one.
func (l *log) transcript(v jsonwalk.Value) (turns []envelope.Turn) {
	v.Passing(func() { turns = l.turns(v) })
	return turns
}

func (l *log) turns(v jsonwalk.Value) []envelope.Turn {
	turns := l.messages.Turns(v.Get("messages"))
	texts := texts{of: v.Get("attachments")}
	for i := range turns {
		t := &turns[i]
		t.Text, t.Reasoning = texts.resolve(t.Text), texts.resolve(t.Reasoning)
		for j := range t.ToolCalls {
			c := &t.ToolCalls[j]
			c.Arguments = texts.resolve(c.Arguments)
		}
	}
	return turns
}

// texts are the attachments of a sample, those that were asked for once: many
// messages may refer to a long one.
type texts struct {
	of    jsonwalk.Value
	known map[string]string
}

func (t *texts) resolve(text string) string {
	id, is := strings.CutPrefix(text, referred)
	if !is {
		return text
	}
	if t.known == nil {
		t.known = map[string]string{}
		for name, value := range t.of.Members() {
			t.known[name] = ""
			if value.IsText() {
				t.known[name] = value.Text()
			}
		}
	}
	if long := t.known[id]; long != "" {
		return long
	}
	return text
}
