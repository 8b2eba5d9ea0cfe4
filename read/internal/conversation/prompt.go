package conversation

import (
	"encoding/json"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// Prompt is the turns of what a model was asked: an array of messages, a text that
// is the JSON of messages or of a request with them, or else what a user said. It is
// nil when nothing was.
func Prompt(v jsonwalk.Value) []envelope.Turn {
	if turns := asMessages(v); len(turns) > 0 {
		return turns
	}
	text := v.String()
	if trimmed := strings.TrimSpace(text); v.IsText() && trimmed != "" && (trimmed[0] == '[' || trimmed[0] == '{') && json.Valid([]byte(trimmed)) {
		if turns := asMessages(jsonwalk.Detached("prompt", []byte(trimmed))); len(turns) > 0 {
			return turns
		}
	}
	if text == "" {
		return nil
	}
	return []envelope.Turn{Say(envelope.RoleUser, text)}
}

// asMessages are the messages of an array, or of the body of a request. An array of
// anything else is a prompt in words of its own.
func asMessages(v jsonwalk.Value) []envelope.Turn {
	for _, key := range []string{"messages", "contents", "input"} {
		if list := v.Get(key); list.IsArray() {
			v = list
		}
	}
	for first := range v.Items() {
		if role := first.Get("role"); role.IsText() && role.Text() != "" {
			return Turns(v)
		}
		return nil
	}
	return nil
}
