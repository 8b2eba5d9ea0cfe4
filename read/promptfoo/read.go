// Package promptfoo reads the results of promptfoo (MIT): the document of `-o x.json`,
// `-o x.yaml` and `-o x.xml`, the rows of `-o x.jsonl`, and the table of `-o x.csv`.
//
// A row has no number of its repeat, so rows of the same test case, prompt and provider are the trials of one test, in the
// order they stand in the file. The table inside of older documents and the JUnit output are left out; they hold less.
package promptfoo

import (
	"bytes"
	"io"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/runfailure"
	"tribunal/read/internal/xmlwalk"
)

// oldStart is how documents without an evalId start.
var oldStart = regex.Of(`^\s*\{\s*"results"\s*:\s*\{\s*"version"\s*:\s*[0-9]`)

// rowKeys are keys of a row; a head may be cut before the last of them.
var rowKeys = []string{"failureReason", "gradingResult", "latencyMs", "namedScores", "promptId", "promptIdx", "provider", "success",
	"testCase", "testIdx"}

// Sniff reports whether head starts a document, a row or a table of promptfoo.
func Sniff(head []byte) bool {
	if name, _ := xmlwalk.Root(head); name == root || isYAML(head) || isTable(head) {
		return true
	}
	keys := jsonwalk.DocumentKeys(head)
	return keys.Has("evalId", "results") || oldStart().Match(head) || isRow(keys)
}

func isYAML(head []byte) bool { return yamlStart().Match(bytes.TrimLeft(head, blanks)) }

// blanks may stand before a document.
const blanks = "\uFEFF \t\r\n"

func isRow(keys jsonwalk.KeySet) bool {
	const enough = 4
	return keys.Count(rowKeys...) >= enough && keys.HasAny("testIdx", "promptIdx")
}

// Read reads a document, rows or a table, a row at a time.
func Read(r io.Reader, to envelope.Sink) error {
	head, whole := jsonwalk.Head(r)
	start := bytes.TrimLeft(head, blanks)
	rd := &reader{to: &runfailure.Watch{Sink: to}, last: map[trialsOf]int64{}, names: naming{cases: map[caseKey]*testCase{},
		plain: map[shared]*plain{}, seen: map[int64]bool{}}}
	keys, _ := jsonwalk.Keys(head)
	var err error
	switch {
	case isTable(head):
		return rd.table(whole)
	case isRow(keys):
		err = jsonwalk.Lines(whole, to, rd.row, "promptIdx", "testIdx")
		rd.letGo(all)
		return err
	case len(start) > 0 && !bytes.ContainsAny(start[:1], "{[<"):
		err = rd.yaml(whole)
	case bytes.HasPrefix(start, []byte("<")):
		err = rd.markup(whole)
	default:
		err = jsonwalk.Read(whole, to, jsonwalk.Members{"evalId": rd.described("evalId"), "config": rd.described("config"),
			"metadata": rd.described("metadata"), "results": rd.results})
	}
	rd.letGo(all)
	rd.to.Counts(rd.counted, rd.lost, "results")
	to.Header(rd.header, nil)
	return err
}

type reader struct {
	to       *runfailure.Watch
	counted  int // results, as the document counts them
	lost     int // failures and errors, likewise
	header   envelope.Header
	last     map[trialsOf]int64 // testIdx of the last trial of a test
	disorder bool
	names    naming
	columns  []column             // by promptIdx, where the document lists them
	prompt   envelope.Opt[string] // the first prompt, where it does not
	held     []held
	trial    envelope.Trial
	blank    bool // it was told that cells of a table have no trial
}

func (rd *reader) described(key string) func(jsonwalk.Value) {
	return func(v jsonwalk.Value) { rd.describe(key, v) }
}

func (rd *reader) results(t *jsonwalk.Text) error {
	return t.Object(func(key string) error {
		if key == "results" {
			return t.Objects(rd.row)
		}
		return t.Any(rd.described(key))
	})
}

// describe takes a member of the document, or of its results, that is no row.
func (rd *reader) describe(key string, v jsonwalk.Value) {
	switch key {
	case "prompts":
		for each := range v.Items() {
			rd.add(each)
		}
	case "stats":
		rd.lost = int(v.Get("failures").Count().V + v.Get("errors").Count().V)
		rd.counted = rd.lost + int(v.Get("successes").Count().V)
	case "timestamp":
		rd.header.StartedAt = v.Text()
	case "evalId":
		rd.header.ID = v.Text()
	case "config":
		rd.header.Name = v.Get("description").Text()
	case "metadata":
		if version := v.Get("promptfooVersion").Text(); version != "" {
			rd.header.Labels = map[string]string{"promptfoo": version}
		}
	}
}

// transcript is the conversation of a row: that of a provider that held several
// turns, or else the prompt and the answer.
func transcript(v jsonwalk.Value) []envelope.Turn {
	raw, response := v.Get("prompt", "raw"), v.Get("response")
	for _, metadata := range []jsonwalk.Value{response.Get("metadata"), v.Get("metadata")} {
		history := metadata.Get("redteamHistory")
		if messages := metadata.Get("messages"); messages.IsArray() {
			if turns := conversation.Turns(messages); len(turns) > 0 {
				return instructed(raw.String(), turns, history.Present())
			}
		}
		if turns := rounds(history); len(turns) > 0 {
			return turns
		}
	}
	turns := conversation.Prompt(raw)
	turns = append(turns, conversation.Called(response.Get("metadata", "toolCalls"))...)
	return append(turns, answered(response.Get("output"))...)
}

// instructed is a conversation that a simulated user held: the prompt is what the
// agent was told before it, which no message says. Attackers make prompts of their
// own.
func instructed(prompt string, turns []envelope.Turn, attack bool) []envelope.Turn {
	if attack || prompt == "" || turns[0].Role == envelope.RoleSystem ||
		slices.ContainsFunc(turns, func(t envelope.Turn) bool { return t.Text == prompt }) {
		return turns
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

// answered is the answer of a provider: a text, calls of tools as OpenAI has them, or
// a message.
func answered(output jsonwalk.Value) []envelope.Turn {
	switch {
	case !output.Present():
		return nil
	case output.IsArray() && output.First().Get("function", "name").IsText(): // calls of tools
		return conversation.Turns(jsonwalk.Detached("output", []byte(`[{"role":"assistant","tool_calls":`+output.String()+`}]`)))
	case output.IsObject() && output.Get("tool_calls").IsArray():
		return conversation.Turns(jsonwalk.Detached("output", []byte(`[`+output.String()+`]`)))
	}
	return []envelope.Turn{conversation.Say(envelope.RoleAssistant, output.String())}
}
