package conversation

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// turnsOf are the turns of a text and what could not be read of it.
func turnsOf(text string) ([]envelope.Turn, string) {
	v := jsonwalk.Detached("messages", []byte(text))
	turns := Turns(v)
	return turns, strings.Join(v.Faults(), "; ")
}

// calls is the turn of an assistant that calls a tool.
func calls(id, name, arguments string) envelope.Turn {
	return envelope.Turn{Role: envelope.RoleAssistant, ToolCalls: []envelope.ToolCall{{ID: id, Name: name, Arguments: arguments}}}
}

// cases are one conversation in the forms of their APIs, as their references show
// them.
var cases = []struct {
	reason, text string
	want         []envelope.Turn
	faults       string
}{
	{"our own", `[{"role":"user","text":"hi","at_ms":5},{"role":"assistant","reasoning":"hm","tool_calls":[{"id":"1","name":"f","arguments":{"a":1}}],"tokens":3,"cost_usd":0.5,"duration_ms":2,"agent":"x"},
		{"role":"tool","tool_call_id":"1","name":"f","error":true,"text":"no"},{"left_out":3}]`,
		[]envelope.Turn{{Role: "user", Text: "hi", AtMS: envelope.Some(5.0)},
			{Role: "assistant", Reasoning: "hm", ToolCalls: []envelope.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}, Tokens: envelope.Some[int64](3), CostUSD: envelope.Some(0.5), DurationMS: envelope.Some(2.0), Agent: "x"},
			{Role: "tool", ToolCallID: "1", Name: "f", Error: true, Text: "no"}, {LeftOut: 3}}, ""},
	{"OpenAI chat completions", `[{"role":"developer","content":"be kind"},{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}]},
		{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"42"},{"role":"assistant","refusal":"no"}]`,
		[]envelope.Turn{{Role: "developer", Text: "be kind"}, {Role: "user", Text: "look", Attachments: []envelope.Attachment{{URL: "https://example.org/a.png"}}},
			{Role: "assistant", Reasoning: "hm", ToolCalls: []envelope.ToolCall{{ID: "c1", Name: "f", Arguments: `{"a":1}`}}}, {Role: "tool", ToolCallID: "c1", Name: "f", Text: "42"}, {Role: "assistant", Text: "no"}}, ""},
	{"OpenAI's older calls", `[{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"x"}},{"role":"function","name":"f","content":"42"}]`,
		[]envelope.Turn{{Role: "assistant", ToolCalls: []envelope.ToolCall{{Name: "f", Arguments: "x"}}}, {Role: "tool", Name: "f", Text: "42"}}, ""},
	{"OpenAI items", `[{"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"hm"}]},{"type":"function_call","id":"fc","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"42"},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]`,
		[]envelope.Turn{{Role: "assistant", Reasoning: "hm"}, {Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: "c1", Name: "f", Arguments: "{}"}}}, {Role: "tool", ToolCallID: "c1", Name: "f", Text: "42"}, {Role: "assistant", Text: "done"}}, ""},
	{"Anthropic", `[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"one"},{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no"}]},{"type":"text","text":"go on"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]`,
		[]envelope.Turn{{Role: "user", Text: "hi"}, {Role: "assistant", Reasoning: "hm", Text: "one", ToolCalls: []envelope.ToolCall{{ID: "t1", Name: "f", Arguments: `{"a":1}`}}},
			{Role: "tool", ToolCallID: "t1", Name: "f", Error: true, Text: "no"}, {Role: "user", Text: "go on", Attachments: []envelope.Attachment{{URL: "data:image/png;base64,AAAA", MediaType: "image/png"}}}}, ""},
	{"Gemini", `[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"thought":true,"text":"hm"},{"functionCall":{"name":"f","args":{"a":1}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"result":"42"}}}]},
		{"role":"model","parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"AA"}}]}]`,
		[]envelope.Turn{{Role: "user", Text: "hi"}, {Role: "assistant", Reasoning: "hm", ToolCalls: []envelope.ToolCall{{Name: "f", Arguments: `{"a":1}`}}}, {Role: "tool", Name: "f", Text: "42"},
			{Role: "assistant", Text: "a", Attachments: []envelope.Attachment{{URL: "data:image/png;base64,AA", MediaType: "image/png"}}}}, ""},
	{"OpenTelemetry", `[{"role":"assistant","parts":[{"type":"text","content":"a"},{"type":"tool_call","id":"1","name":"f","arguments":{"a":1}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"42"}]}]`,
		[]envelope.Turn{{Role: "assistant", Text: "a", ToolCalls: []envelope.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}}, {Role: "tool", ToolCallID: "1", Name: "f", Text: "42"}}, ""},
	{"Inspect", `[{"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"a"}],"tool_calls":[{"id":"1","function":"bash","arguments":{"cmd":"ls"},"type":"function"}]},{"role":"tool","content":"","tool_call_id":"1","function":"bash","error":{"type":"timeout","message":"too slow"}}]`,
		[]envelope.Turn{{Role: "assistant", Reasoning: "hm", Text: "a", ToolCalls: []envelope.ToolCall{{ID: "1", Name: "bash", Arguments: `{"cmd":"ls"}`}}}, {Role: "tool", ToolCallID: "1", Name: "bash", Error: true, Text: "too slow"}}, ""},
	{"tau2-bench", `[{"role":"assistant","content":"hi","turn_idx":0,"timestamp":"2025-06-01T10:00:00.500","cost":0.25,"usage":{"completion_tokens":2,"prompt_tokens":3}},{"role":"user","content":null,"tool_calls":[{"id":"c","name":"f","arguments":{},"requestor":"user"}],"timestamp":"2025-06-01T10:00:02.000"},{"id":"c","role":"tool","content":"42","requestor":"user","error":false}]`,
		[]envelope.Turn{{Role: "assistant", Text: "hi", AtMS: envelope.Some(0.0), CostUSD: envelope.Some(0.25), Tokens: envelope.Some[int64](5)}, {Role: "user", ToolCalls: []envelope.ToolCall{{ID: "c", Name: "f", Arguments: "{}"}}, AtMS: envelope.Some(1500.0)},
			{Role: "tool", ToolCallID: "c", Name: "f", Text: "42"}}, ""},
	{"AI SDK", `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"f","input":{"a":1}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"f","output":{"type":"text","value":"42"}}]}]`,
		[]envelope.Turn{{Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}}, {Role: "tool", ToolCallID: "1", Name: "f", Text: "42"}}, ""},
	{"LangChain", `[{"type":"human","content":"hi"},{"type":"ai","content":"","tool_calls":[{"id":"1","name":"f","args":{"a":1}}]}]`,
		[]envelope.Turn{{Role: "user", Text: "hi"}, {Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}}}, ""},
	{"OpenAI's own tools, each call a turn, and what it said another", `[{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search","query":"q"}},{"type":"computer_call","id":"x","call_id":"c9","action":{"type":"click","x":1}},
		{"type":"computer_call_output","call_id":"c9","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AA"}},{"type":"local_shell_call","id":"y","call_id":"l1","action":{"type":"exec","command":["ls"]}},{"type":"local_shell_call_output","call_id":"l1","output":"files"},
		{"type":"mcp_call","id":"m1","name":"roll","server_label":"dice","arguments":"{\"n\":1}","output":"4","error":null},{"type":"mcp_call","id":"m2","name":"roll","arguments":"{}","output":null,"error":{"message":"no dice"}},
		{"type":"code_interpreter_call","id":"i","code":"print(1)","outputs":[{"type":"logs","logs":"1"}]},{"type":"custom_tool_call","call_id":"k","name":"grep","input":"-r x"},{"type":"custom_tool_call_output","call_id":"k","output":[{"type":"input_text","text":"none"}]},
		{"type":"image_generation_call","id":"g","output_format":"webp","result":"AAAA"}]`,
		[]envelope.Turn{calls("w", "web_search", `{"type":"search","query":"q"}`), calls("c9", "computer", `{"type":"click","x":1}`),
			{Role: "tool", ToolCallID: "c9", Name: "computer", Attachments: []envelope.Attachment{{URL: "data:image/png;base64,AA"}}}, calls("l1", "local_shell", `{"type":"exec","command":["ls"]}`), {Role: "tool", ToolCallID: "l1", Name: "local_shell", Text: "files"},
			calls("m1", "roll", `{"n":1}`), {Role: "tool", ToolCallID: "m1", Name: "roll", Text: "4"}, calls("m2", "roll", `{}`), {Role: "tool", ToolCallID: "m2", Name: "roll", Text: "no dice", Error: true},
			calls("i", "code_interpreter", "print(1)"), {Role: "tool", ToolCallID: "i", Name: "code_interpreter", Text: "1"}, calls("k", "grep", "-r x"), {Role: "tool", ToolCallID: "k", Name: "grep", Text: "none"},
			calls("g", "image_generation", ""), {Role: "tool", ToolCallID: "g", Name: "image_generation", Attachments: []envelope.Attachment{{URL: "data:image/webp;base64,AAAA", MediaType: "image/webp"}}}}, ""},
	{"Anthropic's own tools, whose results stand in the message of the call", `[{"role":"assistant","content":[{"type":"redacted_thinking","data":"zz"},{"type":"server_tool_use","id":"3","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","tool_use_id":"3","content":[{"type":"text","text":"found"}]}]},
		{"role":"assistant","content":[{"type":"mcp_tool_use","id":"4","name":"roll","server_name":"dice","input":{"n":1}},{"type":"mcp_tool_result","tool_use_id":"4","is_error":false,"content":[{"type":"text","text":"4"}]}]}]`,
		[]envelope.Turn{{Role: "assistant", Reasoning: "[redacted by the provider]", ToolCalls: []envelope.ToolCall{{ID: "3", Name: "web_search", Arguments: `{"query":"q"}`}}}, {Role: "tool", ToolCallID: "3", Name: "web_search", Text: "found"},
			calls("4", "roll", `{"n":1}`), {Role: "tool", ToolCallID: "4", Name: "roll", Text: "4"}}, ""},
	{"Gemini's code", `[{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"print(1)"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"text":"one"}]},{"role":"model","parts":[{"code_execution_result":{"outcome":"OUTCOME_FAILED","output":"no"}}]}]`,
		[]envelope.Turn{{Role: "assistant", Text: "one", ToolCalls: []envelope.ToolCall{{Name: "code_execution", Arguments: `{"language":"PYTHON","code":"print(1)"}`}}}, {Role: "tool", Name: "code_execution", Text: "1"},
			{Role: "tool", Name: "code_execution", Text: "no", Error: true}}, ""},
	{"what is no message", `[1,{"role":"user","text":"hi"},"said"]`, []envelope.Turn{{Role: "user", Text: "hi"}}, "messages [0], which is not a message but a number; messages [2], which is not a message but a string"},
	{"no array", `{"role":"user"}`, nil, "messages is not an array of messages but an object"},
	{"no messages", `[]`, []envelope.Turn{}, ""},
	{"null", `null`, nil, ""},
	{"a message of nothing known", `[{"x":1}]`, []envelope.Turn{{}}, ""},
	{"a call without a name before one with", `[{"role":"assistant","tool_calls":[{"id":"1"},{"id":"2","name":"f"}]}]`, []envelope.Turn{{Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: "1"}, {ID: "2", Name: "f"}}}}, ""},
	{"an id that calls itself", `[{"role":"assistant","tool_calls":[{"id":"1","name":"f"},{"id":"1","name":"g"}]},{"role":"tool","tool_call_id":"1"}]`,
		[]envelope.Turn{{Role: "assistant", ToolCalls: []envelope.ToolCall{{ID: "1", Name: "f"}, {ID: "1", Name: "g"}}}, {Role: "tool", ToolCallID: "1", Name: "g"}}, ""},
}

func TestShapes(t *testing.T) {
	for _, c := range cases {
		got, faults := turnsOf(c.text)
		if !reflect.DeepEqual(got, c.want) || faults != c.faults {
			t.Errorf("%s:\n got %+v %q\nwant %+v %q", c.reason, got, faults, c.want, c.faults)
		}
	}
}

// TestManyTurns: a conversation of a million messages is read up to the limit, and
// said to be cut.
func TestManyTurns(t *testing.T) {
	turns, faults := turnsOf("[" + strings.Repeat(`{"role":"user"},`, MostTurns) + `{}]`)
	if len(turns) != MostTurns || faults != "messages after its first 100000 messages" {
		t.Errorf("%d turns, %q", len(turns), faults)
	}
}

// FuzzTurns: whatever JSON comes, its turns are written and read back as they are.
func FuzzTurns(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("[{\"content\":[{\"\":[{\"\":\"\xca\"}]}]}]")) // no UTF-8
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		turns, _ := turnsOf(string(text))
		var e envelope.Envelope
		test := envelope.Test{Transcripts: []envelope.Transcript{envelope.NewTranscript(0, turns)}}
		once, _ := e.Transcript(&test, 0)
		again := envelope.NewTranscript(0, once)
		if again.Compare(&test.Transcripts[0]) != 0 || len(once) != len(turns) {
			t.Errorf("%q: read back as %+v, was %+v", text, once, turns)
		}
	})
}

// What a Reader says of a conversation has nothing of those before it: no name of a
// tool, no first time, no call.
func TestReaderForgets(t *testing.T) {
	var r Reader
	answer := `[{"role":"tool","tool_call_id":"1","text":"42"},{"role":"assistant","timestamp":"2025-06-01T10:00:00Z"}]`
	want := []envelope.Turn{{Role: "tool", ToolCallID: "1", Text: "42"}, {Role: "assistant", AtMS: envelope.Some(0.0)}}
	for range 2 { // the second time in memory that is used again
		for _, c := range cases {
			if got := r.Turns(jsonwalk.Detached("messages", []byte(c.text))); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: got %+v, want %+v", c.reason, got, c.want)
			}
			if got := r.Turns(jsonwalk.Detached("messages", []byte(answer))); !reflect.DeepEqual(got, want) {
				t.Errorf("behind %s: got %+v, want %+v", c.reason, got, want)
			}
		}
	}
}
