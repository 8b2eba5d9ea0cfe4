package mcpserver

import (
	"bytes"
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tribunal/envelope"
	"tribunal/envelope/wire"
)

// judged is the whole run as report judges it.
func (p Program) judged(ctx context.Context, in reading, more ...string) (*envelope.Envelope, error) {
	if err := needInputs(in.Inputs); err != nil {
		return nil, err
	}
	text, err := p.ask(ctx, "report", append(in.flags(), append(more, "--format=json")...), in.Inputs)
	if err != nil {
		return nil, err
	}
	found, err := wire.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	return found.Envelope, nil
}

// failureList is what did not pass.
type failureList struct {
	Status   envelope.Status `json:"status"`
	ExitCode int             `json:"exit_code"`
	Reasons  []string        `json:"reasons"`
	Tests    []failure       `json:"tests"`
	LeftOut  int             `json:"left_out,omitempty"` // tests beyond the budget
	Problems []string        `json:"problems,omitempty"`
	Counts   map[string]int  `json:"counts"`
}

type failure struct {
	Suite   string          `json:"suite,omitempty"`
	Test    string          `json:"test"`
	Variant string          `json:"variant,omitempty"`
	Status  envelope.Status `json:"status"`
	Flaky   bool            `json:"flaky,omitempty"`
	Passed  int             `json:"passed"`
	Counted int             `json:"counted"`
	File    string          `json:"file,omitempty"`
	Line    int             `json:"line,omitempty"`
	Reason  string          `json:"reason"`
	Trials  []glimpse       `json:"trials,omitempty"`
}

// glimpse is what a trial said, in short.
type glimpse struct {
	Trial   int             `json:"trial"`
	Status  envelope.Status `json:"status"`
	Class   string          `json:"class,omitempty"`
	Message string          `json:"message,omitempty"`
}

// How much of each test is listed; trial opens the rest.
const (
	glimpses     = 3
	messageBytes = 300
	problems     = 5
)

func (p Program) failures(ctx context.Context, in reading) (*mcp.CallToolResult, error) {
	e, err := p.judged(ctx, in)
	if err != nil {
		return nil, err
	}
	s := e.Summary
	list := failureList{Status: e.Gate.Status, ExitCode: e.Gate.ExitCode, Reasons: e.Gate.Reasons, Tests: []failure{},
		Counts: map[string]int{"tests": s.Tests, "pass": s.Pass, "fail": s.Fail, "error": s.Error, "inconclusive": s.Inconclusive, "skip": s.Skip, "flaky": s.Flaky}}
	for _, problem := range e.Problems[:min(problems, len(e.Problems))] {
		list.Problems = append(list.Problems, cut(problem.String(), messageBytes))
	}
	var all []failure
	for _, status := range []envelope.Status{envelope.Fail, envelope.Error, envelope.Inconclusive} {
		for i := range e.Tests {
			if e.Tests[i].Status == status {
				all = append(all, failureOf(&e.Tests[i]))
			}
		}
	}
	frame, err := marshal(list)
	if err != nil {
		return nil, err
	}
	n := fitting(all, budget(in.Budget)-len(frame)-len(`,"left_out":1000000`))
	list.Tests, list.LeftOut = append(list.Tests, all[:n]...), len(all)-n
	return answer(list)
}

func failureOf(t *envelope.Test) failure {
	f := failure{Suite: t.Suite, Test: t.Test, Variant: t.Variant, Status: t.Status, Flaky: t.Flaky, Passed: t.Trials.Passed, Counted: t.Trials.Counted,
		File: t.File, Line: t.Line, Reason: t.Verdict.Reason}
	for _, d := range t.Details[:min(glimpses, len(t.Details))] {
		f.Trials = append(f.Trials, glimpse{d.Trial, d.Status, d.ErrorClass, cut(d.Message, messageBytes)})
	}
	return f
}
