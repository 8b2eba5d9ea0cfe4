package duplicates

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/hash"
	"tribunal/internal/words"
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
				Message: inWords(runs) + " have exactly the same trials; if they are one run, give it once, or its trials count " +
					words.Count(len(runs)) + " times"})
		}
	}
	return found
}

// inWords names runs that come sorted, so that one without a name is first.
func inWords(runs []string) string {
	if runs[0] != "" {
		return "runs " + strings.Join(runs, ", ")
	}
	return "the run without a name and run" + words.If(len(runs) > 2, "s") + " " + strings.Join(runs[1:], ", ")
}

func severalRuns(env *envelope.Envelope) bool {
	if len(env.Tests) == 0 {
		return false
	}
	first := env.Tests[0].Rows.Run().At(0)
	return envelope.AnyTest(env.Tests, func(t *envelope.Test) bool {
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
		test := hash.Text(hash.Text(hash.Text(0, t.Suite), t.Test), t.Variant)
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
	f.trials = hash.Number(f.trials, test)
	for _, n := range numbersOf(rows, row) {
		f.trials = hash.Number(f.trials, n)
	}
	if ms, ok := rows.DurationMS().At(row); ok && ms > 0 {
		if f.timed++; f.timed < comparableTrials {
			f.digits += envelope.MeasuredDigits(ms)
		}
	}
	if at, _ := rows.StartedAt().At(row); at != 0 && f.timed < comparableTrials {
		f.starts = hash.Number(f.starts, uint64(at))
		f.digits += envelope.DigitsOfSecond
	}
}

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
		fmt.Sprintf("every trial with a duration is also in other inputs (%s and %s), and counts twice; "+
			"if this input was merged from them, leave it out", parts[0], words.Plural(len(parts)-1, "more input", "more inputs")))}
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
// the same test, with the same outcome, start, duration, score and cost.
type twins struct {
	timed, found int          // trials with a duration, and those of them with a twin
	digits       int          // of the durations of these
	inputs       map[int]bool // that have the twins
}

func (t twins) all() bool { return t.timed > 0 && t.found == t.timed }

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

type timedTrial struct {
	format  string
	numbers [4]uint64
	start   int64
	ms      float64
	source  int
}

func (t timedTrial) compare(o timedTrial) int {
	return cmp.Or(cmp.Compare(t.format, o.format), slices.Compare(t.numbers[:], o.numbers[:]), cmp.Compare(t.start, o.start))
}

// timedTrials appends those of a test, except trials that several inputs delivered.
func timedTrials(env *envelope.Envelope, t *envelope.Test, to []timedTrial) []timedTrial {
	for row := range t.Rows.Outcome {
		source, _ := t.Rows.Source().At(row)
		start, _ := t.Rows.StartedAt().At(row)
		if ms, ok := t.Rows.DurationMS().At(row); ok && ms > 0 && int(source) < len(env.Run.Sources) {
			to = append(to, timedTrial{env.Run.Sources[source].Format, numbersOf(t.Rows, row), start, ms, int(source)})
		}
	}
	return to
}

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
		input := first
		if trial.source == first {
			input = equal[other].source
		}
		each.Put(&t.inputs, input, true)
	}
}
