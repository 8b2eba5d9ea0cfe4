package verdict

import (
	"cmp"
	"fmt"
	"slices"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// merged finds an input all of whose trials are in other inputs of its format as well,
// equal to the last digit: tools that merge reports write the merged one beside its parts.
// Where it is equal to a single other one, sameRuns finds it.
func merged(env *envelope.Envelope) []envelope.Problem {
	const fewest = 3 // inputs: the merged one and two parts
	if len(env.Run.Sources) < fewest || !slices.ContainsFunc(twinsOf(env, sampled(env.Tests)), func(t twins) bool { return t.all() }) {
		return nil
	}
	all := twinsOf(env, env.Tests)
	whole := -1
	for i := range all {
		if t := &all[i]; t.all() && t.digits >= envelope.CertainDigits && len(t.with) > 1 && (whole < 0 || t.timed > all[whole].timed) {
			whole = i
		}
	}
	if whole < 0 {
		return nil
	}
	var parts []string
	for part := range all[whole].with {
		parts = append(parts, env.Run.Sources[part].Input)
	}
	slices.SortFunc(parts, envelope.CompareNames)
	message := fmt.Sprintf("every timed trial of this is in others as well (%s and %s), and counts twice; if it was merged from them, name it or them",
		parts[0], words.Plural(len(parts)-1, "more input", "more inputs"))
	return []envelope.Problem{{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Stage: envelope.StageJudge, Input: env.Run.Sources[whole].Input, Count: all[whole].timed, Message: message}}
}

// sampled are some of the tests. A merged report has trials of all of them.
func sampled(tests []envelope.Test) []envelope.Test {
	const most = 256
	if len(tests) <= most {
		return tests
	}
	some := make([]envelope.Test, 0, most)
	for i := range most {
		some = append(some, tests[i*len(tests)/most])
	}
	return some
}

// twins are the trials of an input that have a twin in others of its format: of the same
// test, with the same outcome, time, score and cost.
type twins struct {
	timed, found int          // trials with a duration, and those of them with a twin
	digits       int          // of the durations of these
	with         map[int]bool // the inputs that have the twins
}

func (t *twins) all() bool { return t.timed > 0 && t.found == t.timed }

// add adds a trial with a twin in another input.
func (t *twins) add(ms float64, other int) {
	t.found++
	t.digits += envelope.MeasuredDigits(ms)
	if t.with == nil {
		t.with = map[int]bool{}
	}
	t.with[other] = true
}

// twinsOf finds the twins in some tests, by source.
func twinsOf(env *envelope.Envelope, tests []envelope.Test) []twins {
	all := make([]twins, len(env.Run.Sources))
	var trials []timedTrial
	for i := range tests {
		trials = timedTrials(env, &tests[i], trials[:0])
		slices.SortFunc(trials, timedTrial.compare)
		for len(trials) > 0 {
			alike := 1
			for alike < len(trials) && trials[alike].compare(trials[0]) == 0 {
				alike++
			}
			addTwins(all, trials[:alike])
			trials = trials[alike:]
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

// timedTrials appends those of a test. A trial that several inputs delivered is none of a
// single one.
func timedTrials(env *envelope.Envelope, t *envelope.Test, to []timedTrial) []timedTrial {
	for row := range t.Rows.Outcome {
		source, _ := t.Rows.Source().At(row)
		if ms, ok := t.Rows.DurationMS().At(row); ok && ms > 0 && int(source) < len(env.Run.Sources) {
			to = append(to, timedTrial{env.Run.Sources[source].Format, numbersOf(t, row), ms, int(source)})
		}
	}
	return to
}

// addTwins adds trials that are alike, of whatever inputs.
func addTwins(all []twins, alike []timedTrial) {
	one := alike[0].source
	other := slices.IndexFunc(alike, func(t timedTrial) bool { return t.source != one })
	for _, t := range alike {
		own := &all[t.source]
		own.timed++
		switch {
		case other < 0:
		case t.source == one:
			own.add(t.ms, alike[other].source)
		default:
			own.add(t.ms, one)
		}
	}
}
