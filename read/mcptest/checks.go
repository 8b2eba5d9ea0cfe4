package mcptest

import (
	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// checks adds the assertions of a record, each with a verdict under the names that
// a record has for its own.
func checks(t *envelope.Trial, v jsonwalk.Value) {
	for assertion := range v.Get("assertions").Items() {
		said := envelope.Trial{}
		if !judge(&said, assertion) {
			continue
		}
		c := envelope.Check{Name: first(assertion, "name", "description", "assertion", "type", "rule_id"), Status: said.Status, Reason: first(assertion, "message", "error", "reason")}
		if c.Status == envelope.Pass {
			c.Reason = ""
		}
		trialfields.AddCheck(t, c, "assertion")
	}
}

// first is the first of the members that says something.
func first(v jsonwalk.Value, names ...string) string {
	for _, name := range names {
		if text := v.Get(name).String(); text != "" {
			return text
		}
	}
	return ""
}
