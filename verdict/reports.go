package verdict

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/packing"
	"tribunal/internal/words"
)

// report is an input, or the inputs of one format in a folder.
type report struct {
	sources      []int
	format       string
	stem, ending string // of the name of an input
	ended        ended  // what it tells, counted by outcome
}

// isOther reports that two reports are of two formats, or in two forms of one, as they are
// called: results.json and results.csv.
func (r *report) isOther(o *report) bool {
	return r.format != o.format || r.stem != "" && r.stem == o.stem && r.ending != o.ending
}

// kindBeside is what a report is that another is not.
func (r *report) kindBeside(o *report) string {
	if r.format == o.format {
		return r.format + " (" + r.ending + ")"
	}
	return r.format
}

// inWords names a report.
func (r *report) inWords(sources []envelope.Source) string {
	name := sources[r.sources[0]].Input
	if more := len(r.sources) - 1; more > 0 {
		name += " with " + words.Plural(more, "more input", "more inputs")
	}
	return name
}

// thisHas begins what is said of a report.
func (r *report) thisHas() string {
	if more := len(r.sources) - 1; more > 0 {
		return "this with " + words.Plural(more, "more input", "more inputs") + " of its folder has"
	}
	return "this has"
}

// reportsOf are the inputs, and behind them those of one format in each folder; none where
// no two are of two kinds.
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

// cutEnding cuts the ending from a name that has one which says what it is: run.1 and run.2
// are repeats.
func cutEnding(name string) (stem, ending string) {
	name = packing.Cut(name)
	if ending = path.Ext(name); ending == "" || strings.ContainsAny(ending, "0123456789") {
		return "", ""
	}
	return strings.TrimSuffix(name, ending), ending
}

// ended counts how trials ended.
type ended struct{ passed, failed, skipped int }

func (e ended) all() int { return e.passed + e.failed + e.skipped }

func (e *ended) add(o envelope.Outcome) {
	switch o {
	case envelope.Passed:
		e.passed++
	case envelope.Skipped:
		e.skipped++
	default: // few formats tell an error from a failure
		e.failed++
	}
}

// tell counts what each report tells.
func tell(env *envelope.Envelope, all []report, last bool) {
	single := make([]ended, len(env.Run.Sources))
	eachTold(env, last, func(source int, t *envelope.Test, row int, _ bool) { single[source].add(t.Rows.Outcome[row]) })
	for i := range all {
		all[i].ended = ended{}
		for _, source := range all[i].sources {
			all[i].ended.passed += single[source].passed
			all[i].ended.failed += single[source].failed
			all[i].ended.skipped += single[source].skipped
		}
	}
}

// eachTold calls do for the trials of each source, or for the last of each test that was not
// skipped, and whether there are others of it. A trial that several delivered is none of a
// single one.
func eachTold(env *envelope.Envelope, last bool, do func(source int, t *envelope.Test, row int, others bool)) {
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

// telling is what a report tells of a trial: the name of its test, reversed, and its time.
type telling struct {
	name string
	ms   float64 // NaN where it has none
}

// toldBy is what the reports tell that are asked, in the order of names.
func toldBy(env *envelope.Envelope, all []report, asked map[int]bool, last bool) map[int][]telling {
	of := make([][]int, len(env.Run.Sources)) // the reports that a source belongs to
	for i := range asked {
		for _, source := range all[i].sources {
			of[source] = append(of[source], i)
		}
	}
	told := map[int][]telling{}
	eachTold(env, last, func(source int, t *envelope.Test, row int, others bool) {
		if len(of[source]) == 0 {
			return
		}
		one := telling{backwards(t.Test), math.NaN()}
		if !others { // some reporters add up the times of all tries
			one.ms = timeOf(t, row)
		}
		for _, i := range of[source] {
			told[i] = append(told[i], one)
		}
	})
	for _, all := range told {
		slices.SortFunc(all, func(a, b telling) int { return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.ms, b.ms)) })
	}
	return told
}

func timeOf(t *envelope.Test, row int) float64 {
	ms, timed := t.Rows.DurationMS().At(row)
	if !timed {
		return math.NaN()
	}
	setup, _ := t.Rows.SetupMS().At(row)
	return ms + setup
}

// backwards is the name of a test from its end on, without what reporters put around it:
// parameters and numbers of examples, signs and the case of letters.
func backwards(test string) string {
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
