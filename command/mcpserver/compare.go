package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type compareInput struct {
	Base      string   `json:"base" jsonschema:"path of the run before: a file, a folder or a glob below the working directory"`
	Candidate string   `json:"candidate" jsonschema:"path of the run after"`
	Margin    *float64 `json:"margin,omitempty" jsonschema:"the largest change of pass rate that does not matter, a fraction; otherwise 0.05"`
	Budget    int      `json:"budget,omitempty" jsonschema:"most bytes of the answer, 1024 to 65536; otherwise 8192"`
}

// comparison is what is told of the document of compare, whose schema `tribunal
// schema comparison` prints.
type comparison struct {
	Gate      json.RawMessage `json:"gate"`
	Contrasts []struct {
		Summary json.RawMessage `json:"summary"`
		Run     struct {
			State  string `json:"state"`
			Reason string `json:"reason"`
		} `json:"run"`
		Tests []change `json:"tests"`
	} `json:"contrasts"`
}

type change struct {
	Suite     string `json:"suite,omitempty"`
	Test      string `json:"test"`
	Variant   string `json:"variant,omitempty"`
	State     string `json:"state,omitempty"`
	Newly     string `json:"newly,omitempty"`
	Reason    string `json:"reason"`
	Base      share  `json:"base"`
	Candidate share  `json:"candidate"`
}

type share struct {
	N      int `json:"n"`
	Passed int `json:"passed"`
}

// compared is the answer.
type compared struct {
	Gate    json.RawMessage `json:"gate"`
	Summary json.RawMessage `json:"summary"`
	State   string          `json:"state"`
	Reason  string          `json:"reason"`
	Tests   []change        `json:"tests"` // that changed, or may have
	LeftOut int             `json:"left_out,omitempty"`
}

// worstFirst is the order of the states in an answer; tests that are equivalent
// stand in the summary alone.
var worstFirst = []string{"regressed", "unresolved", "improved"}

func (p Program) compare(ctx context.Context, in compareInput) (*mcp.CallToolResult, error) {
	if in.Base == "" || in.Candidate == "" {
		return nil, errors.New("name base and candidate, a file or folder each")
	}
	text, err := p.ask(ctx, "compare", append(number("margin", in.Margin), "--format=json"), []string{in.Base, in.Candidate})
	if err != nil {
		return nil, err
	}
	var found comparison
	if err := json.Unmarshal(text, &found); err != nil || len(found.Contrasts) != 1 {
		return nil, fmt.Errorf("reading the comparison: %d candidates: %w", len(found.Contrasts), err)
	}
	c := found.Contrasts[0]
	var tests []change
	for _, state := range worstFirst {
		for _, t := range c.Tests {
			if t.State == state {
				tests = append(tests, t)
			}
		}
	}
	told := compared{Gate: found.Gate, Summary: c.Summary, State: c.Run.State, Reason: c.Run.Reason, Tests: []change{}}
	frame, err := marshal(told)
	if err != nil {
		return nil, err
	}
	n := fitting(tests, budget(in.Budget)-len(frame)-len(`,"left_out":1000000`))
	told.Tests, told.LeftOut = slices.Concat(told.Tests, tests[:n]), len(tests)-n
	return answer(told)
}
