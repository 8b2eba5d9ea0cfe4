// Package yamltree makes trees of YAML texts that strangers wrote.
//
// It exists because the time of the parser grows with the square of how deep values are
// nested, or worse, so every text is looked at before. It leaves out what the texts mean.
package yamltree

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Deepest bounds how deep values are nested.
const Deepest = 100

// TooDeep says where values are nested deeper than Deepest.
type TooDeep struct{ Line, Column int }

// Error implements error.
func (e *TooDeep) Error() string { return fmt.Sprintf("nested more than %d deep", Deepest) }

// Parse makes the tree of a text. The error is a *TooDeep or one of the YAML library.
func Parse(text string) (*ast.File, error) {
	text, _, _ = transform.String(unicode.BOMOverride(transform.Nop), text) // which some editors write, and UTF-16
	tokens := lexer.Tokenize(text)
	if at := tooDeep(tokens); at != nil {
		return nil, &TooDeep{at.Position.Line, at.Position.Column}
	}
	return parser.Parse(tokens, 0)
}

// tooDeep finds where values are nested deeper than allowed: by brackets, or by
// what may stand many times before a value in one line. Blocks are bounded by what
// their indentation takes.
func tooDeep(tokens token.Tokens) *token.Token {
	depth, before, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			before, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.TagType:
			before++
		}
		if max(depth, before) > Deepest {
			return t
		}
	}
	return nil
}
