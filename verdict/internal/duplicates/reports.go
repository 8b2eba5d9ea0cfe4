// Package duplicates finds trials that count twice: runs that are equal, one run that two
// reporters wrote, and a report that was merged from others beside it. It warns and leaves
// nothing out, because equal trials may be repeats.
package duplicates

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/compression"
	"tribunal/internal/each"
	"tribunal/internal/words"
)

// sameReports finds one run in reports of two formats, by the names of tests and by how they ended:
// reporters name suites differently, so each trial would count once a report. Inputs of one format
// are repeats or shards, unless their names differ in the ending (promptfoo's .json and .csv). Some
// reporters write a file a class, and some only the last try of a test.
func sameReports(env *envelope.Envelope) []envelope.Problem {
	all := reportsOf(env.Run.Sources)
	if len(all) == 0 {
		return nil
	}
	pairs := equalReports(env, all, false)
	if len(pairs) == 0 {
		pairs = equalReports(env, all, true)
	}
	if len(pairs) == 0 {
		return nil
	}
	again := map[int]bool{} // sources
	trials := 0
	for _, pair := range pairs {
		for _, source := range all[pair[1]].sources {
			if !again[source] {
				again[source] = true
				trials += env.Run.Sources[source].Trials
			}
		}
	}
	first, then := &all[pairs[0][0]], &all[pairs[0][1]]
	this, name := "this has", env.Run.Sources[first.sources[0]].Input
	if more := len(then.sources) - 1; more > 0 {
		this = "this with " + words.Plural(more, "more input", "more inputs") + " of its folder has"
	}
	if more := len(first.sources) - 1; more > 0 {
		name += " with " + words.Plural(more, "more input", "more inputs")
	}
	message := fmt.Sprintf("%s the same tests and outcomes as %s (%s; this is %s); if both report one run, its trials count twice: "+
		"give only one",
		this, name, first.kindBeside(then), then.kindBeside(first))
	if more := len(again) - len(then.sources); more > 0 {
		message += "; the same is true of " + words.Plural(more, "more input", "more inputs")
	}
	return []envelope.Problem{warning(env.Run.Sources[then.sources[0]].Input, trials, message)}
}

// report is an input, or the inputs of one format in a folder.
type report struct {
	sources      []int
	format       string
	stem, ending string // of the name of an input
	outcomes     outcomes
}

// outcomes counts how trials ended.
type outcomes struct{ passed, failed, skipped int }

func (o *outcomes) add(of envelope.Outcome) {
	switch of {
	case envelope.Passed:
		o.passed++
	case envelope.Skipped:
		o.skipped++
	default: // few formats distinguish an error from a failure
		o.failed++
	}
}

// otherKind reports that two reports are of two formats, or of two forms of one:
// results.json and results.csv.
func (r *report) otherKind(o *report) bool {
	return r.format != o.format || r.stem != "" && r.stem == o.stem && r.ending != o.ending
}

// kindBeside names the kind of a report so that it differs from another's.
func (r *report) kindBeside(o *report) string {
	if r.format == o.format {
		return r.format + " (" + r.ending + ")"
	}
	return r.format
}

// reportsOf are the inputs, followed by those of one format in each folder. There are none
// where all are of one kind.
func reportsOf(sources []envelope.Source) (all []report) {
	folders := map[[2]string][]int{}
	var order [][2]string
	stems, several := map[string]bool{}, false
	for i, s := range sources {
		r := report{sources: []int{i}, format: s.Format}
		r.stem, r.ending = cutEnding(s.Input)
		several = several || s.Format != sources[0].Format || r.stem != "" && stems[r.stem]
		stems[r.stem] = true
		all = append(all, r)
		place := [2]string{path.Dir(s.Input), s.Format}
		if folders[place] == nil {
			order = append(order, place)
		}
		folders[place] = append(folders[place], i)
	}
	if !several {
		return nil
	}
	for _, place := range order {
		if len(folders[place]) > 1 {
			all = append(all, report{sources: folders[place], format: place[1]})
		}
	}
	return all
}

// cutEnding cuts the ending off a name. An ending with digits is a number: run.1 and run.2
// are repeats.
func cutEnding(name string) (stem, ending string) {
	name = compression.TrimExtension(name)
	if ending = path.Ext(name); ending == "" || strings.ContainsAny(ending, "0123456789") {
		return "", ""
	}
	return strings.TrimSuffix(name, ending), ending
}

// equalReports are pairs of reports of two kinds with the same trials, or with the same
// last trials of their tests.
func equalReports(env *envelope.Envelope, all []report, last bool) [][2]int {
	countOutcomes(env, all, last)
	candidates := candidatePairs(all)
	compared := map[int]bool{}
	for _, pair := range candidates {
		compared[pair[0]], compared[pair[1]] = true, true
	}
	trials := trialsOf(env, all, compared, last)
	return each.Where(candidates, func(pair [2]int) bool { return equalTrials(trials[pair[0]], trials[pair[1]]) })
}

// candidatePairs are the reports of two kinds that have equal outcomes.
func candidatePairs(all []report) (pairs [][2]int) {
	type key struct {
		outcomes
		format, stem string
	}
	var formats []string
	before := map[key][]int{}
	for i := range all {
		r := &all[i]
		for _, format := range formats {
			k := key{r.outcomes, format, ""}
			if format == r.format {
				k.stem = r.stem
			}
			const mostCompared = 16 // with how many reports of one format and equal outcomes one is compared
			for _, of := range before[k][:min(mostCompared, len(before[k]))] {
				if r.outcomes != (outcomes{}) && r.otherKind(&all[of]) {
					pairs = append(pairs, [2]int{of, i})
				}
			}
		}
		if !slices.Contains(formats, r.format) {
			formats = append(formats, r.format)
		}
		for _, stem := range slices.Compact([]string{"", r.stem}) {
			k := key{r.outcomes, r.format, stem}
			before[k] = append(before[k], i)
		}
	}
	return pairs
}

func countOutcomes(env *envelope.Envelope, all []report, last bool) {
	bySource := make([]outcomes, len(env.Run.Sources))
	eachTrial(env, last, func(source int, t *envelope.Test, row int, _ bool) { bySource[source].add(t.Rows.Outcome[row]) })
	for i := range all {
		all[i].outcomes = outcomes{}
		for _, source := range all[i].sources {
			all[i].outcomes.passed += bySource[source].passed
			all[i].outcomes.failed += bySource[source].failed
			all[i].outcomes.skipped += bySource[source].skipped
		}
	}
}

// eachTrial calls do with the trials of each source, or with the last of each test that was not
// skipped and whether the test has others. It leaves out trials that several inputs delivered.
func eachTrial(env *envelope.Envelope, last bool, do func(source int, t *envelope.Test, row int, others bool)) {
	rows, first := make([]int, len(env.Run.Sources)), make([]int, len(env.Run.Sources)) // of a test, one higher
	for i := range env.Tests {
		t := &env.Tests[i]
		var seen []int
		for row := range t.Rows.Outcome {
			source, _ := t.Rows.Source().At(row)
			switch {
			case int(source) >= len(rows):
			case !last:
				do(int(source), t, row, false)
			default:
				if rows[source] == 0 {
					seen, first[source] = append(seen, int(source)), row+1
				}
				rows[source] = row + 1
			}
		}
		for _, source := range seen {
			if row := rows[source] - 1; t.Rows.Outcome[row] != envelope.Skipped {
				do(source, t, row, first[source] < rows[source])
			}
			rows[source] = 0
		}
	}
}

// trial is what reporters of all formats have of a trial.
type trial struct {
	name string  // of its test, reversed
	ms   float64 // NaN where it has none
}

func trialsOf(env *envelope.Envelope, all []report, compared map[int]bool, last bool) map[int][]trial {
	reports := make([][]int, len(env.Run.Sources)) // that a source belongs to
	for i := range compared {
		for _, source := range all[i].sources {
			reports[source] = append(reports[source], i)
		}
	}
	trials := map[int][]trial{}
	eachTrial(env, last, func(source int, t *envelope.Test, row int, others bool) {
		if len(reports[source]) == 0 {
			return
		}
		one := trial{reversed(t.Test), math.NaN()}
		if ms, timed := t.Rows.DurationMS().At(row); timed && !others { // some reporters add up the times of all tries
			setup, _ := t.Rows.SetupMS().At(row)
			one.ms = ms + setup
		}
		for _, i := range reports[source] {
			trials[i] = append(trials[i], one)
		}
	})
	for _, of := range trials {
		slices.SortFunc(of, func(a, b trial) int { return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.ms, b.ms)) })
	}
	return trials
}

// reversed is the name of a test from its end on, without what reporters add: parameters,
// numbers of examples, punctuation and case.
func reversed(test string) string {
	if at := strings.IndexAny(test, "(["); at > 0 && strings.ContainsAny(test[len(test)-1:], ")]") {
		test = test[:at]
	}
	letters := make([]byte, 0, len(test)+utf8.UTFMax)
	for end := len(test); end > 0; {
		c, size := utf8.DecodeLastRuneInString(test[:end])
		end -= size
		if unicode.IsLetter(c) || unicode.IsDigit(c) && len(letters) > 0 {
			letters = utf8.AppendRune(letters, unicode.ToLower(c))
		}
	}
	if len(letters) == 0 {
		return test
	}
	return string(letters)
}

// Reporters round times to milliseconds, and some count set-ups in. Times below
// comparableMS are too short for that to distinguish two runs.
const roundingMS, comparableMS = 1, 100

// equalTrials reports that two reports have the same trials: of each pair, one name is the
// end of the other, because reporters put groups in front. Times of which most differ are
// those of two runs; a single one may be the sum of all tries of a test. Fewer than
// comparableTrials need equal times.
func equalTrials(some, others []trial) bool {
	digits, near, far := 0, 0, 0
	for i := range some {
		a, b := some[i], others[i]
		if !strings.HasPrefix(a.name, b.name) && !strings.HasPrefix(b.name, a.name) {
			return false
		}
		difference, longer := math.Abs(a.ms-b.ms), max(a.ms, b.ms)
		if difference <= roundingMS {
			digits += envelope.MeasuredDigits(math.Round(a.ms))
		}
		switch {
		case !(longer >= comparableMS): // or one has no time
		case difference > longer/20:
			far++
		default:
			near++
		}
	}
	return (far <= near || far == 1) && (len(some) >= comparableTrials || digits >= envelope.DigitsOfSecond)
}

// Find returns a warning for each way in which the trials of a run count twice.
func Find(env *envelope.Envelope) []envelope.Problem {
	return append(append(sameRuns(env), sameReports(env)...), mergedReport(env)...)
}

// comparableTrials is how many timed trials are more than chance when they are equal. Fewer
// need times of many digits.
const comparableTrials = 3

func warning(input string, trials int, message string) envelope.Problem {
	return envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Stage: envelope.StageJudge, Input: input,
		Count: trials, Message: message}
}

// numbersOf are the outcome, time, score and cost of a trial. Absent ones are NaN.
func numbersOf(rows *envelope.Rows, row int) [4]uint64 {
	bitsOf := func(c envelope.Column[float64]) uint64 {
		if v, ok := c.At(row); ok {
			return math.Float64bits(v)
		}
		return math.Float64bits(math.NaN())
	}
	return [4]uint64{uint64(rows.Outcome[row]), bitsOf(rows.DurationMS()), bitsOf(rows.Score()), bitsOf(rows.CostUSD())}
}
