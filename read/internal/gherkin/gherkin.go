// Package gherkin makes the outcome of a scenario of the results of its steps.
//
// It exists because Cucumber writes two formats that say how steps ended and leave the scenario to the reader, in the
// same words, and behave another that is like the older one. It leaves out what each format has of its own: retries,
// times, places.
package gherkin

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tribunal/envelope"
	"tribunal/read/internal/failure"
	"tribunal/read/internal/trialfields"
)

// ranks orders the words for how a step ended, the worst last.
var ranks = []string{"passed", "skipped", "pending", "undefined", "ambiguous", unknown, "error", "failed"}

// unknown is Cucumber's word for an end that it does not know. A word that is none of
// Cucumber's ranks as high: behind a step that passed it is no pass.
const unknown = "unknown"

func rankOf(word string) int {
	if rank := slices.Index(ranks, strings.ToLower(word)); rank >= 0 {
		return rank
	}
	return slices.Index(ranks, unknown)
}

// Steps are the results of the steps and hooks of one scenario so far.
type Steps struct {
	// Strict says that a pending step fails the run, as an undefined one does.
	Strict bool

	worst   string // the runner's own word
	rank    int
	message string
	text    string
	inside  envelope.Trial // the checks and attachments
}

// Add adds the result of a step: the runner's word for how it ended, what it said, and what the step says.
func (s *Steps) Add(status, message, step string) {
	status = cmp.Or(status, unknown) // one that could not be read
	rank := rankOf(status)
	s.check(rank, message, step)
	if s.worst != "" && rank <= s.rank {
		return
	}
	s.worst, s.rank = status, rank
	s.text = failure.Ends(message)
	s.message = failure.Reason(message, 2)
	if step = failure.Reason(step, 1); s.message == "" && step != "" {
		s.message = strings.ToLower(status) + ": " + step
	}
}

// check adds a step to the checks, and a hook where that says something.
func (s *Steps) check(rank int, message, step string) {
	status, _ := s.outcome(rank, message)
	if step != "" || status != envelope.Pass && status != envelope.Skip {
		trialfields.AddCheck(&s.inside, envelope.Check{Name: step, Status: status, Reason: message}, "hook")
	}
}

// Attach adds what a step attached.
func (s *Steps) Attach(a envelope.Attachment) { trialfields.Attach(&s.inside, a) }

// Inside sets the steps of the trial, and what they attached.
func (s *Steps) Inside(t *envelope.Trial) {
	t.Checks, t.Attachments = s.inside.Checks, s.inside.Attachments
}

// Fill sets what the steps say of the trial: the worst of them decides.
func (s *Steps) Fill(t *envelope.Trial) {
	s.Inside(t)
	if t.Status, t.ErrorClass = s.outcome(s.rank, s.message); s.worst == "" { // no step at all
		t.Status, t.ErrorClass = envelope.Skip, envelope.ClassEmptyRun
	}
	t.RawStatus = s.worst
	if t.Status == envelope.Pass {
		return
	}
	t.Message = cmp.Or(s.message, "no step says why")
	t.Output = s.text
}

// outcome is the status of a step, or of a scenario of which it is the worst.
func (s *Steps) outcome(rank int, message string) (status envelope.Status, class string) {
	switch word := ranks[rank]; word {
	case "passed":
		return envelope.Pass, ""
	case "skipped", "pending":
		if s.Strict && word == "pending" {
			return envelope.Error, envelope.ClassPreValidation
		}
		return envelope.Skip, ""
	case "undefined", "ambiguous":
		return envelope.Error, envelope.ClassPreValidation
	case "failed":
		if failure.TimedOut(message) {
			class = envelope.ClassTimeout
		}
		return envelope.Fail, class
	}
	return envelope.Error, ""
}

// Names tells scenarios of one name apart: the rows of an outline share it.
type Names struct{ places map[string]map[int]int }

// Add adds a scenario by its name and the line where it stands, 0 when that is
// unknown. Added in the order of the file, and once or more.
func (n *Names) Add(name string, line int) {
	if n.places == nil {
		n.places = map[string]map[int]int{}
	}
	if n.places[name] == nil {
		n.places[name] = map[int]int{}
	}
	if _, ok := n.places[name][line]; !ok {
		n.places[name][line] = len(n.places[name]) + 1
	}
}

// Of is the name of the scenario on a line, with the number of the example when there are several, once all scenarios
// are added. Gherkin asks for no name: one without is called by its line.
func (n *Names) Of(name string, line int) string {
	if name == "" {
		return "(line " + strconv.Itoa(line) + ")"
	}
	example, ok := n.places[name][line]
	if len(n.places[name]) < 2 || !ok {
		return name
	}
	return name + " (example " + strconv.Itoa(example) + ")"
}
