package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/verdict"
)

type setter func(r *reader, n ast.Node, key string, p *envelope.Policy)

// policyKeys are the keys of a policy wherever it stands, topKeys those of the
// file, which may say more: something of the run as a whole, or how inputs are
// read.
var policyKeys, topKeys map[string]setter

// inconclusiveKeys are the keys of the block `inconclusive` beside `on`.
var inconclusiveKeys = map[string]setter{
	"min_trials":     plain(policy.ByName("min_trials")),
	"confidence_pct": confidencePct,
	"treat_as":       plain(policy.ByName("treat_as")),
}

// init adds the block run, which is read as a policy of its own keys, the blocks of an eval
// file that say how its tests are repeated, and the keys of the table that are a value of
// their own. Those in a block are read with it.
func init() {
	policyKeys, topKeys = map[string]setter{}, map[string]setter{
		"run_options": runOptions,
		"redact":      redaction,
		"quarantine":  quarantine,
		"map":         func(r *reader, n ast.Node, key string, _ *envelope.Policy) { r.inputs.Map = r.mapped(n, key) },
		"maps":        namedMaps,
		"records":     input(func(c *Config) *string { return &c.Records }, "a path such as .results"),
		"scorer":      input(func(c *Config) *string { return &c.Scorer }, "the name of a scorer"),
		"tests":       tests,
		"gates":       gates,
	}
	topKeys["run"] = func(r *reader, n ast.Node, key string, _ *envelope.Policy) { r.policy(n, key, runKeys(&r.run)) }
	topKeys["execution"] = func(r *reader, n ast.Node, key string, _ *envelope.Policy) { r.execution(n, key) }
	topKeys["evaluate_options"] = func(r *reader, n ast.Node, key string, _ *envelope.Policy) { r.evaluateOptions(n, key) }
	for i := range policy.Keys {
		if k := &policy.Keys[i]; k.Plain() && k.Path() == k.Name {
			topKeys[k.Name] = plain(k)
			if k.PerTest {
				policyKeys[k.Name] = topKeys[k.Name]
			}
		}
	}
	topKeys["metrics"] = metrics
	policyKeys["inconclusive"], topKeys["inconclusive"] = inconclusive, inconclusive
}

func sortedKeys(keys map[string]setter) []string { return slices.Sorted(maps.Keys(keys)) }

// plain reads the value of a key into a policy, as the type of its field.
func plain(k *policy.Key) setter {
	return func(r *reader, n ast.Node, key string, p *envelope.Policy) {
		var alone envelope.Policy
		if read(r, n, key, k, &alone) && checked(r, n, key, alone) {
			*p = policy.Fill(alone, *p)
		}
	}
}

func read(r *reader, n ast.Node, key string, k *policy.Key, p *envelope.Policy) (ok bool) {
	switch field := k.In(p).(type) {
	case *string:
		*field, ok = value[string](r, n, key, "a word")
	case *envelope.Opt[bool]:
		field.V, ok = value[bool](r, n, key, "true or false")
		field.OK = ok
	case *envelope.Opt[float64]:
		expected := cmp.Or(words.If(k.Percent, "a confidence level such as 95 or 0.95"), "a number")
		field.V, ok = number(r, n, key, expected)
		if field.OK = ok; k.Percent {
			field.V = policy.Fraction(field.V)
		}
		if k.Rate {
			field.V = policy.Rate(field.V)
		}
	case *envelope.Opt[int]:
		field.V, ok = value[int](r, n, key, "a whole number")
		field.OK = ok
	case *envelope.Opt[int64]:
		field.V, ok = value[int64](r, n, key, "a whole number")
		field.OK = ok
	case *[]int:
		*field, ok = items[int](r, n, key, "a list of whole numbers such as [1, 4, 8]")
	case *[]float64:
		*field, ok = items[float64](r, n, key, "a list of numbers such as [0, 0.5, 1]")
	case *[]string:
		*field, ok = items[string](r, n, key, "a list of names such as [session_id]")
	default:
		panic("config: the key " + k.Name + " has keys of its own") // Plain tells
	}
	return ok
}

// number reads a number, or a text such as 90%.
func number(r *reader, n ast.Node, key, expected string) (v float64, ok bool) {
	text, is := n.(*ast.StringNode)
	if !is || !strings.HasSuffix(text.Value, "%") {
		return value[float64](r, n, key, expected)
	}
	v, err := policy.Number(text.Value)
	if err != nil {
		r.fail(n, key, fmt.Errorf("%s is expected, found %s", expected, words.Head(text.Value, 200)))
	}
	return v, err == nil
}

// items reads a list item by item, so that each is held to what it is written as.
func items[T any](r *reader, n ast.Node, key, expected string) (list []T, ok bool) {
	sequence, is := n.(*ast.SequenceNode)
	if !is {
		return value[[]T](r, n, key, expected)
	}
	for _, item := range sequence.Values {
		v, fine := value[T](r, item, key, expected)
		if !fine {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

func confidencePct(r *reader, n ast.Node, key string, p *envelope.Policy) {
	if v := r.amount(n, key, "a number from 80 to 99", 80, 99); v.OK {
		p.Confidence = envelope.Some(v.V / 100)
	}
}

// inconclusive reads {on, min_trials, confidence_pct, treat_as}. Switched off,
// or not switched on, it says nothing; switched on it selects its rule unless
// another is named.
func inconclusive(r *reader, n ast.Node, key string, p *envelope.Policy) {
	inconclusiveBlock(r, n, key, p, inconclusiveKeys)
}

// inconclusiveOfTests is the block in an override: what an inconclusive test
// does to the exit code is not a matter of single tests.
func inconclusiveOfTests(r *reader, n ast.Node, key string, p *envelope.Policy) {
	keys := maps.Clone(inconclusiveKeys)
	delete(keys, "treat_as")
	inconclusiveBlock(r, n, key, p, keys)
}

func inconclusiveBlock(r *reader, n ast.Node, key string, p *envelope.Policy, known map[string]setter) {
	on := false
	keys := maps.Clone(known)
	keys["on"] = into(&on, "true or false")
	block := r.policy(n, key, keys)
	if !on {
		return
	}
	block.Rule = verdict.InconclusiveRule
	*p = policy.Fill(*p, block)
}

// runOptions reads the block run_options, which holds an inconclusive block.
func runOptions(r *reader, n ast.Node, key string, p *envelope.Policy) {
	block := r.policy(n, key, map[string]setter{"inconclusive": inconclusive})
	*p = policy.Fill(*p, block)
}

func tests(r *reader, n ast.Node, key string, p *envelope.Policy) {
	for at, item := range r.items(n, key, errors.New("a list is expected, each entry with match or labels and the keys of a policy")) {
		p.Overrides = append(p.Overrides, override(r, item, at))
	}
}

func override(r *reader, n ast.Node, key string) envelope.Override {
	var o envelope.Override
	keys := maps.Clone(policyKeys)
	keys["inconclusive"] = inconclusiveOfTests
	keys["match"] = into(&o.Match, "a glob such as weather/*, in quotes if it begins with *,")
	keys["labels"] = into(&o.Labels, "a mapping of label names to values")
	o.Policy = r.policy(n, key, keys)
	if o.Match == "" && len(o.Labels) == 0 && n.Type() != ast.StringType {
		r.fail(n, key, errors.New("matches no test: give it a match or labels"))
	}
	return o
}

// gates reads the list of gates: expressions, each perhaps with a name.
func gates(r *reader, n ast.Node, key string, p *envelope.Policy) {
	for at, item := range r.items(n, key, errors.New("a list of expressions is expected; an entry may be {name: NAME, expr: EXPRESSION}")) {
		var g envelope.GateExpr
		if item.Type() == ast.MappingType || item.Type() == ast.MappingValueType {
			r.policy(item, at, map[string]setter{
				"name": into(&g.Name, "a name"), "expr": into(&g.Expr, "an expression"),
			})
		} else {
			g.Expr, _ = value[string](r, item, at, "an expression such as summary.fail == 0")
		}
		g = gate.Named(g.Name, g.Expr)
		if checked(r, item, at, envelope.Policy{Gates: []envelope.GateExpr{g}}) {
			p.Gates = append(p.Gates, g)
		}
	}
}

// metrics reads the set of metrics, a word, or a list of metrics with parameters
// of their own.
func metrics(r *reader, n ast.Node, key string, p *envelope.Policy) {
	sequence, is := n.(*ast.SequenceNode)
	if !is {
		plain(policy.ByName("metrics"))(r, n, key, p)
		return
	}
	for _, item := range sequence.Values {
		text, ok := value[string](r, item, key, "a metric such as bayes(weights=[0,0.5,1])")
		if !ok {
			continue
		}
		call, err := verdict.ParseMetric(text)
		if err != nil {
			r.fail(item, key, err)
			continue
		}
		p.Metric = append(p.Metric, call)
	}
}

func input(field func(*Config) *string, expected string) setter {
	return func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
		if word, ok := value[string](r, n, key, expected); ok {
			*field(&r.inputs) = word
		}
	}
}

// mapped reads a mapping, which says where the fields of a trial are in a record: one text
// like that of --map, or fields and their paths.
func (r *reader) mapped(n ast.Node, key string) string {
	if n.Type() == ast.StringType {
		spec, _ := value[string](r, n, key, "a mapping such as test=.name,status=.ok")
		return spec
	}
	var parts []string
	for _, entry := range r.entries(n, key) {
		field := keyText(entry.Key)
		if path, ok := value[string](r, entry.Value, join(key, field), "a path such as .name"); ok {
			parts = append(parts, field+"="+path)
		}
	}
	return strings.Join(parts, ",")
}

// namedMaps reads mappings that have names, each with the path of its records.
func namedMaps(r *reader, n ast.Node, key string, _ *envelope.Policy) {
	r.inputs.Maps = map[string]NamedMap{}
	for _, entry := range r.entries(n, key) {
		name := keyText(entry.Key)
		at, m := join(key, name), NamedMap{}
		r.policy(entry.Value, at, map[string]setter{
			"map":     func(r *reader, n ast.Node, key string, _ *envelope.Policy) { m.Map = r.mapped(n, key) },
			"records": input(func(*Config) *string { return &m.Records }, "a path such as .results"),
		})
		switch {
		case name == "", strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
			r.fail(entry.Key, at, errors.New("a name has only lowercase letters, digits, - and _, because --map @name uses it"))
		case m.Map == "":
			r.fail(entry.Key, at, errors.New("a mapping is missing: give it map: {test: .name, status: .ok}"))
		default:
			r.inputs.Maps[name] = m
		}
	}
}
