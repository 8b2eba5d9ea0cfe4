package verdict

import (
	"slices"

	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/parting"
)

// part says where the trials of tests part, and what calling a tool goes with.
func part(env *envelope.Envelope) {
	if len(env.Steps) == 0 {
		return
	}
	ignore := env.Policy.IgnoreSteps
	table := parting.NewTable(env.Steps, ignore)
	trials := make([][]parting.Trial, len(env.Tests))
	parallel.Spans(len(env.Tests), spanTests, func(from, to int) {
		for i := from; i < to; i++ {
			t := &env.Tests[i]
			trials[i] = walked(t, table)
			t.Parting = table.Of(trials[i], env.Policy.Confidence.V, argumentsOf(env, t, ignore))
		}
	})
	uses := parting.NewUses(table)
	for _, of := range trials {
		uses.Add(of)
	}
	env.Summary.StepsUsed = uses.Found()
}

// walked are the counted trials of a test of which the steps are known.
func walked(t *envelope.Test, table *parting.Table) (trials []parting.Trial) {
	if !t.Rows.Steps.Used() {
		return nil
	}
	for i, outcome := range t.Rows.Outcome {
		steps, known := t.Rows.Steps.At(i)
		if !known || !outcome.Counted() {
			continue
		}
		total := int(t.Rows.StepsTotal.Opt(i).Or(int32(len(steps))))
		trials = append(trials, table.Trial(i, steps, total, outcome == envelope.Passed))
	}
	return trials
}

// argumentsOf looks the arguments of a step up in the conversations that were kept.
func argumentsOf(env *envelope.Envelope, t *envelope.Test, ignore []string) parting.Arguments {
	return func(trial parting.Trial, step int) (text string, ok bool) {
		turns, _ := env.Transcript(t, trial.Row)
		for i := range turns {
			if turns[i].LeftOut > 0 {
				break // from here on calls are missing
			}
			for _, call := range turns[i].ToolCalls {
				switch {
				case slices.Contains(ignore, call.Name):
				case step == 0:
					return call.Arguments, true
				default:
					step--
				}
			}
		}
		return "", false
	}
}
