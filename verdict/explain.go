package verdict

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"tribunal/envelope"
	"tribunal/suggest"
)

// farthest is how many further trials of one kind Explain looks ahead, and near
// how many past the minimum of trials it tries one by one.
const (
	farthest = 10_000
	near     = 64
)

// Explain says in plain words how a test came to its status and what would
// change it. The test is named as reports name it (suite/test [variant]) or by
// its name alone where that is unique. Everything is computed again from the
// envelope.
func Explain(e *envelope.Envelope, name string) (string, error) {
	t, err := findTest(e, name)
	if err != nil {
		return "", err
	}
	r, err := newOverrider(e.Policy).of(&envelope.Tally{Key: t.Key, Labels: t.Labels})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("%s: %s", t.Key, strings.ToUpper(string(t.Status)))
	say("  Rule:     %s", ruleInWords(r))
	say("  Trials:   %s in all, %d counted, %d passed%s", trials(t.Trials.Total), t.Trials.Counted, t.Trials.Passed, excludedInWords(t.Trials))
	if rate := t.Rate.PerProtocol; rate != nil {
		say("  Rate:     %.3f, Wilson interval %.3f to %.3f at %s", rate.Value, rate.Lo, rate.Hi, percent(rate.Confidence))
	}
	say("  Why:      %s", t.Verdict.Reason)
	if t.Verdict.PAdjusted.OK {
		say("  Adjusted: p = %.4g alone, %.4g after %s over the %s", t.Verdict.PValue.V, t.Verdict.PAdjusted.V, e.Policy.Adjust, e.Policy.Family)
	}
	for i, line := range changes(t, r, e.Policy.Adjust) {
		label := ""
		if i == 0 {
			label = "Change:"
		}
		say("  %-9s %s", label, line)
	}
	return b.String(), nil
}

func findTest(e *envelope.Envelope, name string) (*envelope.Test, error) {
	var found []*envelope.Test
	var keys []string
	for i := range e.Tests {
		t := &e.Tests[i]
		if t.Key.String() == name {
			return t, nil
		}
		if t.Test == name || t.Suite+"/"+t.Test == name {
			found = append(found, t)
		}
		keys = append(keys, t.Key.String())
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, suggest.Unknown("test", name, keys[:min(len(keys), maxListed(name, keys))])
	}
	return nil, fmt.Errorf("%d tests are called %q, for instance %s and %s: name one of them in full", len(found), name, found[0].Key, found[1].Key)
}

// maxListed keeps the list of known tests short when none is near.
func maxListed(name string, keys []string) int {
	if len(suggest.Near(name, keys)) > 0 {
		return len(keys)
	}
	return 10
}

func ruleInWords(r ruled) string {
	words := r.rule.Name + ", which " + r.rule.Doc
	for _, part := range []struct {
		name string
		v    envelope.Opt[float64]
	}{{"threshold", r.policy.Threshold}, {"confidence", r.policy.Confidence}, {"alpha", r.policy.Alpha}, {"beta", r.policy.Beta}, {"gap", r.policy.Gap}} {
		if part.v.OK && r.rule.ThreeWay {
			words += fmt.Sprintf("; %s %s", part.name, number(part.v.V))
		}
	}
	if r.rule.ThreeWay {
		words += fmt.Sprintf("; at least %s", trials(r.policy.MinTrials.V))
	}
	if r.retry != nil {
		words += fmt.Sprintf("; %s where the extra trials are retries", r.retry.Name)
	}
	return words
}

func excludedInWords(c envelope.TrialCounts) string {
	if len(c.Excluded) == 0 {
		return ""
	}
	return "; left out: " + classes(c.Excluded)
}

// changes says how many further passes, or failures, would give another status.
func changes(t *envelope.Test, r ruled, adjust string) []string {
	switch {
	case t.CostLimited:
		return []string{"none by more trials: later trials are not counted, because the money is spent"}
	case t.Status == envelope.Skip:
		return []string{"run it: no trial was tried"}
	}
	s := sampleFrom(t)
	var out []string
	if adjust != "" && adjust != "none" {
		raw := newFuture(t, s, r, true).status(0)
		out = append(out, fmt.Sprintf("looking at this test alone, before adjusting (%s), where it is %s:", adjust, strings.ToUpper(string(raw))))
	}
	for _, next := range []struct {
		passed    bool
		one, many string
	}{{false, "failure", "failures"}, {true, "pass", "passes"}} {
		n, status := newFuture(t, s, r, next.passed).firstChange()
		if n == 0 {
			out = append(out, fmt.Sprintf("no number of further %s up to %d changes it", next.many, farthest))
			continue
		}
		out = append(out, fmt.Sprintf("%s in a row and this is %s", plural(n, "more "+next.one, "more "+next.many), strings.ToUpper(string(status))))
	}
	return out
}

// sampleFrom is what the rule saw, from the rows of the envelope.
func sampleFrom(t *envelope.Test) *Sample {
	s := &Sample{}
	for i, outcome := range t.Rows.Outcome {
		if outcome.Counted() {
			s.add(&t.Rows, i, outcome == envelope.Passed)
		}
	}
	return s
}

// future judges a test as if more equal trials had come.
type future struct {
	test   *envelope.Test
	now    *Sample
	rule   ruled
	passed bool
	more   *Sample // now and the further trials last asked about
}

func newFuture(t *envelope.Test, s *Sample, r ruled, passed bool) *future {
	return &future{test: t, now: s, rule: r, passed: passed, more: clone(s)}
}

func clone(s *Sample) *Sample {
	c := *s
	c.Outcomes, c.Scores, c.Chains = slices.Clone(s.Outcomes), slices.Clone(s.Scores), slices.Clone(s.Chains)
	return &c
}

// firstChange is a number of further trials after which the rule finds another
// status than before adjusting and than the test has, and that status; 0 when
// there is none. More of the same evidence can take a decision back: below the
// minimum of trials nothing is decided, and passes that come after many failures
// fail the test when the minimum is reached, before there are enough to pass it.
// So the first numbers are tried one by one, and the number is the smallest
// among them. Farther out, where only the evidence grows, it is found by
// doubling and bisecting.
func (f *future) firstChange() (int, envelope.Status) {
	raw := f.status(0)
	changed := func(n int) bool {
		status := f.status(n)
		return status != raw && status != f.test.Status
	}
	oneByOne := min(max(f.rule.policy.MinTrials.V-f.now.N(), 0)+near, farthest)
	for n := 1; n <= oneByOne; n++ {
		if changed(n) {
			return n, f.status(n)
		}
	}
	same, reach := oneByOne, oneByOne
	for reach < farthest {
		same, reach = reach, min(2*reach, farthest)
		if changed(reach) {
			n := same + 1 + sort.Search(reach-same-1, func(i int) bool { return changed(same + 1 + i) })
			return n, f.status(n)
		}
	}
	return 0, ""
}

// status is that of the test after n further trials, before adjusting.
func (f *future) status(n int) envelope.Status {
	if f.more.N() > f.now.N()+n {
		f.more = clone(f.now)
	}
	rows := &envelope.Rows{}
	for f.more.N() < f.now.N()+n {
		f.more.add(rows, 0, f.passed)
	}
	then := *f.test
	then.Trials.Total, then.Trials.Counted = then.Trials.Total+n, then.Trials.Counted+n
	_, found := decide(&then, f.more, f.rule)
	return found.status
}
