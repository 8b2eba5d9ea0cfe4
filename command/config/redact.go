package config

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/policy"
)

// redaction reads the block redact: {on, patterns, fields}.
func redaction(r *reader, n ast.Node, key string, p *envelope.Policy) {
	block := r.policy(n, key, redactKeys)
	p.Redact, p.RedactPatterns, p.RedactFields = block.Redact, block.RedactPatterns, block.RedactFields
}

var redactKeys = map[string]setter{
	"on":       plain(policy.ByName("redact")),
	"fields":   plain(policy.ByName("redact_fields")),
	"patterns": redactPatterns,
}

// redactPatterns reads the list of patterns: expressions, each perhaps with a
// kind.
func redactPatterns(r *reader, n ast.Node, key string, p *envelope.Policy) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, key, errors.New("a list of regular expressions is expected, each perhaps as {kind, pattern}"))
		return
	}
	for i, item := range list.Values {
		at := fmt.Sprintf("%s[%d]", key, i)
		pattern := redactPattern(r, item, at)
		switch {
		case pattern.Pattern == "":
			r.fail(item, at, errors.New("the pattern is missing"))
		case checked(r, item, at, envelope.Policy{RedactPatterns: []envelope.RedactPattern{pattern}}):
			p.RedactPatterns = append(p.RedactPatterns, pattern)
		}
	}
}

func redactPattern(r *reader, n ast.Node, key string) (p envelope.RedactPattern) {
	if n.Type() != ast.MappingType && n.Type() != ast.MappingValueType {
		p.Pattern, _ = value[string](r, n, key, "a regular expression")
		return p
	}
	r.policy(n, key, map[string]setter{
		"kind": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			p.Kind, _ = value[string](r, n, key, "a word of small letters, digits and dashes")
		},
		"pattern": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			p.Pattern, _ = value[string](r, n, key, "a regular expression")
		},
	})
	return p
}
