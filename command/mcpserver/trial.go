package mcpserver

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tribunal/envelope"
	"tribunal/verdict"
)

type trialInput struct {
	reading
	Test  string `json:"test" jsonschema:"name of the test, or suite/name"`
	Trial *int   `json:"trial,omitempty" jsonschema:"number of the trial, from 0 on, as failures lists them; otherwise the first that did not pass"`
}

type opened struct {
	Test       string            `json:"test"`
	Trial      int               `json:"trial"`
	Of         int               `json:"of"` // trials of the test
	Counted    string            `json:"outcome"`
	ErrorClass string            `json:"class,omitempty"`
	DurationMS *float64          `json:"duration_ms,omitempty"`
	CostUSD    *float64          `json:"cost_usd,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Message    string            `json:"message,omitempty"`
	Output     string            `json:"output,omitempty"`
	Checks     map[string]string `json:"checks,omitempty"` // why each did not hold
	Turns      []turn            `json:"turns,omitempty"`
	LeftOut    int               `json:"turns_left_out,omitempty"`
	Kept       bool              `json:"text_kept"` // whether the input has texts of the trial
}

type turn struct {
	Role  string   `json:"role"`
	Text  string   `json:"text,omitempty"`
	Calls []string `json:"calls,omitempty"`
	Error bool     `json:"error,omitempty"`
}

func (p Program) trial(ctx context.Context, in trialInput) (*mcp.CallToolResult, error) {
	e, err := p.judged(ctx, in.reading, "--keep-details=all")
	if err != nil {
		return nil, err
	}
	t, err := verdict.FindTest(e, in.Test)
	if err != nil {
		return nil, err
	}
	at, err := which(t, in.Trial)
	if err != nil {
		return nil, err
	}
	return answer(open(e, t, at, budget(in.Budget)))
}

// which is the row of the trial: the one asked for, or the first that did not pass.
func which(t *envelope.Test, asked *int) (int, error) {
	rows := t.Rows.Len()
	switch {
	case rows == 0:
		return 0, fmt.Errorf("%s has no trial", t.Key.RunnerName())
	case asked == nil && len(t.Details) > 0:
		return t.Details[0].Trial, nil
	case asked == nil:
		return 0, nil
	case *asked < 0 || *asked >= rows:
		return 0, fmt.Errorf("%s has trials 0 to %d, and no %d", t.Key.RunnerName(), rows-1, *asked)
	}
	return *asked, nil
}

// outcomes are what a trial counts as, in words.
var outcomes = map[envelope.Outcome]string{envelope.Passed: "passed", envelope.Failed: "failed", envelope.Errored: "errored",
	envelope.Excluded: "excluded", envelope.Skipped: "skipped"}

func open(e *envelope.Envelope, t *envelope.Test, at, bytes int) opened {
	row := t.Rows.Row(at)
	o := opened{Test: t.Key.String(), Trial: at, Of: t.Rows.Len(), Counted: outcomes[t.Rows.Outcome[at]], ErrorClass: row.ErrorClass,
		DurationMS: pointer(row.DurationMS), CostUSD: pointer(row.CostUSD)}
	if i := slices.IndexFunc(t.Details, func(d envelope.Detail) bool { return d.Trial == at }); i >= 0 {
		d := t.Details[i]
		o.Message, o.Output, o.Labels, o.Checks, o.Kept = cut(d.Message, bytes/4), cut(d.Output, bytes/3), d.Labels, d.Reasons, true
	}
	all, kept := e.Transcript(t, at)
	if !kept {
		return o
	}
	o.Kept = true
	var turns []turn
	for _, s := range all {
		turns = append(turns, turnOf(s, bytes/8))
	}
	frame, _ := marshal(o) // of numbers and texts
	n := fitting(turns, bytes-len(frame)-len(`,"turns":[],"turns_left_out":100000`))
	o.Turns, o.LeftOut = turns[:n], len(turns)-n
	return o
}

func turnOf(s envelope.Turn, bytes int) turn {
	t := turn{Role: s.Role, Text: cut(s.Text, bytes), Error: s.Error}
	if s.LeftOut > 0 {
		t.Text = fmt.Sprintf("%d turns are not in the input", s.LeftOut)
	}
	for _, c := range s.ToolCalls {
		t.Calls = append(t.Calls, cut(fmt.Sprintf("%s %s", c.Name, c.Arguments), bytes))
	}
	return t
}

func pointer(v envelope.Opt[float64]) *float64 {
	if !v.OK {
		return nil
	}
	return &v.V
}
