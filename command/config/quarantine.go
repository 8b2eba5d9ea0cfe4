package config

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"tribunal/envelope"
	"tribunal/policy"
)

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

// quarantined reads the list of entries.
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

// word sets a text.
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
