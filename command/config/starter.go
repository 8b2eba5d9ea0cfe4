package config

import (
	"embed"
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/internal/suggest"
	"tribunal/policy"
)

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
	name string // of a file, with its article
	told func(body ast.Node, has func(keys ...string) bool) bool
	read func(*reader, ast.Node) Config
}

// dialects are recognised by the keys at the top of the file.
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
		case !d.told(body, has):
		case found != nil:
			r.fail(body, "", fmt.Errorf("this is %s and %s at once: keep them in files of their own", found.name, d.name))
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
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, key, errors.New("a list is expected, each entry with match, owner, reason, ticket and expires"))
		return
	}
	for i, item := range list.Values {
		at := fmt.Sprintf("%s[%d]", key, i)
		var q envelope.Quarantine
		mistakes := len(r.errs)
		r.policy(item, at, quarantineEntry(&q))
		if len(r.errs) == mistakes && checked(r, item, at, envelope.Policy{Quarantine: []envelope.Quarantine{q}}) {
			p.Quarantine = append(p.Quarantine, q)
		}
	}
}

func word(to *string, expected string) setter {
	return func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
		*to, _ = value[string](r, n, key, expected)
	}
}

// quarantineEntry are the keys of an entry, which fill in q.
func quarantineEntry(q *envelope.Quarantine) map[string]setter {
	return map[string]setter{
		"match":  word(&q.Match, "a glob such as search/*"),
		"owner":  word(&q.Owner, "a name"),
		"reason": word(&q.Reason, "words"),
		"ticket": word(&q.Ticket, "a name or an address"),
		"at_least": func(r *reader, n ast.Node, key string, _ *envelope.Policy) {
			if v, ok := value[float64](r, n, key, "a pass rate such as 0.5"); ok {
				q.AtLeast = envelope.Some(v)
			}
		},
		"since":   word(&q.Since, "a date such as 2026-01-31"),
		"expires": word(&q.Expires, "a date such as 2026-03-31"),
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
