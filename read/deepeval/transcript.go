package deepeval

import (
	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// transcript is the turns of a conversational test case, or what was asked and
// answered in any other.
func transcript(v jsonwalk.Value) []envelope.Turn {
	var turns []envelope.Turn
	for turn := range v.Get("turns").Items() {
		role, text := turn.Get("role").Text(), turn.Get("content").String()
		if role == "" && text == "" || len(turns) >= conversation.MostTurns {
			continue
		}
		turns = append(turns, called(turn.Get("toolsCalled"))...)
		turns = append(turns, conversation.Say(role, text))
	}
	if len(turns) > 0 {
		return turns
	}
	if input := v.Get("input"); input.Present() {
		turns = append(turns, conversation.Say(envelope.RoleUser, input.String()))
	}
	turns = append(turns, called(v.Get("toolsCalled"))...)
	if answer := v.Get("actualOutput"); answer.Present() {
		turns = append(turns, conversation.Say(envelope.RoleAssistant, answer.String()))
	}
	return turns
}

// called are the tools that were called before an answer, each with its output.
func called(tools jsonwalk.Value) (turns []envelope.Turn) {
	for tool := range tools.Items() {
		name := tool.Get("name").Text()
		if name == "" || len(turns) >= conversation.MostTurns {
			continue
		}
		turns = append(turns, envelope.Turn{Role: envelope.RoleAssistant, Reasoning: tool.Get("reasoning").String(),
			ToolCalls: []envelope.ToolCall{{Name: name, Arguments: tool.Get("inputParameters").String()}}})
		if output := tool.Get("output"); output.Present() {
			turns = append(turns, envelope.Turn{Role: envelope.RoleTool, Name: name, Text: output.String()})
		}
	}
	return turns
}
