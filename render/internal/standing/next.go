package standing

import (
	"cmp"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/plan"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// Commands are the words behind tribunal report, show and plan that give the same run again, and the
// commands that resume it and start it again; empty where there are none.
type Commands struct{ Report, Show, Plan, Resume, Rerun string }

const longestName = 300 // bytes of a name in a command

// Next are the commands to go on with, at most two: to resume a run that was stopped, or what would decide
// a run that is undecided, more about the worst test that fails, or the same again when the input is correct.
func (c Commands) Next(e *envelope.Envelope) []string {
	resumes := cmp.Or(c.Resume, plan.Resume(e))
	then := c.judged(e, resumes != "")
	if resumes == "" && then == nil && e.Gate.InputErrors > 0 {
		then = []string{c.corrected(e)}
	}
	all := words.Present(append([]string{resumes}, then...)...)
	return all[:min(len(all), 2)]
}

// corrected is the command after somebody corrected what was an error: the input, or the command of a run,
// whose records stay as they are.
func (c Commands) corrected(e *envelope.Envelope) string {
	ofRun := []string{envelope.CodeCommandFailed, envelope.CodeNotListed, envelope.CodeSetup, envelope.CodeTeardown, envelope.CodeNothingToTry}
	if slices.ContainsFunc(e.Problems, func(p envelope.Problem) bool { // what a run notes has a count and no column
		noted := c.Rerun != "" && p.Count > 0 && p.Column == 0 && (p.Code == envelope.CodeMalformed || p.Code == envelope.CodeJournal)
		return noted || slices.Contains(ofRun, p.Code)
	}) {
		return words.Around("", c.Rerun, "  # after you correct the command")
	}
	return words.Around("tribunal report ", c.Report, "  # after you correct the input, or what wrote it")
}

func (c Commands) judged(e *envelope.Envelope, resumable bool) []string {
	worst := worst(e)
	isUndecided := func(t *envelope.Test) bool { return t.KindOf() == envelope.KindUndecided && !t.CostLimited }
	switch {
	case c.Plan != "" && !resumable && (e.Policy.RunJudgedAlone() && e.Gate.Gates[0].Status == envelope.Inconclusive || worst == nil && envelope.AnyTest(e.Tests, isUndecided)):
		return []string{"tribunal plan " + c.Plan}
	case c.Report == "" || e.Gate.Status == envelope.Pass || worst == nil: // problems say what to do themselves
		return nil
	}
	name := worst.Test
	if slices.ContainsFunc(e.Tests, func(o envelope.Test) bool { return o.Test == name && o.Key != worst.Key }) {
		name = worst.Key.RunnerName()
	}
	name = words.Shell(text.Line(name))
	return words.Present("tribunal report "+c.Report+" --explain "+name,
		words.If(len(worst.Transcripts) > 0 && c.Show != "", "tribunal show "+c.Show+" "+name))
}

// worst is the first failing test in a report with a name that a shell can pass; nil where there is none.
func worst(e *envelope.Envelope) *envelope.Test {
	for _, k := range Kinds {
		for i := range e.Tests {
			if t := &e.Tests[i]; k.Kind.Red() && KindIn(e, t) == k.Kind && t.Test != "" && len(t.Test) <= longestName && text.Line(t.Test) == t.Test {
				return t
			}
		}
	}
	return nil
}
