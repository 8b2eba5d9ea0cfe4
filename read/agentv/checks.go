package agentv

import (
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
	"tribunal/read/internal/trialfields"
)

// maxSets is how deep graders may stand in sets of graders.
const maxSets = 8

// checks makes a check of every grader of a trial. Rows of the first generation
// that name no grader have their assertions alone.
func checks(t *envelope.Trial, v jsonwalk.Value) {
	before := len(t.Checks)
	if graders(t, "", v.Get("scores"), 0); len(t.Checks) == before {
		assertions(t, "", v.Get("assertions"))
	}
}

// graders adds the graders of a list, and those of the sets among them.
func graders(t *envelope.Trial, set string, list jsonwalk.Value, depth int) {
	for score := range list.Items() {
		name, kind := score.Get("name").Text(), score.Get("type").Text()
		if name == "" {
			name = kind
		}
		grader(t, set+name, score)
		if kind == fixed {
			assertions(t, set+name+" › ", score.Get("assertions"))
		}
		if depth < maxSets {
			graders(t, set+name+" › ", score.Get("scores"), depth+1)
		}
	}
}

func grader(t *envelope.Trial, name string, score jsonwalk.Value) {
	c := envelope.Check{Name: name, Status: trialfields.PassFail(score.Get("pass").Bool()), Score: score.Get("score").Number(), Reason: score.Get("reason").String()}
	if c.Status == "" {
		c.Status, _ = envelope.ParseStatus(score.Get("verdict").Text())
	}
	if c.Reason == passed {
		c.Reason = ""
	}
	if c.Reason == "" {
		c.Reason = missed(score.Get("assertions"))
	}
	trialfields.AddCheck(t, c, "grader")
}

// passed is what AgentV says of a grader when it has nothing to say.
const passed = "Grader passed."

// fixed is the type of a grader whose assertions are the criteria it was given.
// Others write what they measured into theirs, "Total tokens 27 <= 2000 max", or
// have a model make them up: those name nothing that two trials share, and are
// reasons of their graders.
const fixed = "rubrics"

// assertions adds criteria by their texts.
func assertions(t *envelope.Trial, grader string, list jsonwalk.Value) {
	for each := range list.Items() {
		if text := each.Get("text").Text(); text != "" {
			trialfields.AddCheck(t, envelope.Check{Name: grader + text, Status: trialfields.PassFail(each.Get("passed").Bool()), Reason: each.Get("evidence").String()}, "assertion")
		}
	}
}

// missed are the assertions that did not pass, a line each.
func missed(list jsonwalk.Value) string {
	var lines []string
	for each := range list.Items() {
		if met := each.Get("passed").Bool(); met.OK && !met.V {
			lines = append(lines, strings.TrimSuffix(each.Get("text").Text()+": "+each.Get("evidence").String(), ": "))
		}
	}
	return strings.Join(lines, "\n")
}
