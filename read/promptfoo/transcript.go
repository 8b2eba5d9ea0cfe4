package promptfoo

import (
	"cmp"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// transcript is the conversation of a row: that of a provider that held several
// turns, or else the prompt and the answer.
func transcript(v jsonwalk.Value) []envelope.Turn {
	raw, response := v.Get("prompt", "raw"), v.Get("response")
	for _, told := range []jsonwalk.Value{response.Get("metadata"), v.Get("metadata")} {
		history := told.Get("redteamHistory")
		if messages := told.Get("messages"); messages.IsArray() {
			if turns := conversation.Turns(messages); len(turns) > 0 {
				return instructed(raw.String(), turns, history.Present())
			}
		}
		if turns := rounds(history); len(turns) > 0 {
			return turns
		}
	}
	turns := conversation.Prompt(raw)
	turns = append(turns, called(response.Get("metadata", "toolCalls"))...)
	return append(turns, answered(response.Get("output"))...)
}

// instructed is a conversation that a simulated user held: the prompt is what the
// agent was told before it, which no message says. Attackers make prompts of their
// own.
func instructed(prompt string, turns []envelope.Turn, attack bool) []envelope.Turn {
	if attack || prompt == "" || turns[0].Role == envelope.RoleSystem {
		return turns
	}
	for i := range turns {
		if turns[i].Text == prompt {
			return turns
		}
	}
	return append([]envelope.Turn{conversation.Say(envelope.RoleSystem, prompt)}, turns...)
}

// rounds are the rounds of an attack: what was asked, and what came back.
func rounds(history jsonwalk.Value) (turns []envelope.Turn) {
	for round := range history.Items() {
		asked, output := round.Get("prompt").String(), round.Get("output").String()
		if asked == "" && output == "" || len(turns) >= conversation.MostTurns {
			continue
		}
		turns = append(turns, conversation.Say(envelope.RoleUser, asked), conversation.Say(envelope.RoleAssistant, output))
	}
	return turns
}

// called are the tools that an agent called before it answered, each with its
// result, as providers of agents tell them.
func called(calls jsonwalk.Value) (turns []envelope.Turn) {
	for call := range calls.Items() {
		name := cmp.Or(call.Get("name").String(), call.Get("toolName").String())
		if name == "" || len(turns) >= conversation.MostTurns {
			continue
		}
		id := call.Get("id").String()
		turns = append(turns, envelope.Turn{Role: envelope.RoleAssistant,
			ToolCalls: []envelope.ToolCall{{ID: id, Name: name, Arguments: cmp.Or(call.Get("input").String(), call.Get("args").String())}}})
		failed := call.Get("is_error")
		if output := cmp.Or(call.Get("output").String(), call.Get("result").String()); output != "" {
			turns = append(turns, envelope.Turn{Role: envelope.RoleTool, ToolCallID: id, Name: name, Text: output, Error: failed.IsBool() &&
				failed.Bool().V})
		}
	}
	return turns
}

// answered is the answer of a provider: a text, calls of tools as OpenAI has them, or
// a message.
func answered(output jsonwalk.Value) []envelope.Turn {
	switch {
	case !output.Present():
		return nil
	case output.IsArray() && areCalls(output):
		return conversation.Turns(jsonwalk.Detached("output", []byte(`[{"role":"assistant","tool_calls":`+output.String()+`}]`)))
	case output.IsObject() && output.Get("tool_calls").IsArray():
		return conversation.Turns(jsonwalk.Detached("output", []byte(`[`+output.String()+`]`)))
	}
	return []envelope.Turn{conversation.Say(envelope.RoleAssistant, output.String())}
}

// areCalls reports whether a list begins with a call of a tool.
func areCalls(list jsonwalk.Value) bool {
	for first := range list.Items() {
		return first.Get("function", "name").IsText()
	}
	return false
}
