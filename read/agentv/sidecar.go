package agentv

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// Internal is the folder in that of a run in which AgentV keeps the index of the run.
// Paths in the index go from the folder of the run.
const Internal = ".internal"

// names are those of the files with the conversation of a trial, and nothing else is
// opened: an index may name any path. The first is the same for all agents, the last
// is what AgentV wrote down itself or a copy of what the agent did.
var names = []string{"transcript.json", "transcript.jsonl", "transcript-raw.jsonl"}

// sidecar reads the conversation of a trial from its file. Rows say where that is;
// samples say their folder, and whether one wrote a conversation is not known.
func (rd *reader) sidecar(row, part jsonwalk.Value) {
	if rd.run == nil || rd.trial.Transcript != nil {
		return
	}
	var wrong error
	for _, file := range rd.files(row, part) {
		turns, faults, err := rd.conversation(file.name)
		switch {
		case err == nil:
			rd.trial.Transcript, rd.trial.TranscriptFile = turns, file.name
			if wrong != nil {
				row.Warn(envelope.CodeField, "the conversation is that of "+jsonwalk.Short(file.name)+", as "+wrong.Error())
			}
			if len(faults) > 0 {
				row.Warn(envelope.CodeField, "left out of "+jsonwalk.Short(file.name)+": "+jsonwalk.Short(strings.Join(faults, ", ")))
			}
			return
		case wrong == nil && (file.told || !errors.Is(err, fs.ErrNotExist)):
			wrong = errors.New(jsonwalk.Short(file.name) + " is not read: " + jsonwalk.Short(err.Error()))
		}
	}
	if wrong != nil {
		row.Warn(envelope.CodeField, "the trial counts without its conversation: "+wrong.Error())
	}
}

// file is one that may hold a conversation.
type file struct {
	name string // from the folder of the run
	told bool   // the index says that it is there
}

// files are where the conversation of a trial may be, the best first.
func (rd *reader) files(row, part jsonwalk.Value) (found []file) {
	said := part
	if rd.alone {
		said = row
	}
	for _, key := range []string{"transcript_path", "transcript_raw_path"} {
		if name := said.Get(key).Text(); name != "" {
			found = append(found, file{name, true})
		}
	}
	if folder := row.Get("result_dir").Text(); len(found) == 0 && folder != "" && part.Get("sample_path").Text() != "" {
		for _, name := range names {
			found = append(found, file{path.Join(folder, part.Get("sample_path").Text(), name), false})
		}
	}
	return found
}

// conversation reads one file below the folder of the run.
func (rd *reader) conversation(name string) (turns []envelope.Turn, faults []string, err error) {
	known := false
	for _, each := range names {
		known = known || path.Base(name) == each
	}
	if !known {
		return nil, nil, errors.New("only files named " + strings.Join(names, ", ") + " are opened")
	}
	in, err := rd.run(name)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	return normalized(in)
}

// The versions of what AgentV writes of a conversation, in schema_version: whole, and
// a message a line. Lines with v are turns of an older form of the first.
const (
	wholeSchema   = "agentv.normalized_transcript.v1"
	messageSchema = "agentv.transcript.v1"
)

// normalized reads a file with a conversation.
func normalized(r io.Reader) (turns []envelope.Turn, faults []string, err error) {
	text, faults, err := conversation.Whole(r)
	if err != nil {
		return nil, nil, err
	}
	v := jsonwalk.Detached("turns", text)
	if v.IsObject() && v.Get("schema_version").Text() == wholeSchema {
		v = v.Get("turns")
	} else if v.IsObject() { // a line alone
		v = jsonwalk.Detached("turns", []byte("["+string(text)+"]"))
	}
	if !v.IsArray() {
		return nil, nil, errors.New("it has no list of turns")
	}
	for item := range v.Items() {
		switch {
		case item.Get("schema_version").Text() == messageSchema:
			turns = messages(v)
		case item.Get("content").IsArray() && item.Get("type").IsText():
			turns = turnsOf(v)
		default:
			return nil, nil, errors.New("it has the agent's own format, not that of AgentV")
		}
		break
	}
	return turns, append(faults, v.Faults()...), nil
}

// turnsOf makes a turn of every turn, and one of every result in it.
func turnsOf(list jsonwalk.Value) []envelope.Turn {
	turns, began := []envelope.Turn{}, jsonwalk.Value{}
	for item := range list.Items() {
		if !item.IsObject() || len(turns) >= conversation.MostTurns {
			continue
		}
		if !began.IsText() {
			began = item.Get("ts")
		}
		turn := envelope.Turn{Role: conversation.Role(item.Get("type").Text()), AtMS: jsonwalk.Between(began, item.Get("ts"))}
		if in, out := item.Get("input_tokens").Count(), item.Get("output_tokens").Count(); in.OK || out.OK {
			turn.Tokens = envelope.Some(in.V + out.V)
		}
		var texts, thoughts []string
		var answers []envelope.Turn
		for block := range item.Get("content").Items() {
			switch block.Get("type").Text() {
			case "text":
				texts = append(texts, block.Get("text").String())
			case "thinking":
				thoughts = append(thoughts, block.Get("text").String())
			case "image":
				turn.Attachments = append(turn.Attachments, image(block))
			case "tool_use":
				call := envelope.ToolCall{ID: block.Get("id").String(), Name: block.Get("name").String(), Arguments: block.Get("input").String()}
				turn.ToolCalls = append(turn.ToolCalls, call)
				if result := block.Get("result"); result.IsObject() {
					answers = append(answers, answer(call, result, turn.AtMS))
				}
			}
		}
		turn.Text, turn.Reasoning = strings.Join(texts, "\n"), strings.Join(thoughts, "\n")
		turns = append(append(turns, turn), answers...)
	}
	return turns
}

// answer is what a tool answered.
func answer(call envelope.ToolCall, result jsonwalk.Value, at envelope.Opt[float64]) envelope.Turn {
	status := result.Get("status").Text()
	return envelope.Turn{Role: envelope.RoleTool, ToolCallID: call.ID, Name: call.Name, Text: result.Get("output").String(), Error: status == "error" || status == "cancelled",
		AtMS: at, DurationMS: result.Get("duration_ms").Amount()}
}

// image is a picture by its address or by its path.
func image(block jsonwalk.Value) envelope.Attachment {
	a := envelope.Attachment{MediaType: block.Get("mime_type").Text()}
	if source := block.Get("source").Text(); strings.HasPrefix(source, "data:") || strings.Contains(source, "://") {
		a.URL = source
	} else {
		a.Path = source
	}
	return a
}
