package html

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"reflect"
	"slices"
	"text/template/parse"
)

// A blueprint is some parts of the page as data, from which the script of the
// page draws the tests that travel as data: so the look of a test has one
// source, its template. Every place where text goes carries how it is escaped
// there, and what the script could not do exactly as html/template does is an
// error here.
//
// A part is a list of nodes; text is a string, the others are lists:
//
//	[0, value, escaper]                print
//	[1, value, nodes, else]            if
//	[2, value, nodes, else]            with
//	[3, value, nodes, else, key, var]  range; key and var are "" without names
//	[4, part, value]                   template
//
// A value is a path of indexes into the lists that structs travel as, from the
// dot, or from a variable whose name comes first; {"f": name, "a": values} for
// a function; or {"v": constant}.
type blueprint struct {
	parts *template.Template
	types map[string]reflect.Type
	out   map[string][]any
}

// The ways to escape what is printed.
const (
	escapeHTML  = iota // text and quoted attributes
	escapeURL          // the start of an address
	escapeQuery        // the part of one behind ? or #
)

var functions = []string{"not", "and", "or", "eq", "ne"}

// newBlueprint makes data of the parts that draw root with a value like model.
// The parts are as they were parsed: none of them has been executed.
func newBlueprint(parts *template.Template, root string, model any) (json.RawMessage, error) {
	b := &blueprint{parts: parts, types: map[string]reflect.Type{}, out: map[string][]any{}}
	if err := b.part(root, reflect.TypeOf(model)); err != nil {
		return nil, err
	}
	return json.Marshal(b.out)
}

// scope is what names mean somewhere in a part.
type scope struct {
	dot  reflect.Type
	vars map[string]reflect.Type
}

func (s scope) at(dot reflect.Type) scope { return scope{dot, s.vars} }

func (s scope) with(name string, t reflect.Type) scope {
	vars := map[string]reflect.Type{name: t}
	for n, old := range s.vars {
		if n != name {
			vars[n] = old
		}
	}
	return scope{s.dot, vars}
}

func (b *blueprint) part(name string, dot reflect.Type) error {
	dot = pointed(dot)
	if known, ok := b.types[name]; ok {
		if known != dot {
			return fmt.Errorf("part %q is used for %v and for %v: give each its own part", name, known, dot)
		}
		return nil
	}
	found := b.parts.Lookup(name)
	if found == nil || found.Tree == nil {
		return fmt.Errorf("no part %q", name)
	}
	b.types[name] = dot
	nodes, end, err := b.list(found.Tree.Root, scope{dot, map[string]reflect.Type{"$": dot}}, place{})
	if err == nil && end != (place{}) {
		err = errors.New("it ends inside an element")
	}
	if err != nil {
		return fmt.Errorf("part %q: %w", name, err)
	}
	b.out[name] = nodes
	return nil
}

// list makes data of the nodes of a list that begins at a place, and tells the
// place behind them.
func (b *blueprint) list(list *parse.ListNode, s scope, at place) (nodes []any, behind place, err error) {
	nodes = []any{}
	if list == nil {
		return nodes, at, nil
	}
	for _, n := range list.Nodes {
		var node any
		if node, at, err = b.node(n, s, at); err != nil {
			return nil, at, err
		}
		if node != nil {
			nodes = append(nodes, node)
		}
	}
	return nodes, at, nil
}

// node makes data of a node; a comment makes none.
func (b *blueprint) node(n parse.Node, s scope, at place) (node any, behind place, err error) {
	switch n := n.(type) {
	case *parse.CommentNode:
		return nil, at, nil
	case *parse.TextNode:
		behind, err = at.after(string(n.Text))
		return string(n.Text), behind, err
	case *parse.ActionNode:
		node, err = b.print(n, s, at)
		return node, at.printed(), err
	case *parse.IfNode:
		return b.branch(1, &n.BranchNode, s, at)
	case *parse.WithNode:
		return b.branch(2, &n.BranchNode, s, at)
	case *parse.RangeNode:
		return b.loop(&n.BranchNode, s, at)
	case *parse.TemplateNode:
		node, err = b.call(n, s, at)
		return node, at, err
	}
	return nil, at, fmt.Errorf("%v: a test that is drawn by the script cannot use %T", n, n)
}

// call is another part, which begins and ends between elements.
func (b *blueprint) call(n *parse.TemplateNode, s scope, at place) (any, error) {
	if at != (place{}) {
		return nil, fmt.Errorf("%v: a part is between elements", n)
	}
	value, t, err := b.pipe(n.Pipe, s)
	if err != nil {
		return nil, err
	}
	return []any{4, n.Name, value}, b.part(n.Name, t)
}

func (b *blueprint) print(n *parse.ActionNode, s scope, at place) (any, error) {
	value, t, err := b.pipe(n.Pipe, s)
	if err != nil {
		return nil, err
	}
	escaper, err := at.escaper()
	if err != nil {
		return nil, fmt.Errorf("%v: %w", n, err)
	}
	if t.PkgPath() == "html/template" || t.Kind() != reflect.String && !isWhole(t) {
		return nil, fmt.Errorf("%v: prints a %v; give the part a string", n, t)
	}
	return []any{0, value, escaper}, nil
}

func (b *blueprint) branch(op int, n *parse.BranchNode, s scope, at place) (any, place, error) {
	value, t, err := b.pipe(n.Pipe, s)
	if err != nil {
		return nil, at, err
	}
	inner := s
	if op == 2 {
		inner = s.at(t)
	}
	then, otherwise, behind, err := b.either(n, inner, s, at)
	return []any{op, value, then, otherwise}, behind, err
}

// either is both sides of a branch, which end at the same place.
func (b *blueprint) either(n *parse.BranchNode, inner, outer scope, at place) (then, otherwise []any, behind place, err error) {
	then, behind, err = b.list(n.List, inner, at)
	if err != nil {
		return nil, nil, at, err
	}
	otherwise, other, err := b.list(n.ElseList, outer, at)
	if err == nil && !behind.like(other) {
		err = fmt.Errorf("%v: one side of the branch ends inside an element or attribute, the other does not", n.Pipe)
	}
	return then, otherwise, behind, err
}

func (b *blueprint) loop(n *parse.BranchNode, s scope, at place) (any, place, error) {
	value, t, err := b.operand(n.Pipe.Cmds[0], s)
	if err != nil {
		return nil, at, err
	}
	if t.Kind() != reflect.Slice || len(n.Pipe.Cmds) > 1 {
		return nil, at, fmt.Errorf("%v: ranges over a %v; give the part a slice", n.Pipe, t)
	}
	inner, key, elem := s.at(pointed(t.Elem())), "", ""
	if named := n.Pipe.Decl; len(named) > 0 {
		elem = named[len(named)-1].Ident[0]
		inner = inner.with(elem, inner.dot)
	}
	if named := n.Pipe.Decl; len(named) > 1 {
		key = named[0].Ident[0]
		inner = inner.with(key, reflect.TypeFor[int]())
	}
	each, otherwise, behind, err := b.either(n, inner, s, at)
	return []any{3, value, each, otherwise, key, elem}, behind, err
}

func (b *blueprint) pipe(p *parse.PipeNode, s scope) (any, reflect.Type, error) {
	if p == nil || len(p.Cmds) != 1 || len(p.Decl) > 0 {
		return nil, nil, fmt.Errorf("%v: one value is wanted", p)
	}
	return b.operand(p.Cmds[0], s)
}

func (b *blueprint) operand(c *parse.CommandNode, s scope) (any, reflect.Type, error) {
	if f, ok := c.Args[0].(*parse.IdentifierNode); ok && slices.Contains(functions, f.Ident) {
		return b.function(f.Ident, c.Args[1:], s)
	}
	if len(c.Args) > 1 {
		return nil, nil, fmt.Errorf("%v: only %v can be called", c, functions)
	}
	return b.argument(c.Args[0], s)
}

func (b *blueprint) function(name string, args []parse.Node, s scope) (any, reflect.Type, error) {
	values := []any{}
	for _, a := range args {
		v, _, err := b.argument(a, s)
		if err != nil {
			return nil, nil, err
		}
		values = append(values, v)
	}
	return map[string]any{"f": name, "a": values}, reflect.TypeFor[bool](), nil
}

func (b *blueprint) argument(n parse.Node, s scope) (any, reflect.Type, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return []any{}, s.dot, nil
	case *parse.FieldNode:
		return path([]any{}, s.dot, n.Ident)
	case *parse.VariableNode:
		return path([]any{n.Ident[0]}, s.vars[n.Ident[0]], n.Ident[1:])
	case *parse.StringNode:
		return map[string]any{"v": n.Text}, reflect.TypeFor[string](), nil
	case *parse.NumberNode:
		return map[string]any{"v": n.Int64}, reflect.TypeFor[int](), nil
	case *parse.PipeNode:
		return b.pipe(n, s)
	}
	return nil, nil, fmt.Errorf("%v: a test that is drawn by the script cannot use %T", n, n)
}

// path follows fields to their indexes among those that travel.
func path(from []any, t reflect.Type, fields []string) (any, reflect.Type, error) {
	for _, name := range fields {
		if t == nil || t.Kind() != reflect.Struct {
			return nil, nil, fmt.Errorf("field %s of %v, which is not a struct", name, t)
		}
		at := slices.IndexFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Name == name && len(f.Index) == 1 })
		if at < 0 {
			return nil, nil, fmt.Errorf("%v has no field %s of its own", t, name)
		}
		f, _ := t.FieldByName(name)
		from, t = append(from, f.Index[0]), pointed(f.Type)
	}
	if t == nil {
		return nil, nil, fmt.Errorf("a variable of an unknown type")
	}
	return from, t, nil
}

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func isWhole(t reflect.Type) bool { return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 }
