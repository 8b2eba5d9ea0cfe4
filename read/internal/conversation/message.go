package conversation

import (
	"cmp"
	"encoding/json"
	"math"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/read/internal/jsonwalk"
)

// member takes one key of a message. Keys of several APIs that mean one thing stand side by side.
func (m *message) member(key string, v jsonwalk.Value) {
	switch key {
	case "role":
		m.Role = v.Text()
	case "type":
		m.kind = v.Text()
	case "id":
		m.id = v.String()
	case "content", "text", "parts", "summary":
		m.say(v)
	case "output":
		m.output = v
	case "outputs", "results", "result":
		m.results = v
	case "reasoning", "reasoning_content", "thinking":
		m.Reasoning = joined(m.Reasoning, textOf(v))
	case "refusal":
		m.Text = joined(m.Text, v.String())
	case "tool_calls", "toolCalls":
		for call := range v.Items() {
			m.call(call)
		}
	case "function_call", "functionCall":
		m.call(v)
	case "tool_call_id", "toolCallId", "call_id", "callId", "tool_use_id":
		m.ToolCallID = v.String()
	case "name", "function", "tool_name", "toolName":
		m.Name = cmp.Or(v.OnlyText(), m.Name)
	case "arguments", "action", "queries", "code", "operation", "input":
		m.arguments = v.String()
	case "error", "is_error", "isError":
		m.Error = m.Error || failed(v)
		m.failure = errorText(v)
	case "output_format":
		m.format = v.Text()
	case "attachments":
		m.Attachments = append(m.Attachments, Attachments(v)...)
	default:
		m.setAmount(key, v)
	}
}

// setAmount takes the keys of what a turn took.
func (m *message) setAmount(key string, v jsonwalk.Value) {
	switch key {
	case "at_ms":
		m.AtMS = v.Amount()
	case "duration_ms":
		m.DurationMS = v.Amount()
	case "tokens":
		m.Tokens = v.Count()
	case "usage":
		if v.IsObject() {
			m.Tokens = usage(v)
		}
	case "cost_usd", "cost":
		if v.IsNumber() {
			m.CostUSD = v.Amount()
		}
	case "agent":
		m.Agent = cmp.Or(v.OnlyText(), m.Agent)
	case "left_out":
		m.LeftOut = int(v.Index().V)
	case "timestamp", "created_at":
		m.stamp = v
	}
}

func usage(v jsonwalk.Value) (sum envelope.Opt[int64]) {
	if total := v.Get("total_tokens"); total.IsNumber() {
		return total.Count()
	}
	for _, key := range []string{"prompt_tokens", "completion_tokens", "input_tokens", "output_tokens"} {
		if n := v.Get(key); n.IsNumber() {
			sum = envelope.Some(sum.V + n.Count().V)
		}
	}
	return sum
}

// say takes content: a text, a block, or an array of them.
func (m *message) say(v jsonwalk.Value) {
	switch {
	case v.IsArray():
		for part := range v.Items() {
			m.say(part)
		}
	case v.IsObject():
		m.block(v)
	default:
		m.Text = joined(m.Text, v.String())
	}
}

func (m *message) block(v jsonwalk.Value) {
	kind := strings.ReplaceAll(v.Get("type").Text(), "-", "_")
	switch {
	case kind == "tool_call", kind == "tool_use", strings.HasSuffix(kind, "_tool_use"):
		m.call(v)
	case kind == "tool_result", kind == "tool_call_response", strings.HasSuffix(kind, "_tool_result"):
		m.answer(v, first(v, "tool_use_id", "toolCallId", "id"), first(v, "name", "toolName"),
			firstOf(v, "content", "output", "result", "response"))
	case v.Get("functionCall").Present():
		m.call(v.Get("functionCall"))
	case v.Get("function_call").Present():
		m.call(v.Get("function_call"))
	case v.Get("functionResponse").Present(), v.Get("function_response").Present():
		response := firstOf(v, "functionResponse", "function_response")
		m.answer(response, first(response, "id"), first(response, "name"), response.Get("response"))
	case firstOf(v, "executableCode", "executable_code").Present():
		code := firstOf(v, "executableCode", "executable_code")
		m.ToolCalls = append(m.ToolCalls, envelope.ToolCall{Name: codeExecution, Arguments: code.String()})
	case firstOf(v, "codeExecutionResult", "code_execution_result").Present():
		result := firstOf(v, "codeExecutionResult", "code_execution_result")
		m.answer(result, "", codeExecution, result.Get("output"))
		outcome := result.Get("outcome").Text()
		m.answers[len(m.answers)-1].Error = outcome != "" && outcome != "OUTCOME_OK"
	case kind == "redacted_thinking":
		m.Reasoning = joined(m.Reasoning, "[redacted by the provider]")
	case kind == "thinking", kind == "reasoning", v.Get("thought").Bool().V:
		m.Reasoning = joined(m.Reasoning, textOf(v))
	default:
		if a, is := attachment(v); is {
			m.Attachments = append(m.Attachments, a)
		} else {
			m.Text = joined(m.Text, textOf(v))
		}
	}
}

func (m *message) call(v jsonwalk.Value) {
	if !v.IsObject() {
		return
	}
	of := v
	if function := v.Get("function"); function.IsObject() {
		of = function
	}
	c := envelope.ToolCall{ID: first(v, "id", "call_id", "toolCallId", "tool_call_id")}
	c.Name = first(of, "name", "function", "tool", "toolName", "tool_name")
	c.Arguments = firstOf(of, "arguments", "args", "input", "parameters").String()
	m.ToolCalls = append(m.ToolCalls, c)
}

// answer takes the result of a tool that stands among the content of a message.
func (m *message) answer(v jsonwalk.Value, id, name string, said jsonwalk.Value) {
	var of message
	if said.IsObject() && !said.Get("type").IsText() {
		of.Text, of.Error = response(said)
	} else {
		of.say(said)
	}
	of.ToolCallID, of.Name = id, name
	of.Error = of.Error || failed(firstOf(v, "is_error", "isError", "error"))
	m.answers = append(m.answers, of.Turn)
}

// codeExecution is the tool of Gemini that runs code; its calls have no name.
const codeExecution = "code_execution"

// response is what the answer of a function says: the one text in it, or all of it.
func response(v jsonwalk.Value) (text string, bad bool) {
	keys, only := 0, jsonwalk.Value{}
	for key, value := range v.Members() {
		keys++
		switch key {
		case "result", "output", "content", "error":
			only = value
			bad = bad || key == "error" && failed(value)
		}
	}
	if keys == 1 && only.Present() {
		return only.String(), bad
	}
	return v.String(), bad
}

// settle brings the kinds of items to roles.
func (m *message) settle() {
	isCall := strings.HasSuffix(m.kind, "_call")
	if !isCall && m.output.Present() {
		m.say(m.output)
	}
	switch m.kind {
	case "tool_result":
		m.Role = envelope.RoleTool
	case "reasoning":
		if m.Role == "" {
			m.Role, m.Reasoning, m.Text = envelope.RoleAssistant, joined(m.Reasoning, m.Text), ""
		}
	case "human", "ai", "tool", "system", "user", "assistant":
		m.Role = cmp.Or(m.Role, m.kind)
	}
	switch {
	case isCall:
		m.asCall()
	case strings.HasSuffix(m.kind, "_call_output"):
		m.Role = envelope.RoleTool
	}
	if m.Role = Role(m.Role); m.Text == "" {
		m.Text = m.failure
	}
	if m.Role != envelope.RoleTool {
		m.ToolCallID = ""
		m.Agent = cmp.Or(m.Agent, m.Name)
		m.Name = ""
	}
}

// asCall makes an item that is a call the turn of an assistant. Tools that the API
// itself runs are named by their kind; what they said may stand in the same item.
func (m *message) asCall() {
	c := envelope.ToolCall{ID: cmp.Or(m.ToolCallID, m.id), Name: m.Name, Arguments: m.arguments}
	if kind := strings.TrimSuffix(m.kind, "_call"); c.Name == "" && kind != "function" && kind != "tool" && kind != "custom_tool" {
		c.Name = kind
	}
	output := m.output
	if !output.Present() {
		output = m.results
	}
	if output.Present() || m.failure != "" {
		var said message
		if m.kind == "image_generation_call" && output.IsText() {
			said.Attachments = []envelope.Attachment{embedded("image/"+cmp.Or(m.format, "png"), output.Text())}
		} else if said.say(output); said.Text == "" {
			said.Text = m.failure
		}
		said.ToolCallID, said.Name, said.Error = c.ID, c.Name, m.Error
		m.answers, m.failure, m.Error = append(m.answers, said.Turn), "", false
	}
	m.ToolCalls, m.Name, m.Role = append(m.ToolCalls, c), "", envelope.RoleAssistant
}

// textOf is what a text, a block or a list of them says.
func textOf(v jsonwalk.Value) string {
	switch {
	case v.IsArray():
		said := ""
		for part := range v.Items() {
			said = joined(said, textOf(part))
		}
		return said
	case v.IsObject():
		said := firstOf(v, "text", "thinking", "reasoning", "content", "refusal", "value", "summary", "logs")
		if !said.There() {
			return v.String()
		}
		return textOf(said)
	}
	return v.String()
}

func joined(before, text string) string {
	if before == "" || text == "" {
		return before + text
	}
	return before + "\n" + text
}

// failed reports an error that is one: true, a text or an object.
func failed(v jsonwalk.Value) bool {
	return v.Present() && (!v.IsBool() || v.Bool().V) && (!v.IsText() || v.Text() != "")
}

// errorText is what an error says, where it says more than that it is one.
func errorText(v jsonwalk.Value) string {
	if v.IsObject() {
		return first(v, "message", "text")
	}
	return v.OnlyText()
}

// firstOf is the first member of these that there is.
func firstOf(v jsonwalk.Value, keys ...string) jsonwalk.Value {
	for _, key := range keys {
		if found := v.Get(key); found.Present() {
			return found
		}
	}
	return jsonwalk.Value{}
}

// first is the first member of these that is a text or a number.
func first(v jsonwalk.Value, keys ...string) string {
	for _, key := range keys {
		if found := v.Get(key); found.IsText() || found.IsNumber() {
			return found.Text()
		}
	}
	return ""
}

// Prompt is the turns of what a model was asked: an array of messages, a text that is the JSON of messages or of a
// request with them, or else what a user said. It is nil when nothing was.
func Prompt(v jsonwalk.Value) []envelope.Turn {
	if turns := asMessages(v); len(turns) > 0 {
		return turns
	}
	text := v.String()
	if trimmed := strings.TrimSpace(text); v.IsText() && trimmed != "" && (trimmed[0] == '[' || trimmed[0] == '{') &&
		json.Valid([]byte(trimmed)) {
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

// Called is the turns of tools that were called before an answer, each with its result, as runners list them beside it.
func Called(calls jsonwalk.Value) (turns []envelope.Turn) {
	for call := range calls.Items() {
		id, name := call.Get("id").String(), cmp.Or(call.Get("name").String(), call.Get("toolName").String())
		if name == "" || len(turns) >= MostTurns {
			continue
		}
		turns = append(turns, envelope.Turn{Role: envelope.RoleAssistant, Reasoning: call.Get("reasoning").String(),
			ToolCalls: []envelope.ToolCall{{ID: id, Name: name, Arguments: firstOf(call, "input", "args", "inputParameters").String()}}})
		if output := firstOf(call, "output", "result"); output.Present() {
			failed := call.Get("is_error")
			turns = append(turns, envelope.Turn{Role: envelope.RoleTool, ToolCallID: id, Name: name, Text: output.String(),
				Error: failed.IsBool() && failed.Bool().V})
		}
	}
	return turns
}

// CountCalls is how many tools were called in a conversation, absent where none is known.
func CountCalls(turns []envelope.Turn) envelope.Opt[int32] {
	n := each.Sum(turns, func(t envelope.Turn) int { return len(t.ToolCalls) })
	return envelope.Opt[int32]{V: int32(min(n, math.MaxInt32-1)), OK: turns != nil}
}
