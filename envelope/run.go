package envelope

// Source is one input and what was found in it.
type Source struct {
	Input  string `json:"input"`
	Format string `json:"format,omitempty"`
	Trials int    `json:"trials"`           // trials delivered, before duplicates are put together
	Listed int    `json:"listed,omitempty"` // tests that the journal of a run lists
}

// RunHeader is the header of a counted run: what the processes that made it say
// of it, and where its trials came from.
type RunHeader struct {
	Header
	// Headers are the headers the run was merged from, when there are several.
	Headers []Header `json:"headers,omitempty"`
	Sources []Source `json:"sources"`
	// SharedSources are the sets of sources that delivered the same trial, as
	// indexes into Sources.
	SharedSources [][]int `json:"shared_sources,omitempty"`
}

// Detail is the text of one trial that did not pass.
type Detail struct {
	Trial      int               `json:"trial"` // its row, 0-based
	Attempt    Opt[int32]        `json:"attempt,omitzero"`
	Run        string            `json:"run,omitempty"`
	Status     Status            `json:"status"`
	ErrorClass string            `json:"error_class,omitempty"`
	Message    string            `json:"message,omitempty"`
	Output     string            `json:"output,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	// Reasons are those of the checks, by name; Attachments those of the trial.
	Reasons     map[string]string `json:"reasons,omitempty"`
	Attachments []Attachment      `json:"attachments,omitempty"`
}

// Tally is one test of a Run: its trials in canonical order.
type Tally struct {
	Key
	File   string
	Line   int
	Owners []string          // of its file, by CODEOWNERS
	Labels map[string]string // labels with the same value on every trial that has them
	Varies []string          // names of labels whose value varies over the trials
	Rows   *Rows
	// Details are the kept texts in the order of their rows.
	Details     []Detail
	Transcripts []Transcript // those kept, in the order of their rows
	// DetailsClear and ConversationsClear say that the texts of details and of transcripts, names
	// of runs and classes left out, were looked at while they were counted, and hold no
	// secret of those known to all, nor what stands for one.
	DetailsClear, ConversationsClear bool
	Endings                          []Ending // by run, what journals say
	History                          *Past    // what the envelope it was read from says
}

// Run is what was counted: trials in their canonical order, nothing judged.
// Only verdict.Seal makes an Envelope of it.
type Run struct {
	Header RunHeader
	// Steps are all tool calls that rows of tests name by their places here. Texts
	// are those that transcripts refer to; counting leaves none.
	Steps    []Step
	Texts    []string
	Reasons  []Reason // that rows of tests name by their places here
	Tests    []Tally  // by suite, test, variant
	Problems []Problem
}

// Trials is the number of trials of all tests.
func (r *Run) Trials() int {
	n := 0
	for i := range r.Tests {
		n += r.Tests[i].Rows.Len()
	}
	return n
}
