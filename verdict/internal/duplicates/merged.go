package duplicates

import (
	"cmp"
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// mergedReport finds an input all of whose timed trials are in other inputs of its format
// as well, equal to the last digit: tools write a merged report beside its parts. Where one
// other input has them all, sameRuns finds it.
func mergedReport(env *envelope.Envelope) []envelope.Problem {
	const fewest = 3 // inputs: the merged one and two parts
	if len(env.Run.Sources) < fewest || !slices.ContainsFunc(twinsOf(env, sample(env.Tests)), twins.all) {
		return nil
	}
	all := twinsOf(env, env.Tests)
	merged := -1
	for i, t := range all {
		if t.all() && t.digits >= envelope.CertainDigits && len(t.inputs) > 1 && (merged < 0 || t.timed > all[merged].timed) {
			merged = i
		}
	}
	if merged < 0 {
		return nil
	}
	var parts []string
	for part := range all[merged].inputs {
		parts = append(parts, env.Run.Sources[part].Input)
	}
	slices.SortFunc(parts, envelope.CompareNames)
	return []envelope.Problem{warning(env.Run.Sources[merged].Input, all[merged].timed,
		fmt.Sprintf("every timed trial of this is in others as well (%s and %s), and counts twice; if it was merged from them, name it or them",
			parts[0], words.Plural(len(parts)-1, "more input", "more inputs")))}
}

// sample is some of the tests: a merged report has trials of all of them.
func sample(tests []envelope.Test) (some []envelope.Test) {
	const most = 256
	if len(tests) <= most {
		return tests
	}
	for i := range most {
		some = append(some, tests[i*len(tests)/most])
	}
	return some
}

// twins counts the trials of an input that have a twin in another input of its format: of
// the same test, with the same outcome, time, score and cost.
type twins struct {
	timed, found int          // trials with a duration, and those of them with a twin
	digits       int          // of the durations of these
	inputs       map[int]bool // that have the twins
}

func (t twins) all() bool { return t.timed > 0 && t.found == t.timed }

// twinsOf finds the twins in some tests, by source.
func twinsOf(env *envelope.Envelope, tests []envelope.Test) []twins {
	all := make([]twins, len(env.Run.Sources))
	var trials []timedTrial
	for i := range tests {
		trials = timedTrials(env, &tests[i], trials[:0])
		slices.SortFunc(trials, timedTrial.compare)
		for len(trials) > 0 {
			equal := 1
			for equal < len(trials) && trials[equal].compare(trials[0]) == 0 {
				equal++
			}
			addTwins(all, trials[:equal])
			trials = trials[equal:]
		}
	}
	return all
}

// timedTrial is a trial with a duration.
type timedTrial struct {
	format  string
	numbers [4]uint64
	ms      float64
	source  int
}

func (t timedTrial) compare(o timedTrial) int {
	return cmp.Or(cmp.Compare(t.format, o.format), slices.Compare(t.numbers[:], o.numbers[:]))
}

// timedTrials appends those of a test, except trials that several inputs delivered.
func timedTrials(env *envelope.Envelope, t *envelope.Test, to []timedTrial) []timedTrial {
	for row := range t.Rows.Outcome {
		source, _ := t.Rows.Source().At(row)
		if ms, ok := t.Rows.DurationMS().At(row); ok && ms > 0 && int(source) < len(env.Run.Sources) {
			to = append(to, timedTrial{env.Run.Sources[source].Format, numbersOf(t.Rows, row), ms, int(source)})
		}
	}
	return to
}

// addTwins adds equal trials, of any inputs.
func addTwins(all []twins, equal []timedTrial) {
	first := equal[0].source
	other := slices.IndexFunc(equal, func(t timedTrial) bool { return t.source != first })
	for _, trial := range equal {
		t := &all[trial.source]
		t.timed++
		if other < 0 {
			continue
		}
		t.found++
		t.digits += envelope.MeasuredDigits(trial.ms)
		if t.inputs == nil {
			t.inputs = map[int]bool{}
		}
		if trial.source == first {
			t.inputs[equal[other].source] = true
		} else {
			t.inputs[first] = true
		}
	}
}
