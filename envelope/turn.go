package envelope

// The roles of turns, in the words of OpenTelemetry. Others are kept as a runner
// writes them.
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

	// LeftOut is how many turns stood here, of a turn that stands for a gap and says
	// nothing else.
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

// Step is a tool call as trials are compared by: its name, and a digest of its
// arguments in canonical form (keys sorted, integers with all digits, 1.0 as 1)
// without their secrets: the first 8 bytes of SHA-256 in hexadecimal. Calls
// without arguments are calls with {}.
type Step struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// ref is a text of the run by its place in the list, plus one; 0 is none.
type ref int

// said is a text of a turn: what it says, or where that stands among the texts of
// the run.
type said struct {
	text *string
	ref  *ref
}

// said are the texts of a turn that may stand among those of the run.
func (t *Turn) said() [2]said { return [2]said{{&t.Text, &t.text}, {&t.Reasoning, &t.reasoning}} }
