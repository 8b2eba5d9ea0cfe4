package tau2

import (
	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/jsonwalk"
)

// checks are what a reward is made of: the database, the actions that were expected,
// what was to be said, and the assertions about the environment and in words.
func checks(info jsonwalk.Value) []envelope.Check {
	var out []envelope.Check
	add := func(name string, met, why jsonwalk.Value) {
		if ok := met.Bool(); ok.OK && name != "" {
			c := envelope.Check{Name: jsonwalk.Short(failure.FirstLine(name)), Status: envelope.Fail, Reason: why.String()}
			if ok.V {
				c.Status = envelope.Pass
			}
			out = append(out, c)
		}
	}
	add("database", info.Get("db_check", "db_match"), jsonwalk.Value{})
	for c := range info.Get("action_checks").Items() {
		add("action "+c.Get("action", "name").Text(), c.Get("action_match"), jsonwalk.Value{})
	}
	for c := range info.Get("env_assertions").Items() {
		add("environment "+c.Get("env_assertion", "func_name").Text(), c.Get("met"), jsonwalk.Value{})
	}
	for c := range info.Get("communicate_checks").Items() {
		add("says "+c.Get("info").Text(), c.Get("met"), c.Get("justification"))
	}
	for c := range info.Get("nl_assertions").Items() {
		add(c.Get("nl_assertion").Text(), c.Get("met"), c.Get("justification"))
	}
	return out
}
