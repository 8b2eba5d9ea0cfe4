package standing

import (
	"slices"

	"tribunal/envelope"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// Commands are the words behind tribunal report, show and plan that give the same run again;
// empty where there are none.
type Commands struct{ Report, Show, Plan string }

const longestName = 300 // bytes of a name in a command

// Next are the commands to go on with, at most two: what would decide a run that is undecided, or
// more about the worst test that fails.
func (c Commands) Next(e *envelope.Envelope) []string {
	worst := worst(e)
	isUndecided := func(t *envelope.Test) bool { return t.KindOf() == envelope.KindUndecided }
	switch {
	case c.Plan != "" && (Word(e) == undecided && e.RunJudgedAlone() || worst == nil && envelope.AnyTest(e.Tests, isUndecided)):
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

// worst is the first failing test in a report with a name; nil where there is none.
func worst(e *envelope.Envelope) *envelope.Test {
	for _, k := range Kinds {
		for i := range e.Tests {
			if t := &e.Tests[i]; k.Kind.Red() && t.KindOf() == k.Kind && t.Test != "" && len(t.Test) <= longestName {
				return t
			}
		}
	}
	return nil
}
