package driver

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/each"
	"tribunal/internal/run/journal"
	"tribunal/internal/run/runner"
	"tribunal/internal/words"
)

// similarity is what all trials of a test share, as if they came from a cache.
type similarity struct {
	trials  int // that were looked at
	output  outputSum
	differs bool // in their outputs, or a trial cost something
}

// outputSum is the hash of the output of one trial, zero without output of its own.
type outputSum [sha256.Size]byte

// recordNotes are the notes on a start that its trials do not show. Each note has the count so
// far and replaces the one before, so that none is lost with a killed runner.
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
			Message: words.Plural(n, "start", "starts") + " of " + cmp.Or(key.String(), "the command") +
				" had results from the cache of go test, which repeat an earlier run; run with -count=1"})
	}
	if out.output.malformed != "" {
		n := d.count(envelope.CodeMalformed, envelope.Key{}, 1)
		lines = append(lines, journal.Note{Code: envelope.CodeMalformed, Count: n,
			Message: words.Plural(n, "start", "starts") + words.Around(words.If(n > 1, ", the last")+" of ", key.String(), words.If(n > 1, ",")) +
				" wrote output that could not be read" +
				words.If(len(out.output.trials) > 0, ", besides the trials that count") + ": " + d.redact(out.output.malformed)})
	}
	if twice := repeated(out.output.trials); twice != "" {
		n := d.count(envelope.CodeSeveralTries, envelope.Key{}, 1)
		lines = append(lines, journal.Note{Code: envelope.CodeSeveralTries, Count: n,
			Message: words.Plural(n, "start", "starts") + " reported several trials of one test, such as " + d.redact(twice) +
				": the last retry counts, or else the worst trial; turn off the runner's own retries, and give tests different names"})
	}
	return lines
}

// repeated is a test with several trials in one output, or "".
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

// allowed says what to do if a command fails by its exit code alone.
func (t *report) allowed() string {
	return words.If(strings.HasPrefix(t.failed.RawStatus, byCode), "; if this code is not a failure, set run.exit_codes in tribunal.yaml")
}

// withExit makes the only trial of a start fail if its command did. With several trials it is
// unknown which one failed. The score becomes 0 at most, or rules for scores would pass it.
func (d *execution) withExit(trial envelope.Trial, said *report) envelope.Trial {
	if d.run.Plan.Form != runner.Each || said.failed == nil || d.broke(&trial) {
		return trial
	}
	beside, others := d.explainUncounted(said, nil)
	if others {
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
	trial.Status, trial.ErrorClass, trial.RawStatus, trial.Output = said.failed.Status, said.failed.ErrorClass, said.failed.RawStatus,
		said.failed.Output
	return trial
}

func scoring(t *envelope.Trial) string {
	return cmp.Or(words.If(t.Score.OK, " with a score of "+words.Number(t.Score.V)),
		words.If(t.Category.OK, fmt.Sprintf(" of category %d", t.Category.V)))
}

func (d *execution) notesOf(s *start, said *report, trials []runner.Reported) []journal.Line {
	return append(d.noteHiddenFailure(said, trials), d.noteUnreached(s, said, trials)...)
}

func (d *execution) noteUnreached(s *start, said *report, trials []runner.Reported) []journal.Line {
	has := each.Set(trials, func(r runner.Reported) int { return r.Test })
	at := slices.IndexFunc(s.Trials, func(p runner.Place) bool { return !has[p.Test] })
	if at < 0 {
		return nil
	}
	d.neverNarrow = d.neverNarrow || s.narrow != nil
	n := d.count(envelope.CodeUnreached, envelope.Key{}, 1)
	how, _, _ := strings.Cut(strings.TrimPrefix(said.missing.Message, unreported), "\n")
	return []journal.Line{journal.Note{Code: envelope.CodeUnreached, Count: n,
		Message: words.Plural(n, "start", "starts") + " printed no trial of a requested test, such as " +
			d.redact(s.keys[at].String()) + ": " + d.redact(theCommand(how)) + "; such a test is started 3 times in a row at most"}}
}

// noteHiddenFailure notes a failed start whose trials all passed: a global hook failed, an error
// was not awaited, or the runner itself broke.
func (d *execution) noteHiddenFailure(said *report, trials []runner.Reported) []journal.Line {
	if said.failed == nil || slices.ContainsFunc(trials, func(r runner.Reported) bool { return d.broke(r.Trial) }) {
		return nil
	}
	beside, others := d.explainUncounted(said, trials)
	if others && d.run.Chosen {
		return nil
	}
	hint := said.allowed()
	if others {
		hint = "; to ignore other tests, select yours with --only"
	}
	n := d.count(envelope.CodeCommandFailed, envelope.Key{}, 1)
	return []journal.Line{journal.Note{Code: envelope.CodeCommandFailed, Count: n,
		Message: words.Plural(n, "start", "starts") + words.If(d.run.Plan.Form != runner.Each && len(d.tests) != 1, " of several tests") +
			" failed, although none of the trials that count did: " + d.redact(said.failed.Message+beside) + hint}}
}

// explainUncounted is the text of failed trials that count for no test: errors of the run such
// as [run], tests that could not run, and the first of other tests, if there are others.
func (d *execution) explainUncounted(said *report, asked []runner.Reported) (text string, others bool) {
	for i := range said.trials {
		t := &said.trials[i]
		other := !strings.HasPrefix(t.Test, "[") && !slices.ContainsFunc(asked, func(r runner.Reported) bool { return r.Trial.Key == t.Key })
		if d.broke(t) && !(other && others) {
			text += "; " + words.If(other, "another test, ") + t.Key.String() + behindColon(strings.Join(strings.Fields(t.Message), " "))
			others = others || other
		}
	}
	return text, others
}

// broke reports whether a trial neither passed nor was skipped. Without a status, its score
// decides.
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

func failed(t *envelope.Trial) bool { return t.Status != envelope.Pass && t.Status != envelope.Skip }

func (d *execution) limitsCost() bool {
	limits := d.run.Plan.Limits
	return limits.MaxCostUSD.OK || limits.MaxCostPerTestUSD.OK
}

// unpriced warns once that a cost limit has no effect without costs. It is the error of a run that only this limit could end:
// after 20 trials without a cost, or 20 of each test that cost $0, which may have come from a cache.
func (d *execution) unpriced() error {
	ended, told, spent := d.scheduler.Costs()
	if spent > 0 || ended == 0 || !d.limitsCost() || d.run.ReadsExitCodes() {
		return nil
	}
	why := words.Plural(ended, "trial", "trials") + words.If(told == 0, " reported no cost") + words.If(told > 0, " cost $0") + ", so the cost limit "
	remedy := words.If(told == 0, " let trials print cost_usd (--from native)")
	switch least := 20 * max(1, min(told, len(d.run.Plan.Tests))); {
	case ended >= least && d.run.MaxTime == 0 && d.scheduler.Endless():
		return errors.New(why + "would never end the run: give -n or --max-time" + words.Around(", or", remedy))
	case told == 0 && !d.priced:
		d.say("warning: %sdoes not work yet; interrupt the run, and%s", why, remedy)
		d.priced = true
	}
	return nil
}

// noteMissingCosts notes trials without a cost, which a cost limit did not include.
func (d *execution) noteMissingCosts() []journal.Line {
	ended, told, _ := d.scheduler.Costs()
	if told == ended || !d.limitsCost() {
		return nil
	}
	return []journal.Line{journal.Note{Code: envelope.CodeCostUnknown, Count: ended - told,
		Message: fmt.Sprintf("%d of %s reported no cost and counted as free, so the run may have cost more than its limit; "+
			"let trials print cost_usd (--from native)", ended-told, words.Plural(ended, "trial", "trials"))}}
}

// noteLeftovers notes processes that outlived a start and were ended, without a test if the
// start had several.
func (d *execution) noteLeftovers(key envelope.Key, processes int) journal.Line {
	n := d.count(envelope.CodeLeftBehind, key, processes)
	return journal.Note{Code: envelope.CodeLeftBehind, Key: key, Count: n,
		Message: words.Plural(n, "process outlived", "processes outlived") + cmp.Or(words.Around(" trials of ", key.String()),
			" starts of the command") + " and " + words.Verb(n, "was", "were") + " stopped; leave_behind: true keeps such processes"}
}

type counted struct {
	code string
	envelope.Key
}

// count adds to a count that continues when the run is resumed.
func (d *execution) count(code string, key envelope.Key, n int) int {
	d.counts[counted{code, key}] += n
	return d.counts[counted{code, key}]
}

// compare compares the output of a trial with earlier ones of its test.
func (d *execution) compare(s *start, out *outcome, trial *envelope.Trial) {
	if len(s.keys) != 1 || out.output.exit != nil || trial.Status != envelope.Pass && trial.Status != envelope.Fail {
		return
	}
	l := cmp.Or(d.alike[s.keys[0]], &similarity{output: out.sum})
	d.alike[s.keys[0]] = l
	l.trials++
	l.differs = l.differs || out.sum == outputSum{} || out.sum != l.output || trial.CostUSD.V > 0
}

// suspicion notes a test that ended with the same output in all trials.
func (d *execution) suspicion(key envelope.Key) []journal.Line {
	l := d.alike[key]
	delete(d.alike, key)
	const leastAlike = 5
	if l == nil || l.differs || l.trials < leastAlike {
		return nil
	}
	return []journal.Line{journal.Note{Code: envelope.CodeSameOutput, Key: key, Count: l.trials,
		Message: fmt.Sprintf("all %d trials of %s wrote the same, byte for byte, and none had a cost: were they answered from a cache? A test "+
			"that always answers the same needs one trial", l.trials, key)}}
}
