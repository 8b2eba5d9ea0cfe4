package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tribunal/envelope"
	"tribunal/envelope/wire"
	"tribunal/internal/each"
	"tribunal/internal/jsontext"
)

type compareInput struct {
	Base      string   `json:"base" jsonschema:"path of the run before: a file, a folder or a glob below the working directory"`
	Candidate string   `json:"candidate" jsonschema:"path of the run after"`
	Margin    *float64 `json:"margin,omitempty" jsonschema:"the largest change of pass rate that does not matter, a fraction; otherwise 0.05"`
	Budget    int      `json:"budget,omitempty" jsonschema:"most bytes of the answer, 1024 to 65536; otherwise 8192"`
}

// comparison is a part of the document of compare, whose schema `tribunal
// schema comparison` prints.
type comparison struct {
	Gate      json.RawMessage    `json:"gate"`
	Problems  []envelope.Problem `json:"problems"`
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
	// Failure is why most trials of the candidate fail.
	Failure json.RawMessage `json:"failure,omitempty"`
}

type share struct {
	N      int `json:"n"`
	Passed int `json:"passed"`
}

type compared struct {
	Note     string          `json:"note,omitempty"`
	Gate     json.RawMessage `json:"gate"`
	Problems []string        `json:"problems,omitempty"`
	Summary  json.RawMessage `json:"summary"`
	State    string          `json:"state"`
	Reason   string          `json:"reason"`
	Tests    []change        `json:"tests"` // that changed, or may have
	LeftOut  int             `json:"left_out,omitempty"`
}

// worstFirst is the order of the states in an answer; tests that are equivalent
// stand in the summary alone.
var worstFirst = []string{"regressed", "unresolved", "improved"}

func (p Program) compare(ctx context.Context, in compareInput) (*mcp.CallToolResult, error) {
	if in.Base == "" || in.Candidate == "" {
		return nil, errors.New("name base and candidate, a file or folder each")
	}
	text, err := p.ask(ctx, "compare", append(flagsOf(in), "--format=json"), []string{in.Base, in.Candidate})
	if err != nil {
		return nil, err
	}
	return comparisonAnswer(text, in.Budget, "")
}

func comparisonAnswer(text []byte, most int, note string) (*mcp.CallToolResult, error) {
	var found comparison
	if err := json.Unmarshal(text, &found); err != nil || len(found.Contrasts) != 1 {
		return nil, fmt.Errorf("cannot read the comparison: %d candidates: %w", len(found.Contrasts), err)
	}
	c := found.Contrasts[0]
	var tests []change
	for _, state := range worstFirst {
		tests = append(tests, each.Where(c.Tests, func(t change) bool { return t.State == state })...)
	}
	out := compared{Note: note, Gate: found.Gate, Problems: firstOf(found.Problems), Summary: c.Summary, State: c.Run.State,
		Reason: c.Run.Reason, Tests: []change{}}
	frame, err := jsontext.Marshal(out)
	if err != nil {
		return nil, err
	}
	n := fitting(tests, budget(most)-len(frame)-len(`,"left_out":1000000`))
	out.Tests, out.LeftOut = slices.Concat(out.Tests, tests[:n]), len(tests)-n
	return answer(out)
}

type planInput struct {
	Inputs    []string `json:"inputs,omitempty" jsonschema:"with a run: what would settle its inconclusive tests"`
	Rule      string   `json:"rule,omitempty" jsonschema:"rule that is going to judge, such as wilson or sprt"`
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"pass rate to reach, such as 0.9"`
	Trials    int      `json:"trials,omitempty" jsonschema:"trials of a test that are planned: what they can show"`
	HalfWidth *float64 `json:"half_width,omitempty" jsonschema:"half the width of the interval, such as 0.05"`
	Detect    string   `json:"detect,omitempty" jsonschema:"pass rates to distinguish, FROM:TO such as 0.90:0.80"`
	Cost      *float64 `json:"cost_per_trial,omitempty" jsonschema:"dollars that one trial costs"`
	Budget    int      `json:"budget,omitempty" jsonschema:"most bytes of the answer, 1024 to 65536; otherwise 8192"`
}

func (p Program) plan(ctx context.Context, in planInput) (*mcp.CallToolResult, error) {
	flags := flagsOf(in)
	if len(flags)+len(in.Inputs) == 0 {
		return nil, errors.New("give inputs, a rule with a threshold, half_width or detect")
	}
	return p.document(ctx, "plan", flags, in.Inputs, in.Budget)
}

type auditInput struct {
	Of     string   `json:"of" jsonschema:"gate: how often it is red by chance; tests: which of them distinguish variants"`
	Inputs []string `json:"inputs" jsonschema:"for a gate, one file for each run of an unchanged agent; for tests, each variant as NAME=FILE"`
	Rule   string   `json:"rule,omitempty" jsonschema:"for a gate: judge by this rule instead"`
	// Threshold and AtMost are of a gate as well.
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"for a gate: pass rate to reach, such as 0.9"`
	AtMost    *float64 `json:"at_most,omitempty" jsonschema:"for a gate: chance of a red build to accept, a fraction; otherwise 0.05"`
	By        string   `json:"by,omitempty" jsonschema:"for tests: label whose values are the variants"`
	Budget    int      `json:"budget,omitempty" jsonschema:"most bytes of the answer, 1024 to 65536; otherwise 8192"`
}

func (p Program) audit(ctx context.Context, in auditInput) (*mcp.CallToolResult, error) {
	if err := needInputs(in.Inputs); err != nil {
		return nil, err
	}
	var ofGate []string
	switch in.Of {
	case "gate":
	case "tests":
		ofGate = []string{"threshold", "at_most"}
	default:
		return nil, errors.New("of: give gate or tests")
	}
	return p.document(ctx, "audit", append([]string{in.Of}, flagsOf(in, ofGate...)...), in.Inputs, in.Budget)
}

// document is what a command writes as JSON, within a budget.
func (p Program) document(ctx context.Context, command string, flags, inputs []string, most int) (*mcp.CallToolResult, error) {
	text, err := p.ask(ctx, command, append(flags, "--format=json"), inputs)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("cannot read the document of %s: %w", command, err)
	}
	return shortened(document, budget(most))
}

// shortened is a document as an answer. Its longest lists, which are points of curves, are cut
// in half until it fits. It names the lists that were cut.
func shortened(document map[string]any, most int) (*mcp.CallToolResult, error) {
	for {
		text, err := jsontext.Marshal(document)
		if err != nil || len(text) <= most {
			return said(string(text)), err
		}
		l := longest(document)
		if l == nil {
			return nil, fmt.Errorf("the answer has %d bytes and the budget is %d; give a larger budget, or ask for less at once", len(text), most)
		}
		kept := l.items[:len(l.items)/2]
		left, _ := l.of[l.name+"_left_out"].(int)
		l.of[l.name], l.of[l.name+"_left_out"] = kept, left+len(l.items)-len(kept)
	}
}

// list is a list of a document, and where it stands.
type list struct {
	of    map[string]any
	name  string
	items []any
	bytes int
}

// longest finds the list with the most bytes that has more than one item.
func longest(in any) (found *list) {
	larger := func(l *list) {
		if l != nil && (found == nil || l.bytes > found.bytes || l.bytes == found.bytes && l.name < found.name) {
			found = l
		}
	}
	switch v := in.(type) {
	case map[string]any:
		for name, value := range v {
			larger(longest(value))
			if items, is := value.([]any); is && len(items) > 1 {
				text, _ := jsontext.Marshal(items) // of decoded JSON
				larger(&list{v, name, items, len(text)})
			}
		}
	case []any:
		for _, item := range v {
			larger(longest(item))
		}
	}
	return found
}

func (p Program) judged(ctx context.Context, in reading, more ...string) (*envelope.Envelope, error) {
	if err := needInputs(in.Inputs); err != nil {
		return nil, err
	}
	text, err := p.ask(ctx, "report", append(flagsOf(in), append(more, "--format=json")...), in.Inputs)
	if err != nil {
		return nil, err
	}
	found, err := wire.Decode(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("cannot read the report: %w", err)
	}
	return found.Envelope, nil
}

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

// firstOf are the first problems of a run, as lines.
func firstOf(all []envelope.Problem) []string {
	return each.Of(all[:min(problems, len(all))], func(p envelope.Problem) string { return cut(p.String(), messageBytes) })
}

func (p Program) failures(ctx context.Context, in reading) (*mcp.CallToolResult, error) {
	e, err := p.judged(ctx, in)
	if err != nil {
		return nil, err
	}
	s := e.Summary
	list := failureList{Status: e.Gate.Status, ExitCode: e.Gate.ExitCode, Reasons: e.Gate.Reasons, Tests: []failure{},
		Problems: firstOf(e.Problems), Counts: map[string]int{"tests": s.Tests, "pass": s.Pass, "fail": s.Fail, "error": s.Error,
			"inconclusive": s.Inconclusive, "skip": s.Skip, "flaky": s.Flaky, "not_run": s.NotRun}}
	var all []failure
	for _, status := range []envelope.Status{envelope.Fail, envelope.Error, envelope.Inconclusive} {
		of := each.Where(e.Tests, func(t envelope.Test) bool { return t.Status == status })
		all = append(all, each.Of(of, failureOf)...)
	}
	frame, err := jsontext.Marshal(list)
	if err != nil {
		return nil, err
	}
	n := fitting(all, budget(in.Budget)-len(frame)-len(`,"left_out":1000000`))
	list.Tests, list.LeftOut = append(list.Tests, all[:n]...), len(all)-n
	return answer(list)
}

func failureOf(t envelope.Test) failure {
	f := failure{Suite: t.Suite, Test: t.Test, Variant: t.Variant, Status: t.Status, Flaky: t.Flaky, Passed: t.Trials.Passed,
		Counted: t.Trials.Counted,
		File:    t.File, Line: t.Line, Reason: t.Verdict.Reason}
	f.Trials = each.Of(t.Details[:min(glimpses, len(t.Details))], func(d envelope.Detail) glimpse {
		return glimpse{d.Trial + 1, d.Status, d.ErrorClass, cut(d.Message, messageBytes)}
	})
	return f
}
