package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tribunal/envelope"
	"tribunal/internal/verdict/gate"
	"tribunal/internal/words"
	"tribunal/policy"
	"tribunal/stats"
)

// glob is a pattern in which * stands for any text, / included, and ? for one character. Most names are ruled out by the
// text before the first, after the last and the longest between them, which costs far less than the expression.
type glob struct {
	prefix, suffix, within string
	whole                  *regexp.Regexp
}

func newGlob(pattern string) *glob {
	pattern = strings.ToValidUTF8(pattern, string(utf8.RuneError)) // as names are
	for strings.Contains(pattern, "**") {
		pattern = strings.ReplaceAll(pattern, "**", "*")
	}
	quoted := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	g := &glob{prefix: pattern, whole: regexp.MustCompile(`(?s)\A` + quoted + `\z`)}
	if first := strings.IndexAny(pattern, "*?"); first >= 0 {
		g.prefix, g.suffix = pattern[:first], pattern[strings.LastIndexAny(pattern, "*?")+1:]
	}
	for _, text := range strings.FieldsFunc(pattern, func(c rune) bool { return c == '*' || c == '?' }) {
		if len(text) > len(g.within) {
			g.within = text
		}
	}
	return g
}

func (g *glob) match(name string) bool {
	return strings.HasPrefix(name, g.prefix) && strings.HasSuffix(name, g.suffix) && strings.Contains(name, g.within) &&
		g.whole.MatchString(name)
}

// namesOf are the names that a pattern may match: a test's own, with its suite, with its variant, and as its runner prints it.
func namesOf(k envelope.Key) []string {
	return []string{k.Test, k.Suite + "/" + k.Test, k.String(), k.RunnerName()}
}

// Matcher reports which tests a pattern matches, as the match of an override does.
func Matcher(pattern string) func(envelope.Key) bool {
	g := newGlob(pattern)
	return func(k envelope.Key) bool { return slices.ContainsFunc(namesOf(k), g.match) }
}

const namedUnused = 5

// A quarantine excuses the failures of tests that are known to be flaky. It hides nothing: a test in it runs, counts and is shown. It
// holds only while the evidence says flaky, which is some trials passed and some did not, and up to its last day. Dates are held against
// the start of the run, never against a clock, so that judging again tomorrow gives what judging gave today.

const expiryLayout = "2006-01-02"

// expiry is the instant from which an entry does not hold any more.
func expiry(q envelope.Quarantine) (time.Time, error) {
	day, err := time.Parse(expiryLayout, q.Expires)
	return day.AddDate(0, 0, 1), err
}

// QuarantineBegin is the instant from which an entry holds, the zero time where it names no first day.
func QuarantineBegin(q envelope.Quarantine) (time.Time, error) {
	if q.Since == "" {
		return time.Time{}, nil
	}
	return time.Parse(expiryLayout, q.Since)
}

// QuarantineHolds reports whether an instant is within the days of an entry.
func QuarantineHolds(q envelope.Quarantine, at time.Time) (bool, error) {
	begin, err := QuarantineBegin(q)
	end, wrong := expiry(q)
	return !at.Before(begin) && at.Before(end), errors.Join(err, wrong)
}

const (
	// usualRate is the pass rate that an entry expects of a flaky test where neither it nor a
	// history says one: a test that fails more often than not needs no repeats to be found broken.
	usualRate = 0.5
	// worseLevel is the level of the exact test against that rate. Without it the quarantine would
	// excuse a fall to any rate above 0, the surer the more trials there are.
	worseLevel = 0.05
)

// longestNote bounds what an entry says, which stands in every report.
const longestNote = 500

func checkQuarantine(p envelope.Policy) error {
	var errs []error
	for _, q := range p.Quarantine {
		says := ""
		say := func(wrong bool, what string) { says += words.If(wrong, "; "+what) }
		_, err := expiry(q)
		say(q.Match == "", "match is missing: give a glob of test names, such as search/*")
		say(q.Expires == "", "expires is missing: give the last day of the quarantine, such as 2026-03-31")
		say(q.Expires != "" && err != nil, fmt.Sprintf("expires %q is not a date: give a day such as 2026-03-31", q.Expires))
		_, wrong := QuarantineBegin(q)
		say(wrong != nil, fmt.Sprintf("since %q is not a date: give a day such as 2026-01-31", q.Since))
		say(wrong == nil && err == nil && q.Since > q.Expires, fmt.Sprintf("since %s is after expires %s: correct one", q.Since, q.Expires))
		say(q.AtLeast.OK && !(q.AtLeast.V > 0 && q.AtLeast.V < 1),
			fmt.Sprintf("at_least %s is out of range: give the pass rate of the flaky test, above 0 and below 1", words.Number(q.AtLeast.V)))
		for _, text := range [][2]string{{"match", q.Match}, {"owner", q.Owner}, {"reason", q.Reason}, {"ticket", q.Ticket}} {
			say(len(text[1]) > longestNote, fmt.Sprintf("%s is longer than %d bytes: shorten it", text[0], longestNote))
		}
		if says != "" {
			errs = append(errs, fmt.Errorf("quarantine%s: %s", words.Around(" of ", q.Match), says[2:]))
		}
	}
	return errors.Join(errs...)
}

// quarantine marks the tests that entries match and excuses what may be excused. It returns what is wrong with the entries.
func quarantine(env *envelope.Envelope) []envelope.Problem {
	w := &quarantineMatch{policy: env.Policy, gated: gate.AskTests(env.Policy.Gates)}
	if len(env.Policy.Quarantine) == 0 {
		return nil
	}
	w.open(env)
	for i := range env.Tests {
		w.admit(&env.Tests[i])
	}
	// The cap is spent in the order of the entries, then of the tests.
	slices.SortStableFunc(w.quarantined, func(a, b quarantined) int { return cmp.Compare(a.entry, b.entry) })
	within, over := 0, []string{}
	for _, p := range w.quarantined {
		state := w.state(p)
		if state == "" {
			if state = envelope.QuarantineInForce; w.policy.QuarantineCap.OK && within >= w.policy.QuarantineCap.V {
				state = envelope.QuarantineOverCap
				over = append(over, p.test.Key.RunnerName())
			} else {
				within++
			}
		}
		w.treat(p, state)
	}
	return w.problems(within, over)
}

// open compiles the entries and holds their dates against the run.
func (w *quarantineMatch) open(env *envelope.Envelope) {
	var start int64
	start, w.dated = env.StartedAt()
	latest := latestStart(env, start)
	for _, q := range w.policy.Quarantine {
		end, err := expiry(q) // Resolve checked it
		w.globs = append(w.globs, newGlob(q.Match))
		w.used = append(w.used, false)
		begin, _ := QuarantineBegin(q) // Resolve checked it
		w.early = append(w.early, w.dated && time.Unix(0, start).Before(begin))
		w.expired = append(w.expired, err != nil || w.dated && !time.Unix(0, latest).Before(end))
	}
}

// latestStart is when the last of several runs started, as its header or its first trial says: their failures are not told apart.
func latestStart(env *envelope.Envelope, start int64) int64 {
	for _, h := range env.Run.Headers {
		at, _ := envelope.Instant(h.StartedAt)
		start = max(start, at)
	}
	firsts := make([]int64, len(env.Run.Sources))
	for i := range env.Tests {
		rows := env.Tests[i].Rows
		for row := range rows.Len() {
			at, dated := rows.StartedAt().At(row)
			if of, _ := rows.Source().At(row); dated && int(of) < len(firsts) && (firsts[of] == 0 || at < firsts[of]) {
				firsts[of] = at
			}
		}
	}
	return slices.Max(append(firsts, start))
}

// holds reports an entry whose days the run is within, as far as it is dated.
func (w *quarantineMatch) holds(entry int) bool { return !w.early[entry] && !w.expired[entry] }

// admit finds the entry for a test: the first that holds on the day, or the first.
func (w *quarantineMatch) admit(t *envelope.Test) {
	names := namesOf(t.Key)
	found := -1
	for i, g := range w.globs {
		if !slices.ContainsFunc(names, g.match) {
			continue
		}
		w.used[i] = true
		if found < 0 || !w.holds(found) && w.holds(i) {
			found = i
		}
	}
	if found >= 0 {
		w.quarantined = append(w.quarantined, quarantined{t, found})
	}
}

// state is why an entry does not hold for anybody; empty when it does.
func (w *quarantineMatch) state(p quarantined) string {
	switch {
	case w.early[p.entry]:
		return envelope.QuarantineEarly
	case w.expired[p.entry]:
		return envelope.QuarantineExpired
	case !w.dated:
		return envelope.QuarantineUndated
	}
	return ""
}

// treat writes the state into the test and into the reason of its verdict, which every report shows.
func (w *quarantineMatch) treat(p quarantined, state string) {
	t := p.test
	in := &envelope.InQuarantine{Quarantine: w.policy.Quarantine[p.entry], State: state}
	in.Owner = cmp.Or(in.Owner, strings.Join(t.Owners, ", "))
	in.AtLeast = envelope.Some(expectedRate(t, in.Quarantine))
	if state == envelope.QuarantineInForce {
		w.compareRate(t, in)
	}
	t.Quarantine = in
	t.Quarantined = in.State == envelope.QuarantineInForce
	v := *t.Verdict
	v.Reason += "; " + quarantineWords(t)
	t.Verdict = &v
}

// compareRate holds a test that may need to be excused, for its verdict or for a gate on each test, against the rate it is taken to have.
func (w *quarantineMatch) compareRate(t *envelope.Test, in *envelope.InQuarantine) {
	failsBuild := w.affectsBuild(t)
	switch {
	case t.Trials.Passed > 0 && (t.Flaky && w.gated || failsBuild && (t.Flaky || t.Status == envelope.Inconclusive)):
		pValue := stats.BinomialPBelow(t.Trials.Passed, t.Trials.Counted, in.AtLeast.V)
		in.PValue, in.Excused = envelope.Some(pValue), failsBuild && pValue > worseLevel
		if pValue <= worseLevel {
			in.State = envelope.QuarantineWorse
		}
	case !failsBuild:
	case t.Trials.Passed == 0 && t.Trials.Counted > 0:
		in.State = envelope.QuarantineBroken
	default:
		in.State = envelope.QuarantineSteady
	}
}

// expectedRate is the pass rate that a test in quarantine is taken to have: what its entry says, else what a history shows of it before
// the entry began. A history without a failure does not show a rate of 1, which nothing could hold: the lower end of its interval counts.
func expectedRate(t *envelope.Test, q envelope.Quarantine) float64 {
	if q.AtLeast.OK || q.Since == "" || t.History == nil || t.History.Before == nil {
		return q.AtLeast.Or(usualRate)
	}
	before := t.History.Before
	if before.Passed == before.Counted && before.Counted > 0 {
		lo, _ := stats.Wilson(before.Passed, before.Counted, stats.Z(0.95))
		return lo
	}
	return float64(before.Passed) / float64(max(1, before.Counted))
}

// affectsBuild reports a test that would do something to the build.
func (w *quarantineMatch) affectsBuild(t *envelope.Test) bool {
	switch t.Status {
	case envelope.Fail, envelope.Error:
		return true
	case envelope.Inconclusive:
		return w.policy.TreatAs == policy.TreatFail || w.policy.TreatAs == policy.TreatExit3
	}
	return false
}

func quarantineWords(t *envelope.Test) string {
	q := t.Quarantine
	until := "in quarantine until " + q.Expires + noteWords(q.Quarantine)
	passes := words.Plural(t.Trials.Passed, "pass", "passes") + " in " + words.Plural(t.Trials.Counted, "trial", "trials")
	switch {
	case q.Excused:
		return fmt.Sprintf("excused: %s %s not show a pass rate below the %s that the quarantine allows (p %s); ", passes,
			words.Verb(t.Trials.Passed, "does", "do"), words.Distinct(q.AtLeast.V, 'g', 4), words.Distinct(q.PValue.V, 'g', 3, worseLevel)) + until
	case q.State == envelope.QuarantineWorse:
		return fmt.Sprintf("not excused: %s %s out a pass rate of %s or more (p %s, limit %s), so the test is worse than its "+
			"quarantine allows; ", passes, words.Verb(t.Trials.Passed, "rules", "rule"), words.Number(q.AtLeast.V),
			words.Distinct(q.PValue.V, 'g', 3, worseLevel), words.Number(worseLevel)) + until
	case q.State == envelope.QuarantineInForce, t.Status == envelope.Pass: // which needs no excuse
		return until
	}
	return "not excused: " + map[string]string{
		envelope.QuarantineBroken:  "none of its trials passed, so it is broken and not flaky",
		envelope.QuarantineSteady:  "only a test with passed and failed trials is flaky",
		envelope.QuarantineEarly:   "the run started before the first day, " + q.Since,
		envelope.QuarantineExpired: "the run started after the last day",
		envelope.QuarantineUndated: "the start time of the run is unknown",
		envelope.QuarantineOverCap: "more tests are in quarantine than its cap allows",
	}[q.State] + "; " + until
}

// quarantineMatch is the quarantine of a run while its tests are judged.
type quarantineMatch struct {
	policy      envelope.Effective
	gated       bool // a gate is asked of each test
	globs       []*glob
	used        []bool
	early       []bool
	expired     []bool
	dated       bool
	quarantined []quarantined
}

type quarantined struct {
	test  *envelope.Test
	entry int
}

func noteWords(q envelope.Quarantine) string {
	return words.Around(" (", words.Join(", ", words.Around("owner ", q.Owner), words.Around("ticket ", q.Ticket), q.Reason), ")")
}

// problems are one warning for each thing that is wrong with the entries.
func (w *quarantineMatch) problems(within int, over []string) []envelope.Problem {
	var found []envelope.Problem
	say := func(code, format string, args ...any) {
		found = append(found, envelope.Problem{Severity: envelope.SeverityWarning, Code: code, Stage: envelope.StageJudge,
			Message: fmt.Sprintf(format, args...)})
	}
	var expired, unmatched []string
	for i, q := range w.policy.Quarantine {
		if w.expired[i] {
			expired = append(expired, fmt.Sprintf("%s on %s%s", q.Match, q.Expires, noteWords(q)))
		}
		if !w.used[i] {
			unmatched = append(unmatched, q.Match+noteWords(q))
		}
	}
	if n := len(expired); n > 0 {
		say(envelope.CodeQuarantineExpired, "%s nothing: %s; fix the tests, give a new date, or delete the entry",
			words.Plural(n, "quarantine entry has expired and excuses", "quarantine entries have expired and excuse"), fewOf(expired))
	}
	if n := len(unmatched); n > 0 {
		say(envelope.CodeQuarantineUnmatched, "%s no test: %s; correct the match, or delete the entry",
			words.Plural(n, "quarantine entry matches", "quarantine entries match"), fewOf(unmatched))
	}
	if n := len(over); n > 0 {
		say(envelope.CodeQuarantineCap, "%s in quarantine, more than the cap of %d, so failures count in %s; remove tests from the "+
			"quarantine, or raise the cap",
			words.Plural(within+n, "test is", "tests are"), w.policy.QuarantineCap.V, fewOf(over))
	}
	if !w.dated && len(w.quarantined) > 0 {
		say(envelope.CodeQuarantineUndated, "the quarantine excuses nothing, because the start time of the run is unknown; set started_at "+
			"(in JUnit: timestamp) with a time zone, such as 2026-03-01T10:00:00Z")
	}
	return found
}

func fewOf(names []string) string { return words.First(names, namedUnused, strings.Clone) }
