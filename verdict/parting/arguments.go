package parting

import (
	"slices"

	"tribunal/envelope"
)

// ArgumentsOf looks the arguments of a step up in the conversations of a test that
// were kept. Calls of tools to ignore are no steps.
func ArgumentsOf(env *envelope.Envelope, t *envelope.Test, ignore []string) Arguments {
	return func(trial Trial, step int) (text string, ok bool) {
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

// Differing is of two calls of one tool, by the JSON texts of their arguments, what
// distinguishes them, in short.
func Differing(first, second string) (string, string) {
	calls := []values{valuesOf(first), valuesOf(second)}
	keys := differing(calls)
	return calls[0].show(keys), calls[1].show(keys)
}
