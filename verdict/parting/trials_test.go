package parting

import (
	"strings"

	"tribunal/envelope"
)

// told is trials written as people tell them, "a b(1) +" one that passed: a tool a
// letter, its arguments in brackets, an ellipsis for steps that are not known.
func told(ways ...string) (steps []envelope.Step, trials []Trial) {
	at := map[envelope.Step]uint32{}
	for row, way := range ways {
		trial := Trial{Row: row}
		for _, word := range strings.Fields(way) {
			switch word {
			case "+", "-":
				trial.Passed = word == "+"
				continue
			case "…":
				trial.Cut = true
				continue
			}
			name, arguments, _ := strings.Cut(strings.TrimSuffix(word, ")"), "(")
			step := envelope.Step{Name: name, Digest: arguments}
			if _, seen := at[step]; !seen {
				at[step], steps = uint32(len(steps)), append(steps, step)
			}
			trial.Steps = append(trial.Steps, at[step])
		}
		trials = append(trials, trial)
	}
	return steps, trials
}

// stepsOf are the steps of one trial.
func stepsOf(of string) (steps []envelope.Step) {
	table, trials := told(of)
	for _, place := range trials[0].Steps {
		steps = append(steps, table[place])
	}
	return steps
}
