package agentv

import (
	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// transcript is the conversation of a trial where the row itself has its messages:
// what was asked, and what the target said, with its calls of tools, each of which
// has its result beside it.
func transcript(v jsonwalk.Value) []envelope.Turn {
	said := field(v, "output_messages", "outputMessages")
	if !said.IsArray() {
		said = v.Get("output")
	}
	var answers []envelope.Turn
	switch {
	case said.IsArray():
		answers = messages(said)
	case said.IsText():
		answers = []envelope.Turn{conversation.Say(envelope.RoleAssistant, said.Text())}
	}
	if len(answers) == 0 {
		return nil
	}
	asked := field(v, "input_messages", "inputMessages")
	if !asked.IsArray() {
		asked = v.Get("input")
	}
	return append(conversation.Prompt(asked), answers...)
}

// messages are turns with the results of their calls behind them.
func messages(list jsonwalk.Value) (turns []envelope.Turn) {
	began := jsonwalk.Value{}
	for message := range list.Items() {
		if !message.IsObject() || len(turns) >= conversation.MostTurns {
			continue
		}
		started := field(message, "start_time", "startTime")
		if !began.IsText() {
			began = started
		}
		at := jsonwalk.Between(began, started)
		for _, turn := range conversation.Turns(jsonwalk.Detached("output", []byte("["+message.String()+"]"))) {
			turn.AtMS = at // of a list of one it is 0
			turns = append(turns, turn)
		}
		for call := range field(message, "tool_calls", "toolCalls").Items() {
			if output := call.Get("output"); output.Present() {
				turns = append(turns, envelope.Turn{Role: envelope.RoleTool, ToolCallID: call.Get("id").String(), Name: call.Get("tool").String(), Text: output.String(),
					Error: call.Get("status").Text() == "error", AtMS: at, DurationMS: field(call, "duration_ms", "durationMs").Amount()})
			}
		}
	}
	return turns
}
