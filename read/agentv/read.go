// Package agentv reads the results of AgentV (EntityProcess/agentv, MIT): the
// rows of its index.jsonl in three generations, and its summary.json.
//
// The first generation has attempts, version 4 ran several and kept one score, version 5 has samples. A row that stands for
// several trials is one trial, labelled aggregated, with a warning. Samples whose infrastructure broke have that class.
package agentv

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// Sniff reports whether head starts rows or a summary.
func Sniff(head []byte) bool {
	keys := jsonwalk.DocumentKeys(head)
	return isSummary(keys) || isRow(keys)
}

// Summarises reports whether head starts a summary: the samples it lists are in
// the index beside it.
func Summarises(head []byte) bool {
	keys, inArray := jsonwalk.Keys(head)
	return !inArray && isSummary(keys)
}

func isRow(keys jsonwalk.KeySet) bool {
	return keys.HasAny("test_id", "testId") && keys.HasAny("target") && keys.HasAny("score") &&
		keys.HasAny("scores", "samples", "attempts", "execution_status", "executionStatus", "assertions", "timestamp")
}

func isSummary(keys jsonwalk.KeySet) bool {
	return keys.HasAny("index_path") && keys.HasAny("tests", "infra_failures")
}

// ReadIn reads one file. Run opens the files of the run that it names, below the folder of
// the run and nowhere else; it is nil where there is none.
func ReadIn(r io.Reader, to envelope.Sink, run func(path string) (io.ReadCloser, error)) error {
	head, whole := jsonwalk.Head(r)
	rd := &reader{to: to, run: run}
	keys, _ := jsonwalk.Keys(head)
	var err error
	if isSummary(keys) {
		err = jsonwalk.Read(whole, to, jsonwalk.Members{"tests": jsonwalk.Objects(rd.test),
			"run_id": func(v jsonwalk.Value) { rd.header.ID = v.Text() },
			"counts": func(v jsonwalk.Value) { rd.header.PlannedTrials = v.Get("total_samples").Count() }})
		to.Header(rd.header, nil)
	} else {
		err = jsonwalk.Lines(whole, to, rd.row, "test_id", "testId")
		rd.heldToSummary()
	}
	if rd.aggregated > 0 {
		to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: "aggregated", Line: rd.line, Column: rd.column,
			Count:   rd.aggregated,
			Message: words.Plural(rd.aggregated, "row has", "rows have") + " only the score over all trials; a row is counted as one trial"})
	}
	return err
}

type reader struct {
	to           envelope.Sink
	header       envelope.Header
	attempts     trialfields.Attempts
	aggregated   int   // rows that stand for several trials
	line, column int   // the first of them
	several      bool  // the row is one: its checks are those of one of its trials
	alone        bool  // the row has one trial: its paths are those of the trial
	samples      int64 // of the rows read
	last         int   // the line of the last row
	run          func(path string) (io.ReadCloser, error)
	trial        envelope.Trial
}

// summaryName is the file beside an index that counts what is in it.
const summaryName = "summary.json"

// heldToSummary tells of an index that has fewer samples than its summary counts. Lines may
// end anywhere, and where the index is read the summary is not.
func (rd *reader) heldToSummary() {
	if rd.run == nil || rd.samples == 0 {
		return
	}
	file, err := rd.run(summaryName)
	if err != nil {
		return
	}
	defer file.Close()
	counted := int64(0)
	jsonwalk.Member(file, "counts", func(v jsonwalk.Value) { counted = v.Get("total_samples").Count().V })
	if counted > rd.samples {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityError, Code: envelope.CodeTruncated, Line: rd.last, Column: 1,
			Message: fmt.Sprintf("the index has %s, but %s of the run counts %d; results are missing; get a whole copy of the index",
				words.Plural(rd.samples, "sample", "samples"), summaryName, counted)})
	}
}

func (rd *reader) aggregate(v jsonwalk.Value) {
	if rd.aggregated++; rd.aggregated == 1 {
		rd.line, rd.column = v.Place()
	}
	rd.trial.Labels = append(rd.trial.Labels, envelope.Label{Name: "aggregated", Value: "true"})
}

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
				row.Warn(envelope.CodeField, "the conversation comes from "+jsonwalk.Short(file.name)+", because "+wrong.Error())
			}
			if len(faults) > 0 {
				row.Warn(envelope.CodeField, jsonwalk.Short(file.name)+" is read without "+jsonwalk.Short(strings.Join(faults, ", ")))
			}
			return
		case wrong == nil && (file.indexed || !errors.Is(err, fs.ErrNotExist)):
			wrong = errors.New(jsonwalk.Short(file.name) + " is not read: " + jsonwalk.Short(err.Error()))
		}
	}
	if wrong != nil {
		row.Warn(envelope.CodeField, "the trial is counted without its conversation: "+wrong.Error())
	}
}

// file is one that may hold a conversation.
type file struct {
	name    string // from the folder of the run
	indexed bool   // the index says that it is there
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
		sample := path.Join(folder, part.Get("sample_path").Text())
		found = each.Of(names, func(name string) file { return file{path.Join(sample, name), false} })
	}
	return found
}

func (rd *reader) conversation(name string) (turns []envelope.Turn, faults []string, err error) {
	if !slices.Contains(names, path.Base(name)) {
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
const wholeSchema, messageSchema = "agentv.normalized_transcript.v1", "agentv.transcript.v1"

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
		turn.Tokens = trialfields.Sum(item.Get("input_tokens").Count(), item.Get("output_tokens").Count())
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

func answer(call envelope.ToolCall, result jsonwalk.Value, at envelope.Opt[float64]) envelope.Turn {
	status := result.Get("status").Text()
	return envelope.Turn{Role: envelope.RoleTool, ToolCallID: call.ID, Name: call.Name, Text: result.Get("output").String(),
		Error: status == "error" || status == "cancelled", AtMS: at, DurationMS: result.Get("duration_ms").Amount()}
}

func image(block jsonwalk.Value) envelope.Attachment {
	a := envelope.Attachment{MediaType: block.Get("mime_type").Text()}
	if source := block.Get("source").Text(); strings.HasPrefix(source, "data:") || strings.Contains(source, "://") {
		a.URL = source
	} else {
		a.Path = source
	}
	return a
}

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
				turns = append(turns, envelope.Turn{Role: envelope.RoleTool, ToolCallID: call.Get("id").String(), Name: call.Get("tool").String(),
					Text:  output.String(),
					Error: call.Get("status").Text() == "error", AtMS: at, DurationMS: field(call, "duration_ms", "durationMs").Amount()})
			}
		}
	}
	return turns
}
