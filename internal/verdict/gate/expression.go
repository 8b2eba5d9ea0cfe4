package gate

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/regex"
	"tribunal/internal/suggest"
	"tribunal/internal/verdict/rule"
	"tribunal/internal/words"
)

// maxExpression bounds the length of a gate, so that one cannot be a program.
const maxExpression = 1000

// operators and functions are the allowed part of the language. It has no loops, so the length of a gate bounds its time.
var (
	operators = []string{"==", "!=", "<", "<=", ">", ">=", "in", "and", "&&", "or", "||", "not", "!",
		"+", "-", "*", "/", "%", "**", "^", "contains", "startsWith", "endsWith", "matches"}
	functions = []string{"abs", "ceil", "float", "floor", "int", "len", "lower", "max", "min", "round", "trim", "upper"}
)

// expression is a compiled gate and the paths it looks at.
type expression struct {
	program *vm.Program
	paths   []path
	perTest bool
	asGiven bool // no metric or percentage was rewritten
}

// metricCalls are metrics as --metric spells them: metrics.pass_at_k_ci(k=2).lo is metrics.pass_at_k_lo[2].
var metricCalls = regex.Of(`\bmetrics\.([a-z_]+?)(?:_ci)?(_lo|_hi)?\(\s*k\s*=\s*(\d+)\s*\)(?:\.(lo|hi)\b)?`)

func asPath(call string) string {
	of := metricCalls().FindStringSubmatch(call)
	if of[4] != "" {
		of[2] = "_" + of[4]
	}
	return "metrics." + of[1] + of[2] + "[" + of[3] + "]"
}

// dashed is a minus outside of quotes that may be part of a name.
var dashed = regex.Of(`^(?:[^"']|"[^"]*"|'[^']*')*[A-Za-z]-[A-Za-z]`)

// percentages are quoted texts, to be left alone, and numbers with a % that is no remainder, as no operand follows.
var percentages = regex.Of(`"[^"]*"|'[^']*'|\b[0-9.]+%\s*(?:[)&|?:,<>=!]|and\b|or\b|$)`)

// parse reads a gate whose metrics and percentages are written as the language has them.
func parse(text string) (string, *parser.Tree, error) {
	text = percentages().ReplaceAllStringFunc(metricCalls().ReplaceAllStringFunc(text, asPath), func(number string) string {
		return inUnit(number, strings.Contains(text, "reliability."))
	})
	tree, err := parser.Parse(text)
	return text, tree, err
}

func inUnit(percentage string, percent bool) string {
	number, rest, _ := strings.Cut(percentage, "%")
	if v, err := strconv.ParseFloat(number, 64); err == nil && !percent {
		return strconv.FormatFloat(rule.ShortDecimal(v/100), 'f', -1, 64) + rest
	} else if err == nil {
		return number + rest
	}
	return percentage
}

// compile checks the syntax of a gate, that all paths exist, that it is about either the run or
// each test, and that it is true or false. A gate only sees the envelope.
func compile(text string) (*expression, error) {
	if len(text) > maxExpression {
		return nil, fmt.Errorf("%d characters: a gate has at most %d", len(text), maxExpression)
	}
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("it is empty: give a condition, such as 'summary.fail == 0'")
	}
	rewritten, tree, err := parse(text)
	if err != nil {
		return nil, oneLine(err, rewritten == text)
	}
	found := finder{}
	if err := found.read(tree.Node); err != nil {
		return nil, err
	}
	e := &expression{asGiven: rewritten == text}
	zeros, err := e.lookAt(found)
	if err != nil && dashed().MatchString(text) && !strings.Contains(err.Error(), "a dash") {
		return nil, fmt.Errorf(`%w; quote a name with a dash, as in checks["my-check"]`, err)
	} else if err != nil {
		return nil, err
	}
	if e.program, err = expr.Compile(rewritten, expr.Env(typeOf(nest(zeros))), expr.AsBool()); err != nil {
		err = oneLine(err, e.asGiven)
		for _, v := range zeros {
			if _, missing := kind(append(path{"summary"}, v.path...), false); missing == nil && v.is == false {
				return nil, fmt.Errorf("%s of a test is true or false: did you mean summary.%[1]s?", v.path)
			}
		}
		return nil, err
	}
	return e, nil
}

// mistakes are what the library says of a gate that is wrong, and what a user needs to know of it.
var mistakes = []mistake{
	{regex.Of(`^(?:cannot use .*|invalid operation: [^(]*|invalid operation: .*mismatched.*|interface conversion.*|invalid argument for.*)$`),
		"compare numbers with numbers, and texts with texts; a number alone is not a condition"},
	{regex.Of(`Operator\("="\)`), "use == to compare"},
	{regex.Of(`unexpected token EOF`), "it ends too early: a value, a ) or a ] is missing"},
	{regex.Of(`^unexpected token \w+\((".*")\)|^unrecognized character: U\+\w+ ('.+')`), "$1$2 is not expected"},
	{regex.Of(`^literal not terminated`), "a text in quotes has no closing quote"},
	{regex.Of(`^error parsing regexp: (.*)`), "the pattern after matches is not valid: $1"},
	{regex.Of(`^invalid (?:char escape|escape|unicode)`), `write \\ for a \ in a text`},
	{regex.Of(`^bad number syntax: (".*")`), "$1 is not a number (durations are in ms, without a unit)"},
	{regex.Of(`^invalid \w+ literal`), "this is not a number, or it is too large"},
	{regex.Of(`^invalid operation: (\w+\(.*\))`), "$1 is not a number"},
	{regex.Of(`^expected bool`), "it does not answer true or false: compare something, for instance with == or >="},
	{regex.Of(`divide by zero`), "it divides by zero"},
	{regex.Of(``), "this is not a condition"},
}

// mistake is what the library says, and what we say instead.
type mistake struct {
	library func() *regexp.Regexp
	says    string
}

// oneLine says in our own words what the library finds wrong, and where if the gate is as it was given.
func oneLine(err error, asGiven bool) error {
	at := &file.Error{Message: err.Error()}
	errors.As(err, &at)
	where, example := words.If(asGiven, "column "+strconv.Itoa(at.Column+1)+": "), "; a condition is, for example, 'summary.fail <= 3'"
	i := slices.IndexFunc(mistakes, func(m mistake) bool { return m.library().MatchString(at.Message) })
	found := mistakes[i].library()
	says := found.ExpandString(nil, mistakes[i].says, at.Message, found.FindStringSubmatchIndex(at.Message))
	return errors.New(where + string(says) + example)
}

// lookAt checks the paths of the gate and returns a value of the type of each.
func (e *expression) lookAt(found finder) ([]value, error) {
	var zeros []value
	for _, name := range slices.Sorted(maps.Keys(found)) {
		p := found[name]
		zero, err := kind(p, len(found) > 1)
		if err != nil {
			return nil, err
		}
		perTest := !isRunPath(p)
		if len(e.paths) > 0 && perTest != e.perTest {
			of := map[bool]path{perTest: p, e.perTest: e.paths[0]}
			return nil, fmt.Errorf("%s is checked for each test and %s for the run: give two gates", of[true], of[false])
		}
		e.perTest = perTest
		e.paths = append(e.paths, p)
		zeros = append(zeros, value{p, zero})
	}
	if len(zeros) == 0 {
		return nil, fmt.Errorf("it looks at nothing: name a path such as summary.fail or reliability.passhat_k")
	}
	return zeros, nil
}

func isRunPath(p path) bool {
	runRoots := []string{"summary", "metrics", "run"} // the first names of paths into the run; all others are paths into each test
	return slices.Contains(runRoots, fmt.Sprint(p[0]))
}

// kind returns a value of the type of the path, which must exist.
func kind(p path, compared bool) (any, error) {
	all := testTargets()
	if isRunPath(p) {
		all = runTargets()
	}
	for _, t := range all {
		open, ok := t.covers(p)
		switch {
		case !ok:
		case t.open == nil:
			return t.zero, nil
		default:
			return t.zero, t.open(p[:open], p[open:])
		}
	}
	return nil, unknown(p, compared)
}

// finder collects the paths of an expression by their text, and rejects syntax that gates do not have.
type finder map[string]path

func (f finder) read(nodes ...ast.Node) error {
	for _, n := range nodes {
		if p, ok := chain(n); ok {
			f[p.String()] = p
			continue
		}
		parts, err := partsOf(n)
		if err != nil {
			return err
		}
		if err := f.read(parts...); err != nil {
			return err
		}
	}
	return nil
}

func partsOf(n ast.Node) ([]ast.Node, error) {
	switch n := n.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode:
		return nil, nil
	case *ast.UnaryNode:
		return []ast.Node{n.Node}, known(n.Operator, operators)
	case *ast.BinaryNode:
		if _, literal := n.Right.(*ast.StringNode); n.Operator == "matches" && !literal {
			return nil, errors.New(`put the pattern after "matches" in quotes`)
		}
		return []ast.Node{n.Left, n.Right}, known(n.Operator, operators)
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}, nil
	case *ast.ArrayNode:
		return n.Nodes, nil
	case *ast.BuiltinNode:
		return n.Arguments, known(n.Name, functions)
	case *ast.CallNode:
		p, _ := chain(n.Callee)
		return nil, suggest.Unknown("function", p.String(), functions)
	case *ast.MemberNode:
		return nil, fmt.Errorf(`write out the name in [ ], as in run.labels["job"] or metrics.pass_at_k[4]`)
	}
	return nil, refused("this construct (a list that is not written out, a variable, a slice or an object)")
}

func known(word string, all []string) error {
	if slices.Contains(all, word) {
		return nil
	}
	return refused(word)
}

func refused(what string) error {
	return fmt.Errorf("%s is not allowed: a gate compares values, without loops; it can use %s, cond ? a : b, [lists] and the functions %s",
		what, strings.Join(operators, " "), strings.Join(functions, " "))
}

// chain returns the path of an expression like a.b.c or a.b[5].
func chain(n ast.Node) (path, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return path{n.Value}, true
	case *ast.MemberNode:
		head, ok := chain(n.Node)
		if !ok {
			return nil, false
		}
		switch p := n.Property.(type) {
		case *ast.StringNode:
			return append(head, p.Value), true
		case *ast.IntegerNode:
			return append(head, p.Value), true
		}
	case *ast.ChainNode:
		return chain(n.Node)
	}
	return nil, false
}

// CheckUnits rejects wrong units and unknown statuses in comparisons, which hold nearly always or never. Recorded gates may have them.
func CheckUnits(gates []envelope.GateExpr) error {
	var errs []error
	for _, g := range gates {
		if _, tree, err := parse(g.Expr); err == nil {
			ast.Find(tree.Node, func(n ast.Node) bool {
				if b, ok := n.(*ast.BinaryNode); ok && (b.Operator == "in" || strings.ContainsAny(b.Operator, "<>=")) {
					errs = append(errs, wrongUnit(b.Left, b.Right), wrongUnit(b.Right, b.Left))
				}
				return false
			})
		}
	}
	return errors.Join(errs...)
}

func wrongUnit(left, right ast.Node) error {
	p, ok := chain(left)
	if !ok {
		return nil
	}
	if list, is := right.(*ast.ArrayNode); is {
		return errors.Join(each.Of(list.Nodes, func(n ast.Node) error { return wrongUnit(left, n) })...)
	}
	if text, is := right.(*ast.StringNode); is && p.String() == "status" && !slices.Contains(envelope.Statuses, envelope.Status(text.Value)) {
		return suggest.Unknown("status", text.Value, each.Of(envelope.Statuses, func(s envelope.Status) string { return string(s) }))
	}
	number, err := strconv.ParseFloat(right.String(), 64)
	switch whole := p.whole(); {
	case err != nil:
	case whole == 100 && number > 0 && number < 1:
		return fmt.Errorf("%s is a percentage from 0 to 100: write %.4g, not %v", p, number*100, number)
	case whole == 1 && number > 1:
		asPercent := words.If(number > 10 && number <= 100, fmt.Sprintf(": write %.4g", number/100)) // else it may be no slip
		return fmt.Errorf("%s is a fraction from 0 to 1, not %v%s", p, number, asPercent)
	}
	return nil
}

// value is what a gate found at a path.
type value struct {
	path path
	is   any
}

func (e *expression) holds(values []value) (bool, error) {
	out, err := expr.Run(e.program, nest(values))
	if err != nil {
		return false, oneLine(err, e.asGiven)
	}
	return out == true, nil
}

// typeOf is the type of a value, and of an object with the types of its values.
func typeOf(is any) types.Type {
	at, ok := is.(map[string]any)
	if !ok {
		return types.TypeOf(is)
	}
	of := types.Map{}
	for name, is := range at {
		of[name] = typeOf(is)
	}
	return of
}

// nest makes objects of paths: a.b with 1 becomes {"a": {"b": 1}}. A number at
// the end becomes the key of a map of numbers, as in pass_at_k[5].
func nest(values []value) map[string]any {
	root := map[string]any{}
	for _, v := range values {
		names, last := v.path.names(), len(v.path)-1
		k, isNumber := v.path[last].(int)
		if !isNumber {
			descend(root, names[:last])[names[last]] = v.is
			continue
		}
		at, name := descend(root, names[:last-1]), names[last-1]
		byNumber, ok := at[name].(map[int]float64)
		if !ok {
			byNumber = map[int]float64{}
			at[name] = byNumber
		}
		byNumber[k] = v.is.(float64)
	}
	return root
}

// descend returns the object at a path, and creates missing ones.
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
