package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/words"
	"tribunal/render/html/ansi"
	"tribunal/render/internal/standing"
)

// conversations are the conversations of trials of a test. For the script they travel as
// data, an island a test; the last turns of the first that did not pass are HTML.
type conversations struct {
	ID     string // of the test
	Words  string
	Static []conversation
}

type conversation struct {
	Trial string
	Badge badge
	About string
	Cut   string // how many turns stand before
	Turns []turn
}

// How much of conversations is shown.
const (
	staticConversations = 50 // conversations that read without scripts, of the page
	staticTurns         = 20 // turns of each, the last ones
	answerLines         = 20 // lines of a tool's answer before a click
	shortCall           = 66 // letters of a call that stands in one line
	prettyLimit         = 64 << 10
)

// newConversations has the first static conversations that did not end in a pass as HTML.
func (o *opener) newConversations(t *envelope.Test, static int) *conversations {
	if len(t.Transcripts) == 0 {
		return nil
	}
	out := &conversations{ID: testID(t.Key), Words: "Conversations of " + words.Of(len(t.Transcripts), t.Trials.Total, "trial", "trials")}
	for i := range t.Transcripts {
		if tr := &t.Transcripts[i]; len(out.Static) < static && !passed(t, tr.Trial) {
			out.Static = append(out.Static, o.newConversation(t, tr, staticTurns))
		}
	}
	return out
}

func passed(t *envelope.Test, trial int) bool {
	return trial < len(t.Rows.Outcome) && t.Rows.Outcome[trial] == envelope.Passed
}

func (o *opener) newConversation(t *envelope.Test, tr *envelope.Transcript, last int) conversation {
	turns := tr.Turns(o.texts)
	places, _ := t.Rows.Steps().At(tr.Trial)
	made := o.newTurns(turns, each.Of(places, func(place uint32) string { return strconv.Itoa(int(place)) }))
	out := conversation{Trial: count(tr.Trial + 1), Badge: outcomeBadge(t, tr.Trial), About: conversationAbout(t, turns, tr.Trial)}
	if n := len(made) - last; last > 0 && n > 0 {
		out.Cut = plural(n, "turn") + " before these: to show them takes JavaScript."
		made = made[n:]
	}
	out.Turns = made
	return out
}

func outcomeBadge(t *envelope.Test, trial int) badge {
	if trial >= len(t.Rows.Outcome) {
		return badge{"UNKNOWN", "other"}
	}
	if status := t.Rows.Outcome[trial].Status(); status != "" {
		return newBadge(status)
	}
	return badge{"EXCLUDED", "other"}
}

func conversationAbout(t *envelope.Test, turns []envelope.Turn, trial int) string {
	all, calls := 0, 0
	for i := range turns {
		all += max(1, turns[i].LeftOut)
		calls += len(turns[i].ToolCalls)
	}
	about := []string{plural(all, "turn")}
	if steps, known := t.Rows.Steps().At(trial); known {
		calls = max(len(steps), calls)
	}
	about = append(about, plural(calls, "step"))
	about = append(about, measuredOf(t.Rows, trial)...)
	about = append(about, standing.Labelled(t.Rows, trial))
	for _, check := range t.CheckNames() {
		if c := t.Rows.Checks().Of(check); c != nil && (c.At(trial) == envelope.Failed || c.At(trial) == envelope.Errored) {
			about = append(about, "failed: "+name(check, "no name"))
			break
		}
	}
	return words.Join(" · ", about...)
}

type turn struct {
	No            string
	Class, Role   string
	About         string // the agent, or the tool that answers
	Failed        bool
	Took          string
	Text          []ansi.Span
	Rest          []ansi.Span // of the text, behind a click
	More          string      // words of the rest
	Folded        string      // where all of the text is behind a click
	Thought       []ansi.Span
	ThoughtFolded string
	Calls         []call
	Files         []attached
	Gap           string // what is left out here; there is nothing else then
}

// call is a call of a tool. Key is equal for calls that are the same.
type call struct {
	Name, Key string
	Long      bool // a line for each argument
	Arguments []argument
}

type argument struct{ Key, Value string }

func (o *opener) newTurns(turns []envelope.Turn, keys []string) []turn {
	calls := each.Sum(turns, func(t envelope.Turn) int { return len(t.ToolCalls) })
	out := make([]turn, 0, len(turns))
	number, at := 0, 0
	for i := range turns {
		t := &turns[i]
		if t.LeftOut > 0 {
			out = append(out, turn{Class: "gap", Gap: plural(t.LeftOut, "turn") + " left out here"})
			number += t.LeftOut
			at += max(0, len(keys)-calls)
			continue
		}
		number++
		shown := o.newTurn(t, number)
		if t.Role == envelope.RoleTool && i > 0 && len(turns[i-1].ToolCalls) == 1 { // nobody asks which one it answers
			shown.About = name(t.Agent, "")
		}
		for c := range shown.Calls {
			if at < len(keys) {
				shown.Calls[c].Key = keys[at]
			} else { // its place among the steps of the run is not known
				call := &t.ToolCalls[c]
				shown.Calls[c].Key = fmt.Sprintf("c%.8x", sha256.Sum256([]byte(strconv.Itoa(len(call.Name))+":"+call.Name+call.Arguments)))
			}
			at++
		}
		out = append(out, shown)
	}
	return out
}

func (o *opener) newTurn(t *envelope.Turn, number int) turn {
	out := turn{No: count(number), Class: "other", Role: name(t.Role, "unknown"), Failed: t.Error,
		Took: words.Join(", ", t.DurationMS.Text("", duration), t.CostUSD.Text("", dollars), t.Tokens.Text("", tokens))}
	turnClasses := []string{envelope.RoleSystem, envelope.RoleUser, envelope.RoleAssistant, envelope.RoleTool}
	if slices.Contains(turnClasses, t.Role) {
		out.Class = t.Role
	}
	out.About = words.Join(", ", name(t.Agent, ""), name(t.Name, ""))
	switch {
	case t.Text == "":
	case t.Role == envelope.RoleSystem:
		out.Text, out.Folded = ansi.Spans(t.Text), "System prompt, "+plural(len(strings.Fields(t.Text)), "word")
	case t.Role == envelope.RoleTool:
		head, rest, lines := cutLines(pretty(t.Text), answerLines)
		out.Text = ansi.Spans(head)
		if rest != "" {
			out.Rest, out.More = ansi.Spans(rest), plural(lines, "more line")
		}
	default:
		out.Text = ansi.Spans(t.Text)
	}
	if t.Reasoning != "" {
		out.Thought, out.ThoughtFolded = ansi.Spans(t.Reasoning), "Thought, "+plural(len(strings.Fields(t.Reasoning)), "word")
	}
	out.Calls = each.Of(t.ToolCalls, newCall)
	out.Files = o.attached(t.Attachments)
	return out
}

// tokens stay in one line in the narrow margin.
func tokens(n int64) string { return strings.Replace(plural(n, "token"), " ", nbsp, 1) }

func pretty(text string) string {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || len(trimmed) > prettyLimit {
		return text
	}
	var out bytes.Buffer
	if json.Indent(&out, []byte(trimmed), "", "  ") != nil {
		return text
	}
	return standing.Unescaped(out.String())
}

// cutLines cuts a text behind its first lines. One more line is not worth a click.
func cutLines(text string, most int) (head, rest string, lines int) {
	end := 0
	for range most {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			return text, "", 0
		}
		end += next + 1
	}
	lines = strings.Count(strings.TrimSuffix(text[end:], "\n"), "\n") + 1
	if lines <= 2 || text[end:] == "" {
		return text, "", 0
	}
	return text[:end], text[end:], lines
}

func newCall(c envelope.ToolCall) call {
	out := call{Name: name(c.Name, "no name")}
	length := len(out.Name)
	for _, a := range argumentsOf(c.Arguments) {
		out.Arguments = append(out.Arguments, a)
		length += len(a.Key) + len(a.Value) + len(", ")
		out.Long = out.Long || strings.Contains(a.Value, "\n")
	}
	out.Long = out.Long || length > shortCall && len(out.Arguments) > 1
	return out
}

func argumentsOf(text string) []argument {
	d := json.NewDecoder(strings.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return plainArguments(text)
	}
	var out []argument
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return plainArguments(text)
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return plainArguments(text)
		}
		out = append(out, argument{name(key.(string), `""`), argumentValue(value)})
	}
	if _, err := d.Token(); err != nil {
		return plainArguments(text)
	}
	return out
}

func plainArguments(s string) []argument {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []argument{{"", safe(s)}}
}

func argumentValue(value json.RawMessage) string {
	var out bytes.Buffer
	if len(value) <= shortCall || value[0] == '"' {
		_ = json.Compact(&out, value) // it was just decoded
		return safe(out.String())
	}
	_ = json.Indent(&out, value, "  ", "  ")
	return safe(out.String())
}

func safe(s string) string {
	var b strings.Builder
	for _, span := range ansi.Spans(s) {
		b.WriteString(span.Text)
	}
	return b.String()
}
