package config

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/internal/run/driver/settings"
	"tribunal/internal/suggest"
	"tribunal/internal/words"
	"tribunal/policy"
)

// runKeys are the keys of the block run: the settings of the table, and what no flag can say.
func runKeys(block *settings.Block) map[string]setter {
	keys := map[string]setter{
		"command":    argv(&block.Command),
		"setup":      argv(&block.Setup),
		"teardown":   argv(&block.Teardown),
		"check":      argv(&block.Check),
		"before":     argv(&block.Before),
		"after":      argv(&block.After),
		"variants":   into(&block.Variants, "a list of names"),
		"tests":      func(r *reader, n ast.Node, key string, _ *envelope.Policy) { cases(r, n, key, block) },
		"exit_codes": func(r *reader, n ast.Node, key string, _ *envelope.Policy) { exitCodes(r, n, key, block) },
		"infrastructure": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			block.Infrastructure = append(block.Infrastructure, expressions(r, n, key)...)
		},
		"env": func(r *reader, n ast.Node, key string, p *envelope.Policy) {
			r.policy(n, key, map[string]setter{
				"hide":   into(&block.HideEnv, "true or false"),
				"cookie": into(&block.Cookie, "the name of a variable"),
				"only": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
					setting, _ := settings.ByKey("env_only")
					set(r, n, key, setting, block)
				},
			})
		},
		"leave_behind": into(&block.LeaveBehind, "true or false"),
	}
	for i := range settings.Table {
		s := &settings.Table[i]
		if name := s.Key(); keys[name] == nil && name != "test" {
			keys[name] = func(r *reader, n ast.Node, key string, _ *envelope.Policy) { set(r, n, key, s, block) }
		}
	}
	keys["list"] = argv(&block.List)
	return keys
}

func set(r *reader, n ast.Node, key string, s *settings.Setting, block *settings.Block) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok && s.Several {
		nodes = list.Values
	}
	for _, item := range nodes {
		word, ok := scalar(r, item, key)
		if !ok {
			return
		}
		if err := s.Set(&block.Settings, word); err != nil {
			r.fail(item, key, err)
		}
	}
}

func scalar(r *reader, n ast.Node, key string) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case ast.ScalarNode:
		if !slices.Contains([]ast.NodeType{ast.NullType, ast.AnchorType, ast.AliasType}, n.Type()) {
			return strings.TrimSpace(n.String()), true
		}
	}
	r.fail(n, key, errors.New("one value is expected, found "+words.If(n.Type() == ast.NullType, "nothing")+
		words.If(n.Type() != ast.NullType, shortened(n)+"; quote a text that begins with {, [ or *")))
	return "", false
}

func argv(to *[]string) setter {
	return func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
		const expected = "a program and its arguments as a list, such as [./agent-test, --case, '{test}']"
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			r.fail(n, key, errors.New(expected+" is expected; for a shell, write [sh, -c, '…']"))
			return
		}
		for _, item := range list.Values {
			if word, ok := scalar(r, item, key); ok {
				*to = append(*to, word)
			}
		}
		if len(list.Values) == 0 {
			r.fail(n, key, errors.New("it is empty: "+expected+" is expected"))
		}
	}
}

func cases(r *reader, n ast.Node, key string, block *settings.Block) {
	for at, item := range r.items(n, key, errors.New("a list of tests is expected, each a name or {test: NAME} or {glob: PATTERN}")) {
		var c settings.Case
		if item.Type() == ast.MappingType || item.Type() == ast.MappingValueType {
			if r.policy(item, at, caseKeys(&c)); (c.Test == "") == (c.Glob == "") {
				r.fail(item, at, errors.New("it names no test, or two: give it either test or glob"))
			}
		} else {
			c.Test, _ = value[string](r, item, at, "the name of a test")
		}
		block.Cases = append(block.Cases, c)
	}
}

func caseKeys(c *settings.Case) map[string]setter {
	return map[string]setter{
		"suite":  into(&c.Suite, "the name of a suite"),
		"test":   into(&c.Test, "the name of a test"),
		"glob":   into(&c.Glob, "a pattern of files such as cases/*.yaml, in quotes if it begins with *,"),
		"labels": into(&c.Labels, "a mapping of label names to values"),
		"trials": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			v, ok := value[int](r, n, key, "a whole number")
			if c.Trials = v; ok && v < 1 {
				r.fail(n, key, errors.New("a number of 1 or more is expected"))
			}
		},
		"timeout": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			if word, ok := scalar(r, n, key); ok {
				d, err := settings.ParseDuration(word)
				if err != nil {
					r.fail(n, key, err)
				}
				c.Timeout = envelope.Some(d)
			}
		},
	}
}

func exitCodes(r *reader, n ast.Node, key string, block *settings.Block) {
	block.ExitCodes = map[int]string{}
	for _, entry := range r.entries(n, key) {
		var code int
		at := join(key, keyText(entry.Key))
		if _, err := fmt.Sscanf(keyText(entry.Key), "%d", &code); err != nil || fmt.Sprint(code) != keyText(entry.Key) || code < 0 || code > 255 {
			r.fail(entry.Key, at, errors.New("an exit code is expected, a number from 0 to 255"))
			continue
		}
		word, ok := value[string](r, entry.Value, at, "a meaning such as infrastructure")
		if ok && !slices.Contains(settings.Meanings, word) {
			r.fail(entry.Value, at, fmt.Errorf("%q is not a meaning of an exit code: use one of %s", word, strings.Join(settings.Meanings, ", ")))
		}
		block.ExitCodes[code] = word
	}
}

func expressions(r *reader, n ast.Node, key string) (all []*regexp.Regexp) {
	var words []string
	if n.Type() == ast.SequenceType {
		words, _ = value[[]string](r, n, key, "a list of expressions (RE2)")
	} else if word, ok := value[string](r, n, key, "an expression (RE2)"); ok {
		words = []string{word}
	}
	for _, word := range words {
		compiled, err := regexp.Compile(word)
		if err == nil && compiled.MatchString("") {
			err = errors.New("it matches the empty text, so every trial; make it match a character")
		}
		if err != nil {
			r.fail(n, key, fmt.Errorf("%q: %s", word, strings.TrimPrefix(err.Error(), "error parsing regexp: ")))
			continue
		}
		all = append(all, compiled)
	}
	return all
}

//go:embed starters/*.yaml
var starters embed.FS

// Starters are what a first configuration can be for.
var Starters = []string{"agent", "flaky", "eval"}

// Starter is a first configuration, with comments that explain it.
func Starter(purpose string) ([]byte, error) {
	text, err := starters.ReadFile("starters/" + purpose + ".yaml")
	if err != nil {
		return nil, suggest.Unknown("purpose", purpose, Starters)
	}
	return text, nil
}

// dialect is a file of another program that says how its tests are tried and judged.
type dialect struct {
	name    string // of a file, with its article
	matches func(body ast.Node, has func(keys ...string) bool) bool
	read    func(*reader, ast.Node) Config
}

var dialects = []dialect{agentVFile, cerberusFile}

// oursAlone are keys that no file of another program has.
var oursAlone = []string{"rule", "run", "run_options", "gates", "redact", "quarantine", "map", "maps", "records", "scorer",
	"inconclusive", "min_trials", "treat_as"}

// dialect is that of a file, nil for one of our own. A file of two is a mistake.
func (r *reader) dialect(body ast.Node) (found *dialect) {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(topEntries(body), func(entry *ast.MappingValueNode) bool { return slices.Contains(keys, keyText(entry.Key)) })
	}
	if has(oursAlone...) {
		return nil
	}
	for i := range dialects {
		switch d := &dialects[i]; {
		case !d.matches(body, has):
		case found != nil:
			r.fail(body, "", fmt.Errorf("this file is %s and %s at once: write each into its own file", found.name, d.name))
		default:
			found = d
		}
	}
	return found
}

// topEntries are the keys and values of a file, none of one that is no mapping.
func topEntries(body ast.Node) []*ast.MappingValueNode {
	switch body := body.(type) {
	case *ast.MappingNode:
		return body.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{body}
	}
	return nil
}

// some reads those keys of a mapping that are known; the others are the business of
// the program whose file it is.
func (r *reader) some(n ast.Node, path string, keys map[string]func(n ast.Node, key string)) {
	for _, entry := range r.entries(n, path) {
		if set, known := keys[keyText(entry.Key)]; known {
			set(entry.Value, join(path, keyText(entry.Key)))
		}
	}
}

// quarantine reads the block quarantine: {cap, tests}, or the list of tests alone.
func quarantine(r *reader, n ast.Node, key string, p *envelope.Policy) {
	if n.Type() == ast.SequenceType {
		quarantined(r, n, key, p)
		return
	}
	block := r.policy(n, key, quarantineKeys)
	p.Quarantine, p.QuarantineCap = block.Quarantine, block.QuarantineCap
}

var quarantineKeys = map[string]setter{
	"cap":   plain(policy.ByName("quarantine_cap")),
	"tests": quarantined,
}

func quarantined(r *reader, n ast.Node, key string, p *envelope.Policy) {
	for at, item := range r.items(n, key, errors.New("a list is expected; an entry has match and expires, perhaps owner, reason, ticket")) {
		var q envelope.Quarantine
		if r.policy(item, at, quarantineEntry(&q)); item.Type() != ast.StringType &&
			checked(r, item, at, envelope.Policy{Quarantine: []envelope.Quarantine{q}}) {
			p.Quarantine = append(p.Quarantine, q)
		}
	}
}

func into[T any](to *T, expected string) setter {
	return func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
		*to, _ = value[T](r, n, key, expected)
	}
}

// quarantineEntry are the keys of an entry, which fill in q.
func quarantineEntry(q *envelope.Quarantine) map[string]setter {
	return map[string]setter{
		"match":  into(&q.Match, "a glob such as search/*, in quotes if it begins with *,"),
		"owner":  into(&q.Owner, "a name"),
		"reason": into(&q.Reason, "words"),
		"ticket": into(&q.Ticket, "a name or an address"),
		"at_least": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			q.AtLeast.V, q.AtLeast.OK = value[float64](r, n, key, "a pass rate such as 0.5")
		},
		"since":   into(&q.Since, "a date such as 2026-01-31"),
		"expires": into(&q.Expires, "a date such as 2026-03-31"),
	}
}

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
	for at, item := range r.items(n, key, errors.New("a list of expressions is expected; an entry may be {kind: KIND, pattern: PATTERN}")) {
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
		"kind":    into(&p.Kind, "a word of lowercase letters, digits and dashes"),
		"pattern": into(&p.Pattern, "a regular expression"),
	})
	return p
}
