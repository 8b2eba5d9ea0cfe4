package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
)

// twoFormats finds inputs of two formats that have the same trials by the names of their
// tests and how they ended: runners write a run by several reporters, which call its suites
// otherwise, so that each trial counts once for every report. Inputs of one format are
// repeats of the tests, or shards; files of one that end otherwise (promptfoo's .json and
// .csv) are of two. Some reporters write a file a class, and some the last try of a test
// alone.
func twoFormats(env *envelope.Envelope) []envelope.Problem {
	all := reportsOf(env.Run.Sources)
	if len(all) == 0 {
		return nil
	}
	pairs := alikeReports(env, all, false)
	if len(pairs) == 0 {
		pairs = alikeReports(env, all, true)
	}
	if len(pairs) == 0 {
		return nil
	}
	return []envelope.Problem{toldTwice(env, all, pairs)}
}

// toldTwice is the problem that pairs of reports tell the same. It names the first.
func toldTwice(env *envelope.Envelope, all []report, pairs [][2]int) envelope.Problem {
	again := map[int]bool{} // sources
	for _, pair := range pairs {
		for _, source := range all[pair[1]].sources {
			again[source] = true
		}
	}
	trials := 0
	for source := range again {
		trials += env.Run.Sources[source].Trials
	}
	first, then := &all[pairs[0][0]], &all[pairs[0][1]]
	message := fmt.Sprintf("%s the same tests, with the same outcomes, as %s, which is %s and not %s; if both are reports of one run, its trials count twice; name only one",
		then.thisHas(), first.inWords(env.Run.Sources), first.kindBeside(then), then.kindBeside(first))
	if more := len(again) - len(then.sources); more > 0 {
		message += "; and so it is with " + words.Plural(more, "more input", "more inputs")
	}
	return envelope.Problem{Severity: envelope.SeverityWarning, Code: envelope.CodeSameInput, Stage: envelope.StageJudge, Input: env.Run.Sources[then.sources[0]].Input, Count: trials, Message: message}
}

// mostCompared is how many reports of one format that ended alike one is compared with.
const mostCompared = 16

// alikeReports are pairs of reports of two kinds that tell the same, by their trials or by
// the last ones of their tests.
func alikeReports(env *envelope.Envelope, all []report, last bool) (pairs [][2]int) {
	tell(env, all, last)
	var candidates [][2]int
	asked := map[int]bool{}
	before := earlier{reports: map[earlierKey][]int{}}
	for i := range all {
		for _, of := range before.others(all, i) {
			candidates = append(candidates, [2]int{of, i})
			asked[of], asked[i] = true, true
		}
		before.add(all, i)
	}
	told := toldBy(env, all, asked, last)
	for _, pair := range candidates {
		if tellTheSame(told[pair[0]], told[pair[1]]) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// earlier are reports by how what they tell ended, by format and, where they are called
// alike, by name.
type earlier struct {
	formats []string
	reports map[earlierKey][]int
}

type earlierKey struct {
	ended
	format, stem string
}

// add adds a report at its place among all.
func (e *earlier) add(all []report, i int) {
	r := &all[i]
	if !slices.Contains(e.formats, r.format) {
		e.formats = append(e.formats, r.format)
	}
	for _, stem := range slices.Compact([]string{"", r.stem}) {
		key := earlierKey{r.ended, r.format, stem}
		e.reports[key] = append(e.reports[key], i)
	}
}

// others are the first reports of other kinds that ended alike.
func (e *earlier) others(all []report, i int) (found []int) {
	r := &all[i]
	for _, format := range e.formats {
		stem := ""
		if format == r.format {
			stem = r.stem
		}
		these := e.reports[earlierKey{r.ended, format, stem}]
		for _, of := range these[:min(mostCompared, len(these))] {
			if r.ended.all() > 0 && r.isOther(&all[of]) {
				found = append(found, of)
			}
		}
	}
	return found
}

// tellTheSame reports that two reports tell of the same trials: each name is one of the
// other, or its end, as reporters put groups before it. Fewer than comparableTrials, which
// may be alike by chance, take equal times; and times of which most differ are those of two
// runs; a single one may be that of all tries of a test.
func tellTheSame(one, other []telling) bool {
	digits, near, far := 0, 0, 0
	for i := range one {
		a, b := one[i], other[i]
		if !strings.HasPrefix(a.name, b.name) && !strings.HasPrefix(b.name, a.name) {
			return false
		}
		difference, longer := math.Abs(a.ms-b.ms), max(a.ms, b.ms)
		if difference <= rounded {
			digits += envelope.MeasuredDigits(math.Round(a.ms))
		}
		switch {
		case !(longer >= telltale): // or one has no time
		case difference > longer/20:
			far++
		default:
			near++
		}
	}
	return (far <= near || far == 1) && (len(one) >= comparableTrials || digits >= envelope.DigitsOfSecond)
}

// Reporters round times to milliseconds, and some count set-ups in. Of a time below telltale
// that is too much for it to tell two runs apart.
const (
	rounded  = 1
	telltale = 100
)
