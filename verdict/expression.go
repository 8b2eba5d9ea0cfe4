package verdict

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"tribunal/envelope"
	"tribunal/suggest"
)

// maxExpression bounds the length of a gate, so that one cannot be a program.
const maxExpression = 1000

// expression is a compiled gate and the dot paths it looks at.
type expression struct {
	program *vm.Program
	paths   []string
	perTest bool
}

// runRoots are the first names of paths into the run; all others are paths into
// each test.
var runRoots = []string{"summary", "metrics", "run"}

// compile checks a gate: its syntax, that every path exists, that it is about
// either the run or each test, and that it is a yes-or-no question. It can see
// the envelope and nothing else.
func compile(text string) (*expression, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("%d characters: a gate has at most %d", len(text), maxExpression)
	}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimSpace(strings.ReplaceAll(err.Error(), "\n", " ")))
	}
	found := pathFinder{paths: map[string]bool{}}
	ast.Walk(&tree.Node, &found)
	e := &expression{paths: slices.Sorted(maps.Keys(found.paths))}
	if len(e.paths) == 0 {
		return nil, fmt.Errorf("it looks at nothing: name a path such as summary.fail or reliability.passhat_k")
	}
	zeros := map[string]any{}
	for i, path := range e.paths {
		if zeros[path], err = kind(path); err != nil {
			return nil, err
		}
		perTest := !isRunPath(path)
		if i > 0 && perTest != e.perTest {
			return nil, fmt.Errorf("%s and %s: a gate is about the run or about each test, not both", e.paths[0], path)
		}
		e.perTest = perTest
	}
	e.program, err = expr.Compile(text, expr.Env(nest(zeros)), expr.DisableBuiltin("now"))
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimSpace(strings.ReplaceAll(err.Error(), "\n", " ")))
	}
	if _, err := e.holds(zeros); errors.Is(err, errNoAnswer) {
		return nil, err
	}
	return e, nil
}

var errNoAnswer = errors.New("it does not answer true or false: compare something, for instance with == or >=")

func isRunPath(path string) bool {
	root, _, _ := strings.Cut(path, ".")
	return slices.Contains(runRoots, root)
}

// kind is a value of the kind that the path has. The path must exist.
func kind(path string) (any, error) {
	all := testTargets()
	if isRunPath(path) {
		all = runTargets()
	}
	for _, t := range all {
		prefix, open := strings.CutSuffix(t.path, "*")
		if t.path == path || open && strings.HasPrefix(path, prefix) && len(path) > len(prefix) {
			return t.zero, nil
		}
	}
	return nil, suggest.Unknown("path", path, names(append(runTargets(), testTargets()...)))
}

// pathFinder collects the longest chains of names in an expression. Walk comes
// to a chain after its parts.
type pathFinder struct{ paths map[string]bool }

// Visit implements ast.Visitor.
func (f *pathFinder) Visit(n *ast.Node) {
	path, ok := chain(*n)
	if !ok {
		return
	}
	if m, ok := (*n).(*ast.MemberNode); ok {
		if part, ok := chain(m.Node); ok {
			delete(f.paths, part)
		}
	}
	f.paths[path] = true
}

// chain is the dot path of a.b.c or a.b[5].
func chain(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value, true
	case *ast.MemberNode:
		head, ok := chain(n.Node)
		if !ok {
			return "", false
		}
		switch p := n.Property.(type) {
		case *ast.StringNode:
			return head + "." + p.Value, true
		case *ast.IntegerNode:
			return fmt.Sprintf("%s.%d", head, p.Value), true
		}
	case *ast.ChainNode:
		return chain(n.Node)
	}
	return "", false
}

// holds evaluates the gate on values by path.
func (e *expression) holds(values map[string]any) (bool, error) {
	out, err := expr.Run(e.program, nest(values))
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return false, fmt.Errorf("%s", first)
	}
	answer, ok := out.(bool)
	if !ok {
		return false, errNoAnswer
	}
	return answer, nil
}

// nest makes objects of dot paths: {"a.b": 1} becomes {"a": {"b": 1}}. A number
// as the last name becomes the key of a map of numbers, as in pass_at_k[5].
func nest(values map[string]any) map[string]any {
	root := map[string]any{}
	for path, v := range values {
		names := strings.Split(path, ".")
		last := names[len(names)-1]
		parent := names[:len(names)-1]
		if k, err := strconv.Atoi(last); err == nil && len(parent) > 0 {
			at := descend(root, parent[:len(parent)-1])
			byNumber, ok := at[parent[len(parent)-1]].(map[int]any)
			if !ok {
				byNumber = map[int]any{}
				at[parent[len(parent)-1]] = byNumber
			}
			byNumber[k] = v
			continue
		}
		descend(root, parent)[last] = v
	}
	return root
}

// descend is the object at a path, made on the way.
func descend(at map[string]any, names []string) map[string]any {
	for _, name := range names {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	return at
}

// runTargets lists the dot paths into the run.
func runTargets() []target {
	return append(targets(reflect.TypeFor[envelope.Summary](), "summary"), target{"metrics.*", 0.0},
		target{"run.name", ""}, target{"run.id", ""}, target{"run.commit", ""}, target{"run.planned_trials", int64(0)}, target{"run.labels.*", ""})
}

// runValue resolves a path into the run. A metric with a k is metrics.NAME[k],
// one without metrics.NAME; its bounds are metrics.NAME_lo and metrics.NAME_hi.
func runValue(e *envelope.Envelope, path string) (any, bool) {
	root, rest, _ := strings.Cut(path, ".")
	switch root {
	case "summary":
		return walk(reflect.ValueOf(e.Summary), strings.Split(rest, "."))
	case "run":
		return walk(reflect.ValueOf(e.Run), strings.Split(rest, "."))
	}
	name, k, _ := strings.Cut(rest, ".")
	for i := range e.Metrics {
		m := &e.Metrics[i]
		if m.Variant != "" || metricK(m) != k {
			continue
		}
		for suffix, v := range map[string]envelope.Opt[float64]{"": m.Value, "_lo": m.Lo, "_hi": m.Hi} {
			if name == m.Name+suffix {
				return v.V, v.OK
			}
		}
	}
	return nil, false
}

func metricK(m *envelope.Metric) string {
	if k, ok := m.Params["k"]; ok {
		return fmt.Sprint(k)
	}
	return ""
}
