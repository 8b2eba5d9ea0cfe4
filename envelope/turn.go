package envelope

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tribunal/envelope/internal/arguments"
	"tribunal/envelope/internal/codec"
)

// The roles of turns, in the words of OpenTelemetry. Others are kept as a runner writes them.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Turn is one step of a conversation: what one side said, called or answered.
type Turn struct {
	Role      string
	Text      string
	Reasoning string // what the model thought, where it is known
	ToolCalls []ToolCall

	ToolCallID string // of a tool turn: the call it answers
	Name       string // of a tool turn: the tool
	Error      bool   // of a tool turn: it failed

	AtMS, DurationMS Opt[float64] // since the trial began; of the turn
	Tokens           Opt[int64]
	CostUSD          Opt[float64]
	Agent            string // which of several agents
	Attachments      []Attachment

	// LeftOut is how many turns stood here, of a turn that stands for a gap and says nothing else.
	LeftOut int

	text, reasoning ref // on the wire: which texts of the run they are
}

// ToolCall is a call of a tool. Its arguments are the JSON text of an object, or
// what the model wrote where that is none.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// Attachment is a file beside a trial or a turn: by its path, relative to the
// input, or by its address.
type Attachment struct {
	Name      string `json:"name,omitempty"`
	Path      string `json:"path,omitempty"`
	URL       string `json:"url,omitempty"`
	MediaType string `json:"media_type,omitempty"`
}

// Step is a tool call as trials are compared by: its name, and a digest of its arguments in
// canonical form (keys sorted, integers with all digits, 1.0 as 1) without their secrets: the first
// 8 bytes of SHA-256 in hexadecimal. Calls without arguments are calls with {}.
type Step struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// ref is the place of a text in the list of the run, plus one; 0 is none.
type ref int

// sharableText is a text of a turn, or a reference to one of the texts of the run.
type sharableText struct {
	text *string
	ref  *ref
}

// sharableTexts are the texts of a turn that may be references.
func (t *Turn) sharableTexts() [2]sharableText {
	return [2]sharableText{{&t.Text, &t.text}, {&t.Reasoning, &t.reasoning}}
}

// Edit replaces every text of a turn in place, and reports whether one changed. Text returns the
// replacement of a text, label that of a named argument.
func (t *Turn) Edit(text func(string) string, label func(name, value string) string) (changed bool) {
	put := func(to *string, s string) {
		if s != *to {
			*to, changed = s, true
		}
	}
	for _, s := range []*string{&t.Role, &t.Text, &t.Reasoning, &t.ToolCallID, &t.Name, &t.Agent} {
		put(s, text(*s))
	}
	for i := range t.ToolCalls {
		c := &t.ToolCalls[i]
		put(&c.ID, text(c.ID))
		put(&c.Name, text(c.Name))
		put(&c.Arguments, arguments.Edit(c.Arguments, text, label))
	}
	for i := range t.Attachments {
		changed = t.Attachments[i].Edit(text) || changed
	}
	return changed
}

// Edit replaces every text of an attachment as that of a turn does.
func (a *Attachment) Edit(text func(string) string) (changed bool) {
	for _, s := range []*string{&a.Name, &a.Path, &a.URL, &a.MediaType} {
		if edited := text(*s); edited != *s {
			*s, changed = edited, true
		}
	}
	return changed
}

// validTurns are the turns themselves where all their texts are UTF-8.
func validTurns(turns []Turn) []Turn {
	whole := true
	for i := range turns {
		turns[i].texts(func(text *string) { whole = whole && utf8.ValidString(*text) })
	}
	if whole {
		return turns
	}
	out := CloneTurns(turns)
	valid := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	for i := range out {
		out[i].Edit(valid, func(_, value string) string { return valid(value) })
	}
	return out
}

// CloneTurns are the turns in memory of their own, and their texts as well.
func CloneTurns(turns []Turn) []Turn {
	if turns == nil {
		return nil
	}
	out := make([]Turn, len(turns))
	for i, t := range turns {
		t.ToolCalls, t.Attachments = slices.Clone(t.ToolCalls), slices.Clone(t.Attachments)
		t.texts(func(text *string) { *text = strings.Clone(*text) })
		out[i] = t
	}
	return out
}

// texts calls each with the texts of the turn, arguments as they are written.
func (t *Turn) texts(each func(*string)) {
	for _, text := range [...]*string{&t.Role, &t.Text, &t.Reasoning, &t.ToolCallID, &t.Name, &t.Agent} {
		each(text)
	}
	for i := range t.ToolCalls {
		c := &t.ToolCalls[i]
		each(&c.ID)
		each(&c.Name)
		each(&c.Arguments)
	}
	for i := range t.Attachments {
		a := &t.Attachments[i]
		for _, text := range [...]*string{&a.Name, &a.Path, &a.URL, &a.MediaType} {
			each(text)
		}
	}
}

// textOrRef writes and reads a text of a turn, or its reference.
func textOrRef(at func(*Turn) sharableText) codec.Kind[Turn] {
	return codec.Kind[Turn]{
		Write: func(w *codec.Writer, t *Turn) {
			switch s := at(t); {
			case *s.ref > 0:
				w.B = s.ref.appendTo(w.B)
			case w.Long != nil && len(*s.text) >= LeastShared:
				w.Long(*s.text)
			default:
				w.B = codec.AppendString(w.B, *s.text)
			}
		},
		Read: func(p *codec.Parser, t *Turn) {
			s := at(t)
			if p.Peek() != '{' {
				codec.Texts[string]().Read(p, s.text)
				return
			}
			place := -1
			codec.ReadObject(p, &place, textRefFields)
			p.Odd = p.Odd || place < 0
			*s.ref = ref(place + 1)
		},
		None: func(t *Turn) bool { s := at(t); return *s.text == "" && *s.ref == 0 },
	}
}

func (r ref) appendTo(b []byte) []byte {
	return append(strconv.AppendInt(append(b, `{"text_ref":`...), int64(r-1), 10), '}')
}

var textRefFields = []codec.Member[*int]{codec.Always("text_ref", codec.Wholes[int](), func(i *int) *int { return i })}

func wholeTurn(t *Turn) *Turn { return t }

var turnFields = []codec.Member[*Turn]{
	codec.UnlessNone("role", codec.Terms[string](), func(t *Turn) *string { return &t.Role }),
	codec.UnlessNone("agent", codec.Terms[string](), func(t *Turn) *string { return &t.Agent }),
	codec.UnlessNone("text", textOrRef(func(t *Turn) sharableText { return sharableText{&t.Text, &t.text} }), wholeTurn),
	codec.UnlessNone("reasoning", textOrRef(func(t *Turn) sharableText { return sharableText{&t.Reasoning, &t.reasoning} }), wholeTurn),
	codec.UnlessNone("tool_calls", codec.ListsOf(codec.Object(toolCallFields)), func(t *Turn) *[]ToolCall { return &t.ToolCalls }),
	codec.UnlessNone("tool_call_id", codec.Texts[string](), func(t *Turn) *string { return &t.ToolCallID }),
	codec.UnlessNone("name", codec.Terms[string](), func(t *Turn) *string { return &t.Name }),
	codec.UnlessNone("error", codec.Flags, func(t *Turn) *bool { return &t.Error }),
	codec.UnlessNone("at_ms", OptKind(codec.Reals), func(t *Turn) *Opt[float64] { return &t.AtMS }),
	codec.UnlessNone("duration_ms", OptKind(codec.Reals), func(t *Turn) *Opt[float64] { return &t.DurationMS }),
	codec.UnlessNone("tokens", OptKind(codec.Wholes[int64]()), func(t *Turn) *Opt[int64] { return &t.Tokens }),
	codec.UnlessNone("cost_usd", OptKind(codec.Reals), func(t *Turn) *Opt[float64] { return &t.CostUSD }),
	codec.UnlessNone("attachments", codec.ListsOf(codec.Tagged[Attachment](nil)), func(t *Turn) *[]Attachment { return &t.Attachments }),
	codec.UnlessNone("left_out", codec.Wholes[int](), func(t *Turn) *int { return &t.LeftOut }),
}

var toolCallFields = []codec.Member[*ToolCall]{
	codec.UnlessNone("id", codec.Texts[string](), func(c *ToolCall) *string { return &c.ID }),
	codec.Always("name", codec.Terms[string](), func(c *ToolCall) *string { return &c.Name }),
	codec.UnlessNone("arguments", argumentTexts, func(c *ToolCall) *string { return &c.Arguments }),
}

var argumentTexts = codec.Kind[string]{
	Write: func(w *codec.Writer, s *string) {
		object, ok := arguments.Normal(w.B, *s)
		if w.B = object; !ok {
			w.B = codec.AppendString(w.B, *s)
		}
	},
	Read: func(p *codec.Parser, s *string) {
		if p.Peek() != '{' {
			codec.Texts[string]().Read(p, s)
			return
		}
		start := p.At
		p.Skip()
		if !p.Odd {
			text, ok := arguments.Normal(nil, string(p.B[start:p.At]))
			*s, p.Odd = string(text), !ok
		}
	},
	None: func(s *string) bool { return *s == "" },
}

// OptKind is how a value that may be absent is written and read.
func OptKind[V any](k codec.Kind[V]) codec.Kind[Opt[V]] {
	return codec.Kind[Opt[V]]{
		Write: func(w *codec.Writer, v *Opt[V]) {
			if v.OK {
				k.Write(w, &v.V)
			} else {
				w.Text("null")
			}
		},
		Read: func(p *codec.Parser, v *Opt[V]) { k.Read(p, &v.V); v.OK = true },
		None: func(v *Opt[V]) bool { return !v.OK },
	}
}

// turnForm is a turn as encoding/json reads it.
type turnForm struct {
	Role        string         `json:"role"`
	Agent       string         `json:"agent"`
	Text        saidForm       `json:"text"`
	Reasoning   saidForm       `json:"reasoning"`
	ToolCalls   []toolCallForm `json:"tool_calls"`
	ToolCallID  string         `json:"tool_call_id"`
	Name        string         `json:"name"`
	Error       bool           `json:"error"`
	AtMS        Opt[float64]   `json:"at_ms"`
	DurationMS  Opt[float64]   `json:"duration_ms"`
	Tokens      Opt[int64]     `json:"tokens"`
	CostUSD     Opt[float64]   `json:"cost_usd"`
	Attachments []Attachment   `json:"attachments"`
	LeftOut     int            `json:"left_out"`
}

type toolCallForm struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type saidForm struct {
	text string
	ref  ref
}

// UnmarshalJSON reads a string, or a reference to one.
func (s *saidForm) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return json.Unmarshal(b, &s.text)
	}
	var at struct {
		Ref int `json:"text_ref"`
	}
	err := json.Unmarshal(b, &at)
	s.ref = ref(at.Ref + 1)
	return err
}

// MarshalJSON writes the turn as a report does.
func (t Turn) MarshalJSON() ([]byte, error) {
	w := &codec.Writer{}
	codec.WriteObject(w, &t, turnFields)
	return w.B, w.Err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Turn) UnmarshalJSON(b []byte) error {
	var f turnForm
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*t = Turn{Role: f.Role, Agent: f.Agent, Text: f.Text.text, Reasoning: f.Reasoning.text, ToolCallID: f.ToolCallID, Name: f.Name,
		Error: f.Error,
		AtMS:  f.AtMS, DurationMS: f.DurationMS, Tokens: f.Tokens, CostUSD: f.CostUSD, Attachments: f.Attachments, LeftOut: f.LeftOut,
		text: max(0, f.Text.ref), reasoning: max(0, f.Reasoning.ref)}
	for _, c := range f.ToolCalls {
		call := ToolCall{ID: c.ID, Name: c.Name}
		switch object, ok := arguments.Normal(nil, string(c.Arguments)); {
		case ok:
			call.Arguments = string(object)
		case len(c.Arguments) > 0 && c.Arguments[0] == '"':
			if err := json.Unmarshal(c.Arguments, &call.Arguments); err != nil {
				return err
			}
		case len(c.Arguments) > 0 && string(c.Arguments) != "null":
			call.Arguments = string(c.Arguments)
		}
		t.ToolCalls = append(t.ToolCalls, call)
	}
	return nil
}
