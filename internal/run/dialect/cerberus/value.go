package cerberus

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/expr-lang/expr/ast"
)

// The values of an assert are those of JSON: nil is null, float64, string, bool, []any
// and map[string]any; and undefined, which is what is not there.
type absent struct{}

var undefined = absent{}

const isArray = "Array.isArray"

// The names that an assert may begin with, and what they have.
var (
	roots         = []string{"output", "scenario", "null", "undefined"}
	outputNames   = []string{"meta", "parsed"}
	metaNames     = []string{"raw", "stderr", "exitCode", "durationMs", "jsonParsed"}
	scenarioNames = []string{"input", "metadata"}
)

// Holds evaluates the assert. An error is one that JavaScript would throw, or a
// comparison that is not made here.
func (a *Assert) Holds(values map[string]any) (bool, error) {
	v, err := evaluate(a.node, values)
	return err == nil && truthy(v), err
}

// errShort ends a path at an ?. behind which nothing is.
var errShort = errors.New("nothing follows ?. in a path")

func evaluate(n ast.Node, values map[string]any) (any, error) {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.IntegerNode:
		return float64(n.Value), nil
	case *ast.FloatNode:
		return n.Value, nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IdentifierNode:
		switch n.Value {
		case "null":
			return nil, nil
		case "undefined":
			return undefined, nil
		}
		return values[n.Value], nil
	case *ast.ArrayNode:
		list := []any{}
		for _, item := range n.Nodes {
			v, err := evaluate(item, values)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case *ast.UnaryNode:
		v, err := evaluate(n.Node, values)
		if err != nil || n.Operator == "!" {
			return !truthy(v), err
		}
		f, err := toNumber(v)
		if n.Operator == "-" {
			f = -f
		}
		return f, err
	case *ast.ConditionalNode:
		v, err := evaluate(n.Cond, values)
		switch {
		case err != nil:
			return nil, err
		case truthy(v):
			return evaluate(n.Exp1, values)
		}
		return evaluate(n.Exp2, values)
	case *ast.ChainNode:
		v, err := evaluate(n.Node, values)
		if errors.Is(err, errShort) {
			return undefined, nil
		}
		return v, err
	case *ast.MemberNode:
		return memberOf(n, values)
	case *ast.CallNode:
		return called(n, values)
	case *ast.BinaryNode:
		return joined(n, values)
	}
	return nil, fmt.Errorf("%s cannot be evaluated", shown(n))
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil, absent:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && !math.IsNaN(v)
	case string:
		return v != ""
	}
	return true
}

func joined(n *ast.BinaryNode, values map[string]any) (any, error) {
	left, err := evaluate(n.Left, values)
	switch {
	case err != nil:
		return nil, err
	case n.Operator == "&&" && !truthy(left), n.Operator == "||" && truthy(left):
		return truthy(left), nil
	}
	right, err := evaluate(n.Right, values)
	if err != nil {
		return nil, err
	}
	switch n.Operator {
	case "&&", "||":
		return truthy(right), nil
	case "==", "!=":
		same, err := same(left, right)
		return same == (n.Operator == "=="), err
	case "<", "<=", ">", ">=":
		return ordered(n.Operator, left, right)
	}
	if a, is := left.(string); is && n.Operator == "+" {
		if b, is := right.(string); is {
			return a + b, nil
		}
	}
	return calculated(n.Operator, left, right)
}

// same is ===. Objects are the same there when they are one and the same, which is
// seldom what is meant.
func same(a, b any) (bool, error) {
	if kindOf(a) != kindOf(b) {
		return false, nil
	}
	switch kindOf(a) {
	case "an array", "an object":
		return false, fmt.Errorf("=== with %s is not supported: JavaScript compares identity, not content; compare what is in it", kindOf(a))
	}
	return a == b, nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "undefined"
}

func ordered(operator string, a, b any) (bool, error) {
	order := 0
	text, is := a.(string)
	other, both := b.(string)
	if is && both {
		order = slices.Compare(utf16.Encode([]rune(text)), utf16.Encode([]rune(other)))
	} else {
		x, err := toNumber(a)
		y, wrong := toNumber(b)
		if err := errors.Join(err, wrong); err != nil || math.IsNaN(x) || math.IsNaN(y) {
			return false, err
		}
		switch {
		case x < y:
			order = -1
		case x > y:
			order = 1
		}
	}
	return map[string]bool{"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator], nil
}

func calculated(operator string, a, b any) (any, error) {
	if operator == "+" && (kindOf(a) == "a string" || kindOf(b) == "a string") {
		return nil, fmt.Errorf("+ needs two strings or two numbers, found %s and %s", kindOf(a), kindOf(b))
	}
	x, err := toNumber(a)
	y, wrong := toNumber(b)
	if err := errors.Join(err, wrong); err != nil {
		return nil, err
	}
	return map[string]float64{"+": x + y, "-": x - y, "*": x * y, "/": x / y, "%": math.Mod(x, y)}[operator], nil
}

// toNumber is what JavaScript takes a value for where it needs a number.
func toNumber(v any) (float64, error) {
	switch v := v.(type) {
	case nil:
		return 0, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case float64:
		return v, nil
	case string:
		if v = strings.TrimSpace(v); v == "" {
			return 0, nil
		}
		if f, err := strconv.ParseFloat(v, 64); err == nil && strings.Trim(v, "+-.0123456789eE") == "" {
			return f, nil
		}
		return math.NaN(), nil
	case absent:
		return math.NaN(), nil
	}
	return 0, fmt.Errorf("%s is not a number", kindOf(v))
}

func memberOf(n *ast.MemberNode, values map[string]any) (any, error) {
	of, err := evaluate(n.Node, values)
	if err != nil {
		return nil, err
	}
	name, err := evaluate(n.Property, values)
	if err != nil {
		return nil, err
	}
	return get(of, name, n.Optional)
}

// get is a member of a value, undefined where it has none.
func get(of, name any, optional bool) (any, error) {
	word, isWord := name.(string)
	at, isNumber := name.(float64)
	switch of := of.(type) {
	case nil, absent:
		if optional {
			return nil, errShort
		}
		return nil, fmt.Errorf("%[2]s has no member %[1]v", name, kindOf(of))
	case map[string]any:
		if isNumber {
			word = strconv.FormatFloat(at, 'f', -1, 64)
		}
		if v, ok := of[word]; ok {
			return v, nil
		}
	case []any:
		if word == "length" {
			return float64(len(of)), nil
		}
		if isNumber && at >= 0 && at < float64(len(of)) && at == math.Trunc(at) {
			return of[int(at)], nil
		}
	case string:
		units := utf16.Encode([]rune(of))
		if word == "length" {
			return float64(len(units)), nil
		}
		if isNumber && at >= 0 && at < float64(len(units)) && at == math.Trunc(at) {
			return string(utf16.Decode(units[int(at) : int(at)+1])), nil
		}
	}
	if !isWord && !isNumber {
		return nil, fmt.Errorf("a string or a number is expected in [ ], found %s", kindOf(name))
	}
	return undefined, nil
}

// methods are functions of a text, or of an array.
var methods = map[string]struct {
	takes int
	run   func(of any, with ...any) (any, error)
}{
	"includes":    {1, includes},
	"startsWith":  {1, ofTexts("startsWith", strings.HasPrefix)},
	"endsWith":    {1, ofTexts("endsWith", strings.HasSuffix)},
	"toLowerCase": {0, ofText("toLowerCase", strings.ToLower)},
	"toUpperCase": {0, ofText("toUpperCase", strings.ToUpper)},
	"trim":        {0, ofText("trim", strings.TrimSpace)},
}

func ofTexts(name string, run func(s, with string) bool) func(any, ...any) (any, error) {
	return func(of any, with ...any) (any, error) {
		s, is := of.(string)
		other, both := with[0].(string)
		if !is || !both {
			return nil, fmt.Errorf("%s needs two strings, but got %s and %s", name, kindOf(of), kindOf(with[0]))
		}
		return run(s, other), nil
	}
}

func ofText(name string, run func(string) string) func(any, ...any) (any, error) {
	return func(of any, _ ...any) (any, error) {
		s, is := of.(string)
		if !is {
			return nil, fmt.Errorf("%s needs a string, but got %s", name, kindOf(of))
		}
		return run(s), nil
	}
}

func includes(of any, with ...any) (any, error) {
	list, is := of.([]any)
	if !is {
		return ofTexts("includes", strings.Contains)(of, with...)
	}
	for _, item := range list {
		if kindOf(item) == kindOf(with[0]) && kindOf(item) != "an array" && kindOf(item) != "an object" && item == with[0] {
			return true, nil
		}
	}
	return false, nil
}

func called(n *ast.CallNode, values map[string]any) (any, error) {
	m := n.Callee.(*ast.MemberNode)
	var with []any
	if path, ok := pathOf(m); ok && strings.Join(path, ".") == isArray {
		v, err := evaluate(n.Arguments[0], values)
		_, is := v.([]any)
		return is, err
	}
	of, err := evaluate(m.Node, values)
	if err != nil {
		return nil, err
	}
	if m.Optional && (of == nil || of == undefined) {
		return nil, errShort
	}
	for _, argument := range n.Arguments {
		v, err := evaluate(argument, values)
		if err != nil {
			return nil, err
		}
		with = append(with, v)
	}
	return methods[m.Property.(*ast.StringNode).Value].run(of, with...)
}
