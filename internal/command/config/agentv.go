package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/internal/run/dialect/agentv"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/policy"
)

var agentVFile = dialect{name: "an eval file of AgentV", matches: isEvalFile, read: (*reader).evalFile}

// isEvalFile tells an eval file by a key that only those have, by a description above
// its tests, or by tests that have ids.
func isEvalFile(body ast.Node, has func(...string) bool) bool {
	if has(agentv.UniqueKeys...) || has(agentv.SharedKeys...) && has("tests", "execution", "evaluate_options") {
		return true
	}
	hasID := func(test ast.Node) bool {
		return slices.ContainsFunc(topEntries(test), func(e *ast.MappingValueNode) bool { return keyText(e.Key) == "id" })
	}
	return slices.ContainsFunc(topEntries(body), func(e *ast.MappingValueNode) bool {
		list, is := e.Value.(*ast.SequenceNode)
		return is && keyText(e.Key) == "tests" && slices.ContainsFunc(list.Values, hasID)
	})
}

// fromAgentV adds what these blocks say to a configuration of our own, where it says
// nothing itself.
func (r *reader) fromAgentV(p *envelope.Policy) {
	said := r.agentV.Policy()
	if p.Rule != "" {
		said.Threshold = envelope.Opt[float64]{} // it is that of another rule
	}
	*p = policy.Fill(*p, said)
	block := r.agentV.Block()
	r.run.Settings = r.run.Over(block.Settings)
}

func (r *reader) evalFile(body ast.Node) Config {
	f := &r.agentV
	r.some(body, "", map[string]func(ast.Node, string){
		"execution":        r.execution,
		"evaluate_options": r.evaluateOptions,
		"threshold":        func(n ast.Node, key string) { f.Threshold = r.share(n, key) },
		"timeout_seconds":  func(n ast.Node, key string) { f.Timeout = r.seconds(n, key) },
		"budget_usd":       func(n ast.Node, key string) { f.BudgetUSD = r.usd(n, key) },
		"target":           r.providers, "targets": r.providers, "providers": r.providers,
		"tests": r.evalTests, "evalcases": r.evalTests, "eval_cases": r.evalTests,
		"scenarios": func(ast.Node, string) { r.unlisted = append(r.unlisted, "the rows of scenarios") },
	})
	r.loadCases()
	return Config{Policy: f.Policy(), Run: f.Block(), Eval: &Eval{Providers: f.Providers, Unlisted: r.unlisted}}
}

// Eval is what an eval file of AgentV says beside policy and run.
type Eval struct {
	Providers []string // whom it tries, by their names
	Unlisted  []string // where tests stand that are not known
}

type caseFile struct {
	name string
	at   ast.Node
}

func (r *reader) execution(n ast.Node, key string) {
	f := &r.agentV
	r.some(n, key, map[string]func(ast.Node, string){
		"trials":          r.repeat("pass_at_k"),
		"budget_usd":      func(n ast.Node, key string) { f.BudgetUSD = r.usd(n, key) },
		"threshold":       func(n ast.Node, key string) { f.Threshold = r.share(n, key) },
		"workers":         func(n ast.Node, key string) { f.Concurrency = r.count(n, key) },
		"max_concurrency": func(n ast.Node, key string) { f.Concurrency = r.count(n, key) },
		"target":          r.providers, "targets": r.providers,
	})
}

func (r *reader) evaluateOptions(n ast.Node, key string) {
	f := &r.agentV
	r.some(n, key, map[string]func(ast.Node, string){
		"repeat":          r.repeat("pass_any"),
		"budget_usd":      func(n ast.Node, key string) { f.BudgetUSD = r.usd(n, key) },
		"max_concurrency": func(n ast.Node, key string) { f.Concurrency = r.count(n, key) },
	})
}

// repeat reads a number of trials, or a block with a strategy. AgentV takes what it
// does not understand there for nothing said; here it is a mistake.
func (r *reader) repeat(otherwise string) func(ast.Node, string) {
	return func(n ast.Node, key string) {
		f := &r.agentV.Repeat
		if f.Strategy != "" {
			r.fail(n, key, errors.New("execution.trials and evaluate_options.repeat both say how often tests are tried: keep one of them"))
			return
		}
		f.Strategy = otherwise
		if n.Type() != ast.MappingType && n.Type() != ast.MappingValueType {
			f.Count = r.count(n, key)
			return
		}
		costs := func(n ast.Node, key string) { f.CostLimitUSD = r.usd(n, key) }
		keys := map[string]func(ast.Node, string){
			"count":          func(n ast.Node, key string) { f.Count = r.count(n, key) },
			"cost_limit_usd": costs, "costLimitUsd": costs,
			"early_exit": func(n ast.Node, key string) { f.EarlyExit, _ = value[bool](r, n, key, "true or false") },
			"strategy": func(n ast.Node, key string) {
				word, ok := value[string](r, n, key, "a strategy")
				if f.Strategy = word; ok && !slices.Contains(agentv.Strategies, word) {
					r.fail(n, key, suggest.Unknown("strategy", word, agentv.Strategies))
				}
			},
		}
		for _, entry := range r.entries(n, key) {
			if name := keyText(entry.Key); keys[name] == nil {
				r.fail(entry.Key, join(key, name), suggest.Unknown("key", name, slices.Sorted(maps.Keys(keys))))
			}
		}
		r.some(n, key, keys)
		if !f.Count.OK {
			r.fail(n, key, errors.New("the count is missing: how often each test is tried, such as count: 3"))
		}
	}
}

// providers reads whom the file tries: a name, or a list of names and of blocks that
// have one.
func (r *reader) providers(n ast.Node, key string) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	f := &r.agentV
	f.Providers = nil
	for _, item := range nodes {
		var id, name string
		switch item.Type() {
		case ast.StringType:
			name, _ = value[string](r, item, key, "a name")
		case ast.MappingType, ast.MappingValueType:
			word := func(to *string) func(ast.Node, string) {
				return func(n ast.Node, key string) { *to, _ = value[string](r, n, key, "a name") }
			}
			r.some(item, key, map[string]func(ast.Node, string){"label": word(&name), "name": word(&name), "id": word(&id)})
		}
		if name = cmp.Or(name, id); name != "" {
			f.Providers = append(f.Providers, name)
		}
	}
}

// evalTests reads the tests of a file: a list of tests and of files that have some, or
// the name of one.
func (r *reader) evalTests(n ast.Node, key string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.evalTest(n, key)
		return
	}
	for i, item := range list.Values {
		r.evalTest(item, fmt.Sprintf("%s[%d]", key, i))
	}
}

func (r *reader) evalTest(n ast.Node, key string) {
	if n.Type() == ast.StringType {
		name, _ := value[string](r, n, key, "the name of a file")
		r.files = append(r.files, caseFile{strings.TrimPrefix(name, "file://"), n})
		return
	}
	var t agentv.Test
	scoped := func(n ast.Node, key string) {
		r.some(n, key, map[string]func(ast.Node, string){
			"repeat":          func(n ast.Node, key string) { t.Count = r.count(n, key) },
			"threshold":       func(n ast.Node, key string) { t.Threshold = r.share(n, key) },
			"timeout_seconds": func(n ast.Node, key string) { t.Timeout = r.seconds(n, key) },
			"budget_usd": func(n ast.Node, key string) {
				r.fail(n, key, errors.New("a single test cannot have its own cost limit; set cost_limit_usd in evaluate_options.repeat or "+
					"execution.trials for every test, or budget_usd for the run"))
			},
		})
	}
	r.some(n, key, map[string]func(ast.Node, string){
		"id": func(n ast.Node, key string) { t.ID, _ = scalar(r, n, key) }, "run": scoped, "options": scoped,
	})
	switch {
	case t.ID == "":
		r.unlisted = append(r.unlisted, key+", which has no id")
	case slices.ContainsFunc(r.agentV.Tests, func(other agentv.Test) bool { return other.ID == t.ID }):
		r.fail(n, key, fmt.Errorf("the id %q is used twice", t.ID))
	default:
		r.agentV.Tests = append(r.agentV.Tests, t)
	}
}

// loadCases adds the tests of the files that an eval file names.
func (r *reader) loadCases() {
	for len(r.files) > 0 {
		files := r.files
		r.files = nil
		for _, f := range files {
			r.loadFile(f)
		}
	}
}

// mostCaseFiles bounds how many files are read, which may name each other.
const mostCaseFiles = 100

func (r *reader) loadFile(f caseFile) {
	known := slices.Contains([]string{".yaml", ".yml", ".json", ".jsonl"}, strings.ToLower(filepath.Ext(f.name)))
	if r.open == nil || !known || strings.ContainsAny(f.name, "*?[{") {
		r.unlisted = append(r.unlisted, f.name)
		return
	}
	if r.opened++; r.opened > mostCaseFiles {
		if r.opened == mostCaseFiles+1 {
			r.fail(f.at, "tests", fmt.Errorf("more than %d files of tests; split them, or check that none names itself", mostCaseFiles))
		}
		return
	}
	path := filepath.FromSlash(f.name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.file), path)
	}
	text, err := r.open(path)
	if err != nil {
		r.fail(f.at, "tests", fmt.Errorf("cannot read the tests in %s: %w", path, words.OfFile(err)))
		return
	}
	if strings.EqualFold(filepath.Ext(path), ".jsonl") {
		text = oneDocument(text)
	}
	within := *r
	within.file, within.files, within.errs = path, nil, nil
	switch body := within.tree(text).(type) {
	case nil:
	case *ast.SequenceNode:
		within.evalTests(body, "tests")
	default:
		within.some(body, "", map[string]func(ast.Node, string){"tests": within.evalTests})
	}
	within.loadCases()
	r.agentV, r.unlisted, r.opened = within.agentV, within.unlisted, within.opened
	r.errs = append(r.errs, within.errs...)
}

// oneDocument makes a list of lines of JSON, each of which is YAML as well.
func oneDocument(lines []byte) []byte {
	var list bytes.Buffer
	for line := range bytes.Lines(lines) {
		if len(bytes.TrimSpace(line)) > 0 {
			list.WriteString("- ")
			list.Write(bytes.TrimRight(line, "\r\n"))
		}
		list.WriteByte('\n')
	}
	return list.Bytes()
}

// count reads a positive whole number, share one from 0 to 1, usd and seconds those
// above 0.
func (r *reader) count(n ast.Node, key string) (o envelope.Opt[int]) {
	o.V, o.OK = r.from1(n, key, "a whole number")
	return o
}

func (r *reader) share(n ast.Node, key string) envelope.Opt[float64] {
	return r.amount(n, key, "a score from 0 to 1", 0, 1)
}

func (r *reader) usd(n ast.Node, key string) envelope.Opt[float64] {
	return r.amount(n, key, "an amount of US dollars above 0", math.SmallestNonzeroFloat64, math.MaxFloat64)
}

func (r *reader) seconds(n ast.Node, key string) envelope.Opt[time.Duration] {
	const day = 24 * 60 * 60
	s := r.amount(n, key, "a number of seconds from 0.001 to 86400000", 1e-3, 1000*day)
	return envelope.Opt[time.Duration]{V: time.Duration(s.V * float64(time.Second)), OK: s.OK}
}

func (r *reader) amount(n ast.Node, key, expected string, least, most float64) (o envelope.Opt[float64]) {
	v, ok := value[float64](r, n, key, expected)
	if ok && !(v >= least && v <= most) {
		r.fail(n, key, fmt.Errorf("%v is out of range: give %s", v, expected))
		ok = false
	}
	return envelope.Opt[float64]{V: v, OK: ok}
}
