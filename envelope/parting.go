package envelope

// The levels that trials are compared at, of which a Parting has one.
const (
	PartNames     = "names"     // steps by the name of the tool
	PartArguments = "arguments" // steps by name and arguments
)

// How a p-value of where trials part came about.
const (
	PExact        = "exact"
	PPermutations = "permutations" // drawn: the tables are too many
	PChi2         = "cmh"          // of Cochran, Mantel and Haenszel: the states are too many
)

// MostBranches is how many branches of a Parting are kept; those of the fewest
// trials are one together.
const MostBranches = 12

// Parting is the place where the ways of a test's trials part that goes furthest
// with how they ended. It is exploratory: found by looking at all places.
type Parting struct {
	Level    string       `json:"level"`
	Depth    int          `json:"depth"`            // steps before it, equal in all its trials
	Shared   []int        `json:"shared,omitempty"` // these, as places among the steps of the run
	N        int          `json:"n"`                // trials here
	Branches []Branch     `json:"branches"`         // those that pass most first
	Nodes    int          `json:"nodes"`            // places where trials diverge, at both levels
	P        Opt[float64] `json:"p,omitzero"`       // none under 7 trials of the test
	Adjusted Opt[float64] `json:"p_adjusted,omitzero"`
	Method   string       `json:"method,omitempty"` // how p was computed
}

// Branch is one way on: a step, the end, or several ways together.
type Branch struct {
	Name      string  `json:"name,omitempty"`
	Digest    string  `json:"digest,omitempty"`    // of its arguments, at their level
	Arguments string  `json:"arguments,omitempty"` // in short, where they distinguish it from another branch and a conversation of it was kept
	Ended     bool    `json:"ended,omitempty"`     // no further step
	Unknown   bool    `json:"unknown,omitempty"`   // further steps, which are not kept
	Others    int     `json:"others,omitempty"`    // so many ways together
	Passed    int     `json:"passed"`
	N         int     `json:"n"`
	Lo        float64 `json:"lo"` // Wilson interval of the pass rate
	Hi        float64 `json:"hi"`
	Trials    []int   `json:"trials,omitempty"` // rows
}

// StepUse is what calling a tool goes with, within the tests where some trials
// called it and some did not, and some passed and some did not.
type StepUse struct {
	Name       string  `json:"name"`
	Tests      int     `json:"tests"`      // such tests
	Difference float64 `json:"difference"` // P(pass | called) less P(pass | not called), Mantel-Haenszel
	P          float64 `json:"p"`
	Adjusted   float64 `json:"p_adjusted"` // Benjamini-Hochberg over all tools
	Method     string  `json:"method"`
}
