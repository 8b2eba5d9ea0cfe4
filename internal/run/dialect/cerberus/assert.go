package cerberus

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"tribunal/internal/suggest"
	"tribunal/internal/words"
)

// Assert is the expression of a contract. It is JavaScript there; here it is the part
// of it that compares values, read by a parser of expressions and evaluated as
// JavaScript evaluates it. The rest is refused, never taken for something else.
type Assert struct {
	Text string
	node ast.Node
}

const longest = 10_000

const deepest = 200

// errMakeCommand ends what is said of an assert that cannot be run.
var errMakeCommand = errors.New("or replace the assert by a command that ends with exit code 0 or 1, as in tribunal run -- COMMAND")

func refused(format string, args ...any) error {
	return fmt.Errorf("%s; use comparisons, && || ! ?:, arithmetic, paths of output and scenario, Array.isArray, .length and .%s; %w",
		fmt.Sprintf(format, args...), strings.Join(slices.Sorted(maps.Keys(methods)), " ."), errMakeCommand)
}

// NewAssert reads an assert. The error says what of it cannot be run, and what to do.
func NewAssert(text string) (*Assert, error) {
	if len(text) > longest {
		return nil, fmt.Errorf("%d characters: an assert has at most %d", len(text), longest)
	}
	plain, err := plainOperators(text)
	if err != nil {
		return nil, err
	}
	config := conf.CreateNew()
	config.MaxNodes = longest
	tree, err := parser.ParseWithConfig(plain, config)
	if err != nil {
		all, at := []rune(text), (*file.Error)(nil)
		if !errors.As(err, &at) || at.From >= len(all) || strings.Contains(at.Message, "token EOF") || strings.Contains(at.Message, "end of") {
			return nil, errors.New("it ends too early")
		}
		return nil, refused("it cannot be parsed at %q", words.Head(string(all[at.From:]), 30))
	}
	c := checker{source: []rune(plain)}
	if err := c.check(tree.Node, truth, 0); err != nil {
		return nil, err
	}
	return &Assert{Text: text, node: tree.Node}, nil
}

// plainOperators writes === and !== as the parser knows them, in the place they have.
// A loose == is refused: it makes 0 of "" and true of 1.
func plainOperators(text string) (string, error) {
	out := []byte(text)
	var quote byte
	for i := 0; i < len(out); i++ {
		c := out[i]
		switch {
		case c >= 0x80 && quote == 0:
			return "", refused("outside quotes, only ASCII characters are supported")
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.ContainsRune("`#;", rune(c)):
			return "", refused("%q is not supported", string(c))
		case strings.HasPrefix(text[i:], "//") || strings.HasPrefix(text[i:], "/*"):
			return "", refused("a comment is not supported")
		case strings.HasPrefix(text[i:], "=>"):
			return "", refused("a function (=>) is not supported")
		case c == '=' || c == '!' && i+1 < len(out) && out[i+1] == '=':
			strict := strings.HasPrefix(text[i:], "===") || strings.HasPrefix(text[i:], "!==")
			if !strict {
				return "", fmt.Errorf("%s is not supported, write === or !==", strings.TrimSpace(text[i:min(i+2, len(text))]))
			}
			out[i+2] = ' '
			i += 2
		case c == '<' || c == '>':
			if i+1 < len(out) && out[i+1] == '=' {
				i++
			}
		}
	}
	return string(out), nil
}

// want is what the place of a value asks of it.
type want int

const (
	anything want = iota
	truth         // only whether it holds
)

type checker struct{ source []rune }

var comparisons = []string{"==", "!=", "<", "<=", ">", ">="}

func (c *checker) all(in want, depth int, nodes ...ast.Node) error {
	for _, n := range nodes {
		if err := c.check(n, in, depth); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) check(n ast.Node, in want, depth int) error {
	if depth++; depth > deepest {
		return fmt.Errorf("nested more than %d deep", deepest)
	}
	switch n := n.(type) {
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode:
		return nil
	case *ast.IdentifierNode:
		if n.Value == "null" || n.Value == "undefined" {
			return nil
		}
		if !slices.Contains(roots, n.Value) {
			return fmt.Errorf("%w (other names of JavaScript are not supported); %w", suggest.Unknown("name", n.Value, roots), errMakeCommand)
		}
		return nil
	case *ast.ArrayNode:
		return c.all(anything, depth, n.Nodes...)
	case *ast.UnaryNode:
		switch n.Operator {
		case "!":
			if b, is := n.Node.(*ast.BinaryNode); is && slices.Contains([]string{"*", "/", "%"}, b.Operator) {
				return fmt.Errorf("! before %s needs parentheses, as in (!x) %[1]s 2", b.Operator) // the parser binds it otherwise
			}
			return c.check(n.Node, truth, depth)
		case "-", "+":
			return c.check(n.Node, anything, depth)
		}
		return refused("the operator %q is not supported", n.Operator)
	case *ast.BinaryNode:
		return c.binary(n, in, depth)
	case *ast.ConditionalNode:
		return errors.Join(c.check(n.Cond, truth, depth), c.all(in, depth, n.Exp1, n.Exp2))
	case *ast.ChainNode:
		return c.check(n.Node, anything, depth)
	case *ast.MemberNode:
		return c.member(n, depth)
	case *ast.CallNode:
		return c.call(n, depth)
	case *ast.BuiltinNode:
		return refused("the function %s is not supported", n.Name)
	}
	return refused("%q is not supported", shown(n))
}

func shown(n ast.Node) string { return words.Head(n.String(), 60) }

// binary takes an operator that is written as it was understood: the parser knows
// words and chains that JavaScript has not, or has with another meaning.
func (c *checker) binary(n *ast.BinaryNode, in want, depth int) error {
	written := string(c.source[min(max(n.Location().From, 0), len(c.source)):])
	switch {
	case !strings.HasPrefix(written, n.Operator):
		return refused("%q is not supported here", words.Head(written, 60))
	case n.Operator == "&&" || n.Operator == "||":
		if in != truth {
			return refused("%q is supported only as a condition, not as a value", n.Operator)
		}
		return c.all(truth, depth, n.Left, n.Right)
	case slices.Contains(comparisons, n.Operator):
		for _, side := range []ast.Node{n.Left, n.Right} {
			if b, is := side.(*ast.BinaryNode); is && slices.Contains(comparisons, b.Operator) {
				return refused("a comparison of a comparison is not supported")
			}
		}
	case !slices.Contains([]string{"+", "-", "*", "/", "%"}, n.Operator):
		return refused("the operator %q is not supported", n.Operator)
	}
	return c.all(anything, depth, n.Left, n.Right)
}

// member takes a path. What output has is known, so that a misspelt name is seen here
// and not as an undefined that never holds.
func (c *checker) member(n *ast.MemberNode, depth int) error {
	if err := c.all(anything, depth, n.Node, n.Property); err != nil {
		return err
	}
	path, ok := pathOf(n)
	if !ok {
		return nil
	}
	for at, names := range map[string][]string{"output": outputNames, "output.meta": metaNames, "scenario": scenarioNames} {
		if parent := strings.Join(path[:len(path)-1], "."); parent == at && !slices.Contains(names, path[len(path)-1]) {
			return suggest.Unknown("member of "+at, path[len(path)-1], names)
		}
	}
	return nil
}

func pathOf(n ast.Node) ([]string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return []string{n.Value}, true
	case *ast.MemberNode:
		if name, ok := n.Property.(*ast.StringNode); ok {
			if path, ok := pathOf(n.Node); ok {
				return append(path, name.Value), true
			}
		}
	case *ast.ChainNode:
		return pathOf(n.Node)
	}
	return nil, false
}

func (c *checker) call(n *ast.CallNode, depth int) error {
	m, is := n.Callee.(*ast.MemberNode)
	if !is {
		return refused("the function %s is not supported", shown(n.Callee))
	}
	name, _ := m.Property.(*ast.StringNode)
	if path, ok := pathOf(m); ok && strings.Join(path, ".") == isArray {
		if len(n.Arguments) != 1 {
			return fmt.Errorf("%s takes one value", isArray)
		}
		return c.check(n.Arguments[0], anything, depth)
	}
	if name == nil || methods[name.Value].run == nil {
		return refused("the function %s is not supported", shown(n.Callee))
	}
	if takes := methods[name.Value].takes; len(n.Arguments) != takes {
		return fmt.Errorf("%s takes %s, and has %d", name.Value, words.Plural(takes, "argument", "arguments"), len(n.Arguments))
	}
	return c.all(anything, depth, append([]ast.Node{m.Node}, n.Arguments...)...)
}
