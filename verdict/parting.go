package verdict

import (
	"tribunal/envelope"
	"tribunal/internal/parallel"
	"tribunal/verdict/parting"
)

// findDivergence sets where the trials of a test diverge, and which tools go with failures.
func findDivergence(env *envelope.Envelope) {
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
			t.Parting = table.Of(trials[i], env.Policy.Confidence.V, parting.ArgumentsOf(env, t, ignore))
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
	if !t.Rows.Steps().Used() {
		return nil
	}
	for i, outcome := range t.Rows.Outcome {
		steps, known := t.Rows.Steps().At(i)
		if !known || !outcome.Counted() {
			continue
		}
		total := int(t.Rows.StepsTotal().Opt(i).Or(int32(len(steps))))
		trials = append(trials, table.Trial(i, steps, total, outcome == envelope.Passed))
	}
	return trials
}
