// Package conversation makes turns of the messages that runners keep, whatever API they were sent to.
//
// It exists because every runner of agents writes its conversations in the form of the API it calls, and a dozen
// readers must not each know five of them. One call does it:
//
//	trial.Transcript = conversation.Turns(v.Get("messages"))
//
// The value is an array of messages, told apart one by one by their keys, so that mixed ones are read as well:
//
//	our own         {"role","text","reasoning","tool_calls":[{"id","name","arguments"}],"tool_call_id","name","error", …}
//	OpenAI chat     {"role","content","tool_calls":[{"id","function":{"name","arguments"}}],"tool_call_id"}, function_call, refusal
//	OpenAI items    {"type":"message"|"function_call"|"function_call_output"|"reasoning", …}, and its own tools: mcp_call, …
//	Anthropic       content blocks: text, thinking, tool_use, tool_result (a turn of its own), image, and those of its own tools
//	Gemini          {"role":"user"|"model","parts":[{"text"}, {"functionCall"}, {"functionResponse"}, {"inlineData"}, …]}
//	OpenTelemetry   parts with a type: text, reasoning, tool_call, tool_call_response
//	Inspect, tau2   {"role":"tool","function","error":{…}}, tool_calls with "function" as a name, "cost", "usage", "timestamp"
//	AI SDK          content with tool-call and tool-result
//
// A message that says nothing that is known is a turn with its role alone. What is no message is left out and noted in
// the record of the value, which tells it at its place (jsonwalk.Value.Deliver does, and Faults gives it to readers that
// have a value by jsonwalk.Detached). Roles are named as in OpenTelemetry: model, ai and bot are the assistant, human
// the user, function the tool; others stay as they are. Times are milliseconds since the first message that has one.
//
// It leaves out what a format wraps around its messages, such as events or a prompt
// as a string: Say makes a turn of a text.
package conversation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/read/internal/jsonwalk"
)

// MostTurns is how many turns of a conversation are read.
const MostTurns = 100_000

// Say is a turn of a text, for formats that keep a prompt and a response.
func Say(role, text string) envelope.Turn { return envelope.Turn{Role: Role(role), Text: text} }

// Turns are the turns of an array of messages; nil when v is absent or no array,
// which is noted in its record unless it is null.
func Turns(v jsonwalk.Value) []envelope.Turn { return new(Reader).Turns(v) }

// Reader reads one conversation after the other, in memory that it uses again.
type Reader struct {
	turns  []envelope.Turn
	calls  []envelope.ToolCall // of all turns
	tools  map[string]string   // names of tools, by the ids of their calls
	stamps jsonwalk.Value      // the first time stamp
}

// Turns are those that the function has, until the next call.
func (r *Reader) Turns(v jsonwalk.Value) []envelope.Turn {
	switch {
	case !v.Present():
		return nil
	case !v.IsArray():
		v.Leave("is not an array of messages but " + v.Kind())
		return nil
	}
	r.reset()
	at := 0
	for item := range v.Items() {
		if at == MostTurns {
			v.Leave(fmt.Sprintf("after its first %d messages", MostTurns))
			break
		}
		if !item.IsObject() {
			item.Leave(fmt.Sprintf("[%d], which is not a message but %s", at, item.Kind()))
		} else {
			r.message(item)
		}
		at++
	}
	return r.turns
}

// reset forgets the conversation before, and keeps its memory where that is that of many.
func (r *Reader) reset() {
	const most = 1000
	if r.turns == nil || cap(r.turns) > most || cap(r.calls) > most {
		r.turns, r.calls = []envelope.Turn{}, nil
	}
	r.turns, r.calls, r.stamps = r.turns[:0], r.calls[:0], jsonwalk.Value{}
	clear(r.tools)
}

// roles are the words of runners for those of OpenTelemetry.
var roles = map[string]string{
	"model": envelope.RoleAssistant, "ai": envelope.RoleAssistant, "bot": envelope.RoleAssistant, "agent": envelope.RoleAssistant,
	"assistant": envelope.RoleAssistant,
	"human":     envelope.RoleUser, "user": envelope.RoleUser, "function": envelope.RoleTool, "tool": envelope.RoleTool,
	"system": envelope.RoleSystem,
}

// Role is a role in the words of OpenTelemetry where it is one of theirs.
func Role(word string) string {
	if role, known := roles[strings.ToLower(word)]; known {
		return role
	}
	return word
}

type message struct {
	envelope.Turn
	kind      string // what its type says
	id        string
	arguments string          // of an item that is a call
	failure   string          // what its error says
	output    jsonwalk.Value  // what came of it
	results   jsonwalk.Value  // the same, of a call
	format    string          // of an image in its output
	answers   []envelope.Turn // results of tools in its content
	stamp     jsonwalk.Value
}

func (r *Reader) message(v jsonwalk.Value) {
	var m message
	m.ToolCalls = r.calls[len(r.calls):]
	for key, value := range v.Members() {
		m.member(key, value)
	}
	m.settle()
	r.time(&m)
	r.keep(&m)
	for i := range m.ToolCalls {
		r.remember(m.ToolCalls[i].ID, m.ToolCalls[i].Name)
	}
	if m.Role == envelope.RoleTool && m.ToolCallID == "" && r.tools[m.id] != "" {
		m.ToolCallID = m.id // as tau2 names the call
	}
	for i := range m.answers {
		m.answers[i].Role, m.answers[i].AtMS = envelope.RoleTool, m.AtMS
	}
	if m.Role != envelope.RoleAssistant { // what tools said comes before what a user adds, and behind the calls of an assistant
		r.add(m.answers...)
	}
	if len(m.answers) == 0 || says(&m.Turn) {
		r.add(m.Turn)
	}
	if m.Role == envelope.RoleAssistant {
		r.add(m.answers...)
	}
}

// keep puts the calls of a message behind those of the ones before it.
func (r *Reader) keep(m *message) {
	if len(m.ToolCalls) == 0 {
		m.ToolCalls = nil
		return
	}
	before := len(r.calls)
	r.calls = append(r.calls, m.ToolCalls...)
	m.ToolCalls = r.calls[before:]
}

func (r *Reader) add(turns ...envelope.Turn) {
	for _, t := range turns {
		if t.Role == envelope.RoleTool && t.Name == "" {
			t.Name = r.tools[t.ToolCallID]
		}
		r.turns = append(r.turns, t)
	}
}

func (r *Reader) remember(id, name string) {
	if id == "" {
		return
	}
	each.Put(&r.tools, id, name)
}

// time is when a turn was, since the first.
func (r *Reader) time(m *message) {
	if m.AtMS.OK || !m.stamp.Present() {
		return
	}
	if !r.stamps.Present() {
		r.stamps = m.stamp
	}
	m.AtMS = jsonwalk.Between(r.stamps, m.stamp)
}

// says reports whether a turn says anything but who it is of.
func says(t *envelope.Turn) bool {
	return t.Text != "" || t.Reasoning != "" || len(t.ToolCalls) > 0 || len(t.Attachments) > 0 || t.LeftOut > 0
}

// MostBytes is how large a file with one conversation may be, unpacked.
const MostBytes = 64 << 20

// File reads a file that holds a conversation: an array of messages, or a message a line. It tells what of them could
// not be read. The error is that of a file of which nothing is known.
func File(r io.Reader) (turns []envelope.Turn, faults []string, err error) {
	text, faults, err := Whole(r)
	if err != nil {
		return nil, nil, err
	}
	if text[0] == '{' { // a line alone
		text = slices.Concat([]byte("["), text, []byte("]"))
	}
	v := jsonwalk.Detached("value", text)
	turns = Turns(v)
	return turns, append(faults, v.Faults()...), nil
}

// Folder opens the files beside an input, unpacked: below its folder and nowhere else.
type Folder func(path string) (io.ReadCloser, error)

// Beside gives a trial the conversation that an agent left in a file, and reports whether
// there is such a file: not every agent leaves one. It calls warn for what it cannot read.
func (open Folder) Beside(t *envelope.Trial, name string, warn func(message string),
	read func(io.Reader) (turns []envelope.Turn, faults []string, err error)) bool {
	file, err := open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	var turns []envelope.Turn
	var faults []string
	if err == nil {
		turns, faults, err = read(file)
		file.Close()
	}
	if err != nil {
		warn("the trial is counted without its conversation: " + jsonwalk.Short(name) + " is not read: " + jsonwalk.Short(err.Error()))
		return true
	}
	if len(faults) > 0 {
		warn(jsonwalk.Short(name) + " is read without " + jsonwalk.Short(strings.Join(faults, ", ")))
	}
	t.Transcript, t.TranscriptFile = turns, name
	return true
}

// Whole reads a file with one conversation, which is JSON: a document, or a record a
// line, of which it makes an array. It tells what of the lines could not be read.
func Whole(r io.Reader) (text []byte, faults []string, err error) {
	text, err = io.ReadAll(io.LimitReader(r, MostBytes+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("cannot read the file: %w", err)
	case len(text) > MostBytes:
		return nil, nil, fmt.Errorf("the file has more than %d MiB", MostBytes>>20)
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))
	if len(text) == 0 {
		return nil, nil, errors.New("the file is empty: it should have a conversation in JSON, or one turn per line")
	}
	var nothing json.RawMessage
	err = json.Unmarshal(text, &nothing)
	if err == nil {
		return text, nil, nil
	}
	if text[0] == '{' {
		if array, faults := asArray(text); bytes.HasPrefix(array, []byte("[{")) {
			return array, faults, nil
		}
	}
	return nil, nil, brokenAt(text, err)
}

// asArray makes an array of the lines that are JSON, and tells of the others.
func asArray(text []byte) (array []byte, faults []string) {
	array = append(make([]byte, 0, len(text)+2), '[')
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case !json.Valid(line):
			faults = append(faults, fmt.Sprintf("line %d, which is not JSON", number))
		default:
			if len(array) > 1 {
				array = append(array, ',')
			}
			array = append(array, line...)
		}
	}
	return append(array, ']'), faults
}

// brokenAt is an error with the line and column where the text is no JSON.
func brokenAt(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := text[:max(0, min(int(syntax.Offset)-1, len(text)))]
	return fmt.Errorf("the JSON is malformed or cut off at line %d, column %d",
		1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// Attachments are those of an array of {"name","path" or "url","media_type"}.
func Attachments(v jsonwalk.Value) []envelope.Attachment {
	if v.Present() && !v.IsArray() {
		v.Leave("is not an array of attachments but " + v.Kind())
	}
	var out []envelope.Attachment
	for item := range v.Items() {
		a := envelope.Attachment{Name: item.Get("name").Text(), Path: item.Get("path").Text(), URL: item.Get("url").Text(),
			MediaType: first(item, "media_type", "mediaType", "contentType")}
		if a.Path == "" && a.URL == "" {
			item.Leave("has an attachment without a path or a url")
			continue
		}
		out = append(out, a)
	}
	return out
}

// attachment is a block of content that is not a text.
func attachment(v jsonwalk.Value) (a envelope.Attachment, is bool) {
	if inline := firstOf(v, "inlineData", "inline_data"); inline.IsObject() { // Gemini
		return embedded(first(inline, "mimeType", "mime_type"), inline.Get("data").Text()), true
	}
	if file := firstOf(v, "fileData", "file_data"); file.IsObject() {
		return envelope.Attachment{URL: first(file, "fileUri", "file_uri"), MediaType: first(file, "mimeType", "mime_type")}, true
	}
	kind := v.Get("type").Text()
	switch kind {
	case "image", "document", "image_url", "input_image", "input_file", "file", "audio", "input_audio", "video", "computer_screenshot":
	default:
		return a, false
	}
	source := firstOf(v, "source", kind, "image_url", "file", "image", "input_audio")
	switch {
	case source.IsText():
		a.URL = source.Text()
	case source.Get("data").IsText():
		a = embedded(first(source, "media_type", "mime_type", "format"), source.Get("data").Text())
	default:
		a.URL = first(source, "url", "file_data", "uri", "file_id")
		a.Name = first(source, "filename", "name")
	}
	a.MediaType = cmp.Or(a.MediaType, first(v, "media_type", "mime_type", "mediaType"))
	if a.URL == "" {
		a.Name = joined(a.Name, kind)
	}
	return a, true
}

func embedded(mediaType, data string) envelope.Attachment {
	return envelope.Attachment{URL: "data:" + mediaType + ";base64," + data, MediaType: mediaType}
}
