package sarif

import "tribunal/envelope"

// Keys of the rules for what is wrong beside the tests: a run that is broken, a gate
// that does not hold.
const (
	runBroken  = envelope.Status("run")
	gateUnheld = envelope.Status("gate")
)

// rule is what a result says of its test.
type rule struct {
	index                     int
	id, level                 string
	name, short, full, advice string
}

var rules = map[envelope.Status]rule{
	envelope.Fail: {0, "tribunal/fail", "error", "Fail", "A test failed.",
		"The trials of this test, repeated, are evidence that it does not hold what its policy asks of it.",
		"Read the reason and the message of the first trial that did not pass; the other reports of the same run hold all trials."},
	envelope.Error: {1, "tribunal/error", "error", "Error", "A test could not be judged.",
		"No trial of this test counts: all of them were excluded, for instance because the infrastructure failed.",
		"Repair what kept the trials from running; the test itself may be sound."},
	envelope.Inconclusive: {2, "tribunal/inconclusive", "note", "Inconclusive", "The evidence does not decide.",
		"The trials of this test, repeated, neither show that it holds what its policy asks of it nor that it does not.",
		"Run more trials, or ask for less certainty."},
	runBroken: {3, "tribunal/run", "error", "Run", "The run is broken.",
		"No test could be judged, or not all of the input could be read, so that tests and trials may be missing.",
		"Look at the problems of the input."},
	gateUnheld: {4, "tribunal/gate", "error", "Gate", "A gate does not hold.",
		"The policy asks something of the run as a whole, or of each test, that does not hold, whatever the verdicts of the tests are.",
		"Read what the gate saw; the policy of the run says what it asks."},
}

// descriptor is a rule on the wire. GitHub wants all of its texts.
type descriptor struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Short   message           `json:"shortDescription"`
	Full    message           `json:"fullDescription"`
	Help    message           `json:"help"`
	Default map[string]string `json:"defaultConfiguration"`
}

// ruleList is every rule at its index, whether it is used or not: the tool is
// the same in every run.
func ruleList() []descriptor {
	list := make([]descriptor, len(rules))
	for _, r := range rules {
		list[r.index] = descriptor{ID: r.id, Name: r.name, Short: message{r.short}, Full: message{r.full},
			Help: message{r.advice}, Default: map[string]string{"level": r.level}}
	}
	return list
}
