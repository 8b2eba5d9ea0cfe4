package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type planInput struct {
	Inputs    []string `json:"inputs,omitempty" jsonschema:"with a run: what would settle its inconclusive tests"`
	Rule      string   `json:"rule,omitempty" jsonschema:"rule that is going to judge, such as wilson or sprt"`
	Threshold *float64 `json:"threshold,omitempty" jsonschema:"pass rate to hold, such as 0.9"`
	Trials    int      `json:"trials,omitempty" jsonschema:"trials of a test that are planned: what they can show"`
	HalfWidth *float64 `json:"half_width,omitempty" jsonschema:"pin a pass rate down to so far on either side, such as 0.05"`
	Detect    string   `json:"detect,omitempty" jsonschema:"tell two pass rates apart, FROM:TO such as 0.90:0.80"`
	Price     *float64 `json:"price,omitempty" jsonschema:"dollars that one trial costs"`
	Budget    int      `json:"budget,omitempty" jsonschema:"most bytes of the answer, 1024 to 65536; otherwise 8192"`
}

func (p Program) plan(ctx context.Context, in planInput) (*mcp.CallToolResult, error) {
	flags := append(number("threshold", in.Threshold), number("half-width", in.HalfWidth)...)
	flags = append(flags, number("price", in.Price)...)
	for name, value := range map[string]string{"rule": in.Rule, "detect": in.Detect} {
		if value != "" {
			flags = append(flags, "--"+name+"="+value)
		}
	}
	if in.Trials != 0 {
		flags = append(flags, fmt.Sprintf("--trials=%d", in.Trials))
	}
	if len(flags)+len(in.Inputs) == 0 {
		return nil, errors.New("give inputs, a rule with a threshold, half_width or detect")
	}
	text, err := p.ask(ctx, "plan", append(flags, "--format=json"), in.Inputs)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}
	short, err := shortened(document, budget(in.Budget))
	if err != nil {
		return nil, err
	}
	return answer(short)
}

// shortened is a document whose longest lists, which are points of curves, are cut in
// half until it fits, and says of which it is so.
func shortened(document map[string]any, most int) (map[string]any, error) {
	for {
		text, err := marshal(document)
		if err != nil || len(text) <= most {
			return document, err
		}
		l := longest(document)
		if l == nil {
			return nil, fmt.Errorf("the plan has %d bytes and the budget is %d; give a larger budget, or ask for less at once", len(text), most)
		}
		kept := l.items[:len(l.items)/2]
		l.of[l.name], l.of[l.name+"_left_out"] = kept, left(l.of[l.name+"_left_out"])+len(l.items)-len(kept)
	}
}

func left(before any) int {
	n, _ := before.(int)
	return n
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
				text, _ := marshal(items) // of decoded JSON
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
