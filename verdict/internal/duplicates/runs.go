package duplicates

import (
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/mix"
)

// sameRuns finds runs whose trials are equal in test, outcome, time, score and cost. Where
// few trials have times, they must have started at the same instants as well.
func sameRuns(env *envelope.Envelope) (found []envelope.Problem) {
	if !severalRuns(env) {
		return nil
	}
	same := map[[2]uint64][]string{}
	for name, r := range fingerprints(env) {
		sum := [2]uint64{r.trials, r.starts}
		switch {
		case r.timed >= comparableTrials:
			sum[1] = 0
		case r.digits < envelope.CertainDigits:
			continue
		}
		same[sum] = append(same[sum], name)
	}
	for _, runs := range same {
		if len(runs) > 1 {
			slices.Sort(runs)
			found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameRun, Stage: envelope.StageJudge,
				Message: inWords(runs) + " have exactly the same trials; is it one shard under several names?"})
		}
	}
	return found
}

// inWords names runs that come sorted, so that one without a name is first.
func inWords(runs []string) string {
	switch {
	case runs[0] != "":
		return "runs " + strings.Join(runs, ", ")
	case len(runs) == 2:
		return "the run without a name and run " + runs[1]
	}
	return "the run without a name and runs " + strings.Join(runs[1:], ", ")
}

// severalRuns is quick: most inputs have one run.
func severalRuns(env *envelope.Envelope) bool {
	if len(env.Tests) == 0 {
		return false
	}
	first := env.Tests[0].Rows.Run().At(0)
	return slices.ContainsFunc(env.Tests, func(t envelope.Test) bool {
		for row := range t.Rows.Outcome {
			if t.Rows.Run().At(row) != first {
				return true
			}
		}
		return false
	})
}

// fingerprint is a hash of the trials of a run, in the order of tests.
type fingerprint struct {
	trials, starts uint64
	timed          int // trials with a time
	digits         int // digits of the first times and starts
}

// fingerprints leaves skipped trials out: some reporters give them a time of 0, others none.
func fingerprints(env *envelope.Envelope) map[string]*fingerprint {
	all := map[string]*fingerprint{}
	var name string
	var run *fingerprint
	for i := range env.Tests {
		t := &env.Tests[i]
		test := mix.Text(mix.Text(mix.Text(0, t.Suite), t.Test), t.Variant)
		for row, outcome := range t.Rows.Outcome {
			if outcome == envelope.Skipped {
				continue
			}
			if of := t.Rows.Run().At(row); run == nil || of != name {
				name = of
				if run = all[name]; run == nil {
					run = &fingerprint{}
					all[name] = run
				}
			}
			run.add(test, t.Rows, row)
		}
	}
	return all
}

func (f *fingerprint) add(test uint64, rows *envelope.Rows, row int) {
	f.trials = mix.Number(f.trials, test)
	for _, n := range numbersOf(rows, row) {
		f.trials = mix.Number(f.trials, n)
	}
	if ms, ok := rows.DurationMS().At(row); ok && ms > 0 {
		if f.timed++; f.timed < comparableTrials {
			f.digits += envelope.MeasuredDigits(ms)
		}
	}
	if at, _ := rows.StartedAt().At(row); at != 0 && f.timed < comparableTrials {
		f.starts = mix.Number(f.starts, uint64(at))
		f.digits += envelope.DigitsOfSecond
	}
}
