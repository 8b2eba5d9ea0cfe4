package driver

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/run/journal"
	"tribunal/run/runner"
)

// leastAlike is how many trials have to be alike before that says something.
const leastAlike = 5

// similarity is what the trials of a test have in common that a cache would give them.
type similarity struct {
	trials  int // that were looked at
	output  outputSum
	differs bool // in their outputs, or a trial cost something
}

// outputSum tells one output from another; the zero one is of a start that wrote
// nothing, or nothing that is of one trial alone.
type outputSum [sha256.Size]byte

// recordNotes writes down what a start has shown that its trials do not tell. Counts go
// up from note to note, and the last of a test holds: so one that is written at once
// is not lost with a runner that is killed.
func (d *execution) recordNotes(s *start, out *outcome) []journal.Line {
	key := envelope.Key{}
	if len(s.keys) == 1 {
		key = s.keys[0]
	}
	var lines []journal.Line
	if out.left > 0 && !d.run.LeaveBehind {
		lines = append(lines, d.noteLeftovers(key, out.left))
	}
	if out.output.cached {
		n := d.count(envelope.CodeCachedResults, key, 1)
		lines = append(lines, journal.Note{Code: envelope.CodeCachedResults, Key: key, Count: n,
			Message: words.Plural(n, "start", "starts") + " of " + startOf(key, "", "several tests") +
				" had results from the cache of go test, which are not trials; run with -count=1"})
	}
	if out.output.malformed != "" {
		n := d.count(envelope.CodeMalformed, envelope.Key{}, 1)
		lines = append(lines, journal.Note{Code: envelope.CodeMalformed, Count: n,
			Message: words.Plural(n, "start", "starts") + " wrote what could not be read" + out.output.besideCounted() + ": " +
				d.redact(out.output.malformed)})
	}
	if twice := repeated(out.output.trials); twice != "" {
		n := d.count(envelope.CodeSeveralTries, envelope.Key{}, 1)
		lines = append(lines, journal.Note{Code: envelope.CodeSeveralTries, Count: n,
			Message: words.Plural(n, "start", "starts") + " reported several trials of one test, such as " + d.redact(twice) +
				": of retries the last one counts, otherwise a failed one; let each start try a test once, and give tests different names"})
	}
	return lines
}

func (t *report) besideCounted() string {
	if len(t.trials) == 0 {
		return ""
	}
	return ", beside what is counted"
}

// repeated is a test of which an output has several trials, "" where there is none.
func repeated(trials []envelope.Trial) string {
	seen := make(map[envelope.Key]bool, len(trials))
	for i := range trials {
		key := trials[i].Key
		if seen[key] && !strings.HasPrefix(key.Test, "[") {
			return key.String()
		}
		seen[key] = true
	}
	return ""
}

// allowed says what to do where a command fails by its exit code alone.
func (t *report) allowed() string {
	if !strings.HasPrefix(t.failed.RawStatus, byCode) {
		return ""
	}
	return "; where its exit code means no failure, exit_codes says so"
}

// withExit is the one trial of a start, which failed where its command did, whatever
// the output says. Of several trials nobody knows which failed. It scores 0 at most, or a
// rule of scores would pass it.
func (d *execution) withExit(trial envelope.Trial, said *report) envelope.Trial {
	if d.run.Plan.Form != runner.Each || said.failed == nil || d.broke(&trial) {
		return trial
	}
	beside, explained := d.explainUncounted(said, nil)
	if explained {
		return trial
	}
	trial.Message = "the output says " + cmp.Or(string(trial.Status), "no failure") + scoring(&trial) + ", and " + said.failed.Message +
		beside + said.allowed()
	if trial.Score.OK {
		trial.Score.V = min(trial.Score.V, 0)
	}
	if trial.Category.OK {
		trial.Category.V = 0
	}
	trial.Status, trial.ErrorClass, trial.RawStatus, trial.Output = said.failed.Status, said.failed.ErrorClass, said.failed.RawStatus, said.failed.Output
	return trial
}

// scoring says what a trial scored.
func scoring(t *envelope.Trial) string {
	switch {
	case t.Score.OK:
		return " with a score of " + words.Number(t.Score.V)
	case t.Category.OK:
		return fmt.Sprintf(" of category %d", t.Category.V)
	}
	return ""
}

// notesOf are the notes of what the trials of a start do not say.
func (d *execution) notesOf(s *start, said *report, trials []runner.Reported) []journal.Line {
	return append(d.noteHiddenFailure(said, trials), d.noteUnreached(s, said, trials)...)
}

// noteUnreached says of a start that it has no result of some of its tests.
func (d *execution) noteUnreached(s *start, said *report, trials []runner.Reported) []journal.Line {
	has := make(map[int]bool, len(trials))
	for _, r := range trials {
		has[r.Test] = true
	}
	at := slices.IndexFunc(s.Trials, func(p runner.Place) bool { return !has[p.Test] })
	if at < 0 {
		return nil
	}
	d.neverNarrow = d.neverNarrow || s.narrow != nil
	n := d.count(envelope.CodeUnreached, envelope.Key{}, 1)
	how, _, _ := strings.Cut(strings.TrimPrefix(said.missing.Message, unreported), "\n")
	return []journal.Line{journal.Note{Code: envelope.CodeUnreached, Count: n,
		Message: words.Plural(n, "start has", "starts have") + " no result of a test that was asked for, such as " +
			d.redact(s.keys[at].String()) + ": " + d.redact(how) + "; tests without a result were started again"}}
}

// noteHiddenFailure says of a start that it failed though none of its trials that count did: what
// broke, such as a hook around all tests, a leak, an error that no test awaits or
// the runner itself, is no test, and the trials alone are green.
func (d *execution) noteHiddenFailure(said *report, trials []runner.Reported) []journal.Line {
	if said.failed == nil || slices.ContainsFunc(trials, func(r runner.Reported) bool { return d.broke(r.Trial) }) {
		return nil
	}
	beside, explained := d.explainUncounted(said, trials)
	if explained {
		return nil
	}
	n := d.count(envelope.CodeCommandFailed, envelope.Key{}, 1)
	return []journal.Line{journal.Note{Code: envelope.CodeCommandFailed, Count: n,
		Message: words.Plural(n, "start", "starts") + d.ofSeveral() + " failed, and none of the trials that count did: " +
			d.redact(said.failed.Message+beside) + said.allowed()}}
}

func (d *execution) ofSeveral() string {
	if d.run.Plan.Form == runner.Each || len(d.tests) == 1 {
		return ""
	}
	return " of several tests"
}

// explainUncounted is what an output says in trials that count for no test: those that readers put in
// brackets as [run], and those asked for that could not be tried. It is explained by a test
// that failed and was not asked for.
func (d *execution) explainUncounted(said *report, asked []runner.Reported) (text string, explained bool) {
	named := d.run.Only != nil || len(d.run.Plan.Tests) > 0
	for i := range said.trials {
		t := &said.trials[i]
		switch {
		case !d.broke(t):
		case strings.HasPrefix(t.Test, "["), slices.ContainsFunc(asked, func(r runner.Reported) bool { return r.Trial.Key == t.Key }):
			text += "; " + t.Key.String() + behindColon(strings.Join(strings.Fields(t.Message), " "))
		case named:
			return "", true
		}
	}
	return text, false
}

// broke reports a trial that did not pass and was not skipped. One without a status is held
// against the score that a trial passes with.
func (d *execution) broke(t *envelope.Trial) bool {
	least := d.run.Plan.Policy.ScoreThreshold.V
	switch {
	case t.Status != "" || isUnread(t):
		return failed(t)
	case !t.Score.OK && t.Category.OK:
		least = 1
	}
	return judgedNumber(t) < least
}

// failed reports a trial whose status is no pass and no skip.
func failed(t *envelope.Trial) bool { return t.Status != envelope.Pass && t.Status != envelope.Skip }

// limitsCost reports whether somebody said what the trials may cost.
func (d *execution) limitsCost() bool {
	limits := d.run.Plan.Limits
	return limits.MaxCostUSD.OK || limits.MaxCostPerTestUSD.OK
}

// unpriced says once, when the first trials have ended, that a cost limit does not hold so
// far: what the others cost can still be saved.
func (d *execution) unpriced() {
	ended, told := d.scheduler.Costs()
	if d.priced || ended == 0 || !d.limitsCost() || d.run.ReadsExitCodes() {
		return
	}
	d.priced = true
	if told == 0 {
		d.say("warning: %s reported no cost, so the cost limit does not work yet; interrupt the run, and let trials print cost_usd (--from native)",
			words.Plural(ended, "trial", "trials"))
	}
}

// noteMissingCosts says of a cost limit that trials did not say what they cost, so that it did
// not hold for them.
func (d *execution) noteMissingCosts() []journal.Line {
	ended, told := d.scheduler.Costs()
	if told == ended || !d.limitsCost() {
		return nil
	}
	return []journal.Line{journal.Note{Code: envelope.CodeCostUnknown, Count: ended - told,
		Message: fmt.Sprintf("%d of %s reported no cost; the cost limit did not include them", ended-told,
			words.Plural(ended, "trial", "trials"))}}
}

// noteLeftovers is the note of processes that outlived a start and were ended. Those of a
// start of several tests are nobody's in particular.
func (d *execution) noteLeftovers(key envelope.Key, processes int) journal.Line {
	n := d.count(envelope.CodeLeftBehind, key, processes)
	return journal.Note{Code: envelope.CodeLeftBehind, Key: key, Count: n,
		Message: words.Plural(n, "process outlived", "processes outlived") + " " + startOf(key, "trials of ", "starts of several tests") +
			" and were stopped; leave_behind: true keeps them"}
}

// startOf is the test that a start was of, behind a word, or that it was of several.
func startOf(key envelope.Key, word, several string) string {
	if key.Test == "" {
		return several
	}
	return word + key.String()
}

// counted is what notes count.
type counted struct {
	code string
	envelope.Key
}

// count adds to a count, in all processes of the run.
func (d *execution) count(code string, key envelope.Key, n int) int {
	d.counts[counted{code, key}] += n
	return d.counts[counted{code, key}]
}

// compare looks at the output of a trial beside those of its test before.
func (d *execution) compare(s *start, out *outcome, trial *envelope.Trial) {
	if len(s.keys) != 1 || trial.Status != envelope.Pass && trial.Status != envelope.Fail {
		return
	}
	l := d.alike[s.keys[0]]
	if l == nil {
		l = &similarity{output: out.sum}
		d.alike[s.keys[0]] = l
	}
	l.trials++
	l.differs = l.differs || out.sum == outputSum{} || out.sum != l.output || trial.CostUSD.V > 0
}

// suspicion is the note of a test that has ended and whose trials all said the same.
func (d *execution) suspicion(key envelope.Key) []journal.Line {
	l := d.alike[key]
	delete(d.alike, key)
	if l == nil || l.differs || l.trials < leastAlike {
		return nil
	}
	return []journal.Line{journal.Note{Code: envelope.CodeSameOutput, Key: key, Count: l.trials,
		Message: fmt.Sprintf("all %d trials of %s wrote the same, byte for byte, and none had a cost: were they answered from a cache? A test that always answers the same needs one trial", l.trials, key)}}
}
